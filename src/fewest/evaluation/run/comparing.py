"""compare(): methods of feature selection against each other, on test rows that were not used to select."""

from __future__ import annotations

import json
import time
import warnings
from bisect import bisect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import cast

import numpy as np

from fewest.display.progress import progress_bar
from fewest.errors import FewestWarning, InvalidInput
from fewest.evaluation.comparison import Comparison, Settings
from fewest.evaluation.design.compared_methods import metric_of_tables, to_methods, to_sizes
from fewest.evaluation.design.labelled_tables import Table, to_tables, true_columns
from fewest.evaluation.design.resampling import RepeatedFolds, Split, SplitColumn, describe, splits_of, to_resampling
from fewest.evaluation.results import (
    BaselineRecord,
    Failure,
    MethodResult,
    MetricRecord,
    TableResult,
    TrialRecord,
    WholeRecord,
)
from fewest.evaluation.run.classifiers import TunedClassifier, to_classifiers
from fewest.evaluation.run.jobs import Job, JobQueue, check_n_jobs, to_folder, worker_count
from fewest.evaluation.run.trial import Plan, inner_splits, run_baseline, run_trial, select_on_all
from fewest.evaluation.run.value_keys import NoKey, key_of
from fewest.evaluation.summary.views import views_of
from fewest.metrics import to_metric
from fewest.parameters import check_choice, check_count, check_flag
from fewest.selectors.selector import Selector
from fewest.unexpected import PublicEntry

CLASSIFIERS = ("svm", "knn", "nb", "tree")

#: With more values to train on than this, inner folds included, the classifiers are not evaluated with all columns.
_MAX_VALUES_OF_ALL_COLUMNS = 50_000_000

#: The table, the split and the method; without a method, all columns.
Task = tuple[str, int, str | None]
Whole = WholeRecord | Failure
Outcome = TrialRecord | Failure | BaselineRecord


