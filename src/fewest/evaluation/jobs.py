"""Work that is done piece by piece: side by side, counted, and kept so that it can go on another day."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fewest.files import write_atomically

Result = dict[str, Any]


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


class Work:
    """Jobs and what came of them. Interrupted, it has what was done until then.

    results : one a job, None where it was not done
    n_found : how many were done on another day
    """

    def __init__(self, jobs: Sequence[Job], folder: Path | None) -> None:
        self.jobs = jobs
        self._folder = folder
        self.results: list[Result | None] = [_read(folder, job) for job in jobs]
        self.n_found = sum(result is not None for result in self.results)
        self.is_interrupted = False

    def run(self, n_jobs: int, is_done: Callable[[], None]) -> None:
        """Do what is left to do; is_done is called after each."""
        left = [number for number, result in enumerate(self.results) if result is None]
        done = _one_by_one if n_jobs == 1 or len(left) < 2 else _side_by_side
        try:
            for number, result in done(self.jobs, left, n_jobs):
                self._keep(number, result)
                is_done()
        except KeyboardInterrupt:
            self.is_interrupted = True

    def _keep(self, number: int, result: Result) -> None:
        # Through JSON, so that what is read again another day is the same to the bit.
        text = json.dumps(result)
        self.results[number] = json.loads(text)
        if self._folder is not None:
            path = self._folder / self.jobs[number].file_name
            write_atomically(path, lambda beside: beside.write_text(text, "utf-8"))


def _read(folder: Path | None, job: Job) -> Result | None:
    if folder is None or not (folder / job.file_name).is_file():
        return None
    try:
        found: Result = json.loads((folder / job.file_name).read_text("utf-8"))
    except ValueError:
        return None  # damaged: done again
    return found


def _one_by_one(jobs: Sequence[Job], left: Sequence[int], n_jobs: int) -> Iterator[tuple[int, Result]]:
    for number in left:
        yield number, jobs[number].function(*jobs[number].arguments)


def _side_by_side(jobs: Sequence[Job], left: Sequence[int], n_jobs: int) -> Iterator[tuple[int, Result]]:
    from joblib import Parallel, delayed, parallel_config

    # One thread each: the jobs are many.
    with parallel_config("loky", inner_max_num_threads=1):
        found = Parallel(n_jobs=n_jobs, return_as="generator")(
            delayed(jobs[number].function)(*jobs[number].arguments) for number in left
        )
        yield from zip(left, found, strict=True)
