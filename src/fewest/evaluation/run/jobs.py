"""Run jobs one after the other or in parallel, and store their results as JSON so that a run can be resumed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from fewest.atomic_files import write_atomically
from fewest.errors import InvalidParameter

Task = TypeVar("Task", bound=Hashable)
#: What a job returns: dictionaries and lists that JSON can hold.
Record = TypeVar("Record")


@dataclass(frozen=True)
class Job(Generic[Record]):
    """A function with its arguments, and the key by which its stored result is found again."""

    key: Mapping[str, object]
    function: Callable[..., Record]
    arguments: tuple[object, ...]

    @property
    def file_name(self) -> str:
        """The name of the file that stores the result: a hash of the key."""
        text = json.dumps(self.key, sort_keys=True, default=str)
        return hashlib.blake2b(text.encode(), digest_size=16).hexdigest() + ".json"


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
                for task, record in zip(left, run_all(calls), strict=True):
                    self._store(task, record)
                    advance()
        except KeyboardInterrupt:
            self.is_interrupted = True

    def _store(self, task: Task, record: Record) -> None:
        # Through JSON, so that a resumed run holds the same objects to the bit.
        text = json.dumps(record)
        self.results[task] = json.loads(text)
        if self._folder is not None:
            path = self._folder / self._jobs[task].file_name
            write_atomically(path, lambda temporary: temporary.write_text(text, "utf-8"))


def to_folder(resume: str | Path | None) -> Path | None:
    """The folder for stored results, created if it does not exist."""
    if resume is None:
        return None
    folder = Path(resume)
    if folder.exists() and not folder.is_dir():
        raise InvalidParameter(f"resume names {folder}, which is not a folder. Name a folder; it is made if need be.")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _read(folder: Path, job: Job[Record]) -> Record | None:
    try:
        record: Record = json.loads((folder / job.file_name).read_text("utf-8"))
    except (FileNotFoundError, ValueError):
        return None  # not done, or damaged: done again
    return record
