"""Experiments of [Lidec 2024]: commands, what is taken from their output, and judgements."""

import csv
import json
import math
import os
import statistics
import subprocess
import tempfile

from paper.common import ROOT, Experiment, dump, listed, outcomes, records_of

CUBE = "assets/scenarios/dragged-cube.xml"
STEPS = "grashof bench convergence " + CUBE + " --solvers ADMM,IPM-CCP --timesteps 0.008,0.004,0.002,0.001 --reference-step 1e-5"
TOLERANCES = ("grashof bench convergence " + CUBE + " --solvers ADMM,PGS-NCP,IPM-CCP --timesteps 0.001 --reference-step 0.001"
              " --tolerances 1e-3,1e-5,1e-7,1e-9")
# The robot stands from 0 to 0.3 s. Its contacts yield along the normal and along the surface by the same stiffness, in N/m; None: not at all.
ROBOT = "grashof run assets/scenarios/pushed-quadruped.xml --csv --quiet"
ROBOT_SOLVERS, ROBOT_STIFFNESSES = ("auto", "PGS-NCP"), (None, 1e6, 3e5, 1e5, 3e4)
FEET = ("left-fore", "right-fore", "left-hind", "right-hind")
# Problems of that robot on rigid contacts, to rising accuracy.
ROBOT_PROBLEMS = "grashof run assets/scenarios/pushed-quadruped.xml --quiet --dump-problems every=10"
ACCURACY_SOLVERS, ACCURACIES = ("PGS-NCP", "ADMM", "NEWTON-NCP"), (1e-3, 1e-5, 1e-7, 1e-9)
ACCURACY = f"grashof solve --tolerance-kind absolute --max-iterations 10000 --solver {','.join(ACCURACY_SOLVERS)}"
TROT_SOLVERS = ("auto", "PGS-NCP", "RAISIM", "CCP-NEWTON")
TROT = f"/usr/bin/python3 tools/python/examples/trot.py --duration 4 --solvers {','.join(TROT_SOLVERS)}"
# A cube that slides to a stop from 3 m/s with μ = 0.4, and one that is dragged, whose four corners push.
SLIDE_SOLVERS = ("ADMM", "PGS-NCP", "RAISIM", "IPM-CCP")
SLIDE = "grashof run assets/scenarios/sliding-cube.xml --csv --quiet"
CORNER_SOLVERS = ("ADMM", "PGS-NCP", "RAISIM")
CORNERS = f"grashof run {CUBE} --quiet"
MODELS = "grashof bench models --solvers ADMM,IPM-CCP,CCP-NEWTON,PGS-NCP,RAISIM,LCP-PGS"


def commands():
    yield from (MODELS, STEPS, TOLERANCES)
    yield f"for solver in {' '.join(SLIDE_SOLVERS)}; do {SLIDE} --solver $solver; done"
    yield f"for solver in {' '.join(CORNER_SOLVERS)}; do {CORNERS} --solver $solver; done"
    soft = robot_command("$solver", "$k")
    yield f"for solver in {' '.join(ROBOT_SOLVERS)}; do {robot_command('$solver', None)}; for k in {listed(ROBOT_STIFFNESSES[1:])}; do {soft}; done; done"
    yield ROBOT_PROBLEMS
    yield f"for t in {listed(ACCURACIES)}; do {ACCURACY} --tolerance $t results/pushed-quadruped/problems/*.h5; done"
    yield f"PYTHONPATH=build/release/python {TROT}"


def robot_command(solver, stiffness):
    yields = "" if stiffness is None else "".join(f" --set material[default].{what}={stiffness}" for what in ("stiffness", "tangential-stiffness"))
    return f"{ROBOT} --solver {solver}{yields}"


