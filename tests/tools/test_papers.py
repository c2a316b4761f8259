"""Each experiment of tools/bench/papers.py comes out confirmed, refuted, not comparable or not measured, as its numbers are."""

import copy
import math
import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools", "bench"))
import papers  # noqa: E402
from paper import carpentier, common, lidec, tedrake  # noqa: E402


def model(solver, **values):
    row = {"solver": solver, "sideways_m": 0.0, "hop_m": 0.0, "float_1ms": 0.0, "float_4ms": 0.0, "internal_friction": 0.0,
           "broken": [0.0, 0.0, 0.0, 0.0]}
    return {**row, **values}


def run(solver, step, tolerance, error):
    return {"solver": solver, "timestep_s": step, "tolerance": tolerance, "mean_error_m": error, "energy_error_J": error, "diverged": ""}


def study(errors):
    return [{"runs": [run(solver, step, 1e-8, error) for solver, by_step in errors.items() for step, error in by_step.items()]}]


def clutter(solver, stiffness, impacts, falling, settled, iterations=5.0):
    return {"solver": solver, "impact_regularization": impacts, "stiffness_N_m": stiffness, "iterations": iterations, "iterations_falling": iterations, "iterations_settled": 2.0,
            "condition_falling": falling, "condition_settled": settled, "penetration_m": 1.0 / stiffness, "unsolved": 0, "diverged": False}


FIELDS = {
    "belt": [{"solver": solver, "timestep_s": dt, "glide_ratio": 0.0 if solver == "LAGGED" else 1.02, "rise_m": 1e-9 if solver == "LAGGED" else 1e-3,
              "force_error": 1e-5 if solver == "LAGGED" else 0.05} for solver in ("SAP", "LAGGED", "SIMILAR") for dt in (0.01, 0.002)],
    "sphere": [{"solver": solver, "gap_m": gap} for solver, gap in (("SAP", 5e-3), ("LAGGED", 1e-3), ("SIMILAR", 3e-3))],
    "rod": [{"solver": solver, "damped": damped, "jams_s": 0.016 + shift * damped, "sticks_s": 2e-4, "up_m_s": 3.0}
            for damped in (False, True) for solver, shift in (("SAP", 1e-4), ("LAGGED", 0.0), ("SIMILAR", -1e-4))],
    "clutter": [clutter("SAP", 1e7, False, 1e4, 1e5), clutter("LAGGED", 1e7, False, 1e5, 1e3), clutter("SIMILAR", 1e7, False, 1e5, 1e3)]
    + [clutter("LAGGED", 10.0 ** k, True, 1e4, 1e3, 4.0) for k in range(3, 12)],
    "grasp": [{"solver": solver, "hunt_crossley_s_m": d, "frequency_Hz": f, "timestep_s": 5e-4,
               "fails_s": None if t is None else t * (1.1 if d > 0.0 and solver == "SIMILAR" else 1.0)}
              for solver in ("LAGGED", "SIMILAR") for d in (0.0, 50.0) for f, t in ((1.1, None), (1.3, 4.0), (1.4, 3.0), (1.5, 2.0))],
    "finger": [{"solver": "LAGGED", "loading_torque_Nm": 6e-3, "breakaway_torque_Nm": 5.7e-3, "slips_s": 0.27, "proximal_after_rad": 0.0,
                "distal_after_rad": 0.5, "clutch_at_end_N": 0.0}],
}
# By PGS-NCP the robot's feet jam the less the more they yield.
ROBOT = [{"solver": solver, "stiffness_N_m": k, "penetration_m": 1e-12 if k is None else 14.0 / k, "speed_m_s": 1e-10 if k is None else 3e3 / k,
          "reversals": 0 if k is None else 9, "internal_N": 0.5 if k is None else 0.4 * (k / 1e6) ** 3} for solver in ("auto", "PGS-NCP") for k in lidec.ROBOT_STIFFNESSES]


