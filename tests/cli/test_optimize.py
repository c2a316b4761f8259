"""The command optimize from outside: results, interruptions, messages. Usage: test_optimize.py PROGRAM SOURCE_FOLDER [CLASS[.TEST] ...]"""

import csv
import json
import math
import os
import re
import signal
import subprocess
import sys
import time
import unittest

from test_cli import PROGRAM, SOURCE, ProgramCase

# At rest in 0.02 s; its energy is a known function of m and h.
REST = """<scenario name="rest"><options timestep="0.01" duration="0.02" gravity="0 0 0"/>
  <parameter name="m" value="1" tolerance="50%"/><parameter name="h" value="0.5"/>
  <body name="a" position="(m-1.25)^2+(h-0.3)^2 0 m+h"><inertial mass="(m > 1.9) + (h > 1.01)*(1.05 > h) > 0 ? -1 : m" inertia="1 1 1"/></body></scenario>"""
BALL = """<scenario name="ball"><options timestep="0.001" duration="0.05"/><parameter name="v" value="1"/><parameter name="w" value="1"/>
  <body name="ball" velocity="v 0 w"><inertial mass="1" inertia="1 1 1"/></body></scenario>"""

# A box on a slide goes towards another one; 0.1 m are between them.
APPROACH = """<scenario name="approach"><options timestep="0.005" duration="0.1" gravity="0 0 0"/><parameter name="go" value="0.02"/>
  <motion name="m" type="series" samples="0 0 0.08 go 1 go" interpolation="linear"/>
  <body name="wall" position="0.2 0 0"><shape type="box" size="0.1 0.1 0.1" mass="1"/></body><joint name="weld" type="fixed" follower="wall" position="0.2 0 0"/>
  <body name="b"><shape type="box" size="0.1 0.1 0.1" mass="1"/></body>
  <joint name="j" type="prismatic" follower="b" axis="1 0 0"><actuator type="motion" motion="m"/></joint></scenario>"""


class OptimizeCase(ProgramCase):
    def optimize(self, *arguments, **options):
        return self.run_program("optimize", *arguments, **options)

    def rest(self):
        return self.path("rest.xml", REST)

    def evaluations(self, name):
        with open(self.path(name + "/evaluations.csv"), "rb") as file:
            return file.read()

    def found(self, *arguments, **options):
        return json.loads(self.optimize(*arguments, "--json", **options).stdout)


RANGES = ("--param", "m=0.5:2", "--param", "h=0:1")
GOAL = ("--minimize", "f=end:body.a.position.x")


