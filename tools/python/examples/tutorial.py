"""Grashof from Python, in cells: run it whole (python3 tools/python/examples/tutorial.py FOLDER), or cell by cell in an editor.

At the end stands a figure of the benchmark suite, made anew: how fast solvers converge on a mechanism that has more
constraints than motions to take away.
"""

# %% A four-bar, from its file
import os
import sys

import numpy as np

import grashof

SOURCE = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))
OUT = sys.argv[1] if len(sys.argv) > 1 else "."

scenario = grashof.load(os.path.join(SOURCE, "assets/scenarios/fourbar-fixed.xml"))
world = grashof.World(scenario)
crank = scenario.joint("A")["coordinates"].start

# %% It swings. Arrays are the engine's own memory: they follow.
angles = []
q = world.coordinates
for _ in range(2000):
    world.step()
    angles.append(q[crank])
print(f"after {world.time:g} s: crank at {q[crank]:.4f} rad, loop closed to {world.report['joint_residual']:.1e} m, "
      f"energy drift {world.energy['drift']:.1e} J")

# %% How it can move, and which hinges say the same twice
m = grashof.mobility(world)
print(f"mobility {m['mobility']}, Kutzbach's formula says {m['kutzbach']}: {m['redundant']} rows are redundant")
print({joint: round(share, 2) for joint, share in m["redundancy"].items()})
reach = grashof.reach(world, "D")
print(f"the rocker swings from {reach['lower']:.3f} to {reach['upper']:.3f} rad; {reach['upper_end']}")

# %% A slider-crank built in code, its motor held by a controller in Python
figure = grashof.Figure("slider-crank", duration=2.0, timestep=1e-3)
figure.add("motion", name="motor", type="constant", value=0)
figure.body("crank", position=[0.05, 0, 0]).add("shape", type="box", size=[0.1, 0.02, 0.02], mass=0.2)
figure.body("rod", position=[0.25, 0, 0]).add("shape", type="box", size=[0.3, 0.02, 0.02], mass=0.3)
figure.body("piston", position=[0.4, 0, 0]).add("shape", type="box", size=[0.06, 0.04, 0.04], mass=0.5)
main = figure.joint("main", "revolute", "crank", position=[0, 0, 0], axis=[0, 1, 0])
main.add("actuator", type="effort", motion="motor")
figure.joint("pin", "revolute", "rod", base="crank", position=[0.1, 0, 0], axis=[0, 1, 0])
figure.joint("wrist", "revolute", "piston", base="rod", position=[0.4, 0, 0], axis=[0, 1, 0])
figure.joint("guide", "prismatic", "piston", position=[0.4, 0, 0], axis=[1, 0, 0])
engine = grashof.World(figure.scenario())


def governor(w):
    """Torque that brings the crank to 10 rad/s."""
    w.controls[0] = 0.5 * (10.0 - w.rates()[0])


engine.on_step(governor)
engine.step(2000)
print(f"crank at {engine.rates()[0]:.2f} rad/s, torque {engine.efforts()[0]:.3f} N m")

# %% Thirty-two of them at once, on two threads, with different torques
batch = grashof.Batch(figure.scenario(), 32)
batch.controls[:, 0] = np.linspace(-1, 1, 32)
batch.step(500, threads=2)
print(f"speeds after 0.5 s from {batch.rates[:, 0].min():.1f} to {batch.rates[:, 0].max():.1f} rad/s")

# %% The figure of the suite: median natural map over iterations, a figure with redundant joints on the ground
walker = grashof.World(grashof.load(os.path.join(SOURCE, "assets/scenarios/fourbar-free.xml")))
solvers = ["ADMM", "ADMM-NCP-SA", "IPM-NCP", "PGS-NCP", "RAISIM-DS"]
counts = [1, 2, 3, 5, 8, 12, 20, 35, 60, 100, 200]
problems = []
for _ in range(8):
    walker.step(40)
    problems.append(walker.problem())
curves = {}
for solver in solvers:
    maps = [[p.residuals(p.solve(solver, tolerance=1e-12, max_iterations=n)["impulse"])["natural_map"] for n in counts]
            for p in problems]
    curves[solver] = np.median(np.maximum(maps, 1e-16), axis=0)
print("median natural map after " + ", ".join(map(str, counts)) + " iterations")
for solver, curve in curves.items():
    print(f"  {solver:12} " + " ".join(f"{x:8.1e}" for x in curve))
np.savetxt(os.path.join(OUT, "convergence.csv"), np.column_stack([counts, *curves.values()]), delimiter=",",
           header="iterations," + ",".join(solvers), comments="")

# %% Drawn with matplotlib, where it is installed
try:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot
except ImportError:
    print("matplotlib is not installed: convergence.csv holds the curves")
else:
    for solver, curve in curves.items():
        pyplot.loglog(counts, curve, label=solver)
    pyplot.xlabel("iterations")
    pyplot.ylabel("natural map, median")
    pyplot.legend()
    pyplot.savefig(os.path.join(OUT, "convergence.png"), dpi=150)