def compare(
    methods: object,
    X: object,
    y: object = None,
    *,
    classifiers: object = CLASSIFIERS,
    sizes: object = None,
    outer: object = 20,
    groups: object = None,
    check: bool = True,
    allow: object = (),
    inner: int = 5,
    rule: str = "1se",
    metric: object = None,
    size: int | None = None,
    scale: str | None = "std",
    tune: bool = False,
    leak: bool = True,
    truth: object = None,
    seed: int = 0,
    n_jobs: int | None = None,
    verbose: bool = False,
    resume: str | Path | None = None,
) -> Comparison:
    """Compare methods of feature selection by nested cross-validation: test rows are never used to select.

    Parameters
    ----------
    methods : str, Selector or list of these
        Names such as "mrmr" or "mrmr(criterion=quotient, n_bins=5)", or selectors. Those of scikit-learn may be
        among them: SelectKBest(), RFE(LinearSVC()), a pipeline that ends in one.
    X : array-like, frame, Source or dict
        A table as any selector takes it, or a dict {name: (X, y) or Source} of several.
    y : array-like or None, default=None
        The class of each row; None where X is a Source or a dict.
    classifiers : list of str or estimators, default=("svm", "knn", "nb", "tree")
        Names ("svm", "svm-ovo", "rbf-svm", "poly-svm", "knn", "nb", "discrete-nb", "parzen-nb", "lda", "tree",
        "logistic", "rf", "boosting"), or estimators of scikit-learn's kind; missing values are filled with the means.
    sizes : int, list of int or None, default=None
        The numbers of features to try; None: about 15 sizes up to 100, evenly spaced in logarithms.
    outer : int, str, SplitColumn or list of pairs, default=20
        A number of random splits, 3/4 of each class for training and 1/4 for testing; "loo"; "10-fold", "5x10-fold";
        SplitColumn(name), where a column holds the splits; pairs of (train, test) rows.
    groups : str, array-like, dict or None, default=None
        Which rows belong together, such as those of one patient: one value a row, or the name of a column, which
        is no feature then; for several tables a dict {name: ...}, or one name for all. Rows of one group are never
        both training and test rows, neither in the splits, of which "loo" leaves out a group, nor in the inner folds.
    check : bool, default=True
        Check the data first (`check_data`), and set aside identifiers, row counters, constants and columns of groups.
    allow : list of str, dict or None, default=()
        Columns, by name or glob, that are not set aside; for several tables also a dict {name: [...]}.
    inner : int, default=5
        Folds of the training rows, in each of which the method selects anew, to choose the size, and among methods
        and classifiers.
    rule : {"1se", "min"}, default="1se"
        The size: the fewest features within one standard error of the least error, or the least error.
    metric : str, callable or None, default=None
        What is called error, and drives every choice: "error", "balanced-error", "macro-f1", "roc-auc", "log-loss", or
        a scorer of scikit-learn, by name or made by make_scorer. None: error, or balanced error where the smallest
        class has less than 20 % of the rows, and less than half of an equal share.
    size : int or None, default=None
        The number of features to evaluate and recommend; None: chosen by inner folds.
    scale : {"std", "range", None}, default="std"
        How columns are scaled for the classifiers: by their standard deviation or range in the training rows, or
        all by one unit (None). How methods scale is their own parameter.
    tune : bool, default=False
        Choose the classifiers' own parameters too, by cross-validation on the training rows.
    leak : bool, default=True
        Repeat everything with features selected on all rows before splitting, to measure the optimism of that.
    truth : list of str or int, dict or None, default=None
        The columns, by name or index, that are known to be relevant.
    seed : int, default=0
        The seed of all splits.
    n_jobs : int or None, default=None
        The number of trials run at once, as in joblib, and no more than there are processors; changes no result.
    verbose : bool, default=False
        Show a progress bar with the time left.
    resume : str, Path or None, default=None
        A folder that stores every trial, so that an interrupted comparison can be continued. What has no key, such as
        a lambda among the parameters, is computed anew, with a warning.

    Returns
    -------
    Comparison
        Interrupted from the keyboard, it holds the splits that were done.

    See Also
    --------
    Comparison : The result, with its tables, tests and report.
    SplitColumn : Splits that a column of the table holds.
    check_data : What is odd about a table.

    Examples
    --------
    >>> from fewest import compare
    >>> from sklearn.datasets import load_wine
    >>> found = compare(["mrmr", "fisher-markov"], *load_wine(return_X_y=True), classifiers=["nb"], outer=4)
    >>> sorted({row["method"] for row in found.table})
    ['all features', 'chance', 'fisher-markov', 'mrmr', 'recommended']
    """
    with PublicEntry("compare", methods=methods, X=X, y=y, classifiers=classifiers, outer=outer, groups=groups):
        started = time.perf_counter()
        selectors = to_methods(methods)
        evaluators = to_classifiers(classifiers)
        measure = None if metric is None else to_metric(metric)
        check_flag("tune", tune)
        check_flag("leak", leak)
        check_flag("check", check)
        check_count("inner", inner, 2)
        check_count("seed", seed, 0)
        check_count("size", 1 if size is None else size, 1)
        check_choice("rule", rule, ("1se", "min"))
        check_choice("scale", scale, ("std", "range", None))
        check_n_jobs(n_jobs)
        resampling = to_resampling(outer)
        folder = to_folder(resume)
        marks = resampling.column if isinstance(resampling, SplitColumn) else None
        tables = to_tables(X, y, groups, marks, check=check, allow=allow)
        splits = [splits_of(table, resampling, seed) for table in tables]
        measure, reason = metric_of_tables(measure, tables, splits)
        if tune:
            evaluators = tuple(TunedClassifier(one, seed=seed, metric=measure) for one in evaluators)
        cases = []
        for table, own_splits in zip(tables, splits, strict=True):
            own_sizes = to_sizes(sizes, table.n_columns)
            # The largest of the sizes tried that does not exceed the requested one.
            size_index = None if size is None else max(bisect(own_sizes, size) - 1, 0)
            is_choosing = (len(own_sizes) if size is None else 1) * len(evaluators) * len(selectors) > 1
            plan = Plan(evaluators, own_sizes, inner, rule, seed, scale, is_choosing, measure, size_index)
            cases.append(Case(table, plan, own_splits, true_columns(truth, table), selectors, leak, folder is not None))
        if folder is not None:
            _warn_of_what_is_not_stored(cases[0])
        wholes = JobQueue({(case.name, name): case.whole_job(name) for case in cases for name in selectors}, folder)
        workers = worker_count(n_jobs)
        with progress_bar("selecting on all rows", wholes.n_left, verbose) as advance:
            wholes.run(workers, advance)
        if wholes.is_interrupted:
            raise KeyboardInterrupt
        of_all = {case.name: {name: wholes.results[case.name, name] for name in selectors} for case in cases}
        n_splits = max(len(case.splits) for case in cases)
        jobs: dict[Task, Job[Outcome]] = {}
        # Split by split, so that an interrupted comparison has some splits complete.
        for number in range(n_splits):
            for case in cases:
                if number < len(case.splits):
                    jobs |= case.trial_jobs(number, of_all[case.name])
        trials = JobQueue(jobs, folder)
        with progress_bar("evaluating on test rows", trials.n_left, verbose) as advance:
            trials.run(workers, advance)
        is_open = {(name, number) for name, number, _ in jobs.keys() - trials.results.keys()}
        done = {case.name: [s for s in range(len(case.splits)) if (case.name, s) not in is_open] for case in cases}
        if trials.is_interrupted and not any(done.values()):
            raise KeyboardInterrupt
        group = groups if groups is None or isinstance(groups, str) else "group"
        settings = Settings(
            outer=describe(resampling, group), inner=describe(RepeatedFolds(inner), group), groups=group, rule=rule,
            metric=measure.name, metric_reason=reason, size=size, scale=scale, tune=tune, leak=leak, seed=seed,
            version=version("fewest"),
        )  # fmt: skip
        stopped = f"{min(map(len, done.values()))} of {n_splits} splits were done when it was stopped"
        comparison = Comparison(
            tuple(
                case.result(done[case.name], of_all[case.name], trials.results)
                for case in cases
                if done[case.name] or not trials.is_interrupted
            ),
            {one.name: one.description for one in evaluators},
            settings,
            stopped if trials.is_interrupted else None,
            methods=selectors,
        )
        known = {case.name: case for case in cases}
        best = comparison.recommendations
        views = {
            one.name: views_of(known[one.name].table, best[one.name], selectors, known[one.name].plan)
            for one in comparison.tables
        }
        return comparison.with_views(views, time.perf_counter() - started)


