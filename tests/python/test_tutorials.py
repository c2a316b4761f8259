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
BLOCK = re.compile(r"(?:^`([\w.-]+)`[^\n]*:\n\n)?^```(sh|python|xml|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NUMBER = r"(?<![\w.])-?\d+(?:\.\d+)?(?:e[-+]?\d+)?"
NEXT = "=== the next block ==="


def same_word(said, word):
    """Alike but for numbers, which are within a tenth; `…` at the end stands for the rest."""
    if said.endswith("…"):
        return word.startswith(said[:-1])
    found = re.fullmatch(f"({NUMBER})".join(re.escape(text) for text in re.split(NUMBER, said)), word)
    return bool(found) and all(abs(float(a) - float(b)) <= 0.1 * abs(float(a)) for a, b in zip(re.findall(NUMBER, said), found.groups()))


def same(said, line):
    """Word by word; `…` alone stands for any number of words."""

    def alike(words, printed):
        if not words:
            return not printed
        if words[0] == "…":
            return any(alike(words[1:], printed[i:]) for i in range(len(printed) + 1))
        return bool(printed) and same_word(words[0], printed[0]) and alike(words[1:], printed[1:])

    return alike(said.split(), line.split())


def first_difference(shown, printed):
    """The first line of a page that was not printed there; a line `…` stands for any number of lines. None: all are alike."""
    at, anywhere = 0, False
    for said in shown:
        if said.strip() == "…":
            anywhere = True
            continue
        while anywhere and at < len(printed) and not same(said, printed[at]):
            at += 1
        if at == len(printed) or not same(said, printed[at]):
            return said
        at, anywhere = at + 1, False
    return None if anywhere or at == len(printed) else f"the end, before {printed[at]}"


def source_folder(path):
    """What a reader has: a source folder with its build."""
    for part in ("assets", "tools"):
        os.symlink(SOURCE / part, path / part)
    (path / "build" / "release").mkdir(parents=True)
    os.symlink(PROGRAM, path / "build" / "release" / "grashof")
    os.symlink(pathlib.Path(grashof.__file__).resolve().parents[1], path / "build" / "release" / "python")


def blocks_of(name):
    return BLOCK.findall((SOURCE / "assets" / f"{name}.md").read_text(encoding="utf-8"))


def test_comparison_of_outputs_tells_differences():
    assert same("a  1.0 of …", "a 1.05 of 7 s") and same("… s  b 2", "3.4 s b 2") and same("a … 5 …", "a 1 2 5 6") and same("at 1.2…", "at 1.234")
    assert not same("a 1", "a 2") and not same("a 1", "b 1") and not same("a … 5", "a 1 2") and not same("at 1.3…", "at 1.234")
    assert same("-> a.xml,", "-> a.xml,") and same("(1.67:", "(1.70:") and not same("x2", "x3")
    printed = ["first 1", "second 2", "third 3"]
    assert first_difference(printed, printed) is None and first_difference(["first 1", "…"], printed) is None
    assert first_difference(["…", "third 3"], printed) is None
    assert first_difference(["first 1", "third 3"], printed) == "third 3"
    assert first_difference(["first 1", "second 2"], printed) == "the end, before third 3"
    assert first_difference(["first 1", "…", "fourth 4"], printed) == "fourth 4"


@pytest.mark.skipif(not PROGRAM, reason="GRASHOF_PROGRAM names no program")
@pytest.mark.parametrize("name", ["tutorial", "tutorial-roboticist", "tutorial-solver"])
def test_tutorial(name, tmp_path):
    """All blocks of a page in one shell, as a reader types them, from a source folder with its build; each command that prints
    is followed by what it prints."""
    source_folder(tmp_path)
    script, shown = ["set -e"], []
    for file, language, text in blocks_of(name):
        if language == "sh":
            script += [text.replace("python3 ", sys.executable + " "), f"echo '{NEXT}'"]
            shown.append([])
        elif language == "text":
            shown[-1] = [line for line in text.splitlines() if line.strip()]
        elif language == "python":
            script.append(f"cat > {file} <<'END_OF_FILE'\n{text}END_OF_FILE")
        else:  # into a scenario that is there
            script.append(f"cat > block <<'END_OF_FILE'\n{text}END_OF_FILE\nsed -i -e '/The left side/r block' {file}")
    done = subprocess.run(["bash", "-c", "\n".join(script)], cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    printed = done.stdout.split(NEXT + "\n")
    assert len(shown) >= 5 and len(printed) == len(shown) + 1
    for lines, output in zip(shown, printed):
        difference = first_difference(lines, [line for line in output.splitlines() if line.strip()])
        assert difference is None, f"{difference}\nis not in\n{output}"
    if name == "tutorial-solver":
        assert "EXAMPLE-PGS" in (tmp_path / "solver" / "suite" / "RESULTS.md").read_text(encoding="utf-8")


def test_tutorials_are_typed_in_twenty_minutes():
    """At 250 characters a minute."""
    typed = sum(len(text) for name in ("tutorial", "tutorial-roboticist", "tutorial-solver") for _, language, text in blocks_of(name) if language != "text")
    assert typed <= 20 * 250


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
