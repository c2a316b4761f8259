"""The tutorials of a roboticist and of a solver researcher, done by their text alone."""

import os
import pathlib
import re
import subprocess
import sys

import pytest

import grashof

SOURCE = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("GRASHOF_PROGRAM", "")
BLOCK = re.compile(r"(?:^`([\w.-]+)`:\n\n)?^```(sh|python|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:e-?\d+)?")


def same(said, line):
    """Words alike, numbers within a tenth; `…` stands for whatever follows."""
    said, rest, _ = said.strip().partition("…")
    words, found = NUMBER.sub("#", said.rstrip()), NUMBER.sub("#", line.strip())
    if not (found.startswith(words) if rest else found == words):
        return False
    return all(abs(float(a) - float(b)) <= 0.1 * abs(float(a)) for a, b in zip(NUMBER.findall(said), NUMBER.findall(line)))


@pytest.mark.skipif(not PROGRAM, reason="GRASHOF_PROGRAM names no program")
@pytest.mark.parametrize("name", ["tutorial-roboticist", "tutorial-solver"])
def test_tutorial(name, tmp_path):
    """All commands of a page in one shell, as a reader types them, from a source folder with its build."""
    for part in ("assets", "tools"):
        os.symlink(SOURCE / part, tmp_path / part)
    (tmp_path / "build" / "release").mkdir(parents=True)
    os.symlink(PROGRAM, tmp_path / "build" / "release" / "grashof")
    os.symlink(pathlib.Path(grashof.__file__).resolve().parents[1], tmp_path / "build" / "release" / "python")
    script, expected = ["set -e"], []
    for file, language, text in BLOCK.findall((SOURCE / "assets" / f"{name}.md").read_text(encoding="utf-8")):
        if language == "sh":
            script.append(text.replace("python3 ", sys.executable + " "))
        elif language == "python":
            script.append(f"cat > {file} <<'END_OF_FILE'\n{text}END_OF_FILE")
        else:
            expected += [line for line in text.splitlines() if line.strip()]
    done = subprocess.run(["bash", "-c", "\n".join(script)], cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    for said in expected:
        assert any(same(said, line) for line in lines), f"{said}\nis not in\n{done.stdout}"
    if name == "tutorial-solver":
        assert re.search(r"NEWTON-NCP +solved", done.stdout) and re.search(r"PGS-NCP +not solved", done.stdout)
        assert re.search(r"slides to .* solved: True", done.stdout)
        results = (tmp_path / "solver" / "suite" / "RESULTS.md").read_text(encoding="utf-8")
        assert "EXAMPLE-PGS" in results
