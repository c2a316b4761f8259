"""What may go wrong around a run: signals, full disks, folders in use, hostile files and clients.
Usage: test_robustness.py PROGRAM SOURCE_FOLDER [CLASS[.TEST] ...]"""

import concurrent.futures
import glob
import json
import os
import random
import re
import resource
import shutil
import signal
import socket
import subprocess
import sys
import time
import unittest
import urllib.error
import urllib.request

import h5py
import numpy

from test_cli import PENDULUM, PROGRAM, ProgramCase, SHORT, SOURCE, scenario

ENDLESS = PENDULUM.replace('duration="0.2"', 'duration="100000"').replace('<expect><check channel="residual.joint" max="1e-9"/></expect>',
                                                                         '<output interval="0.1"/>')
# A figure that slides, swings and stops.
SLIDE = """<scenario name="slide"><options timestep="1e-4" duration="1.2"/><output interval="1e-3"/>
  <material name="default" friction="0.4"/><shape name="ground" type="plane"/>
  <body name="cart" position="0 0 0.1" velocity="1 0.2 0"><inertial mass="1" inertia="0.01 0.01 0.01"/>
    <shape type="box" size="0.2 0.2 0.2"/></body>
  <body name="bob" position="0.2 0 0.2"><inertial mass="0.3" inertia="0.001 0.001 0.001"/></body>
  <joint name="pin" type="revolute" base="cart" follower="bob" position="0 0 0.2" axis="0 1 0"/></scenario>"""
# A body and a floor: contacts, thus problems.
BOX = """<scenario name="box"><options duration="0.2"/><shape type="plane"/>
  <body name="box" position="0 0 0.05"><shape type="box" size="0.1 0.1 0.1" mass="1"/></body></scenario>"""


def wait_for(condition, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise AssertionError("waited in vain")
        time.sleep(0.02)


def default_signals():
    """Shells start background jobs with some signals ignored, and the program keeps to that."""
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)


