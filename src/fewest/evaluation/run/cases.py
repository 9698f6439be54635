"""One table of a comparison: its jobs, the keys by which their results are stored, and what they produced."""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import version
from typing import cast

import numpy as np

from fewest.errors import FewestWarning, InvalidInput
from fewest.evaluation.design.labelled_tables import Table
from fewest.evaluation.design.resampling import Split, TableSplits
from fewest.evaluation.results import (
    BaselineRecord,
    ChoiceRecord,
    Failure,
    FitRecord,
    MethodResult,
    MetricRecord,
    TableResult,
    TrialRecord,
    WholeRecord,
)
from fewest.evaluation.run.jobs import Job
from fewest.evaluation.run.trial import Plan, choose_on_all, inner_splits, run_baseline, run_trial, select_on_all
from fewest.evaluation.run.value_keys import NoKey, key_of
from fewest.selectors.selector import Selector

#: With more values to train on than this, inner folds included, the classifiers are not evaluated with all columns.
_MAX_VALUES_OF_ALL_COLUMNS = 50_000_000

#: The table, the split and the method; without a method, all columns.
Task = tuple[str, int, str | None]
Fit = FitRecord | Failure
Choice = ChoiceRecord | Failure
Whole = WholeRecord | Failure
Outcome = TrialRecord | Failure | BaselineRecord


