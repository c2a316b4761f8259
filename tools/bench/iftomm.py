#!/usr/bin/env python3
"""Problems A01 to A05 of the IFToMM benchmark library [González 2006] against references of their own; prints a page in Markdown.

Usage: iftomm.py PROGRAM PYTHON_FOLDER [--out PAGE]

Each system runs with both integrators and a list of steps. The references are independent of the engine: the pendulum in closed form, the four-bars
as one angle, Bricard's mechanism as two angles and their closure, Andrews' angles of the IVP test set, the governor as one angle and the slider.

Exit code 1: with the integrator `moreau` and its smallest step a system misses the high precision.
"""

import argparse
import collections
import contextlib
import json
import os
import resource
import subprocess
import sys
import tempfile
import time

import numpy as np
from scipy.integrate import solve_ivp
from scipy.special import ellipj, ellipk

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
G = 9.81
HIGH, LOW, THRESHOLD, RESIDUAL, FITTED = 1e-3, 1e-1, 1e-3, 1e-9, 0.5
TOLERANCES = (1e-4, 1e-6, 1e-8)  # of steps with error control
EXACT = {"method": "DOP853", "rtol": 1e-12, "atol": 1e-12}

# file: of the scenario. values(world): what is compared; reference(times): the same, a row for each time (NaN: not known there).
System = collections.namedtuple("System", "name file steps duration interval values reference")

HEAD = f"""# IFToMM benchmark

`/usr/bin/python3 tools/bench/iftomm.py build/release/grashof build/release/python --out assets/bench/iftomm.md`, on a machine of two
cores. Problems A01 to A05 of the benchmark library [[González 2006](../docs/references.md)], ten seconds each, A03 0.05 s.

- **error**: root mean square of |y - y_ref| / max(|y_ref|, {THRESHOLD:g}) over fifty instants a second and all values y: position of the bob (A01); position and
  velocity of the tops of all uprights, relative to their feet (A02); four angles at 0.03 s (A03); end of the third rod (A04); height of the slider and
  rate of the shaft (A05). **largest**: of |y - y_ref| alone, in m, m/s, rad, rad/s.
- **verdict**: `high` for an error of at most {HIGH:g}, `low` of at most {LOW:g}, else `failed`; `failed` too where a joint is ever open by more than {RESIDUAL:g} or
  the run diverges. These two precisions and the threshold are those of the library's specifications of A01 and A02 (for 2000 and 20 s); that they hold for
  all, and the mean over instants and values, are choices made here.
- **drift**: largest change of energy, of unknown cause, at these instants. **joints**: largest residual of all steps, m or rad. **CPU**: of `grashof run` with
  its start and files; **µs**: a step alone, in CPU time.

The references share nothing with the engine: A01 is in Jacobi's elliptic functions; A02 one angle, as all windows move alike; A04 two angles with
sin a + sin b + sin a sin b = 0; A05 the angle of the rods and the slider, with the angular momentum of the shaft; integrated to 1e-11. A03 is that of the
IVP test set [[Mazzia 2008](../docs/references.md)].
"""

TAIL = f"""
`auto` has error control: its step is only the time between results, and its error follows the tolerance.

The order is that of the largest difference, fitted to the steps where it is below {FITTED:g}.

**The windows of A02 pass the configurations in which all links lie in line**, and the mobility is N + 1 instead of 1, ten times, with every step of
`moreau` and without an option. They stay alike, joints closed: a velocity that all windows share has no part in the other mobilities.

**`auto`, at its default tolerance of 1e-8, meets the high precision of all but A02 with N = 40**, where tolerances of 1e-6 and 1e-8 leave 7e-3 and 4e-3: its poses in
line are nearly singular.

**Euler's integrator is poor for all of this.** It is of first order, and loses about m a² Δt²/2 in each step, a being the centripetal acceleration, as velocities
that fit the joints before the step are made to fit those after it: 0.64 J in ten seconds of A01 at 1 ms. A02 shows it at its worst. Its windows start with only
0.5 (N + (N + 1)/3) J more than it takes to pass the top: with a greater loss they swing back instead of going round, with a smaller one they are late.

**The drift of A04 grows where it should fall**, with steps below 1 ms. One of its thirty rows is redundant. The drift is inversely proportional to the
regularization of such rows, `joint-proximal`, 1e-11 by default, as rounding divided by it is: 1e-9 leaves a hundredth. With 1e-7 A02 gets worse,
presumably because the refinement no longer removes what is regularized near the singular configurations.

**A05 is of first order.** Its dampers, of 4e4 N s/m, settle within 0.1 ms. Where a step does not resolve that, it takes the damping at θ = 0.6
instead of near ½ ([Theory](../docs/theory.md#force-elements)), and slow motion is wrong by a tenth of a step.
"""


