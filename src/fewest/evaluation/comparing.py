"""compare(): methods against each other, on rows that they did not see."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from fewest.errors import FewestError, InvalidInput, InvalidParameter
from fewest.evaluation.classifiers import Tuned, to_classifier
from fewest.evaluation.comparison import Comparison, MethodResult, TableResult
from fewest.evaluation.given_tables import to_tables, true_columns
from fewest.evaluation.jobs import Job, Work
from fewest.evaluation.methods import to_methods
from fewest.evaluation.sizes import subsets_of, to_sizes
from fewest.evaluation.split_column import SplitColumn
from fewest.evaluation.splits import RepeatedFolds, Split, in_words, split_digest, splits_of, to_resampling
from fewest.evaluation.table import Table
from fewest.evaluation.trial import Plan, Stopwatch, fitted_on, inner_splits, run_baseline, run_trial
from fewest.evaluation.views import views_of
from fewest.progress import counted

#: With more values than this all columns together are not judged.
_MOST_VALUES_OF_ALL_COLUMNS = 50_000_000

CLASSIFIERS = ("svm", "knn", "nb", "tree")


def compare(
    methods: Any,
    X: Any,
    y: Any = None,
    *,
    classifiers: Sequence[Any] = CLASSIFIERS,
    sizes: Any = None,
    outer: Any = 20,
    groups: Any = None,
    inner: int = 5,
    rule: str = "1se",
    size: int | None = None,
    scale: str | None = "std",
    tune: bool = False,
    leak: bool = True,
    truth: Any = None,
    seed: int = 0,
    n_jobs: int | None = None,
    verbose: bool = False,
    resume: str | Path | None = None,
) -> Comparison:
    """Compare methods of feature selection without leaking: what is tested was not used to select.

    Parameters
    ----------
    methods : names such as "mrmr" or "mrmr(criterion=quotient)", or selectors
    X, y : a table as any selector takes it, or a dict {name: (X, y) or Source} of several
    classifiers : names ("svm", "svm-ovo", "rbf-svm", "poly-svm", "knn", "nb", "discrete-nb", "parzen-nb", "lda",
        "tree"), or estimators of scikit-learn's kind; gaps are filled with the means
    sizes : how many features to try; by default about 15 sizes up to 100, evenly apart in logarithms
    outer : a number of random splits, 3/4 of each class to learn from and 1/4 to test; "loo"; "10-fold", "5x10-fold";
        SplitColumn(name), where a column says it; pairs of (train, test) rows
    groups : which rows belong together, such as those of one patient: one value a row, or the name of a column, which
        is no feature then; for several tables a dict {name: ...}, or one name for all. Rows of one group are never both
        learned from and tested, neither in the splits, of which "loo" leaves out a group, nor in the inner folds
    inner : folds of the rows learned from, in each of which the method selects anew, to choose the size
    rule : "1se", the fewest features within one standard error of the least error, or "min"
    size : how many features to recommend; None: the middle of the sizes that were chosen inside the splits
    scale : what classifiers see: columns in units of their standard deviation ("std") or range ("range"), or all in one
        unit (None), learned from the rows learned from; how methods scale is their own
    tune : choose the classifiers' own parameters too, by cross-validation on the rows learned from
    leak : do it all again with features selected on all rows before splitting: the leak meter
    truth : the columns, by name or number, that are known to tell the classes apart
    seed : of all splits
    n_jobs : how many trials are run at once, as joblib has it; changes no result
    verbose : show progress with the time left
    resume : a folder that keeps every trial, so that a comparison that was cut short goes on where it was

    Returns
    -------
    Comparison
        Interrupted from the keyboard, it holds the splits that were done.

    Examples
    --------
    >>> from fewest import compare
    >>> from sklearn.datasets import load_wine
    >>> found = compare(["mrmr", "fisher-markov"], *load_wine(return_X_y=True), classifiers=["nb"], outer=4)
    >>> sorted({row["method"] for row in found.table})
    ['all features', 'chance', 'fisher-markov', 'mrmr']
    """
    started = time.perf_counter()
    selectors = to_methods(methods)
    judges = tuple(to_classifier(one) for one in ([classifiers] if isinstance(classifiers, str) else classifiers))
    if len({judge.name for judge in judges}) < len(judges) or not judges:
        raise InvalidParameter("classifiers must be one or more, each named once.")
    if tune:
        judges = tuple(Tuned(judge, seed=seed) for judge in judges)
    for name, value, least in (("inner", inner, 2), ("seed", seed, 0), ("size", 1 if size is None else size, 1)):
        if not isinstance(value, (int, np.integer)) or isinstance(value, bool) or value < least:
            raise InvalidParameter(f"{name} must be a whole number of at least {least}, got {value!r} instead.")
    if rule not in ("1se", "min"):
        raise InvalidParameter(f"rule must be '1se' or 'min', got {rule!r} instead.")
    if scale not in ("std", "range", None):
        raise InvalidParameter(f"scale must be 'std', 'range' or None, got {scale!r} instead.")
    resampling = to_resampling(outer)
    folder = _folder(resume)
    tables = to_tables(X, y, groups, resampling.column if isinstance(resampling, SplitColumn) else None)
    plans = [Plan(judges, to_sizes(sizes, table.n_columns), inner, rule, seed, scale) for table in tables]
    splits = [splits_of(table, resampling, seed) for table in tables]
    for table, plan, of_table in zip(tables, plans, splits, strict=True):
        _check_inner(table, plan, of_table)
    group = groups if groups is None or isinstance(groups, str) else "group"
    settings = {
        "outer": in_words(resampling, group),
        "inner": in_words(RepeatedFolds(inner), group),
        "groups": group,
        "rule": rule,
        "size": size,
        "scale": scale,
        "tune": tune,
        "leak": leak,
        "seed": seed,
        "version": _version(),
    }
    truths = [true_columns(truth, table) for table in tables]
    jobs = n_jobs_of(n_jobs)
    wholes = Work(
        [
            Job(_key(table, name, selector, plan, "whole"), select_on_all, (table, selector, plan))
            for table, plan in zip(tables, plans, strict=True)
            for name, selector in selectors.items()
        ],
        folder,
    )
    with counted("selecting on all rows", len(wholes.jobs) - wholes.n_found, verbose) as is_done:
        wholes.run(jobs, is_done)
    if wholes.is_interrupted:
        raise KeyboardInterrupt
    found = dict(zip([(t, name) for t in range(len(tables)) for name in selectors], wholes.results, strict=True))
    trials, places = _trial_jobs(tables, plans, splits, selectors, found, settings, leak)
    work = Work(trials, folder)
    with counted("judging on rows not seen", len(trials) - work.n_found, verbose) as is_done:
        work.run(jobs, is_done)
    n_splits = max(map(len, splits))
    done = _done_splits(work, places, [len(of_table) for of_table in splits])
    if work.is_interrupted and not any(done):
        raise KeyboardInterrupt
    results = []
    for t, (table, plan) in enumerate(zip(tables, plans, strict=True)):
        own = {place: result for place, result in zip(places, work.results, strict=True) if place[0] == t}
        results.append(_result(table, plan, splits[t], done[t], own, selectors, found, t, truths[t]))
    stopped = (
        f"{min(map(len, done))} of {n_splits} splits were done when it was stopped" if work.is_interrupted else None
    )
    comparison = Comparison(
        tuple(result for result in results if result.done or not work.is_interrupted),
        {judge.name: judge.words for judge in judges},
        settings,
        stopped,
        time.perf_counter() - started,
    )
    by_name = dict(zip([table.name for table in tables], zip(tables, plans, strict=True), strict=True))
    viewed = []
    for result in comparison.tables:
        table, plan = by_name[result.name]
        viewed.append(replace(result, views=views_of(table, result, comparison, selectors, plan)))
    return replace(comparison, tables=tuple(viewed), seconds=time.perf_counter() - started)


def select_on_all(table: Table, selector: Any, plan: Plan) -> dict[str, Any]:
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


def try_trial(*arguments: Any) -> dict[str, Any]:
    """A trial, or why there is none."""
    try:
        return {"failed": None, **run_trial(*arguments)}
    except FewestError as error:
        return {"failed": str(error)}


def _trial_jobs(
    tables: Sequence[Table],
    plans: Sequence[Plan],
    splits: Sequence[Sequence[Split]],
    selectors: Mapping[str, Any],
    wholes: Mapping[tuple[int, str], Any],
    settings: Mapping[str, Any],
    leak: bool,
) -> tuple[list[Job], list[tuple[int, int, str | None]]]:
    """All trials, split by split, so that an interrupted comparison has some splits whole."""
    jobs: list[Job] = []
    places: list[tuple[int, int, str | None]] = []
    for s in range(max(map(len, splits))):
        for t, (table, plan) in enumerate(zip(tables, plans, strict=True)):
            if s >= len(splits[t]):
                continue
            known = {"settings": settings, "split": [s, split_digest(splits[t][s], table.groups)]}
            if len(splits[t][s][0]) * table.n_columns <= _MOST_VALUES_OF_ALL_COLUMNS:
                key = _key(table, "all features", None, plan, "baseline") | known
                jobs.append(Job(key, run_baseline, (table, splits[t][s], plan)))
                places.append((t, s, None))
            for name, selector in selectors.items():
                whole = wholes[t, name]
                if whole["failed"] is None:
                    key = _key(table, name, selector, plan, "trial") | known
                    leaked = [tuple(subset) for subset in whole["path"]] if leak else None
                    jobs.append(Job(key, try_trial, (table, selector, splits[t][s], plan, leaked)))
                    places.append((t, s, name))
    return jobs, places


def _done_splits(work: Work, places: Sequence[tuple[int, int, str | None]], n_splits: Sequence[int]) -> list[list[int]]:
    """By table, the splits of which everything was done."""
    open_ = {(t, s) for (t, s, _), result in zip(places, work.results, strict=True) if result is None}
    return [[s for s in range(count) if (t, s) not in open_] for t, count in enumerate(n_splits)]


def _result(
    table: Table,
    plan: Plan,
    splits: Sequence[Split],
    done: Sequence[int],
    own: Mapping[tuple[int, int, str | None], Any],
    selectors: Mapping[str, Any],
    wholes: Mapping[tuple[int, str], Any],
    t: int,
    truth: tuple[int, ...] | None,
) -> TableResult:
    methods = []
    for name, selector in selectors.items():
        whole = wholes[t, name]
        trials = [own[t, s, name] for s in done] if whole["failed"] is None else []
        failed = whole["failed"] or next((trial["failed"] for trial in trials if trial["failed"]), None)
        parameters = {key: _json_able(value) for key, value in selector.get_params(deep=False).items()}
        plain = [{key: value for key, value in trial.items() if key != "failed"} for trial in trials]
        methods.append(
            MethodResult(name, parameters, None if failed else whole, tuple(plain) if not failed else (), failed)
        )
    baselines = [own[t, s, None] for s in done if (t, s, None) in own]
    return TableResult(
        table.name,
        table.n_rows,
        table.classes,
        tuple(np.bincount(table.codes, minlength=len(table.classes)).tolist()),
        table.feature_names,
        table.fingerprint,
        plan.sizes,
        float(np.mean([len(splits[s][0]) for s in done])) if done else 0.0,
        float(np.mean([len(splits[s][1]) for s in done])) if done else 0.0,
        tuple(methods),
        tuple(baselines),
        truth,
    )


def _check_inner(table: Table, plan: Plan, splits: Sequence[Split]) -> None:
    """Raise where whole groups leave no inner fold: any size would be as good as another."""
    if table.groups is None or len(plan.sizes) < 2:
        return
    for train, _ in splits:
        if not inner_splits(table, train, plan):
            raise InvalidInput(
                f"The size cannot be chosen where {table.name!r} is split: the rows learned from are of "
                f"{len(np.unique(table.groups.codes[train]))} group(s), too few to test some of them and learn two "
                "classes from the rest. Give one size (sizes=[10], --sizes 10), or smaller groups."
            )


def _folder(resume: str | Path | None) -> Path | None:
    if resume is None:
        return None
    folder = Path(resume)
    if folder.exists() and not folder.is_dir():
        raise InvalidParameter(f"resume names {folder}, which is not a folder. Name a folder; it is made if need be.")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def n_jobs_of(n_jobs: int | None) -> int:
    """How many trials at once."""
    from joblib import effective_n_jobs

    return int(effective_n_jobs(n_jobs))


def _key(table: Table, name: str, selector: Any, plan: Plan, kind: str) -> dict[str, Any]:
    """What makes a piece of work this one and no other."""
    return {
        "kind": kind,
        "table": [table.name, table.fingerprint, table.digest, list(table.feature_names[:50])],
        "method": name,
        "parameters": None if selector is None else repr(sorted(selector.get_params(deep=True).items(), key=str)),
        "classifiers": [judge.identity for judge in plan.classifiers],
        "sizes": list(plan.sizes),
        "inner": plan.n_inner,
        "rule": plan.rule,
        "seed": plan.seed,
        "scale": plan.scale,
    }


def _plain(value: Any) -> float | None:
    number = float(value)
    return number if np.isfinite(number) else None


def _json_able(value: Any) -> Any:
    try:
        json.dumps(value)
    except (TypeError, ValueError):
        return repr(value)
    return value


def _version() -> str:
    from importlib.metadata import version

    return version("fewest")
