#!/usr/bin/env python3
"""Every key in square brackets, as [Lidec 2024], that code or a document cites stands in assets/docs/references.md."""

import os
import re
import subprocess
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
LIST = "assets/docs/references.md"
KEY = re.compile(r"\[([A-Z][\w-]+(?: (?:and|&) [A-Z][\w-]+| et al\.)? (?:19|20)\d\d[a-z]?)[,\]]")


def main():
    names = subprocess.run(["git", "-C", ROOT, "ls-files", "*.cpp", "*.h", "*.md", "*.py"], capture_output=True,
                           text=True, check=True).stdout.split()
    with open(os.path.join(ROOT, LIST), encoding="utf8") as file:
        known = set(KEY.findall(file.read()))
    wrong, cited = [], set()
    for name in names:
        path = os.path.join(ROOT, name)
        if name == LIST or not os.path.exists(path):
            continue
        with open(path, encoding="utf8") as file:
            for number, line in enumerate(file, 1):
                for key in KEY.findall(line):
                    cited.add(key)
                    if key not in known:
                        wrong.append(f"{name}:{number}: [{key}] does not stand in {LIST}")
    print("\n".join(wrong) if wrong else f"{len(cited)} keys are cited, all stand in {LIST}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
