"""`grashof bench suite`: results, resumption, report. Usage: test_suite.py PROGRAM SOURCE_FOLDER [CLASS[.TEST] ...]"""

import glob
import json
import os
import random
import shutil
import subprocess
import sys
import unittest

import h5py

from test_cli import LONG, PROGRAM, SOURCE, ProgramCase


class Suite(ProgramCase):
    """grashof bench suite: results, resumption, report."""

    SYSTEMS = ",".join(f"{SOURCE}/assets/suite/{name}.xml" for name in ("fourbar-fixed", "box-on-plane", "nunchuk"))
    ARGUMENTS = ("bench", "suite", "--quiet", "--systems", SYSTEMS, "--solvers", "auto,ADMM-NCP-SA,ADMM-NCP-LA,PGS-NCP,ADMM-CCP",
                 "--samples", "3", "--timesteps", "0.002", "--max-iterations", "200")

    @staticmethod
    def timeless(path):
        """Results without what depends on the machine."""
        def strip(x):
            if isinstance(x, dict):
                return {k: strip(v) for k, v in x.items() if k not in ("seconds", "real_time_factor")}
            return [strip(v) for v in x] if isinstance(x, list) else x

        with open(path, encoding="utf-8") as file:
            return strip(json.load(file))

    def test_results_and_report(self):
        self.run_program(*self.ARGUMENTS, "--out", "out")
        results = self.timeless(self.path("out/results.json"))
        self.assertEqual(len(results["units"]), 3)
        for unit in results["units"]:
            self.assertEqual(len(unit["samples"]), 3)
            self.assertEqual(len(unit["measurements"]), 5 * 3 * 2)
        for entry in results["statistics"]:
            for name, five in entry["least_quartiles_greatest"].items():
                self.assertEqual(five, sorted(five), name)
        self.assertEqual(sum(entry["samples"] for entry in results["statistics"]), 90)
        with open(self.path("out/measurements.csv"), encoding="utf-8") as file:
            lines = file.read().splitlines()
        self.assertEqual(len(lines), 1 + 90)
        self.assertIn("natural_map", lines[0])
        with h5py.File(self.path("out/results.h5")) as file:
            self.assertEqual(file["measurements/natural_map"].shape, (90,))
            self.assertEqual(file["samples/category"][0].decode(), "Dense Joints")
        with open(self.path("out/RESULTS.md"), encoding="utf-8") as file:
            text = file.read()
        for words in ("**not comparable**: A spectral penalty needs fewer factorizations", "(here it holds)", "**not measured**: Sweeping solvers stall on redundant joints",
                      "| fourbar-fixed | 4 | 5 | 26 |"):
            self.assertIn(words, text)

        done = self.run_program("bench", "suite", "--quiet", "--samples", "4", "--suite", SOURCE + "/assets/suite", "--out", "out", code=2)
        self.assertIn("other arguments", done.stderr)
        done = self.run_program("bench", "suite", "--systems", "nowhere.xml", "--out", "out2", code=2)
        self.assertIn("nowhere.xml", done.stderr)

    @LONG
    def test_killed_and_resumed(self):
        self.run_program(*self.ARGUMENTS, "--out", "whole")
        process = subprocess.Popen([PROGRAM, *self.ARGUMENTS, "--out", "broken"], cwd=self.folder.name,
                                   stdout=subprocess.DEVNULL)
        while process.poll() is None and len(glob.glob(self.path("broken/parts/*.json"))) < 4:
            pass
        process.kill()
        process.wait()
        parts = glob.glob(self.path("broken/parts/*.json"))
        self.assertGreaterEqual(len(parts), 4)
        kept = {part: os.stat(part).st_mtime_ns for part in parts}
        again = self.run_program(*self.ARGUMENTS, "--out", "broken").stdout
        self.assertRegex(again, r"^[1-9]\d* of 15 measurements are kept from an earlier run")
        for part, time in kept.items():
            self.assertEqual(os.stat(part).st_mtime_ns, time, f"{part} was measured again")
        self.assertEqual(self.timeless(self.path("broken/results.json")), self.timeless(self.path("whole/results.json")))

    def test_killed_at_any_moment(self):
        # GRASHOF_KILLS: how often, for a long trial by hand.
        kills, random_times = int(os.environ.get("GRASHOF_KILLS", "6")), random.Random(3)
        self.run_program(*self.ARGUMENTS, "--out", "whole")
        while kills > 0:
            process = subprocess.Popen([PROGRAM, *self.ARGUMENTS, "--out", "broken"], cwd=self.folder.name, stdout=subprocess.DEVNULL)
            try:
                self.assertEqual(process.wait(random_times.uniform(0.0, 0.5)), 0)
                shutil.rmtree(self.path("broken"))  # it was done before: another life
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                kills -= 1
                for part in glob.glob(self.path("broken/parts/*.json")):
                    with open(part, encoding="utf-8") as file:
                        json.load(file)
        self.run_program(*self.ARGUMENTS, "--out", "broken")
        self.assertEqual(self.timeless(self.path("broken/results.json")), self.timeless(self.path("whole/results.json")))

    def test_report_in_a_browser(self):
        browser = shutil.which("chromium")
        if not browser:
            self.skipTest("no chromium")
        self.run_program(*self.ARGUMENTS, "--out", "out")
        done = subprocess.run([browser, "--headless=new", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--dump-dom",
                               "file://" + self.path("out/report.html")], capture_output=True, text=True, timeout=120)
        self.assertNotIn("CONSOLE", done.stderr)
        page = done.stdout
        self.assertGreaterEqual(page.count('<figure class="chart"><h3>'), 9)  # its script has drawn it
        for mark in ("stroke-dasharray", "<circle", 'stroke-width="2.5"', "Performance profile, Dense Joints"):
            self.assertIn(mark, page)
        self.assertNotIn("nan", page)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