@dataclass(frozen=True)
class Case:
    """One table of a comparison: its plan, splits, relevant columns where known, and the methods by name.

    leak : features are also selected on all rows
    is_stored : results are stored, and need keys
    """

    table: Table
    plan: Plan
    splits: Sequence[Split]
    truth: tuple[int, ...] | None
    selectors: Mapping[str, Selector]
    leak: bool
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

    def whole_job(self, name: str) -> Job[Whole]:
        """The job that selects on all rows."""
        return Job(self._key("whole", name), select_on_all, (self.table, self.selectors[name], self.plan))

    def trial_jobs(self, number: int, wholes: Mapping[str, Whole]) -> dict[Task, Job[Outcome]]:
        """The jobs of one split: all columns, and each method that did not fail on all rows."""
        split = self.splits[number]
        jobs: dict[Task, Job[Outcome]] = {}
        # Several classifiers are chosen from by inner folds.
        n_fits = 1 + (self.plan.n_inner if len(self.plan.classifiers) > 1 else 0)
        if n_fits * len(split[0]) * self.table.n_columns <= _MAX_VALUES_OF_ALL_COLUMNS:
            key = self._key("baseline", None, number)
            jobs[self.name, number, None] = Job(key, run_baseline, (self.table, split, self.plan))
        for name, selector in self.selectors.items():
            whole = wholes[name]
            if whole["failed"] is None:
                key = self._key("method", name, number)
                leaked = whole["path"] if self.leak else None
                jobs[self.name, number, name] = Job(key, run_trial, (self.table, selector, split, self.plan, leaked))
        return jobs

    def result(self, done: Sequence[int], wholes: Mapping[str, Whole], outcomes: Mapping[Task, Outcome]) -> TableResult:
        """What the splits that were done produced."""
        table = self.table
        tasks: list[Task] = [(self.name, number, None) for number in done]
        n_train, n_test = np.mean([[len(rows) for rows in self.splits[number]] for number in done] or [[0, 0]], axis=0)
        return TableResult(
            name=self.name, n_rows=table.n_rows, feature_names=table.feature_names,
            classes=tuple(table.classes[code] for code in table.label_order),
            class_counts=tuple(np.bincount(table.label_codes, minlength=len(table.classes)).tolist()),
            fingerprint=table.fingerprint, sizes=self.plan.sizes, n_train=float(n_train), n_test=float(n_test),
            methods=tuple(self._method_result(name, wholes[name], done, outcomes) for name in self.selectors),
            baselines=tuple(cast(BaselineRecord, outcomes[task]) for task in tasks if task in outcomes),
            metric=MetricRecord.of(self.plan.metric), chance_error=self.plan.metric.chance(table.label_codes),
            truth=self.truth, data=table.data, input_names=table.input_names,
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

    def _key(self, kind: str, method: str | None, split: int | None = None) -> dict[str, object] | None:
        """What a job depends on; None where nothing is stored, or a part of it has no key."""
        if not self.is_stored:
            return None
        selector = self.method_keys[method] if method is not None else ""
        plan = self._plan_key
        if isinstance(selector, NoKey) or isinstance(plan, NoKey):
            return None
        of_method = {} if method is None else {"method": method, "parameters": selector}
        of_split = {} if split is None else {"split": [split, self._split_keys[split]], "leak": self.leak}
        return {"kind": kind, "version": version("fewest"), "plan": plan, **self._table_key, **of_method, **of_split}

    @cached_property
    def method_keys(self) -> dict[str, str | NoKey]:
        """The key of each method, or why it has none."""
        return {name: _key_or_reason(selector) for name, selector in self.selectors.items()}

    @cached_property
    def _split_keys(self) -> list[str]:
        return [key_of(list(split)) for split in self.splits]

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


def _warn_of_what_is_not_stored(case: Case) -> None:
    """Say which results cannot be found again in another run, and why."""
    parts: dict[str, object] = {f"the classifier {one.name!r}": one for one in case.plan.classifiers}
    parts["the metric"] = case.plan.metric
    reasons = {name: _key_or_reason(one) for name, one in parts.items()}
    reasons |= {f"the method {name!r}": key for name, key in case.method_keys.items()}
    for name, reason in reasons.items():
        if isinstance(reason, NoKey):
            warnings.warn(
                f"With {name}, resume stores no results, and finds none: {reason}.", FewestWarning, stacklevel=3
            )


def _as_json(value: object) -> object:
    try:
        json.dumps(value)
    except (TypeError, ValueError):
        return repr(value)
    return value
