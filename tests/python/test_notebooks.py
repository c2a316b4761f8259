"""The notebooks run from top to bottom, without Jupyter."""

import json
import os
import pathlib

import pytest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((SOURCE / "assets" / "notebooks").glob("*.ipynb"))


def test_there_are_notebooks_and_none_holds_outputs():
    assert len(NOTEBOOKS) >= 3
    for path in NOTEBOOKS:
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            assert not cell.get("outputs"), path


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_notebook(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    os.symlink(SOURCE / "assets", tmp_path / "assets")
    names = {}
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), str(path), "exec"), names)