def robot_row(solver, stiffness, records):
    """What a run of the pushed robot shows; records: rows of its table, by channel."""
    def internal(record):
        forces = [[record[f"contact.{foot}-shank.world.force.{axis}"] for axis in "xy"] for foot in FEET]
        return sum(math.hypot(*force) for force in forces) - math.hypot(*(sum(axis) for axis in zip(*forces)))

    before = [r for r in records if 0.1 <= r["time"] < 0.2995]
    speeds = [r["body.torso.velocity.y"] for r in records if r["time"] > 0.3]
    moving = [v for v in speeds if abs(v) > 1e-6]
    return {"solver": solver, "stiffness_N_m": stiffness, "penetration_m": statistics.mean(r["residual.penetration"] for r in before),
            "internal_N": statistics.mean(map(internal, before)), "speed_m_s": max(map(abs, speeds)),
            "reversals": sum(a * b < 0.0 for a, b in zip(moving, moving[1:]))}


def measure_robot(run):
    rows = []
    for solver in ROBOT_SOLVERS:
        for stiffness in ROBOT_STIFFNESSES:
            with tempfile.TemporaryDirectory() as folder:
                run(robot_command(solver, stiffness), "--out", folder)
                records = records_of(folder, ROBOT)
            rows.append(robot_row(solver, stiffness, records))
    return rows


def measure_accuracies(run):
    """Outcomes of the robot's problems by solver and tolerance."""
    with tempfile.TemporaryDirectory() as folder:
        files = dump(run, ROBOT_PROBLEMS, folder)
        found = {tolerance: json.loads(run(f"{ACCURACY} --tolerance {tolerance}", "--json", *files)) for tolerance in ACCURACIES}
    return {solver: {tolerance: outcomes([o for o in all_ if o["solver"] == solver]) for tolerance, all_ in found.items()} for solver in ACCURACY_SOLVERS}


def measure_trot(program):
    """Walks of a quadruped by ground and solver; none where the Python module is not built beside the program."""
    module = os.path.join(os.path.dirname(os.path.abspath(program)), "python")
    if not os.path.isdir(module):
        return []
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([*TROT.split(), "--out", folder], cwd=ROOT, env={**os.environ, "PYTHONPATH": module}, check=True, stdout=subprocess.DEVNULL)
        with open(os.path.join(folder, "trot.csv"), encoding="utf-8") as file:
            return [{key: value if key in ("ground", "solver") else float(value) for key, value in row.items()} for row in csv.DictReader(file)]


def measure_slide(run):
    """Time (s) and kinetic energy (J) over the run, by solver."""
    found = {}
    for solver in SLIDE_SOLVERS:
        with tempfile.TemporaryDirectory() as folder:
            run(f"{SLIDE} --solver {solver}", "--out", folder)
            found[solver] = [(r["time"], r["energy.kinetic"]) for r in records_of(folder, SLIDE)]
    return found


def measure_corners(run):
    """Largest force across the pull on any corner (N) while the cube sticks, from 0.05 to 0.15 s, and while it slides, from 0.4 s on, by solver."""
    import h5py  # of Debian's interpreter; nothing else here needs it

    found = {}
    for solver in CORNER_SOLVERS:
        with tempfile.TemporaryDirectory() as folder:
            run(f"{CORNERS} --solver {solver}", "--out", folder)
            with h5py.File(os.path.join(folder, "dragged-cube", "trajectory.h5")) as file:
                counts, force, times = file["contacts/count"][:], abs(file["contacts/force"][:, 1]), file["time"][:]
        ends = counts.cumsum()
        most = [float(max(force[end - n:end], default=0.0)) for n, end in zip(counts, ends)]
        found[solver] = {"sticking_N": max(f for t, f in zip(times, most) if 0.05 <= t <= 0.15), "sliding_N": max(f for t, f in zip(times, most) if t >= 0.4)}
    return found


# What each part of the data takes.
MEASURES = {
    "models": lambda run, _: json.loads(run(MODELS, "--json")),
    "slide": lambda run, _: measure_slide(run),
    "corners": lambda run, _: measure_corners(run),
    "steps": lambda run, _: json.loads(run(STEPS, "--json")),
    "tolerances": lambda run, _: json.loads(run(TOLERANCES, "--json")),
    "robot": lambda run, _: measure_robot(run),
    "accuracies": lambda run, _: measure_accuracies(run),
    "trot": lambda _, program: measure_trot(program),
}