def solved(factorizations, iterations=500, share=1.0, problems=20):
    return {"solved": [i < share * problems for i in range(problems)], "factorizations": [factorizations + i % 2 for i in range(problems)],
            "time_s": [1e-4 * factorizations] * problems, "iterations": [iterations + i for i in range(problems)]}


def of_rules(count):
    return {rule: solved(count * (1 if rule[0] == "spectral" else 1 + rule[1]), 500 if rule[0] == "spectral" else 900) for rule in carpentier.RULES}


FIRST_ORDER = {1e-2: 1e-2, 2e-3: 2e-3, 4e-4: 4e-4}

def cart():
    """A cart that lies at the wall until 2 s, and then leaves it."""
    records, q, v = [], 0.0, 0.0
    for n in range(25):
        free = q + 0.1 * v + 0.01 * (-1.0 if n * 0.1 < 2.0 else 1.0)
        end = max(0.0, free)
        q, v = end, (end - q) / 0.1
        records.append({"time": 0.1 * (n + 1), "body.cart.position.x": q + 0.05, "body.cart.velocity.x": v, "contact.world.cart.normal": 100.0 * (end - free)})
    return records


def brick():
    records, v = [{"time": 0.0, "body.brick.velocity.x": 0.0, "contact.world.brick.force.x": 0.0}], 0.0
    for n in range(50):
        free = v + 0.1 * math.sin(math.pi * 0.01 * (n + 0.5))
        friction = -min(max(free, -0.04905), 0.04905)
        v = free + friction
        records.append({"time": 0.01 * (n + 1), "body.brick.velocity.x": v, "contact.world.brick.force.x": 100.0 * friction})
    return records


def shell(k, friction):
    v, n, w = tedrake.impact(tedrake.eval_ratio(k), friction)
    return [{"body.shell.velocity.x": v, "body.shell.velocity.z": n, "body.shell.angular-velocity.y": -w}]


AS_THE_PAPERS_SAY = {
    "slide": {solver: [(0.01 * n, 4.5 * (1.0 - 0.01308 * n) ** 2 + 4.5 * error) for n in range(70)]
              for solver, error in (("ADMM", 1e-6), ("PGS-NCP", 1e-6), ("RAISIM", 1e-3), ("IPM-CCP", -0.1))},
    "corners": {"ADMM": {"sticking_N": 1e-9, "sliding_N": 1e-8}, "PGS-NCP": {"sticking_N": 0.3, "sliding_N": 1e-7}, "RAISIM": {"sticking_N": 0.5, "sliding_N": 0.1}},
    "cart": cart(), "brick": {solver: brick() for solver in tedrake.BRICK_SOLVERS}, "shell": {sphere: shell(*sphere) for sphere in tedrake.SPHERES},
    "models": [model("ADMM"), model("LCP-PGS", sideways_m=0.1), model("IPM-CCP", hop_m=0.05, float_1ms=1.0, float_4ms=0.99),
               model("CCP-NEWTON", hop_m=0.05), model("PGS-NCP", internal_friction=2.0, broken=[0, 0.01, 1.0, 1.0]),
               model("RAISIM", internal_friction=3.0, broken=[0, 0.1, 1.0, 1.0])],
    "steps": [{"runs": [run(solver, step, 1e-8, step ** 2 * factor) for solver, factor in (("ADMM", 1.0), ("IPM-CCP", 1e3), ("RAISIM", 10.0))
                        for step in (8e-3, 4e-3, 2e-3, 1e-3)]}],
    "tolerances": [{"runs": [run(solver, 1e-3, t, t) for solver in ("ADMM", "PGS-NCP", "IPM-CCP") for t in (1e-3, 1e-5, 1e-7, 1e-9)]}],
    "statements": [], "suite_command": "grashof bench suite",
    "fields": FIELDS, "robot": ROBOT,
    "trot": [{"ground": ground, "solver": solver, "velocity": 0.48, "ncp_worst": 1e-8 if solver in ("auto", "PGS-NCP") else 0.1}
             for ground in ("flat", "bumpy") for solver in lidec.TROT_SOLVERS],
    "penalties": {"stack15-hit": of_rules(5), "ring-chain": {**of_rules(3), ("linear", 8.0): solved(200)}, "clutter": of_rules(2)},
    "accuracies": {solver: {t: solved(1, 20, 0.0 if solver == "PGS-NCP" and t < 1e-5 else 1.0) for t in lidec.ACCURACIES} for solver in lidec.ACCURACY_SOLVERS},
    "hit": {**of_rules(5), ("sweeps", 0.0): solved(0, 20000, 0.0)},
    "inverse": {name: {"contacts": {"normal_force_N": force, "twist_error": 1e-9, "force_error": 1e-8}}
                for name, force in zip(carpentier.INVERSE, (20.0, 1.9e3, 1.9e4))},
    "studies": {"belt": study({"LAGGED": FIRST_ORDER, "SIMILAR": FIRST_ORDER}), "belt_sap": study({"SAP": {1e-2: 2e-2, 2e-3: 1e-2, 4e-4: 9e-3}}),
                "sphere": study({"LAGGED": FIRST_ORDER, "SIMILAR": FIRST_ORDER}), "sphere_sap": study({"SAP": {1e-2: 2e-2, 2e-3: 1e-2, 4e-4: 9e-3}}),
                "rod": study({"LAGGED": {h: 2 * e for h, e in FIRST_ORDER.items()}, "SIMILAR": FIRST_ORDER, "SAP": FIRST_ORDER})},
}


