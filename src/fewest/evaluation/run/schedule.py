"""What a comparison will take, and which part of it fits in the time that there is."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

import numpy as np

from fewest.display.formatting import percent, seconds
from fewest.evaluation.results import Seconds
from fewest.evaluation.run.cases import Case, Choice, Fit, Outcome, Task
from fewest.evaluation.run.durations import about, exactly
from fewest.evaluation.run.jobs import Control

#: Where nobody says how many, no split is begun, after the first ones, that would end later than this.
_DEFAULT_SECONDS, _FEWEST_SPLITS = 600.0, 5
#: With room for fewer splits than this, features selected before splitting are not evaluated.
_SPLITS_BEFORE_LEAK = 3
#: Shares of the time that is left in which all methods select on all rows, and in its inner folds.
_SHARE_OF_FITS, _SHARE_OF_CHOICES = 0.25, 0.5
#: A classifier with at least this share of the time of all is left out where there is too little.
_SHARE_OF_SLOW = 0.4
#: What is kept for the pictures, the substitutes and the report: a share of the time limit, between two limits.
_SHARE_OF_END, _SHORTEST_END, _LONGEST_END = 0.12, 0.5, 20.0
#: Forecasts above this number of seconds are made known.
_WORTH_SAYING = 10.0
#: A method with at least this share of the time is named.
_LARGE_SHARE = 0.3

#: A method on a table; None: all columns.
Pair = tuple[str, str | None]


@dataclass(frozen=True)
class Forecast:
    """What a comparison will take.

    seconds : for all of the splits, from now on
    n_splits : the number of splits
    slowest, share : the method that takes most, and its share of the time
    others : the other methods
    is_shortened : fewer splits are done where all take too long
    """

    seconds: float
    n_splits: int
    slowest: str
    share: float
    others: tuple[str, ...]
    is_shortened: bool

    def sentence(self, option: str = "methods", limit: str = "time_limit", outer: str = "outer") -> str:
        """The forecast in words, with the names of the options that change it."""
        found = f"about {about(self.seconds)} for {self.n_splits} split{'' if self.n_splits == 1 else 's'}"
        if self.share >= _LARGE_SHARE and self.others:
            part = "half of it" if 0.45 <= self.share <= 0.55 else f"{percent(self.share)} of it"
            found += f"; {self.slowest} takes {part}: leave it out with {option} {','.join(self.others)}"
        if self.is_shortened and self.seconds > _DEFAULT_SECONDS:
            return (
                f"{found}. Only as many splits as take {about(_DEFAULT_SECONDS)} are done, at least "
                f"{_FEWEST_SPLITS}; {outer} {self.n_splits} does all."
            )
        return f"{found}. {limit} 2m does as many splits as fit in two minutes." if self.seconds > 120 else f"{found}."


@dataclass(frozen=True)
class Caller:
    """Who makes a comparison.

    started : when it began, as of time.perf_counter; None: when compare is called
    hears : is called with a forecast
    """

    started: float | None = None
    hears: Callable[[Forecast], None] | None = None


caller: ContextVar[Caller] = ContextVar("caller", default=Caller())  # noqa: B039


@contextmanager
def called_by(who: Caller) -> Iterator[None]:
    """Within it comparisons are made by this caller."""
    token = caller.set(who)
    try:
        yield
    finally:
        caller.reset(token)


@dataclass
class Schedule:
    """The time that there is, and what jobs take, measured or estimated, in seconds of one process.

    started : when the comparison began, as of time.perf_counter
    limit : the seconds that it may take; None for no limit
    fits : by table and method, one selection on all rows
    choices : by table and method, the inner folds of all rows
    trials : by table and method, the splits that were run
    classifiers : by table and classifier, one inner fold of all rows, with the features of one method
    is_default : nobody said how many splits there are to be
    """

    started: float
    limit: float | None
    n_workers: int
    cases: Mapping[str, Case]
    is_default: bool
    leak: bool
    fits: dict[tuple[str, str], float] = field(default_factory=dict)
    choices: dict[tuple[str, str], Seconds] = field(default_factory=dict)
    trials: dict[Pair, list[float]] = field(default_factory=dict)
    classifiers: dict[str, dict[str, float]] = field(default_factory=dict)

    @property
    def end(self) -> float:
        """When the comparison is to end."""
        return math.inf if self.limit is None else self.started + self.limit

    @property
    def end_of_trials(self) -> float:
        """When the last split is to end, which leaves time for the pictures and the report."""
        if self.limit is None:
            return math.inf
        return self.end - min(max(_SHARE_OF_END * self.limit, _SHORTEST_END), _LONGEST_END)

    @property
    def end_of_views(self) -> float:
        """When the pictures and the substitutes are to end, which leaves time for the report."""
        return math.inf if self.limit is None else self.end - min(1.0, 0.03 * self.limit)

    def left(self) -> float:
        """The seconds until the last split is to end."""
        return self.end_of_trials - time.perf_counter()

    def by_cost(self, pairs: Collection[tuple[str, str]]) -> list[tuple[str, str]]:
        """Methods on tables, those that select fastest first."""
        return sorted(pairs, key=lambda pair: self.fits.get(pair, 0.0))

    def choice(self, table: str, method: str) -> float:
        """What the inner folds of all rows take."""
        known = self.choices.get((table, method))
        if known is not None:
            return known["select"] + known["classify"]
        if not self.cases[table].plan.is_choosing:
            return 0.0
        return self._inner_selections(table, method) + (self._classify(table) or 0.0)

    def trial(self, table: str, method: str | None, *, leak: bool) -> float:
        """What one split takes."""
        known = self.trials.get((table, method))
        if known:
            return float(np.mean(known))
        case = self.cases[table]
        # Costs are taken to be proportional to the number of rows.
        share = len(case.splits[0][0]) / case.table.n_rows
        # An evaluation on the test rows, and one in each inner fold.
        n_fits = 1 / case.plan.n_inner + (1 if case.plan.is_choosing else 0)
        classify = (self._classify(table) or 0.0) * share * n_fits
        if method is None:
            return classify * case.table.n_columns / sum(case.plan.sizes)
        select = self._inner_selections(table, method) + self.fits.get((table, method), 0.0)
        return select * share + classify * (2 if leak else 1)

    def split(self, pairs: Collection[Pair], *, leak: bool) -> float:
        """What one split takes with these methods."""
        return sum(self.trial(*pair, leak=leak) for pair in pairs)

    def knows_classifiers(self, table: str) -> bool:
        """Whether it is known how long the classifiers take."""
        return self._classify(table) is not None

    def fits_in(self, pairs: Collection[Pair], n_splits: int, *, leak: bool) -> bool:
        """Whether this number of splits can be done, in processes that are busy nine tenths of the time."""
        longest = max((self.trial(*pair, leak=leak) for pair in pairs), default=0.0)
        work = n_splits * self.split(pairs, leak=leak) / self.n_workers
        return max(work, longest) <= 0.9 * self.left()

    def too_slow_classifiers(self, pairs: Collection[tuple[str, str]]) -> list[str]:
        """The classifiers that are left out, so that one split with all of these methods can be done: the slowest ones
        that take much of the time."""
        dropped: list[str] = []
        while sum(self.choice(*pair) + self.trial(*pair, leak=False) for pair in pairs) > 0.8 * (
            self.n_workers * self.left()
        ):
            totals: dict[str, float] = {}
            for in_fold in self.classifiers.values():
                for name, cost in in_fold.items():
                    totals[name] = totals.get(name, 0.0) + cost
            if len(totals) < 2 or max(totals.values()) < _SHARE_OF_SLOW * sum(totals.values()):
                break
            slowest = max(totals, key=lambda name: totals[name])
            dropped.append(slowest)
            for in_fold in self.classifiers.values():
                in_fold.pop(slowest, None)
        return dropped

    def evaluated(self, pairs: Sequence[Pair]) -> tuple[list[Pair], bool]:
        """What is evaluated in the splits: the methods, all columns where there is time for that, and whether features
        that were selected before splitting are too."""
        chosen = list(pairs)
        for name, case in self.cases.items():
            has_methods = any(table == name for table, _ in pairs)
            if has_methods and case.has_baseline and self.fits_in([*chosen, (name, None)], 1, leak=False):
                chosen.append((name, None))
        n_splits = min(_SPLITS_BEFORE_LEAK, max(len(case.splits) for case in self.cases.values()))
        return chosen, self.leak and self.fits_in(chosen, n_splits, leak=True)

    def forecast(self, pairs: Sequence[Pair], *, leak: bool) -> Forecast | None:
        """What the splits will take; None where it is a matter of seconds."""
        n_splits = max(len(case.splits) for case in self.cases.values())
        total = n_splits * self.split(pairs, leak=leak)
        if total / self.n_workers < _WORTH_SAYING or self.limit is not None:
            return None
        by_method: dict[str, float] = {}
        for table, method in pairs:
            if method is not None:
                cost = n_splits * self.trial(table, method, leak=leak)
                by_method[method] = by_method.get(method, 0.0) + cost
        slowest = max(by_method, key=lambda name: by_method[name])
        return Forecast(
            total / self.n_workers, n_splits, slowest, by_method[slowest] / total,
            tuple(name for name in by_method if name != slowest), self.is_default,
        )  # fmt: skip

    def time_needed(self) -> str:
        """The time limit to try next, in words.

        What one split of the fastest method takes, with all that comes before it, and no less than was spent: on a busy
        machine processes may start so late that the limit has passed.
        """
        costs = [
            one + self.choice(table, method) + self.trial(table, method, leak=False)
            for (table, method), one in self.fits.items()
        ]
        # Where nothing is known processes have hardly started in this time.
        spent = max(self.limit or 0.0, time.perf_counter() - self.started)
        return about(1.5 * max(min(costs), spent) if costs else 3 * spent)

    def _inner_selections(self, table: str, method: str) -> float:
        known = self.choices.get((table, method))
        if known is not None:
            return known["select"]
        plan = self.cases[table].plan
        return self.fits.get((table, method), 0.0) * (plan.n_inner - 1) if plan.is_choosing else 0.0

    def _classify(self, table: str) -> float | None:
        """The mean time of the classifiers in the inner folds of all rows; None where it is not known."""
        plan = self.cases[table].plan
        known = [one["classify"] for (name, _), one in self.choices.items() if name == table and plan.is_choosing]
        if known:
            return float(np.mean(known))
        in_fold = self.classifiers.get(table)
        return None if in_fold is None else sum(in_fold.values()) * plan.n_inner


class FitControl(Control[tuple[str, str], Fit]):
    """Selections on all rows: one that takes more than its share while others wait is ended, and tried again last.

    The time until a process has started is nobody's share, and while no selection is done there is twice the time.
    """

    def __init__(self, schedule: Schedule, n_jobs: int) -> None:
        self._schedule, self._n_jobs = schedule, n_jobs
        self._share: float | None = None
        self._begun = 0.0
        self._tried: dict[tuple[str, str], float] = {}
        self._is_any_done = False

    def may_start(self, task: tuple[str, str]) -> bool:
        if self._share is None:
            self._begun, self._share = time.perf_counter(), _SHARE_OF_FITS * self._schedule.left()
        return self._end - time.perf_counter() > 1.3 * self._tried.get(task, 0.0)

    def ends_at(self, task: tuple[str, str], started: float, n_waiting: int) -> float:
        is_first = n_waiting > 0 and task not in self._tried
        own = 0.5 * (self._share or 0.0) * self._schedule.n_workers / max(1, self._n_jobs)
        return min(self._end, started + own) if is_first else self._end

    def done(self, task: tuple[str, str], record: Fit, elapsed: float) -> None:
        self._is_any_done = True

    def tries_again(self, task: tuple[str, str], elapsed: float) -> bool:
        is_first = task not in self._tried
        self._tried[task] = elapsed
        return is_first

    @property
    def _end(self) -> float:
        return self._begun + (1 if self._is_any_done else 2) * (self._share or 0.0)


class ChoiceControl(Control[tuple[str, str], Choice]):
    """Inner folds of all rows: a method is taken where one split with it, and with those taken before, can be done."""

    def __init__(self, schedule: Schedule, stored: Mapping[tuple[str, str], Choice]) -> None:
        self._schedule = schedule
        self._end = time.perf_counter() + _SHARE_OF_CHOICES * schedule.left()
        self._taken: list[tuple[str, str]] = []
        for task, record in stored.items():
            self._taken.append(task)
            self.done(task, record, 0.0)

    def may_start(self, task: tuple[str, str]) -> bool:
        schedule = self._schedule
        pairs = [*self._taken, task]
        if schedule.limit is not None and self._taken and schedule.knows_classifiers(task[0]):
            work = schedule.choice(*task) + schedule.split(pairs, leak=False)
            if work > 0.9 * schedule.n_workers * schedule.left():
                return False
        self._taken = pairs
        return True

    def ends_at(self, task: tuple[str, str], started: float, n_waiting: int) -> float:
        schedule = self._schedule
        if schedule.limit is None:
            return math.inf
        # One split is to be done after it.
        return max(
            self._end, schedule.end_of_trials - 1.2 * schedule.split(self._taken, leak=False) / schedule.n_workers
        )

    def done(self, task: tuple[str, str], record: Choice, elapsed: float) -> None:
        if record["failed"] is None:
            self._schedule.choices[task] = record["seconds"]


class TrialControl(Control[Task, Outcome]):
    """Splits: one is begun where it can be done in time, or in the time that a comparison takes by default."""

    def __init__(self, schedule: Schedule, tasks: Collection[Task], *, leak: bool) -> None:
        self._schedule = schedule
        self._leak = leak
        self._tasks: dict[int, list[Task]] = {}
        for task in tasks:
            self._tasks.setdefault(task[1], []).append(task)
        self._is_begun: dict[int, bool] = {}

    def may_start(self, task: Task) -> bool:
        number = task[1]
        if number not in self._is_begun:
            self._is_begun[number] = all(self._is_begun.values()) and self._may_begin(number)
        return self._is_begun[number] and time.perf_counter() < self._schedule.end_of_trials

    def ends_at(self, task: Task, started: float, n_waiting: int) -> float:
        return self._schedule.end_of_trials

    def done(self, task: Task, record: Outcome, elapsed: float) -> None:
        table, _, method = task
        self._schedule.trials.setdefault((table, method), []).append(elapsed)

    def _may_begin(self, number: int) -> bool:
        schedule = self._schedule
        end = schedule.end_of_trials
        if schedule.limit is None and schedule.is_default and number >= _FEWEST_SPLITS:
            end = schedule.started + _DEFAULT_SECONDS
        if number == 0 or end == math.inf:
            return True
        pairs = [(table, method) for table, _, method in self._tasks[number]]
        return time.perf_counter() + 0.9 * schedule.split(pairs, leak=self._leak) / schedule.n_workers <= end


def left_out(what: str, elapsed: float | None, limit: float) -> str:
    """Why a method is left out that takes too long; elapsed is None where that was foreseen."""
    if elapsed is None:
        return f"{what} would have taken too much of the time limit of {exactly(limit)}."
    return f"{what} took more than {seconds(elapsed)}, too much of the time limit of {exactly(limit)}."


def shortened(n_done: int, n_splits: int, schedule: Schedule, missing: Sequence[str]) -> str | None:
    """Say what was not done, why, and what that means for the result; None where all was done.

    missing : what else was not evaluated
    """
    parts = []
    if n_done < n_splits and schedule.limit is not None:
        parts.append(f"{n_done} of {n_splits} splits were done in the time limit of {exactly(schedule.limit)}")
    elif n_done < n_splits:
        parts.append(
            f"{n_done} of {n_splits} splits were done, as many as take about {about(_DEFAULT_SECONDS)} "
            f"(outer={n_splits}, --outer {n_splits} does all)"
        )
    if parts:
        parts[0] += ": intervals are wider than with all of them"
        parts[0] += ", and differences between methods cannot be tested" if n_done == 1 else ""
    if missing and schedule.limit is not None:
        lead = "" if parts else f"in the time limit of {exactly(schedule.limit)} "
        is_one = len(missing) == 1 and missing[0].startswith(("the classifier ", "the method "))
        parts.append(f"{lead}{' and '.join(missing)} {'was' if is_one else 'were'} not evaluated")
    return "; ".join(parts) or None