class Results(OptimizeCase):
    def test_every_method_finds_the_least_value(self):
        for method, evaluations, near in (("bobyqa", 200, 1e-3), ("cobyla", 200, 1e-3), ("sbplx", 300, 1e-3), ("crs", 600, 0.02),
                                          ("isres", 1500, 0.05), ("direct", 300, 0.05)):
            with self.subTest(method):
                j = self.found(self.rest(), *RANGES, *GOAL, "--method", method, "--evaluations", str(evaluations), "-o", method)
                self.assertLess(abs(j["best"]["values"]["m"] - 1.25), near)
                self.assertLess(abs(j["best"]["values"]["h"] - 0.3), near)
                self.assertEqual(j["first"]["values"], {"m": 1, "h": 0.5} if method in ("bobyqa", "cobyla", "sbplx")
                                 else j["first"]["values"])

    def test_a_constraint_is_kept_and_is_active_where_the_least_value_lies_outside(self):
        for method, evaluations, near in (("cobyla", 200, 1e-3), ("isres", 1500, 0.05)):
            with self.subTest(method):
                j = self.found(self.rest(), *RANGES, *GOAL, "--constraint", "sum=end:body.a.position.z<=1", "--method", method,
                               "--evaluations", str(evaluations), "-o", method)
                # On m + h = 1 the nearest point to (1.25, 0.3).
                self.assertLess(abs(j["best"]["values"]["m"] - 0.975), near)
                self.assertLessEqual(j["best"]["measures"]["sum"], 1 + 1e-8)
                self.assertGreater(j["outside"], 0)

    def test_no_collision_and_reach_are_constraints(self):
        file, go = self.path("approach.xml", APPROACH), ("--param", "go=0:0.12", "--evaluations", "60")
        j = self.found(file, *go, "--maximize", "extent:b", "--constraint", "max:contacts.count<=0", "-o", "free")
        self.assertGreater(j["outside"], 0)
        # Contacts of what joints guide count half a step before they meet: 0.1 - go = 0.5 v dt.
        self.assertAlmostEqual(j["best"]["values"]["go"], 0.1 / (1 + 0.5 * 0.005 / 0.08), places=5)
        j = self.found(file, *go, "--minimize", "end:joint.j.q.0", "--constraint", "extent:b>=0.05", "-o", "reach")
        # The path begins after the first of sixteen steps.
        self.assertAlmostEqual(j["best"]["values"]["go"], 0.05 * 16 / 15, places=5)

    def test_the_largest_value_of_one_parameter_by_its_tolerance(self):
        j = self.found(self.rest(), "--param", "m", "--maximize", "end:body.a.position.z")
        self.assertAlmostEqual(j["best"]["values"]["m"], 1.5, places=5)
        self.assertEqual(j["method"], "cobyla")

    def test_evaluations_that_fail_are_rows_with_their_reason_and_worse_than_all_others(self):
        j = self.found(self.rest(), "--param", "m=1.9:2.4", "--param", "h=0:1", "--maximize", "end:body.a.position.z", "--method",
                       "direct", "--evaluations", "40", code=1)
        self.assertNotIn("best", j)
        j = self.found(self.rest(), "--param", "m=0.5:3", "--param", "h=0:1", "--maximize", "end:body.a.position.z", "--method",
                       "crs", "--evaluations", "400", "-o", "some")
        self.assertGreater(j["failed"], 10)
        self.assertLess(abs(j["best"]["values"]["m"] - 1.9), 0.02)
        rows = list(csv.DictReader(self.evaluations("some/rest").decode().splitlines()))
        bad = [r for r in rows if r["status"] != "ok"]
        self.assertEqual(len(bad), j["failed"])
        self.assertIn("rest.xml:3: body[a]/inertial", bad[0]["reason"])
        # A local method whose first run fails looks for one that does not.
        j = self.found(self.rest(), "--param", "m=0.5:1.8", "--param", "h=1.02:2", *GOAL, "-o", "start")
        self.assertNotIn("measures", j["first"])
        self.assertGreater(j["best"]["values"]["h"], 1.05)

    def test_the_best_scenario_is_written_and_repeats_its_measure(self):
        done = self.optimize(self.rest(), *RANGES, *GOAL, "-o", "out")
        arguments = re.search(r"best: (.*)", done.stdout).group(1).split()
        with open(self.path("out/rest/search.json"), encoding="utf-8") as file:
            j = json.load(file)
        for name, file, extra in (("a", self.path("out/rest/best.xml"), ()), ("b", self.rest(), arguments)):
            self.run_program("sweep", file, "--param", "body[a].inertial.mass=1", *GOAL[:0], "--measure", GOAL[1], *extra, "-o", name)
            stem = os.path.splitext(os.path.basename(file))[0]
            with open(self.path(f"{name}/{stem}/table.csv"), encoding="utf-8") as table:
                self.assertEqual(float(next(csv.DictReader(table))["f"]), j["best"]["measures"]["f"])
        with open(self.path("out/rest/optimize.html"), encoding="utf-8") as file:
            page = file.read()
        self.assertIn("best so far", page)
        self.assertIsNone(re.search(r"(?:src|href)\s*=(?!\"data:)|https?://(?!www\.w3\.org/2000/svg)", page))

    def test_a_path_is_brought_to_its_targets(self):
        # A ball thrown at (v, w) is at (v t, w t - g t^2 / 2): two points at two times tell both.
        g = 9.81
        points = "t,x,y,z\n" + "".join(f"{t},{2.5 * t},0,{1.5 * t - g * t * t / 2}\n" for t in (0.02, 0.04))
        ball = self.path("ball.xml", BALL)
        ranges = ("--param", "v=0:5", "--param", "w=0:5")
        j = self.found(ball, *ranges, "--target", "ball=" + self.path("p.csv", points))
        self.assertLess(abs(j["best"]["values"]["v"] - 2.5), 0.02)
        self.assertLess(abs(j["best"]["values"]["w"] - 1.5), 0.05)
        self.assertLess(j["best"]["measures"]["miss"], 1e-4)


