"""Studies on executors: the same table on all of them, and nothing lost where they break."""

import concurrent.futures
import os
import pickle
import shutil
import signal
import subprocess
import sys

import numpy as np
import pytest

import grashof

BALL = """<scenario name="ball"><options timestep="0.001" duration="{}"/><parameter name="m" value="1" tolerance="10%"/>
  <parameter name="v" value="2" tolerance="0.1" spread="uniform"/>
  <body name="ball" position="0 0 1" velocity="v 0 0"><shape type="sphere" radius="0.1" mass="m"/></body></scenario>"""
MEASURES = ["x=end:body.ball.position.x", "energy=mean:energy.kinetic"]


@pytest.fixture
def ball(tmp_path):
    def write(duration=0.05):
        path = tmp_path / "ball.xml"
        path.write_text(BALL.format(duration))
        return str(path)

    return write


def csv_of(folder):
    return (folder / "ball" / "table.csv").read_bytes()


def test_parameters_of_a_scenario_are_told_overridden_pickled_and_written(ball, tmp_path):
    scenario = grashof.load(ball(), {"param.m": 3})
    assert scenario.parameters["m"] == {"value": 3.0, "unit": "", "below": pytest.approx(0.3), "above": pytest.approx(0.3),
                                        "spread": "normal"}
    assert scenario.body("ball")["mass"] == 3.0
    assert pickle.loads(pickle.dumps(scenario)).body("ball")["mass"] == 3.0
    scenario.write(str(tmp_path / "copy.xml"))
    assert 'mass="m"' in (tmp_path / "copy.xml").read_text()
    assert grashof.load(str(tmp_path / "copy.xml"), {"param.m": 4}).body("ball")["mass"] == 4.0
    with pytest.raises(grashof.InputError, match="did you mean m"):
        grashof.load(ball(), {"param.n": 3})


def test_a_point_is_evaluated_to_its_measures(ball):
    values = grashof.evaluate(ball(), MEASURES, {"param.v": 3})
    assert list(values) == ["x", "energy"]
    assert values["x"] == pytest.approx(0.15)
    with pytest.raises(grashof.InputError, match="mass"):
        grashof.evaluate(ball(), MEASURES, {"param.m": -1})
    with pytest.raises(grashof.InputError, match="measure"):
        grashof.evaluate(ball(), ["most:time"])


def test_threads_and_processes_make_the_same_table_as_the_program(ball, tmp_path):
    path, progress = ball(), []
    table = grashof.sweep(path, measures=MEASURES, runs=40, out=tmp_path / "threads", progress=lambda *p: progress.append(p))
    assert progress[-1] == (40, 40)
    assert list(table)[:3] == ["run", "m", "v"]
    assert np.allclose(table["x"], 0.05 * table["v"])
    assert table["status"] == ["ok"] * 40
    with concurrent.futures.ProcessPoolExecutor(2) as executor:
        grashof.sweep(path, measures=MEASURES, runs=40, out=tmp_path / "processes", executor=executor, task_seconds=0.001)
    subprocess.run([os.environ["GRASHOF_PROGRAM"], "sweep", path, "--measure", MEASURES[0], "--measure", MEASURES[1], "--runs", "40",
                    "-o", str(tmp_path / "program")], check=True, capture_output=True)
    assert csv_of(tmp_path / "threads") == csv_of(tmp_path / "processes") == csv_of(tmp_path / "program")


def test_an_executor_that_breaks_loses_no_row_and_the_same_call_goes_on(ball, tmp_path):
    path = ball(0.5)
    whole = grashof.sweep(path, measures=MEASURES, runs=60, out=tmp_path / "whole")

    with pytest.raises(concurrent.futures.BrokenExecutor):
        with concurrent.futures.ProcessPoolExecutor(1) as executor:
            def kill(*_, killed=[]):
                if not killed:
                    killed.append(next(iter(executor._processes)))
                    os.kill(killed[0], signal.SIGKILL)

            grashof.sweep(path, measures=MEASURES, runs=100000, out=tmp_path / "broken", executor=executor, task_seconds=0.01, progress=kill)
    journal = tmp_path / "broken" / "ball" / "runs.journal"
    assert journal.stat().st_size > 100
    with pytest.raises(grashof.InputError, match="another study"):
        grashof.sweep(path, measures=MEASURES, runs=60, out=tmp_path / "broken")
    shutil.rmtree(tmp_path / "broken")
    assert np.array_equal(grashof.sweep(path, measures=MEASURES, runs=60, out=tmp_path / "broken")["x"], whole["x"])


