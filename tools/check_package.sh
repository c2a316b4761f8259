#!/usr/bin/env bash
# Installs the library into a scratch folder and builds programs against it with find_package(grashof): the one of
# README, and one that makes its model in code. Argument: an installed prefix to use instead (/usr for Debian's packages).
set -euo pipefail
cd "$(dirname "$0")/.."
scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT
prefix="${1:-$scratch/installed}"
[ $# -gt 0 ] || cmake --install build/release --prefix "$prefix" >/dev/null

targets="$(find "$prefix/lib" -path '*cmake/grashof/*' -name '*targets*.cmake')"
# shellcheck disable=SC2086
if grep -nE '"[^"$]*(/usr/|/home/|/tmp/|/root/)' $targets || grep -n "$PWD" $targets; then
  echo "the exported targets hold absolute paths" >&2
  exit 1
fi
if grep -rnE '#include "' "$prefix/include/grashof" --include='*.h' | grep -v grashof_controller.h; then
  echo "an installed header includes by a path without grashof/" >&2
  exit 1
fi

mkdir "$scratch/project"
cat > "$scratch/project/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
project(user LANGUAGES CXX)
find_package(grashof REQUIRED)
foreach(program readme fourbar)
  add_executable(${program} ${program}.cpp)
  target_link_libraries(${program} PRIVATE grashof::grashof)
  target_compile_options(${program} PRIVATE -Wall -Wextra -Wpedantic -Werror)
endforeach()
END
# README's programs as they stand there: the first block in C++, and its scenario.
awk '/^```cpp$/ {on = 1; next} /^```$/ {if (on) exit} on' README.md > "$scratch/project/readme.cpp"
awk '/^```xml$/ {on = 1; next} /^```$/ {if (on) exit} on' README.md > "$scratch/slider-crank.xml"
cp tests/package/fourbar.cpp "$scratch/project/"
find=()
[ "$prefix" = /usr ] || find=(-DCMAKE_PREFIX_PATH="$prefix")
cmake -S "$scratch/project" -B "$scratch/build" -G Ninja -DCMAKE_BUILD_TYPE=Release "${find[@]}" >/dev/null
cmake --build "$scratch/build" >/dev/null
(cd "$scratch" && build/readme && build/fourbar)
