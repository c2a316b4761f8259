#!/usr/bin/env bash
# Installs what is missing, builds, and runs the flagship scenario: a Jansen walker, 36 closed loops, one motor.
set -euo pipefail
cd "$(dirname "$0")/.."
bash tools/install_dependencies.sh
cmake --preset release -DGRASHOF_TESTS=OFF >/dev/null
cmake --build --preset release --target grashof_program
build/release/grashof run assets/scenarios/jansen-walker.xml --view --out results
echo
echo "Open results/jansen-walker/view.html in a browser: the walker walks. Turn it, scrub, select its parts."
echo "summary.json there has residuals, energy balance and time per stage; trajectory.h5 every pose"
echo "(layout: assets/schema.md); build/release/grashof plot draws what was recorded."