def pendulum(grashof):
    """A point on a rigid rod without mass, which is a distance joint."""
    figure = grashof.Figure("A01", gravity=[0, -G, 0])
    figure.body("bob", mass=1.0, inertia=[1, 1, 1], position=[1, 0, 0])
    rod = figure.joint("rod", "distance", "bob")
    rod.add("base-frame", position=[0, 0, 0])
    rod.add("follower-frame", position=[0, 0, 0])
    return figure


def pendulum_reference(times):
    """sin(q/2) = k cd(w t, k), q from below, released at a right angle."""
    m = 0.5
    sn, cn, dn, _ = ellipj(ellipk(m) - np.sqrt(G) * times, m)
    half = np.sqrt(m) * sn
    return np.column_stack([2 * half * dn, -1 + 2 * half**2])


def four_bars(grashof, windows):
    figure = grashof.Figure(f"A02-{windows}", gravity=[0, -G, 0])
    for i in range(windows + 1):
        figure.body(f"upright{i}", mass=1.0, inertia=[1 / 12, 1e-6, 1 / 12], position=[i, 0.5, 0], velocity=[0.5, 0, 0], angular_velocity=[0, 0, -1])
        figure.joint(f"foot{i}", "revolute", f"upright{i}", position=[i, 0, 0], axis=[0, 0, 1])
    for i in range(windows):
        figure.body(f"bar{i}", mass=1.0, inertia=[1e-6, 1 / 12, 1 / 12], position=[i + 0.5, 1, 0], velocity=[1, 0, 0])
        for end in (0, 1):
            figure.joint(f"top{i}-{end}", "revolute", f"bar{i}", base=f"upright{i + end}", position=[i + end, 1, 0], axis=[0, 0, 1])
    return figure


def four_bars_values(windows):
    feet = np.arange(windows + 1)

    def values(world):
        tops = 2 * world.positions[:windows + 1, :2]
        tops[:, 0] -= 2 * feet
        return np.column_stack([tops, 2 * world.twists[:windows + 1, :2]]).ravel()

    return values


def four_bars_reference(windows):
    """With q from above: ((N + 1)/3 + N) q'' = ((N + 1)/2 + N) g sin q."""
    n = windows
    stiffness = G * ((n + 1) / 2 + n) / ((n + 1) / 3 + n)

    def reference(times):
        q, rate = solve_ivp(lambda _, y: [y[1], stiffness * np.sin(y[0])], (0, times[-1]), [0, 1], t_eval=times, **EXACT).y
        return np.tile(np.column_stack([np.sin(q), np.cos(q), rate * np.cos(q), -rate * np.sin(q)]), n + 1)

    return reference


RODS = np.array([[1, 0, 0], [0, -1, 0], [0, 0, 1], [-1, 0, 0], [0, 1, 0]], float)
HINGES = np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0]], float)


def bricard(grashof):
    figure = grashof.Figure("A04", gravity=[0, -G, 0])
    figure.add("solver", joint_proximal=1e-11)
    ends = np.vstack([np.zeros(3), np.cumsum(RODS, axis=0)])
    for i, rod in enumerate(RODS):
        body = figure.body(f"rod{i}", position=(ends[i] + ends[i + 1]) / 2)
        body.add("shape", type="box", size=np.where(rod, 1.0, 0.1), mass=1.0, collides=False)
        figure.joint(f"hinge{i}", "revolute", f"rod{i}", base=f"rod{i - 1}" if i else "world", position=ends[i], axis=HINGES[i])
    figure.joint("hinge5", "revolute", "rod4", position=ends[5], axis=HINGES[5])
    return figure