class Interrupted(ProgramCase):
    """Runs that end before their time, or have company."""

    def start(self, *arguments, **options):
        options.setdefault("preexec_fn", default_signals)
        process = subprocess.Popen([PROGRAM, *arguments], cwd=self.folder.name, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True, **options)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        return process

    def endless(self, *arguments, **options):
        process = self.start("run", self.path("endless.xml", ENDLESS), "-o", "out", "-q", *arguments, **options)
        wait_for(lambda: os.path.exists(self.path("out/endless/trajectory.h5.tail")))
        return process

    def records(self):
        done = subprocess.run([PROGRAM, "info", self.path("out/endless"), "--json"], capture_output=True, text=True)
        return json.loads(done.stdout)[0]["records"] if done.returncode == 0 else 0

    def test_a_signal_ends_a_run_with_whole_results(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            process = self.endless()
            wait_for(lambda: self.records() > 10)
            process.send_signal(number)
            out, _ = process.communicate(timeout=30)
            self.assertEqual(process.returncode, 128 + number)
            self.assertIn(f"interrupted by {number.name}", out)
            with open(self.path("out/endless/summary.json"), encoding="utf-8") as file:
                summary = json.load(file)
            self.assertEqual(summary["interrupted"]["reason"], number.name)
            self.assertFalse(summary["passed"])
            with h5py.File(self.path("out/endless/trajectory.h5")) as file:
                self.assertAlmostEqual(file["time"][-1], summary["interrupted"]["time_s"])
            self.assertEqual(sorted(os.listdir(self.path("out/endless"))), ["summary.json", "trajectory.h5"])

    def test_signals_that_the_caller_ignores_stay_ignored(self):
        process = self.endless(preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        process.send_signal(signal.SIGHUP)
        time.sleep(0.3)
        self.assertIsNone(process.poll())
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(timeout=30), 128 + signal.SIGTERM)

    def test_files_after_an_interrupted_one_are_not_run(self):
        endless = self.path("endless.xml", ENDLESS)
        process = self.start("run", endless, self.path("pendulum.xml", PENDULUM), "-o", "out", "-q")
        wait_for(lambda: os.path.exists(self.path("out/endless/trajectory.h5.tail")))
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=30)
        self.assertEqual(process.returncode, 130)
        self.assertIn("was not run (interrupted by SIGINT)", err)
        self.assertFalse(os.path.exists(self.path("out/pendulum")))

    def summary(self, folder, name="slide"):
        with open(self.path(f"{folder}/{name}/summary.json"), encoding="utf-8") as file:
            return {k: v for k, v in json.load(file).items() if k not in ("wall_time_s", "real_time_factor")}

    def content(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def test_a_run_that_is_killed_at_any_moment_is_resumed_to_the_same_bytes(self):
        # GRASHOF_KILLS: how often, for a long trial by hand.
        kills, random_times = int(os.environ.get("GRASHOF_KILLS", "12")), random.Random(7)
        file = self.path("slide.xml", SLIDE)
        self.run_program("run", file, "-q", "--csv", "--contacts", "-o", "whole")
        left, ends = kills, 0
        while left > 0:
            process = self.start("run", file, "-q", "--csv", "--contacts", "-o", "parts", "--checkpoint", "0", "--resume")
            try:
                process.wait(random_times.uniform(0.0, 0.6))
            except subprocess.TimeoutExpired:
                process.kill()
                left -= 1
            if process.wait() == 0:
                ends += 1
                shutil.rmtree(self.path("parts"))  # another life
            elif os.path.exists(self.path("parts/slide/trajectory.h5.tail")):
                read = subprocess.run([PROGRAM, "info", self.path("parts/slide"), "--json"], capture_output=True, text=True)
                if read.returncode != 0:  # killed before its first record
                    self.assertIn("holds no record", read.stderr)
                    self.assertEqual(glob.glob(self.path("parts/slide/checkpoints/*")), [])
        self.run_program("run", file, "-q", "--csv", "--contacts", "-o", "parts", "--checkpoint", "0", "--resume")
        for name in ("trajectory.h5", "trajectory.csv"):
            self.assertEqual(self.content("whole/slide/" + name), self.content("parts/slide/" + name), name)
        self.assertEqual(self.summary("whole"), self.summary("parts"))

    def test_a_part_of_a_run_is_made_again(self):
        file = self.path("slide.xml", SLIDE)
        self.run_program("run", file, "-q", "--checkpoint", "0", "-o", "out")
        self.run_program("run", file, "-q", "--from", "out/slide@0.6", "--set", "output.interval=0", "-o", "again")
        with h5py.File(self.path("out/slide/trajectory.h5")) as whole, h5py.File(self.path("again/slide/trajectory.h5")) as part:
            times, again = whole["time"][:], part["time"][:]
            self.assertAlmostEqual(again[0], 0.6, 9)
            self.assertEqual(len(again), 1 + round(0.6 / 1e-4))
            common = numpy.isin(again, times)
            self.assertEqual(common.sum(), (times >= 0.6 - 1e-9).sum())
            numpy.testing.assert_array_equal(part["bodies/pose"][:][common], whole["bodies/pose"][:][times >= 0.6 - 1e-9])
        for text, said in (("out/slide@0.6", "would be overwritten"), ("out/slide", "needs RESULT@T"), ("gone@1", "needs RESULT@T"),
                           ("out/slide@nan", "needs RESULT@T")):
            self.assertIn(said, self.run_program("run", file, "-q", "--from", text, "-o", "out", code=2).stderr)
        os.makedirs(self.path("other"))
        other = self.path("other/slide.xml", SLIDE.replace("0.4", "0.5"))
        self.assertIn("another scenario", self.run_program("run", other, "-q", "--resume", "-o", "out", code=2).stderr)
        self.assertIn("excludes", self.run_program("run", file, "--resume", "--view", code=2).stderr)
        with open(self.path("out/slide/checkpoints/step-10240.h5"), "r+b") as damaged:
            damaged.seek(600)
            damaged.write(b"\xff" * 400)
        # HDF5's library leaks some bytes of a file that it refuses.
        refused = self.run_program("run", file, "-q", "--resume", "-o", "out", code=2, environment={"ASAN_OPTIONS": "detect_leaks=0"})
        self.assertIn("step-10240.h5", refused.stderr)

    def test_a_controller_goes_on_with_what_it_has_saved(self):
        library = self.path("example.so")
        subprocess.run(["cc", "-shared", "-fPIC", "-o", library, f"{SOURCE}/tools/controller/example.c", "-lm"], check=True)
        arm = self.path("arm.xml", """<scenario name="arm"><options duration="6"/><motion name="none" type="constant" value="0"/>
            <body name="arm" position="0 0 -0.5"><inertial mass="2" inertia="0.1 0.1 0.1"/></body>
            <joint name="pivot" type="revolute" base="world" follower="arm" position="0 0 0" axis="0 1 0">
            <actuator type="effort" motion="none"/></joint></scenario>""")
        drive = ("run", arm, "-q", "--controller", library + ":0.5", "--checkpoint", "0")
        whole = self.run_program(*drive, "-o", "whole").stderr
        self.run_program(*drive, "-o", "parts", "--duration", "5")
        self.assertEqual(self.run_program(*drive, "-o", "parts", "--resume").stderr, whole)  # its largest effort was at the start
        self.assertEqual(self.content("whole/arm/trajectory.h5"), self.content("parts/arm/trajectory.h5"))
        for other in ((), ("--controller", library + ":-0.5")):
            refused = self.run_program("run", arm, "-q", *other, "--duration", "7", "-o", "parts", "--resume", code=2)
            self.assertIn("controller", refused.stderr)

    FALL = """<scenario name="fall"><options duration="DURATION"/><body name="stone" position="0 0 2">
      <inertial mass="1" inertia="1 1 1"/></body>EXPECT</scenario>"""

    def fall(self, duration, expect=""):
        return self.path("fall.xml", self.FALL.replace("DURATION", str(duration)).replace("EXPECT", expect))

    def test_a_run_goes_on_with_its_own_expectations_only(self):
        self.run_program("run", self.fall(3, '<expect><check channel="energy.kinetic" max="1e9"/></expect>'), "-q", "--checkpoint", "0", "-o", "out")
        for expect in ('<expect><check channel="body.stone.position.z" max="1.9"/></expect>', ""):
            refused = self.run_program("run", self.fall(4, expect), "-q", "--resume", "-o", "out", code=2)
            self.assertIn("other expectations", refused.stderr)
        self.assertTrue(os.path.exists(self.path("out/fall/summary.json")))  # a refusal leaves what is there

    def test_a_run_is_made_shorter_and_longer_again(self):
        self.run_program("run", self.fall(5), "-q", "-o", "whole")
        self.run_program("run", self.fall(5), "-q", "--checkpoint", "0", "-o", "out")
        self.run_program("run", self.fall(3), "-q", "--resume", "-o", "out")
        self.run_program("run", self.fall(5), "-q", "--resume", "-o", "out")
        self.assertEqual(self.content("whole/fall/trajectory.h5"), self.content("out/fall/trajectory.h5"))
        self.assertIn("ends at 5 s", self.run_program("run", self.fall(5), "-q", "--from", "out/fall@7", "-o", "late", code=2).stderr)
        self.assertFalse(os.path.exists(self.path("late")))

    def test_a_checkpoint_with_one_wrong_bit_is_refused(self):
        self.run_program("run", self.fall(3), "-q", "--checkpoint", "0", "-o", "out")
        path = self.path("out/fall/checkpoints/step-2048.h5")
        with h5py.File(path) as file:
            place = file["memory"].id.get_offset() + 8
        with open(path, "r+b") as file:
            file.seek(place)
            byte = file.read(1)[0]
            file.seek(place)
            file.write(bytes([byte ^ 4]))
        refused = self.run_program("run", self.fall(4), "-q", "--resume", "-o", "out", code=2)
        self.assertIn("is damaged", refused.stderr)
        self.assertTrue(os.path.exists(self.path("out/fall/summary.json")))

    def test_files_of_similar_names_have_folders_of_their_own(self):
        names = ("x/foo-3.xml", "y/foo.xml", "z/foo.xml")
        for name in names:
            os.makedirs(self.path(os.path.dirname(name)))
            self.path(name, PENDULUM)
        self.run_program("run", *names, "-q", "-o", "out")
        self.assertEqual(len(os.listdir(self.path("out"))), 3)

    def test_a_run_that_is_killed_can_be_read_and_another_follows_it(self):
        process = self.endless()
        wait_for(lambda: self.records() > 1)
        known = self.records()
        process.kill()
        process.wait()
        self.assertGreaterEqual(self.records(), known)
        self.assertFalse(os.path.exists(self.path("out/endless/summary.json")))
        self.run_program("plot", self.path("out/endless"), "-y", "energy.total", "-o", self.path("p.svg"))
        self.run_program("view", self.path("out/endless"), "-o", self.path("v.html"))
        self.run_program("run", self.path("endless.xml"), "--duration", "1", "-o", "out", "-q")
        self.assertEqual(self.records(), 11)
        self.assertEqual(sorted(os.listdir(self.path("out/endless"))), ["summary.json", "trajectory.h5"])

    def test_a_second_run_into_the_folder_is_refused_and_the_first_goes_on(self):
        process = self.endless()
        done = self.run_program("run", self.path("endless.xml"), "--duration", "1", "-o", "out", "-q", code=5)
        self.assertIn(f"process {process.pid} on ", done.stderr)
        before = self.records()
        wait_for(lambda: self.records() > before)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(timeout=30), 130)

    def test_two_runs_a_reader_and_a_signal_at_once(self):
        # GRASHOF_COMPANY: how often, for a long trial by hand.
        random_times = random.Random(11)
        file = self.path("endless.xml", ENDLESS)
        for _ in range(int(os.environ.get("GRASHOF_COMPANY", "4"))):
            runs = [self.start("run", file, "-o", "out", "-q") for _ in range(2)]
            wait_for(lambda: any(run.poll() is not None for run in runs))
            refused, owner = sorted(runs, key=lambda run: run.poll() is None)
            self.assertEqual(refused.returncode, 5)
            self.assertIn(f"process {owner.pid} on ", refused.stderr.read())
            reader = self.start("info", "out/endless", "--json")
            time.sleep(random_times.uniform(0.0, 0.3))
            sent = random_times.choice([signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
            owner.send_signal(sent)
            self.assertEqual(owner.wait(timeout=30), 128 + sent)
            said = reader.communicate(timeout=30)[1]
            if reader.returncode != 0:  # it came before the first record
                self.assertRegex(said, "holds no record|cannot be opened|cannot be read")
            self.assertIn(sent.name, self.summary("out", "endless")["interrupted"]["reason"])
            self.assertGreater(self.records(), 0)

    def test_equal_runs_make_equal_bytes(self):
        files = []
        for out in ("a", "b"):
            self.run_program("run", self.path("pendulum.xml", PENDULUM), "-o", out, "-q", "--csv")
            for name in ("trajectory.h5", "trajectory.csv"):
                with open(self.path(f"{out}/pendulum/{name}"), "rb") as file:
                    files.append(file.read())
            time.sleep(1.1)
        self.assertEqual(files[:2], files[2:])

    def test_old_pages_do_not_stay_beside_new_results(self):
        file = self.path("pendulum.xml", PENDULUM)
        self.run_program("run", file, "-o", "out", "-q", "--view", "--svg", "--csv")
        self.run_program("run", file, "-o", "out", "-q", "--set", "output.trajectory=false")
        self.assertEqual(os.listdir(self.path("out/pendulum")), ["summary.json"])


class FullDisk(ProgramCase):
    """A limit on the size of files stands for a disk that is full."""

    def limited(self, size, *arguments):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

        done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, cwd=self.folder.name, timeout=250, preexec_fn=limit)
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertIn("cannot be written", done.stderr)
        return done

    def test_exit_5_and_what_was_written_can_be_read(self):
        file = self.path("pendulum.xml", PENDULUM.replace('duration="0.2"', 'duration="20"'))
        whole = self.path("whole")
        self.run_program("run", file, "-o", whole, "-q", "--set", "output.interval=0")
        with h5py.File(whole + "/pendulum/trajectory.h5") as results:
            times = results["time"][()]
        readable = 0
        sizes = (500, 3000, 8000, 20000, 100000, 300000, 500000, 700000, 900000)
        for size in sizes[::2] if SHORT else sizes:
            self.limited(size, "run", file, "-o", f"out{size}", "-q", "--set", "output.interval=0")
            done = subprocess.run([PROGRAM, "info", self.path(f"out{size}/pendulum"), "--json"], capture_output=True, text=True)
            self.assertIn(done.returncode, (0, 2), done.stderr)
            self.assertFalse(os.path.exists(self.path(f"out{size}/pendulum/summary.json")))
            if done.returncode == 0:
                info = json.loads(done.stdout)[0]
                self.assertAlmostEqual(info["to_s"], times[info["records"] - 1])
                readable += 1
        self.assertGreaterEqual(readable, 3 if SHORT else 5)

    def test_a_run_goes_on_when_a_full_disk_has_room_again(self):
        # GRASHOF_DISKS: how many, for a long trial by hand.
        file, disk, sizes = self.path("slide.xml", SLIDE), self.path("disk"), random.Random(5)
        self.run_program("run", file, "-q", "--csv", "-o", "whole")
        total = sum(os.path.getsize(name) for name in glob.glob(self.path("whole/slide/*")))
        os.mkdir(disk)
        for _ in range(int(os.environ.get("GRASHOF_DISKS", "1" if SHORT else "3"))):
            size = sizes.randrange(40_000, total)
            if subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", disk], capture_output=True).returncode != 0:
                self.skipTest("tmpfs cannot be mounted here")
            try:
                continued = ("run", file, "-q", "--csv", "-o", disk, "--checkpoint", "0", "--resume")
                done = self.run_program(*continued, code=5)
                self.assertIn("cannot be written", done.stderr)
                read = subprocess.run([PROGRAM, "info", disk + "/slide", "--json"], capture_output=True, text=True)
                self.assertIn(read.returncode, (0, 2), read.stderr)
                subprocess.run(["mount", "-o", "remount,size=100m", disk], check=True)
                self.run_program(*continued)
                for name in ("trajectory.h5", "trajectory.csv"):
                    with open(self.path("whole/slide/" + name), "rb") as a, open(disk + "/slide/" + name, "rb") as b:
                        self.assertEqual(a.read(), b.read(), f"{name}, size={size}")
            finally:
                subprocess.run(["umount", disk], check=True)

    def test_problems_and_tables(self):
        file = self.path("box.xml", BOX)
        self.limited(3000, "run", file, "-o", "a", "-q", "--set", "output.trajectory=false", "--dump-problems", "every=10")
        self.limited(700, "run", file, "-o", "b", "-q", "--set", "output.trajectory=false", "--csv")
        self.assertEqual(glob.glob(self.path("a/box/problems/*.h5")), [])

    def test_output_that_goes_nowhere(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        for command in ("run", "check", "analyze"):
            with open("/dev/full", "w", encoding="utf-8") as full:
                done = subprocess.run([PROGRAM, command, self.path("pendulum.xml", PENDULUM), "--json"], stdout=full,
                                      stderr=subprocess.PIPE, cwd=self.folder.name, text=True)
            self.assertEqual(done.returncode, 5, command)
            self.assertIn("standard output", done.stderr)


class Hostile(ProgramCase):
    """Input made to do harm."""

    def test_messages_that_go_nowhere_keep_their_exit_code(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            self.assertEqual(subprocess.run([PROGRAM, "info", "nothere"], stderr=full).returncode, 2)
            pendulum = self.path("pendulum.xml", PENDULUM)
            self.run_program("run", pendulum, "-q", "-o", "out")
            json_text = subprocess.run([PROGRAM, "info", "--json", self.path("out/pendulum")], stdout=full, stderr=subprocess.PIPE, text=True)
            self.assertEqual(json_text.returncode, 5, json_text.stderr)

    def test_what_follows_the_root_is_refused(self):
        file = self.path("stray.xml", PENDULUM + '\n<joint name="j" type="fixed" follower="bob"/>')
        self.assertIn("stands after </scenario>", self.run_program("check", file, code=2).stderr)
        self.run_program("check", self.path("remark.xml", PENDULUM + "\n<!-- the end -->\n"))

    def test_a_series_may_begin_with_a_mark_and_with_a_bad_number(self):
        arm = self.path("arm.xml", """<scenario><options duration="2"/><motion name="m" type="series" file="m.csv"/>
          <body name="arm" from="0 0 0" to="0.3 0 0"><shape type="box" size="length 0.03 0.03" mass="1"/></body>
          <joint name="h" type="revolute" follower="arm" axis="0 1 0"><actuator type="motion" motion="m"/></joint></scenario>""")
        for text in ("\ufeff0,0\n1,1\n2,2\n", "\ufefftime,angle\n0,0\n1,1\n2,2\n", "0,0\n1,1\n2,2\n"):
            self.path("m.csv", text)
            self.run_program("run", arm, "-q", "-o", "out")
            with h5py.File(self.path("out/arm/trajectory.h5")) as results:
                self.assertAlmostEqual(results["joints/coordinates"][0, 0], 0.0, 9)
        for text in ("1e999,5\n1,1\n2,2\n", "nan,5\n1,1\n"):
            self.path("m.csv", text)
            self.assertIn("m.csv:1", self.run_program("run", arm, "-q", "-o", "out", code=2).stderr)

    def test_numbers_that_are_none(self):
        pendulum = self.path("pendulum.xml", PENDULUM)
        for value in ("nan", "inf", "-1", "0"):
            for arguments in (("run", pendulum, "--duration"), ("run", pendulum, "--timestep"), ("view", pendulum, "--duration"),
                              ("loads", pendulum, "--duration"), ("report", pendulum, "--duration"), ("inverse", pendulum, "--duration"), ("solve", "x.h5", "--tolerance"),
                              ("bench", "suite", "--timesteps"), ("bench", "suite", "--budget"), ("bench", "speed", "--seconds")):
                self.run_program(*arguments, value, code=2)
        for arguments in (("bench", "suite", "--timesteps", "1e-300"), ("view", pendulum, "--duration", "1e300"),
                          ("loads", pendulum, "--duration", "1e300"), ("report", pendulum, "--duration", "1e300"), ("run", pendulum, "--duration", "1e300")):
            self.run_program(*arguments, code=2)

    def test_names_that_are_not_utf8(self):
        name = os.fsencode(self.folder.name) + b"/caf\xe9.xml"
        with open(name, "wb") as file:
            file.write(BOX.encode())
        for command in (("run",), ("check",), ("analyze",), ("compare", "--solvers", "ADMM")):
            done = subprocess.run([PROGRAM.encode(), command[0].encode(), name, b"--json", *map(str.encode, command[1:])], capture_output=True, cwd=self.folder.name)
            self.assertEqual(done.returncode, 0, (command, done.stderr))
            json.loads(done.stdout)

    def test_a_name_of_dots_stays_in_its_folder(self):
        self.path("...xml", PENDULUM)
        self.run_program("run", "...xml", "-o", "out/deep", "-q")
        self.assertEqual(os.listdir(self.path("out/deep")), ["...xml"])
        self.assertEqual(os.listdir(self.path("out")), ["deep"])

    def test_pipes_and_devices_are_no_input_files(self):
        os.mkfifo(self.path("pipe.csv"))
        os.mkfifo(self.path("pipe.obj"))
        os.mkfifo(self.path("pipe.h5"))
        body = '<body name="a"><inertial mass="1" inertia="1 1 1"/></body>'
        for inner in ('<shape type="height-field" spacing="1" file="pipe.csv"/>', '<shape type="height-field" spacing="1" file="/dev/zero"/>',
                      '<shape type="mesh" file="pipe.obj"/>', '<shape type="mesh" file="/dev/zero"/>',
                      '<motion name="m" type="series" file="pipe.csv"/>', '<include file="pipe.csv"/>'):
            done = self.run_program("check", self.path("s.xml", f"<scenario>{inner}{body}</scenario>"), code=2)
            self.assertIn("cannot be read", done.stderr, inner)
        for command in (("loads", scenario("neck"), "--clip", "/dev/zero"), ("loads", scenario("neck"), "--clip", self.path("pipe.csv")),
                        ("info", self.path("pipe.h5")), ("info", self.path("pipe.csv")), ("solve", self.path("pipe.h5"))):
            self.assertIn("cannot be read", self.run_program(*command, code=2).stderr)

    def test_many_messages_are_cut_off(self):
        text = "<scenario>" + "<bogus/>\n" * 5000 + "</scenario>"
        done = self.run_program("run", self.path("many.xml", text), code=2)
        self.assertLess(len(done.stderr), 100000)
        self.assertIn("and 4900 more", done.stderr)

    def test_results_that_name_other_files(self):
        self.run_program("run", self.path("pendulum.xml", PENDULUM), "-o", "out", "-q")
        secret = self.path("secret", "x" * 4000)
        with h5py.File(self.path("out/pendulum/trajectory.h5"), "r+") as file:
            shape = file["energy"].shape
            del file["energy"]
            file.create_dataset("energy", shape, dtype="f8", external=[(secret, 0, h5py.h5f.UNLIMITED)])
        self.assertIn("other files", self.run_program("info", "out/pendulum", code=2).stderr)

    def test_values_beyond_all_axes_are_drawn(self):
        self.run_program("run", self.path("pendulum.xml", PENDULUM), "-o", "out", "-q")
        for value in (1e308, -1e308, 1e-308, numpy.nan, numpy.inf):
            with h5py.File(self.path("out/pendulum/trajectory.h5"), "r+") as file:
                file["energy"][3:] = value
            self.run_program("plot", "out/pendulum", "-y", "energy.*", "-o", self.path("p.svg"))
            self.run_program("info", "out/pendulum", "--json")

    def test_results_of_many_bodies_are_listed_in_time(self):
        bodies = "".join(f'<body name="b{i}" position="{i} 0 0"><inertial mass="1" inertia="1 1 1"/></body>' for i in range(5000))
        self.run_program("run", self.path("many.xml", f'<scenario><options duration="0.002"/>{bodies}</scenario>'), "-o", "out", "-q")
        start = time.monotonic()
        text = self.run_program("info", "out/many").stdout
        self.assertEqual(text.count("body.b"), 5000 * 14)
        self.assertLess(time.monotonic() - start, 20)  # each channel by itself took minutes

    def test_parts_of_a_suite_that_are_none(self):
        arguments = ("bench", "suite", "--systems", SOURCE + "/assets/suite/box-on-plane.xml", "--solvers", "PGS-NCP", "--timesteps", "0.002",
                     "--samples", "2", "--max-iterations", "50", "-q", "-o", "out")
        self.run_program(*arguments)
        samples, solver = self.path("out/parts/box-on-plane@0.002.json"), self.path("out/parts/box-on-plane@0.002.PGS-NCP.json")
        for path, change in ((solver, ('"sample": 1', '"sample": 99999999')), (solver, ('"sample": 1', '"sample": -1')),
                             (solver, ('"sample": 1', '"sample": "one"')), (solver, ('"solver": "PGS-NCP"', '"solver": "ADMM"')),
                             (solver, ("measurements", "measured")), (samples, ("samples", "specimens")), (samples, ('"run": {', '"run": [{')),
                             (samples, ('"bodies"', '"corpses"'))):
            with open(path, encoding="utf-8") as file:
                text = file.read()
            self.assertIn(change[0], text)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text.replace(*change))
            done = self.run_program(*arguments, code=2)
            self.assertIn(path.replace(self.folder.name + "/", ""), done.stderr)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        self.run_program(*arguments)


class Server(ProgramCase):
    """view --serve with clients of all kinds."""

    def setUp(self):
        super().setUp()
        self.server = subprocess.Popen([PROGRAM, "view", "--serve", "--port", "0", "--duration", "100", scenario("slider-crank")],
                                       stdout=subprocess.PIPE, text=True)
        self.addCleanup(self.server.stdout.close)
        self.addCleanup(self.server.wait)
        self.addCleanup(self.server.kill)
        self.address, self.token = self.server.stdout.readline().strip().split("#token=")
        self.port = int(self.address.rsplit(":", 1)[1].strip("/"))

    def connect(self, text=""):
        client = socket.create_connection(("127.0.0.1", self.port))
        self.addCleanup(client.close)
        client.sendall(text.encode())
        return client

    def page_in_time(self):
        start = time.monotonic()
        with urllib.request.urlopen(self.address, timeout=30) as answer:
            self.assertIn(b"slider-crank", answer.read())
        self.assertLess(time.monotonic() - start, 20)

    def test_many_ranges_are_refused(self):
        ranges = ",".join(["0-"] * 1200)
        for text in ("bytes=0-100", f"bytes={ranges}"):
            with self.assertRaises(urllib.error.HTTPError) as refused:
                urllib.request.urlopen(urllib.request.Request(self.address, headers={"Range": text}))
            self.assertEqual(refused.exception.code, 416)
            refused.exception.close()
        with open(f"/proc/{self.server.pid}/status", encoding="utf-8") as file:
            peak = int(re.search(r"VmHWM:\s+(\d+) kB", file.read()).group(1))
        if not SHORT:  # sanitizers take more
            self.assertLess(peak, 500_000)
        self.page_in_time()

    def test_idle_and_slow_clients_do_not_block_the_page(self):
        clients = [self.connect() for _ in range(40)] + [self.connect("GET / HTTP/1.1\r\nHost: localhost\r\nX: ") for _ in range(40)]
        clients += [self.connect("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n") for _ in range(40)]  # and never read
        self.page_in_time()
        self.assertIsNone(self.server.poll())
        self.assertEqual(len(clients), 120)

    def test_nonsense_is_answered_and_the_server_lives(self):
        for text in ("\0\0\0\r\n\r\n", "GET\r\n\r\n", "GET /more?take=-1&frames=99999999999999999999&epoch=x HTTP/1.1\r\nHost: localhost\r\n\r\n",
                     "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999\r\n\r\n",
                     "GET / HTTP/1.1\r\nHost: localhost\r\nRange: bytes=9-1\r\n\r\n"):
            self.connect(text)
        self.page_in_time()
        self.assertIsNone(self.server.poll())

    def command(self, what, **headers):
        request = urllib.request.Request(self.address + "do", data=what.encode(), headers=headers, method="POST")
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as refused:
            with refused:
                return refused.code, json.load(refused) if refused.code in (400, 403) and refused.length else None

    def test_commands_need_the_token_and_a_host_of_this_machine(self):
        pause = '{"do": "pause"}'
        for headers in ({}, {"X-Grashof-Token": self.token[:-1]}, {"X-Grashof-Token": self.token + "0"}, {"X-Grashof-Token": "é" * 16}):
            self.assertEqual(self.command(pause, **headers)[0], 403)
        own = {"X-Grashof-Token": self.token}
        self.assertEqual(self.command(pause, **own, Host="elsewhere.example")[0], 403)
        self.assertEqual(self.command(pause, **own)[1]["state"]["playing"], False)
        self.assertEqual(self.command(" " * 100_000, **own)[0], 413)

    def test_bodies_of_unknown_length_and_requests_of_other_sites_are_refused(self):
        start = f"POST /do HTTP/1.1\r\nHost: localhost\r\nX-Grashof-Token: {self.token}\r\n"
        for headers, code in (("Transfer-Encoding: chunked\r\n", 411), ("Content-Encoding: br\r\nContent-Length: 10\r\n", 411), ("", 411),
                              ("Content-Length: 17\r\n", 200)):
            client = self.connect(start + headers + "\r\n" + ('{"do": "pause"}  ' if code == 200 else ""))
            client.settimeout(30)
            self.assertIn(f"HTTP/1.1 {code}", client.recv(100).decode(), headers)
        for site, path, code in (("cross-site", "more", 403), ("same-site", "setup", 403), ("same-origin", "more", 200), ("cross-site", "", 200)):
            try:
                request = urllib.request.Request(self.address + path, headers={"Sec-Fetch-Site": site})
                with urllib.request.urlopen(request, timeout=60) as answer:
                    self.assertEqual(answer.status, code, (site, path))
            except urllib.error.HTTPError as refused:
                with refused:
                    self.assertEqual(refused.code, code, (site, path))
        self.page_in_time()

    def test_commands_of_many_clients_at_once_leave_a_run_that_goes_on(self):
        words, trial = {"X-Grashof-Token": self.token}, random.Random(3)
        commands = ['{"do": "reset"}', '{"do": "play"}', '{"do": "speed", "value": 50}', '{"do": "drag", "body": 1, "point": [0, 0, 0], "target": [0, 0, 1], "strength": 1}',
                    '{"do": "drop"}', '{"do": "step", "count": 20}', '{"do": "set", "path": "options.timestep", "value": "0.0005", "keep": true}',
                    '{"do": "unset", "path": "options.timestep", "keep": false}', '{"do": "set", "path": "body[rod].inertial.mass", "value": "-1", "keep": false}',
                    '{"do": "control", "actuator": 0, "value": 3}', '{"do": "control", "actuator": 99, "value": 3}', '{"do": [1]}', '{"do": "record"}',
                    '{"do": "drag", "body": 1, "point": [1e999, 0, 0], "target": 1, "strength": "x"}', "{" * 2000, '{"do": "set", "path": "a[b].c", "value": "\\u0000", "keep": true}']

        def client(seed):
            own = random.Random(seed)
            for _ in range(12):
                self.command(own.choice(commands), **words)
                with urllib.request.urlopen(f"{self.address}more?take={own.randrange(4)}&frames={own.randrange(9)}&intervals=5&epoch=0", timeout=60) as answer:
                    self.assertIn("state", json.load(answer))

        with concurrent.futures.ThreadPoolExecutor(6) as pool:
            for done in [pool.submit(client, trial.random()) for _ in range(6)]:
                done.result()
        self.command('{"do": "reset"}', **words)
        self.assertEqual(self.command('{"do": "play"}', **words)[0], 200)
        wait_for(lambda: self.command('{"do": "play"}', **words)[1]["state"]["time"] > 0.01)
        self.page_in_time()
        self.assertIsNone(self.server.poll())


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
