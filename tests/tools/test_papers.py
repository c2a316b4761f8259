"""Each experiment of tools/bench/papers.py comes out confirmed, refuted, not comparable or not measured, as its numbers are."""

import copy
import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools", "bench"))
import papers  # noqa: E402


def model(solver, **values):
    row = {"solver": solver, "sideways_m": 0.0, "hop_m": 0.0, "float_1ms": 0.0, "float_4ms": 0.0, "internal_friction": 0.0,
           "broken": [0.0, 0.0, 0.0, 0.0]}
    return {**row, **values}


def run(solver, step, tolerance, error):
    return {"solver": solver, "timestep_s": step, "tolerance": tolerance, "mean_error_m": error, "energy_error_J": error, "diverged": ""}


AS_THE_PAPERS_SAY = {
    "models": [model("ADMM"), model("LCP-PGS", sideways_m=0.1), model("IPM-CCP", hop_m=0.05, float_1ms=1.0, float_4ms=0.99),
               model("CCP-NEWTON", hop_m=0.05), model("PGS-NCP", internal_friction=2.0, broken=[0, 0, 1.0, 1.0]),
               model("RAISIM", internal_friction=3.0, broken=[0, 0, 1.0, 1.0])],
    "steps": [{"runs": [run(solver, step, 1e-8, step ** 2 * factor) for solver, factor in (("ADMM", 1.0), ("IPM-CCP", 1e3), ("RAISIM", 10.0))
                        for step in (8e-3, 4e-3, 2e-3, 1e-3)]}],
    "tolerances": [{"runs": [run(solver, 1e-3, t, t) for solver in ("ADMM", "PGS-NCP", "IPM-CCP") for t in (1e-3, 1e-5, 1e-7, 1e-9)]}],
    "statements": [], "suite_command": "grashof bench suite",
}


def spoil(data, what, value, solvers):
    for row in data["models"]:
        if row["solver"] in solvers:
            row[what] = value


# What has to change so that each experiment comes out the other way.
OTHERWISE = {
    "pyramid": lambda d: spoil(d, "sideways_m", 1e-9, ["LCP-PGS"]),
    "hop": lambda d: spoil(d, "hop_m", 0.0, ["CCP-NEWTON"]),
    "float_height": lambda d: spoil(d, "float_4ms", 0.7, ["IPM-CCP"]),
    "internal": lambda d: spoil(d, "internal_friction", 0.5, ["ADMM"]),
    "mass_ratio": lambda d: spoil(d, "broken", [0, 0, 0.01, 0], ["ADMM"]),
    "step_sensitivity": lambda d: [r.update(mean_error_m=r["timestep_s"] ** 2) for r in d["steps"][0]["runs"]],
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
        empty = {**AS_THE_PAPERS_SAY, "models": [], "steps": [], "tolerances": []}
        for e in papers.EXPERIMENTS:
            self.assertEqual(papers.verdict(e, e.judge(empty))[0], "not measured", e.judge.__name__)

    def test_the_page_has_every_experiment_and_what_is_absent(self):
        text = papers.page(AS_THE_PAPERS_SAY)
        for e in papers.EXPERIMENTS:
            self.assertIn(e.criterion, text)
            self.assertIn(e.refuted, text)
        for source, what, why in papers.ABSENT:
            self.assertIn(f"| {source} | {what} | {why} |", text)


if __name__ == "__main__":
    unittest.main()
