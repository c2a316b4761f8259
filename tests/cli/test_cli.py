"""The grashof program from outside: exit codes, files, messages. Usage: test_cli.py PROGRAM SOURCE_FOLDER [CLASS[.TEST] ...]"""

import base64
import csv
import fnmatch
import glob
import html
import json
import math
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.error
import urllib.request
import xml.etree.ElementTree as ElementTree
import zlib

import h5py
import numpy

PROGRAM, SOURCE = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
SCENARIOS = [file for file in sorted(glob.glob(SOURCE + "/assets/s*/*.xml"))
             if ElementTree.parse(file).getroot().tag == "scenario"]
XSD = "{http://www.w3.org/2001/XMLSchema}"
# Sanitizers make the program some fifteen times slower: there tests are left out whose code others run as well.
SHORT = os.environ.get("GRASHOF_SHORT") == "1"
LONG = unittest.skipIf(SHORT, "takes minutes under the sanitizers")

PENDULUM = """<scenario name="pendulum">
  <options duration="0.2"/>
  <perturb velocity="0.1" seed="1"/>
  <body name="bob" position="0.5 0 0"><shape type="sphere" radius="0.1" collides="false"/></body>
  <joint name="pin" type="spherical" follower="bob" position="0 0 0"/>
  <expect><check channel="residual.joint" max="1e-9"/></expect>
</scenario>"""


def scenario(name):
    return f"{SOURCE}/assets/scenarios/{name}.xml"


