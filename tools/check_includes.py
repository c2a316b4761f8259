#!/usr/bin/env python3
"""Proves the layers of the code: includes point one way, none goes in a circle. Exit code 1 names each that does not.

Usage: check_includes.py [ROOT]. tests/tools/test_check_includes.py shows that each rule can fail.
"""

import os
import re
import subprocess
import sys

# A layer is the longest of these that a file's path begins with. It may include itself without the layers in it, and the
# layers named here with those in them.
LAYERS = {
    "engine/base": [],
    "joints": ["engine/base"],
    "contacts": ["engine/base"],
    "solvers/problem": ["engine/base"],
    "solvers/linear": ["engine/base", "solvers/problem"],
    "solvers": ["engine/base", "solvers/problem", "solvers/linear", "solvers/methods"],
    "solvers/methods": ["engine/base", "solvers/problem", "solvers/linear", "solvers"],
    "engine/model": ["engine/base", "joints", "contacts", "solvers"],
    "engine/dynamics/kinematics": ["engine/base", "joints", "contacts", "solvers", "engine/model"],
    "engine/dynamics/rows": ["engine/base", "joints", "contacts", "solvers", "engine/model", "engine/dynamics/kinematics"],
    "engine/dynamics/step": ["engine/base", "joints", "contacts", "solvers", "engine/model", "engine/dynamics/kinematics", "engine/dynamics/rows"],
    "engine/dynamics/account": ["engine/base", "joints", "contacts", "solvers", "engine/model", "engine/dynamics/kinematics", "engine/dynamics/rows",
                                "engine/dynamics/step"],
    "engine/dynamics/smooth": ["engine/base", "joints", "contacts", "solvers", "engine/model", "engine/dynamics/kinematics", "engine/dynamics/rows",
                               "engine/dynamics/account"],
    # The simulator, and what is made of its steps.
    "engine/dynamics": ["engine/base", "joints", "contacts", "solvers", "engine/model", "engine/dynamics/kinematics", "engine/dynamics/rows",
                        "engine/dynamics/step", "engine/dynamics/account", "engine/dynamics/smooth"],
    "engine/dynamics/derivative": ["engine/base", "joints", "contacts", "solvers", "engine/model", "engine/dynamics"],
    "engine/analysis": ["engine/base", "joints", "contacts", "solvers", "engine/model", "engine/dynamics"],
    "engine/scenario": ["engine/base", "joints", "contacts", "solvers", "engine/model", "engine/dynamics"],
    "engine/results": ["engine/base", "joints", "contacts", "solvers", "engine/model", "engine/dynamics",
                       "engine/analysis", "engine/scenario"],
    # Studies make worlds, and nothing but tools makes studies.
    "engine/study": ["engine/base", "joints", "contacts", "solvers", "engine/model", "engine/dynamics", "engine/analysis",
                     "engine/scenario", "engine/results", "engine"],
    # The front door: world, run, the header that includes all.
    "engine": ["engine/base", "joints", "contacts", "solvers", "engine/model", "engine/dynamics", "engine/analysis",
               "engine/scenario", "engine/results"],
    "tools": ["*"],
    "tests": ["*"],
}
# Libraries that only these files may include; in no header, unless the header is named.
LIBRARIES = {
    "bullet": (r"^(bullet/|BulletCollision|LinearMath|btBullet)", r"^(contacts/[^/]*\.cpp|contacts/bullet_shapes\.h|tools/bench/.*)$"),
    "tinyxml2": (r"^tinyxml2\.h$", r"^(engine/scenario/.*|engine/study/study_file\.cpp|tools/convert/.*|tests/engine/scenario/.*|tests/tools/.*)$"),
    "HDF5": (r"^hdf5", r"^(engine/results/.*|tools/.*|tests/.*)$"),
}
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]')


def layer_of(path):
    found = [layer for layer in LAYERS if path.startswith(layer + "/")]
    return max(found, key=len) if found else None


def included(root, path):
    with open(os.path.join(root, path), encoding="utf8") as file:
        for number, line in enumerate(file, 1):
            match = INCLUDE.match(line)
            if match:
                yield number, match.group(1), match.group(2)


def circles(graph):
    """Each circle of headers once, as a list of files."""
    state, stack, found = {}, [], []

    def visit(node):
        state[node] = "open"
        stack.append(node)
        for other in graph.get(node, []):
            if state.get(other) == "open":
                found.append(stack[stack.index(other):] + [other])
            elif other not in state:
                visit(other)
        stack.pop()
        state[node] = "done"

    for node in graph:
        if node not in state:
            visit(node)
    return found


def kernels(graph):
    """All files that are compiled together with kernels (*.inc), which are compiled once a set of instructions."""
    found, todo = set(), [path for path, names in graph.items() if any(name.endswith(".inc") for name in names)]
    while todo:
        path = todo.pop()
        if path not in found:
            found.add(path)
            todo += graph.get(path, [])
    return sorted(found)


def check(root, files):
    known, graph, wrong, libraries = set(files), {}, [], {}
    for path in files:
        layer = layer_of(path)
        for number, quote, name in included(root, path):
            where = f"{path}:{number}"
            for library, (pattern, allowed) in LIBRARIES.items():
                if re.search(pattern, name) and not re.search(allowed, path):
                    wrong.append(f"{where}: {library} is not for this file (allowed: {allowed})")
            if quote == "<":
                libraries.setdefault(path, []).append((where, name))
                continue
            if name not in known:
                wrong.append(f'{where}: "{name}" is no file of the project, written from its root')
                continue
            graph.setdefault(path, []).append(name)
            other = layer_of(name)
            allowed = LAYERS[layer] if layer else ["*"]
            if "*" not in allowed and other != layer and not any(
                    other == one or (one != "engine" and other.startswith(one + "/")) for one in allowed):
                wrong.append(f"{where}: {layer} must not include {other} (\"{name}\"); it may include "
                             f"{', '.join(LAYERS[layer]) or 'nothing else'}")
    for path in kernels(graph):
        for where, name in libraries.get(path, []):
            wrong.append(f"{where}: a kernel for several sets of instructions must not include <{name}>: its inline "
                         "functions would be compiled for one processor and run on others")
    return wrong + ["a circle: " + " -> ".join(circle) for circle in circles(graph)]


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
    names = subprocess.run(["git", "-C", root, "ls-files", "*.cpp", "*.h", "*.inc"], capture_output=True, text=True,
                           check=True).stdout.split()
    wrong = check(root, [name for name in names if os.path.exists(os.path.join(root, name))])
    print("\n".join(wrong) if wrong else f"includes of {len(names)} files point one way")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
