"""The cross-validated error of a classifier on subsets of columns."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import ClassVar, NamedTuple

import numpy as np

from fewest.arrays import Codes, Floats, Indices, Mask
from fewest.data.labels import label_texts
from fewest.display.progress import progress_bar
from fewest.errors import InvalidInput
from fewest.methods.wrappers.subset_svms import MAX_COLUMNS, SubsetSVMs
from fewest.objectives import SubsetObjective, column_indices
from fewest.objectives.grouped_columns import ColumnGroups, GroupedObjective
from fewest.parameters import check_count, is_whole, wrong
from fewest.selectors.estimators.evaluator import Classifier, StandardizedSVM, misclassified, seeded
from fewest.selectors.selector_parameters import check_cv, check_estimator
from fewest.statistics.category_indicators import TableIndicators
from fewest.statistics.prepared_rows import content_order
from fewest.statistics.rows import NumberedRows, Rows
from fewest.statistics.splits import is_split, split_rows
from fewest.threads import one_blas_thread, thread_count

#: Whole weights are repetitions of rows up to this many rows in all.
_MOST_REPETITIONS = 100_000
#: Of more columns one step of a forward search takes hundreds of thousands of fits.
_MOST_COLUMNS = 50_000

#: More threads or processes than any machine can use; joblib and C++ take no number of any size.
_MOST_JOBS = 1024


class _EvaluatedRows(NamedTuple):
    """Labels, weights and the test rows of each fold, in an order that the rows' contents alone decide."""

    labels: Codes
    weights: Floats
    tests: tuple[Mask, ...]


class GroupedErrors(GroupedObjective):
    """The same on features: the errors with all columns of some features."""

    def error(self, subset: Sequence[int]) -> float:
        """Return the weighted share of misclassified rows."""
        return float(self.of_columns.error(self._columns(subset)))


