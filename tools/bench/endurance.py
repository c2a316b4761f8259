#!/usr/bin/env python3
"""Long and large runs, judged by memory, energy and residuals; prints a table in Markdown.

Usage: endurance.py PROGRAM PYTHON_FOLDER [--steps N] [--bodies N] [--worlds N]

- N steps (by default 1e8) of the four-bar that falls and comes to rest on the ground, and a fifth as many of the one that swings for ever, in
  ten parts: resident memory, largest residual of a joint, energy drift.
- one run of N bodies that fall (1e5).
- N worlds side by side in one process (1000), each of which must have the bits of a world by itself.

Exit code 1: memory grows with the steps, a residual or the drift is out of bounds, or bits differ.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
RESIDUAL, GROWTH_MB, GAIN = 1e-10, 2.0, 1e-3


def resident_mb():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * resource.getpagesize() / 2**20


def long_run(grashof, name, steps):
    """Memory after the first tenth is the reference: allocations of a settled simulation have ended by then. Energy may be lost, not gained."""
    world = grashof.World(grashof.load(f"{ROOT}/assets/scenarios/{name}.xml"))
    memory, residual, drift, first = [], 0.0, [], world.energy["total"]
    for part in range(10):
        for _ in range(steps // 10 // 1000):
            world.step(1000)
            residual = max(residual, world.report["joint_residual"])
        memory.append(resident_mb())
        drift.append(world.energy["drift"])
        if sys.stderr.isatty():
            print(f"\r{10 * (part + 1)} % of {steps} steps", end="", file=sys.stderr)
    ok = memory[-1] - memory[0] <= GROWTH_MB and residual <= RESIDUAL and max(drift) <= GAIN * abs(first)
    print(f"| {name}, {steps:.0e} steps | memory {memory[0]:.1f} MB after a tenth, {memory[-1]:.1f} MB at the end; largest joint residual "
          f"{residual:.1e}; energy drift {drift[0]:.2e} J after a tenth, {drift[-1]:.2e} J at the end, of {first:.3g} J at the start | "
          f"{'ok' if ok else 'FAILED'} |", flush=True)
    return ok


def many_bodies(program, bodies):
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "many.xml")
        with open(file, "w", encoding="ascii") as out:
            out.write('<scenario name="many"><options timestep="1e-3" duration="0.02"/>')
            for i in range(bodies):
                out.write(f'<body name="b{i}" position="{i % 300} {i // 300} 0"><inertial mass="1" inertia="1 1 1"/></body>')
            out.write("</scenario>")
        start = time.monotonic()
        done = subprocess.run([program, "run", file, "-q", "-o", folder], capture_output=True, text=True, check=False)
        seconds = time.monotonic() - start
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        summary = {}
        if done.returncode == 0:
            with open(os.path.join(folder, "many", "summary.json"), encoding="utf-8") as out:
                summary = json.load(out)
    ok = done.returncode == 0 and summary["steps"] == 20
    print(f"| {bodies} bodies, 20 steps, recorded | {seconds:.1f} s with reading, {peak:.0f} MB | {'ok' if ok else 'FAILED'} |", flush=True)
    return ok


def many_worlds(grashof, worlds):
    scenario = grashof.load(f"{ROOT}/assets/scenarios/fourbar-free.xml")
    alone = grashof.World(scenario)
    alone.step(200)
    before, start = resident_mb(), time.monotonic()
    all_worlds = [grashof.World(scenario) for _ in range(worlds)]
    for _ in range(20):
        for world in all_worlds:
            world.step(10)
    seconds = time.monotonic() - start
    ok = all((world.positions == alone.positions).all() and (world.twists == alone.twists).all() for world in all_worlds)
    print(f"| {worlds} worlds in one process, 200 steps each in turn | {seconds:.1f} s, {1024 * (resident_mb() - before) / worlds:.0f} kB a world; "
          f"{'same bits as one alone' if ok else 'bits differ'} | {'ok' if ok else 'FAILED'} |", flush=True)
    return ok


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("python_folder")
    parser.add_argument("--steps", type=int, default=10**8)
    parser.add_argument("--bodies", type=int, default=10**5)
    parser.add_argument("--worlds", type=int, default=1000)
    a = parser.parse_args()
    sys.path.insert(0, a.python_folder)
    import grashof
    print("| load | figures | verdict |\n|---|---|---|", flush=True)
    # The run of bodies first: until it begins, a child has the memory of this process.
    passed = [many_bodies(a.program, a.bodies), many_worlds(grashof, a.worlds),
              long_run(grashof, "fourbar-free", a.steps), long_run(grashof, "fourbar-fixed", a.steps // 5)]
    return 0 if all(passed) else 1


if __name__ == "__main__":
    sys.exit(main())
