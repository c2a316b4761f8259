#!/usr/bin/env bash
# clang-tidy over all sources that are built here, as .clang-tidy says. Configures build/asan when it is not.
set -euo pipefail
cd "$(dirname "$0")/.."
[ -f build/asan/compile_commands.json ] || cmake --preset asan >/dev/null
git ls-files 'engine/*.cpp' 'joints/*.cpp' 'contacts/*.cpp' 'solvers/*.cpp' 'tools/*.cpp' |
  while read -r file; do
    if grep -q "/$file\"" build/asan/compile_commands.json; then echo "$file"; fi
  done |
  xargs -P "$(nproc)" -n 4 clang-tidy -p build/asan --quiet --warnings-as-errors='*' 2>/dev/null
