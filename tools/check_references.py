#!/usr/bin/env python3
"""What code and documents cite, a reader has: keys as [Lidec 2024] stand in assets/docs/references.md, and pages that are
named, as theory.md, are in the repository. Exit code 1 names each line where that is not so."""

import os
import re
import subprocess
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
LIST = "assets/docs/references.md"
# A name and a year; a bracket may hold several, separated by semicolons, each with an equation after a comma.
BRACKET = re.compile(r"\[([^\[\]]*\b(?:19|20)\d\d[a-z]?\b[^\[\]]*)\]")
KEY = re.compile(r"^\s*((?:de )?[A-Z][\w'-]+ (?:19|20)\d\d[a-z]?)(?:,|$)")
PAGE = re.compile(r"(?<![\w/.-])(?:[\w-]+/)*[\w-]+\.md\b")
ABBREVIATED = re.compile(r"\bTR (?:\d|[IVX]+\b)|\bpapers/\d")


def keys(text):
    for bracket in BRACKET.findall(text):
        for part in bracket.split(";"):
            match = KEY.match(part)
            if match:
                yield match[1]


def main():
    names = subprocess.run(["git", "-C", ROOT, "ls-files", "*.cpp", "*.h", "*.md", "*.py"], capture_output=True,
                           text=True, check=True).stdout.split()
    with open(os.path.join(ROOT, LIST), encoding="utf8") as file:
        known = set(keys(file.read()))
    pages = {os.path.basename(name) for name in names if name.endswith(".md")}
    wrong, cited = [], set()
    for name in names:
        path = os.path.join(ROOT, name)
        if name == LIST or not os.path.exists(path):
            continue
        with open(path, encoding="utf8") as file:
            for number, line in enumerate(file, 1):
                for page in PAGE.findall(line):
                    if os.path.basename(page) not in pages and not name.startswith(("tests/", "tools/docs", "tools/check")):
                        wrong.append(f"{name}:{number}: {page} is not in the repository")
                for short in ABBREVIATED.findall(line):
                    wrong.append(f"{name}:{number}: '{short}' says nothing to a reader (cite a key of {LIST})")
                for key in keys(line):
                    cited.add(key)
                    if key not in known:
                        wrong.append(f"{name}:{number}: [{key}] does not stand in {LIST}")
    print("\n".join(wrong) if wrong else f"{len(cited)} keys are cited, all stand in {LIST}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
