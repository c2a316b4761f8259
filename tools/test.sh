#!/usr/bin/env bash
# Installs what is missing, builds, and runs the whole test suite. Argument: a CMake preset (default release).
set -euo pipefail
cd "$(dirname "$0")/.."
preset="${1:-release}"
bash tools/install_dependencies.sh libxml2-utils python3 python3-h5py python3-dev pybind11-dev python3-numpy python3-scipy \
  python3-pytest
# A module with sanitizers would need an interpreter with them.
python=ON
[ "$preset" = asan ] && python=OFF
cmake --preset "$preset" -DGRASHOF_TESTS=ON -DGRASHOF_PYTHON="$python" -DPython_EXECUTABLE=/usr/bin/python3 \
  >/dev/null
cmake --build --preset "$preset"
ctest --test-dir "build/$preset" --output-on-failure -j "$(nproc)"