def test_a_run_whose_task_always_fails_is_a_row_that_says_so(ball, tmp_path):
    class Bad(concurrent.futures.ThreadPoolExecutor):
        def submit(self, f, key, packed, task):
            if task[8:16] == (7).to_bytes(8, "little"):
                return super().submit(lambda: 1 / 0)
            return super().submit(f, key, packed, task)

    with Bad(2) as executor:
        table = grashof.sweep(ball(), measures=MEASURES, runs=20, out=tmp_path, executor=executor, task_seconds=1e-9)
    assert [s != "ok" for s in table["status"]] == [i == 7 for i in range(20)]
    assert table["status"][7] == "lost" and "ZeroDivisionError" in table["reason"][7]


def test_designs_and_bad_arguments(ball, tmp_path):
    table = grashof.sweep(ball(), ["m=1,2", "v=1:3:3"], MEASURES, out=tmp_path / "grid")
    assert list(table["v"]) == [1, 2, 3, 1, 2, 3]
    table = grashof.sweep(ball(), measures=MEASURES, design="worst-case", out=tmp_path / "worst")
    assert len(table["run"]) == 5 + 2 * 3
    for arguments, message in ((dict(design="all"), "unknown"), (dict(), "number of runs"), (dict(params=["n=1"]), "did you mean m")):
        with pytest.raises(grashof.InputError, match=message):
            grashof.sweep(ball(), **{"measures": MEASURES, "out": tmp_path / "bad", **arguments})


DASK = """
import os, signal, sys
from dask.distributed import Client, LocalCluster, Nanny, Scheduler
import grashof

if __name__ == "__main__":
    path, out, what = sys.argv[1:]
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, processes=True) as cluster, Client(cluster) as client:
        done = []
        def hurt(*_):
            done.append(1)
            if len(done) != 5 or what == "nothing":
                return
            if what == "worker":
                os.kill(list(client.run(os.getpid).values())[0], signal.SIGKILL)
            else:
                client.sync(cluster.scheduler.close)
        try:
            grashof.sweep(path, measures=%r, runs=150, out=out, executor=client.get_executor(), task_seconds=0.02, progress=hurt)
            print("done", flush=True)
        except BaseException as error:
            print("ended:", type(error).__name__, flush=True)
        os._exit(0)
""" % (MEASURES,)


@pytest.mark.parametrize("what", ["nothing", "worker", "scheduler"])
def test_dask_makes_the_same_table_and_loses_nothing_when_it_dies(ball, tmp_path, what):
    pytest.importorskip("distributed")
    path = ball(1.0 if what != "nothing" else 0.1)
    grashof.sweep(path, measures=MEASURES, runs=150, out=tmp_path / "here")
    script = tmp_path / "script.py"
    script.write_text(DASK)
    done = subprocess.run([sys.executable, str(script), path, str(tmp_path / "dask"), what], capture_output=True, text=True, timeout=240)
    if what == "scheduler":
        assert "ended:" in done.stdout, done.stdout + done.stderr
        grashof.sweep(path, measures=MEASURES, runs=150, out=tmp_path / "dask")
    else:
        assert "done" in done.stdout, done.stdout + done.stderr
    assert csv_of(tmp_path / "here") == csv_of(tmp_path / "dask")


def test_mpi4py_makes_the_same_table(ball, tmp_path):
    pytest.importorskip("mpi4py")
    if not shutil.which("mpirun"):
        pytest.skip("mpirun is not installed")
    path = ball()
    grashof.sweep(path, measures=MEASURES, runs=40, out=tmp_path / "here")
    script = tmp_path / "script.py"
    script.write_text(f"""
import grashof
from mpi4py.futures import MPIPoolExecutor
if __name__ == "__main__":
    with MPIPoolExecutor() as executor:
        grashof.sweep({path!r}, measures={MEASURES!r}, runs=40, out={str(tmp_path / "mpi")!r}, executor=executor, task_seconds=0.001)
""")
    subprocess.run(["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "3", sys.executable, "-m", "mpi4py.futures", str(script)],
                   check=True, capture_output=True, timeout=240)
    assert csv_of(tmp_path / "here") == csv_of(tmp_path / "mpi")
