"""The command sweep from outside: tables, interruptions, mpirun, messages. Usage: test_sweep.py PROGRAM SOURCE_FOLDER [CLASS[.TEST] ...]"""

import csv
import glob
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
import unittest
import xml.etree.ElementTree as ElementTree

import h5py

from test_cli import PROGRAM, SHORT, SOURCE, ProgramCase

XSD = "{http://www.w3.org/2001/XMLSchema}"

FOURBAR = SOURCE + "/assets/scenarios/toleranced-fourbar.xml"
MEASURES = ("--measure", "torque=peak:joint.A.effort.0", "--measure", "force=max:joint.C.reaction")
MPIRUN = shutil.which("mpirun")

BALL = """<scenario name="ball"><options timestep="0.001" duration="DURATION"/><parameter name="m" value="1" tolerance="10%"/>
  <parameter name="size" value="0.1" tolerance="±0.01" spread="uniform"/>
  <body name="ball" position="0 0 1"><shape type="sphere" radius="size" mass="m"/></body></scenario>"""


class SweepCase(ProgramCase):
    def ball(self, duration=0.05, name="ball.xml"):
        return self.path(name, BALL.replace("DURATION", str(duration)))

    def sweep(self, *arguments, **options):
        return self.run_program("sweep", *arguments, **options)

    def table(self, name):
        with open(self.path(name + "/table.csv"), "rb") as file:
            return file.read()


class Tables(SweepCase):
    def test_the_table_does_not_depend_on_the_number_of_workers(self):
        common = (FOURBAR, *MEASURES, "--runs", "12", "--set", "options.duration=0.1", "--task-seconds", "0.01")
        self.sweep(*common, "-o", "one", "-j", "1")
        self.sweep(*common, "-o", "three", "-j", "3")
        self.assertEqual(self.table("one/toleranced-fourbar"), self.table("three/toleranced-fourbar"))
        rows = list(csv.DictReader(self.table("one/toleranced-fourbar").decode().splitlines()))
        self.assertEqual([int(r["run"]) for r in rows], list(range(12)))
        self.assertEqual({r["status"] for r in rows}, {"ok"})
        self.assertLess(max(float(r["joint_residual"]) for r in rows), 1e-9)
        self.assertEqual(len({r["a"] for r in rows}), 12)

    def test_mpirun_makes_the_same_table(self):
        if not MPIRUN or not os.path.exists(os.path.join(os.path.dirname(PROGRAM), "grashof_mpi.so")):
            self.skipTest("MPI is not installed")
        common = (self.ball(), "--measure", "end:body.ball.position.z", "--runs", "40", "--task-seconds", "0.002")
        self.sweep(*common, "-o", "here")
        launcher = (MPIRUN, "--allow-run-as-root", "--oversubscribe", "-n", "3")
        own = {"ASAN_OPTIONS": "detect_leaks=0"}  # MPI leaves memory of its own behind
        done = self.sweep(*common, "-o", "mpi", launcher=launcher, environment=own)
        self.assertIn("on 2 workers", done.stdout)
        self.assertEqual(self.table("here/ball"), self.table("mpi/ball"))
        # A study that cannot be made says so once, and ends all ranks.
        done = self.sweep(self.ball(), "--measure", "end:body.bowl.speed", "--runs", "4", launcher=launcher, code=2,
                          environment=own)
        self.assertEqual(done.stderr.count("no such name in this model"), 1, done.stderr)

    def test_columns_of_csv_and_hdf5_are_the_same(self):
        common = (self.ball(), "--param", "m=1:2:3", "--param", "body[ball].shape.type=sphere,box", "--measure",
                  "z=end:body.ball.position.z")
        self.sweep(*common, "-o", "csv")
        self.sweep(*common, "-o", "h5", "--table", "h5")
        rows = list(csv.DictReader(self.table("csv/ball").decode().splitlines()))
        with h5py.File(self.path("h5/ball/table.h5")) as file:
            self.assertEqual(list(file["run"]), [float(r["run"]) for r in rows])
            self.assertEqual(list(file["factors/m"]), [float(r["m"]) for r in rows])
            self.assertEqual([t.decode() for t in file["factors/body[ball].shape.type"]],
                             [r["body[ball].shape.type"] for r in rows])
            self.assertEqual([t.decode() for t in file["status"]], [r["status"] for r in rows])
            for x, r in zip(file["measures/z"], rows):
                self.assertTrue(x != x if r["z"] == "" else x == float(r["z"]))
        # A box has no radius: a row with its reason.
        boxes = [r for r in rows if r["body[ball].shape.type"] == "box"]
        self.assertEqual({r["status"] for r in boxes}, {"refused"})
        self.assertIn("ball.xml:3: body[ball]/shape: attribute size is missing", boxes[0]["reason"])

    def test_json_has_what_the_page_shows(self):
        done = self.sweep(self.ball(), "--measure", "z=end:body.ball.position.z", "--design", "indices", "--runs", "8",
                          "--json")
        j = json.loads(done.stdout)
        self.assertEqual((j["runs"], j["done"], j["design"]), (32, 32, "indices"))
        self.assertEqual([e["factor"] for e in j["measures"][0]["effects"]], ["m", "size"])
        self.assertEqual(j["work"]["runs_made"], 32)
        with open(self.path("results/ball/study.json"), encoding="utf-8") as file:
            self.assertEqual(json.load(file)["measures"], j["measures"])

    def test_a_dry_run_makes_no_files_and_says_what_all_would_take(self):
        done = self.sweep(self.ball(), "--measure", "end:body.ball.position.z", "--runs", "1000", "--dry-run", "-j", "4")
        self.assertRegex(done.stdout, r"1000 runs of 2 factors and 2 measures, design random")
        self.assertRegex(done.stdout, r"ms a run: .* on 4 workers; .* MB of rows")
        self.assertFalse(os.path.exists(self.path("results")))