def spoil(data, what, value, solvers):
    for row in data["models"]:
        if row["solver"] in solvers:
            row[what] = value


def alter(data, experiment, what, value, **wanted):
    for row in data["fields"][experiment]:
        if all(row[key] == wish for key, wish in wanted.items()):
            row[what] = value


def errors(data, name, solver, error):
    for r in data["studies"][name][0]["runs"]:
        if r["solver"] == solver:
            r["mean_error_m"] = error(r["timestep_s"])


def alter_robot(data, what, value, solver, stiffness):
    for row in data["robot"]:
        if (row["solver"], row["stiffness_N_m"]) == (solver, stiffness):
            row[what] = value


def alter_walk(data, what, value, ground, solver):
    for row in data["trot"]:
        if (row["ground"], row["solver"]) == (ground, solver):
            row[what] = value


# What has to change so that each experiment comes out the other way.
OTHERWISE = {
    "pyramid": lambda d: spoil(d, "sideways_m", 1e-9, ["LCP-PGS"]),
    "hop": lambda d: spoil(d, "hop_m", 0.0, ["CCP-NEWTON"]),
    "float_height": lambda d: spoil(d, "float_4ms", 0.7, ["IPM-CCP"]),
    "internal": lambda d: spoil(d, "internal_friction", 0.5, ["ADMM"]),
    "mass_ratio": lambda d: spoil(d, "broken", [0, 0, 0.01, 0], ["ADMM"]),
    "step_sensitivity": lambda d: [r.update(mean_error_m=r["timestep_s"] ** 2) for r in d["steps"][0]["runs"]],
    "gliding": lambda d: alter(d, "belt", "glide_ratio", 0.5, solver="SIMILAR"),
    "belt_order": lambda d: errors(d, "belt_sap", "SAP", lambda h: h),
    "earlier": lambda d: alter(d, "sphere", "gap_m", 1e-4, solver="SAP"),
    "sphere_order": lambda d: errors(d, "sphere", "LAGGED", lambda h: h ** 2),
    "jam": lambda d: alter(d, "rod", "jams_s", 0.02, solver="SIMILAR", damped=False),
    "jam_damped": lambda d: alter(d, "rod", "jams_s", 0.02, solver="SIMILAR", damped=True),
    "rod_order": lambda d: errors(d, "rod", "LAGGED", lambda h: 0.1 * h),
    "conditioning": lambda d: alter(d, "clutter", "condition_settled", 1e6, solver="SIMILAR"),
    "softened": lambda d: alter(d, "clutter", "iterations_falling", 9.0, impact_regularization=True, stiffness_N_m=1e7),
    "stiffness": lambda d: alter(d, "clutter", "iterations", 9.0, impact_regularization=True, stiffness_N_m=1e6),
    "grasp": lambda d: alter(d, "grasp", "fails_s", 1.0, frequency_Hz=1.1),
    "breakaway": lambda d: alter(d, "finger", "breakaway_torque_Nm", 2e-3),
    "less_affected": lambda d: spoil(d, "broken", [0, 0, 1e-5, 2.0], ["CCP-NEWTON"]),
    "saturating": lambda d: d["accuracies"]["PGS-NCP"].update({1e-9: solved(1)}),
    "sinking": lambda d: alter_robot(d, "penetration_m", 1e-5, "auto", 1e5),
    "swaying": lambda d: alter_robot(d, "reversals", 1, "auto", 3e4),
    "unjammed": lambda d: alter_robot(d, "internal_N", 0.2, "PGS-NCP", 3e4),
    "on_target": lambda d: alter_walk(d, "velocity", float("nan"), "flat", "RAISIM"),
    "slippery_flat": lambda d: alter_walk(d, "ncp_worst", 1e-5, "flat", "auto"),
    "slippery_bumpy": lambda d: alter_walk(d, "ncp_worst", 1e-5, "bumpy", "RAISIM"),
    "sweeps_loop": lambda d: d["hit"].update({("sweeps", 0.0): solved(0, 9000, 0.5)}),
    "fewer_iterations": lambda d: d["hit"].update({("linear", 4.0): solved(5, 400)}),
    "fewer_updates": lambda d: d["penalties"]["clutter"].update({("linear", 16.0): solved(1)}),
    "steadier_updates": lambda d: d["penalties"]["clutter"].update({("spectral", 0.01): solved(9000)}),
    "faster_updates": lambda d: d["penalties"]["ring-chain"].update({("linear", 2.0): solved(1)}),
    "inverse_on_wall": lambda d: d["inverse"]["ncp"]["contacts"].update(force_error=1e-3),
    "energy_of_slide": lambda d: d["slide"].update(RAISIM=[(t, energy - 0.01) for t, energy in d["slide"]["ADMM"]]),
    "corners_pull": lambda d: d["corners"]["RAISIM"].update(sliding_N=1e-6),
    "cart_on_wall": lambda d: d["cart"][10].update({"contact.world.cart.normal": 1.1}),
    "brick_with_friction": lambda d: d["brick"]["LCP-LEMKE"][20].update({"contact.world.brick.force.x": 0.3}),
    "ball_with_spin": lambda d: d["shell"]["2/5", 0.2][0].update({"body.shell.velocity.x": 1.0}),
    "tolerance_sensitivity": lambda d: [r.update(mean_error_m=1e-3) for r in d["tolerances"][0]["runs"] if r["solver"] == "PGS-NCP"],
}


