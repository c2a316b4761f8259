#!/usr/bin/env python3
"""What papers on contact show, and what the same experiments show here: a page in Markdown, assets/suite/PAPERS.md.

Usage: papers.py PROGRAM [--suite FOLDER] [--only WHAT] [--out PAGE]

Runs the commands of the modules in `paper`, one for each paper, and, unless --suite names its results, `bench suite`; some minutes. Each experiment has a
criterion that can fail. With --only these papers or parts of the data alone are measured, and what PAGE has of all else stays. tests/tools/test_papers.py shows
that each comes out either way.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile

from paper import carpentier, castro, lidec, tedrake, tsounis
from paper.common import ROOT

MODULES = {"lidec": lidec, "carpentier": carpentier, "castro": castro, "tedrake": tedrake, "tsounis": tsounis}
EXPERIMENTS = [e for module in MODULES.values() for e in module.EXPERIMENTS]
REASONS = {name: reason for module in MODULES.values() for name, reason in module.REASONS.items()}
SUITE_REASONS = lidec.SUITE_REASONS
ABSENT = [row for module in MODULES.values() for row in module.ABSENT]


def verdict(experiment, outcome):
    if outcome is None:
        return "not measured", "something that it needs was not measured"
    holds, numbers = outcome
    if experiment.difference:
        return "not comparable", f"{numbers} ({'here it holds' if holds else 'here it does not hold'})"
    return ("confirmed" if holds else "refuted"), numbers


def row(*cells):
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def start_of(experiment):
    """How its row begins: source and statement."""
    return row(experiment.source, experiment.says, "")[:-2]


def commands(suite_command):
    """Lines for a shell with `grashof` on its path."""
    for module in MODULES.values():
        yield from module.commands()
    yield suite_command


def table(data):
    lines = []
    for e in EXPERIMENTS:
        what, numbers = verdict(e, e.judge(data))
        lines.append(row(e.source, e.says, f"**{what}**", numbers, e.criterion, e.refuted, e.difference or "–"))
    for s in data["statements"]:
        if s["source"]:
            lines.append(row(s["source"], s["statement"], f"**{s['verdict']}**", s["evidence"], s["criterion"], s["refuted_by"], s["difference"] or "–"))
    return lines


def reasons(data):
    lines = [f"- {e.source} {e.says} {REASONS[e.judge.__name__]}" for e in EXPERIMENTS
             if e.judge.__name__ in REASONS and (outcome := e.judge(data)) and not outcome[0]]
    return lines + [f"- {s['source']} {s['statement']} {SUITE_REASONS[s['source']]}" for s in data["statements"]
                    if s["source"] in SUITE_REASONS and "here it does not hold" in s["evidence"]]


def kept(lines, old, measured):
    """`lines` of the experiments that were measured, by their place in EXPERIMENTS; all others as they stand in `old`. Lines begin with source and statement."""
    starts = [start_of(e).lstrip("| ") for e in EXPERIMENTS]

    def place(line):
        text = line.lstrip("|- ")
        bare = lambda start: start.replace(" | ", " ") if line.startswith("- ") else start
        return next((i for i, start in enumerate(starts) if text.startswith(bare(start))), len(starts))

    return sorted([line for line in lines if place(line) in measured] + [line for line in old if place(line) not in measured], key=place)


def page(data, old=None):
    """The page; with `old`, its text so far, rows of what was not measured and of the suite are those that it has."""
    rows, why, suite_command = table(data), reasons(data), data["suite_command"]
    if old is not None:
        lines = old.splitlines()
        measured = {i for i, e in enumerate(EXPERIMENTS) if e.judge(data) is not None}
        rows = kept(rows, [line for line in lines[:lines.index("Commands:")] if line.startswith("| [")], measured)
        why = kept(why, [line for line in lines if line.startswith("- ")], measured)
        suite_command = [line for line in lines if line.startswith("    grashof bench suite")][0].strip()
    lines = ["# What papers show, shown here", "",
             "Written by `/usr/bin/python3 tools/bench/papers.py build/release/grashof --suite results/suite --out PAGE`, with the commands below. *Confirmed* and *refuted* are for "
             "experiments with the systems and the criterion of the source. What differs from it is *not comparable*, whatever comes out. "
             "Keys are those of the [references](../docs/references.md).", "",
             "| source | says | verdict | measured | criterion | refuted by | differs from the source |", "|---|---|---|---|---|---|---|", *rows]
    if why:
        lines += ["", "Why it does not hold here:", "", *why]
    lines += ["", "Commands:", ""] + [f"    {command}" for command in commands(suite_command)]
    lines += ["", "Not shown:", "", "| source | what | why |", "|---|---|---|"] + [row(*absent) for absent in ABSENT]
    return "\n".join(lines) + "\n"


NOTHING = {key: {} for module in MODULES.values() for key in module.MEASURES}


def measure(program, suite, only=()):
    """The data of all experiments. program: path of grashof; suite: folder with results of its benchmark suite, None: its small preset is run. only: papers
    and parts of the data, names of MODULES and NOTHING, which alone are measured, without the suite; none: all."""
    def run(command, *more):
        done = subprocess.run([program, *command.split()[1:], *more], cwd=ROOT, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"{command}: exit code {done.returncode}\n{done.stderr}")
        return done.stdout

    data = {**NOTHING, "statements": [], "suite_command": "grashof bench suite"}
    for name, module in MODULES.items():
        data.update({key: take(run, program) for key, take in module.MEASURES.items() if not only or name in only or key in only})
    if only:
        return data
    with tempfile.TemporaryDirectory() as folder:
        if not suite:
            run("grashof bench suite --quiet", "--out", folder)
        with open(os.path.join(suite or folder, "statements.json"), encoding="utf-8") as file:
            data["statements"] = json.load(file)
        with open(os.path.join(suite or folder, "plan.json"), encoding="utf-8") as file:
            if len(json.load(file)["timesteps"]) > 1:
                data["suite_command"] += " --preset full"
    return data


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--suite", help="folder with the results of `grashof bench suite` (default: its small preset is run)")
    parser.add_argument("--only", default="", help="papers or parts of the data to measure, of " + ",".join([*MODULES, *NOTHING]) + "; the rest of the page at --out stays")
    parser.add_argument("--out", help="the page; default: printed")
    arguments = parser.parse_args()
    only = [name for name in arguments.only.split(",") if name]
    if unknown := set(only) - set(MODULES) - set(NOTHING):
        parser.error(f"--only: {', '.join(sorted(unknown))} (needs {', '.join([*MODULES, *NOTHING])})")
    if only and not arguments.out:
        parser.error("--only needs --out, the page whose other rows stay")
    old = None
    if only:
        with open(arguments.out, encoding="utf-8") as file:
            old = file.read()
    text = page(measure(os.path.abspath(arguments.program), arguments.suite, only), old)
    if arguments.out:
        with open(arguments.out, "w", encoding="utf-8") as file:
            file.write(text)
    else:
        print(text, end="")


if __name__ == "__main__":
    main()