class CrossValidatedErrorObjective(SubsetObjective):
    """The errors of any subset of columns, each subset evaluated once.

    rare_classes : the names of the classes that have fewer rows than there are folds
    """

    def __init__(self, rows: NumberedRows, criterion: CrossValidatedError) -> None:
        self.criterion = criterion
        self.n_columns = rows.n_features
        self.estimator = seeded(criterion.estimator, criterion.random_state)
        order, labels, weights = repeated_rows(rows, criterion.random_state)
        folds, self.n_folds = _folds(rows, order, criterion.cv)
        self._order, self._values = order, rows.values
        self._rows = _EvaluatedRows(labels.astype(np.int32), weights, tuple(folds == k for k in np.unique(folds)))
        if len(self._rows.tests) < 2:
            raise InvalidInput("All rows of a weight above zero are in one fold of cv. Use a count, or other folds.")
        self._categorical = frozenset(rows.categorical_columns)
        self._svms: SubsetSVMs | None = None
        if isinstance(self.estimator, StandardizedSVM) and self.estimator.degree == 1:
            self._svms = SubsetSVMs(self._values, order, self._rows.labels, weights, self._rows.tests)
        lowest, highest = np.fmin.reduce(rows.values, axis=0), np.fmax.reduce(rows.values, axis=0)
        self.is_observed: Mask = ~np.isnan(lowest)
        #: A column with one value in all rows adds nothing to a subset.
        self._varies = (lowest < highest) | (np.isnan(rows.values).any(axis=0) & self.is_observed)
        #: The weight of the misclassified rows, for each subset that was evaluated.
        self._wrong: dict[tuple[int, ...], float] = {(): _majority_errors(self._rows)}
        counts = np.bincount(rows.codes[order], minlength=len(rows.classes))
        is_rare = (counts > 0) & (counts < self.n_folds)
        self.rare_classes = tuple(compress(label_texts(rows.classes), is_rare))

    def grouped(self, groups: ColumnGroups) -> GroupedErrors:
        """Return the errors of subsets of features."""
        return GroupedErrors(self, groups)

    def error(self, subset: Sequence[int]) -> float:
        """Return the weighted share of misclassified rows."""
        return self._errors([subset])[0] / math.fsum(self._rows.weights)

    def score_features(self) -> Floats:
        return self.score_additions([], np.arange(self.n_columns))

    def score_subset(self, subset: Sequence[int]) -> float:
        """Return the share of the majority-class errors that these columns avoid."""
        return float(self.score_subsets([subset])[0])

    def score_subsets(self, subsets: Sequence[Sequence[int]]) -> Floats:
        majority = self._wrong[()]
        return (majority - np.array(self._errors(subsets))) / majority

    def score_additions(self, selected: Sequence[int], among: Indices) -> Floats:
        """Return the gain of adding each of these columns; NaN for a column without a value."""
        return np.where(self.is_observed[among], super().score_additions(selected, among), np.nan)

    def score_removals(self, selected: Sequence[int], among: Indices) -> Floats:
        """Return the gain of removing each of these columns; NaN for a column without a value."""
        return np.where(self.is_observed[among], super().score_removals(selected, among), np.nan)

    def _errors(self, subsets: Sequence[Sequence[int]]) -> list[float]:
        """Return the weight of the rows misclassified with each of these subsets."""
        indices = (column_indices(subset, self.n_columns) for subset in subsets)
        keys = [tuple(columns[self._varies[columns]].tolist()) for columns in indices]
        new = [key for key in dict.fromkeys(keys) if key not in self._wrong]
        self._wrong.update(zip(new, self._evaluate(new), strict=True))
        return [self._wrong[key] for key in keys]

    def _evaluate(self, keys: Sequence[tuple[int, ...]]) -> list[float]:
        if not keys:
            return []
        what = f"trying {len(keys)} subset(s) of {max(map(len, keys))} features"
        with progress_bar(what, len(keys), self.criterion.verbose) as advance:
            found = self._evaluate_svms(keys, advance)
            others = [key for key in keys if key not in found]
            found.update(zip(others, self._evaluate_estimator(others, advance), strict=True))
        return [found[key] for key in keys]

    def _evaluate_svms(
        self, keys: Sequence[tuple[int, ...]], advance: Callable[[], None]
    ) -> dict[tuple[int, ...], float]:
        """Return the errors of the subsets on which linear SVMs are solved: few columns, all numbers."""
        found: dict[tuple[int, ...], float] = {}
        if self._svms is None:
            return found
        by_size: dict[int, list[tuple[int, ...]]] = {}
        for key in keys:
            if len(key) <= MAX_COLUMNS and self._categorical.isdisjoint(key):
                by_size.setdefault(len(key), []).append(key)
        n_threads = thread_count() if self.criterion.n_jobs is None else _n_jobs(self.criterion.n_jobs)
        for own in by_size.values():
            waiting = iter(own)
            for masks in self._svms.misclassified(own, n_threads):
                for is_wrong in masks:
                    key = next(waiting)
                    if is_wrong is not None:
                        found[key] = math.fsum(self._rows.weights[is_wrong])
                        advance()
        return found

    def _evaluate_estimator(self, keys: Sequence[tuple[int, ...]], advance: Callable[[], None]) -> list[float]:
        """Return the errors of the subsets on each of which a copy of the estimator is fitted."""
        if not keys:
            return []
        from joblib import Parallel, delayed

        tasks = (delayed(_errors_of)(self.estimator, *self._table(key), self._rows) for key in keys)
        found = []
        for errors in Parallel(min(_n_jobs(self.criterion.n_jobs), len(keys)), return_as="generator")(tasks):
            found.append(errors)
            advance()
        return found

    def _table(self, key: tuple[int, ...]) -> tuple[Floats, list[int]]:
        """Return the rows with these columns, and which of them hold codes of text."""
        categorical = [i for i, column in enumerate(key) if column in self._categorical]
        return self._values[np.ix_(self._order, np.array(key, dtype=np.intp))], categorical