class ProgramCase(unittest.TestCase):
    """Runs the program in a folder of its own."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name, text=None):
        full = os.path.join(self.folder.name, name)
        if text is not None:
            with open(full, "w", encoding="utf-8") as file:
                file.write(text)
        return full

    def run_program(self, *arguments, code=0, environment=None, launcher=(), **options):
        done = subprocess.run([*launcher, PROGRAM, *arguments], capture_output=True, text=True, cwd=self.folder.name,
                              timeout=250, env={**os.environ, **(environment or {})}, **options)
        self.assertEqual(done.returncode, code, f"{arguments}\n{done.stdout}\n{done.stderr}")
        return done


class Program(ProgramCase):
    def test_help_and_version(self):
        text = self.run_program("--help").stdout
        for word in ("run", "check", "Exit codes"):
            self.assertIn(word, text)
        for command in ("run", "check"):
            text = self.run_program(command, "--help").stdout
            for flag in ("--solver", "--duration", "--timestep", "--out", "--seed", "--threads", "--set", "--json"):
                self.assertIn(flag, text)
        self.assertRegex(self.run_program("--version").stdout, r"^\d+\.\d+\.\d+$")

    def test_exit_codes(self):
        text = self.run_program("--help").stdout
        for meaning in ("1 an expectation failed", "2 bad input", "3 a run diverged", "4 a mechanism cannot be assembled",
                        "5 a file cannot be written", "70 an error inside", "128 + N ended by signal N"):
            self.assertIn(meaning, text)
        file = self.path("pendulum.xml", PENDULUM)
        self.run_program("check", self.path("strict.xml", PENDULUM.replace('max="1e-9"', 'max="-1"')), code=1)
        self.run_program("run", "nowhere.xml", code=2)
        self.run_program("swim", code=2)
        blocked = self.path("blocked", "a file where a folder is wanted") + "/results"
        for command in (("run", file, "-o", blocked), ("inverse", scenario("slider-crank"), "--duration", "0.01", "-o", blocked),
                        ("loads", scenario("slider-crank"), "--duration", "0.01", "-o", blocked),
                        ("analyze", scenario("fourbar-fixed"), "--range", "A", "--curve", "coupler", "-o", blocked),
                        ("view", file, "-o", blocked + "/page.html"), ("convert", scenario("fourbar-fixed"), "--to", "mjcf", "-o", blocked),
                        ("bench", "suite", "--systems", file, "--out", blocked)):
            self.assertIn("blocked", self.run_program(*command, code=5).stderr)
        # The greatest code of all files counts, and one that fails keeps no other from running.
        far = self.path("far.xml", PENDULUM.replace("</scenario>", """<joint name="other" type="spherical" follower="bob">
            <base-frame position="0 0 2"/><follower-frame position="0 0 0"/></joint></scenario>"""))
        self.assertTrue(self.run_program("run", far, file, "-o", "out", code=4).stderr.startswith("grashof: " + far))
        self.assertTrue(os.path.exists(self.path("out/pendulum/summary.json")))

    def test_example_of_the_readme(self):
        with open(SOURCE + "/README.md", encoding="utf-8") as file:
            text = re.search(r"```xml\n(.*?)```", file.read(), re.S).group(1)
        self.run_program("check", self.path("slider-crank.xml", text))

    def test_bench_speed(self):
        result = json.loads(self.run_program("bench", "speed", "--links", "4,8", "--seconds", "0.01", "--json").stdout)
        self.assertEqual([point["links"] for point in result["chain"]], [4, 8])
        for point in result["chain"]:
            self.assertGreater(point["step_s"], 0)
            self.assertLess(point["joint_residual"], 1e-9)
        self.assertIn("exponent", result)

    @LONG
    def test_bench_speed_scissors(self):
        result = json.loads(self.run_program("bench", "speed", "--model", "scissors", "--links", "2,18", "--seconds", "0.01",
                                             "--json").stdout)
        self.assertEqual([row["links"] for row in result["scissors"]], [2, 18])
        for row in result["scissors"]:
            self.assertLess(row["joint_residual"], 1e-9)
        result = json.loads(self.run_program("bench", "speed", "--model", "wall", "--links", "4,16", "--seconds", "0.01",
                                             "--json").stdout)
        self.assertEqual([p["links"] for p in result["wall"]], [4, 16])
        self.assertEqual(result["wall"][0]["contacts"], 16)
        self.assertIn(result["wall"][1]["contacts"], range(80, 97))  # up to eight a brick
        self.run_program("bench", "speed", "--model", "ladder", code=2)

    def test_bench_convergence(self):
        cube = scenario("dragged-cube")
        duration, reference = ("0.04", "0.001") if SHORT else ("0.4", "0.0001")
        done = self.run_program("bench", "convergence", cube, "--duration", duration, "--timesteps", "0.004,0.002", "--reference-step", reference,
                                "--solvers", "ADMM,IPM-CCP", "-o", "out")
        if not SHORT:
            self.assertRegex(done.stdout, r"IPM-CCP +error grows as step\^1\.0")
        with open(self.path("out/convergence.csv"), encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([(row["solver"], row["timestep_s"]) for row in rows],
                         [(solver, step) for solver in ("ADMM", "IPM-CCP") for step in ("0.004", "0.002")])
        if not SHORT:
            self.assertLess(float(rows[1]["mean_error_m"]), 0.1 * float(rows[3]["mean_error_m"]))
        ElementTree.parse(self.path("out/dragged-cube-step.svg"))
        study = json.loads(self.run_program("bench", "convergence", cube, "--duration", "0.1", "--timesteps", "0.002", "--reference-step", "0.001",
                                            "--tolerances", "1e-4,1e-8", "--json").stdout)[0]
        self.assertEqual([run["tolerance"] for run in study["runs"]], [1e-4, 1e-8])
        for arguments, said in ((["--timesteps", "0.004,0.003"], "does not divide"), (["--solvers", "NONE"], "NONE"),
                                (["--duration", "0.001", "--timesteps", "0.01"], "shorter than the largest step")):
            self.assertIn(said, self.run_program("bench", "convergence", cube, *arguments, code=2).stderr)

    def test_bench_fields(self):
        folder = SOURCE + "/assets/scenarios"
        rows = json.loads(self.run_program("bench", "fields", folder, "--only", "sphere", "--json").stdout)["sphere"]
        gap = {row["solver"]: row["gap_m"] for row in rows}
        self.assertGreater(gap["SAP"], gap["SIMILAR"])
        self.assertGreater(gap["SIMILAR"], gap["LAGGED"])
        table = self.run_program("bench", "fields", folder, "--only", "sphere").stdout
        self.assertIn("| SIMILAR |", table)
        self.assertIn("there is no experiment 'cone'", self.run_program("bench", "fields", folder, "--only", "cone", code=2).stderr)
        self.assertIn("falling-steel-sphere.xml", self.run_program("bench", "fields", "nowhere", "--only", "sphere", code=2).stderr)

    def test_bench_sweep(self):
        rows = json.loads(self.run_program("bench", "sweep", "--contacts", "10,100", "--solvers", "PGS-NCP", "--seconds",
                                           "0.01", "--json").stdout)
        self.assertEqual(len(rows), 2)
        self.assertGreater(rows[1]["contacts"], rows[0]["contacts"])
        self.run_program("bench", "sweep", "--solvers", "X", code=2)

    def test_picture_of_the_motion(self):
        self.run_program("run", self.path("pendulum.xml", PENDULUM), "--svg", "--out", self.path("out"))
        root = ElementTree.parse(self.path("out/pendulum/motion.svg")).getroot()
        svg = "{http://www.w3.org/2000/svg}"
        self.assertEqual(root.tag, svg + "svg")
        self.assertTrue(list(root.iter(svg + "animateTransform")) + list(root.iter(svg + "animate")))

    def models(self, solvers, *more):
        done = self.run_program("bench", "models", "--solvers", ",".join(solvers), "--json", *more)
        return {row["solver"]: row for row in json.loads(done.stdout)}

    @LONG
    def test_contact_models_do_what_theory_says(self):
        rows = self.models(["ADMM", "ADMM-CCP", "LCP-PGS", "PGS-NCP", "RAISIM-DS"])
        exact = rows["ADMM"]["exact_distance_m"]
        for name in ("ADMM", "PGS-NCP", "RAISIM-DS"):  # the NCP: straight, flat, v²/2μg
            self.assertLess(rows[name]["sideways_m"], 1e-6)
            self.assertLess(rows[name]["hop_m"], 1e-8)
            self.assertAlmostEqual(rows[name]["distance_1ms_m"] / exact, 1, delta=1e-5)
            self.assertLess(abs(rows[name]["float_1ms"]), 1e-3)
        self.assertGreater(rows["LCP-PGS"]["sideways_m"], 0.1)  # a pyramid turns a slide
        many = self.models(["LCP-PGS"], "--set", "solver.facets=32")["LCP-PGS"]  # one of many facets by less
        self.assertLess(many["sideways_m"], rows["LCP-PGS"]["sideways_m"] / 4)
        self.assertLess(abs(many["distance_1ms_m"] / exact - 1), 0.01)
        said = self.run_program("bench", "models", "--set", "solver.facets=5", code=2).stderr
        self.assertIn("needs an even number from 4 to 256", said)
        self.assertGreater(rows["ADMM-CCP"]["hop_m"], 0.01)  # the convex relaxation lifts by dt mu v
        self.assertAlmostEqual(rows["ADMM-CCP"]["float_1ms"], 1, delta=0.05)
        self.assertAlmostEqual(rows["ADMM-CCP"]["float_4ms"], 1, delta=0.05)
        self.assertLess(abs(rows["ADMM"]["internal_friction"]), 1e-3)
        self.assertGreater(rows["PGS-NCP"]["internal_friction"], 0.5)
        self.assertLess(rows["ADMM"]["broken"][2], 1e-3)  # mass ratio 1e4
        self.assertGreater(rows["PGS-NCP"]["broken"][2], 1e-2)

    @LONG
    def test_raisim_dissipates_too_little(self):
        row = self.models(["RAISIM"])["RAISIM"]
        self.assertGreater(row["distance_1ms_m"] / row["exact_distance_m"], 1.001)

    def test_overrides_reach_every_command_that_reads_a_scenario(self):
        j = json.loads(self.run_program("loads", scenario("fourbar-fixed"), "--set", "options.duration=0.01", "--json").stdout)
        self.assertAlmostEqual(j["duration_s"], 0.01)
        for command in ("loads", "analyze", "inverse", "assemble"):
            with self.subTest(command):
                said = self.run_program(command, scenario("fourbar-fixed"), "--set", "body[nothing].position=0 0 0", code=2).stderr
                self.assertIn("body[nothing]", said)

    def test_analyze(self):
        text = self.run_program("analyze", scenario("fourbar-fixed")).stdout
        for words in ("18 freedoms of the bodies - 20 constraint rows = -2", "mobility 1, 3 rows redundant", "motion 1: A 1: B"):
            self.assertIn(words, text)
        both = json.loads(self.run_program("analyze", "--json", scenario("fourbar-fixed"), scenario("stewart-platform")).stdout)
        self.assertEqual([m["mobility"] for m in both], [1, 6])
        self.assertEqual([m["redundant"] for m in both], [3, 0])
        released = [direction for joint in both[0]["joint"] for direction in joint["release"]]
        self.assertEqual(len(released), 3)
        self.assertEqual(both[0]["modes"][0]["rates"]["A"], 1.0)
        self.run_program("analyze", self.path("broken.xml", "<scenario>"), code=2)

    def test_reach_and_curves(self):
        text = self.run_program("analyze", scenario("fourbar-fixed"), "--range", "A", "--range", "D",
                                "--curve", "coupler:0.1,0,0.05", "-o", "curves").stdout
        for words in ("crank-rocker", "input A: turns round", "(dead point)"):
            self.assertIn(words, text)
        picture = ElementTree.parse(self.path("curves/fourbar-fixed-A.svg")).getroot()
        self.assertTrue(picture.tag.endswith("svg"))
        with open(self.path("curves/fourbar-fixed-A.csv"), encoding="utf-8") as file:
            rows = file.read().splitlines()
        self.assertEqual(rows[0], "A,coupler:0.1 0 0.05.x,coupler:0.1 0 0.05.y,coupler:0.1 0 0.05.z")
        first, last = ([float(x) for x in rows[i].split(",")] for i in (1, -1))
        self.assertAlmostEqual(last[0] - first[0], 6.283185307, 6)
        for a, b in zip(first[1:], last[1:]):
            self.assertAlmostEqual(a, b, 6)
        self.assertIn("there is no such joint", self.run_program("analyze", scenario("fourbar-fixed"), "--range", "Z", code=2).stderr)
        self.assertIn("add --range", self.run_program("analyze", scenario("fourbar-fixed"), "--curve", "crank", code=2).stderr)

    def test_loads_of_a_clip(self):
        clip = self.path("clip.csv")
        name = json.loads(self.run_program("inverse", scenario("slider-crank"), "--duration", "0.1", "--json").stdout)["drives"][0]["coordinate"]
        self.assertEqual(name, "main")
        with open(scenario("slider-crank"), encoding="utf-8") as file:
            motion = re.search(r'<motion name="([^"]+)"', file.read()).group(1)
        with open(clip, "w", encoding="utf-8") as file:
            file.write(f"time,{motion}\n" + "".join(f"{0.1 * i},{0.5 + 0.02 * i * i}\n" for i in range(6)))
        out = self.run_program("loads", scenario("slider-crank"), "--clip", clip, "-o", "out", "--json")
        loads = json.loads(out.stdout)
        self.assertAlmostEqual(loads["duration_s"], 0.5)
        self.assertEqual(loads["drives"][0]["coordinate"], "main")
        self.assertGreater(loads["drives"][0]["effort"]["value"] ** 2, 0.0)
        self.assertFalse(all(loads["joints"][0][c]["unique"] for c in ("fx", "fy", "fz", "mx", "my", "mz")))
        with open(self.path("out/slider-crank/loads.csv"), encoding="utf-8") as file:
            self.assertIn("drive.main.power", file.readline())
        self.assertIn("effort", self.run_program("loads", scenario("slider-crank"), "--duration", "0.1").stdout)
        wrong = self.path("wrong.csv", "time,nothing\n0,0\n1,1\n")
        self.assertIn("names no motion", self.run_program("loads", scenario("slider-crank"), "--clip", wrong, code=2).stderr)

    def test_loads_judge_motors(self):
        with open(scenario("neck"), encoding="utf-8") as file:
            neck = file.read()

        def with_motor(name, ratings):
            text = neck.replace("<body", f'<motor name="servo" gear-ratio="200" torque-constant="0.01" {ratings}/><body', 1)
            text = text.replace('type="motion" motion="left"', 'type="motion" motion="left" motor="servo"')
            return self.path(name + ".xml", text)

        large = with_motor("large", 'stall-torque="0.02" no-load-speed="5000" rms-torque="0.01"')
        motor, = json.loads(self.run_program("loads", large, "--duration", "1", "--json").stdout)["motors"]
        self.assertEqual((motor["coordinate"], motor["motor"], motor["asked_by"]), ("left-servo", "servo", "motion"))
        self.assertFalse(motor["too_small"])
        self.assertNotEqual(motor["current"]["value"], 0.0)
        self.assertIsNone(motor["heat_J"])  # without a resistance nobody knows
        self.assertEqual([r["rating"] for r in motor["ratings"]], ["torque-speed-line", "rms-torque"])
        self.assertNotIn("too small", self.run_program("loads", large, "--duration", "1").stdout)

        small = with_motor("small", 'torque-limit="0.0004" speed-limit="1000"')
        out = self.run_program("loads", small, "--duration", "1", "--json", "-o", "out").stdout
        motor, = json.loads(out)["motors"]
        self.assertTrue(motor["too_small"])
        torque, speed = motor["ratings"]
        self.assertAlmostEqual(torque["use"], abs(motor["torque"]["value"]) / 0.0004)
        self.assertEqual(torque["time_s"], motor["torque"]["time_s"])
        self.assertLessEqual(torque["first_s"], torque["time_s"])
        self.assertFalse(speed["too_small"])
        text = self.run_program("loads", small, "--duration", "1").stdout
        self.assertRegex(text, r"too small: motor servo of left-servo: torque-limit by [0-9.]+ at 0:0")
        self.assertNotIn("speed-limit by", text)
        with open(self.path("out/small/motors.csv"), encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([(r["rating"], r["too_small"]) for r in rows], [("torque-limit", "1"), ("speed-limit", "0")])
        self.assertEqual(float(rows[0]["use"]), torque["use"])
        with open(self.path("out/small/loads.csv"), encoding="utf-8") as file:
            self.assertIn("motor.left-servo.current", file.readline())

    def test_convert_sdf(self):
        sdf = self.path("arm.sdf", """<sdf version="1.9"><model name="arm"><link name="a"><pose>0 0 1 0 0 0</pose><inertial><mass>1</mass></inertial>
            </link><joint name="pivot" type="revolute"><parent>world</parent><child>a</child><axis><xyz>0 1 0</xyz></axis></joint></model></sdf>""")
        tried = subprocess.run([PROGRAM, "convert", sdf], capture_output=True, text=True, cwd=self.folder.name, timeout=250)
        if "it is not there" in tried.stderr:
            self.skipTest("the program is built without libsdformat")
        done = self.run_program("convert", sdf, "--json")
        self.assertEqual(done.stderr, "")
        self.assertEqual(json.loads(done.stdout)["mobility"], 1)
        for to in ("urdf", "mjcf"):
            self.assertIn("mobility 1", self.run_program("convert", sdf, "--to", to).stdout)
        broken = self.run_program("convert", self.path("broken.sdf", """<sdf version="1.9"><model name="m">
            <link name="a"><pose>1 2 3</pose></link></model></sdf>"""), code=2)
        self.assertEqual(broken.stdout, "")
        self.assertRegex(broken.stderr, r"^grashof: .*broken\.sdf:2: .*<pose>: .*must have 6 values.*\)\n$")

    def test_inverse_dynamics_tracks(self):
        done = json.loads(self.run_program("inverse", scenario("slider-crank"), "--duration", "0.5", "--json").stdout)
        self.assertLessEqual(done["tracking_error"], 1e-6)
        self.assertTrue(os.path.exists(self.path("results/slider-crank/efforts.csv")))
        self.run_program("run", self.path("results/slider-crank/feed-forward.xml"), "--quiet")
        self.assertIn("no coordinate has a prescribed motion", self.run_program("inverse", scenario("fourbar-fixed"), code=2).stderr)

    def test_inverse_dynamics_presses_as_asked(self):
        arm = (scenario("arm-on-wall"), "--set", "param.c=0", "--duration", "0.3", "--normal-force")
        done = json.loads(self.run_program("inverse", *arm, "20", "--json").stdout)
        self.assertAlmostEqual(done["contacts"]["normal_force_N"], 20.0, places=6)
        self.assertLessEqual(max(done["contacts"]["twist_error"], done["contacts"]["force_error"], done["tracking_error"]), 1e-6)
        self.assertIn("contacts press with 20 N", self.run_program("inverse", *arm, "20").stdout)
        # The convex relaxation has none for a rigid contact that slides.
        none = self.run_program("inverse", *arm, "20", "--set", "solver.name=CCP-NEWTON", code=3)
        self.assertIn("no impulses belong to the motions at 0 s", none.stderr)
        self.assertIn("needs a number from 0", self.run_program("inverse", *arm, "-1", code=2).stderr)
        away = self.run_program("inverse", scenario("slider-crank"), "--duration", "0.1", "--normal-force", "20").stdout
        self.assertIn("nothing presses", away)

    def test_convert(self):
        urdf = self.path("arm.urdf", """<robot name="arm"><link name="base"/><link name="a"><inertial><origin xyz="0 0 -0.5"/><mass value="1"/>
            <inertia ixx="0.1" iyy="0.1" izz="0.01"/></inertial><visual><geometry><mesh filename="a.stl"/></geometry></visual></link>
            <joint name="pivot" type="continuous"><parent link="base"/><child link="a"/><axis xyz="0 1 0"/></joint></robot>""")
        self.assertIn("a.stl' is not there", self.run_program("convert", urdf, "--strict", code=2).stderr)
        report = json.loads(self.run_program("convert", urdf, "--json").stdout)
        self.assertEqual((report["bodies"], report["mobility"]), (1, 1))
        text = self.run_program("convert", urdf, "-o", "arm.xml").stdout
        for words in ("1 bodies, 1 joints", "mobility 1", "left out: shapes whose mesh is not there or cannot be used: a.stl"):
            self.assertIn(words, text)
        checked = json.loads(self.run_program("convert", urdf, "--check", "--floor", "1", "--json").stdout)["check"]
        self.assertTrue(checked["holds"])
        self.assertEqual((checked["steps"], checked["crossed_limits"]), (1000, []))
        self.assertLessEqual(checked["joint_error"], 1e-9)
        text = self.run_program("convert", urdf, "--check", "--self-contact", "none", "--strict", "--skip-missing-meshes").stdout
        self.assertIn("check: holds for 1 s", text)
        self.run_program("convert", urdf, "--self-contact", "some", code=2)
        self.run_program("run", "arm.xml", "--duration", "0.1", "--quiet")
        self.run_program("convert", "arm.xml", "--to", "mjcf", "-o", "arm.mjcf")
        self.assertIn("1 bodies, 1 joints", self.run_program("convert", "arm.mjcf", "-o", "back.xml").stdout)
        self.run_program("convert", scenario("fourbar-fixed"), "--to", "urdf", "-o", "four.urdf")
        self.assertIn("mobility 1", self.run_program("convert", "four.urdf", "--loops", "four.yaml").stdout)
        self.assertIn("loops of four.yaml beside it", self.run_program("convert", "four.urdf").stdout)
        self.assertIn("mobility 3", self.run_program("convert", "four.urdf", "--loops", "none").stdout)
        exported = json.loads(self.run_program("convert", scenario("gear-train"), "--to", "mjcf", "-o", "gears.xml", "--json").stdout)
        self.assertEqual((exported["mobility"], exported["warnings"]), (1, []))
        self.assertIn("warning: the written file has mobility", self.run_program(
            "convert", scenario("all-joints"), "--to", "urdf", "-o", "all.urdf").stdout)
        self.assertIn("the root element is <html>", self.run_program("convert", self.path("x.xml", "<html/>"), code=2).stderr)
        self.assertIn("is a scenario already", self.run_program("convert", scenario("fourbar-fixed"), code=2).stderr)

    def test_assemble(self):
        rough = """<scenario name="rough"><options duration="0.1"/>{}
          <body name="crank" position="0.1 0 0.1"><inertial mass="1" inertia="0.01 0.01 0.01"/></body>
          <body name="coupler" position="0.2 0 0"><inertial mass="1" inertia="0.01 0.01 0.01"/></body>
          <body name="rocker" position="0.3 0.1 0"><inertial mass="1" inertia="0.01 0.01 0.01"/></body>
          <joint name="A" type="revolute" follower="crank"><base-frame axis="0 1 0"/><follower-frame position="-0.05 0 0" axis="0 1 0"/></joint>
          <joint name="B" type="revolute" base="crank" follower="coupler"><base-frame position="0.05 0 0" axis="0 1 0"/>
            <follower-frame position="-0.2 0 0" axis="0 1 0"/></joint>
          <joint name="C" type="revolute" base="coupler" follower="rocker"><base-frame position="0.2 0 0" axis="0 1 0"/>
            <follower-frame position="0.15 0 0" axis="0 1 0"/></joint>
          <joint name="D" type="revolute" follower="rocker"><base-frame position="{} 0 0" axis="0 1 0"/>
            <follower-frame position="-0.15 0 0" axis="0 1 0"/></joint></scenario>"""
        file = self.path("rough.xml", rough.format("", 0.35))
        done = self.run_program("run", file, code=4)
        self.assertIn("the poses do not fit the joints", done.stderr)
        found = json.loads(self.run_program("assemble", file, "--json", "--input", "A=-0.8", "--branches", "40").stdout)
        self.assertTrue(found["assembled"])
        self.assertLess(found["violation"], 1e-10)
        self.assertEqual(len(found["branches"]), 2)
        for branch in found["branches"]:
            self.assertAlmostEqual(branch["coordinates"]["A"][0], -0.8, 8)
        self.assertIn("2 poses found", self.run_program("assemble", file, "--input", "A=-0.8", "--branches", "40").stdout)

        self.run_program("run", self.path("held.xml", rough.format('<assemble><input joint="A" value="-0.8"/></assemble>', 0.35)))
        done = self.run_program("run", self.path("long.xml", rough.format("<assemble/>", 1.5)), code=4)
        self.assertIn("the loop of joints", done.stderr)
        self.assertIn("does not close", self.run_program("assemble", "long.xml", code=1).stdout)
        for wrong in ("A", "A=x", "Z=1", "A.3=1"):
            self.assertIn("--input", self.run_program("assemble", file, "--input", wrong, code=2).stderr)
        self.run_program("assemble", file, "--pin", "nobody", code=2)
        bad = self.path("bad.xml", rough.format('<assemble><input joint="A" coordinate="3" value="1"/></assemble>', 0.35))
        self.assertIn("has 1 coordinates", self.run_program("run", bad, code=2).stderr)

    def test_compare(self):
        done = self.run_program("compare", scenario("fourbar-free"), "--solvers", "ADMM,PGS-NCP", "--duration", "0.05",
                                "--json")
        rows = json.loads(done.stdout)
        self.assertEqual([row["solver"] for row in rows], ["ADMM", "PGS-NCP"])
        for row in rows:
            self.assertEqual(row["steps"], 50)
            self.assertLess(row["residuals"]["dual"], 1e-6)
        self.assertIn("PGS-NCP", self.run_program("compare", scenario("box-on-plane"), "--solvers", "PGS-NCP",
                                                  "--duration", "0.01").stdout)
        self.assertIn("known:", self.run_program("compare", scenario("box-on-plane"), "--solvers", "X", code=2).stderr)

    def dumped(self, name="fourbar-free", rule="every=100"):
        """Problem files of the steps of a scenario."""
        self.run_program("run", scenario(name), "--duration", "0.3", "--dump-problems", rule, "-o", self.path("out"))
        return sorted(glob.glob(self.path(f"out/{name}/problems/*.h5")))

    def test_problems_with_loads_and_laws_are_solved_from_their_files(self):
        for name, surface in (("roll", 'rolling-friction="0.002"'), ("hertz", 'stiffness="1e6" exponent="1.5"')):
            self.run_program("run", self.path(name + ".xml", f"""<scenario><options duration="0.05"/><material name="m" friction="0.8" {surface}/>
              <shape type="plane" material="m"/><body name="a" position="0 0 0.05" velocity="1 0 0">
              <shape type="sphere" radius="0.05" mass="1" material="m"/></body></scenario>"""), "-q", "--dump-problems", "every=25", "-o", "out")
            files = glob.glob(self.path(f"out/{name}/problems/*.h5"))
            self.assertTrue(files)
            for row in json.loads(self.run_program("solve", *files, "--json").stdout):
                self.assertEqual(row["status"], "solved", row)

    def test_problems_of_a_run_are_files_that_solve_to_the_same(self):
        files = self.dumped()
        self.assertEqual(len(files), 3)
        with h5py.File(files[-1]) as file:
            contacts = len(file["fclib_local/vectors/mu"])
            self.assertGreater(contacts, 0)
            self.assertEqual(len(file["fclib_local/vectors/q"]), 3 * contacts)
            self.assertEqual(file["fclib_local/W/m"][0], 3 * contacts)
            self.assertEqual(len(file["grashof/joints/rows"]), 4)
            u, r = file["solution/u"][:], file["solution/r"][:]
        self.assertGreater(r[0::3].min(), -1e-9)  # the normal comes first
        self.assertLess(abs(u[0::3] * r[0::3]).max(), 1e-7)
        done = self.run_program("solve", *files, "--solver", "ADMM,PGS-NCP", "--tolerance", "1e-9", "--json")
        rows = json.loads(done.stdout)
        self.assertEqual(len(rows), 6)
        for row in rows:
            self.assertEqual(set(row), {"file", "solver", "status", "iterations", "factorizations", "time_s", "contacts",
                                        "residuals"})
            self.assertEqual(row["status"], "solved", row)
            for name in ("primal", "dual", "complementarity"):
                self.assertLessEqual(row["residuals"][name], 1.01e-9)
        # A penalty that never moves takes one factorization, and an attribute that is none is refused.
        def factorizations(*more):
            text = self.run_program("solve", files[-1], "--solver", "ADMM-NCP-SA", "--json", *more).stdout
            return json.loads(text)[0]["factorizations"]

        self.assertEqual(factorizations("--set", "solver.penalty-step=0"), 1)
        self.assertEqual(factorizations("--set", "solver.penalty-step=0", "--set", "solver.relaxation=1.5"), 1)
        self.assertGreater(factorizations("--set", "solver.penalty-exponent=0.9"), 1)
        # Facets count, to the solver and to who judges it.
        for more in ((), ("--set", "solver.facets=16")):
            row = json.loads(self.run_program("solve", files[-1], "--solver", "LCP-PGS,LCP-LEMKE,LCP-STAGGERED", "--json", *more).stdout)
            self.assertEqual([r["status"] for r in row], 3 * ["solved"])
        for wrong, said in (("solver.facets=7", "even number"), ("solver.penaltystep=0", "penaltystep"), ("solver.penalty-step=7", "penalty-step"), ("penalty", "path=value"), ("solver.max-iterations=1", "of its own")):
            self.assertIn(said, self.run_program("solve", files[-1], "--set", wrong, code=2).stderr)
        self.run_program("run", scenario("fourbar-free"), "--dump-problems", "often", "-o", self.path("no"), code=2)

    def write_problem(self, name, change=lambda file: None):
        """One contact of 1 kg pressed onto the ground with 1 N s and pushed along t by 0.2 N s."""
        with h5py.File(self.path(name), "w") as file:
            file["fclib_local/spacedim"] = [3]
            for key, value in {"m": [3], "n": [3], "nz": [-1], "nzmax": [3], "p": [0, 1, 2, 3], "i": [0, 1, 2]}.items():
                file["fclib_local/W/" + key] = value
            file["fclib_local/W/x"] = [1.0, 1.0, 1.0]
            file["fclib_local/vectors/mu"] = [0.5]
            file["fclib_local/vectors/q"] = [-1.0, 0.2, 0.0]
            change(file)
        return self.path(name)

    def test_reaction_comes_in_the_rows_of_the_file(self):
        problem, out = self.write_problem("one.h5"), self.path("reaction.txt")
        self.run_program("solve", problem, "--solver", "NBGS", "--tolerance", "1e-12", "--reaction-out", out)
        with open(out, encoding="utf-8") as file:
            values = [float(line) for line in file]
        for value, expected in zip(values, [1.0, -0.2, 0.0], strict=True):
            self.assertAlmostEqual(value, expected, delta=1e-9)
        self.run_program("solve", problem, problem, "--reaction-out", out, code=2)

    def test_forms_of_the_matrix(self):
        def triplets(file):
            del file["fclib_local/W/nz"], file["fclib_local/W/p"]
            file["fclib_local/W/nz"] = [3]
            file["fclib_local/W/p"] = [0, 1, 2]

        def rows(file):
            file["fclib_local/W/nz"][0] = -2

        for change in (triplets, rows):
            done = self.run_program("solve", self.write_problem("form.h5", change), "--json")
            self.assertEqual(json.loads(done.stdout)[0]["status"], "solved")

    def test_bad_problem_files_exit_2(self):
        def replaced(name, value):
            def change(file):
                del file["fclib_local/" + name]
                if value is not None:
                    file["fclib_local/" + name] = value
            return change

        nan = float("nan")
        bad = {"missing": replaced("vectors/q", None), "short": replaced("vectors/q", [1.0]),
               "nan": replaced("vectors/q", [nan, 0.0, 0.0]), "negative": replaced("vectors/mu", [-0.5]),
               "empty": replaced("vectors/mu", []), "plane": replaced("spacedim", [2]),
               "size": replaced("W/m", [6]), "infinite": replaced("W/x", [1.0, float("inf"), 1.0]),
               "index": replaced("W/i", [0, 1, 7]), "pointer": replaced("W/p", [0, 3, 2, 3]),
               "indices": replaced("W/p", [0, 1]), "values": replaced("W/x", [1.0]),
               "diagonal": replaced("W/x", [1.0, 0.0, 1.0]), "text": replaced("vectors/mu", ["a"]),
               "no W": replaced("W", None), "form": replaced("W/nz", [-7]), "triplets": replaced("W/nz", [99]),
               "unsymmetric": replaced("W/i", [1, 1, 2])}
        files = [self.write_problem(f"{name}.h5", change) for name, change in bad.items()]
        whole = self.write_problem("whole.h5")
        with open(whole, "rb") as file:
            content = file.read()
        for name, data in {"truncated.h5": content[:900], "text.h5": b"hello", "nothing.h5": b""}.items():
            with open(self.path(name), "wb") as file:
                file.write(data)
            files.append(self.path(name))
        files.append(self.path("absent.h5"))
        with h5py.File(self.path("other.h5"), "w") as file:
            file["x"] = [1]
        files.append(self.path("other.h5"))
        for path in files:
            done = self.run_program("solve", path, code=2)
            self.assertIn(os.path.basename(path), done.stderr)
            self.assertRegex(done.stderr, r"\(.*\)|is missing|does not|has an entry|cannot be|needs|names", path)
        self.run_program("solve", whole, "--solver", "nonsense", code=2)
        self.run_program("solve", whole, "--tolerance", "0", code=2)

    @unittest.skipUnless(os.path.isdir(SOURCE + "/../shared/ncp"), "../shared/ncp is not there")
    def test_real_problems_from_another_code(self):
        files = sorted(glob.glob(SOURCE + "/../shared/ncp/*.hdf5"))
        rows = json.loads(self.run_program("solve", *files, "--solver", "ADMM,ADMM-NCP-SA", "--tolerance", "1e-6",
                                           "--json").stdout)
        unsolved = {os.path.basename(row["file"]) for row in rows if row["status"] != "solved"}
        self.assertLessEqual(unsolved, {"Confeti-ex03.hdf5"})

    def test_usage_errors_exit_2(self):
        pendulum = self.path("pendulum.xml", PENDULUM)
        for arguments in (["jump"], ["run"], ["run", pendulum, "--threads", "0"], ["run", pendulum, "--duration", "-1"],
                          ["run", pendulum, "--solver", "nonsense"], ["run", pendulum, "--set", "nothing"],
                          ["run", pendulum, "--set", "body[none].position=0 0 0"], ["run", self.path("missing.xml")]):
            done = self.run_program(*arguments, code=2)
            self.assertTrue(done.stderr.strip() or done.stdout.strip())
            self.assertFalse(os.path.exists(self.path("results")), arguments)

    def test_bad_input_says_where_and_writes_nothing(self):
        bad = self.path("bad.xml", '<scenario>\n<body name="a">\n<inertial mass="-1" inertia="1 1 1"/>\n</body>\n</scenario>')
        good = self.path("good.xml", PENDULUM)
        done = self.run_program("run", good, bad, "-o", self.path("out"), code=2)
        self.assertRegex(done.stderr, r"bad\.xml:3.*body\[a\]/inertial.*mass")
        self.assertFalse(os.path.exists(self.path("out")))

    def test_results(self):
        pendulum = self.path("pendulum.xml", PENDULUM)
        out = self.path("out")
        done = self.run_program("run", pendulum, "--out", out, "--csv", "--profile", "--set", "output.interval=0.05")
        self.assertIn("pendulum", done.stdout)
        self.assertNotIn("\r", done.stdout + done.stderr)  # no progress bar without a terminal
        with open(out + "/pendulum/summary.json", encoding="utf-8") as file:
            summary = json.load(file)
        self.assertEqual(summary["steps"], 200)
        self.assertTrue(summary["passed"])
        self.assertFalse(summary["diverged"])
        for key in ("wall_time_s", "stages_s", "residuals", "energy_J", "iterations", "warnings"):
            self.assertIn(key, summary)
        with h5py.File(out + "/pendulum/trajectory.h5") as file:
            self.assertEqual(file.attrs["format"], b"grashof-trajectory")
            self.assertEqual([name.decode() for name in file["bodies/names"]], ["bob"])
            self.assertEqual(file["bodies/pose"].shape, (5, 1, 7))
            self.assertEqual(file["joints/reaction"].shape, (5, 1, 6))
            self.assertAlmostEqual(file["time"][-1], 0.2)
            height = file["bodies/pose"][-1, 0, 2]
        with open(out + "/pendulum/trajectory.csv", encoding="utf-8") as file:
            rows = [line.strip().split(",") for line in file]
        self.assertEqual(len(rows), 6)
        self.assertEqual(float(rows[-1][rows[0].index("body.bob.position.z")]), height)

    def test_options_override_the_file(self):
        pendulum = self.path("pendulum.xml", PENDULUM)

        def result(*arguments):
            return json.loads(self.run_program("run", pendulum, "--json", "-o", self.path("out"), *arguments).stdout)[0]

        def final_pose(*arguments):
            result(*arguments)
            with h5py.File(self.path("out") + "/pendulum/trajectory.h5") as file:
                return list(file["bodies/pose"][-1, 0])

        self.assertEqual(result("--duration", "0.1", "--timestep", "0.002")["steps"], 50)
        self.assertEqual(final_pose(), final_pose())
        self.assertEqual(final_pose("--seed", "1"), final_pose())
        self.assertNotEqual(final_pose("--seed", "2"), final_pose())
        self.assertNotEqual(final_pose("--set", "body[bob].shape.radius=0.2"), final_pose())
        for option in (["--set", "options.gravity=0 0 0"], ["--set", "options.gravity=1 0 0"]):
            self.assertNotEqual(final_pose(*option), final_pose())

    def test_check_judges(self):
        self.run_program("check", self.path("pendulum.xml", PENDULUM))
        strict = self.path("strict.xml", PENDULUM.replace('max="1e-9"', 'max="1e-30"'))
        done = self.run_program("check", strict, code=1)
        self.assertIn("FAIL", done.stdout)
        self.assertFalse(os.path.exists(self.path("results")))
        verdict = json.loads(self.run_program("check", strict, "--json", code=1).stdout)[0]
        self.assertFalse(verdict["passed"])
        self.assertGreater(verdict["expect"][0]["value"], 1e-30)

    def test_divergence_exits_3_and_keeps_results(self):
        out = self.path("out")
        done = self.run_program("run", scenario("heavy-chain-let-go"), "-o", out, code=3)
        self.assertIn("diverged at", done.stderr)
        folder = out + "/heavy-chain-let-go"
        with open(folder + "/summary.json", encoding="utf-8") as file:
            summary = json.load(file)
        self.assertGreater(summary["diverged"]["time_s"], 0.0)
        with h5py.File(folder + "/trajectory.h5") as file:
            self.assertGreater(len(file["time"]), 10)
            self.assertLess(abs(file["bodies/pose"][()]).max(), 1e3)

    def test_portable_kernels_give_the_same_motion_to_rounding(self):
        poses = {}
        for portable in ("0", "1"):
            out = self.path("portable" + portable)
            self.run_program("run", scenario("fourbar-fixed"), "--duration", "0.2", "-o", out,
                             environment={"GRASHOF_PORTABLE": portable})
            with h5py.File(out + "/fourbar-fixed/trajectory.h5") as file:
                poses[portable] = file["bodies/pose"][:]
        self.assertLess(abs(poses["0"] - poses["1"]).max(), 1e-9)

    def test_threads_do_not_change_a_bit(self):
        names = ["fourbar-fixed", "ten-cube-stack", "stewart-platform"]
        poses = []
        for threads in ("1", "2"):
            out = self.path("threads" + threads)
            self.run_program("run", *map(scenario, names), "--duration", "0.2", "--threads", threads, "-o", out)
            poses.append([h5py.File(f"{out}/{name}/trajectory.h5")["bodies/pose"][()].tobytes() for name in names])
        self.assertEqual(poses[0], poses[1])


class Schema(unittest.TestCase):
    def test_every_scenario_is_valid(self):
        self.assertGreaterEqual(len(SCENARIOS), 38)
        subprocess.run(["xmllint", "--noout", "--schema", SOURCE + "/assets/scenario.xsd", *SCENARIOS], check=True,
                       capture_output=True)

    def test_defects_are_not_valid(self):
        for wrong in ('<scenario><bodi name="a"/></scenario>', '<scenario><body/></scenario>',
                      '<scenario><options timestep="0,001"/></scenario>',
                      '<scenario><body name="a" position="1 2"/></scenario>'):
            done = subprocess.run(["xmllint", "--noout", "--schema", SOURCE + "/assets/scenario.xsd", "-"], input=wrong,
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 3, wrong)

    def test_schema_md_documents_what_the_xsd_allows_and_no_more(self):
        root = ElementTree.parse(SOURCE + "/assets/scenario.xsd").getroot()
        groups = {g.get("name"): g for g in root.findall(XSD + "attributeGroup")}
        types = {t.get("name"): t for t in root.findall(XSD + "complexType")}

        def attributes(node):
            names = set()
            for child in node:
                if child.tag == XSD + "attribute":
                    names.add(child.get("name"))
                elif child.tag == XSD + "attributeGroup":
                    names |= attributes(groups[child.get("ref")])
            return names

        allowed = {}
        for element in root.iter(XSD + "element"):
            kind = element.find(XSD + "complexType")
            node = types[element.get("type")] if kind is None else kind
            allowed[element.get("name")] = attributes(node)
        with open(SOURCE + "/assets/schema.md", encoding="utf-8") as file:
            sections = re.split(r"^#+ ", file.read(), flags=re.M)
        documented = {}
        for section in sections:
            for name in section.split("\n")[0].split(", "):
                # Only the first table: others list types.
                table = re.search(r"^\| attribute.*?(?=\n\n|\Z)", section, flags=re.M | re.S)
                rows = table.group(0).split("\n")[2:] if table else []
                documented[name] = {a for row in rows for a in re.findall(r"`([a-z0-9-]+)`", row.split("|")[1])}
        for name, names in allowed.items():
            if name in ("base-frame", "follower-frame", "divergence"):
                continue  # documented in prose
            self.assertIn(name, documented)
            if name == "channel":
                continue
            self.assertEqual(documented[name], names, name)


class View(ProgramCase):
    """The page of a run in headless Chromium, without a network."""

    CHROMIUM = shutil.which("chromium")

    def open_page(self, page, script, size="1280,800"):
        """What `script` returns in the page, after it is loaded; console messages are failures."""
        with open(page, encoding="utf-8") as file:
            text = file.read()
        probe = self.path("probe.html")
        with open(probe, "w", encoding="utf-8") as file:
            file.write(text.replace("</body>", "<script type='module'>const out = document.createElement('pre'); out.id = 'probe';"
                                    "window.addEventListener('error', (e) => { out.textContent = 'error ' + e.message; });"
                                    "document.body.append(out); const g = window.grashof;"
                                    f"out.textContent = JSON.stringify(await (async () => {{ {script} }})());</script></body>"))
        done = subprocess.run([self.CHROMIUM, "--headless=new", "--no-sandbox", "--use-gl=swiftshader", "--enable-unsafe-swiftshader",
                               "--host-resolver-rules=MAP * ~NOTFOUND", "--enable-logging=stderr", "--virtual-time-budget=6000",
                               f"--window-size={size}", "--dump-dom", "file://" + probe],
                              capture_output=True, text=True, timeout=200)
        said = [line for line in done.stderr.splitlines() if ":CONSOLE" in line and "GL Driver Message" not in line]
        self.assertEqual(said, [])
        found = re.search(r'<pre id="probe">(.*?)</pre>', done.stdout, re.S)
        self.assertIsNotNone(found, done.stdout[-2000:])
        return json.loads(found.group(1))

    def test_page_shows_bodies_where_the_run_had_them(self):
        if not self.CHROMIUM:
            self.skipTest("chromium is not installed")
        run = ("run", scenario("neck"), "--duration", "1", "--csv", "--view", "--set", "output.interval=0.1", "--quiet")
        self.run_program(*run, "-o", "out")
        with open(self.path("out/neck/trajectory.csv"), encoding="utf-8") as file:
            rows = [line.split(",") for line in file.read().splitlines()]
        at = {name: i for i, name in enumerate(rows[0])}
        row = next(r for r in rows[1:] if abs(float(r[at["time"]]) - 0.5) < 1e-6)
        script = """
            const f = Math.round(0.5 * 60); g.show(f);
            const before = g.bodyPosition('left-crank');
            document.getElementById('scrub').value = 0; document.getElementById('scrub').dispatchEvent(new Event('input'));
            const scrubbed = g.state.frame;
            g.play();
            for (let i = 0; i < 200 && g.state.frame <= 5; ++i) await new Promise((r) => setTimeout(r, 25));
            const played = g.state.frame; g.pause(); g.show(20);
            window.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight'})); const stepped = g.state.frame;
            const button = [...document.querySelectorAll('#list button')].find((b) => b.textContent === 'neck'); button.click();
            return {before, frames: g.frames, scrubbed, played, stepped,
                    title: document.querySelector('#title').textContent, plots: document.querySelectorAll('#plots canvas').length};"""
        for _ in range(5):  # a loaded machine may draw no frame in the time that the page is given, the sooner a small one
            seen = self.open_page(self.path("out/neck/view.html"), script, size="800,500")
            if seen["played"] > 5:
                break
        self.assertEqual(seen["scrubbed"], 0)
        self.assertGreater(seen["played"], 5)
        self.assertEqual(seen["stepped"], 21)
        self.assertEqual((seen["title"], seen["plots"]), ("neck", 3))
        self.assertGreater(seen["frames"], 55)
        # The centre of mass of the crank lies 15 mm from its frame, along its own x axis.
        position = [float(row[at[f"body.left-crank.position.{c}"]]) for c in "xyz"]
        distance = sum((a - b) ** 2 for a, b in zip(seen["before"], position)) ** 0.5
        self.assertAlmostEqual(distance, 0.015, 4)
        phone = self.open_page(self.path("out/neck/view.html"), """
            const hidden = getComputedStyle(document.getElementById('parts')).display;
            document.getElementById('open-parts').click();
            return [hidden, getComputedStyle(document.getElementById('parts')).display];""", "390,800")
        self.assertEqual(phone, ["none", "flex"])


class Results(ProgramCase):
    """What is made of recorded runs: info, plot, view, render; and controllers."""

    def page_data(self, path):
        with open(path, encoding="utf-8") as file:
            return json.loads(re.search(r'<script id="data" type="application/json">(.*?)</script>', file.read(), re.S).group(1))

    def peak_drawn(self, folder, channel):
        """The largest value of a channel in the picture that `plot` makes, and what a tenth of a pixel of it is worth."""
        self.run_program("plot", folder, "-y", channel, "-o", self.path("peak.svg"))
        with open(self.path("peak.svg"), encoding="utf-8") as file:
            text = file.read()
        ticks = [(float(y) - 4.0, float(value)) for y, value in re.findall(r'<text x="64" y="([0-9.]+)" font-size="11" text-anchor="end">([-0-9.e+]+)<', text)]
        (y0, v0), (y1, v1) = ticks[0], ticks[-1]
        scale = (v1 - v0) / (y1 - y0)
        points = re.search(r'<polyline points="([^"]*)"', text).group(1).split()
        return v0 + scale * (min(float(p.split(",")[1]) for p in points) - y0), abs(scale) * 0.2

    def test_five_loads_have_the_same_peak_in_records_pages_plots_and_loads(self):
        self.run_program("run", scenario("slider-crank"), "--set", "output.interval=0", "--duration", "0.3", "--view", "--quiet", "-o", "out")
        folder = self.path("out/slider-crank")
        loads = json.loads(self.run_program("loads", scenario("slider-crank"), "--duration", "0.3", "--json").stdout)
        self.run_program("view", folder, "-o", self.path("recorded.html"))
        info = {c["name"]: c for c in json.loads(self.run_program("info", folder, "--json").stdout)[0]["channels"]}
        self.assertEqual(len(loads["joints"]), 4)
        checked = [(f"joint.{load['joint']}.reaction", load["force"]["value"]) for load in loads["joints"]]
        checked += [(f"joint.{drive['coordinate']}.effort.0", drive["effort"]["value"]) for drive in loads["drives"]]
        self.assertEqual(len(checked), 5)
        for page in (self.page_data(folder + "/view.html"), self.page_data(self.path("recorded.html"))):
            run = page["runs"][0]
            for name, peak in checked:
                channel = run["channels"].index(name)
                extremes = run["more"]["extremes"]
                largest = max(extremes["greatest"][channel], -extremes["least"][channel])
                self.assertAlmostEqual(largest, abs(peak), delta=1e-9 * (1 + abs(peak)), msg=name)
                known = max(info[name]["greatest"], -info[name]["least"])
                self.assertAlmostEqual(largest, known, delta=1e-12 * (1 + known), msg=name)
                self.assertEqual(info[name]["redundant"], bool(run["more"]["redundant"][channel]))
            self.assertTrue(set(info) - {"time"} <= set(run["channels"]), sorted(set(info) - set(run["channels"])))
        for name, _ in checked:
            drawn, tolerance = self.peak_drawn(folder, name)
            self.assertAlmostEqual(drawn, info[name]["greatest"], delta=tolerance, msg=name)
        for load in loads["joints"]:
            self.assertEqual(info[f"joint.{load['joint']}.reaction"]["redundant"], not all(load[c]["unique"] for c in ("fx", "fy", "fz")))
        self.assertTrue(any(c["redundant"] for c in info.values()))
        self.run_program("plot", folder, "-y", "joint.*.reaction", "-o", self.path("loads.svg"))
        with open(self.path("loads.svg"), encoding="utf-8") as file:
            self.assertIn("~ joint.", file.read())

    @staticmethod
    def table(packed):
        """The columns of a table of a page (tools/grashof/viewer/packing.h)."""
        rows, columns = packed["rows"], len(packed["order"])
        raw = zlib.decompress(base64.b64decode(packed["data"]))
        planes = numpy.frombuffer(raw, numpy.uint8).reshape(4, columns, rows).astype(numpy.uint32)
        folded = planes[0] | planes[1] << 8 | planes[2] << 16 | planes[3] << 24
        levels = ((folded >> 1) ^ -(folded & 1).astype(numpy.int32).astype(numpy.uint32)).astype(numpy.int32)
        for c, order in enumerate(packed["order"]):
            for _ in range(order):
                levels[c] = numpy.cumsum(levels[c], dtype=numpy.int32)
        return [offset + quantum * column.astype(float) for offset, quantum, column in zip(packed["offset"], packed["quantum"], levels)]

    @LONG
    def test_a_page_holds_every_record_of_a_short_run_and_the_extremes_of_intervals_of_a_long_one(self):
        for duration in (2, 12):
            self.run_program("run", scenario("slider-crank"), "--set", "output.interval=0", "--duration", str(duration), "--quiet", "-o", "out")
            self.run_program("view", self.path("out/slider-crank"), "-o", self.path("page.html"))
            run = self.page_data(self.path("page.html"))["runs"][0]
            series = run["more"]["series"]
            times, low = self.table(series["times"])[0], self.table(series["low"])
            rise = self.table(series["rise"]) if "rise" in series else [0.0 * column for column in low]
            with h5py.File(self.path("out/slider-crank/trajectory.h5")) as file:
                recorded, q = file["time"][:], file["joints/coordinates"][:, 0]
            self.assertEqual(len(times) == len(recorded), duration == 2)
            column = series["column"][run["channels"].index("joint.main.q.0")]
            starts = numpy.searchsorted(recorded, times - 1e-9)
            step = (q.max() - q.min()) / (65535 if duration == 2 else 8191)
            numpy.testing.assert_allclose(low[column], numpy.minimum.reduceat(q, starts), atol=step)
            numpy.testing.assert_allclose(low[column] + rise[column], numpy.maximum.reduceat(q, starts), atol=step)

    def test_loads_without_transients(self):
        stop = self.path("stop.xml", """<scenario><body name="a"><inertial mass="1" inertia="1 1 1"/></body>
            <joint name="p" type="prismatic" follower="a" axis="0 0 1"><limit lower="-0.001"/></joint></scenario>""")
        loads = json.loads(self.run_program("loads", stop, "--duration", "0.3", "--from", "0.2", "--json").stdout)
        self.assertAlmostEqual(loads["joints"][0]["force"]["value"], 9.81, places=6)
        self.assertAlmostEqual(loads["joints"][0]["causes"]["limit"]["force"]["value"], 9.81, places=6)
        self.assertEqual(loads["from_s"], 0.2)
        self.assertIn("ends at 0.3 s", self.run_program("loads", stop, "--duration", "0.3", "--from", "1", code=2).stderr)

    def recorded(self, name="neck", *more):
        self.run_program("run", scenario(name), "--duration", "0.5", "--csv", "--quiet", "-o", "out", *more)
        return self.path("out/" + name)

    def test_info_lists_channels_with_their_ranges(self):
        folder = self.recorded()
        text = self.run_program("info", folder).stdout
        self.assertIn("7 joints", text)
        whole = json.loads(self.run_program("info", folder, "--json").stdout)[0]
        channels = {c["name"]: c for c in whole["channels"]}
        with open(folder + "/trajectory.csv", encoding="utf-8") as file:
            rows = [line.split(",") for line in file.read().splitlines()]
        column = [float(r[rows[0].index("joint.neck.q.0")]) for r in rows[1:]]
        self.assertEqual(channels["joint.neck.q.0"]["least"], min(column))
        self.assertEqual(channels["joint.neck.q.0"]["last"], column[-1])
        self.assertGreater(-channels["joint.left-servo.effort.0"]["least"], 0.01)
        table = json.loads(self.run_program("info", folder + "/trajectory.csv", "--json").stdout)[0]
        self.assertEqual(table["records"], whole["records"])

    def test_contacts_are_recorded_on_request(self):
        self.run_program("run", scenario("ten-cube-stack"), "--duration", "0.05", "--contacts", "--quiet", "-o", "out")
        folder = self.path("out/ten-cube-stack")
        contacts = json.loads(self.run_program("info", folder, "--json").stdout)[0]["contact_points"]
        with h5py.File(folder + "/trajectory.h5") as file:
            group = file["contact_points"]
            counts, mode = group["count"][:], group["mode"][:]
            self.assertEqual(contacts["total"], counts.sum())
            self.assertEqual(contacts["most_at_once"], counts.max())
            self.assertEqual([contacts[name] for name in ("open", "sticking", "sliding")], numpy.bincount(mode, minlength=3).tolist())
            self.assertEqual(contacts["least_gap_m"], group["gap"][:].min())
            self.assertAlmostEqual(contacts["greatest_impulse_N_s"], numpy.linalg.norm(group["impulse"][:], axis=1).max())
        self.assertIn("contacts: ", self.run_program("info", folder).stdout)
        self.run_program("run", scenario("ten-cube-stack"), "--duration", "0.05", "--quiet", "-o", "other")
        self.assertNotIn("contact_points", json.loads(self.run_program("info", self.path("other/ten-cube-stack"), "--json").stdout)[0])

    def test_plots_of_channels_as_svg_and_html(self):
        one = self.recorded()
        self.run_program("plot", one, one + "/trajectory.csv", "-y", "joint.*.q.0", "-y", "energy.total", "-o", self.path("p.svg"))
        with open(self.path("p.svg"), encoding="utf-8") as file:
            svg = file.read()
        ElementTree.fromstring(svg)
        self.assertEqual(svg.count("energy.total"), 2)
        self.assertGreaterEqual(svg.count("<polyline"), 10)
        self.run_program("plot", one, "-y", "energy.total", "-x", "joint.neck.q.0", "-o", self.path("p.html"))
        with open(self.path("p.html"), encoding="utf-8") as file:
            self.assertIn(">joint.neck.q.0, rad<", file.read())

    def test_all_that_a_scenario_has_is_listed_recorded_and_plotted_with_its_unit(self):
        for name in ("force-elements", "cables", "patch-fingers", "gear-train", "turntable"):
            listed = json.loads(self.run_program("info", scenario(name), "--json").stdout)[0]["channels"]
            self.assertIn("energy.total", self.run_program("info", scenario(name)).stdout)
            self.run_program("run", scenario(name), "--duration", "0.05", "-q", "-o", "out")
            found = json.loads(self.run_program("info", self.path("out/" + name), "--json").stdout)[0]["channels"]
            units = {c["name"]: c["unit"] for c in found}
            self.assertEqual({c["name"]: c["unit"] for c in listed}, {n: u for n, u in units.items() if not n.startswith("contact.")})
            wanted = [pattern for pattern in ("element.*", "joint.*", "coupling.*", "contact.*", "body.*.position.x")
                      if any(fnmatch.fnmatch(n, pattern) for n in units)]
            self.run_program("plot", self.path("out/" + name), *(word for pattern in wanted for word in ("-y", pattern)), "-o", self.path("p.html"))
            with open(self.path("p.html"), encoding="utf-8") as file:
                page = html.unescape(file.read())
            for channel, unit in units.items():
                if any(fnmatch.fnmatch(channel, pattern) for pattern in wanted):
                    self.assertIn(channel, page)
                    self.assertIn(f">{unit}<", page)

    def test_bad_requests_say_what_there_is(self):
        folder = self.recorded()
        for arguments, said in ((("plot", folder, "-y", "joint.neck.q.7"), "joint.neck.q.0"),
                                (("plot", folder, "-y", "tail.*"), "no channel fits"),
                                (("plot", folder, "-y", "time", "-o", "p.pdf"), ".svg, .png or .html"),
                                (("info", self.path("nowhere")), "cannot be read"),
                                (("info", self.path("notes", "no numbers")), "is not an HDF5 file"),
                                (("view", folder, "--scenario", scenario("slider-crank")), "not those of"),
                                (("view", folder, "--duration", "1"), "--duration"),
                                (("view", scenario("neck"), "--scenario", scenario("neck")), "--scenario"),
                                (("view", scenario("neck"), "--serve", "-o", "page.html"), "excludes"),
                                (("view", scenario("neck"), "--port", "8080"), "--serve"),
                                (("view", folder, "--with", self.path("nowhere")), "cannot be read"),
                                (("view", scenario("neck"), "--watch", "--with", folder), "excludes"),
                                (("render", folder, "-o", "film.avi"), ".mp4"),
                                (("render", folder, "-o", "film.mp4", "--size", "big"), "WIDTHxHEIGHT"),
                                (("render", folder, "-o", "film.mp4", "--follow", "nobody"), "nobody"),
                                (("render", folder, "-o", "a.png", "--start", "9"), "ends at 0.5 s")):
            done = self.run_program(*arguments, code=2)
            self.assertIn(said, done.stderr)
        with h5py.File(folder + "/trajectory.h5", "r+") as file:
            del file["joints/coordinates"]
        self.assertIn("joints/coordinates", self.run_program("info", folder, code=2).stderr)
        with open(folder + "/trajectory.h5", "r+b") as file:
            file.truncate(3000)
        self.run_program("info", folder, code=2)

    @LONG
    def test_a_picture_and_a_film(self):
        if not shutil.which("chromium") or not shutil.which("ffmpeg"):
            self.skipTest("chromium and ffmpeg are not installed")
        folder = self.recorded()
        self.run_program("render", folder, "-o", self.path("neck.png"), "--start", "0.2", "--size", "320x200", "--scale", "2", "--quiet")
        with open(self.path("neck.png"), "rb") as file:
            head = file.read(24)
        self.assertEqual((head[1:4], int.from_bytes(head[16:20], "big"), int.from_bytes(head[20:24], "big")), (b"PNG", 320, 200))
        self.assertGreater(os.path.getsize(self.path("neck.png")), 3000)
        with open(self.path("neck.png"), "rb") as file:
            light = file.read()
        self.run_program("render", folder, "-o", self.path("dark.png"), "--start", "0.2", "--size", "320x200", "--quiet", "--show", "dark=true", "--show", "reactions=true")
        with open(self.path("dark.png"), "rb") as file:
            self.assertNotEqual(file.read(), light)
        for wrong, said in (("dark", "needs OPTION=VALUE"), ("light=on", "there is no 'light' (ortho"), ("ghosts=4", "ghosts may be 0, 3, 5, 9"), ("arrowScale=9", "-1.5 to 1.5")):
            self.assertIn(said, self.run_program("render", folder, "-o", self.path("x.png"), "--quiet", "--show", wrong, code=2).stderr)
        self.run_program("render", folder, "-o", self.path("neck.mp4"), "--size", "320x200", "--fps", "10", "--follow", "head", "--quiet")
        probe = subprocess.run(["ffprobe", "-v", "error", "-count_frames", "-show_entries", "stream=nb_read_frames,width", "-of", "csv=p=0",
                                self.path("neck.mp4")], capture_output=True, text=True)
        self.assertEqual(probe.stdout.strip(), "320,6")
        self.run_program("plot", folder, "-y", "energy.total", "-o", self.path("p.png"))
        self.assertGreater(os.path.getsize(self.path("p.png")), 5000)

    def test_a_running_simulation_is_served_on_this_machine_only(self):
        server = subprocess.Popen([PROGRAM, "view", "--serve", "--port", "0", "--duration", "1", scenario("neck")],
                                  stdout=subprocess.PIPE, text=True)
        self.addCleanup(server.stdout.close)
        self.addCleanup(server.wait)
        self.addCleanup(server.kill)
        address = server.stdout.readline().strip()
        self.assertRegex(address, r"^http://127\.0\.0\.1:\d+/#token=[0-9a-f]{32}$")
        whole, address = address, address.split("#")[0]
        with urllib.request.urlopen(address) as answer:
            page = answer.read().decode()
        self.assertIn('"live":{', page)
        self.assertNotIn(whole.split("=")[1], page)
        frames, ended = 0, False
        while not ended:
            with urllib.request.urlopen(f"{address}more?take=1&frames={frames}") as answer:
                answer = json.load(answer)
            more, ended = answer["more"], answer["state"]["ended"]
            self.assertEqual(more["first"], frames)
            self.assertEqual(len(self.table(more["times"])[0]), more["count"])
            frames += more["count"]
            time.sleep(0.1)
        self.assertTrue(55 <= frames <= 62, frames)
        with self.assertRaises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(urllib.request.Request(address, headers={"Host": "elsewhere.example"}))
        self.assertEqual(refused.exception.code, 403)
        refused.exception.close()
        port = address.rsplit(":", 1)[1].strip("/")
        for wrong in ("--port", "--controller"):
            self.assertIn("needs --serve or --watch", self.run_program("view", scenario("neck"), wrong, "1", code=2).stderr)
        self.assertIn("is taken", self.run_program("view", "--serve", "--port", port, scenario("neck"), code=2).stderr)
        if not shutil.which("chromium"):
            return
        done = subprocess.run(["chromium", "--headless=new", "--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader",
                               "--enable-unsafe-swiftshader", "--virtual-time-budget=5000", "--dump-dom", address], capture_output=True, text=True, timeout=200)
        self.assertTrue("(ended)</title>" in done.stdout, "the page has not seen the end of the run")

    def test_a_solver_in_c_is_one_of_the_solvers(self):
        library = self.path("solver.so")
        subprocess.run(["cc", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-o", library, f"{SOURCE}/tools/solver/example.c", "-lm"], check=True)
        scene = f"{SOURCE}/assets/scenarios/box-on-plane.xml"
        own = ("--solver-library", library + ":1.1")
        self.run_program(*own, "run", scene, "--quiet", "-o", "out", "--solver", "EXAMPLE-PGS")
        with open(self.path("out/box-on-plane/summary.json"), encoding="utf-8") as file:
            summary = json.load(file)
        self.assertEqual(summary["iterations"]["solved"], summary["steps"])
        said = self.run_program(*own, "compare", scene, "--solvers", "EXAMPLE-PGS,PGS-NCP").stdout
        self.assertIn("EXAMPLE-PGS", said)
        self.assertIn("is unknown", self.run_program("run", scene, "--quiet", "-o", "out", "--solver", "EXAMPLE-PGS", code=2).stderr)
        for text, why in ((library + ":3", "is no relaxation"), ("./none.so", "cannot open"), ("libm.so.6", "no function grashof_solver")):
            self.assertIn(why, self.run_program("--solver-library", text, "run", scene, "--quiet", "-o", "out", code=2).stderr)
        self.assertIn("already", self.run_program(*own, *own, "run", scene, "-q", "-o", "out", code=2).stderr)

    def test_a_controller_in_c_drives_a_run(self):
        arm = self.path("arm.xml", """<scenario name="arm"><options duration="4"/><motion name="none" type="constant" value="0"/>
            <body name="arm" position="0 0 -0.5"><inertial mass="2" inertia="0.1 0.1 0.1"/></body>
            <joint name="pivot" type="revolute" base="world" follower="arm" position="0 0 0" axis="0 1 0">
            <actuator type="effort" motion="none"/></joint></scenario>""")
        library = self.path("example.so")
        subprocess.run(["cc", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-o", library, f"{SOURCE}/tools/controller/example.c", "-lm"], check=True)
        done = self.run_program("run", arm, "--quiet", "-o", "out", "--controller", library + ":0.5")
        self.assertIn("largest effort 25", done.stderr)
        info = json.loads(self.run_program("info", self.path("out/arm"), "--json").stdout)[0]
        q = next(c for c in info["channels"] if c["name"] == "joint.pivot.angle")["last"]
        # 50 (0.5 - q) holds the weight m g l sin q.
        self.assertAlmostEqual(50 * (0.5 - q), 2 * 9.81 * 0.5 * math.sin(q), 3)
        for text, said in ((library + ":far", "is no number"), ("./none.so", "cannot open"), ("libm.so.6", "no function grashof_controller")):
            self.assertIn(said, self.run_program("run", arm, "--quiet", "-o", "out", "--controller", text, code=2).stderr)


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
        self.assertGreaterEqual(page.count('<svg class="plot"'), 9)
        for mark in ("<polyline", "<circle", 'stroke-width="2.5"', "Performance profile, Dense Joints"):
            self.assertIn(mark, page)
        self.assertNotIn("nan", page)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
