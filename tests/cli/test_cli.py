"""The grashof program from outside: exit codes, files, messages. Usage: test_cli.py PROGRAM SOURCE_FOLDER [CLASS[.TEST] ...]"""

import csv
import glob
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

import h5py

PROGRAM, SOURCE = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
SCENARIOS = [file for file in sorted(glob.glob(SOURCE + "/assets/s*/*.xml"))
             if ElementTree.parse(file).getroot().tag == "scenario"]
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

    def test_a_wrong_command_line_is_one_line_with_what_was_meant(self):
        for arguments, wanted in (
            (("run", "a.xml", "--durtion", "2"), "grashof run: The following argument was not expected: --durtion;"),
            (("run", "a.xml", "--durtion=2"), "; did you mean --duration? (`grashof run --help` tells what there is)"),
            (("bench", "convergence", "a.xml", "--jsn"), "grashof bench convergence: "),
            (("rnu", "a.xml"), "grashof: there is no command 'rnu'; did you mean run?"),
            (("run",), "grashof run: FILE is required"),
            (("run", "a.xml", "--duration", "x"), "`grashof run --help`"),
        ):
            done = self.run_program(*arguments, code=2)
            self.assertIn(wanted, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
            self.assertEqual(done.stdout, "")

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

    def test_bench_work_precision(self):
        done = self.run_program("bench", "work-precision", scenario("double-pendulum"), "--duration", "0.2", "--rounds", "1", "--tolerances", "1e-4,1e-7",
                                "--steps", "2,1", "-o", "out")
        self.assertIn("auto, tolerance 1e-12", done.stdout)
        with open(self.path("out/work-precision.csv"), encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([(row["integrator"], float(row["tolerance_or_step"])) for row in rows],
                         [("auto", 1e-4), ("auto", 1e-7), ("moreau", 0.001), ("moreau", 0.0005)])
        error = [float(row["mean_error_m"]) for row in rows]
        self.assertLess(error[1], 0.01 * error[0])
        self.assertLess(error[3], 0.3 * error[2])
        ElementTree.parse(self.path("out/double-pendulum.svg"))
        for arguments, said in ((["--integrators", "rk4"], "moreau, euler, auto"), (["--duration", "0.0005"], "shorter than the largest step")):
            self.assertIn(said, self.run_program("bench", "work-precision", scenario("double-pendulum"), *arguments, code=2).stderr)

    def test_verify(self):
        done = self.run_program("run", scenario("double-pendulum"), "--duration", "0.2", "--verify", "-o", "out")
        self.assertRegex(done.stdout, r"verified with timestep 0\.00025 s, tolerance 1e-10: \d+ digits agree")
        with open(self.path("out/double-pendulum/summary.json"), encoding="utf-8") as file:
            found = json.load(file)["verification"]
        self.assertGreaterEqual(found["digits"], 7)
        self.assertGreater(found["position"], 0.0)
        self.run_program("run", scenario("double-pendulum"), "--verify", "--resume", code=2)

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

    def test_convert_adams(self):
        dataset = "ADAMS/View model name: crank\nPART/1, GROUND\nMARKER/1, PART=1, REULER=0D,90D,0D\nPART/2, MASS=1, CM=2, IP=1,1,1\n" \
            "MARKER/2, PART=2, QP=1,0,0, REULER=0D,90D,0D\nMARKER/3, PART=2, REULER=0D,90D,0D\nJOINT/1, REVOLUTE, I=3, J=1\n" \
            "ACCGRAV/KGRAV=-9.80665\nEND\n"
        text = self.run_program("convert", self.path("crank.adm", dataset), "-o", "crank.xml", "--duration", "0.1", "--check").stdout
        for words in ("1 bodies, 1 joints", "mobility 1", "there are no UNITS", "0.1 s (--duration)", "check: holds"):
            self.assertIn(words, text)
        self.run_program("run", "crank.xml", "-o", "ran")
        self.assertIn("wrong.adm:7: JOINT/1: J: there is no MARKER/4",
                      self.run_program("convert", self.path("wrong.adm", dataset.replace("J=1", "J=4")), code=2).stderr)

    def test_convert_xacro(self):
        self.path("arm.urdf.xacro", """<robot name="arm" xmlns:xacro="x"><xacro:arg name="side" default="left"/><link name="base"/><link name="$(arg side)"/>
            <joint name="j" type="fixed"><parent link="base"/><child link="$(arg side)"/><origin xyz="${1/4} 0"/></joint></robot>""")
        self.assertIn("arm.urdf.xacro:2: ", self.run_program("convert", "arm.urdf.xacro", "--arg", "side:=right", code=2).stderr)
        self.assertIn("needs NAME:=VALUE", self.run_program("convert", "arm.urdf.xacro", "--arg", "side", code=2).stderr)

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


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
