"""Processes that run jobs, each of which can be ended in the middle of one."""

from __future__ import annotations

import json
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from io import BytesIO
from pathlib import Path
from queue import Empty, SimpleQueue
from types import ModuleType, TracebackType
from typing import IO, Self

from fewest.errors import InvalidInput

#: One thread a process unless a job is given more.
_ONE_THREAD = dict.fromkeys(
    (
        "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS", "VECLIB_MAXIMUM_THREADS",
        "NUMBA_NUM_THREADS", "NUMEXPR_NUM_THREADS",
    ),
    "1",
)  # fmt: skip
#: Modules are found where this process finds them, and last in its folder; its main module is not run again.
_START = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from fewest.evaluation.run.worker import main; main()"
)

#: What became of a job: "ready" (of a worker that has started), "done" with its result, "failed" with its error, or
#: "ended" where the process is gone.
Reply = tuple[int, str, object]


class WorkerPool:
    """Processes that run one job at a time; each has a number.

    They start when the pool is made, and import what jobs need while this process goes on. Sent to a process, the
    objects in `shared` are written to a file once, and read once by each process.
    """

    def __init__(self, n_workers: int) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="fewest-", ignore_cleanup_errors=True)
        self._replies: SimpleQueue[Reply] = SimpleQueue()
        self._processes: dict[int, subprocess.Popen[bytes]] = {}
        self._shared: dict[int, str] = {}
        self._kept: list[object] = []
        self._n_started = 0
        #: The numbers of the processes that have started and have no job.
        self.idle: list[int] = []
        self.n_workers = n_workers
        for _ in range(n_workers):
            self._start()

    def share(self, value: object) -> None:
        """Write an object to a file, from which every process reads it once; by its identity it is found in jobs."""
        import joblib

        file = str(Path(self._folder.name, f"{len(self._kept)}.joblib"))
        joblib.dump(value, file)
        self._shared[id(value)] = file
        self._kept.append(value)

    def run(self, worker: int, function: Callable[..., object], arguments: Sequence[object], n_threads: int) -> None:
        """Send a job to an idle process."""
        content = self._pickled((function, tuple(arguments)))
        self.idle.remove(worker)
        # A process that is gone is met in the replies.
        with suppress(OSError):
            requests = _pipe(self._processes[worker].stdin)
            requests.write(pickle.dumps((n_threads, content)))
            requests.flush()

    def wait(self, timeout: float | None) -> Reply | None:
        """What a process says next; None where nothing was said in this number of seconds."""
        try:
            while True:
                worker, kind, value = self._replies.get(timeout=timeout)
                # The last words of a process that was ended count no more.
                if worker in self._processes:
                    break
        except Empty:
            return None
        if kind != "ended":
            self.idle.append(worker)
        return worker, kind, value

    def end(self, worker: int) -> None:
        """End a process, whatever it does, and start another in its place."""
        if worker in self._processes:
            self._stop(worker)
            self._start()

    def end_all(self) -> None:
        """End all processes, and start others."""
        for worker in list(self._processes):
            self.end(worker)

    def close(self) -> None:
        """End all processes."""
        for worker in list(self._processes):
            self._stop(worker)
        self._folder.cleanup()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self.close()

    def _start(self) -> None:
        number = self._n_started
        self._n_started += 1
        # What is no text in the path is ignored by Python too. -P: not even json is taken from the working directory.
        paths = json.dumps([*(path for path in sys.path if isinstance(path, str)), os.getcwd()])
        with _without_interrupts():
            self._processes[number] = process = subprocess.Popen(
                [sys.executable, "-P", "-c", _START, paths],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={**os.environ, **_ONE_THREAD},
            )  # fmt: skip
        arguments = (number, _pipe(process.stdout), self._replies)
        threading.Thread(target=_listen, args=arguments, daemon=True).start()

    def _stop(self, worker: int) -> None:
        process = self._processes.pop(worker)
        if worker in self.idle:
            self.idle.remove(worker)
        process.kill()
        process.wait()
        with suppress(OSError):
            _pipe(process.stdin).close()

    def _pickled(self, job: object) -> bytes:
        shared = self._shared

        # cloudpickle takes functions and classes of the main module along, which no other process can import.
        class Writer(_cloudpickle().CloudPickler):  # type: ignore[misc]
            def persistent_id(self, value: object) -> str | None:
                return shared.get(id(value))

        content = BytesIO()
        try:
            Writer(content).dump(job)
        except Exception as error:
            raise InvalidInput(
                f"A method or a classifier cannot be sent to another process ({type(error).__name__}: {error}). Run "
                "without a time limit and with one job at a time (n_jobs=1, --jobs 1)."
            ) from error
        return content.getvalue()


@contextmanager
def _without_interrupts() -> Iterator[None]:
    """Within it processes start that Ctrl-C does not reach, not even before they can say that they ignore it."""
    if sys.platform == "win32":
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _cloudpickle() -> ModuleType:
    """The package that joblib needs, or the copy in it of older versions."""
    try:
        return import_module("cloudpickle")
    except ImportError:
        return import_module("joblib.externals.cloudpickle")


def _pipe(stream: IO[bytes] | None) -> IO[bytes]:
    assert stream is not None
    return stream


def _listen(worker: int, replies: IO[bytes], queue: SimpleQueue[Reply]) -> None:
    """Pass on what a process says, until it is gone."""
    with replies:
        while True:
            try:
                kind, value = pickle.load(replies)
            except Exception:
                # Also where a process was ended in the middle of a reply.
                queue.put((worker, "ended", None))
                return
            queue.put((worker, kind, value))
