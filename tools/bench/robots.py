#!/usr/bin/env python3
"""Robot descriptions as they are, hanging from their base and dropped with it free; prints Markdown.

Usage: robots.py PROGRAM FOLDER...

Each URDF, SDF and MJCF below the folders is converted without options but `--path FOLDER`, then run for 2 s: hanging where the file has it, and
with its base free, 5 cm above a floor. Other files are passed over. `µs` is the processor's time for a step, with loading and recording, the
better of two runs. With `--mujoco build/release/bench_mujoco` the models are also written as MJCF, and each row ends with the wall clock's time of
a step, by MuJoCo and by Grashof, of the same 2 s in one process. Exit code 1: a model is refused, diverges, has joints open by more than 1e-9 or takes more than 1 ms a step.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

DURATION, MOST_OPEN, MOST_TIME = 2.0, 1e-9, 1e3  # s, m or rad, µs
KINDS = {"robot": "URDF", "sdf": "SDF", "mujoco": "MJCF"}


def kind_of(path):
    """The format of a file that is a model, else None."""
    if not path.endswith((".urdf", ".sdf", ".xml", ".mjcf")):
        return None
    try:
        return KINDS.get(ElementTree.parse(path).getroot().tag)
    except ElementTree.ParseError:
        return None


def models(folder):
    found = []
    for place, _, names in os.walk(folder):
        found += [os.path.join(place, name) for name in names if kind_of(os.path.join(place, name))]
    return sorted(found)


def ran(program, *arguments):
    return subprocess.run([program, *arguments], capture_output=True, text=True, check=False)


def spent():
    """Processor time of the programs that were run, s: unlike the clock it does not count who else runs."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def measure(program, path, folder, scratch, options):
    """Cells of the table, and whether the model passes."""
    scenario = os.path.join(scratch, "model.xml")
    done = ran(program, "convert", path, "--path", folder, "-o", scenario, "--json", *options)
    if done.returncode != 0:
        return ["refused: " + done.stderr.strip().splitlines()[0], "", "", ""], False
    report = json.loads(done.stdout)
    best, run = None, None
    for _ in range(2):
        before = spent()
        done = ran(program, "run", scenario, "--duration", str(DURATION), "-o", os.path.join(scratch, "results"), "-q", "--json")
        if not done.stdout:
            return ["error: " + done.stderr.strip().splitlines()[0], "", "", ""], False
        run = json.loads(done.stdout)[0]
        time = 1e6 * (spent() - before) / max(run["steps"], 1)
        best = time if best is None else min(best, time)
    opened = max(run["max_joint_residual"], report["residual"])
    size = f"{report['bodies']} / {report['mobility']}"
    passed = not run["diverged"] and opened <= MOST_OPEN and best <= MOST_TIME
    return [size, "diverges" if run["diverged"] else "holds", f"{opened:.1e}", f"{best:.0f}"], passed


def beside_mujoco(bench, program, scratch):
    """µs a step of what measure() has converted: MuJoCo, Grashof, their ratio."""
    mjcf = os.path.join(scratch, "model.mjcf.xml")
    done = ran(program, "convert", os.path.join(scratch, "model.xml"), "--to", "mjcf", "-o", mjcf)
    if done.returncode != 0:
        return ["not written", "", ""]
    done = ran(bench, mjcf, "--duration", str(DURATION), "--json")
    if done.returncode != 0:
        return ["refused", "", ""]
    row = json.loads(done.stdout)[0]
    theirs, ours = row["mujoco"], row["grashof"]
    if theirs["diverged"] or ours["diverged"]:
        return ["diverges" if side["diverged"] else f"{1e6 * side['step_s']:.1f}" for side in (theirs, ours)] + [""]
    return [f"{1e6 * theirs['step_s']:.1f}", f"{1e6 * ours['step_s']:.1f}", f"{ours['step_s'] / theirs['step_s']:.2f}"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("folders", nargs="+")
    parser.add_argument("--mujoco", metavar="BENCH", help="the program bench_mujoco: its times beside")
    a = parser.parse_args()
    program, passed = os.path.abspath(a.program), True
    more = 3 if a.mujoco else 0
    print("| model | | bodies / mobility | 2 s | joints open by | µs | |" + (" MuJoCo | Grashof | ratio |" if more else ""))
    print("|---" * (7 + more) + "|")
    for folder in map(os.path.abspath, a.folders):
        if not os.path.isdir(folder):
            print(f"{folder} is not there", file=sys.stderr)
            continue
        for path in models(folder):
            for name, options in (("hanging", []), ("dropped", ["--floating-base", "--floor", "0.05"])):
                with tempfile.TemporaryDirectory(prefix="grashof-robots-") as scratch:
                    cells, good = measure(program, path, folder, scratch, options)
                    rates = beside_mujoco(os.path.abspath(a.mujoco), program, scratch) if a.mujoco else []
                passed &= good
                row = " | ".join([os.path.relpath(path, folder), name, *cells, "ok" if good else "FAILED", *rates])
                print(f"| {row} |", flush=True)
    sys.exit(0 if passed else 1)


if __name__ == "__main__":
    main()
