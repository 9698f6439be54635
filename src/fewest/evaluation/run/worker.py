"""A process that runs jobs: it reads them from standard input, and writes what they return to standard output."""

from __future__ import annotations

import os
import pickle
import signal
import threading
import traceback
from io import BytesIO
from queue import SimpleQueue
from typing import IO, Any

from fewest.errors import FewestError
from fewest.unexpected import code_of_user, explained

#: A shared object in a larger file is mapped into memory, which all processes share, and not read into that of each.
_LARGEST_COPY = 32_000_000


class SharedObjects:
    """Objects that many jobs have in common, by the files that hold them, each read once."""

    def __init__(self) -> None:
        self._known: dict[str, object] = {}

    def load(self, file: str) -> object:
        """The object that joblib.dump wrote to a file."""
        if file not in self._known:
            import joblib

            mode = "r" if os.path.getsize(file) > _LARGEST_COPY else None
            self._known[file] = joblib.load(file, mmap_mode=mode)
        return self._known[file]


class _JobReader(pickle.Unpickler):
    """Reads a job; what is shared stands in it by the name of its file."""

    def __init__(self, content: bytes, shared: SharedObjects) -> None:
        super().__init__(BytesIO(content))
        self._shared = shared

    def persistent_load(self, pid: Any) -> object:
        return self._shared.load(str(pid))


def main() -> None:
    """Run jobs until standard input is closed."""
    # What a job prints is not to be mistaken for what it returns.
    requests, replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    # Ctrl-C reaches all processes of a terminal; the one that started this ends it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    waiting: SimpleQueue[tuple[int, bytes]] = SimpleQueue()
    threading.Thread(target=_read, args=(requests, waiting), daemon=True).start()
    _import_what_jobs_need()
    _write(replies, ("ready", None))
    shared = SharedObjects()
    while True:
        n_threads, content = waiting.get()
        _write(replies, _run(n_threads, content, shared))


def _read(requests: IO[bytes], waiting: SimpleQueue[tuple[int, bytes]]) -> None:
    """Pass jobs on; where there are no more, in the middle of one too, the process ends."""
    try:
        while True:
            waiting.put(pickle.load(requests))
    finally:
        os._exit(0)


def _run(n_threads: int, content: bytes, shared: SharedObjects) -> tuple[str, object]:
    from threadpoolctl import threadpool_limits

    try:
        function, arguments = _JobReader(content, shared).load()
        with threadpool_limits(n_threads, user_api="openmp"):
            return "done", function(*arguments)
    except Exception as error:
        return "failed", _portable(error)


def _portable(error: Exception) -> Exception:
    """The error as the other process can read it. Which code raised it is known here alone."""
    found = error
    if not isinstance(error, FewestError) and code_of_user(error) is not None:
        found = explained("compare", {}, error)
    else:
        # Some can be written, but not read: those that take other arguments than they keep.
        try:
            pickle.loads(pickle.dumps(error))
        except Exception:
            found = RuntimeError(f"{type(error).__name__}: {error}")
    found.add_note("In a worker process:\n" + "".join(traceback.format_exception(error)))
    return found


def _write(replies: IO[bytes], reply: tuple[str, object]) -> None:
    replies.write(pickle.dumps(reply))
    replies.flush()


def _import_what_jobs_need() -> None:
    from fewest.start_up import import_scikit_learn

    import_scikit_learn()
    import sklearn.svm
    import sklearn.tree  # noqa: F401

    import fewest.evaluation.run.trial  # noqa: F401
