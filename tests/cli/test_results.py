"""What is made of recorded runs: info, plot, view, render; and controllers. Usage: test_results.py PROGRAM SOURCE_FOLDER [CLASS[.TEST] ...]"""

import base64
import fnmatch
import html
import json
import math
import os
import re
import shutil
import subprocess
import sys
import time
import unittest
import urllib.error
import urllib.request
import zlib
import xml.etree.ElementTree as ElementTree

import h5py
import numpy

from test_cli import LONG, PROGRAM, SOURCE, ProgramCase, scenario


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

    def test_the_first_record_has_loads_or_says_that_they_are_not_known(self):
        def channel(file, name):
            self.run_program("run", file, "--duration", "0.05", "--quiet", "-o", "out")
            folder = self.path("out/" + os.path.basename(file)[:-4])
            self.run_program("plot", folder, "-y", name, "-o", self.path("p.svg"))
            with open(self.path("p.svg"), encoding="utf-8") as file:
                self.assertNotIn("nan", file.read())
            text = [line for line in self.run_program("info", folder).stdout.splitlines() if f" {name} " in line][0]
            return text, {c["name"]: c for c in json.loads(self.run_program("info", folder, "--json").stdout)[0]["channels"]}[name]

        rod = self.path("rod.xml", """<scenario><body name="rod" position="0.5 0 0"><shape type="box" size="1 0.01 0.01" mass="1"/></body>
            <joint name="hinge" type="revolute" follower="rod" axis="0 1 0"/></scenario>""")
        text, found = channel(rod, "joint.hinge.reaction")
        self.assertAlmostEqual(found["least"], 9.81 / 4, delta=1e-2)  # it swings, and the load grows
        self.assertNotIn("unknown_records", found)
        box = self.path("box.xml", """<scenario><shape type="plane"/><body name="box" position="0 0 0.5"><shape type="box" size="1 1 1" mass="1"/></body></scenario>""")
        text, found = channel(box, "contacts.normal-force")
        self.assertTrue(text.endswith(" ?"))
        self.assertEqual(found["unknown_records"], 1)
        self.assertAlmostEqual(found["least"], 9.81, delta=1e-3)

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
        self.assertEqual(svg.count("energy.total"), 3)  # the second lies on the first, and says so
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

    def test_what_a_controller_throws_or_cannot_mean_is_wrong_input(self):
        arm = self.path("arm.xml", """<scenario name="arm"><options duration="0.1"/><motion name="none" type="constant" value="0"/>
            <body name="arm" position="0 0 -0.5"><inertial mass="2" inertia="0.1 0.1 0.1"/></body>
            <joint name="pivot" type="revolute" base="world" follower="arm" position="0 0 0" axis="0 1 0">
            <actuator type="effort" motion="none"/></joint></scenario>""")
        source, library = self.path("bad.cpp", """#include "tools/controller/grashof_controller.h"
            #include <cmath>
            #include <stdexcept>
            static char mode;
            static void* start(const grashof_view*, const char* argument, char*, int) { mode = argument[0]; return &mode; }
            static void control(void*, const grashof_view* v) {
              if (mode == 'i') v->control[0] = INFINITY;
              if (mode == 'w') v->wrench[3] = NAN;
              if (mode == 't') throw std::runtime_error("no sensor");
              if (mode == 'n') throw 3;
            }
            static void stop(void*) { if (mode == 's') throw 3; }
            static int save(void*, void*, int) { return mode == 'h' ? 2147483647 : 0; }
            static int restore(void*, const void*, int) { return 0; }
            extern "C" const grashof_controller_table* grashof_controller(void) {
              static grashof_controller_table t = {GRASHOF_CONTROLLER_VERSION, start, control, stop, save, restore};
              return &t;
            }"""), self.path("bad.so")
        subprocess.run(["c++", "-shared", "-fPIC", f"-I{SOURCE}", "-o", library, source], check=True)
        for mode, said in (("i", "the control of 'pivot' is infinite"), ("w", "the wrench on body 'arm' is not finite"),
                           ("t", "control() throws: no sensor"), ("n", "control() throws")):
            done = self.run_program("run", arm, "--quiet", "-o", "bad-" + mode, "--controller", f"{library}:{mode}", code=2)
            self.assertIn(said, done.stderr)
        self.run_program("run", arm, "--quiet", "-o", "bad-s", "--controller", library + ":s")
        done = self.run_program("run", arm, "--quiet", "-o", "bad-h", "--duration", "3", "--checkpoint", "0", "--controller", library + ":h", code=2)
        self.assertIn("at most 67108864 can be kept", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