def bricard_reference(times):
    """The hinges turn by a, b, a, b, a, b in turn, with sin a + sin b + sin a sin b = 0, so (a, b)' = n(a, b) u along the tangent n of that curve.
    Kinetic energy m(a, b) u²/2, potential v: m u' + u²/2 dm/dn + dv/dn = 0, with derivatives by complex steps."""

    def tangent(q):
        return np.array([np.cos(q[1]) * (1 + np.sin(q[0])), -np.cos(q[0]) * (1 + np.sin(q[1]))])

    def chain(q):
        """m, v and the ends of the rods."""
        n, frame, spin, point, speed = tangent(q), np.eye(3), np.zeros(3), np.zeros(3), np.zeros(3)
        m = v = 0
        ends = []
        for i, rod in enumerate(RODS):
            x, y, z = HINGES[i]
            cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
            spin = spin + frame @ HINGES[i] * n[i % 2]
            frame = frame @ (np.eye(3) + np.sin(q[i % 2]) * cross + (1 - np.cos(q[i % 2])) * cross @ cross)
            along = frame @ rod
            middle, local = speed + np.cross(spin, along) / 2, spin @ frame
            m = m + middle @ middle + local**2 @ np.where(rod, 0.1**2 / 6, (1 + 0.1**2) / 12)
            v = v + G * (point + along / 2)[1]
            point, speed = point + along, speed + np.cross(spin, along)
            ends.append(point)
        return m, v, ends

    def rates(_, y):
        q, u = y[:2], y[2]
        m, v, _ = chain(q + 1e-30j * tangent(q))
        return [*(u * tangent(q)), -(u * u / 2 * m.imag + v.imag) / 1e-30 / m.real]

    y = solve_ivp(rates, (0, times[-1]), [0, 0, 0], t_eval=times, **EXACT).y.T
    ends = [chain(q)[2] for q in y[:, :2]]
    assert max(np.abs(end[4] - [0, 0, 1]).max() for end in ends) < 1e-9, "the reference does not close"
    return np.array([end[2] for end in ends])


# Angles of crank, triangle and the two arms at the start, from which the joints count, and at 0.03 s.
ANDREWS = np.array([[-0.0617138900142764, 0.455279819163070, 0.487364979543842, 1.23054744454982],
                    [15.81077119629904, 0.04082224013073101, 0.5244099658805304, 1.048080741042263]])


def andrews_reference(times):
    known = np.isclose(times, 0.03)[:, None]
    return np.where(known, ANDREWS[1], np.nan)


def governor_reference(times):
    """Rods at the angle a below the horizontal, slider at the height z over the middle of the shaft, whose rate is (angular momentum) / J(a)."""
    mass, arm, across, slider = 5.3, 5.15 / 5.3, 0.09575721698113207, 3.0
    axial = 5e-6

    def spin(a):
        r = 0.05 + arm * np.cos(a)
        inertia = axial + 0.005 + 2 * (mass * r**2 + across * np.cos(a)**2 + axial * np.sin(a)**2)
        return inertia, -2 * (2 * mass * r * arm * np.sin(a) + (across - axial) * np.sin(2 * a))

    momentum = 2 * np.pi * spin(np.pi / 6)[0]

    def rates(_, y):
        a, z, da, dz = y
        x, h = 0.5 * np.cos(a), 0.5 - 0.5 * np.sin(a) - z  # of the strut
        length = np.hypot(x, h)
        by_a, by_z = -(x * np.sin(a) + h * np.cos(a)) / 2 / length, -h / length
        pull = 2 * (8e5 * (length - 0.5) + 4e4 * (by_a * da + by_z * dz))
        inertia, slope = spin(a)
        torque = slope / 2 * (momentum / inertia)**2 + 2 * mass * G * arm * np.cos(a) - pull * by_a
        return [da, dz, torque / (2 * (mass * arm**2 + across)), -G - pull * by_z / slider]

    y = solve_ivp(rates, (0, times[-1]), [np.pi / 6, 0, 0, 0], t_eval=times, method="Radau", rtol=1e-11, atol=1e-12).y
    return np.column_stack([0.5 + y[1], momentum / spin(y[0])[0]])


def systems(grashof, folder):
    def saved(figure):
        figure.add("output", interval=0.02)
        file = os.path.join(folder, f"{figure.xml().split(chr(34))[1]}.xml")
        with open(file, "w", encoding="utf-8") as out:
            out.write(figure.xml())
        return file

    def of_rods(world):
        x = world.positions
        return 2 * (x[2] - x[1] + x[0])

    def of_governor(world):
        return np.array([0.5 + world.channel("joint.rail.displacement"), world.channel("joint.axle.rate.0")])

    def of_andrews(world):
        return ANDREWS[0] + [world.channel(f"joint.{name}.angle") for name in ("O", "B", "A1", "A2")]

    steps = [4e-3, 2e-3, 1e-3, 5e-4]
    scenarios = os.path.join(ROOT, "assets", "scenarios")
    four = [System(f"A02, N = {n}", saved(four_bars(grashof, n)), steps + more, 10, 0.02, four_bars_values(n), four_bars_reference(n))
            for n, more in ((2, [1e-4]), (40, []))]
    return [
        System("A01", saved(pendulum(grashof)), steps, 10, 0.02, lambda world: world.positions[0, :2].copy(), pendulum_reference), *four,
        System("A03", os.path.join(scenarios, "andrews-squeezer.xml"), [2e-5, 1e-5, 5e-6, 2.5e-6], 0.05, 0.01, of_andrews, andrews_reference),
        System("A04", saved(bricard(grashof)), steps + [2.5e-4], 10, 0.02, of_rods, bricard_reference),
        System("A05", os.path.join(scenarios, "flyball-governor.xml"), steps, 10, 0.02, of_governor, governor_reference)]