def models_of(data, *solvers):
    """The rows of these solvers; None if one was not measured."""
    rows = {row["solver"]: row for row in data["models"]}
    return [rows[solver] for solver in solvers] if set(solvers) <= set(rows) else None


def pyramid(data):
    rows = models_of(data, "LCP-PGS", "ADMM")
    if not rows:
        return None
    lcp, cone = (row["sideways_m"] for row in rows)
    return lcp > 1e-3 and cone < 1e-6, f"LCP-PGS {1e3 * lcp:.3g} mm, ADMM {1e3 * cone:.1e} mm"


def hop(data):
    rows = models_of(data, "IPM-CCP", "CCP-NEWTON", "ADMM")
    if not rows:
        return None
    *convex, exact = (row["hop_m"] for row in rows)
    return (min(convex) > 1e-3 and exact < 1e-6,
            f"at least {1e3 * min(convex):.3g} mm (IPM-CCP, CCP-NEWTON) against {1e3 * exact:.1e} mm (ADMM)")


def float_height(data):
    rows = models_of(data, "IPM-CCP")
    if not rows:
        return None
    fine, coarse = rows[0]["float_1ms"], rows[0]["float_4ms"]
    return max(abs(fine - 1.0), abs(coarse - 1.0)) < 0.05, f"height over μ v Δt of IPM-CCP: {fine:.2f} at 1 ms, {coarse:.2f} at 4 ms"


def energy_of_slide(data):
    """Largest difference of the kinetic energy from ½ m (v₀ - μ g t)², over that at the start, and the mean one with its sign."""
    runs = data["slide"]
    if set(runs) != set(SLIDE_SOLVERS) or min(map(len, runs.values())) < 3:
        return None
    errors, means = {}, {}
    for solver, run in runs.items():
        differences = [(energy - 0.5 * max(0.0, 3.0 - 0.4 * 9.81 * t) ** 2) / 4.5 for t, energy in run]
        errors[solver], means[solver] = max(map(abs, differences)), statistics.mean(differences)
    exact = max(errors["ADMM"], errors["PGS-NCP"])
    return (exact < 1e-2 * errors["RAISIM"] and errors["RAISIM"] < errors["IPM-CCP"] and means["RAISIM"] > 0.0,
            ", ".join(f"{solver} {100 * error:.2g} %, in the mean {100 * means[solver]:+.1g} %" for solver, error in errors.items()))


def corners_pull(data):
    runs = data["corners"]
    if set(runs) != set(CORNER_SOLVERS):
        return None
    sticking, sliding = ({solver: run[key] for solver, run in runs.items()} for key in ("sticking_N", "sliding_N"))
    return (min(sticking["PGS-NCP"], sticking["RAISIM"]) > 1e-2 and sticking["ADMM"] < 1e-4 and max(sliding["ADMM"], sliding["PGS-NCP"]) < 1e-4 < 1e-2 < sliding["RAISIM"],
            ", ".join(f"{solver} {sticking[solver]:.1e} and {sliding[solver]:.1e} N" for solver in CORNER_SOLVERS))


def internal(data):
    rows = models_of(data, "PGS-NCP", "RAISIM", "ADMM")
    if not rows:
        return None
    *sweeps, admm = (row["internal_friction"] for row in rows)
    return min(sweeps) > 0.1 and admm < 1e-3, f"at least {min(sweeps):.2g} (PGS-NCP, RAISIM) against {admm:.1e} (ADMM)"


def mass_ratio(data):
    solvers = ("PGS-NCP", "RAISIM", "ADMM", "CCP-NEWTON")
    rows = models_of(data, *solvers)
    if not rows:
        return None
    worst = [row["broken"][2] for row in rows]  # at 1e4
    return (min(worst[:2]) > 0.1 and max(worst[2:]) < 1e-3,
            ", ".join(f"{solver} {value:.0e}" for solver, value in zip(solvers, worst)) + " at a ratio of 1e4")


