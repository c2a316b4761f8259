#!/usr/bin/env bash
# Looks for data races: ThreadSanitizer over all that runs on several threads. Scenarios side by side, the islands and
# joints of one large model, and the server of the viewer with its clients. Any report ends it with an error.
set -euo pipefail
cd "$(dirname "$0")/.."
bash tools/install_dependencies.sh clang libclang-rt-14-dev python3 python3-h5py
cmake --preset tsan -DGRASHOF_TESTS=OFF >/dev/null
cmake --build --preset tsan
# The thread library is built without it: what it does with its own memory is left to it. Parts of it stand in headers,
# and functions that the compiler joined into others are known by their file alone.
mkdir -p build/tsan
printf '%s\n' 'race_top:/oneapi/tbb/' 'race_top:^tbb::detail' 'race_top:^void tbb::detail' 'race_top:^bool tbb::detail' 'race:check_being_stolen' 'race:fold_tree' >build/tsan/suppressions
export TSAN_OPTIONS="halt_on_error=1 exitcode=66 ignore_noninstrumented_modules=1 suppressions=$PWD/build/tsan/suppressions log_path=$PWD/build/tsan/report"
rm -f build/tsan/report.*
# Whatever ends this, what was reported is shown.
trap 'cat build/tsan/report.* 2>/dev/null || true' EXIT
program=build/tsan/grashof out=build/tsan/races
mkdir -p "$out"

# It can fail: a sum that two threads write is found.
cat >"$out/race.cpp" <<'END'
#include "engine/base/parallel.h"
int main() {
  double sum = 0.0;
  grashof::parallelFor(100000, 100, [&](std::size_t i) { for (int k = 0; k < 300; ++k) sum += i * k; });
  return sum > 0.0 ? 0 : 1;
}
END
clang++ -std=c++20 -g -fsanitize=thread -I. "$out/race.cpp" -o "$out/race" -ltbb
if "$out/race" || ! grep -q "data race" build/tsan/report.*; then
  echo "A data race that is there was not found"
  exit 1
fi
rm -f build/tsan/report.*

"$program" run assets/scenarios/*.xml --threads 4 --duration 0.1 --quiet --out "$out/scenarios" >/dev/null

# So many joints and islands that both are spread over threads.
/usr/bin/python3 - >"$out/many.xml" <<'END'
print('<scenario name="many"><options duration="0.02"/><shape type="plane"/>')
for i in range(1200):
    x, y = i % 40, i // 40
    print(f'<body name="p{i}" position="{x + 0.3} {y} 3"><inertial mass="1" inertia="0.01 0.01 0.01"/></body>'
          f'<joint name="j{i}" type="revolute" follower="p{i}" position="{x} {y} 3" axis="0 1 0"/>'
          + (f'<body name="b{i}" position="{x} {y} 0.05"><shape type="box" size="0.1 0.1 0.1" mass="1"/></body>' if x < 5 else ""))
print("</scenario>")
END
for threads in 1 4; do
  "$program" run "$out/many.xml" --threads "$threads" --quiet --csv --out "$out/threads$threads" >/dev/null
done
cmp "$out/threads1/many/trajectory.csv" "$out/threads4/many/trajectory.csv"

PYTHONDONTWRITEBYTECODE=1 GRASHOF_SHORT=1 /usr/bin/python3 tests/cli/test_robustness.py "$PWD/$program" "$PWD" Server
# A server is killed at the end of its test: what it reported stands in a file, among remarks of the symbolizer.
if grep -qs "ThreadSanitizer:" build/tsan/report.*; then
  exit 1
fi
echo "No data race was found."
