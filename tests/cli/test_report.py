"""`grashof report`: what the page says is what other commands say. Usage: test_report.py PROGRAM SOURCE_FOLDER [CLASS[.TEST] ...]"""

import html.parser
import json
import os
import re
import sys
import unittest

from test_cli import ProgramCase, scenario

NAME = "a<b>&\"'</script><script>alert(1)</script>"
PART = "a&lt;b'c&amp"  # names of parts hold no <, > and quotation marks


def escaped(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")


SIZES = """<scenario name="small">
  <options duration="0.5" timestep="1e-3"/>
  <motion name="m" type="sine" amplitude="0.5" frequency="2"/>
  <motor name="tiny" gear-ratio="20" stall-torque="0.002" no-load-speed="900" rms-torque="0.001"/>
  <body name="arm" position="0.2 0 0"><shape type="box" size="0.4 0.02 0.02" mass="1"/></body>
  <joint name="hinge" type="revolute" follower="arm" axis="0 1 0"><actuator type="motion" motion="m" motor="tiny"/></joint>
</scenario>"""


class Page(html.parser.HTMLParser):
    """Tables by id, as rows of (text, whole value), and all attributes that may refer to other files."""

    def __init__(self, text):
        super().__init__()
        self.tables, self.links, self.frames, self.tags, self.scripts, self.heading = {}, [], [], set(), [], ""
        self.table, self.text, self.value, self.inside = None, None, None, None
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        if tag == "script":
            self.scripts.append("")
        self.tags.add(tag)
        self.inside = tag
        self.links += [given[key] for key in ("src", "href", "xlink:href", "action", "data", "poster") if key in given]
        if "srcdoc" in given:
            self.frames.append(given["srcdoc"])
        if tag == "table":
            self.table = self.tables.setdefault(given.get("id"), [])
        elif tag == "tr" and self.table is not None:
            self.table.append([])
        elif tag in ("td", "th"):
            self.text, self.value = "", given.get("data-value")

    def handle_data(self, data):
        if self.text is not None:
            self.text += data
        if self.inside == "h1":
            self.heading += data
        if self.inside == "script":
            self.scripts[-1] += data

    def handle_endtag(self, tag):
        self.inside = None
        if tag in ("td", "th"):
            self.table[-1].append((self.text, None if self.value is None else float(self.value)))
            self.text = None
        elif tag == "table":
            self.table = None

    def rows(self, name):
        """Whole values of each row by its first text."""
        return {row[0][0]: [value for _, value in row[1:]] for row in self.tables[name][1:]}


class Report(ProgramCase):
    def report(self, file, *more, code=0):
        done = self.run_program("report", file, "-q", "-o", self.path("r.html"), *more, code=code)
        with open(self.path("r.html"), encoding="utf-8") as page:
            self.html = page.read()
        return done, Page(self.html)

    def test_the_page_says_which_model_its_loads_are_of(self):
        text = """<scenario name="hung"><options duration="0.05"/>
          <body name="beam" position="0 0 -0.1"><inertial mass="1" inertia="1 1 1"/></body>
          <joint name="left" type="spherical" follower="beam" position="-1 0 0"{}/>
          <joint name="right" type="spherical" follower="beam" position="1 0 0"/></scenario>"""
        for attribute, sentence in (("", False), (' compliance="1e-6"', True)):
            file = self.path("hung.xml")
            with open(file, "w", encoding="utf-8") as scenario_file:
                scenario_file.write(text.format(attribute))
            done, _ = self.report(file, "--json", "--no-film")
            data = json.loads(done.stdout)
            self.assertEqual(data["loads"]["rigid_joints"], sentence)
            self.assertEqual("mechanism with rigid joints" in self.html, sentence)
            loads = json.loads(self.run_program("loads", file, "--json").stdout)
            self.assertEqual(data["loads"]["joints"], loads["joints"])

    def test_the_page_says_what_loads_info_analyze_and_the_summary_say(self):
        file, length = scenario("neck"), ("--duration", "1", "--set", "output.interval=0")
        done, page = self.report(file, *length, "--json", "--no-film")
        data = json.loads(done.stdout)
        loads = json.loads(self.run_program("loads", file, "--duration", "1", "--json").stdout)
        self.assertEqual(data["loads"]["joints"], loads["joints"])
        shown = page.rows("joints")
        self.assertEqual(len(shown), len(loads["joints"]))
        for joint in loads["joints"]:
            self.assertEqual(shown[joint["joint"]], [None, joint["force"]["value"], joint["force"]["time_s"], joint["force_rms"],
                                                     joint["moment"]["value"], joint["moment"]["time_s"], joint["moment_rms"]])
        for drive in loads["drives"]:
            self.assertEqual(page.rows("drives")[drive["coordinate"]][0], drive["effort"]["value"])
        self.run_program("run", file, *length, "-q", "-o", "out")
        info = json.loads(self.run_program("info", self.path("out/neck"), "--json").stdout)[0]
        shown, found = {name.removeprefix("~ "): values for name, values in page.rows("channels").items()}, 0
        for channel in info["channels"]:
            if channel["name"] in shown:
                found += 1
                self.assertEqual(shown[channel["name"]][1:], [channel["least"], channel["greatest"], channel["last"]], channel["name"])
        self.assertGreater(found, 20)
        ranges = {c["name"]: c for c in info["channels"]}
        for body, values in page.rows("reach").items():
            x = ranges[f"body.{body}.position.x"]
            self.assertEqual(values[:2], [x["least"], x["greatest"]])
            self.assertEqual(values[6], ranges[f"body.{body}.speed"]["greatest"])
        analysis = json.loads(self.run_program("analyze", file, "--json").stdout)[0]
        for key in ("mobility", "redundant", "rank", "kutzbach"):
            self.assertEqual(data["mobility"][key], analysis[key])
        self.assertIn(f"mobility <b>{analysis['mobility']}</b>, <b>{analysis['redundant']}</b> rows redundant", " ".join(self.html.split()))
        with open(self.path("out/neck/summary.json"), encoding="utf-8") as summary:
            energy = json.load(summary)["energy_J"]
        self.assertEqual([values[0] for values in page.rows("energy-balance").values()],
                         [energy[key] for key in ("start", "end", "actuators", "external", "dissipated", "drift")])
        self.assertNotIn("<iframe", self.html)

    def test_the_same_peaks_in_page_plot_info_and_loads(self):
        file, length = scenario("slider-crank"), ("--duration", "0.6", "--set", "output.interval=0")
        _, page = self.report(file, *length, "--no-film")
        loads = {j["joint"]: j for j in json.loads(self.run_program("loads", file, "--duration", "0.6", "--json").stdout)["joints"]}
        self.run_program("run", file, *length, "-q", "-o", "out")
        result = self.path("out/slider-crank")
        info = {c["name"]: c for c in json.loads(self.run_program("info", result, "--json").stdout)[0]["channels"]}
        channels = [f"joint.{name}.reaction" for name in list(loads)[:4]] + ["joint.main.effort.0"]
        shown = {name.removeprefix("~ "): values for name, values in page.rows("channels").items()}
        drive = json.loads(self.run_program("loads", file, "--duration", "0.6", "--json").stdout)["drives"][0]
        for channel in channels:
            most = max(info[channel]["greatest"], -info[channel]["least"])
            self.assertEqual(max(shown[channel][2], -shown[channel][1]), most)
            joint = channel.split(".")[1]
            peak = abs(drive["effort"]["value"]) if channel.endswith("effort.0") else loads[joint]["force"]["value"]
            self.assertAlmostEqual(peak, most, delta=1e-12 * most)
            # The plot: its highest and lowest point, by the marks of its axis.
            self.run_program("plot", result, "-y", channel, "-o", self.path("p.svg"))
            with open(self.path("p.svg"), encoding="utf-8") as svg:
                text = svg.read()
            marks = [(float(y), float(value)) for y, value in
                     re.findall(r'y="([\d.]+)" font-size="11" text-anchor="end">(-?[\d.e+-]+)</text>', text)]
            (y0, v0), (y1, v1) = marks[0], marks[-1]
            points = [float(p.split(",")[1]) + 4.0 for p in re.search(r'<polyline points="([^"]*)"', text).group(1).split()]
            values = [v0 + (y - y0) * (v1 - v0) / (y1 - y0) for y in (min(points), max(points))]
            span = info[channel]["greatest"] - info[channel]["least"]
            self.assertAlmostEqual(values[0], info[channel]["greatest"], delta=2e-3 * span)
            self.assertAlmostEqual(values[1], info[channel]["least"], delta=2e-3 * span)

    def test_names_are_escaped_and_nothing_is_loaded_from_elsewhere(self):
        file = self.path("<i>.xml", f"""<scenario name="{escaped(NAME)}"><options duration="0.05"/>
            <body name="{escaped(PART)}" position="0.5 0 0"><shape type="sphere" radius="0.1" mass="1"/></body>
            <joint name="{escaped(PART)}" type="revolute" follower="{escaped(PART)}" axis="0 1 0"/>
            <expect><check channel="joint.{escaped(PART)}.reaction" max="0"/></expect></scenario>""")
        _, page = self.report(file)
        self.assertEqual((page.heading, page.tags & {"i", "a"}), (NAME, set()))
        self.assertNotIn("alert(1)", [script.strip() for script in page.scripts])
        self.assertIn(PART, page.rows("joints"))
        self.assertIn(PART, page.rows("reach"))
        self.assertEqual(page.tables["expectations"][1][1][0], "no")
        self.assertEqual([link for link in page.links if not link.startswith("data:")], [])
        self.assertEqual(len(page.frames), 1)
        film = Page(page.frames[0])
        self.assertEqual([link for link in film.links if not link.startswith("data:")], [])
        for text in (self.html.split("<iframe")[0], page.frames[0]):
            self.assertIsNone(re.search(r"""@import|url\((?!["']?(data:|#))""", text))

    def test_motors_that_are_too_small_limits_and_touches_are_told(self):
        file = self.path("small.xml", SIZES)
        done, page = self.report(file, "--json", "--no-film")
        loads = json.loads(self.run_program("loads", file, "--json").stdout)
        self.assertTrue(loads["motors"][0]["too_small"])
        motor = loads["motors"][0]
        self.assertEqual(page.rows("motors")[motor["coordinate"]][1], motor["torque"]["value"])
        self.assertIn("Too small", self.html)
        _, page = self.report(scenario("ten-cube-stack"), "--duration", "0.1", "--no-film")
        self.assertGreaterEqual(len(page.tables["touches"]), 10)

    def test_a_clip_is_played(self):
        neck = os.path.splitext(scenario("neck"))[0]
        done, page = self.report(scenario("neck"), "--clip", neck + "-clip.csv", "--duration", "0.3", "--json", "--no-film")
        loads = json.loads(self.run_program("loads", scenario("neck"), "--clip", neck + "-clip.csv", "--duration", "0.3", "--json").stdout)
        self.assertEqual(json.loads(done.stdout)["loads"]["drives"], loads["drives"])

    def test_equal_runs_make_equal_pages(self):
        self.report(scenario("fourbar-fixed"), "--duration", "0.2")
        first = self.html
        self.report(scenario("fourbar-fixed"), "--duration", "0.2")
        self.assertEqual(first, self.html)
        for part in ("@media print", "prefers-color-scheme: dark", "break-before: page"):
            self.assertIn(part, first)

    def test_bad_requests_and_runs_that_fail(self):
        for arguments, code, said in (((scenario("neck"), "-o", "r.pdf"), 2, "must end in .html"),
                                      ((scenario("neck"), "--from", "100", "--duration", "0.1", "-o", "r.html"), 2, "ends at 0.1 s"),
                                      ((self.path("no.xml"), "-o", "r.html"), 2, "no.xml"),
                                      ((self.path("bad.xml", "<scenario>\n<body nam='a'/></scenario>"), "-o", "r.html"), 2, "bad.xml:2"),
                                      ((scenario("fourbar-fixed"), "--duration", "0.05", "-o", "/proc/r.html"), 5, "/proc")):
            self.assertIn(said, self.run_program("report", *arguments, "-q", code=code).stderr)
            self.assertFalse(os.path.exists(self.path("r.html")))
        diverging = self.path("diverging.xml", """<scenario><options duration="1" divergence-speed="1"/>
            <body name="stone"><inertial mass="1" inertia="1 1 1"/></body></scenario>""")
        done, _ = self.report(diverging, "--no-film", code=3)
        self.assertIn("diverged at", done.stderr)
        self.assertIn("diverged at", self.html)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=1)
