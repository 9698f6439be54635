"""compare(): methods of feature selection against each other, on test rows that were not used to select."""

from __future__ import annotations

import time
from bisect import bisect
from contextlib import ExitStack
from importlib.metadata import version
from pathlib import Path

from fewest.evaluation.comparison import Comparison, Settings
from fewest.evaluation.design.compared_methods import metric_of_tables, to_methods, to_sizes
from fewest.evaluation.design.labelled_tables import to_tables, true_columns
from fewest.evaluation.design.resampling import RepeatedFolds, describe, splits_of, to_resampling, with_test_share
from fewest.evaluation.design.rows_to_select_on import RowsToSelectOn
from fewest.evaluation.design.split_column import SplitColumn
from fewest.evaluation.run.cases import Case, warn_of_what_is_not_stored
from fewest.evaluation.run.classifiers import TunedClassifier, to_classifiers
from fewest.evaluation.run.durations import to_seconds
from fewest.evaluation.run.jobs import check_n_jobs, to_folder, worker_count
from fewest.evaluation.run.phases import Phases
from fewest.evaluation.run.schedule import Schedule, caller
from fewest.evaluation.run.trial import Plan
from fewest.evaluation.run.worker_pool import WorkerPool
from fewest.evaluation.summary.views import views_of
from fewest.metrics import to_metric
from fewest.parameters import check_choice, check_count, check_flag
from fewest.unexpected import PublicEntry

CLASSIFIERS = ("svm", "knn", "nb", "tree")
#: The number of random splits where nobody says how many.
_N_SPLITS = 20