def less_affected(data):
    rows = models_of(data, "PGS-NCP", "RAISIM", "ADMM", "CCP-NEWTON")
    if not rows:
        return None
    sweeps, others = ([row["broken"] for row in some] for some in (rows[:2], rows[2:]))
    return (all(a <= b for errors in sweeps for a, b in zip(errors, errors[1:])) and all(a < b for x in others for y in sweeps for a, b in zip(x[1:], y[1:])),
            "; ".join(f"{row['solver']} " + ", ".join(f"{error:.0e}" for error in row["broken"]) for row in rows))


def walks(data, ground, what):
    """By solver; None if one was not measured."""
    rows = {row["solver"]: row[what] for row in data["trot"] if row["ground"] == ground}
    return rows if set(TROT_SOLVERS) <= set(rows) else None


def on_target(data):
    found = walks(data, "flat", "velocity")
    if not found:
        return None
    return all(abs(v - 0.5) < 0.1 for v in found.values()), ", ".join(f"{solver} {v:.3f} m/s" for solver, v in found.items())


def slippery(ground):
    def judge(data):
        found = walks(data, ground, "ncp_worst")
        if not found:
            return None
        return (max(found["auto"], found["PGS-NCP"]) < 1e-6 and min(found["RAISIM"], found["CCP-NEWTON"]) > 1e-3,
                ", ".join(f"{solver} {v:.0e}" for solver, v in found.items()))

    judge.__name__ = f"slippery_{ground}"
    return judge


def steps_of(data, solver, key):
    runs = [run for study in data["steps"] for run in study["runs"] if run["solver"] == solver and not run["diverged"]]
    return {run["timestep_s"]: run[key] for run in runs}


def step_sensitivity(data):
    exact, convex = steps_of(data, "ADMM", "mean_error_m"), steps_of(data, "IPM-CCP", "mean_error_m")
    common = sorted(set(exact) & set(convex))
    if len(common) < 4:
        return None
    least = min(convex[h] / max(exact[h], 1e-15) for h in common)
    energy = {h: (steps_of(data, "ADMM", "energy_error_J")[h], steps_of(data, "IPM-CCP", "energy_error_J")[h]) for h in common}
    first = common[0]
    return (least > 10.0, f"the mean error of IPM-CCP is at least {least:.3g} times that of ADMM; at {first:g} s {convex[first]:.2e} m and "
            f"{energy[first][1]:.1e} J against {exact[first]:.2e} m and {energy[first][0]:.1e} J")


def tolerance_sensitivity(data):
    def errors(solver):
        runs = [run for study in data["tolerances"] for run in study["runs"] if run["solver"] == solver and not run["diverged"]]
        return {run["tolerance"]: run["mean_error_m"] for run in runs}

    found = {solver: errors(solver) for solver in ("ADMM", "PGS-NCP", "IPM-CCP")}
    if any(len(e) < 3 for e in found.values()):
        return None

    def falls(e):
        errors = [e[t] for t in sorted(e, reverse=True)]
        return all(b < a for a, b in zip(errors, errors[1:])) and (errors[-1] <= 1e-3 * errors[0] or errors[-1] < 1e-9)

    holds = all(falls(e) for e in found.values())
    return holds, "; ".join(f"{solver} " + ", ".join(f"{e[t]:.0e}" for t in sorted(e, reverse=True)) for solver, e in found.items())


def robot_runs(data, solver):
    """Rows of the pushed robot over rising compliance, the rigid one first; None if one is missing."""
    rows = {row["stiffness_N_m"]: row for row in data["robot"] if row["solver"] == solver}
    return [rows[k] for k in ROBOT_STIFFNESSES] if set(ROBOT_STIFFNESSES) <= set(rows) else None


def compliances(rows):
    return "rigid, " + ", ".join(f"{row['stiffness_N_m']:.0e}" for row in rows[1:]) + " N/m"


