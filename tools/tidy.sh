#!/usr/bin/env bash
# clang-tidy over all sources, as .clang-tidy says. Needs a configured build/clang.
set -euo pipefail
cd "$(dirname "$0")/.."
[ -f build/clang/compile_commands.json ] || cmake --preset clang >/dev/null
git ls-files 'engine/*.cpp' 'joints/*.cpp' 'contacts/*.cpp' 'solvers/*.cpp' 'tools/*.cpp' |
  xargs -P "$(nproc)" -n 4 clang-tidy -p build/clang --quiet --warnings-as-errors='*' 2>/dev/null
