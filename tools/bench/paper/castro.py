"""Experiments of [Castro 2024]: commands and judgements."""

import json
import math

from paper.common import Experiment

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
STUDIES = {"belt": BELT, "belt_sap": BELT_SAP, "sphere": SPHERE, "sphere_sap": SPHERE_SAP, "rod": ROD}


def commands():
    yield from (FIELDS, *STUDIES.values())


# What each part of the data takes.
MEASURES = {
    "fields": lambda run, _: json.loads(run(FIELDS, "--json")),
    "studies": lambda run, _: {name: json.loads(run(command, "--json")) for name, command in STUDIES.items()},
}


def field_rows(data, experiment, **wanted):
    """The rows of an experiment of `bench fields` that have these values."""
    return [row for row in data["fields"].get(experiment, []) if all(row[key] == value for key, value in wanted.items())]


def by_solver(rows, key):
    return {row["solver"]: row[key] for row in rows}


def gliding(data):
    rows = field_rows(data, "belt")
    if len(rows) < 6:
        return None
    ratios = [row["glide_ratio"] for row in rows if row["solver"] != "LAGGED"]
    lifts = [row["rise_m"] for row in rows if row["solver"] == "LAGGED"]
    force = {solver: max(row["force_error"] for row in rows if row["solver"] == solver) for solver in ("SAP", "LAGGED", "SIMILAR")}
    holds = all(abs(r - 1) < 0.1 for r in ratios) and max(lifts) < 1e-7 and force["LAGGED"] < 1e-3 < 1e-2 < min(force["SAP"], force["SIMILAR"])
    return holds, (f"height over μ (Δt + τ) v of SAP and μ Δt v of SIMILAR: {min(ratios):.2f} to {max(ratios):.2f}; LAGGED rises by {max(lifts):.0e} m; "
                   + "error of the normal force " + ", ".join(f"{s} {100 * f:.2g} %" for s, f in force.items()))


def orders_of(data, study, solvers):
    """Mean errors over the time step and the slope at the two smallest steps, of each solver; None if one is missing."""
    result = {}
    for solver in solvers:
        runs = {run["timestep_s"]: run["mean_error_m"] for s in data["studies"].get(study, []) for run in s["runs"]
                if run["solver"] == solver and not run["diverged"]}
        if len(runs) < 3:
            return None
        fine, coarse = sorted(runs)[:2]
        slope = math.log(runs[coarse] / max(runs[fine], 1e-15)) / math.log(coarse / fine)
        fits = [(math.log(h), math.log(max(e, 1e-15))) for h, e in runs.items()]
        mean = [sum(v) / len(fits) for v in zip(*fits)]
        fit = sum((x - mean[0]) * (y - mean[1]) for x, y in fits) / sum((x - mean[0]) ** 2 for x, _ in fits)
        result[solver] = (runs, slope, fit)
    return result


def plateau(study):
    def judge(data):
        first, sap = orders_of(data, study, ("LAGGED", "SIMILAR")), orders_of(data, study + "_sap", ("SAP",))
        if not first or not sap:
            return None
        every = {**first, **sap}
        holds = all(0.7 < first[s][2] < 1.4 for s in first) and sap["SAP"][1] < 0.7 * first["LAGGED"][1]
        return holds, "; ".join(f"{s} order {fit:.2f} (last steps {slope:.2f}), {min(runs.values()):.1e} m at {min(runs):g} s"
                                for s, (runs, slope, fit) in every.items())
    judge.__name__ = study + "_order"
    return judge


def earlier(data):
    gaps = by_solver(field_rows(data, "sphere"), "gap_m")
    if len(gaps) < 3:
        return None
    return gaps["SAP"] > gaps["SIMILAR"] > gaps["LAGGED"], "gap at the first force: " + ", ".join(f"{s} {1e3 * g:.2g} mm" for s, g in gaps.items())


def jam(data):
    rows = field_rows(data, "rod", damped=False)
    if len(rows) < 3 or any(row["jams_s"] is None for row in rows):
        return None
    times, sticks = by_solver(rows, "jams_s"), by_solver(rows, "sticks_s")
    spread = max(times.values()) / min(times.values()) - 1.0
    return (spread < 0.01 and all(1e-4 < t < 4e-4 for t in sticks.values()) and min(row["up_m_s"] for row in rows) > 1.0,
            ", ".join(f"{s} jams at {1e3 * t:.3f} ms, sticks for {1e3 * sticks[s]:.2g} ms" for s, t in times.items()))


def jam_damped(data):
    times = by_solver(field_rows(data, "rod", damped=True), "jams_s")
    if len(times) < 3 or None in times.values():
        return None
    return times["SIMILAR"] < times["LAGGED"] < times["SAP"], ", ".join(f"{s} {1e3 * t:.3f} ms" for s, t in times.items())