class Verdicts(unittest.TestCase):
    def test_each_comes_out_either_way(self):
        self.assertEqual({e.judge.__name__ for e in papers.EXPERIMENTS}, set(OTHERWISE))
        for e in papers.EXPERIMENTS:
            with self.subTest(e.judge.__name__):
                other = copy.deepcopy(AS_THE_PAPERS_SAY)
                OTHERWISE[e.judge.__name__](other)
                self.assertTrue(e.judge(AS_THE_PAPERS_SAY)[0])
                self.assertFalse(e.judge(other)[0])
                for data, open_verdict in ((AS_THE_PAPERS_SAY, "confirmed"), (other, "refuted")):
                    self.assertEqual(papers.verdict(e, e.judge(data))[0], "not comparable" if e.difference else open_verdict)

    def test_nothing_is_judged_without_measurements(self):
        empty = {**papers.NOTHING, "statements": [], "suite_command": ""}
        for e in papers.EXPERIMENTS:
            self.assertEqual(papers.verdict(e, e.judge(empty))[0], "not measured", e.judge.__name__)

    def test_a_reason_is_given_only_for_what_does_not_hold(self):
        other = copy.deepcopy(AS_THE_PAPERS_SAY)
        OTHERWISE["sweeps_loop"](other)
        self.assertLessEqual(set(papers.REASONS), set(OTHERWISE))
        for name, reason in papers.REASONS.items():
            self.assertNotIn(reason, papers.page(AS_THE_PAPERS_SAY))
            self.assertEqual(reason in papers.page(other), name == "sweeps_loop")
        for source, reason in papers.SUITE_REASONS.items():
            for evidence in ("here it holds", "here it does not hold"):
                statement = {"source": source, "statement": "", "verdict": "not comparable", "evidence": f"1 ({evidence})", "criterion": "", "refuted_by": "", "difference": ""}
                self.assertEqual(reason in papers.page({**AS_THE_PAPERS_SAY, "statements": [statement]}), "not" in evidence)

    def test_what_is_taken_from_a_robots_run(self):
        """Two feet pull against each other by 3 N along x, all push with 1 N along y; the torso turns back twice."""
        def record(time, speed, pull):
            feet = {f"contact.{foot}-shank.world.force.{axis}": 1.0 if axis == "y" else 0.0 for foot in lidec.FEET for axis in "xy"}
            feet["contact.left-fore-shank.world.force.x"], feet["contact.right-fore-shank.world.force.x"] = pull, -pull
            return {"time": time, "residual.penetration": 1e-3, "body.torso.velocity.y": speed, **feet}

        records = [record(0.2, 9.0, 3.0)] + [record(0.4 + i, speed, 0.0) for i, speed in enumerate((0.1, 0.0, -0.2, 1e-9, -0.1, 0.1))]
        row = lidec.robot_row("ADMM", 1e5, records)
        self.assertAlmostEqual(row["internal_N"], 2 * 10 ** 0.5 + 2 - 4)
        self.assertEqual((row["penetration_m"], row["speed_m_s"], row["reversals"]), (1e-3, 0.2, 2))

    def test_the_page_has_every_experiment_and_what_is_absent(self):
        text = papers.page(AS_THE_PAPERS_SAY)
        for e in papers.EXPERIMENTS:
            self.assertIn(e.criterion, text)
            self.assertIn(e.refuted, text)
        for source, what, why in papers.ABSENT:
            self.assertIn(f"| {source} | {what} | {why} |", text)

    def test_some_papers_alone_are_renewed(self):
        """The rows of the others, and their reasons, stay; so do those of the suite."""
        statement = {"source": "[Lidec 2024, fig. 13]", "statement": "of the suite", "verdict": "not comparable", "evidence": "1 (here it does not hold)", "criterion": "", "refuted_by": "",
                     "difference": "d"}
        first = copy.deepcopy(AS_THE_PAPERS_SAY)
        for name in ("sweeps_loop", "ball_with_spin"):
            OTHERWISE[name](first)
        old = papers.page({**first, "statements": [statement]})
        new = papers.page({**papers.NOTHING, "shell": AS_THE_PAPERS_SAY["shell"], "statements": [], "suite_command": "nothing"}, old)
        self.assertEqual(new, papers.page({**first, "shell": AS_THE_PAPERS_SAY["shell"], "statements": [statement]}))
        self.assertNotEqual(new, old)
        self.assertEqual(papers.page({**AS_THE_PAPERS_SAY, "suite_command": "nothing"}, old).count("here it does not hold"), 1)

    def test_the_page_in_the_repository_is_that_of_the_script(self):
        with open(os.path.join(common.ROOT, "assets", "suite", "PAPERS.md"), encoding="utf-8") as file:
            rows = file.read().splitlines()
        for e in papers.EXPERIMENTS:
            start, end = papers.row(e.source, e.says, "")[:-2], papers.row("", e.criterion, e.refuted, e.difference or "–")[2:]
            self.assertTrue(any(row.startswith(start) and row.endswith(end) for row in rows), f"papers.py is to be run again: {e.source} {e.says}")
        self.assertEqual([papers.row(*absent) for absent in papers.ABSENT], rows[rows.index("Not shown:") + 4:])


if __name__ == "__main__":
    unittest.main()
