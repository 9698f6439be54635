"""One table of a comparison: the work there is to do on it, and what came of it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import version
from typing import Any

import numpy as np

from fewest.errors import FewestError, InvalidInput
from fewest.evaluation.comparison import MethodResult, TableResult
from fewest.evaluation.design.sizes import subsets_of
from fewest.evaluation.design.splits import Split, split_digest
from fewest.evaluation.design.table import Table
from fewest.evaluation.run.jobs import Job, Result
from fewest.evaluation.run.trial import Plan, Stopwatch, fitted_on, inner_splits, run_baseline, run_trial

#: With more values than this all columns together are not judged.
_MOST_VALUES_OF_ALL_COLUMNS = 50_000_000

#: The table, the split and the method; without a method, all columns.
Place = tuple[str, int, str | None]


@dataclass(frozen=True)
class Case:
    """A table, how it is judged, and the columns known to be true."""

    table: Table
    plan: Plan
    splits: Sequence[Split]
    truth: tuple[int, ...] | None

    @property
    def name(self) -> str:
        return self.table.name

    def check(self) -> None:
        """Raise where whole groups leave no inner fold: any size would be as good as another."""
        groups = self.table.groups
        if groups is None or len(self.plan.sizes) < 2:
            return
        for train, _ in self.splits:
            if not inner_splits(self.table, train, self.plan):
                raise InvalidInput(
                    f"The size cannot be chosen where {self.name!r} is split: the rows learned from are of "
                    f"{len(np.unique(groups.codes[train]))} group(s), too few to test some of them and learn two "
                    "classes from the rest. Give one size (sizes=[10], --sizes 10), or smaller groups."
                )

    def whole_job(self, name: str, selector: Any) -> Job:
        """A method on all rows."""
        return Job(self._key("whole") | _key_of(name, selector), select_on_all, (self.table, selector, self.plan))

    def trial_jobs(
        self, number: int, selectors: Mapping[str, Any], wholes: Mapping[str, Result], leak: bool
    ) -> dict[Place, Job]:
        """The methods that could take all rows, and all columns, on one split.

        wholes : what the methods took of all rows; with leak they are judged as if that had been done before splitting
        """
        split = self.splits[number]
        own = {"split": [number, split_digest(split, self.table.groups)], "leak": leak}
        jobs: dict[Place, Job] = {}
        if len(split[0]) * self.table.n_columns <= _MOST_VALUES_OF_ALL_COLUMNS:
            key = self._key("baseline") | own
            jobs[self.name, number, None] = Job(key, run_baseline, (self.table, split, self.plan))
        for name, selector in selectors.items():
            if wholes[name]["failed"] is None:
                key = self._key("trial") | own | _key_of(name, selector)
                leaked = [tuple(subset) for subset in wholes[name]["path"]] if leak else None
                jobs[self.name, number, name] = Job(key, try_trial, (self.table, selector, split, self.plan, leaked))
        return jobs

    def result(
        self,
        done: Sequence[int],
        selectors: Mapping[str, Any],
        wholes: Mapping[str, Result],
        trials: Mapping[Place, Result],
    ) -> TableResult:
        """What came of the splits that were done."""
        table = self.table
        methods = []
        for name, selector in selectors.items():
            own = [trials[self.name, number, name] for number in done] if wholes[name]["failed"] is None else []
            failed = wholes[name]["failed"] or next((trial["failed"] for trial in own if trial["failed"]), None)
            parameters = {key: _json_able(value) for key, value in selector.get_params(deep=False).items()}
            if failed:
                methods.append(MethodResult(name, parameters, None, (), failed))
                continue
            plain = tuple({key: value for key, value in trial.items() if key != "failed"} for trial in own)
            methods.append(MethodResult(name, parameters, wholes[name], plain))
        places = [(self.name, number, None) for number in done]
        return TableResult(
            name=self.name,
            n_rows=table.n_rows,
            classes=table.classes,
            class_counts=tuple(np.bincount(table.codes, minlength=len(table.classes)).tolist()),
            feature_names=table.feature_names,
            fingerprint=table.fingerprint,
            sizes=self.plan.sizes,
            n_train=float(np.mean([len(self.splits[number][0]) for number in done])) if done else 0.0,
            n_test=float(np.mean([len(self.splits[number][1]) for number in done])) if done else 0.0,
            methods=tuple(methods),
            baselines=tuple(trials[place] for place in places if place in trials),
            truth=self.truth,
        )

    def _key(self, kind: str) -> dict[str, Any]:
        """What makes a piece of work this one and no other."""
        return {"kind": kind} | self._own_key

    @cached_property
    def _own_key(self) -> dict[str, Any]:
        table, plan = self.table, self.plan
        return {
            "version": version("fewest"),
            "table": [table.name, table.fingerprint, table.digest, list(table.feature_names[:50])],
            "classifiers": [judge.identity for judge in plan.classifiers],
            "sizes": list(plan.sizes),
            "inner": plan.n_inner if plan.is_choosing else None,
            "rule": plan.rule,
            "seed": plan.seed,
            "scale": plan.scale,
        }


def select_on_all(table: Table, selector: Any, plan: Plan) -> Result:
    """What the method takes when it sees all rows, or why it cannot."""
    watch = Stopwatch()
    try:
        fitted = fitted_on(selector, table, np.arange(table.n_rows), plan.sizes, watch)
    except FewestError as error:
        return {"failed": str(error)}
    selection = fitted.selection_
    scores = fitted.scores_ if selection.column_scores is not None else None
    return {
        "failed": None,
        "path": [list(subset) for subset in subsets_of(selection.path, plan.sizes)],
        "scores": {
            str(column): _plain(score) for column, score in zip(selection.indices, selection.scores, strict=True)
        },
        "column_scores": None if scores is None else [_plain(score) for score in scores],
        "breakpoints": [[_plain(beta), size] for beta, size in selection.breakpoints],
        "certificate": selection.certificate(),
        "seconds": watch.select,
    }


def try_trial(*arguments: Any) -> Result:
    """A trial, or why there is none."""
    try:
        return {"failed": None, **run_trial(*arguments)}
    except FewestError as error:
        return {"failed": str(error)}


def _key_of(name: str, selector: Any) -> dict[str, Any]:
    return {"method": name, "parameters": repr(sorted(selector.get_params(deep=True).items(), key=str))}


def _plain(value: Any) -> float | None:
    number = float(value)
    return number if np.isfinite(number) else None


def _json_able(value: Any) -> Any:
    try:
        json.dumps(value)
    except (TypeError, ValueError):
        return repr(value)
    return value
