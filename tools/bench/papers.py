#!/usr/bin/env python3
"""What papers on contact show, and what the same experiments show here: a page in Markdown, assets/suite/PAPERS.md.

Usage: papers.py PROGRAM [--suite FOLDER] [--out PAGE]

Runs `grashof bench models`, `bench convergence` and, unless --suite names its results, `bench suite`; some minutes. Each experiment has a
criterion that can fail. tests/tools/test_papers.py shows that each comes out either way.
"""

import argparse
import collections
import json
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CUBE = "assets/scenarios/dragged-cube.xml"
STEPS = "grashof bench convergence " + CUBE + " --solvers ADMM,IPM-CCP --timesteps 0.008,0.004,0.002,0.001 --reference-step 1e-5"
TOLERANCES = ("grashof bench convergence " + CUBE + " --solvers ADMM,PGS-NCP,IPM-CCP --timesteps 0.001 --reference-step 0.001"
              " --tolerances 1e-3,1e-5,1e-7,1e-9")
MODELS = "grashof bench models --solvers ADMM,IPM-CCP,CCP-NEWTON,PGS-NCP,RAISIM,LCP-PGS"

# source: key and place. says: its statement. criterion, refuted: what is measured, what would refute it. difference: from the source's systems and
# criterion, empty if there is none that matters. judge(data): whether it holds and the numbers; None if something was not measured.
Experiment = collections.namedtuple("Experiment", "source says criterion refuted difference command judge")


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


def float_height(data):
    rows = models_of(data, "IPM-CCP")
    if not rows:
        return None
    fine, coarse = rows[0]["float_1ms"], rows[0]["float_4ms"]
    return max(abs(fine - 1.0), abs(coarse - 1.0)) < 0.05, f"height over μ v Δt of IPM-CCP: {fine:.2f} at 1 ms, {coarse:.2f} at 4 ms"


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


EXPERIMENTS = [
    Experiment("[Lidec 2024, fig. 9]", "The pyramid of friction turns a cube that slides, the cone does not.",
               "way across the initial velocity of a cube of 3 m/s, 30° off the axes of the contact frames: LCP-PGS above 1 mm, ADMM below 1e-6 m",
               "either on the other side", "", MODELS, pyramid),
    Experiment("[Lidec 2024, fig. 10, left]", "The convex relaxation makes a cube that slides leave the ground.",
               "highest point of the same cube above its place: IPM-CCP and CCP-NEWTON above 1 mm, ADMM below 1e-6 m",
               "either on the other side", "", MODELS, hop),
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
               "any on the other side", "complementarity over a motion there, one step and the dual residual here", MODELS, mass_ratio),
]

# What is not shown here, and why.
ABSENT = [
    ("[Lidec 2024, fig. 14]", "a standing robot pushed, over the compliance of its contacts", "contacts have no tangential compliance but MuJoCo's impedance"),
    ("[Lidec 2024, figs. 16, 17]", "iterations and times on Solo-12, Talos and Allegro, cold and warm", "the suite measures both on other systems (RESULTS.md)"),
    ("[Lidec 2024, figs. 18, 19]", "locomotion under a model-predictive controller, flat and bumpy", "there is no such controller"),
    ("[Tsounis 2025, fig. 8]", "the animatronic figures", "their models are not public; ours have the counts of table II"),
    ("[Carpentier 2024, alg. 2, fig. 8]", "inverse dynamics with contact, an arm on a wall", "not implemented"),
    ("[Carpentier 2024, figs. 3 to 6]", "Talos, Solo, Allegro, UR5, Cassie and a humanoid, beside other engines",
     "whole steps are compared on eight scenes of our own (assets/bench/speed.md)"),
    ("[Carpentier 2024, fig. 7, tables II to IV]", "three sets of problems, with ablations of the penalties",
     "26 problems are measured (assets/bench/problems.md); no ablation"),
    ("[Castro 2024]", "SAP, Lagged and Similar models, Hunt and Crossley's law, all experiments", "none of these models is implemented"),
    ("[Tedrake 2020]", "hybrid models with events; a Lemke solver", "time stepping only; LCP-PGS sweeps"),
]


def verdict(experiment, outcome):
    if outcome is None:
        return "not measured", "something that it needs was not measured"
    holds, numbers = outcome
    if experiment.difference:
        return "not comparable", f"{numbers} ({'here it holds' if holds else 'here it does not hold'})"
    return ("confirmed" if holds else "refuted"), numbers


def row(*cells):
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def page(data):
    lines = ["# What papers show, shown here", "",
             "Written by `/usr/bin/python3 tools/bench/papers.py build/release/grashof --suite results/suite --out PAGE`, with the commands below. *Confirmed* and *refuted* are for "
             "experiments with the systems and the criterion of the source. What differs from it is *not comparable*, whatever comes out. "
             "Keys are those of the [references](../docs/references.md).", "",
             "| source | says | verdict | measured | criterion | refuted by | differs from the source |", "|---|---|---|---|---|---|---|"]
    for e in EXPERIMENTS:
        what, numbers = verdict(e, e.judge(data))
        lines.append(row(e.source, e.says, f"**{what}**", numbers, e.criterion, e.refuted, e.difference or "–"))
    for s in data["statements"]:
        if s["source"]:
            lines.append(row(s["source"], s["statement"], f"**{s['verdict']}**", s["evidence"], s["criterion"], s["refuted_by"], s["difference"] or "–"))
    lines += ["", "Commands:", ""] + [f"    {command}" for command in (MODELS, STEPS, TOLERANCES, data["suite_command"])]
    lines += ["", "Not shown:", "", "| source | what | why |", "|---|---|---|"] + [row(*absent) for absent in ABSENT]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--suite", help="folder with the results of `grashof bench suite` (default: its small preset is run)")
    parser.add_argument("--out", help="the page; default: printed")
    arguments = parser.parse_args()
    program = os.path.abspath(arguments.program)

    def run(command, *more):
        done = subprocess.run([program, *command.split()[1:], *more], cwd=ROOT, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"{command}: exit code {done.returncode}\n{done.stderr}")
        return done.stdout

    data = {"models": json.loads(run(MODELS, "--json")), "steps": json.loads(run(STEPS, "--json")),
            "tolerances": json.loads(run(TOLERANCES, "--json")), "suite_command": "grashof bench suite"}
    with tempfile.TemporaryDirectory() as folder:
        suite = arguments.suite or folder
        if not arguments.suite:
            run("grashof bench suite --quiet", "--out", folder)
        with open(os.path.join(suite, "statements.json"), encoding="utf-8") as file:
            data["statements"] = json.load(file)
        with open(os.path.join(suite, "plan.json"), encoding="utf-8") as file:
            if len(json.load(file)["timesteps"]) > 1:
                data["suite_command"] += " --preset full"
    text = page(data)
    if arguments.out:
        with open(arguments.out, "w", encoding="utf-8") as file:
            file.write(text)
    else:
        print(text, end="")


if __name__ == "__main__":
    main()