class Interruptions(SweepCase):
    def start(self, *arguments):
        process = subprocess.Popen([PROGRAM, "sweep", *arguments], cwd=self.folder.name, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def journal(self, out):
        try:
            return os.path.getsize(self.path(out + "/ball/runs.journal"))
        except OSError:
            return 0

    def wait_for_rows(self, out, more, process):
        start, began = self.journal(out), time.monotonic()
        while self.journal(out) < start + more and process.poll() is None and time.monotonic() - began < 100:
            time.sleep(0.005)

    def test_killed_three_times_and_resumed_the_table_is_the_same(self):
        runs = "150" if SHORT else "600"
        common = (self.ball(0.2), "--measure", "end:body.ball.position.z", "--runs", runs, "-j", "2", "--task-seconds", "0.01")
        self.sweep(*common, "-o", "whole")
        kills = 0
        for _ in range(3):
            process = self.start(*common, "-o", "parts")
            self.wait_for_rows("parts", 1500, process)
            kills += process.poll() is None
            process.kill()
            process.wait()
        self.assertEqual(kills, 3)
        done = self.sweep(*common, "-o", "parts")
        self.assertIn("runs were there already", done.stdout)
        self.assertEqual(self.table("whole/ball"), self.table("parts/ball"))

    def test_workers_that_are_killed_cost_nothing_but_their_tasks(self):
        common = (self.ball(0.5), "--measure", "end:body.ball.position.z", "--runs", "200", "-j", "2", "--task-seconds", "0.02")
        self.sweep(*common, "-o", "whole")
        process = self.start(*common, "-o", "hurt")
        self.wait_for_rows("hurt", 300, process)
        killed = 0
        children = subprocess.run(["ps", "-o", "pid=", "--ppid", str(process.pid)], capture_output=True, text=True).stdout
        for child in children.split():
            os.kill(int(child), signal.SIGKILL)
            killed += 1
        out, err = process.communicate(timeout=200)
        self.assertEqual((process.returncode, killed), (0, 2), err)
        self.assertIn("2 workers ended on the way and were replaced", out)
        self.assertEqual(self.table("whole/ball"), self.table("hurt/ball"))

    def test_ctrl_c_ends_it_with_the_rows_so_far(self):
        common = (self.ball(2), "--measure", "end:body.ball.position.z", "--runs", "3000", "-j", "1")
        process = self.start(*common, "-o", "out")
        self.wait_for_rows("out", 200, process)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=200)
        self.assertEqual(process.returncode, 130, err)
        self.assertRegex(err, r"\d+ of 3000 runs are made \(interrupted by SIGINT\); the same command goes on")
        rows = list(csv.DictReader(self.table("out/ball").decode().splitlines()))
        self.assertGreater(len(rows), 0)
        self.assertIn(f"{len(rows)} of 3000 runs", out)

    def test_no_worker_outlives_a_killed_program(self):
        process = self.start(self.ball(50), "--measure", "end:body.ball.position.z", "--runs", "50", "-j", "2")
        children = []
        while not children and process.poll() is None:
            children = subprocess.run(["ps", "-o", "pid=", "--ppid", str(process.pid)], capture_output=True,
                                      text=True).stdout.split()
        process.kill()
        process.wait()
        began = time.monotonic()
        while any(os.path.exists(f"/proc/{child}") for child in children) and time.monotonic() - began < 30:
            time.sleep(0.02)
        self.assertFalse([child for child in children if os.path.exists(f"/proc/{child}")])

    def test_a_full_disk_is_said_and_loses_nothing(self):
        common = (self.ball(0.2), "--measure", "end:body.ball.position.z", "--runs", "100", "-j", "2", "--task-seconds", "0.005")
        self.sweep(*common, "-o", "whole")
        done = self.sweep(*common, "-o", "full", code=5,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000)))
        self.assertIn("runs.journal: cannot be written", done.stderr)
        self.assertIn("the same command goes on", done.stderr)
        done = self.sweep(*common, "-o", "full")
        self.assertRegex(done.stdout, r"[1-9]\d* runs were there already")
        self.assertEqual(self.table("whole/ball"), self.table("full/ball"))

    def test_two_at_once_do_not_share_a_folder(self):
        common = (self.ball(20), "--measure", "end:body.ball.position.z", "--runs", "100")
        process = self.start(*common)
        self.wait_for_rows("results", 80, process)
        done = self.sweep(*common, code=5)
        self.assertIn("is writing its results there", done.stderr)