@dataclass(frozen=True)
class CrossValidatedError:
    """Score subsets of columns by the cross-validated error of a classifier on them: a wrapper.

    score_subset is 1 - errors(S) / errors(), errors() those of predicting the largest class of the training rows.

    Parameters
    ----------
    estimator : classifier, str or None, default=None
        The classifier, cloned for every fit, or its name, such as "nb"; None is a linear SVM. It and those with a name
        see standardised columns, missing values filled with their means. Text becomes columns of zeros and ones, one
        for each frequent category. A missing random_state is set.
    cv : int, splitter or iterable of (train, test) indices, default=5
        The folds. A number of folds is stratified by class.
    random_state : int, default=0
        The seed of the folds, which depend on it and on the rows' values: row order does not matter.
    n_jobs : int or None, default=None
        The number of subsets evaluated at once, as in joblib. It changes no result.
    verbose : bool, default=False
        Whether to show progress.

    See Also
    --------
    fewest.Wrapper : The selector with this criterion, and its reference.

    Notes
    -----
    A whole weight is a number of repetitions, up to 100,000 rows in all. Other weights count in the errors, and in the
    training if the estimator takes weights. Each subset costs one fit a fold, once. Needs NumberedRows.

    Examples
    --------
    >>> from fewest import CrossValidatedError, FeatureSelector, GreedyForward, scan
    >>> selector = FeatureSelector(CrossValidatedError("nb"), GreedyForward(lazy=False), n_features=3)
    >>> selector.fit(scan("wine")).selection_.features
    ('flavanoids', 'alcohol', 'hue')
    """

    estimator: Classifier | str | None = None
    cv: object = 5
    random_state: int = 0
    n_jobs: int | None = None
    verbose: bool = False

    takes_text: ClassVar[bool] = True
    offers: ClassVar[frozenset[str]] = frozenset(
        {"n_columns", "score_features", "score_subset", "score_additions", "score_removals"}
    )

    def __post_init__(self) -> None:
        check_estimator(self.estimator)
        check_cv(self.cv)
        check_count("random_state", self.random_state, 0)
        if self.n_jobs is not None and (not is_whole(self.n_jobs) or self.n_jobs == 0):
            raise wrong("n_jobs", "a whole number other than 0, such as 2, or -1 for all cores, or None", self.n_jobs)

    def check_columns(self, n_columns: int, n_statistics: int) -> None:
        """Raise where there are too many columns to try each once within hours."""
        if n_columns > _MOST_COLUMNS:
            raise InvalidInput(
                f"A wrapper fits classifiers for each of {n_columns:,} columns at every step, and at most "
                f"{_MOST_COLUMNS:,} are allowed. Choose columns first, such as by FisherMarkov(n_features=1000), or "
                "use TwoStage."
            )

    def statistic(self) -> NumberedRows:
        return NumberedRows()

    def bind(self, rows: NumberedRows) -> CrossValidatedErrorObjective:
        if np.count_nonzero(np.bincount(rows.codes, minlength=2)) < 2:
            raise InvalidInput("All rows are of one class; errors need at least two classes. Give rows of another.")
        return CrossValidatedErrorObjective(rows, self)


def _n_jobs(n_jobs: int | None) -> int:
    from joblib import effective_n_jobs

    return min(int(effective_n_jobs(n_jobs)), _MOST_JOBS)


def repeated_rows(rows: Rows, seed: int) -> tuple[Indices, Indices, Floats]:
    """Return the rows in the order of their contents, their labels and weights; one of weight 2 is there twice."""
    weights, counts = rows.weights, np.ones(len(rows.codes), dtype=np.intp)
    whole = np.rint(weights)
    if np.all(whole == weights) and whole.sum() <= max(_MOST_REPETITIONS, len(weights)):
        weights, counts = np.ones(len(weights)), whole.astype(np.intp)
    order, ranks = content_order(rows, counts, weights, seed)
    order = np.repeat(order, counts[order])
    return order, ranks[rows.codes[order]], weights[order]


def _folds(rows: NumberedRows, order: Indices, cv: object) -> tuple[Indices, int]:
    """Return the fold of each of these rows, and the number of folds."""
    if is_split(cv):
        folds, n_folds = split_rows(cv, rows.source_codes)
        return folds[rows.row_numbers[order]], n_folds
    # The rows come class by class, within a class as if drawn: so each class is spread evenly and at random.
    n_folds = min(check_count("cv", cv, 2), len(order))
    return np.arange(len(order)) % n_folds, n_folds


def _errors_of(estimator: Classifier, values: Floats, text_columns: Sequence[int], rows: _EvaluatedRows) -> float:
    """Return the weight of the rows misclassified by classifiers trained on the other folds."""
    is_wrong = np.zeros(len(rows.labels), dtype=bool)
    with one_blas_thread():
        for test in rows.tests:
            train = ~test
            indicators = TableIndicators(values[train], text_columns)
            known = indicators.transform(values[train]), rows.labels[train], rows.weights[train]
            is_wrong[test] = misclassified(estimator, *known, indicators.transform(values[test]), rows.labels[test])
    return math.fsum(rows.weights[is_wrong])


def _majority_errors(rows: _EvaluatedRows) -> float:
    """Return the weight of the rows that are not of the largest class of the other folds."""
    is_wrong = np.zeros(len(rows.labels), dtype=bool)
    for test in rows.tests:
        is_wrong[test] = rows.labels[test] != np.argmax(np.bincount(rows.labels[~test], rows.weights[~test]))
    return math.fsum(rows.weights[is_wrong])
