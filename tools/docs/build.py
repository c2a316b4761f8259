"""Builds the documentation site: build/site/docs/index.html. Usage: build.py PROGRAM PYTHON_PACKAGE_FOLDER

Pages are the Markdown files of assets/, and two that are generated: the command line from --help, the Python reference
from docstrings. Broken links, also to headings, are errors.
"""

import html.parser
import inspect
import os
import shutil
import subprocess
import sys

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
DOCS, SITE = os.path.join(ROOT, "build", "docs"), os.path.join(ROOT, "build", "site")


def help_of(program, *command):
    return subprocess.run([program, *command, "--help"], capture_output=True, text=True, check=True).stdout.strip()


def command_line(program):
    """All commands with their options, as the program prints them."""
    main = help_of(program)
    text = f"# Command line\n\n    {main.replace(chr(10), chr(10) + '    ')}\n"
    names = [line.split()[0] for line in main.split("Subcommands:")[1].splitlines() if line.strip()]
    for name in names:
        said = help_of(program, name)
        commands = [(name,)]
        if "Subcommands:" in said:
            commands = [(name, line.split()[0]) for line in said.split("Subcommands:")[1].splitlines() if line.strip()]
        for command in commands:
            said = help_of(program, *command).replace("\n", "\n    ")
            text += f"\n## grashof {' '.join(command)}\n\n    {said}\n"
    return text


def python_reference(folder):
    """All that is public in the module, from its docstrings."""
    sys.path.insert(0, folder)
    import grashof
    import grashof.env

    text = "# Python reference\n\n" + inspect.getdoc(grashof).replace("\n    ", "\n\n    ", 1) + "\n"

    def describe(name, item, level):
        doc = inspect.getdoc(item) or ""
        first, _, rest = doc.partition("\n\n")
        # pybind11 puts the signature into the first line.
        signature = f"`{first}`\n\n{rest}" if first.startswith(name + "(") else doc
        return f"\n{'#' * level} {name}\n\n{signature}\n"

    members = [(n, getattr(grashof, n)) for n in grashof.__all__] + [("MechanismEnv", grashof.env.MechanismEnv)]
    for name, item in members:
        if isinstance(item, type):
            text += f"\n## {name}\n\n{inspect.getdoc(item)}\n"
            if issubclass(item, Exception):
                continue
            for member, value in sorted(vars(item).items()):
                if not member.startswith("_") and (callable(value) or isinstance(value, property)):
                    text += describe(member, value, 3)
        else:
            text += describe(name, item, 2)
    return text


class Links(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.links, self.anchors = [], set()

    def handle_starttag(self, tag, attributes):
        for key, value in attributes:
            if key in ("href", "src") and value:
                self.links.append(value)
            if key in ("id", "name") and value:
                self.anchors.add(value)


def broken_links():
    pages = {}
    for folder, _, files in os.walk(SITE):
        for name in files:
            if name.endswith(".html"):
                path = os.path.join(folder, name)
                pages[path] = Links()
                with open(path, encoding="utf-8") as file:
                    pages[path].feed(file.read())
    broken = []
    for path, page in pages.items():
        if "viewer" in os.path.relpath(path, SITE) or path.endswith("404.html"):
            continue
        for link in page.links:
            if link.startswith(("http:", "https:", "mailto:", "data:", "javascript:", "@")):
                continue
            name, _, anchor = link.partition("#")
            target = os.path.normpath(os.path.join(os.path.dirname(path), name)) if name else path
            if not os.path.exists(target):
                broken.append(f"{os.path.relpath(path, SITE)}: {link} is not there")
            elif anchor and target in pages and anchor not in pages[target].anchors:
                broken.append(f"{os.path.relpath(path, SITE)}: {link} has no such heading")
    return broken


def main():
    program, package = sys.argv[1:3]
    shutil.rmtree(DOCS, ignore_errors=True)
    shutil.copytree(os.path.join(ROOT, "assets"), DOCS, ignore=shutil.ignore_patterns("viewer"))
    for name, text in (("cli", command_line(program)), ("python-reference", python_reference(package))):
        with open(os.path.join(DOCS, "docs", name + ".md"), "w", encoding="utf-8") as file:
            file.write(text)
    subprocess.run(["mkdocs", "build", "--strict", "--quiet", "-f", os.path.join(ROOT, "tools", "docs", "mkdocs.yml")],
                   check=True)
    broken = broken_links()
    for line in broken:
        print(line, file=sys.stderr)
    if broken:
        sys.exit(1)
    print("build/site/docs/index.html")


main()