class Messages(SweepCase):
    def test_bad_input_is_said_before_anything_runs(self):
        ball, measure = self.ball(), ("--measure", "end:body.ball.position.z")
        cases = [
            ((ball, "--runs", "5"), "measures nothing"),
            ((ball, *measure), "needs a number of runs"),
            ((ball, *measure, "--param", "M=1,2"), "did you mean m?"),
            ((ball, *measure, "--param", "m=1:2"), "needs FROM:TO:COUNT"),
            ((ball, *measure, "--param", "m~normal(1)", "--runs", "5"), "has 1 arguments"),
            ((ball, "--measure", "most:body.ball.position.z", "--runs", "5"), "measure 'most:body.ball.position.z'"),
            ((ball, "--measure", "max:body.ball.hue", "--runs", "5"), "of body.ball: position.x"),
            (("nowhere.xml", *measure, "--runs", "5"), "nowhere.xml: cannot be read"),
            ((ball, *measure, "--runs", "5", "--set", "param.q=1"), "there is no such parameter"),
            ((self.path("s.xml", '<study scenario="ball.xml" run="3"/>'),), "did you mean runs?"),
        ]
        for arguments, message in cases:
            with self.subTest(message):
                self.assertIn(message, self.sweep(*arguments, code=2).stderr)

    def test_a_study_of_which_no_run_succeeds_fails_and_leaves_a_run_of_the_same_name_alone(self):
        file = self.ball()
        self.run_program("run", file, "-q")
        done = self.sweep(file, "--param", "m=-1,-2", "--measure", "max:energy.total", code=1)
        self.assertIn("2 refused", done.stdout)
        self.assertIn("no run succeeded; the first: ball.xml:", done.stderr)
        for name in ("summary.json", "trajectory.h5", "table.csv"):
            self.assertTrue(os.path.exists(self.path("results/ball/" + name)), name)

    def test_results_of_another_study_are_not_mixed_with_these(self):
        common = (self.ball(), "--measure", "end:body.ball.position.z", "--runs", "4")
        self.sweep(*common)
        done = self.sweep(*common, "--design-seed", "2", code=2)
        self.assertIn("holds runs of another study", done.stderr)

    def test_nothing_but_results_is_printed_where_there_is_no_terminal(self):
        done = self.sweep(self.ball(), "--measure", "end:body.ball.position.z", "--runs", "30")
        self.assertEqual(done.stderr, "")
        self.assertNotIn("\r", done.stdout)


