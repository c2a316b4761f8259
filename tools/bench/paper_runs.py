"""What tools/bench/papers.py runs: the commands, and what is taken from their output."""

import csv
import glob
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CUBE = "assets/scenarios/dragged-cube.xml"
STEPS = "grashof bench convergence " + CUBE + " --solvers ADMM,IPM-CCP --timesteps 0.008,0.004,0.002,0.001 --reference-step 1e-5"
TOLERANCES = ("grashof bench convergence " + CUBE + " --solvers ADMM,PGS-NCP,IPM-CCP --timesteps 0.001 --reference-step 0.001"
              " --tolerances 1e-3,1e-5,1e-7,1e-9")
FIELDS = "grashof bench fields assets/scenarios"
# SAP dissipates by a relaxation time; the reference is LAGGED, as in the paper, with the same law.
BELT = ("grashof bench convergence assets/scenarios/oscillating-belt.xml --solvers LAGGED,SIMILAR --timesteps 0.05,0.01,0.002,0.0004"
        " --reference-solver LAGGED --reference-step 0.00004")
BELT_SAP = (BELT.replace("LAGGED,SIMILAR", "SAP") + " --set material[pad].hunt-crossley=0 --set material[pad].relaxation-time=0.001")
SPHERE = ("grashof bench convergence assets/scenarios/falling-steel-sphere.xml --solvers LAGGED,SIMILAR --timesteps 0.01,0.002,0.0004"
          " --reference-solver LAGGED --reference-step 0.00004")
SPHERE_SAP = (SPHERE.replace("LAGGED,SIMILAR", "SAP") + " --set material[steel].hunt-crossley=0 --set material[steel].relaxation-time=0.001")
ROD = ("grashof bench convergence assets/scenarios/sliding-rod.xml --solvers LAGGED,SIMILAR,SAP --timesteps 6.4e-4,1.6e-4,4e-5,1e-5"
       " --reference-solver LAGGED --reference-step 1e-6")
# An arm that slides on a wall: rigid with the NCP; with the convex relaxation on walls that yield by c m/N.
WALL = "grashof inverse assets/scenarios/arm-on-wall.xml --normal-force 20 --set param.c="
INVERSE = {"ncp": WALL + "0", **{c: WALL + c + " --set solver.name=CCP-NEWTON" for c in ("1e-7", "1e-8")}}
STUDIES = {"belt": BELT, "belt_sap": BELT_SAP, "sphere": SPHERE, "sphere_sap": SPHERE_SAP, "rod": ROD}
# The robot stands from 0 to 0.3 s. Its contacts yield along the normal and along the surface by the same stiffness, in N/m; None: not at all.
ROBOT = "grashof run assets/scenarios/pushed-quadruped.xml --csv --quiet"
ROBOT_SOLVERS, ROBOT_STIFFNESSES = ("auto", "PGS-NCP"), (None, 1e6, 3e5, 1e5, 3e4)
FEET = ("left-fore", "right-fore", "left-hind", "right-hind")
# Problems of that robot on rigid contacts, to rising accuracy.
ROBOT_PROBLEMS = "grashof run assets/scenarios/pushed-quadruped.xml --quiet --dump-problems every=10"
ACCURACY_SOLVERS, ACCURACIES = ("PGS-NCP", "ADMM", "NEWTON-NCP"), (1e-3, 1e-5, 1e-7, 1e-9)
ACCURACY = f"grashof solve --tolerance-kind absolute --max-iterations 10000 --solver {','.join(ACCURACY_SOLVERS)}"
# Three sets of about 250 problems, for [Carpentier 2024, table II]'s BoxesStack, Chain and Capsules, at its tolerance and limit.
STACK_EVERY = 8
PROBLEMS = {"stack15-hit": f"grashof run assets/suite/stack15-hit.xml --quiet --duration 2 --dump-problems every={STACK_EVERY}",
            "ring-chain": "grashof run assets/scenarios/ring-chain.xml --quiet --dump-problems every=8",
            "clutter": "grashof run assets/suite/clutter.xml --quiet --dump-problems every=16"}
SOLVE = "grashof solve --tolerance-kind absolute --max-iterations 20000"
FACTORS, EXPONENTS, USUAL = (2.0, 4.0, 8.0, 16.0), (0.01, 0.05, 0.08), 0.05
LINEAR, SPECTRAL = "ADMM-NCP-LA --set solver.penalty-factor=", "ADMM-NCP-SA --set solver.penalty-step="
RULES = {**{("linear", v): f"{LINEAR}{v:g}" for v in FACTORS}, **{("spectral", v): f"{SPECTRAL}{v:g}" for v in EXPONENTS}}
HIT_EVERY = 5  # of the stack's problems each fifth, to a tolerance of 1e-9
TROT_SOLVERS = ("auto", "PGS-NCP", "RAISIM", "CCP-NEWTON")
TROT = f"/usr/bin/python3 tools/python/examples/trot.py --duration 4 --solvers {','.join(TROT_SOLVERS)}"
MODELS = "grashof bench models --solvers ADMM,IPM-CCP,CCP-NEWTON,PGS-NCP,RAISIM,LCP-PGS"


def hit_commands():
    """Command of each rule, and of Gauss-Seidel, on the stack's problems, without the files."""
    return {**{rule: f"{SOLVE} --tolerance 1e-9 --solver {solver}" for rule, solver in RULES.items()},
            ("sweeps", 0.0): f"{SOLVE} --tolerance 1e-9 --solver PGS-NCP"}


