#!/usr/bin/env bash
# Installs what the comparison needs, builds it and runs it: kernels, solvers and steps with Google Benchmark, whole
# steps against MuJoCo, ODE, Bullet's dynamics and DART, a humanoid by MuJoCo and Grashof, then NEWTON-NCP and IPM-NCP against Siconos on frictional contact problems
# (FCLIB files), given as arguments. Some twenty minutes.
set -euo pipefail
cd "$(dirname "$0")/../.."
bash tools/install_dependencies.sh libbenchmark-dev libsiconos-numerics-dev libmujoco-dev libode-dev libbullet-dev libdart-dev
cmake --preset release -DGRASHOF_PEERS=ON >/dev/null
cmake --build --preset release --target grashof_benchmarks bench_siconos bench_peers bench_mujoco
build/release/grashof_benchmarks
build/release/bench_peers
for keyframe in stand fall; do
  build/release/bench_mujoco assets/models/humanoid.xml --keyframe "$keyframe" --duration 3
done
if [ $# -eq 0 ]; then
  echo "no FCLIB files given: the comparison with Siconos is left out"
  exit 0
fi
# Siconos reports each singular matrix that its Newton method meets.
build/release/bench_siconos "$@" 2>/dev/null | grep -v '^$\|NM_LU'
