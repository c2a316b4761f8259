"""The tutorials, done by their text alone."""

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
    said, rest, _ = " ".join(said.split()).partition("…")
    words, found = NUMBER.sub("#", said.rstrip()), NUMBER.sub("#", " ".join(line.split()))
    if not (found.startswith(words) if rest else found == words):
        return False
    return all(abs(float(a) - float(b)) <= 0.1 * abs(float(a)) for a, b in zip(NUMBER.findall(said), NUMBER.findall(line)))


def source_folder(path):
    """What a reader has: a source folder with its build."""
    for part in ("assets", "tools"):
        os.symlink(SOURCE / part, path / part)
    (path / "build" / "release").mkdir(parents=True)
    os.symlink(PROGRAM, path / "build" / "release" / "grashof")
    os.symlink(pathlib.Path(grashof.__file__).resolve().parents[1], path / "build" / "release" / "python")


def run(script, path, expected):
    """Runs the lines in one shell, and looks for what is expected of them."""
    done = subprocess.run(["bash", "-c", "\n".join(["set -e", *script])], cwd=path, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    for said in expected:
        assert any(same(said, line) for line in lines), f"{said}\nis not in\n{done.stdout}"
    return done.stdout


@pytest.mark.skipif(not PROGRAM, reason="GRASHOF_PROGRAM names no program")
def test_tutorial_of_a_designer(tmp_path):
    source_folder(tmp_path)
    text = (SOURCE / "assets" / "tutorial.md").read_text(encoding="utf-8")
    script = re.findall(r"^    (build/release/grashof .*)$", text, re.MULTILINE)
    assert len(script) >= 6
    blocks = re.findall(r"^```(\w*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    run(script, tmp_path, [line for kind, block in blocks if not kind for line in block.splitlines() if line.strip()])
    # What the page builds up is in the scenario that it names.
    scenario = (SOURCE / "assets" / "scenarios" / "neck.xml").read_text(encoding="utf-8")
    for name in re.findall(r'<(?:body|joint) name="([^"]+)"', text):
        assert f'name="{name}"' in scenario


@pytest.mark.skipif(not PROGRAM, reason="GRASHOF_PROGRAM names no program")
@pytest.mark.parametrize("name", ["tutorial-roboticist", "tutorial-solver"])
def test_tutorial(name, tmp_path):
    """All commands of a page in one shell, as a reader types them, from a source folder with its build."""
    source_folder(tmp_path)
    script, expected = [], []
    for file, language, text in BLOCK.findall((SOURCE / "assets" / f"{name}.md").read_text(encoding="utf-8")):
        if language == "sh":
            script.append(text.replace("python3 ", sys.executable + " "))
        elif language == "python":
            script.append(f"cat > {file} <<'END_OF_FILE'\n{text}END_OF_FILE")
        else:
            expected += [line for line in text.splitlines() if line.strip()]
    said = run(script, tmp_path, expected)
    if name == "tutorial-solver":
        assert re.search(r"NEWTON-NCP +solved", said) and re.search(r"PGS-NCP +not solved", said)
        assert re.search(r"slides to .* solved: True", said)
        results = (tmp_path / "solver" / "suite" / "RESULTS.md").read_text(encoding="utf-8")
        assert "EXAMPLE-PGS" in results


def test_blocks_of_the_reference_run_one_after_the_other(tmp_path, monkeypatch):
    """python.md, as somebody would type it into one session from the source folder."""
    os.symlink(SOURCE / "assets", tmp_path / "assets")
    monkeypatch.chdir(tmp_path)
    names = {}
    blocks = re.findall(r"^```python\n(.*?)^```$", (SOURCE / "assets" / "docs" / "python.md").read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert len(blocks) >= 6
    for block in blocks:
        exec(compile(block, "python.md", "exec"), names)


def block_of(page, language):
    """The first block of a language on a page."""
    return re.search(rf"^```{language}\n(.*?)^```$", (SOURCE / page).read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)[1]


def test_block_of_the_readme(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "slider-crank.xml").write_text(block_of("README.md", "xml"), encoding="utf-8")
    names = {}
    exec(compile(block_of("README.md", "python"), "README.md", "exec"), names)
    assert names["world"].step_count == 1000
    assert len(capsys.readouterr().out.splitlines()) == 1000


def test_block_of_studies(tmp_path, monkeypatch):
    """With threads instead of the scheduler that a reader has."""
    monkeypatch.chdir(tmp_path)
    scenario = (SOURCE / "assets" / "scenarios" / "toleranced-fourbar.xml").read_text(encoding="utf-8")
    (tmp_path / "fourbar.xml").write_text(scenario.replace('name="a" value="100" unit="mm"', 'name="a" value="0.1" unit="m"'), encoding="utf-8")
    block = block_of("assets/docs/studies.md", "python")
    block = re.sub(r"^from dask.*$", "from concurrent.futures import ThreadPoolExecutor", block, flags=re.MULTILINE)
    block = re.sub(r"Client\(.*?\)\.get_executor\(\)", "ThreadPoolExecutor(2)", block)
    names = {}
    exec(compile(block, "studies.md", "exec"), names)
    assert len(names["table"]["a"]) == 11
    assert not any(names["table"]["reason"])
    assert max(names["table"]["torque"]) > 1.1 * min(names["table"]["torque"]) > 0.0  # the longer the crank
