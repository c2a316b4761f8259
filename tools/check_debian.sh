#!/usr/bin/env bash
# Makes Debian packages of build/release, installs them on this machine, uses each, and removes them again. Needs root.
set -euo pipefail
cd "$(dirname "$0")/.."
# A wheel made before has put the module elsewhere.
cmake --preset release -UGRASHOF_PYTHON_FOLDER -DGRASHOF_TOOLS=ON -DGRASHOF_PYTHON=ON -DPython_EXECUTABLE=/usr/bin/python3 >/dev/null
cmake --build --preset release --target grashof_program grashof_python >/dev/null
rm -rf build/release/packages
(cd build/release && cpack -G DEB >/dev/null 2>&1)
trap 'apt-get remove -y -qq grashof libgrashof-dev python3-grashof >/dev/null' EXIT
apt-get install -y -qq ./build/release/packages/*.deb >/dev/null
scratch="$(mktemp -d)"
cp assets/scenarios/fourbar-fixed.xml "$scratch"
(cd "$scratch" && /usr/bin/grashof run --quiet fourbar-fixed.xml --view && test -s results/fourbar-fixed/view.html)
printf '<sdf version="1.9"><model name="arm"><link name="a"><inertial><mass>1</mass></inertial></link></model></sdf>' \
  >"$scratch/arm.sdf"
(cd "$scratch" && /usr/bin/grashof convert arm.sdf --floating-base -o arm.xml && test -s arm.xml)
(cd "$scratch" && /usr/bin/python3 -c '
import grashof
world = grashof.World(grashof.load("fourbar-fixed.xml"))
world.step(10)
assert world.report["joint_residual"] < 1e-9
print("python3-grashof", grashof.__version__)')
rm -rf "$scratch"
bash tools/check_package.sh /usr
