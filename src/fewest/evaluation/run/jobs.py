"""Work that is done piece by piece: side by side, counted, and kept so that it can go on another day."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from fewest.atomic_files import write_atomically
from fewest.errors import InvalidParameter

Result = dict[str, Any]
What = TypeVar("What", bound=Hashable)


@dataclass(frozen=True)
class Job:
    """A piece of work: what makes it this piece and no other, and the function that does it."""

    key: dict[str, Any]
    function: Callable[..., Result]
    arguments: tuple[Any, ...]

    @property
    def file_name(self) -> str:
        text = json.dumps(self.key, sort_keys=True, default=str)
        return hashlib.blake2b(text.encode(), digest_size=16).hexdigest() + ".json"


class Work(Generic[What]):
    """Jobs by what they are for, and what came of them. Interrupted, it has what was done until then.

    results : of the jobs that are done
    n_left : how many were not done on another day
    """

    def __init__(self, jobs: Mapping[What, Job], folder: Path | None) -> None:
        self._jobs = jobs
        self._folder = folder
        self.results: dict[What, Result] = {}
        if folder is not None:
            found = {what: _read(folder, job) for what, job in jobs.items()}
            self.results = {what: result for what, result in found.items() if result is not None}
        self.n_left = len(jobs) - len(self.results)
        self.is_interrupted = False

    def run(self, n_jobs: int, is_done: Callable[[], None]) -> None:
        """Do what is left to do; is_done is called after each."""
        left = {what: job for what, job in self._jobs.items() if what not in self.results}
        done = _one_by_one if n_jobs == 1 or len(left) < 2 else _side_by_side
        try:
            for what, result in zip(left, done(list(left.values()), n_jobs), strict=True):
                self._keep(what, result)
                is_done()
        except KeyboardInterrupt:
            self.is_interrupted = True

    def _keep(self, what: What, result: Result) -> None:
        # Through JSON, so that what is read again another day is the same to the bit.
        text = json.dumps(result)
        self.results[what] = json.loads(text)
        if self._folder is not None:
            path = self._folder / self._jobs[what].file_name
            write_atomically(path, lambda beside: beside.write_text(text, "utf-8"))


def to_folder(given: str | Path | None) -> Path | None:
    """A folder to keep results in, made if need be."""
    if given is None:
        return None
    folder = Path(given)
    if folder.exists() and not folder.is_dir():
        raise InvalidParameter(f"resume names {folder}, which is not a folder. Name a folder; it is made if need be.")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def effective_n_jobs(n_jobs: int | None) -> int:
    """How many jobs run at once."""
    from joblib import effective_n_jobs as of_joblib

    return int(of_joblib(n_jobs))


def _read(folder: Path, job: Job) -> Result | None:
    try:
        found: Result = json.loads((folder / job.file_name).read_text("utf-8"))
    except (FileNotFoundError, ValueError):
        return None  # not done, or damaged: done again
    return found


def _one_by_one(jobs: Sequence[Job], n_jobs: int) -> Iterator[Result]:
    for job in jobs:
        yield job.function(*job.arguments)


def _side_by_side(jobs: Sequence[Job], n_jobs: int) -> Iterator[Result]:
    from joblib import Parallel, delayed, parallel_config

    # One thread each: the jobs are many.
    with parallel_config("loky", inner_max_num_threads=1):
        yield from Parallel(n_jobs=n_jobs, return_as="generator")(delayed(job.function)(*job.arguments) for job in jobs)