def sinking(data):
    rows = robot_runs(data, "auto")
    if not rows:
        return None
    products = [row["penetration_m"] * row["stiffness_N_m"] for row in rows[1:]]
    return (rows[0]["penetration_m"] < 1e-9 and max(products) < 1.05 * min(products),
            f"{compliances(rows)}: " + ", ".join(f"{row['penetration_m']:.2e}" for row in rows) + " m")


def swaying(data):
    rows = robot_runs(data, "auto")
    if not rows:
        return None
    speeds = [row["speed_m_s"] for row in rows]
    return (speeds[0] < 1e-6 and all(row["reversals"] >= 2 for row in rows[1:]) and all(a < b for a, b in zip(speeds, speeds[1:])),
            f"{compliances(rows)}: " + ", ".join(f"{row['speed_m_s']:.1e} m/s and {row['reversals']} reversals" for row in rows))


def unjammed(data):
    rows = robot_runs(data, "PGS-NCP")
    if not rows:
        return None
    jams = [row["internal_N"] for row in rows]
    return (jams[0] > 0.1 and all(b < a for a, b in zip(jams, jams[1:])) and jams[-1] < 1e-3 * jams[0],
            f"{compliances(rows)}: " + ", ".join(f"{jam:.1e}" for jam in jams) + " N")


def saturating(data):
    runs = data["accuracies"]
    if set(runs) != set(ACCURACY_SOLVERS) or any(set(by_tolerance) != set(ACCURACIES) for by_tolerance in runs.values()):
        return None
    share = {solver: [statistics.mean(by_tolerance[t]["solved"]) for t in ACCURACIES] for solver, by_tolerance in runs.items()}
    sweeps, *others = (share[solver] for solver in ACCURACY_SOLVERS)
    mild, high = ACCURACIES.index(1e-5), ACCURACIES.index(1e-9)
    iterations = {solver: statistics.median(by_tolerance[1e-9]["iterations"]) for solver, by_tolerance in runs.items()}
    return (sweeps[mild] > 0.9 and sweeps[high] < 0.1 and min(o[high] for o in others) > 0.9,
            "; ".join(f"{solver} " + ", ".join(f"{100 * s:.0f}" for s in share[solver]) + f" %, {iterations[solver]:.0f} iterations" for solver in ACCURACY_SOLVERS))


ROBOT_DIFFERENCE = ("Solo-12, and a compliance of impulses there; a quadruped of its size whose motors hold exactly, and elastic contacts with springs along the surface, here")
TROT_DIFFERENCE = ("Solo-12 under a model-predictive controller, and relative residuals of their own, there; a quadruped of our own under one that looks at the present "
                   "alone here (tools/bench/solo12.py has Solo-12, whose model is not in the repository)")
