#!/usr/bin/env bash
# Installs the library into a scratch folder and builds a project against it with find_package(grashof).
set -euo pipefail
cd "$(dirname "$0")/.."
scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT
cmake --install build/release --prefix "$scratch/installed" >/dev/null
mkdir "$scratch/project"
cat > "$scratch/project/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
project(user LANGUAGES CXX)
find_package(grashof 0.1 REQUIRED)
add_executable(user main.cpp)
target_link_libraries(user PRIVATE grashof::grashof)
END
cat > "$scratch/project/main.cpp" <<'END'
#include <cstdio>
#include "engine/scenario/scenario.h"
#include "engine/dynamics/simulator.h"
int main(int, char** argv) {
  const grashof::Scenario scenario = grashof::readScenario(argv[1]);
  grashof::Simulator simulator(scenario.model);
  for (int i = 0; i < 100; ++i) simulator.step();
  std::printf("joint residual %.3g\n", simulator.report().jointResidual);
  return simulator.report().jointResidual < 1e-9 ? 0 : 1;
}
END
cmake -S "$scratch/project" -B "$scratch/build" -G Ninja -DCMAKE_PREFIX_PATH="$scratch/installed" >/dev/null
cmake --build "$scratch/build" >/dev/null
"$scratch/build/user" assets/scenarios/fourbar-fixed.xml