@dataclass(frozen=True)
class Case:
    """One table of a comparison: its plan, splits, relevant columns where known, and the methods by name.

    is_stored : results are stored, and need keys
    """

    table: Table
    plan: Plan
    table_splits: TableSplits
    truth: tuple[int, ...] | None
    selectors: Mapping[str, Selector]
    is_stored: bool

    def __post_init__(self) -> None:
        groups = self.table.groups
        if groups is None or len(self.plan.sizes) < 2:
            return
        for train, _ in self.splits:
            if not inner_splits(self.table, train, self.plan):
                raise InvalidInput(
                    f"The size cannot be chosen where {self.name!r} is split: the training rows are of "
                    f"{len(np.unique(groups.codes[train]))} group(s), too few for an inner fold that leaves two "
                    "classes to train on. Give one size (sizes=[10], --sizes 10), or smaller groups."
                )

    @property
    def name(self) -> str:
        """The name of the table."""
        return self.table.name

    @property
    def splits(self) -> Sequence[Split]:
        """Training rows and test rows of each split."""
        return self.table_splits.pairs

    def fit_job(self, name: str) -> Job[Fit]:
        """The job that selects on all rows."""
        arguments = (self.table, self.selectors[name], self.plan, self.table_splits.select_of_all)
        return Job(self._key("fit", name), select_on_all, arguments)

    def choice_job(self, name: str) -> Job[Choice]:
        """The job that chooses the size of a method by the inner folds of all rows."""
        arguments = (self.table, self.selectors[name], self.plan, self.table_splits.select_of_all)
        return Job(self._key("choice", name), choose_on_all, arguments)

    def trial_job(self, number: int, name: str, whole: WholeRecord, *, leak: bool) -> Job[Outcome]:
        """The job of a method in one split."""
        key = self._key("method", name, number, leak=leak)
        leaked = whole["path"] if leak else None
        select = None if self.table_splits.select is None else self.table_splits.select[number]
        return Job(key, run_trial, (self.table, self.selectors[name], self.splits[number], self.plan, leaked, select))

    def baseline_job(self, number: int) -> Job[Outcome]:
        """The job of all columns in one split."""
        return Job(self._key("baseline", None, number), run_baseline, (self.table, self.splits[number], self.plan))

    @property
    def has_baseline(self) -> bool:
        """Whether the classifiers are evaluated with all columns: that takes little enough memory and time."""
        # Several classifiers are chosen from by inner folds.
        n_fits = 1 + (self.plan.n_inner if len(self.plan.classifiers) > 1 else 0)
        n_train = max(len(train) for train, _ in self.splits)
        return n_fits * n_train * self.table.n_columns <= _MAX_VALUES_OF_ALL_COLUMNS

    def result(self, done: Sequence[int], wholes: Mapping[str, Whole], outcomes: Mapping[Task, Outcome]) -> TableResult:
        """What the splits that were done produced."""
        table = self.table
        tasks: list[Task] = [(self.name, number, None) for number in done]
        has_baselines = all(task in outcomes for task in tasks)
        n_train, n_test = np.mean([[len(rows) for rows in self.splits[number]] for number in done] or [[0, 0]], axis=0)
        return TableResult(
            name=self.name, n_rows=table.n_rows, feature_names=table.feature_names,
            classes=tuple(table.classes[code] for code in table.label_order),
            class_counts=tuple(np.bincount(table.label_codes, minlength=len(table.classes)).tolist()),
            fingerprint=table.fingerprint, sizes=self.plan.sizes, n_train=float(n_train), n_test=float(n_test),
            methods=tuple(self._method_result(name, wholes[name], done, outcomes) for name in self.selectors),
            baselines=tuple(cast(BaselineRecord, outcomes[task]) for task in tasks) if has_baselines else (),
            metric=MetricRecord.of(self.plan.metric), chance_error=self.plan.metric.chance(table.label_codes),
            truth=self.truth, data=table.data, input_names=table.input_names, split_note=self.table_splits.note,
        )  # fmt: skip

    def _method_result(
        self, name: str, whole: Whole, done: Sequence[int], outcomes: Mapping[Task, Outcome]
    ) -> MethodResult:
        parameters = {key: _as_json(value) for key, value in self.selectors[name].get_params(deep=False).items()}
        if whole["failed"] is not None:
            return MethodResult(name, parameters, None, (), whole["failed"])
        trials: list[TrialRecord] = []
        for number in done:
            outcome = cast(TrialRecord | Failure, outcomes[self.name, number, name])
            if "failed" in outcome:
                return MethodResult(name, parameters, None, (), outcome["failed"])
            trials.append(outcome)
        return MethodResult(name, parameters, whole, tuple(trials))

    def _key(
        self, kind: str, method: str | None, split: int | None = None, *, leak: bool = False
    ) -> dict[str, object] | None:
        """What a job depends on; None where nothing is stored, or a part of it has no key."""
        if not self.is_stored:
            return None
        selector = self.method_keys[method] if method is not None else ""
        plan = self._plan_key
        if isinstance(selector, NoKey) or isinstance(plan, NoKey):
            return None
        of_method = {} if method is None else {"method": method, "parameters": selector}
        of_split = {} if split is None else {"split": [split, self._split_keys[split]], "leak": leak}
        # All columns are not selected.
        of_select = {} if method is None or self.table_splits.select is None else {"select": self._select_key}
        known = {"kind": kind, "version": version("fewest"), "plan": plan, **self._table_key}
        return {**known, **of_method, **of_split, **of_select}

    @cached_property
    def method_keys(self) -> dict[str, str | NoKey]:
        """The key of each method, or why it has none."""
        return {name: _key_or_reason(selector) for name, selector in self.selectors.items()}

    @cached_property
    def _split_keys(self) -> list[str]:
        return [key_of(list(split)) for split in self.splits]

    @cached_property
    def _select_key(self) -> str:
        return key_of([self.table_splits.select_of_all, self.table_splits.select])

    @cached_property
    def _table_key(self) -> dict[str, object]:
        table = self.table
        # Neither fingerprint nor digest know which columns are codes of categories, nor which rows belong together.
        categories = [[name, list(map(str, known))] for name, known in sorted(table.categories.items())]
        known = key_of([
            list(table.feature_names), list(table.values.shape), str(table.values.dtype),
            list(table.categorical_columns), categories, list(table.classes), table.label_ranks,
            None if table.groups is None else table.groups.codes,
        ])  # fmt: skip
        return {"table": [table.name, table.fingerprint, table.digest, known]}

    @cached_property
    def _plan_key(self) -> str | NoKey:
        plan = self.plan
        n_inner = plan.n_inner if plan.is_choosing else None
        sizes = [list(plan.sizes), plan.size_index]
        return _key_or_reason([list(plan.classifiers), plan.metric, sizes, n_inner, plan.rule, plan.seed, plan.scale])


def _key_or_reason(value: object) -> str | NoKey:
    try:
        return key_of(value)
    except NoKey as reason:
        return reason


def warn_of_what_is_not_stored(case: Case) -> None:
    """Say which results cannot be found again in another run, and why."""
    parts: dict[str, object] = {f"the classifier {one.name!r}": one for one in case.plan.classifiers}
    parts["the metric"] = case.plan.metric
    reasons = {name: _key_or_reason(one) for name, one in parts.items()}
    reasons |= {f"the method {name!r}": key for name, key in case.method_keys.items()}
    for name, reason in reasons.items():
        if isinstance(reason, NoKey):
            warnings.warn(
                f"With {name}, resume stores no results, and finds none: {reason}.", FewestWarning, stacklevel=4
            )


def _as_json(value: object) -> object:
    try:
        json.dumps(value)
    except (TypeError, ValueError):
        return repr(value)
    return value
