"""Run jobs one after the other or in parallel, and store their results as JSON so that a run can be resumed."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable, Hashable, Mapping
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from fewest.atomic_files import check_folder, checksum_of, write_atomically
from fewest.errors import InvalidParameter, UnexpectedError
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


class JobQueue(Generic[Task, Record]):
    """Jobs by task, and the results of those that are done; an interrupt from the keyboard keeps them.

    results : of the jobs that are done, those read from the folder included
    n_left : the number of jobs whose results were not in the folder
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

    def run(self, n_jobs: int, advance: Callable[[], None]) -> None:
        """Run the jobs that are left; advance is called after each."""
        from joblib import Parallel, delayed, parallel_config

        left = {task: job for task, job in self._jobs.items() if task not in self.results}
        calls = (delayed(job.function)(*job.arguments) for job in left.values())
        try:
            # One thread a job: there are at least as many jobs as processors.
            with parallel_config("loky", inner_max_num_threads=1):
                run_all = Parallel(n_jobs=n_jobs if len(left) > 1 else 1, return_as="generator")
                try:
                    for task, record in zip(left, run_all(calls), strict=True):
                        self._store(task, record)
                        advance()
                except BrokenProcessPool as error:
                    # Where all processes got the signal to stop, this one did too, and hears of it now.
                    time.sleep(0.2)
                    raise UnexpectedError(
                        "A process that ran trials was killed, probably because memory ran out. Run fewer at once "
                        "(--jobs 1, n_jobs=1); with resume, the trials that are done are kept."
                    ) from error
        except KeyboardInterrupt:
            self.is_interrupted = True

    def _store(self, task: Task, record: Record) -> None:
        # Through JSON, so that a resumed run holds the same objects to the bit.
        self.results[task] = json.loads(json.dumps(record))
        digest = self._jobs[task].digest
        if self._folder is not None and digest is not None:
            text = json.dumps({"key": digest, "checksum": checksum_of(self.results[task]), "record": record})
            path = self._folder / f"{digest}.json"
            write_atomically(path, lambda temporary: temporary.write_text(text, "utf-8"))


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
