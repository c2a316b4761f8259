#!/usr/bin/env bash
# Builds the fuzz targets and runs each for some seconds:  tests/fuzz/run.sh [SECONDS] [TARGET...]
#
# One line each: executions, executions per second, edges of the code that were reached, findings. What is found stays in
# build/asan/findings with the command that shows it again. Inputs that reach new code stay in build/asan/corpus, so that
# a later run goes on from there. SEED=N makes a run like another. JOBS=N runs so many side by side (default: one a core).
# Exit code 1: something was found.
set -euo pipefail
cd "$(dirname "$0")/../.."
seconds="${1:-60}"
shift || true
build=build/asan
cores="$(nproc)"
jobs="${JOBS:-$cores}"
# A hang is 40 s of a core. libFuzzer looks at the clock on the wall, by which targets that share a core take longer.
timeout=$((40 * (jobs > cores ? (jobs + cores - 1) / cores : 1)))
export FUZZ_SECONDS="$seconds" FUZZ_BUILD="$build" FUZZ_TIMEOUT="$timeout"
export ASAN_OPTIONS="detect_leaks=${LEAKS:-1}"
export UBSAN_OPTIONS="print_stacktrace=1:halt_on_error=1"

cmake --preset asan >/dev/null
cmake --build --preset asan --target fuzzers -- --quiet
mkdir -p "$build"/{corpus,logs,findings,tmp}
# HDF5's library leaks some bytes of each file that it refuses.
echo "leak:libhdf5" >"$build/leaks"
export LSAN_OPTIONS="suppressions=$PWD/$build/leaks:print_suppressions=0"
export TMPDIR="$PWD/$build/tmp"
"$build/fuzz_seeds" assets/scenarios/*.xml "$build/seeds" >/dev/null

fuzz() {
  local name="$1" log="$FUZZ_BUILD/logs/$1.log" found=0 size=16384
  local folder="$FUZZ_BUILD/findings/$name/" command options=()
  mkdir -p "$FUZZ_BUILD/corpus/$name" "$FUZZ_BUILD/seeds/$name" "$folder"
  [[ -f "tests/fuzz/$name.dict" ]] && options+=("-dict=tests/fuzz/$name.dict")
  case "$name" in problem | trajectory | checkpoint) size=65536 ;; esac
  "$FUZZ_BUILD/fuzz_$name" "$FUZZ_BUILD/corpus/$name" "$FUZZ_BUILD/seeds/$name" -max_total_time="$FUZZ_SECONDS" \
    -max_len="$size" -timeout="$FUZZ_TIMEOUT" -rss_limit_mb=2048 -malloc_limit_mb=1024 -artifact_prefix="$folder" \
    -print_final_stats=1 -close_fd_mask=3 -seed="${SEED:-0}" "${options[@]}" >"$log" 2>&1 || found=1
  awk -v name="$name" -v found="$found" '
    /^#[0-9]+/ { for (i = 1; i < NF; ++i) if ($i == "cov:") edges = $(i + 1) }
    /stat::number_of_executed_units/ { runs = $2 }
    /stat::average_exec_per_sec/ { rate = $2 }
    END { printf "%-11s %9d executions %7d/s %6d edges %2d findings\n", name, runs, rate, edges, found }' "$log"
  [[ "$found" == 0 ]] && return 0
  grep -m1 -E 'SUMMARY|ERROR|runtime error' "$log" | sed 's/^/    /' || true
  command=$(grep -o 'Test unit written to .*' "$log" | tail -n1 | sed 's/Test unit written to //')
  printf '    %s/fuzz_%s %s\n' "$FUZZ_BUILD" "$name" "${command:-(see $log)}"
  return 1
}
export -f fuzz

if (($# == 0)); then
  mapfile -t targets < <(cd "$build" && ls fuzz_* | grep -v -e seeds -e mechanisms | sed 's/fuzz_//')
else
  targets=("$@")
fi
((${#targets[@]} > 0)) || { echo "There are no fuzz targets in $build"; exit 1; }
printf '%s\n' "${targets[@]}" | xargs -P "$jobs" -I{} bash -c 'fuzz {}' || {
  echo "Something was found: see $build/findings"
  exit 1
}