def rod_order(data):
    every = orders_of(data, "rod", ("LAGGED", "SIMILAR", "SAP"))
    if not every:
        return None
    coarse = {s: runs[max(runs)] for s, (runs, _, _) in every.items()}
    holds = 0.7 < every["LAGGED"][1] < 1.4 and coarse["LAGGED"] == max(coarse.values())
    return holds, "; ".join(f"{s} order {fit:.2f} (last steps {slope:.2f}), {coarse[s]:.1e} m at {max(runs):g} s" for s, (runs, slope, fit) in every.items())


def conditioning(data):
    rows = [row for row in field_rows(data, "clutter", stiffness_N_m=1e7) if not row["impact_regularization"]]
    falling, settled = by_solver(rows, "condition_falling"), by_solver(rows, "condition_settled")
    if len(falling) < 3:
        return None
    holds = all(falling[s] > settled[s] for s in ("LAGGED", "SIMILAR")) and settled["SAP"] > max(settled["LAGGED"], settled["SIMILAR"])
    return holds, "; ".join(f"{row['solver']} {row['condition_falling']:.1e} falling, {row['condition_settled']:.1e} settled, "
                            f"{row['iterations_falling']:.1f} and {row['iterations_settled']:.1f} iterations" for row in rows)


def softened(data):
    plain = [row for row in field_rows(data, "clutter", solver="LAGGED", stiffness_N_m=1e7, impact_regularization=False)]
    soft = [row for row in field_rows(data, "clutter", solver="LAGGED", stiffness_N_m=1e7, impact_regularization=True)]
    if not plain or not soft:
        return None
    a, b = plain[0], soft[0]
    return (b["iterations_falling"] < a["iterations_falling"] and b["condition_falling"] < a["condition_falling"],
            f"falling: {a['iterations_falling']:.2f} to {b['iterations_falling']:.2f} iterations, condition {a['condition_falling']:.1e} to {b['condition_falling']:.1e}")


def stiffness(data):
    rows = field_rows(data, "clutter", solver="LAGGED", impact_regularization=True)
    runs = {row["stiffness_N_m"]: row for row in rows}
    if len(runs) < 9 or 1e7 not in runs:
        return None
    its = {k: row["iterations"] for k, row in runs.items()}
    holds = (max(its[k] for k in its if k <= 1e7) <= 1.2 * its[min(its)] and all(not row["diverged"] for row in rows)
             and runs[1e7]["penetration_m"] < 1e-5)
    return holds, ("over " + ", ".join(f"{k:.0e}" for k in sorted(its)) + " N/m: iterations " + ", ".join(f"{its[k]:.1f}" for k in sorted(its))
                   + "; penetration " + ", ".join(f"{runs[k]['penetration_m']:.0e}" for k in sorted(its)) + " m; not solved "
                   + ", ".join(str(runs[k]["unsolved"]) for k in sorted(its)))


def grasp(data):
    rows = field_rows(data, "grasp", timestep_s=5e-4)
    lagged = {(row["hunt_crossley_s_m"], row["frequency_Hz"]): row["fails_s"] for row in rows if row["solver"] == "LAGGED"}
    similar = {(row["hunt_crossley_s_m"], row["frequency_Hz"]): row["fails_s"] for row in rows if row["solver"] == "SIMILAR"}
    undamped = [f for (d, _), f in sorted(lagged.items()) if d == 0.0]
    if len(undamped) < 4:
        return None
    finite = [math.inf if f is None else f for f in undamped]
    damped_pairs = [(lagged[k], similar[k]) for k in lagged if k[0] > 0.0 and lagged[k] is not None]
    holds = (math.isinf(finite[0]) and all(b <= a for a, b in zip(finite, finite[1:])) and not math.isinf(finite[-1])
             and all(s is None or s >= f for f, s in damped_pairs))
    text = lambda f: "holds" if f is None else f"{f:.2f} s"
    return holds, "; ".join(f"d {d:g} s/m, {h:g} Hz: LAGGED {text(lagged[d, h])}, SIMILAR {text(similar[d, h])}" for d, h in sorted(lagged))


def breakaway(data):
    rows = field_rows(data, "finger", solver="LAGGED")
    if not rows or rows[0]["slips_s"] is None:
        return None
    row = rows[0]
    ratio = row["breakaway_torque_Nm"] / row["loading_torque_Nm"]
    return (abs(row["proximal_after_rad"]) < 1e-3 < 0.1 < row["distal_after_rad"] and row["clutch_at_end_N"] == 0.0 and 0.8 < ratio < 1.2,
            f"LAGGED: breaks away at {ratio:.2f} of the torque that loaded it; then the proximal link moves by {row['proximal_after_rad']:.0e} rad, the distal "
            f"one by {row['distal_after_rad']:.2f} rad")