class Page(SweepCase):
    CHROMIUM = shutil.which("chromium")

    def test_page_draws_what_is_in_the_table_without_a_network(self):
        if not self.CHROMIUM or SHORT:
            self.skipTest("chromium is not installed, or slow")
        self.sweep(self.ball(name="a&lt;b.xml"), "--measure", "z=end:body.ball.position.z", "--runs", "60")
        with open(self.path("results/a&lt;b/report.html"), encoding="utf-8") as file:
            text = file.read()
        self.assertIsNone(re.search(r"(?:src|href)\s*=(?!\"data:,\")|https?://(?!www\.w3\.org/2000/svg)", text))
        probe = self.path("probe.html")
        with open(probe, "w", encoding="utf-8") as file:
            file.write(text.replace("</body>", """<script>const g = window.grashof, out = document.createElement('pre'); out.id = 'probe';
                const all = g.parallel(); g.kept[0] = [0, 1]; const some = g.parallel();
                out.textContent = JSON.stringify([g.histogram(), g.tornado(), g.scatter(), all, some, document.title]);
                document.body.append(out);</script></body>"""))
        done = subprocess.run([self.CHROMIUM, "--headless=new", "--no-sandbox", "--host-resolver-rules=MAP * ~NOTFOUND",
                               "--enable-logging=stderr", "--virtual-time-budget=3000", "--dump-dom", "file://" + probe],
                              capture_output=True, text=True, timeout=200)
        self.assertEqual([line for line in done.stderr.splitlines() if ":CONSOLE" in line], [])
        seen = json.loads(re.search(r'<pre id="probe">(.*?)</pre>', done.stdout, re.S).group(1).replace("&amp;", "&"))
        rows = list(csv.DictReader(self.table("results/a&lt;b").decode().splitlines()))
        self.assertEqual(seen[:4], [60, 2, 60, 60])
        self.assertEqual(seen[4], sum(float(r["m"]) <= 1 for r in rows))
        self.assertEqual(seen[5], "a&lt;b")


class Studies(SweepCase):
    FILES = [f for f in sorted(glob.glob(SOURCE + "/assets/studies/*.xml")) if ElementTree.parse(f).getroot().tag == "study"]

    def test_every_study_is_valid_and_starts(self):
        self.assertGreaterEqual(len(self.FILES), 5)
        subprocess.run(["xmllint", "--noout", "--schema", SOURCE + "/assets/study.xsd", *self.FILES], check=True,
                       capture_output=True)
        for file in self.FILES:
            with self.subTest(os.path.basename(file)):
                done = self.sweep(file, "--dry-run", "--set", "options.duration=0.002", "--json")
                self.assertEqual(json.loads(done.stdout)["failed"], 0, done.stderr)

    def test_documentation_has_what_the_schema_allows(self):
        root = ElementTree.parse(SOURCE + "/assets/study.xsd").getroot()
        with open(SOURCE + "/assets/docs/studies.md", encoding="utf-8") as file:
            text = file.read()
        for element in root.iter(XSD + "element"):
            self.assertIn(f"`<{element.get('name')}>`", text)
            for attribute in element.iter(XSD + "attribute"):
                self.assertIn(f"`{attribute.get('name')}`", text)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=1)
