"""compare(): methods against each other, on rows that they did not see."""

from __future__ import annotations

import time
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from fewest.evaluation.comparison import Comparison
from fewest.evaluation.design.given_tables import to_tables, true_columns
from fewest.evaluation.design.methods import to_methods
from fewest.evaluation.design.sizes import to_sizes
from fewest.evaluation.design.split_column import SplitColumn
from fewest.evaluation.design.splits import RepeatedFolds, in_words, splits_of, to_resampling
from fewest.evaluation.run.case import Case, Place
from fewest.evaluation.run.classifiers import Tuned, to_classifiers
from fewest.evaluation.run.jobs import Job, Work, effective_n_jobs, to_folder
from fewest.evaluation.run.trial import Plan
from fewest.evaluation.summary.views import views_of
from fewest.parameters import check_choice, check_count, check_flag
from fewest.progress import counted

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
    inner : folds of the rows learned from, in each of which the method selects anew, to choose the size, and among
        methods and classifiers
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
    judges = to_classifiers(classifiers)
    if check_flag("tune", tune):
        judges = tuple(Tuned(judge, seed=seed) for judge in judges)
    check_flag("leak", leak)
    check_count("inner", inner, 2)
    check_count("seed", seed, 0)
    check_count("size", 1 if size is None else size, 1)
    check_choice("rule", rule, ("1se", "min"))
    check_choice("scale", scale, ("std", "range", None))
    resampling = to_resampling(outer)
    folder = to_folder(resume)
    cases = []
    for table in to_tables(X, y, groups, resampling.column if isinstance(resampling, SplitColumn) else None):
        own_sizes = to_sizes(sizes, table.n_columns)
        is_choosing = len(own_sizes) * len(judges) * len(selectors) > 1
        plan = Plan(judges, own_sizes, inner, rule, seed, scale, is_choosing)
        cases.append(Case(table, plan, splits_of(table, resampling, seed), true_columns(truth, table)))
        cases[-1].check()
    wholes = Work(
        {(case.name, name): case.whole_job(name, method) for case in cases for name, method in selectors.items()},
        folder,
    )
    jobs = effective_n_jobs(n_jobs)
    with counted("selecting on all rows", wholes.n_left, verbose) as is_done:
        wholes.run(jobs, is_done)
    if wholes.is_interrupted:
        raise KeyboardInterrupt
    of_all = {case.name: {name: wholes.results[case.name, name] for name in selectors} for case in cases}
    n_splits = max(len(case.splits) for case in cases)
    trials: dict[Place, Job] = {}
    # Split by split, so that an interrupted comparison has some splits whole.
    for number in range(n_splits):
        for case in cases:
            if number < len(case.splits):
                trials |= case.trial_jobs(number, selectors, of_all[case.name], leak)
    work = Work(trials, folder)
    with counted("judging on rows not seen", work.n_left, verbose) as is_done:
        work.run(jobs, is_done)
    is_open = {(name, number) for name, number, _ in trials.keys() - work.results.keys()}
    done = {case.name: [s for s in range(len(case.splits)) if (case.name, s) not in is_open] for case in cases}
    if work.is_interrupted and not any(done.values()):
        raise KeyboardInterrupt
    group = groups if groups is None or isinstance(groups, str) else "group"
    comparison = Comparison(
        tuple(
            case.result(done[case.name], selectors, of_all[case.name], work.results)
            for case in cases
            if done[case.name] or not work.is_interrupted
        ),
        {judge.name: judge.words for judge in judges},
        {
            "outer": in_words(resampling, group),
            "inner": in_words(RepeatedFolds(inner), group),
            "groups": group,
            "rule": rule,
            "size": size,
            "scale": scale,
            "tune": tune,
            "leak": leak,
            "seed": seed,
            "version": version("fewest"),
        },
        f"{min(map(len, done.values()))} of {n_splits} splits were done when it was stopped"
        if work.is_interrupted
        else None,
    )
    by_name = {case.name: case for case in cases}
    best = comparison.recommendations
    views = {table.name: views_of(by_name[table.name], best[table.name], selectors) for table in comparison.tables}
    return comparison.with_views(views, time.perf_counter() - started)
