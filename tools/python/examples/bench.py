"""What stepping from Python costs, what a second thread brings, and derivatives of steps and runs in steps: two things timed in turn in one run.

Usage: bench.py [REPEATS]
"""

import os
import statistics
import sys
import time

import numpy as np

import grashof

SOURCE = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))
REPEATS = int(sys.argv[1]) if len(sys.argv) > 1 else 9

scenario = grashof.load(os.path.join(SOURCE, "assets/scenarios/fourbar-fixed.xml"))
world = grashof.World(scenario)
world.step(1000)
start = world.save()


def seconds(f):
    begin = time.perf_counter()
    f()
    return time.perf_counter() - begin


def one_by_one(count):
    step = world.step
    for _ in range(count):
        step()


# The same steps both ways, in turn.
COUNT = 20000
extra = []
for _ in range(REPEATS):
    world.restore(start)
    inside = seconds(lambda: world.step(COUNT))
    world.restore(start)
    outside = seconds(lambda: one_by_one(COUNT))
    extra.append(((outside - inside) / COUNT * 1e6, inside / COUNT * 1e6))
print(f"four-bar: a step {statistics.median(e[1] for e in extra):.2f} us in C++, "
      f"{statistics.median(e[0] for e in extra):.2f} us more from Python (median of {REPEATS}, "
      f"{min(e[0] for e in extra):.2f} to {max(e[0] for e in extra):.2f})")

batch = grashof.Batch(scenario, 64)
ratios = []
for _ in range(REPEATS):
    batch.reset()
    one = seconds(lambda: batch.step(2000, threads=1))
    batch.reset()
    two = seconds(lambda: batch.step(2000, threads=2))
    ratios.append(one / two)
print(f"64 worlds, 2000 steps each: 2 threads {statistics.median(ratios):.2f} times the throughput of 1 "
      f"({min(ratios):.2f} to {max(ratios):.2f})")

for name in ("suite/bdx", "suite/fourbar-free"):
    world = grashof.World(grashof.load(os.path.join(SOURCE, f"assets/{name}.xml")))
    world.step(200)
    start = world.save()
    cotangent = np.ones(12 * len(world.positions))
    costs = {"A and B": lambda: grashof.StepDerivative(world).matrices(),
             "the adjoint product": lambda: grashof.StepDerivative(world).pullback(cotangent)}
    for what, derive in costs.items():
        ratios = []
        for _ in range(REPEATS):
            world.restore(start)
            step = seconds(lambda: world.step(100)) / 100
            ratios.append(seconds(derive) / step)
        print(f"{name}: {what} of a step cost {statistics.median(ratios):.1f} steps ({min(ratios):.1f} to {max(ratios):.1f})")
    # The run and its adjoint, in turn.
    ratios = []
    for _ in range(REPEATS):
        world.restore(start)
        forward = seconds(lambda: world.step(1000))
        world.restore(start)
        rollout = grashof.Rollout(world, steps=1000)
        ratios.append(seconds(lambda: rollout.pullback(cotangent)) / forward)
    print(f"{name}: the adjoint of 1000 steps costs {statistics.median(ratios):.2f} times the steps ({min(ratios):.2f} to {max(ratios):.2f})")
