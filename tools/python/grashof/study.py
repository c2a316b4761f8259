"""Many runs of a scenario whose parameters vary, on any executor of concurrent.futures."""

import atexit
import collections
import concurrent.futures
import os
import shutil
import tempfile
import threading

from ._core import Error, Study, StudyResults

_MOST_FAILURES = 3  # of a run by itself, before it becomes a row that says so
_MOST_FAILURES_IN_A_ROW = 20
_MOST_IN_TASK = 1024
_LONGEST_RECONNECTION = 10  # s, of a client of dask.distributed

_known: dict[str, Study] = {}  # studies of this process by hash
_lock = threading.Lock()


def _make(key, packed, task):
    """What a worker does. None: it does not know the study, and asks for it."""
    with _lock:
        study = _known.get(key)
        if study is None and packed is not None:
            folder = tempfile.mkdtemp(prefix="grashof-")
            atexit.register(shutil.rmtree, folder, ignore_errors=True)
            study = _known[key] = Study.unpack(packed, folder)
    return None if study is None else study.make(task)


def _workers(executor):
    """How many tasks an executor works at; a guess where it does not tell."""
    for name in ("_max_workers", "num_workers"):
        count = getattr(executor, name, None)
        if isinstance(count, int) and count > 0:
            return count
    client = getattr(executor, "_client", None)  # of dask.distributed
    if client is not None:
        return max(1, sum(client.ncores().values()))
    return 16


class _Sweep:
    """The runs that are missing, handed to the executor and taken back."""

    def __init__(self, study, results, executor, task_seconds, progress):
        self.study, self.results, self.executor = study, results, executor
        self.task_seconds, self.progress = task_seconds, progress
        self.packed = None
        self.slots = 2 * _workers(executor)
        self.pending, self.again = {}, collections.deque()
        self.failures, self.in_a_row = collections.Counter(), 0
        self.seconds, self.made = 0.0, 0
        self.waits = 0  # s, without a scheduler

    def submit(self, runs, with_study=False):
        if with_study and self.packed is None:
            self.packed = self.study.pack()
        task = self.results.task(runs)
        future = self.executor.submit(_make, self.study.hash, self.packed if with_study else None, task)
        self.pending[future] = runs

    def size(self, left):
        if self.made == 0:
            return 1
        fair = left / (2 * self.slots)
        return int(max(1, min(self.task_seconds * self.made / max(self.seconds, 1e-9), fair, _MOST_IN_TASK)))

    def take(self, future):
        runs = self.pending.pop(future)
        try:
            result = future.result()
        except (Error, concurrent.futures.BrokenExecutor):  # an input, or nothing that could go on
            raise
        except (Exception, concurrent.futures.CancelledError) as error:  # a worker that died, or lost its way
            self.lose(runs, error)
            return
        self.in_a_row = 0
        if result is None:
            self.submit(runs, with_study=True)
            return
        self.seconds += self.results.add(result)
        self.made += len(runs)
        if self.progress:
            self.progress(len(self.results), self.study.runs)

    def lose(self, runs, error):
        self.in_a_row += 1
        if self.in_a_row > _MOST_FAILURES_IN_A_ROW:
            raise error
        for run in runs:
            self.failures[run] += len(runs) == 1
            if self.failures[run] >= _MOST_FAILURES:
                self.results.lose(run, f"{_MOST_FAILURES} tasks ended in it, the last: {type(error).__name__}")
            else:
                self.again.append(run)

    def part(self, start, end):
        following = start
        while True:
            while len(self.pending) < self.slots and (self.again or following < end):
                runs = [self.again.popleft()] if self.again else []
                size = 1 if runs else self.size(end - following)  # what failed goes by itself
                while len(runs) < size:
                    while following < end and self.results.has(following):
                        following += 1
                    if following >= end:
                        break
                    runs.append(following)
                    following += 1
                if runs:
                    self.submit(runs)
            if not self.pending:
                return
            done, _ = concurrent.futures.wait(self.pending, timeout=1.0, return_when=concurrent.futures.FIRST_COMPLETED)
            for future in done:
                self.take(future)
            if not done:
                self.check_scheduler()

    def check_scheduler(self):
        """A client of dask.distributed that has lost its scheduler leaves its futures open forever."""
        status = getattr(getattr(self.executor, "_client", None), "status", "running")
        self.waits = 0 if status == "running" else self.waits + 1
        if self.waits >= _LONGEST_RECONNECTION:
            raise concurrent.futures.BrokenExecutor(f"the scheduler is gone (its client is {status}); the same call goes on")

    def run(self):
        try:
            self.part(0, self.study.first_part)
            self.part(self.study.first_part, self.study.runs)
        finally:
            for future in self.pending:
                future.cancel()


def sweep(path, params=(), measures=(), *, set=None, design=None, runs=0, seed=None, executor=None, out="results",
          table="csv", task_seconds=0.2, progress=None):
    """Makes the runs of a study and returns its table: a dict of columns by name, NumPy arrays or lists of texts.

    path: a scenario, or a study (assets/docs/studies.md). params, measures, set, design, runs, seed: as `grashof sweep` takes
    them, as in params=["L=0.1:0.2:11", "mu~normal(0.4, 0.05)"], measures=["max:joint.crank.reaction"].

    executor: anything with the submit() of concurrent.futures.Executor, such as that of dask.distributed
    (Client.get_executor()) or mpi4py.futures.MPIPoolExecutor; grashof must be installed where it works. None: threads of
    this process. Workers get the study once each. The table does not depend on what made it.

    Rows go to the folder `out`/NAME as they come (runs.journal); the same call goes on after an error, an interruption or a kill.
    At its end table.csv (or table="h5"), study.json and report.html are there. A run that fails is a row with its reason; one
    whose task fails three times by itself has the status "lost". An executor that breaks raises its own error.

    progress: called with the number of rows that are there and of all.
    """
    if table not in ("csv", "h5"):
        raise ValueError('table must be "csv" or "h5"')
    study = Study(os.fspath(path), list(params), list(measures), dict(set or {}), design, runs, seed)
    folder = os.path.join(out, os.path.splitext(os.path.basename(os.fspath(path)))[0])
    results = StudyResults(study, folder)
    with _lock:
        _known[study.hash] = study
    own = concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) if executor is None else None
    try:
        _Sweep(study, results, executor or own, task_seconds, progress).run()
        results.write(table == "h5")
        return results.table()
    finally:
        if own:
            own.shutdown(wait=True)
        with _lock:
            _known.pop(study.hash, None)
        results.close()