def commands(data):
    """Lines for a shell with `grashof` on its path."""
    yield from (MODELS, STEPS, TOLERANCES, FIELDS, *INVERSE.values(), *STUDIES.values())
    soft = robot_command("$solver", "$k")
    yield f"for solver in {' '.join(ROBOT_SOLVERS)}; do {robot_command('$solver', None)}; for k in {listed(ROBOT_STIFFNESSES[1:])}; do {soft}; done; done"
    yield ROBOT_PROBLEMS
    yield f"for t in {listed(ACCURACIES)}; do {ACCURACY} --tolerance $t results/pushed-quadruped/problems/*.h5; done"
    yield from PROBLEMS.values()
    for values, rule in ((FACTORS, LINEAR), (EXPONENTS, SPECTRAL)):
        yield (f"for v in {listed(values)}; do for name in {' '.join(PROBLEMS)}; do {SOLVE} --tolerance 1e-6 --solver {rule}$v results/$name/problems/*.h5; "
               "done; done")
    some = f"$(ls results/stack15-hit/problems/*.h5 | sed -n 0~{HIT_EVERY}p)"
    for values, rule in ((FACTORS, LINEAR), (EXPONENTS, SPECTRAL)):
        yield f"for v in {listed(values)}; do {SOLVE} --tolerance 1e-9 --solver {rule}$v {some}; done"
    yield f"{SOLVE} --tolerance 1e-9 --solver PGS-NCP {some}"
    yield f"PYTHONPATH=build/release/python {TROT}"
    yield data["suite_command"]


def listed(values):
    return " ".join(f"{value:g}" for value in values)


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
                with open(os.path.join(folder, "pushed-quadruped", "trajectory.csv"), encoding="utf-8") as file:
                    records = [{key: float(value) for key, value in record.items()} for record in csv.DictReader(file)]
            rows.append(robot_row(solver, stiffness, records))
    return rows


def dump(run, command, folder):
    """Files of the problems that this run of a scenario writes."""
    run(command, "--out", folder)
    name = os.path.splitext(os.path.basename(command.split()[2]))[0]
    return sorted(glob.glob(os.path.join(folder, name, "problems", "*.h5")))


def outcomes(found):
    return {"solved": [o["status"] == "solved" for o in found], **{key: [o[key] for o in found] for key in ("factorizations", "time_s", "iterations")}}


def measure_accuracies(run):
    """Outcomes of the robot's problems by solver and tolerance."""
    with tempfile.TemporaryDirectory() as folder:
        files = dump(run, ROBOT_PROBLEMS, folder)
        found = {tolerance: json.loads(run(f"{ACCURACY} --tolerance {tolerance}", "--json", *files)) for tolerance in ACCURACIES}
    return {solver: {tolerance: outcomes([o for o in all_ if o["solver"] == solver]) for tolerance, all_ in found.items()} for solver in ACCURACY_SOLVERS}


def measure_rules(run):
    """Factorizations, times, iterations and success of every problem: by set and rule, and of those of the stack to 1e-9 by rule."""
    def solved(command, files):
        return outcomes(json.loads(run(command, "--json", *files)))

    with tempfile.TemporaryDirectory() as folder:
        files = {name: dump(run, command, folder) for name, command in PROBLEMS.items()}
        penalties = {name: {rule: solved(f"{SOLVE} --tolerance 1e-6 --solver {solver}", files[name]) for rule, solver in RULES.items()} for name in PROBLEMS}
        some = files["stack15-hit"][HIT_EVERY - 1::HIT_EVERY]
        return penalties, {rule: solved(command, some) for rule, command in hit_commands().items()}


def measure_trot(program):
    """Walks of a quadruped by ground and solver; none where the Python module is not built beside the program."""
    module = os.path.join(os.path.dirname(os.path.abspath(program)), "python")
    if not os.path.isdir(module):
        return []
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([*TROT.split(), "--out", folder], cwd=ROOT, env={**os.environ, "PYTHONPATH": module}, check=True, stdout=subprocess.DEVNULL)
        with open(os.path.join(folder, "trot.csv"), encoding="utf-8") as file:
            return [{key: value if key in ("ground", "solver") else float(value) for key, value in row.items()} for row in csv.DictReader(file)]


def measure(program, suite):
    """The data of all experiments. program: path of grashof; suite: folder with results of its benchmark suite, None: its small preset is run."""
    def run(command, *more):
        done = subprocess.run([program, *command.split()[1:], *more], cwd=ROOT, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"{command}: exit code {done.returncode}\n{done.stderr}")
        return done.stdout

    data = {"models": json.loads(run(MODELS, "--json")), "steps": json.loads(run(STEPS, "--json")),
            "tolerances": json.loads(run(TOLERANCES, "--json")), "suite_command": "grashof bench suite",
            "fields": json.loads(run(FIELDS, "--json")),
            "studies": {name: json.loads(run(command, "--json")) for name, command in STUDIES.items()},
            "robot": measure_robot(run), "accuracies": measure_accuracies(run), "trot": measure_trot(program)}
    data["penalties"], data["hit"] = measure_rules(run)
    with tempfile.TemporaryDirectory() as folder:
        data["inverse"] = {name: json.loads(run(command, "--json", "--out", folder)) for name, command in INVERSE.items()}
        if not suite:
            run("grashof bench suite --quiet", "--out", folder)
        with open(os.path.join(suite or folder, "statements.json"), encoding="utf-8") as file:
            data["statements"] = json.load(file)
        with open(os.path.join(suite or folder, "plan.json"), encoding="utf-8") as file:
            if len(json.load(file)["timesteps"]) > 1:
                data["suite_command"] += " --preset full"
    return data
