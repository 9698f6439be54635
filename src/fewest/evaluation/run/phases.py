"""The phases of a comparison: select on all rows, choose sizes by inner folds, evaluate in the splits."""

from __future__ import annotations

import sys
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

from fewest.display.progress import progress_bar
from fewest.errors import InvalidParameter
from fewest.evaluation.results import TableResult
from fewest.evaluation.run.cases import Case, Choice, Fit, Outcome, Task, Whole
from fewest.evaluation.run.durations import exactly
from fewest.evaluation.run.jobs import Control, Job, JobQueue, Record, Until
from fewest.evaluation.run.jobs import Task as AnyTask
from fewest.evaluation.run.schedule import (
    ChoiceControl,
    FitControl,
    Pair,
    Schedule,
    TrialControl,
    caller,
    left_out,
    shortened,
)
from fewest.evaluation.run.trial import time_classifiers
from fewest.evaluation.run.worker_pool import WorkerPool

#: A table and a method, or None for all columns.
AnyPair = TypeVar("AnyPair", tuple[str, str], Pair)

#: Jobs on a table of at most this number of values are short: they need not wait until processes have started.
_SMALL_TABLE = 50_000


@dataclass
class Phases:
    """The phases, one after the other, and what they produced.

    pool : the processes that run the jobs; None runs them here
    wholes : by table and method, what it selects on all rows, or why it is left out
    outcomes : of the trials that were done
    done : by table, the splits that were done
    missing : what was not evaluated for want of time
    left_out_classifiers, left_out_methods : those that are too slow for the time limit, methods with their table
    """

    schedule: Schedule
    folder: Path | None
    pool: WorkerPool | None
    verbose: bool
    wholes: dict[tuple[str, str], Whole] = field(default_factory=dict)
    outcomes: dict[Task, Outcome] = field(default_factory=dict)
    done: dict[str, list[int]] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)
    left_out_classifiers: list[str] = field(default_factory=list)
    left_out_methods: list[tuple[str, str]] = field(default_factory=list)
    is_interrupted: bool = False

    @property
    def cases(self) -> Mapping[str, Case]:
        """The tables by name."""
        return self.schedule.cases

    @property
    def n_splits(self) -> int:
        """The number of splits, of the table that has most."""
        return max(len(case.splits) for case in self.cases.values())

    @property
    def helps(self) -> bool:
        """Whether jobs may be run here while processes start; there they can be ended."""
        values = (case.table.n_rows * case.table.n_columns for case in self.cases.values())
        return self.schedule.limit is None and max(values) <= _SMALL_TABLE

    def run(self) -> None:
        """Run all phases; raise KeyboardInterrupt where it is interrupted before a split was done."""
        pairs = [(case.name, method) for case in self.cases.values() for method in case.selectors]
        fits = self._select_on_all(pairs)
        if self.schedule.limit is not None:
            self._leave_out_slow_classifiers(fits)
        completed = self._choose_on_all(fits)
        if completed:
            self._evaluate(completed)
        elif self.schedule.limit is not None and any(pair not in fits for pair in pairs):
            raise self._too_short("No method selected on all rows, and in its inner folds,")
        self.done = self.done or {name: [] for name in self.cases}

    def results(self) -> tuple[TableResult, ...]:
        """What was found on each table of which a split was done."""
        return tuple(
            case.result(
                self.done[name], {method: self.wholes[name, method] for method in case.selectors}, self.outcomes
            )
            for name, case in self.cases.items()
            if self.done[name] or not self.is_interrupted
        )

    @property
    def stopped(self) -> str | None:
        """How far an interrupted comparison came."""
        if not self.is_interrupted:
            return None
        return f"{self._n_done} of {self.n_splits} splits were done when it was stopped"

    @property
    def shortened(self) -> str | None:
        """What was not done for want of time."""
        if not any(self.done.values()):
            return None
        # Splits for which an interrupt left no time are said to be missing in `stopped`.
        n_done = self.n_splits if self.is_interrupted else self._n_done
        return shortened(n_done, self.n_splits, self.schedule, self.missing)

    @property
    def _n_done(self) -> int:
        """The number of splits that were done, of the table with fewest; of those that an interrupt left out, none."""
        return min(len(done) for done in self.done.values() if done or not self.is_interrupted)

    def _select_on_all(self, pairs: list[tuple[str, str]]) -> dict[tuple[str, str], Fit]:
        queue: JobQueue[tuple[str, str], Fit] = JobQueue(
            {pair: self.cases[pair[0]].fit_job(pair[1]) for pair in pairs}, self.folder
        )
        self._run(queue, "selecting on all rows", FitControl(self.schedule, queue.n_left))
        for pair, fit in queue.results.items():
            if fit["failed"] is None:
                self.schedule.fits[pair] = fit["seconds"]
            else:
                self.wholes[pair] = {"failed": fit["failed"]}
        for pair in pairs:
            if pair not in queue.results:
                self._leave_out(pair, "one selection on all rows", queue.elapsed.get(pair))
        return queue.results

    def _leave_out_slow_classifiers(self, fits: Mapping[tuple[str, str], Fit]) -> None:
        """Time the classifiers, and go on without those for which there is no time."""
        schedule = self.schedule
        jobs = {}
        for table, method in reversed(schedule.by_cost(schedule.fits)):
            fit, case = fits[table, method], self.cases[table]
            if fit["failed"] is None:
                # The last that is put in its place is the fastest of the table.
                jobs[table] = Job(None, time_classifiers, (case.table, fit["path"], case.plan))
        queue = JobQueue(jobs, None)
        self._run(queue, "timing classifiers", Until(schedule.end_of_trials))
        schedule.classifiers = queue.results
        self.left_out_classifiers = schedule.too_slow_classifiers(schedule.fits)
        if self.left_out_classifiers:
            schedule.cases = {
                name: replace(case, plan=case.plan.without_classifiers(self.left_out_classifiers))
                for name, case in self.cases.items()
            }

    def _choose_on_all(self, fits: Mapping[tuple[str, str], Fit]) -> list[tuple[str, str]]:
        pairs = self.schedule.by_cost([pair for pair, fit in fits.items() if fit["failed"] is None])
        queue: JobQueue[tuple[str, str], Choice] = JobQueue(
            {pair: self.cases[pair[0]].choice_job(pair[1]) for pair in self._for_the_end(pairs)}, self.folder
        )
        self._run(queue, "choosing sizes in inner folds", ChoiceControl(self.schedule, queue.results))
        completed = []
        for pair in pairs:
            fit, choice = fits[pair], queue.results.get(pair)
            if choice is None:
                self._leave_out(pair, "its selections in the inner folds of all rows", queue.elapsed.get(pair))
            elif choice["failed"] is not None:
                self.wholes[pair] = {"failed": choice["failed"]}
            elif fit["failed"] is None:
                self.wholes[pair] = {**fit, "choices": choice["choices"]}
                completed.append(pair)
        return completed

    def _evaluate(self, completed: list[tuple[str, str]]) -> None:
        evaluated, leak = self.schedule.evaluated(completed)
        self._say_forecast(evaluated, leak)
        jobs: dict[Task, Job[Outcome]] = {}
        # Split by split, so that one that is cut short has some splits complete.
        for number in range(self.n_splits):
            for table, method in self._for_the_end(evaluated) if number == self.n_splits - 1 else evaluated:
                case = self.cases[table]
                if number >= len(case.splits):
                    continue
                if method is None:
                    jobs[table, number, None] = case.baseline_job(number)
                else:
                    whole = self.wholes[table, method]
                    assert whole["failed"] is None
                    jobs[table, number, method] = case.trial_job(number, method, whole, leak=leak)
        queue: JobQueue[Task, Outcome] = JobQueue(jobs, self.folder)
        open_tasks = jobs.keys() - queue.results.keys()
        for (table, _, method), outcome in queue.results.items():
            if "seconds" in outcome:
                spent = outcome["seconds"]
                self.schedule.trials.setdefault((table, method), []).append(spent["select"] + spent["classify"])
        self._run(queue, "evaluating on test rows", TrialControl(self.schedule, open_tasks, leak=leak))
        self.is_interrupted = queue.is_interrupted
        self.outcomes = queue.results
        for name in self.cases:
            self._find_done(name, [method for table, method in completed if table == name], queue)
        if self.is_interrupted and not any(self.done.values()):
            raise KeyboardInterrupt
        self._find_missing({table for table, _ in completed}, leak)

    def _for_the_end(self, pairs: Sequence[AnyPair]) -> Sequence[AnyPair]:
        """The last jobs of a phase, the slowest first, so that processes end at about the same time.

        With a time limit the fastest stay first: what is begun last may not be done.
        """
        return pairs[::-1] if self.schedule.limit is None else pairs

    def _find_done(self, name: str, methods: list[str], queue: JobQueue[Task, Outcome]) -> None:
        """The splits of a table that are complete; where none is, that of the methods that did one."""
        numbers = range(len(self.cases[name].splits))
        complete = [n for n in numbers if all((name, n, method) in self.outcomes for method in methods)]
        if not complete and not self.is_interrupted and methods:
            finished = [method for method in methods if (name, 0, method) in self.outcomes]
            if not finished:
                raise self._too_short(f"No method was evaluated in a split of {name!r}")
            for method in methods:
                if method not in finished:
                    self._leave_out((name, method), "one split", queue.elapsed.get((name, 0, method)))
            complete = [0]
        with_all_columns = [number for number in complete if (name, number, None) in self.outcomes]
        # The comparison with all columns matters more than one split more.
        self.done[name] = with_all_columns if 2 * len(with_all_columns) >= len(complete) else complete

    def _find_missing(self, tables: Collection[str], leak: bool) -> None:
        """Say what was not evaluated; tables : those on which a method was."""
        if self.left_out_classifiers:
            names = ", ".join(self.left_out_classifiers)
            self.missing.append(f"the classifier{'s' if len(self.left_out_classifiers) > 1 else ''} {names}")
        for method in dict.fromkeys(method for _, method in self.left_out_methods):
            own = [table for table, other in self.left_out_methods if other == method]
            on = "" if len(own) == len(self.cases) else f" on {', '.join(own)}"
            self.missing.append(f"the method {method}{on}")
        if any(
            case.has_baseline and not all((name, number, None) in self.outcomes for number in self.done[name])
            for name, case in self.cases.items()
            if name in tables
        ):
            self.missing.append("all features")
        if self.schedule.leak and not leak:
            self.missing.append("features selected before splitting")

    def _run(self, queue: JobQueue[AnyTask, Record], title: str, control: Control[AnyTask, Record]) -> None:
        control.gives_up_at = self.schedule.end_of_trials
        with progress_bar(title, queue.n_left, self.verbose) as advance:
            queue.run(self.pool, advance, control, helps=self.helps)
        if queue.is_interrupted and not isinstance(control, TrialControl):
            raise KeyboardInterrupt

    def _say_forecast(self, evaluated: list[Pair], leak: bool) -> None:
        forecast = self.schedule.forecast(evaluated, leak=leak)
        listener = caller.get().hears
        if forecast is not None and listener is not None:
            listener(forecast)
        elif forecast is not None and self.verbose:
            print(f"compare: {forecast.sentence()}", file=sys.stderr)

    def _leave_out(self, pair: tuple[str, str], what: str, elapsed: float | None) -> None:
        assert self.schedule.limit is not None
        self.left_out_methods.append(pair)
        self.wholes[pair] = {"failed": left_out(what, elapsed, self.schedule.limit)}

    def _too_short(self, what: str) -> InvalidParameter:
        limit, needed = exactly(self.schedule.limit or 0.0), self.schedule.time_needed()
        return InvalidParameter(
            f"{what} in the time limit of {limit}. Give at least {needed} (time_limit, --time), fewer "
            "rows or columns, or faster methods and classifiers."
        )
