#!/usr/bin/env python3
"""Studies at length, judged: the same table whatever makes it, speed by the number of workers, closed forms; prints Markdown.

Usage: sweep.py PROGRAM PYTHON_FOLDER [--runs N]

- N four-bars with tolerances (10 000), of 1 s at 1 ms each: with one worker process and with two, under mpirun -n 3, on a dask cluster of two
  workers, and killed with -9 three times on the way: all tables must be the same bytes.
- Two workers against one. The machine may be busy, so that the clock says little: what counts is processor time. With W of it in
  the runs and D in the process that hands them out, j workers of their own processors take max(W/j, D).
- A pendulum's period over length and gravity: variance and indices of sensitivity against their formulas.
- The tolerance stack of a platform on six legs against the linear theory, and the stride of a Klann leg against its geometry.
- What a study of a million runs on a thousand cores takes, from these rates.

Exit code 1: a table differs, two workers are less than 1.9 times as fast as one, or a number is not that of its formula.
"""

import argparse
import csv
import hashlib
import json
import math
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
STUDIES = os.path.join(ROOT, "assets", "studies")
FASTER = 1.9


def load():
    return os.getloadavg()[0]


class Bench:
    def __init__(self, a):
        self.program, self.python, self.runs = os.path.abspath(a.program), os.path.abspath(a.python_folder), a.runs
        self.folder = tempfile.mkdtemp(prefix="grashof-sweep-")
        self.passed = True
        self.hashes, self.work = {}, {}

    def row(self, what, figures, ok):
        self.passed &= ok
        print(f"| {what} | {figures} | {'ok' if ok else 'FAILED'} |", flush=True)

    def command(self, study, out, *options):
        return [self.program, "sweep", os.path.join(STUDIES, study), "-o", os.path.join(self.folder, out), "-q", "--json", *options]

    def sweep(self, study, out, *options, launcher=()):
        done = subprocess.run([*launcher, *self.command(study, out, *options)], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(done.stderr)
        return json.loads(done.stdout)

    def digest(self, out):
        with open(os.path.join(self.folder, out, "fourbar-tolerances", "table.csv"), "rb") as file:
            return hashlib.sha256(file.read()).hexdigest()

    def compare(self, what, out, figures):
        self.hashes[what] = self.digest(out)
        first = next(iter(self.hashes.values()))
        self.row(what, f"{figures}; table {self.hashes[what][:16]}", self.hashes[what] == first)

    def fourbar(self, what, out, *options, launcher=()):
        busy = load()
        w = self.sweep("fourbar-tolerances.xml", out, "--runs", str(self.runs), *options, launcher=launcher)["work"]
        busy = max(busy, load())
        self.work[what] = w
        self.compare(what, out, f"{w['seconds']:.0f} s by the clock at a load of {busy:.0f}, {w['work_seconds']:.1f} s of processor in the runs "
                                f"({1e3 * w['work_seconds'] / w['runs_made']:.2f} ms each), {w['driver_seconds']:.2f} s in handing out; {w['tasks']} "
                                f"tasks, {w['task_bytes'] / 1e6:.2f} MB there, {w['result_bytes'] / 1e6:.2f} MB back")

    def killed(self):
        kills = 0
        command = self.command("fourbar-tolerances.xml", "killed", "--runs", str(self.runs), "-j", "2")
        journal = os.path.join(self.folder, "killed", "fourbar-tolerances", "runs.journal")
        sizes = []
        for part in (1, 2, 3):
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            # A quarter of the journal more each time; a row is some 90 bytes.
            while process.poll() is None and not (os.path.exists(journal) and os.path.getsize(journal) > part * self.runs * 22):
                time.sleep(0.05)
            kills += process.poll() is None
            process.send_signal(signal.SIGKILL)
            process.wait()
            sizes.append(os.path.getsize(journal))
        w = self.sweep("fourbar-tolerances.xml", "killed", "--runs", str(self.runs), "-j", "2")["work"]
        self.compare("killed with -9 three times, then to the end", "killed",
                     f"{kills} kills, at journals of {', '.join(f'{s / 1e3:.0f}' for s in sizes)} kB; {w['runs_made']} runs were left for the last part")
        self.passed &= kills == 3

    def dask(self):
        script = os.path.join(self.folder, "cluster.py")
        with open(script, "w", encoding="utf-8") as file:
            file.write(f"""
import time
from dask.distributed import Client, LocalCluster
import grashof
if __name__ == "__main__":
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, processes=True) as cluster, Client(cluster) as client:
        start = time.monotonic()
        table = grashof.sweep({os.path.join(STUDIES, "fourbar-tolerances.xml")!r}, runs={self.runs}, executor=client.get_executor(),
                              out={os.path.join(self.folder, "dask")!r})
        print(len(table["run"]), time.monotonic() - start)
""")
        done = subprocess.run(["/usr/bin/python3", script], capture_output=True, text=True, check=False,
                              env={**os.environ, "PYTHONPATH": self.python})
        if done.returncode != 0:
            raise RuntimeError(done.stderr)
        rows, seconds = done.stdout.split()
        self.compare("dask.distributed, two workers", "dask", f"{rows} rows in {float(seconds):.0f} s by the clock")

    def faster(self):
        one, two = (self.work[f"{n} worker{'s' if n > 1 else ''}"] for n in (1, 2))
        limits = [max(w["work_seconds"] / w["workers"], w["driver_seconds"]) for w in (one, two)]
        ratio = limits[0] / limits[1]
        self.row("two workers against one", f"{self.runs / limits[0]:.1f} and {self.runs / limits[1]:.1f} runs a second of processor: "
                 f"{ratio:.2f} times; by the clock {one['seconds'] / two['seconds']:.2f} times", ratio >= FASTER)

    def pendulum(self):
        j = self.sweep("pendulum-indices.xml", "pendulum")
        m = j["measures"][0]
        moment = lambda a, b, p: math.log(b / a) / (b - a) if p == -1 else (b ** (p + 1) - a ** (p + 1)) / ((p + 1) * (b - a))
        root_l, mean_l, root_g, mean_g = moment(.1, .4, .5), moment(.1, .4, 1), moment(4, 14, -.5), moment(4, 14, -1)
        c = 4 * math.pi**2
        variance = c * (mean_l * mean_g - (root_l * root_g) ** 2)
        first = [c * root_g**2 * (mean_l - root_l**2) / variance, c * root_l**2 * (mean_g - root_g**2) / variance]
        total = [1 - first[1], 1 - first[0]]
        found = [(e["first"], e["total"], e["first_error"], e["total_error"]) for e in m["effects"]]
        text = f"variance {m['variance']:.6f} s², formula {variance:.6f}"
        ok = abs(m["variance"] / variance - 1) < 0.01
        for i, name in enumerate(("length", "gravity")):
            text += (f"; {name} first {found[i][0]:.4f} ± {found[i][2]:.4f}, formula {first[i]:.4f}; total {found[i][1]:.4f} ± {found[i][3]:.4f}, "
                     f"formula {total[i]:.4f}")
            ok &= abs(found[i][0] - first[i]) < 0.01 and abs(found[i][1] - total[i]) < 0.01
        self.row(f"period of a pendulum, {j['runs']} runs", text, ok)

    def stewart(self):
        """Deviations of the platform against those of the linear theory, with derivatives by differences of the geometry."""
        sys.path.insert(0, self.python)
        import grashof
        import numpy
        R, r, h = 0.4, 0.25, 0.6
        point = lambda radius, angle: numpy.array([radius * math.cos(math.radians(angle)), radius * math.sin(math.radians(angle)), 0.0])
        feet = [point(R, 120 * (k // 2) + 10 * (1 - 2 * (k % 2))) for k in range(6)]
        heads = [point(r, 120 * (k // 2) + 50 * (1 - 2 * (k % 2))) for k in range(6)]
        up = numpy.array([0, 0, h])
        legs = [(head + up - foot) for head, foot in zip(heads, feet)]
        units = [leg / numpy.linalg.norm(leg) for leg in legs]
        # u·(dp + dθ × head - dfoot) = dl
        J = numpy.array([numpy.concatenate([u, numpy.cross(head, u)]) for u, head in zip(units, heads)])
        inverse = numpy.linalg.inv(J)
        columns = [inverse[:, k] for k in range(6)] + [inverse[:, k] * units[k][axis] for k in range(6) for axis in (0, 1)]
        bounds = numpy.array([1e-4] * 6 + [5e-5] * 12)
        sensitivity = numpy.array(columns).T
        # Normal within ± 3 deviations, cut there.
        cut = 1 - 2 * 3 * math.exp(-4.5) / math.sqrt(2 * math.pi) / math.erf(3 / math.sqrt(2))
        theory = numpy.sqrt(((sensitivity * bounds / 3) ** 2).sum(axis=1) * cut)
        theory[3:] /= 2  # half angles
        worst = (abs(sensitivity) * bounds).sum(axis=1)
        worst[3:] /= 2
        random = self.sweep("stewart-tolerances.xml", "stewart")
        corners = self.sweep("stewart-corners.xml", "corners")
        found = [m["deviation"] for m in random["measures"][:6]]
        largest = [m["worst_case"]["largest"] - m["nominal"] for m in corners["measures"][:6]]
        n = random["runs"]
        ok = all(abs(f / t - 1) < 5 / math.sqrt(2 * n) for f, t in zip(found, theory)) and all(
            abs(f / t - 1) < 0.005 for f, t in zip(largest, worst))
        micro = lambda values: ", ".join(f"{1e6 * v:.1f}" for v in values)
        self.row(f"platform on six legs, {n} draws and {corners['runs']} runs for the corners", "deviations of x y z (µm) and half roll, pitch, yaw (µrad) "
                 f"{micro(found)}, linear theory {micro(theory)}; worst case {micro(largest)}, theory {micro(worst)}", ok)

    def klann(self):
        j = self.sweep("klann-gait.xml", "klann")
        with open(os.path.join(self.folder, "klann", "klann-gait", "table.csv"), encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        worst, best, failed = 0.0, None, 0
        for row in rows:
            if row["status"] != "ok":
                failed += 1
                continue
            stride, lift = klann_gait(float(row["crank"]), float(row["lower"]))
            worst = max(worst, abs(1e3 * float(row["stride"]) - stride), abs(1e3 * float(row["lift"]) - lift))
            if best is None or float(row["stride"]) > float(best["stride"]):
                best = row
        self.row(f"Klann leg over two lengths, {j['runs']} runs", f"{failed} lengths do not turn; stride and lift of the others within {worst:.3f} mm of the "
                 f"geometry; longest stride {1e3 * float(best['stride']):.1f} mm with crank {best['crank']} and lower rocker {best['lower']} mm",
                 worst < 0.05 and failed < len(rows))

    def paper(self):
        """A million runs on a thousand cores."""
        w = self.work["2 workers"]
        each, runs, cores = w["work_seconds"] / w["runs_made"], 10**6, 1000
        hand_out = w["driver_seconds"] / w["runs_made"]
        with open(os.path.join(self.folder, "2", "fourbar-tolerances", "runs.journal"), "rb") as file:
            journal = len(file.read()) / self.runs
        tasks = runs * each / 0.2
        mpi = self.work["mpirun -n 3"]
        print(f"""
## A million runs on a thousand cores, on paper

From the rates of two workers above, for the same four-bar: {1e3 * each:.2f} ms of processor a run, {1e6 * hand_out:.0f} µs of it in the process that hands out
and writes, {w['task_bytes'] / w['runs_made']:.0f} bytes there and {w['result_bytes'] / w['runs_made']:.0f} bytes back a run.

| | |
|---|---|
| work | {runs * each / 3600:.1f} hours of one core, {runs * each / (cores - 1):.1f} s on {cores - 1} |
| tasks of 0.2 s | {tasks:.0f}, {tasks / (runs * each / (cores - 1)):.0f} a second, each with {0.2 / each:.0f} runs |
| messages | {2 * tasks + 2 * (cores - 1):.0f}; {runs * w['task_bytes'] / w['runs_made'] / 1e6:.0f} MB there, {runs * w['result_bytes'] / w['runs_made'] / 1e6:.0f} MB back |
| rank 0 | {runs * hand_out:.0f} s of processor: {'it is what limits, by ' + format(runs * hand_out / (runs * each / (cores - 1)), '.1f') + ' times' if runs * hand_out > runs * each / (cores - 1) else 'less than the work takes'} |
| journal, table | {runs * journal / 1e6:.0f} MB, about {1e-6 * runs * os.path.getsize(os.path.join(self.folder, '2', 'fourbar-tolerances', 'table.csv')) / self.runs:.0f} MB of CSV |
| rank 0, memory | {runs * (8 * 5 + 1) / 1e6:.0f} MB of rows, and the table once as text |
| lost with a kill of all | at most {2 * (cores - 1)} tasks: {2 * (cores - 1) * 0.2 / 60:.1f} minutes of one core |

What gives first is rank 0: at {1e6 * hand_out:.0f} µs a run it serves {1 / hand_out:.0f} runs a second, which is {each / hand_out:.0f} workers of such runs. Longer runs need fewer:
with a second each it serves {1 / hand_out:.0f} workers. Beyond that a study is cut in parts by its levels or seeds, each a job of its own.

These are rates of pipes. Under mpirun rank 0 took {1e6 * mpi['driver_seconds'] / mpi['runs_made']:.0f} µs a run, most of it looking for messages while there were none. If all of it were work,
rank 0 would serve {mpi['runs_made'] / mpi['driver_seconds']:.0f} runs a second, and {each * mpi['runs_made'] / mpi['driver_seconds']:.0f} workers: which of the two it is, no more than three ranks here can show.""", flush=True)


def klann_gait(crank, lower):
    """Stride and lift of the foot, mm, from circles; the lengths are those of klann-leg.xml."""
    link, shin, thigh, upper, leg, elbow, hip = 149.0, 106.2, 139.4, 84.6, 244.7, -11.97, -168.54
    d, xs, zs = math.radians, [], []
    for i in range(7200):
        t = 2 * math.pi * i / 7200
        px, pz = crank * math.cos(t), crank * math.sin(t)
        far = math.hypot(-137.05 - px, -69.4 - pz)
        turn = math.atan2(-69.4 - pz, -137.05 - px) - math.acos((link**2 + far**2 - lower**2) / (2 * link * far))
        ex, ez = px + link * math.cos(turn), pz + link * math.sin(turn)
        kx, kz = ex + shin * math.cos(turn + d(elbow)), ez + shin * math.sin(turn + d(elbow))
        far = math.hypot(-137.05 - kx, 44.5 - kz)
        turn = math.atan2(44.5 - kz, -137.05 - kx) + math.acos((thigh**2 + far**2 - upper**2) / (2 * thigh * far))
        xs.append(kx + leg * math.cos(turn + d(hip)))
        zs.append(kz + leg * math.sin(turn + d(hip)))
    return max(xs) - min(xs), max(zs) - min(zs)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("python_folder")
    parser.add_argument("--runs", type=int, default=10000)
    a = parser.parse_args()
    bench = Bench(a)
    print(f"| study | figures | verdict |\n|---|---|---|", flush=True)
    try:
        bench.fourbar("1 worker", "1", "-j", "1")
        bench.fourbar("2 workers", "2", "-j", "2")
        bench.faster()
        bench.killed()
        launcher = ["mpirun", "--oversubscribe", "-n", "3"] + (["--allow-run-as-root"] if os.getuid() == 0 else [])
        bench.fourbar("mpirun -n 3", "mpi", launcher=launcher)
        bench.dask()
        bench.pendulum()
        bench.stewart()
        bench.klann()
        bench.paper()
    finally:
        shutil.rmtree(bench.folder, ignore_errors=True)
    return 0 if bench.passed else 1


if __name__ == "__main__":
    sys.exit(main())