EXPERIMENTS = [
    Experiment("[Lidec 2024, fig. 9]", "The pyramid of friction turns a cube that slides, the cone does not.",
               "way across the initial velocity of a cube of 3 m/s, 30° off the axes of the contact frames: LCP-PGS above 1 mm, ADMM below 1e-6 m",
               "either on the other side", "", MODELS, pyramid),
    Experiment("[Lidec 2024, fig. 10, left]", "The convex relaxation makes a cube that slides leave the ground.",
               "highest point of the same cube above its place: IPM-CCP and CCP-NEWTON above 1 mm, ADMM below 1e-6 m",
               "either on the other side", "", MODELS, hop),
    Experiment("[Lidec 2024, fig. 10, right]", "The convex relaxation misses the energy of a cube that slides, RaiSim's model dissipates less than it should, the NCP is near the analytic curve.",
               "kinetic energy from ½ m (v₀ - μ g t)² over that at the start, 3 m/s, 30° off the axes of the contact frames, to a stop: ADMM and PGS-NCP below a hundredth of RAISIM, this below IPM-CCP, and above the curve in the mean",
               "any on the other side", "", SLIDE, energy_of_slide),
    Experiment("[Lidec 2024, fig. 12]", "Gauss-Seidel stretches a dragged cube that sticks; where it slides the NCP ends that, RaiSim's model does not. ADMM never does.",
               "largest force across the pull on one of the four corners, sticking and sliding: PGS-NCP and RAISIM above 1e-2 N, ADMM below 1e-4 N; then RAISIM above 1e-2 N, the others below 1e-4 N",
               "any on the other side", "", CORNERS, corners_pull),
    Experiment("[Lidec 2024, IV-B]", "With the convex relaxation a cube slides at a height in proportion to the time step.",
               "height of a cube that starts to slide by itself over μ v Δt, of IPM-CCP at 1 and 4 ms: 1 within 5 %",
               "a ratio further off", "", MODELS, float_height),
    Experiment("[Lidec 2024, figs. 11, 15]", "Of a cube that a growing force drags, the convex relaxation is more sensitive to the time step than the NCP.",
               "1 kg, 0.2 m, μ 0.4, 0 to 20 N in 1 s; mean distance from each solver's own run at 1e-5 s, at 1 to 8 ms: IPM-CCP more than ten times ADMM",
               "a factor of ten or less at any step", "", STEPS, step_sensitivity),
    Experiment("[Lidec 2024, IV-B]", "Of the same cube, every solver comes nearer to itself with its tolerance.",
               "mean distance from each solver's own run at a hundredth of the least tolerance; from 1e-3 to 1e-9 it falls with every step of the tolerance, in all by a factor of 1000 or to 1e-9 m: ADMM, PGS-NCP, IPM-CCP",
               "a lesser fall of any", "absolute tolerances there, relative ones here", TOLERANCES, tolerance_sensitivity),
    Experiment("[Lidec 2024, fig. 12]", "Sweeping solvers stretch a cube that sticks by internal forces.",
               "friction of four contacts beyond what holds the cube, as a share of it: PGS-NCP and RAISIM above 0.1, ADMM below 1e-3",
               "either on the other side", "each corner over time there; the sum of the first step here", MODELS, internal),
    Experiment("[Lidec 2024, fig. 13]", "With a heavy cube on a light one solvers that go contact by contact break the contact law; ADMM and Newton's do not.",
               "largest velocity of the first step that breaks the NCP, over g Δt, at a mass ratio of 1e4: PGS-NCP and RAISIM above 0.1, ADMM and CCP-NEWTON below 1e-3",
               "any on the other side", "a ratio of 1e6, and complementarity over a motion there; one step and the dual residual here", MODELS, mass_ratio),
    Experiment("[Lidec 2024, fig. 13, right]", "Accuracy falls with the ratio of the cubes' masses, of ADMM and Newton's method less than of Gauss-Seidel.",
               "the same velocity at ratios of 1, 1e2, 1e4 and 1e6: of PGS-NCP and RAISIM it never falls; beyond 1 those of ADMM and CCP-NEWTON are below both",
               "any on the other side", "complementarity over a motion there, one step and the dual residual here", MODELS, less_affected),
    Experiment("[Lidec 2024, fig. 14, left]", "Under a standing robot that is pushed, compliance of the contacts relaxes Signorini's condition, linearly.",
               "mean of the deepest penetration from 0.1 to 0.3 s, before the push: rigid below 1e-9 m, else times the stiffness the same within 5 %",
               "any on the other side", ROBOT_DIFFERENCE, ROBOT, sinking),
    Experiment("[Lidec 2024, fig. 14, center]", "With compliance along the surface dry friction does not hold it still: it oscillates.",
               "velocity of the torso along the push, after it: rigid below 1e-6 m/s; else it changes its sign at least twice, and its maximum grows with the compliance",
               "any on the other side", ROBOT_DIFFERENCE, ROBOT, swaying),
    Experiment("[Lidec 2024, fig. 14, right]", "Compliance removes the jamming internal forces.",
               "friction of the feet beyond its resultant, mean from 0.1 to 0.3 s, by PGS-NCP: rigid above 0.1 N, falling with compliance to less than a thousandth",
               "any on the other side", ROBOT_DIFFERENCE, ROBOT, unjammed),
    Experiment("[Lidec 2024, fig. 16, top]", "On a quadruped that stands and is pushed sweeps soon reach a mild accuracy and no high one; ADMM and Newton's method do.",
               "share of the rigid robot's problems that are solved to 1e-3, 1e-5, 1e-7 and 1e-9 in 10 000 iterations: PGS-NCP above 90 % at 1e-5 and below 10 % at 1e-9, "
               "ADMM and NEWTON-NCP above 90 % at 1e-9", "any on the other side",
               "Solo-12, one problem, and joint coordinates there, where sweeps see contacts only; every 10th step of a quadruped of its size, in maximal coordinates, here",
               ACCURACY, saturating),
    Experiment("[Lidec 2024, fig. 18, top]", "On flat ground a walking robot reaches its target velocity whatever the contact model and solver.",
               "mean velocity after 2 s of a trot at 0.5 m/s, friction 0.9: within 20 % with " + ", ".join(TROT_SOLVERS), "any beyond", TROT_DIFFERENCE, TROT, on_target),
    Experiment("[Lidec 2024, fig. 18, bottom]", "There RaiSim's model and the convex one do not respect the contact law, solvers of the NCP do.",
               "largest residual of the NCP in each tenth step after 2 s: auto and PGS-NCP below 1e-6, RAISIM and CCP-NEWTON above 1e-3", "any on the other side",
               TROT_DIFFERENCE, TROT, slippery("flat")),
    Experiment("[Lidec 2024, fig. 19, bottom]", "Nor do they on bumpy and slippery ground.", "the same on heights within 0.1 m, friction 0.3", "any on the other side",
               TROT_DIFFERENCE, TROT, slippery("bumpy")),
]

