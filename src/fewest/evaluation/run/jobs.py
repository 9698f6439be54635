"""Run jobs one after the other or in parallel, and store their results as JSON so that a run can be resumed."""

from __future__ import annotations

import hashlib
import json
import math
import os
import time
from collections import deque
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic, TypeVar, cast

from fewest.atomic_files import check_folder, checksum_of, write_atomically
from fewest.errors import InvalidParameter, UnexpectedError
from fewest.evaluation.run.worker_pool import WorkerPool
from fewest.parameters import is_whole, wrong

Task = TypeVar("Task", bound=Hashable)
#: What a job returns: dictionaries and lists that JSON can hold.
Record = TypeVar("Record")


@dataclass(frozen=True)
class Job(Generic[Record]):
    """A function with its arguments, and the key by which its stored result is found again; None: it is not stored."""

    key: Mapping[str, object] | None
    function: Callable[..., Record]
    arguments: tuple[object, ...]

    @property
    def digest(self) -> str | None:
        """A hash of the key, after which the file that stores the result is named."""
        if self.key is None:
            return None
        text = json.dumps(self.key, sort_keys=True)
        return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


class Control(Generic[Task, Record]):
    """Decides which jobs are run, and for how long. This one runs all, to the end.

    gives_up_at : the time, as of time.perf_counter, after which no process that starts is waited for
    """

    gives_up_at = math.inf

    def done(self, task: Task, record: Record, elapsed: float) -> None:
        """Take note of what a job returned, after this number of seconds."""

    def may_start(self, task: Task) -> bool:
        """Whether a job is started now; otherwise it is not done at all."""
        return True

    def ends_at(self, task: Task, started: float, n_waiting: int) -> float:
        """The time, as of time.perf_counter, at which a running job is ended."""
        return math.inf

    def tries_again(self, task: Task, elapsed: float) -> bool:
        """Whether a job that was ended after this number of seconds is put at the end of the others."""
        return False


class Until(Control[Task, Record]):
    """No job is started after a time, as of time.perf_counter, and none goes on."""

    def __init__(self, end: float) -> None:
        self._end = self.gives_up_at = end

    def may_start(self, task: Task) -> bool:
        return time.perf_counter() < self._end

    def ends_at(self, task: Task, started: float, n_waiting: int) -> float:
        return self._end


class JobQueue(Generic[Task, Record]):
    """Jobs by task, and the results of those that are done; an interrupt from the keyboard keeps them.

    results : of the jobs that are done, those read from the folder included
    n_left : the number of jobs whose results were not in the folder
    elapsed : the seconds that each job took that was run, or until it was ended
    ended : the jobs that were ended before they were done
    """

    def __init__(self, jobs: Mapping[Task, Job[Record]], folder: Path | None) -> None:
        self._jobs = jobs
        self._folder = folder
        self.results: dict[Task, Record] = {}
        if folder is not None:
            stored = {task: _read(folder, job) for task, job in jobs.items()}
            self.results = {task: record for task, record in stored.items() if record is not None}
        self.n_left = len(jobs) - len(self.results)
        self.is_interrupted = False
        self.elapsed: dict[Task, float] = {}
        self.ended: set[Task] = set()

    def run(
        self, pool: WorkerPool | None, advance: Callable[[], None], control: Control[Task, Record] | None = None,
        *, helps: bool = False,
    ) -> None:  # fmt: skip
        """Run the jobs that are left, in their order; advance is called after each.

        pool : the processes that run them; None runs them here, each to its end
        helps : run jobs here too, as long as no process has started: they are short
        """
        control = Control[Task, Record]() if control is None else control
        waiting = deque(task for task in self._jobs if task not in self.results)
        try:
            if pool is not None:
                _Round(self, pool, waiting, control, advance).run(helps=helps)
            for task in waiting:
                if control.may_start(task):
                    self.run_here(task)
                    control.done(task, self.results[task], self.elapsed[task])
                    advance()
        except KeyboardInterrupt:
            self.is_interrupted = True

    def run_here(self, task: Task) -> None:
        """Run a job in this process."""
        started = time.perf_counter()
        record = self._jobs[task].function(*self._jobs[task].arguments)
        self.store(task, record, time.perf_counter() - started)

    def job(self, task: Task) -> Job[Record]:
        """The job of a task."""
        return self._jobs[task]

    def store(self, task: Task, record: Record, elapsed: float) -> None:
        """Keep a result, in the folder too."""
        self.elapsed[task] = elapsed
        self.ended.discard(task)
        # Through JSON, so that a resumed run holds the same objects to the bit.
        self.results[task] = json.loads(json.dumps(record))
        digest = self._jobs[task].digest
        if self._folder is not None and digest is not None:
            text = json.dumps({"key": digest, "checksum": checksum_of(self.results[task]), "record": record})
            path = self._folder / f"{digest}.json"
            write_atomically(path, lambda temporary: temporary.write_text(text, "utf-8"))