def compare(
    methods: object,
    X: object,
    y: object = None,
    *,
    classifiers: object = CLASSIFIERS,
    sizes: object = None,
    outer: object = None,
    test_share: float | None = None,
    select_rows: object = None,
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
    merge: object = None,
    probes: int = 0,
    seed: int = 0,
    n_jobs: int | None = None,
    time_limit: object = None,
    verbose: bool = False,
    resume: str | Path | None = None,
) -> Comparison:
    """Compare methods of feature selection by nested cross-validation: test rows are never used to select.

    Parameters
    ----------
    methods : str, Selector, list of these or None
        Names such as "mrmr" or "mrmr(criterion=quotient, n_bins=5)", or selectors. Those of scikit-learn may be
        among them: SelectKBest(), RFE(LinearSVC()), a pipeline that ends in one. None: a method of each of the five
        papers, ReliefF and SVM-RFE.
    X : array-like, frame, Source, Dataset or dict
        A table as any selector takes it, or a dict {name: (X, y), Source or Dataset} of several.
    y : array-like or None, default=None
        The class of each row; None where X is a Source, a Dataset or a dict.
    classifiers : list of str or estimators, default=("svm", "knn", "nb", "tree")
        Names ("svm", "svm-ovo", "rbf-svm", "poly-svm", "knn", "nb", "discrete-nb", "parzen-nb", "lda", "tree",
        "logistic", "rf", "boosting"), with parameters if need be ("rbf-svm(strategy=ovr)", "lda(shrinkage=none)",
        "tree(prune=true)", "discrete-nb(discretize=frequency, n_bins=3)"), or estimators of scikit-learn's kind;
        missing values are filled with the means.
    sizes : int, list of int or None, default=None
        The numbers of features to try; None: about 15 sizes up to 100, evenly spaced in logarithms.
    outer : int, str, SplitColumn, list of pairs or triples, or None, default=None
        A number of random splits, 3/4 of each class for training and 1/4 for testing; "loo"; "10-fold", "5x10-fold";
        SplitColumn(name), where a column holds the splits; pairs of (train, test) rows, or triples of (select, train,
        test) rows. None: 20 random splits, or as many of these as take about ten minutes, at least five; the result
        says so.
    test_share : float or None, default=None
        The share of each class that random splits test; None: 0.25.
    select_rows : int, float or None, default=None
        The number, or the share, of the training rows of each split on which methods select: then classifiers are
        trained on the other training rows alone, and inner folds of these choose the size. None: methods select and
        classifiers are trained on the same rows. With such rows, `leak` is not measured.
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
        The columns, by name or index, that are known to be relevant. None: those that a bundled data set knows; with
        probes, where nothing is known, all columns but the probes.
    merge : str, dict, list or None, default=None
        Classes to join, as in `scan`: "0-4,5-9"; for several tables the same for all, or a dict by their names.
    probes : int, default=0
        The number of columns of noise to add to each table, as in `scan`, drawn by seed.
    seed : int, default=0
        The seed of all splits.
    n_jobs : int or None, default=None
        The number of trials run at once, as in joblib, and no more than there are processors; changes no result.
    time_limit : float, str or None, default=None
        The time that it may take, in seconds or as "90s", "2m", "1h30m". It ends with the splits that fit, which are
        the same as without a limit. A method that takes too long is left out; where there is time for fewer than
        three splits, so is what `leak` measures. The result says what was not done.
    verbose : bool, default=False
        Show a forecast of the time, and a progress bar with the time left.
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

    References
    ----------
    Nadeau and Bengio (2003), Inference for the generalization error, https://doi.org/10.1023/A:1024068626366
    Nogueira, Sechidis and Brown (2018), On the stability of feature selection algorithms. JMLR 18(174), 1-54,
    https://www.jmlr.org/papers/v18/17-514.html

    Examples
    --------
    >>> from fewest import compare
    >>> from sklearn.datasets import load_wine
    >>> found = compare(["mrmr", "fisher-markov"], *load_wine(return_X_y=True), classifiers=["nb"], outer=4)
    >>> sorted({row["method"] for row in found.table})
    ['all features', 'chance', 'fisher-markov', 'mrmr', 'recommended']
    """
    given = {"methods": methods, "X": X, "y": y, "classifiers": classifiers, "outer": outer, "groups": groups}
    with PublicEntry("compare", **given), ExitStack() as stack:
        started = caller.get().started or time.perf_counter()
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
        limit = to_seconds("time_limit", time_limit)
        resampling = with_test_share(to_resampling(_N_SPLITS if outer is None else outer), test_share)
        to_select = RowsToSelectOn.of(select_rows)
        folder = to_folder(resume)
        n_workers = worker_count(n_jobs)
        # A process can be ended where a time limit demands it. They start while the table is read.
        is_apart = n_workers > 1 or limit is not None
        pool = stack.enter_context(WorkerPool(n_workers)) if is_apart else None
        marks = resampling.column if isinstance(resampling, SplitColumn) else None
        tables = to_tables(X, y, groups, marks, check=check, allow=allow, merge=merge, probes=probes, seed=seed)
        splits = [splits_of(table, resampling, seed, to_select) for table in tables]
        # Selected on all rows or not: methods do not select on training rows, so that there is no leak to compare with.
        leak = leak and all(own.select is None for own in splits)
        measure, reason = metric_of_tables(measure, tables, [own.pairs for own in splits])
        if tune:
            evaluators = tuple(TunedClassifier(one, seed=seed, metric=measure) for one in evaluators)
        cases = []
        for table, own_splits in zip(tables, splits, strict=True):
            own_sizes = to_sizes(sizes, table.n_columns)
            # The largest of the sizes tried that does not exceed the requested one.
            size_index = None if size is None else max(bisect(own_sizes, size) - 1, 0)
            is_choosing = (len(own_sizes) if size is None else 1) * len(evaluators) * len(selectors) > 1
            plan = Plan(evaluators, own_sizes, inner, rule, seed, scale, is_choosing, measure, size_index)
            cases.append(Case(table, plan, own_splits, true_columns(truth, table), selectors, folder is not None))
        if folder is not None:
            warn_of_what_is_not_stored(cases[0])
        if pool is not None:
            for table in tables:
                pool.share(table)
        schedule = Schedule(started, limit, n_workers, {case.name: case for case in cases}, outer is None, leak)
        phases = Phases(schedule, folder, pool, verbose)
        phases.run()
        group = groups if groups is None or isinstance(groups, str) else "group"
        settings = Settings(
            outer=describe(resampling, group, to_select), inner=describe(RepeatedFolds(inner), group), groups=group,
            rule=rule, metric=measure.name, metric_reason=reason, size=size, scale=scale, tune=tune, leak=leak,
            seed=seed, version=version("fewest"),
        )  # fmt: skip
        comparison = Comparison(
            phases.results(),
            {one.name: one.description for one in evaluators if one.name not in phases.left_out_classifiers},
            settings,
            phases.stopped,
            methods=selectors, shortened=phases.shortened,
        )  # fmt: skip
        best = comparison.recommendations
        views = {
            one.name: views_of(schedule.cases[one.name], best[one.name], pool, schedule.end_of_views)
            for one in comparison.tables
        }
        return comparison.with_views(views, time.perf_counter() - started)