def errors(values, reference):
    """As the benchmark counts it, and the largest difference."""
    difference, size = np.abs(values - reference), np.maximum(np.abs(reference), THRESHOLD)
    return np.sqrt(np.nanmean((difference / size)**2)), np.nanmax(difference)


def run(grashof, program, system, reference, options, folder):
    """Both errors, drift (J), residual of the joints, CPU seconds and microseconds a step; None: the run diverged."""
    step, outputs = options["options.timestep"], len(reference)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [program, "run", system.file, "-q", "-o", folder, *(x for name, value in options.items() for x in ("--set", f"{name}={value}"))]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode == 3:
        return None
    if done.returncode > 1:  # 1: the expectations of a scenario, which are those of its own step
        raise RuntimeError(done.stderr)
    with open(os.path.join(folder, os.path.splitext(os.path.basename(system.file))[0], "summary.json"), encoding="utf-8") as file:
        residual = json.load(file)["residuals"]["joint"]["max"]
    world = grashof.World(grashof.load(system.file, options))
    values, drift, start = [], 0.0, time.process_time()
    for _ in range(outputs):
        world.step(round(system.interval / step))
        values.append(system.values(world))
        drift = max(drift, abs(world.energy["drift"]))
    seconds = time.process_time() - start
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return *errors(np.array(values), reference), drift, residual, cpu, 1e6 * seconds * step / system.duration


def report(grashof, program, folder, out):
    """Writes both tables; whether all systems meet the high precision."""
    passed, orders = True, []
    print("| system | integrator | step, ms | error | largest | drift, J | joints | CPU, s | µs | verdict |\n|---|---|---|---|---|---|---|---|---|---|", file=out)
    for system in systems(grashof, folder):
        times = system.interval * np.arange(1, round(system.duration / system.interval) + 1)
        reference = system.reference(times)
        runs = [("moreau", {}, system.steps), ("euler", {}, system.steps)]
        runs += [(f"auto, tolerance {t:g}", {"options.tolerance": t}, system.steps[:1]) for t in TOLERANCES]
        if system.name == "A04":
            runs.insert(1, ("moreau, joint-proximal 1e-9", {"solver.joint-proximal": 1e-9}, system.steps))
        for label, options, steps in runs:
            good, verdict = [], ""
            for step in steps:
                options = {**options, "options.timestep": step, "options.duration": system.duration, "options.integrator": label.split(",")[0]}
                result = run(grashof, program, system, reference, options, folder)
                if result is None:
                    verdict = "failed"
                    print(f"| {system.name} | {label} | {1e3 * step:g} | diverged | | | | | | failed |", file=out, flush=True)
                    continue
                error, largest, drift, residual, cpu, each = result
                verdict = "failed" if error > LOW or residual > RESIDUAL else "low" if error > HIGH else "high"
                if largest < FITTED:
                    good.append((step, largest))
                print(f"| {system.name} | {label} | {1e3 * step:g} | {error:.1e} | {largest:.1e} | {drift:.1e} | {residual:.1e} | {cpu:.2f} | {each:.1f} | "
                      f"{verdict} |", file=out, flush=True)
            if label == "moreau":
                passed = passed and verdict == "high"
            if len(steps) == 1:
                continue
            order = f"{np.polyfit(*np.log(good).T, 1)[0]:.2f} ({len(good)} steps)" if len(good) > 1 else "-"
            orders.append(f"| {system.name} | {label} | {order} |")
    print("\n| system | integrator | order |\n|---|---|---|", *orders, sep="\n", file=out)
    return passed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("python_folder")
    parser.add_argument("--out", help="file for the page, instead of standard output")
    a = parser.parse_args()
    sys.path.insert(0, a.python_folder)
    import grashof
    with open(a.out, "w", encoding="utf-8") if a.out else contextlib.nullcontext(sys.stdout) as out, tempfile.TemporaryDirectory() as folder:
        print(HEAD, file=out, flush=True)
        passed = report(grashof, a.program, folder, out)
        print(TAIL, end="", file=out)
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
