#!/usr/bin/env bash
# Builds a wheel of the Python module, installs it with pip into a scratch environment, checks its types, and steps a
# million times.
set -euo pipefail
cd "$(dirname "$0")/.."
scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT
/usr/bin/python3 -m venv --system-site-packages "$scratch/venv"
# What is built already is used again.
GRASHOF_BUILD="$PWD/build/release" "$scratch/venv/bin/python" -m pip wheel --quiet --no-build-isolation --no-deps \
  --no-index --wheel-dir "$scratch/wheels" tools/python
"$scratch/venv/bin/python" -m pip install --quiet --no-deps --no-index "$scratch"/wheels/grashof-*.whl
# The wheel has its libraries in it: none of them comes from the system.
if command -v patchelf >/dev/null; then
  module=$(find "$scratch/venv" -path '*grashof/_core*.so')
  if ldd "$module" | grep -E 'hdf5|tbb|Bullet|fmt|tinyxml2|nlopt' | grep -v "$scratch"; then
    echo "The wheel uses libraries of the system"
    exit 1
  fi
fi
cd "$scratch"
GRASHOF_LEAK_STEPS=1000000 venv/bin/python -m pytest -q -p no:cacheprovider "$OLDPWD/tests/python" -k million
MYPYPATH="$OLDPWD/build/release/python" venv/bin/python -m mypy --ignore-missing-imports --cache-dir "$scratch/mypy" \
  "$OLDPWD/tools/python/examples/tutorial.py" "$OLDPWD/build/release/python/grashof"