@dataclass
class _Round(Generic[Task, Record]):
    """The jobs of a queue on the processes of a pool.

    waiting : those that are left; empty in the end
    """

    queue: JobQueue[Task, Record]
    pool: WorkerPool
    waiting: deque[Task]
    control: Control[Task, Record]
    advance: Callable[[], None]
    running: dict[int, tuple[Task, float]] = field(default_factory=dict)

    def run(self, *, helps: bool) -> None:
        """Run the jobs; where it is interrupted all processes are ended, and others started."""
        try:
            while True:
                self._start_jobs()
                if not self.waiting and not self.running:
                    return
                is_helping = helps and bool(self.waiting) and not self.running
                reply = self.pool.wait(0.0 if is_helping else self._patience())
                if reply is not None:
                    self._take(*reply)
                elif is_helping:
                    self._help()
                elif not self.running:
                    # No process has started in time: nothing more is done.
                    self.waiting.clear()
                self._end_what_takes_too_long()
        except BaseException:
            # It may have come in the middle of a message: what a process has, or has said, is not known.
            self.pool.end_all()
            raise

    def _start_jobs(self) -> None:
        while self.pool.idle and self.waiting:
            task = self.waiting.popleft()
            if not self.control.may_start(task):
                continue
            # The last jobs have the threads of the processes that are left without one.
            n_threads = max(1, self.pool.n_workers // (len(self.waiting) + 1))
            worker, job = self.pool.idle[0], self.queue.job(task)
            self.pool.run(worker, job.function, job.arguments, n_threads)
            self.running[worker] = task, time.perf_counter()

    def _take(self, worker: int, kind: str, value: object) -> None:
        if kind == "ready":
            return
        if kind == "failed" and isinstance(value, BaseException):
            raise value
        if kind == "ended":
            # Where all processes got the signal to stop, this one did too, and hears of it now.
            time.sleep(0.2)
            raise UnexpectedError(
                "A process that ran trials was killed, probably because memory ran out. Run fewer at once "
                "(--jobs 1, n_jobs=1); with resume, the trials that are done are kept."
            )
        task, started = self.running.pop(worker)
        self.queue.store(task, cast(Record, value), time.perf_counter() - started)
        self._note(task)

    def _note(self, task: Task) -> None:
        self.control.done(task, self.queue.results[task], self.queue.elapsed[task])
        self.advance()

    def _help(self) -> None:
        from threadpoolctl import threadpool_limits

        task = self.waiting.popleft()
        if self.control.may_start(task):
            with threadpool_limits(1):
                self.queue.run_here(task)
            self._note(task)

    def _patience(self) -> float | None:
        """The seconds until a running job is to be ended, or a process is waited for no longer."""
        ends = min((self._ends_at(worker) for worker in self.running), default=self.control.gives_up_at)
        return None if ends == math.inf else max(0.0, ends - time.perf_counter())

    def _ends_at(self, worker: int) -> float:
        return self.control.ends_at(*self.running[worker], len(self.waiting))

    def _end_what_takes_too_long(self) -> None:
        now = time.perf_counter()
        for worker in [worker for worker in self.running if self._ends_at(worker) <= now]:
            task, started = self.running.pop(worker)
            self.pool.end(worker)
            self.queue.elapsed[task] = max(now - started, self.queue.elapsed.get(task, 0.0))
            self.queue.ended.add(task)
            if self.control.tries_again(task, now - started):
                self.waiting.append(task)


def check_n_jobs(n_jobs: int | None) -> None:
    """Raise unless it is None or a whole number other than 0."""
    if n_jobs is not None and (not is_whole(n_jobs) or n_jobs == 0):
        raise wrong("n_jobs", "a whole number other than 0, such as 2, or -1 for one per processor", n_jobs)


def worker_count(n_jobs: int | None) -> int:
    """The number of processes: as in joblib, and no more than there are processors, since each keeps one busy."""
    from joblib import cpu_count, effective_n_jobs

    return min(int(effective_n_jobs(n_jobs)), max(1, int(cpu_count())))


def to_folder(resume: str | Path | None) -> Path | None:
    """The folder for stored results, created if it does not exist."""
    if resume is None:
        return None
    advice = "Name a folder that can be written to; it is made if need be."
    if not isinstance(resume, str | os.PathLike) or not os.fspath(resume):
        raise InvalidParameter(f"resume must be the name of a folder, got {resume!r} instead. {advice}")
    folder = Path(resume)
    try:
        if folder.exists() and not folder.is_dir():
            raise InvalidParameter(f"resume names {folder}, which is not a folder. {advice}")
        folder.mkdir(parents=True, exist_ok=True)
        check_folder(folder)
    except (OSError, ValueError) as error:
        if isinstance(error, InvalidParameter):
            raise
        reason = getattr(error, "strerror", None) or error
        what = "is not writable" if os.path.isdir(folder) else "cannot be a folder"
        raise InvalidParameter(f"resume names {folder}, which {what}: {reason}. {advice}") from None
    return folder


def _read(folder: Path, job: Job[Record]) -> Record | None:
    """The stored result of a job; None where it is not done, damaged, or that of another job: it is done again."""
    digest = job.digest
    if digest is None:
        return None
    try:
        stored = json.loads((folder / f"{digest}.json").read_text("utf-8"))
        record: Record = stored["record"]
        is_own = stored["key"] == digest and stored["checksum"] == checksum_of(record)
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return None
    return record if is_own else None