class StudyFiles(OptimizeCase):
    def study(self, content, attributes=""):
        self.rest()
        return self.path("s.xml", f'<study scenario="rest.xml" {attributes}>\n<param name="m" values="0.5:2:2"/><param name="h" values="0:1:2"/>\n{content}</study>')

    def test_goal_constraint_and_method_of_a_file_are_those_of_the_command_line(self):
        content = '<minimize of="f=end:body.a.position.x"/><constraint of="sum=end:body.a.position.z" max="1"/>'
        of_file = self.found(self.study(content, 'method="cobyla" evaluations="150"'), "-o", "file")
        of_line = self.found(self.rest(), *RANGES, *GOAL, "--constraint", "sum=end:body.a.position.z<=1", "--method", "cobyla",
                             "--evaluations", "150", "-o", "line")
        self.assertEqual(of_file["best"]["values"], of_line["best"]["values"])
        self.assertLess(abs(of_file["best"]["values"]["m"] - 0.975), 1e-3)
        # What the command line says comes first; its constraints come on top.
        largest = self.found(self.path("s.xml"), "--maximize", "f=end:body.a.position.x", "--method", "isres", "--evaluations", "600", "-o", "other")
        self.assertEqual(largest["maximize"], "f")
        self.assertGreater(largest["best"]["measures"]["f"], of_file["best"]["measures"]["f"])
        self.assertLess(sum(largest["best"]["values"].values()), 1 + 1e-9)

    def test_a_sweep_leaves_the_goal_alone(self):
        self.run_program("sweep", self.study('<minimize of="end:body.a.position.x"/><measure of="end:body.a.position.z"/>'))

    def test_what_is_wrong_is_said_with_its_line(self):
        for content, message in (('<minimize of="end:body.a.position.x"/>\n<maximize of="end:body.a.position.x"/>', "s.xml:4: "),
                                 ('<minimize of="end:body.a.position.x"/><constraint of="end:body.a.position.z"/>', "has no bound (add min or max)"),
                                 ("<minimize/>", "s.xml:3: "), ('<goal of="x"/>', "minimize")):
            with self.subTest(message):
                self.assertIn(message, self.optimize(self.study(content), code=2).stderr)


