"""What the modules of tools/bench/papers.py share."""

import collections
import csv
import glob
import os

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))

# source: key and place. says: its statement. criterion, refuted: what is measured, what would refute it. difference: from the source's systems and
# criterion, empty if there is none that matters. judge(data): whether it holds and the numbers; None if something was not measured.
Experiment = collections.namedtuple("Experiment", "source says criterion refuted difference command judge")


def listed(values):
    return " ".join(f"{value:g}" for value in values)


def records_of(folder, command):
    """The rows of the table, by channel, that a run of this command (`grashof run FILE ...`) wrote in `folder`."""
    with open(os.path.join(folder, name_of(command), "trajectory.csv"), encoding="utf-8") as file:
        return [{key: float(value) for key, value in record.items()} for record in csv.DictReader(file)]


def name_of(command):
    return os.path.splitext(os.path.basename(command.split()[2]))[0]


def dump(run, command, folder):
    """Files of the problems that this run of a scenario writes."""
    run(command, "--out", folder)
    return sorted(glob.glob(os.path.join(folder, name_of(command), "problems", "*.h5")))


def outcomes(found):
    return {"solved": [o["status"] == "solved" for o in found], **{key: [o[key] for o in found] for key in ("factorizations", "time_s", "iterations")}}