# Why a statement does not hold here, by the names of the judges; shown where it does not.
REASONS = {
    "less_affected": "At 1e6 neither is done in the 2000 iterations that it has: on a scenario of the same two cubes ADMM needs 63 417 to 1e-9, CCP-NEWTON 7775. "
                     "NEWTON-NCP takes 11.",
    "saturating": "In maximal coordinates sweeps see the twelve joints with their motors, 72 rows beside the 12 of the contacts. The problems of one rigid body with four such "
                  "feet PGS-NCP solves to 1e-9, in 59 sweeps in the median.",
}

# The same of the suite's statements, by their sources. Runs of step-002500 of light-on-heavy, and tables of the full suite.
SUITE_REASONS = {
    "[Lidec 2024, fig. 13]": "The two that fail come near: STAGGERED ends at a residual of 1.4e-7 (and solves to 1e-6 in 5 iterations), CCP-NEWTON takes 5496 iterations, "
                             "and has 2000. PGS-NCP ends at 0.6, RAISIM at 0.8.",
    "[Lidec 2024, fig. 17]": "Joints make the difference. Without any ADMM takes 5.6 times as long as PGS-NCP from a cold start, with joints 0.02 times, because sweeps then take 1253 "
                             "iterations in the median. From a warm start PGS-NCP needs none in half of the samples. CCP-NEWTON is not the dearest, as it takes 3 iterations, and ADMM 9.",
}

# What is not shown here, and why.
ABSENT = [
    ("[Lidec 2024, III-A]", "Dantzig's pivoting method", "it solves the same problem as LCP-LEMKE, and is proven for positive semidefinite matrices, which those of friction are not"),
    ("[Lidec 2024, III-B]", "CCP-NEWTON with an exact line search", "it halves its step, as the source's does; SAP, LAGGED and SIMILAR have the exact one"),
    ("[Lidec 2024, IV-C]", "stopping at a relative stagnation of 1e-8", "solvers give up where some number of iterations brings no progress, each its own number (theory.md); they then say stalled, and times of what is not solved do not count as times to an accuracy"),
    ("[Lidec 2024, figs. 16, 17]", "iterations and times on Solo-12, Talos and Allegro, cold and warm",
     "the models of these robots are not in the repository: the suite measures both on its own systems (RESULTS.md), quadrupeds and a hand among them; "
     "`grashof convert` and `grashof compare` do it on a copy of one's own"),
]