class Interruptions(OptimizeCase):
    def test_killed_and_resumed_the_evaluations_are_the_same(self):
        common = (self.rest(), *RANGES, *GOAL, "--method", "isres", "--evaluations", "3000", "-q")
        self.optimize(*common, "-o", "whole")
        kills = 0
        for size in (20000, 60000):
            process = subprocess.Popen([PROGRAM, "optimize", *common, "-o", "parts"], cwd=self.folder.name,
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            journal, began = self.path("parts/rest/search.journal"), time.monotonic()
            while process.poll() is None and time.monotonic() - began < 100 and not (
                    os.path.exists(journal) and os.path.getsize(journal) > size):
                time.sleep(0.002)
            kills += process.poll() is None
            process.kill()
            process.wait()
        self.assertEqual(kills, 2)
        done = self.optimize(*common, "-o", "parts")
        self.assertRegex(done.stdout, r"[1-9]\d* evaluations were there already")
        for name in ("evaluations.csv", "search.json", "optimize.html", "best.xml"):
            with open(self.path("whole/rest/" + name), "rb") as a, open(self.path("parts/rest/" + name), "rb") as b:
                self.assertEqual(a.read(), b.read(), name)

    def test_more_evaluations_go_on_with_the_same_search(self):
        common = (self.rest(), *RANGES, *GOAL, "--method", "crs")
        self.optimize(*common, "--evaluations", "90", "-o", "whole")
        self.optimize(*common, "--evaluations", "50", "-o", "parts")
        self.assertIn("50 evaluations were there already", self.optimize(*common, "--evaluations", "90", "-o", "parts").stdout)
        self.assertEqual(self.evaluations("whole/rest"), self.evaluations("parts/rest"))
        self.assertIn("holds runs of another study", self.optimize(*common, "--search-seed", "7", "-o", "parts", code=2).stderr)

    def test_ctrl_c_ends_it_with_the_evaluations_so_far(self):
        common = (self.rest(), *RANGES, *GOAL, "--method", "isres", "--evaluations", "100000", "-o", "out")
        process = subprocess.Popen([PROGRAM, "optimize", *common], cwd=self.folder.name, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        journal, began = self.path("out/rest/search.journal"), time.monotonic()
        while process.poll() is None and time.monotonic() - began < 100 and not (
                os.path.exists(journal) and os.path.getsize(journal) > 2000):
            time.sleep(0.002)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=200)
        self.assertEqual(process.returncode, 130, err)
        self.assertIn("interrupted by SIGINT); the same command goes on", err)
        self.assertGreater(len(self.evaluations("out/rest").splitlines()), 2)


def least_straightness():
    """Of Hoeken's linkage with a crank of 1, in closed form: B0 sees A and P at a right angle, and B0P^2 = 4 bar^2 - B0A^2."""
    def deviation(frame, bar):
        points = []
        for k in range(201):
            t = math.pi * (0.5 + k / 200)
            x, z = math.cos(t) - frame, math.sin(t)
            far = math.hypot(x, z)
            if 2 * bar <= far:
                return 1
            out = math.sqrt(4 * bar * bar - far * far) / far
            points.append((z * out, -x * out))
        return 0.5 * (max(z for _, z in points) - min(z for _, z in points)) / (max(x for x, _ in points) - min(x for x, _ in points))

    def least(function, low, high, count):
        golden = (math.sqrt(5) - 1) / 2
        for _ in range(count):
            a, b = high - golden * (high - low), low + golden * (high - low)
            low, high = (low, b) if function(a) < function(b) else (a, high)
        return (low + high) / 2

    def bar_for(frame):
        return least(lambda bar: deviation(frame, bar), 2.7, 2.95, 14)
    frame = least(lambda frame: deviation(frame, bar_for(frame)), 2.1, 2.35, 14)
    return deviation(frame, bar_for(frame)), deviation(2, 2.5)


@unittest.skipIf(os.environ.get("GRASHOF_SHORT"), "numbers of the documents, at the speed of sanitizers")
class Documentation(OptimizeCase):
    def test_commands_of_the_documentation_give_what_stands_there(self):
        with open(SOURCE + "/assets/docs/studies.md", encoding="utf-8") as file:
            text = file.read()
        blocks = re.findall(r"    grashof optimize (.*assets/studies/.*)\n(?:.|\n)*?```\n((?:.|\n)*?)```", text)
        self.assertEqual(len(blocks), 2)
        os.symlink(SOURCE + "/assets", self.path("assets"))
        if os.environ.get("GRASHOF_SHORT") == "1":
            self.skipTest("too slow under sanitizers")
        straight = self.optimize(*blocks[0][0].split()).stdout
        value = re.compile(r"straightness:coupler +(\S+) +(\S+)")
        said, made = (tuple(map(float, value.search(t).groups())) for t in (blocks[0][1], straight))
        for a, b in zip(said, made):
            self.assertAlmostEqual(a, b, delta=0.01 * a)
        least, hoeken = least_straightness()
        self.assertAlmostEqual(made[0], hoeken, delta=0.01 * hoeken)
        self.assertAlmostEqual(made[1], least, delta=0.02 * least)
        linkages = self.optimize(*blocks[1][0].split()).stdout
        for said_or_made in (blocks[1][1], linkages):
            self.assertRegex(said_or_made, r"crank-rocker +yes +yes +0\.4 +0\.12 +0\.35 +0\.4\n")
            self.assertEqual(said_or_made.count("cognate: "), 2)
        # The linkage runs, and its coupler point passes the points.
        self.run_program("check", self.path("results/path-points/linkage.xml"))
        points = "; ".join(f"{r['x']} 0 {r['z']}" for r in csv.DictReader(open_text(SOURCE + "/assets/studies/path-points.csv")))
        self.run_program("sweep", self.path("results/path-points/linkage.xml"), "--param", "t=0.01,0.02", "--measure",
                         "miss=miss:coupler@" + points)
        with open(self.path("results/linkage/table.csv"), encoding="utf-8") as file:
            self.assertLess(float(next(csv.DictReader(file))["miss"]), 1e-5)


def open_text(path):
    with open(path, encoding="utf-8") as file:
        return file.read().splitlines()


class Messages(OptimizeCase):
    def test_bad_input_is_said_before_anything_runs(self):
        rest = self.rest()
        cases = [
            ((rest, *RANGES), "nothing is to be optimized"),
            ((rest, *RANGES, *GOAL, "--maximize", "end:body.a.position.z"), "are alternatives"),
            ((rest, "--param", "m=1,2", *GOAL), "needs a range FROM:TO"),
            ((rest, "--param", "m=2:1", *GOAL), "parameter"),
            ((rest, "--param", "k=1:2", *GOAL), "did you mean m?"),
            ((rest, *RANGES, "--minimize", "straightness:bar"), "there is no such body"),
            ((rest, *RANGES, "--minimize", "straightness:a:1,2"), "needs three coordinates"),
            ((rest, *RANGES, "--minimize", "transmission:B,C,D"), "there is no joint 'B'"),
            ((rest, *RANGES, "--minimize", "miss:a"), "needs points after an @"),
            ((rest, *RANGES, "--target", "a=" + self.path("bad.csv", "x,z\n1,2\n3,four\n")), "bad.csv:3: '3,four' is no point"),
            ((rest, *RANGES, "--target", "a"), "needs POINT=FILE"),
            ((rest, *RANGES, *GOAL, "--constraint", "end:body.a.position.z"), "needs MEASURE<=VALUE"),
            ((rest, *RANGES, *GOAL, "--constraint", "end:body.a.position.z<=much"), "'much' is no number"),
            ((rest, *RANGES, *GOAL, "--constraint", "end:body.a.position.z<=1", "--method", "bobyqa"), "takes no constraints"),
            ((rest, "--param", "m=1:2", *GOAL, "--method", "bobyqa"), "needs two parameters"),
        ]
        for arguments, message in cases:
            with self.subTest(message):
                self.assertIn(message, self.optimize(*arguments, code=2).stderr)

    def test_nothing_but_results_is_printed_where_there_is_no_terminal(self):
        done = self.optimize(self.rest(), *RANGES, *GOAL)
        self.assertEqual(done.stderr, "")
        self.assertNotIn("\r", done.stdout)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=1)
