"""How many rows a classifier gets wrong that sees some features only."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from fewest.arrays import Codes, Floats, Indices, Mask
from fewest.data.labels import label_texts
from fewest.errors import InvalidInput, InvalidParameter
from fewest.objectives import SubsetObjective, column_indices
from fewest.parameters import check_count, is_whole
from fewest.progress import progress_bar
from fewest.selectors.evaluator import check_estimator, misclassified, one_hot, seeded
from fewest.statistics.content_order import content_order
from fewest.statistics.rows import NumberedRows
from fewest.statistics.splits import is_split, split_rows
from fewest.threads import one_blas_thread

#: Weights that come to more are not made rows of.
_MOST_REPETITIONS = 100_000


@dataclass(frozen=True)
class _Judged:
    """The rows as the classifier sees them, but for their values: in an order that their contents alone decide."""

    labels: Codes
    weights: Floats
    #: The rows tested in each fold.
    tests: tuple[Mask, ...]


class CrossValidatedErrorObjective(SubsetObjective):
    """The errors of any set of columns, each set judged once.

    n_columns : how many columns there are
    n_folds : in how many folds rows are tested
    n_judged : how many sets were judged so far
    rare_classes : the names of the classes that have fewer rows than there are folds
    """

    is_additive = False

    def __init__(self, rows: NumberedRows, criterion: CrossValidatedError) -> None:
        self.criterion = criterion
        self.n_columns = rows.n_features
        self.judge = seeded(criterion.estimator, criterion.random_state)
        counts, weights = repetitions_of(rows.weights)
        order, ranks = content_order(rows, counts, weights, criterion.random_state)
        # From here on a row that counts twice is there twice.
        order = np.repeat(order, counts[order])
        folds, self.n_folds = _folds(rows, order, criterion.cv)
        self._order, self._values = order, rows.values
        labels = ranks[rows.codes[order]].astype(np.int32)
        self._judged = _Judged(labels, weights[order], tuple(folds == k for k in np.unique(folds)))
        if len(self._judged.tests) < 2:
            raise InvalidInput("All rows of a weight above zero are in one fold of cv. Use a count, or other folds.")
        self._states = frozenset(rows.categorical_columns)
        spans = _spans(rows.values)
        self.is_observed: Mask = ~np.isnan(spans[0])
        #: A column that holds one value in all rows is to a classifier as if it were not there.
        self._is_told = (spans[0] < spans[1]) | (np.isnan(rows.values).any(axis=0) & self.is_observed)
        #: The weight of the rows got wrong, for each set that was judged.
        self._wrong: dict[tuple[int, ...], float] = {(): _wrong_by_guessing(self._judged)}
        of_classes = zip(label_texts(rows.classes), np.bincount(rows.codes, counts, len(rows.classes)), strict=True)
        self.rare_classes = tuple(name for name, count in of_classes if 0 < count < self.n_folds)

    @property
    def n_judged(self) -> int:
        return len(self._wrong) - 1

    def error(self, subset: Sequence[int]) -> float:
        """The share of the rows, by weight, that the classifier gets wrong."""
        return self._errors([subset])[0] / math.fsum(self._judged.weights)

    def score_features(self) -> Floats:
        """What each column is worth alone."""
        return self.score_additions([], np.arange(self.n_columns))

    def score_subset(self, subset: Sequence[int]) -> float:
        """The share of the errors of guessing that these columns spare: 1 where none is left, 0 for no columns."""
        return float(self.score_subsets([subset])[0])

    def score_subsets(self, subsets: Sequence[Sequence[int]]) -> Floats:
        """The same of each of these sets."""
        by_guessing = self._wrong[()]
        return (by_guessing - np.array(self._errors(subsets))) / by_guessing

    def score_additions(self, selected: Sequence[int], among: Indices) -> Floats:
        """How much more is spared with each of these columns beside those selected; NaN for one without a value."""
        return np.where(self.is_observed[among], super().score_additions(selected, among), np.nan)

    def score_removals(self, selected: Sequence[int], among: Indices) -> Floats:
        """How much more is spared without each of these columns; NaN for one without a value."""
        return np.where(self.is_observed[among], super().score_removals(selected, among), np.nan)

    def _errors(self, subsets: Sequence[Sequence[int]]) -> list[float]:
        """The weight of the rows got wrong with each of these sets."""
        keys = [self._key(subset) for subset in subsets]
        waiting = [key for key in dict.fromkeys(keys) if key not in self._wrong]
        self._wrong.update(zip(waiting, self._judge_all(waiting), strict=True))
        return [self._wrong[key] for key in keys]

    def _key(self, subset: Sequence[int]) -> tuple[int, ...]:
        columns = column_indices(subset, self.n_columns)
        return tuple(columns[self._is_told[columns]].tolist())

    def _judge_all(self, keys: Sequence[tuple[int, ...]]) -> list[float]:
        if not keys:
            return []
        from joblib import Parallel, delayed, effective_n_jobs

        n_jobs = min(effective_n_jobs(self.criterion.n_jobs), len(keys))
        what = f"trying {len(keys)} set(s) of {max(map(len, keys))} features"
        with progress_bar(what, len(keys), self.criterion.verbose) as advance:
            found = []
            if n_jobs == 1:
                results = (_wrong(*self._task(key)) for key in keys)
            else:
                results = Parallel(n_jobs, return_as="generator")(delayed(_wrong)(*self._task(key)) for key in keys)
            for wrong in results:
                found.append(wrong)
                advance()
        return found

    def _task(self, key: tuple[int, ...]) -> tuple[Any, ...]:
        values = self._values[np.ix_(self._order, np.array(key, dtype=np.intp))]
        return self.judge, one_hot(values, [i for i, c in enumerate(key) if c in self._states])[0], self._judged


@dataclass(frozen=True)
class CrossValidatedError:
    """How many of the rows a classifier gets wrong that sees these features only, by cross-validation: a wrapper.

    score_subset is the share spared of the errors made without any feature, where each fold's rows are taken for the
    largest class of the others: 1 - errors(S) / errors(). Errors are counted, so ties are exact.

    estimator : any classifier of scikit-learn's kind, cloned for every fit; None is a linear support vector machine on
        standardised columns, gaps filled with their means. Text comes as a column of zeros and ones for each state.
        Where it may be given a random_state and has none, it is given this one
    cv : the number of folds, dealt evenly over the classes; or a splitter, or pairs of row numbers (train, test)
    random_state : seeds the folds, together with the rows' own values: their order does not matter
    n_jobs : how many sets to judge at once, as joblib has it; changes no result
    verbose : show progress

    A weight that is a whole number is so many rows, up to 100,000 in all. Other weights count in the errors, and in the
    training where the estimator takes weights.

    Keeps the rows. Every set costs as many fits as there are folds; none is judged twice.
    The wrappers of the mRMR paper, Sec. 3.2. An error that chose the features is too low an estimate of theirs.
    """

    estimator: Any = None
    cv: Any = 5
    random_state: int = 0
    n_jobs: int | None = None
    verbose: bool = False

    takes_text: ClassVar[bool] = True
    offers: ClassVar[frozenset[str]] = frozenset(
        {"n_columns", "score_features", "score_subset", "score_additions", "score_removals"}
    )

    def __post_init__(self) -> None:
        check_estimator(self.estimator)
        if not is_split(self.cv):
            check_count("cv", self.cv, 2)
        check_count("random_state", self.random_state, 0)
        if self.n_jobs is not None and (not is_whole(self.n_jobs) or self.n_jobs == 0):
            raise InvalidParameter(
                f"n_jobs must be a whole number other than 0, such as 2, or -1 for all cores, or None; got "
                f"{self.n_jobs!r} instead."
            )

    def statistic(self) -> NumberedRows:
        return NumberedRows()

    def bind(self, rows: NumberedRows) -> CrossValidatedErrorObjective:
        if np.count_nonzero(np.bincount(rows.codes, minlength=2)) < 2:
            raise InvalidInput("Rows of at least two classes are needed to tell right from wrong. Give some.")
        return CrossValidatedErrorObjective(rows, self)


def repetitions_of(weights: Floats) -> tuple[Indices, Floats]:
    """How often each row is there, and what each of its copies weighs: 1 where weights are whole numbers."""
    whole = np.rint(weights)
    if np.any(whole != weights) or whole.sum() > max(_MOST_REPETITIONS, len(weights)):
        return np.ones(len(weights), dtype=np.intp), weights
    return whole.astype(np.intp), np.ones(len(weights))


def _folds(rows: NumberedRows, order: Indices, cv: Any) -> tuple[Indices, int]:
    """The fold of each of these rows, and how many there are."""
    if is_split(cv):
        folds, n_folds = split_rows(cv, rows.given_codes)
        return folds[rows.places[order]], n_folds
    # The rows come class by class, and within each as if drawn: so every class is dealt evenly and at random.
    n_folds = min(int(cv), len(order))
    return np.arange(len(order)) % n_folds, n_folds


def _spans(values: Floats) -> tuple[Floats, Floats]:
    """The least and the largest value of each column, NaN where there is none."""
    return np.fmin.reduce(values, axis=0), np.fmax.reduce(values, axis=0)


def _wrong(judge: Any, values: Floats, judged: _Judged) -> float:
    """The weight of the rows that are got wrong by classifiers trained on the other folds."""
    wrong = np.zeros(len(judged.labels), dtype=bool)
    with one_blas_thread():
        for is_test in judged.tests:
            train = ~is_test
            wrong[is_test] = misclassified(
                judge,
                values[train],
                judged.labels[train],
                judged.weights[train],
                values[is_test],
                judged.labels[is_test],
            )
    return math.fsum(judged.weights[wrong])


def _wrong_by_guessing(judged: _Judged) -> float:
    """The same where every row is taken for the largest class of the other folds."""
    wrong = np.zeros(len(judged.labels), dtype=bool)
    for is_test in judged.tests:
        largest = np.argmax(np.bincount(judged.labels[~is_test], judged.weights[~is_test]))
        wrong[is_test] = judged.labels[is_test] != largest
    return math.fsum(judged.weights[wrong])
