"""Timing in one run: what is compared takes turns, so that a busy moment hits both."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """One measured figure beside what it is compared with."""

    what: str
    ours: float
    theirs: float
    against: str
    limit: float
    unit: str = "ms"
    #: at most `limit` times theirs, or at least `limit` times faster than theirs
    is_upper: bool = True

    @property
    def ratio(self) -> float:
        return self.ours / self.theirs if self.is_upper else self.theirs / self.ours

    @property
    def is_met(self) -> bool:
        return self.ratio <= self.limit if self.is_upper else self.ratio >= self.limit

    def __str__(self) -> str:
        sense = "at most" if self.is_upper else "at least"
        verdict = "" if self.is_met else "   MISSED"
        word = "×" if self.is_upper else "× faster"
        return (
            f"{self.what:<58} {self.ours:>9.1f} {self.unit}  against {self.theirs:>9.1f} {self.unit} {self.against}: "
            f"{self.ratio:.2f} {word} ({sense} {self.limit:g}){verdict}"
        )


def fastest(*calls: Callable[[], object], rounds: int = 15) -> list[float]:
    """The least time of each call in milliseconds, over rounds in which all take a turn."""
    best = [float("inf")] * len(calls)
    for _ in range(rounds):
        for i, call in enumerate(calls):
            started = time.perf_counter()
            call()
            best[i] = min(best[i], 1e3 * (time.perf_counter() - started))
    return best


def least_cpu(*calls: Callable[[], object], rounds: int = 3) -> list[float]:
    """The least processor time of each call in seconds, all threads added, over rounds in which all take a turn."""
    best = [float("inf")] * len(calls)
    for _ in range(rounds):
        for i, call in enumerate(calls):
            started = time.process_time()
            call()
            best[i] = min(best[i], time.process_time() - started)
    return best