EXPERIMENTS = [
    Experiment("[Castro 2024, XI-A, fig. 3]", "On an oscillating belt SAP glides by μ (Δt + τ) v and Similar by μ Δt v, with errors of the normal force; Lagged does neither.",
               "height over these products while the box slips, at 10 and 2 ms: 1 within 10 %; LAGGED rises by less than 1e-7 m; largest error of the normal force: LAGGED below 0.1 %, the others above 1 %",
               "any on the other side", "", FIELDS, gliding),
    Experiment("[Castro 2024, XI-A, fig. 4]", "Lagged and Similar converge with the first order, SAP does not: its gliding stays.",
               "fitted order over 50, 10, 2 and 0.4 ms against LAGGED at 0.04 ms: LAGGED and SIMILAR 0.7 to 1.4; at the last two SAP below 0.7 of LAGGED's",
               "another order", "", BELT, plateau("belt")),
    Experiment("[Castro 2024, XI-B, fig. 6]", "A falling sphere is pushed earlier by Similar, and still earlier by SAP, than by Lagged.",
               "gap at the start of the first step with a force, at 2 ms", "another order", "", FIELDS, earlier),
    Experiment("[Castro 2024, XI-B, fig. 7]", "The same of convergence, for the sphere.",
               "fitted order over 10, 2 and 0.4 ms against LAGGED at 0.04 ms: LAGGED and SIMILAR 0.7 to 1.4; at the last two SAP below 0.7 of LAGGED's",
               "another order", "", SPHERE, plateau("sphere")),
    Experiment("[Castro 2024, XI-C, figs. 9, 10]", "A sliding rod jams without a collision, at nearly the same time with all models, sticks for about 0.2 ms and is thrown up.",
               "at 1e-7 s without dissipation: times within 1 %, sticking (below 1e-4 m/s) 0.1 to 0.4 ms, upward above 1 m/s", "any on the other side", "", FIELDS, jam),
    Experiment("[Castro 2024, XI-C, figs. 11, 12]", "With dissipation Similar jams earlier than Lagged, SAP later.",
               "time of the first sticking with d = 0.2 s/m, τ = 4e-6 s, at 1e-7 s; SAP starts at its gliding height μ τ v", "another order", "", FIELDS, jam_damped),
    Experiment("[Castro 2024, XI-C, fig. 13]", "Without dissipation Lagged converges with the first order, and has the largest error at the largest step.",
               "order at the last two of 640, 160, 40 and 10 µs against LAGGED at 1 µs: 0.7 to 1.4; error at 640 µs", "either on the other side",
               "reference at 1e-7 s there, at 1e-6 s here", ROD, rod_order),
    Experiment("[Castro 2024, XII-A, figs. 15, 17]", "In clutter Lagged and Similar are worse conditioned while things collide than at rest, and at rest better than SAP.",
               "condition number of the Hessian in the metric of M, geometric mean up to 1 s and from 1.75 s", "either on the other side",
               "columns of our own; joint coordinates there", FIELDS, conditioning),
    Experiment("[Castro 2024, XII-A, eq. 26]", "The stiction tolerance that grows with impacts saves iterations and conditions better while things collide.",
               "mean iterations and condition number of LAGGED up to 1 s, with and without it", "either grows", "columns of our own", FIELDS, softened),
    Experiment("[Castro 2024, XII-A, figs. 18, 19]", "Stiffness over eight decades costs little: up to that of steel at most 20 % more iterations; penetrations are microns.",
               "mean iterations up to 1e7 N/m at most 1.2 times those at 1e3 N/m; penetration at 1e7 N/m below 1e-5 m; no run diverges", "any on the other side",
               "columns of our own", FIELDS, stiffness),
    Experiment("[Castro 2024, XII-B, figs. 21, 22]", "A shaken grasp holds below the rod's pendulum frequency, fails the sooner the faster above it, and Similar with dissipation overpredicts the time.",
               "LAGGED without dissipation holds for 6 s at the least frequency, and its time to failure falls with the others; SIMILAR at d = 50 s/m is not earlier", "any on the other side",
               "a hand and a rod of our own, in place of a Franka hand", FIELDS, grasp),
    Experiment("[Castro 2024, XII-C, fig. 24]", "The clutch of a finger breaks away at about the torque that loaded it; then the worm holds the proximal link and the distal one goes on.",
               "ratio of both torques 0.8 to 1.2; afterwards the proximal link moves by less than 1e-3 rad, the distal one by more than 0.1", "any on the other side",
               "a finger of our own with ideal gears; gear teeth in contact there", FIELDS, breakaway),
]

REASONS = {}

# What is not shown here, and why.
ABSENT = [
    ("[Castro 2024, VI]", "times and contacts of hydroelastic patches beside points",
     "the models are not in the repository; patches are built (theory.md, patch-fingers.xml) and tested against closed forms"),
    ("[Castro 2024, X-B, XII-D]", "differentiation and trajectory optimization through convex models of contact",
     "steps are differentiated where the solver solves the NCP (theory.md, examples/flick.py)"),
    ("[Castro 2024, XII-E]", "deformable bodies", "bodies are rigid (theory.md says what would carry others)"),
]
