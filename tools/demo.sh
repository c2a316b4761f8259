#!/usr/bin/env bash
# Installs what is missing, builds, and runs the flagship scenario: a Jansen walker, 72 closed loops, one motor.
set -euo pipefail
cd "$(dirname "$0")/.."
bash tools/install_dependencies.sh
cmake --preset release >/dev/null
cmake --build --preset release --target grashof_program
build/release/grashof run assets/scenarios/jansen-walker.xml --csv --out results
echo
echo "Look at results/jansen-walker/summary.json (residuals, energy balance, time per stage),"
echo "trajectory.h5 (layout in engine/recorder.h) and trajectory.csv."
