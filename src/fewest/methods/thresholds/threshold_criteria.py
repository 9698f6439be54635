"""Criteria by thresholds in single columns: boosted decision stumps (AdaBoost, SAMME), Kolmogorov-Smirnov."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from fewest._core import BinnedColumns, bin_columns, stump_bounds, stumps_right
from fewest.arrays import Codes, Floats, Indices, Integers, Mask
from fewest.data.labels import sort_classes
from fewest.errors import InvalidInput
from fewest.methods.thresholds.kolmogorov import KolmogorovScores, PermutedDistances
from fewest.methods.thresholds.sorted_columns import StoredColumns, codes_by_label, integer_weights, scaled_shares
from fewest.objectives import ColumnScores
from fewest.objectives.grouped_columns import ColumnGroups, GroupedObjective
from fewest.parameters import check_count
from fewest.protocols import Objective
from fewest.statistics.rows import Rows
from fewest.threads import thread_count

#: Errors and scores that differ by at most this are ties.
TIE = 1e-12

#: Columns that are kept in order.
_MOST_KEPT = 32
#: The fewest rows, in all and by class, from which on bins save time.
_FEWEST_BINNED, _FEWEST_OF_CLASS = 16384, 8192
#: More rounds of boosting than anybody waits for.
_MOST_ROUNDS = 1_000_000


@dataclass(frozen=True)
class Stump:
    """Predict class `below` up to the threshold, `above` otherwise; n_wrong is the weight of the misclassified rows."""

    threshold: float
    below: int
    above: int
    missing_below: bool
    n_wrong: int

    def predict(self, values: Floats) -> Indices:
        """Return the predicted class of each row from its value."""
        is_below = values <= self.threshold
        if self.missing_below:
            is_below |= np.isnan(values)
        return np.where(is_below, self.below, self.above)


@dataclass(frozen=True)
class BoostingRound:
    """One round of boosting: its stump, weighted error and vote, as the attribute StumpBoosting.rounds_ describes."""

    column: int | None
    threshold: float
    below: object
    above: object
    missing_below: bool
    error: float
    alpha: float


class GroupedStumps(GroupedObjective):
    """The same on features: a stump on an indicator of a category is one on the column of text."""

    @property
    def rounds(self) -> list[BoostingRound]:
        """The rounds so far, each with the feature whose column it used."""
        feature_of = self.groups.feature_of
        found = self.of_columns.rounds
        return [r if r.column is None else replace(r, column=int(feature_of[r.column])) for r in found]


class BoostedStumpsObjective(Objective):
    """Boosting, run round by round as far as a search asks for; stop_reason says why it ended early."""

    def grouped(self, groups: ColumnGroups) -> GroupedStumps:
        """Return boosting on features."""
        return GroupedStumps(self, groups)

    def __init__(self, rows: Rows, n_rounds: int) -> None:
        self.n_columns = rows.n_features
        self._rows, self._n_rounds = rows, n_rounds
        self._codes = codes_by_label(rows)
        self._labels = [rows.classes[c] for c in sort_classes(rows.classes)]
        self._n_present = int(np.count_nonzero(np.bincount(self._codes)))
        self._columns = StoredColumns(rows)
        self._last_used: dict[int, OrderedColumn] = {}
        self._sorted = list(self._columns.sorted_chunks())
        #: The same columns in bins, where there are rows enough for these to spare sweeps over most columns.
        self._binned: list[BinnedColumns] = []
        n_classes = len(self._labels)
        if not self._columns.is_sparse and len(self._codes) >= max(_FEWEST_BINNED, _FEWEST_OF_CLASS * n_classes):
            self._binned = [bin_columns(c, self._codes, n_classes, thread_count()) for _, c in self._sorted]
        self._start()
        self._initial_scores = self._scores
        # Of classes with the same weight on a side, the one with more rows is predicted, whatever their labels.
        self._preference = np.argsort(-self._class_counts(), kind="stable")

    def score_features(self) -> Floats:
        """Return, by column, the share of the majority-class errors that its best stump avoids on the first weights."""
        return self._initial_scores

    def score_additions(self, selected: Sequence[int], among: Indices) -> Floats:
        """Return the same in the first round that uses a column not selected; if there is none, score_features.

        Rounds use the columns selected and those of `among`: what may not be added is not used either.
        """
        taken, columns = set(selected), np.asarray(among, dtype=np.intp)
        if not self._used_before <= taken:
            self._start()  # the round asked for is before the current one
        self._may_win[:] = False
        self._may_win[[*taken, *columns.tolist()]] = True
        if self._winner is not None and not self._may_win[self._winner] and self.stop_reason is None:
            self._reopen_round(self._winner)
        while self.stop_reason is None and (self._winner is None or self._winner in taken):
            self._next_round()
            if self._is_open:
                break
        if self.stop_reason is not None:
            return self._initial_scores[columns]
        # Bounds of columns that the best rules out say nothing where it is not asked for.
        scores = self._scores if not self._binned or self._winner in columns else self._score_all()
        return scores[columns]

    def _start(self) -> None:
        self.rounds: list[BoostingRound] = []
        self.stop_reason: str | None = None
        #: Columns of stumps without an error: later rounds would choose them again.
        self._excluded: set[int] = set()
        #: Columns used before the current round.
        self._used_before: set[int] = set()
        self._winner: int | None = None
        #: The columns that rounds may use.
        self._may_win: Mask = np.ones(self.n_columns, dtype=bool)
        #: Whether the weights are those of a round that has no stump yet.
        self._is_open = False
        self._stump: Stump | None = None
        self._shares = self._rows.weights / math.fsum(self._rows.weights)
        self._counts = scaled_shares(self._shares)
        self._scores = self._score_all()

    def _reopen_round(self, winner: int) -> None:
        """Take back the last round, whose column may no longer be used."""
        self.rounds.pop()
        self._excluded.discard(winner)
        self._scores = self._score_all()
        self._winner, self._is_open = None, True

    def _next_round(self) -> None:
        """Reweight the rows by the last round and find the best stump on the new weights."""
        if self.rounds and not self._is_open:
            self._used_before |= set() if self._winner is None else {self._winner}
            self._update_weights()
            # Bounds by the best column say nothing where it may not be used.
            is_free = bool(self._may_win.all())
            self._scores = self._score_best() if self._binned and is_free else self._score_all()
        self._find_round()

    def _find_round(self) -> None:
        """Find the best stump on the current weights."""
        self._winner = None
        if len(self.rounds) == self._n_rounds:
            self.stop_reason = f"all {self._n_rounds} rounds were run"
            return
        by_class = self._class_counts()
        total = int(by_class.sum())
        eligible = self._scores.copy()
        eligible[list(self._excluded)] = np.nan
        eligible[~self._may_win] = np.nan
        best = np.fmax.reduce(eligible, initial=0.0)
        # Where some columns may not be used, that the others are of no use does not end the boosting.
        self._is_open = bool(best <= TIE) and not self._may_win.all()
        if self._is_open:
            return
        if best > TIE:
            self._winner = int(np.flatnonzero(eligible >= best - TIE)[0])
            self._stump = best_stump(self._ordered(self._winner), self._codes, self._counts, self._preference, TIE)
        else:
            is_heaviest = by_class[self._preference] >= by_class.max() - TIE * total
            heaviest = int(self._preference[np.argmax(is_heaviest)])
            self._stump = Stump(math.nan, heaviest, heaviest, True, total - int(by_class[heaviest]))
        error = self._stump.n_wrong / total
        if error >= 1 - 1 / self._n_present - TIE:
            self.stop_reason = f"after {len(self.rounds)} rounds no stump is better than chance"
            return
        is_perfect = error <= TIE
        alpha = math.inf if is_perfect else math.log((1 - error) / error) + math.log(self._n_present - 1)
        if self._winner is not None and is_perfect:
            self._excluded.add(self._winner)
        below, above = self._labels[self._stump.below], self._labels[self._stump.above]
        threshold, missing_below = self._stump.threshold, self._stump.missing_below
        self.rounds.append(BoostingRound(self._winner, threshold, below, above, missing_below, error, alpha))

    def _update_weights(self) -> None:
        """Multiply the weights of the rows that the last round misclassified by exp(alpha) and normalise."""
        last = self.rounds[-1]
        if self._stump is None or math.isinf(last.alpha):
            return
        values = np.zeros(len(self._codes)) if last.column is None else self._ordered(last.column).values
        is_wrong = self._stump.predict(values) != self._codes
        n_classes = self._n_present
        raised, lowered = (n_classes - 1) / (n_classes * last.error), 1 / (n_classes * (1 - last.error))
        self._shares = self._shares * np.where(is_wrong, raised, lowered)
        self._counts = scaled_shares(self._shares)

    def _ordered(self, column: int) -> OrderedColumn:
        """Return a column in order; those used last are kept, since rounds come back to them."""
        found = self._last_used.pop(column, None) or OrderedColumn(self._columns.column(column))
        self._last_used[column] = found
        if len(self._last_used) > _MOST_KEPT:
            del self._last_used[next(iter(self._last_used))]
        return found

    def _score_all(self) -> Floats:
        """The score of the best stump of each column."""
        correct = np.empty(self.n_columns, dtype=np.int64)
        self._sweep(np.ones(self.n_columns, dtype=bool), correct)
        return self._as_scores(correct)

    def _score_best(self) -> Floats:
        """The same for the columns that may be best by more than a tie; for others a bound, which is below the best."""
        correct = np.empty(self.n_columns, dtype=np.int64)
        for (columns, _), binned in zip(self._sorted, self._binned, strict=True):
            stump_bounds(binned, self._counts, correct[columns], thread_count())
        is_exact = ~self._rows.is_observed
        is_exact[list(self._excluded)] = True  # no round takes these
        is_excluded, slack = is_exact.copy(), TIE * float(self._counts.sum())
        while True:
            # First the most promising column alone, then all that it does not rule out.
            least = np.where(is_exact & ~is_excluded, correct, -1).max(initial=-1)
            open_ones = np.flatnonzero(~is_exact & (correct >= least - 2 * slack - 1))
            if len(open_ones) == 0:
                return self._as_scores(correct)
            chosen = np.zeros(self.n_columns, dtype=bool)
            chosen[open_ones if least >= 0 else open_ones[[np.argmax(correct[open_ones])]]] = True
            self._sweep(chosen, correct)
            is_exact |= chosen

    def _sweep(self, chosen: Mask, correct: Integers) -> None:
        """Write how much the best stump of each chosen column gets right, by count."""
        for columns, ordered in self._sorted:
            among = np.flatnonzero(chosen[columns])
            if len(among):
                own = correct[columns]
                stumps_right(ordered, self._codes, self._counts, len(self._labels), among, own, thread_count())

    def _as_scores(self, correct: Integers) -> Floats:
        by_class = self._class_counts()
        majority, total = int(by_class.max()), int(by_class.sum())
        scores = (correct - majority) / max(total - majority, 1)
        return np.where(self._rows.is_observed, scores, np.nan)

    def _class_counts(self) -> Integers:
        by_class = np.zeros(len(self._labels), dtype=np.int64)
        np.add.at(by_class, self._codes, self._counts)
        return by_class


@dataclass(frozen=True)
class BoostedStumps:
    """Score columns by their best decision stump on row weights that boosting updates round by round.

    A stump is a threshold halfway between two neighbouring values of a column; each side predicts its heaviest class.
    A round takes the stump of least weighted error and multiplies the weights of the rows it misclassifies by
    exp(alpha), alpha = log((1 - error) / error) + log(n_classes - 1): AdaBoost for two classes, SAMME for more.
    score_additions uses the first round with a column not selected: GreedyForward takes columns by their first use.

    Parameters
    ----------
    n_rounds : int, default=500
        The largest number of rounds.

    See Also
    --------
    fewest.StumpBoosting : The selector with this criterion, and its references.

    Notes
    -----
    Boosting ends after n_rounds, or where no stump is better than chance, 1 - 1/n_classes. Where no stump beats the
    heaviest class for all rows, the round predicts that class and belongs to no column. After a stump without an error
    the weights stay and its column is excluded. Rows without a value go together to the side with the smaller error;
    that a value is missing is no threshold. A row of weight 2 equals the row twice. Weights are summed as integers, so
    row order and threads do not change a bit. Needs Rows; each column is sorted once, four bytes a value.

    Examples
    --------
    >>> from fewest import BoostedStumps, FeatureSelector, GreedyForward, scan
    >>> FeatureSelector(BoostedStumps(), GreedyForward(lazy=False), n_features=3).fit(scan("wine")).selection_.features
    ('proline', 'color_intensity', 'flavanoids')
    """

    n_rounds: int = 500

    offers: ClassVar[frozenset[str]] = frozenset({"score_features", "score_additions"})

    def __post_init__(self) -> None:
        check_count("n_rounds", self.n_rounds, 1, at_most=_MOST_ROUNDS)

    def statistic(self) -> Rows:
        return Rows()

    def bind(self, rows: Rows) -> BoostedStumpsObjective:
        if np.count_nonzero(np.bincount(rows.codes, minlength=2)) < 2:
            raise InvalidInput("All rows are of one class; boosting needs at least two classes. Give rows of another.")
        return BoostedStumpsObjective(rows, int(self.n_rounds))


@dataclass(frozen=True)
class DistributionDistance:
    """Score columns by the largest difference between the classes' distribution functions, over all thresholds.

    sup_t |F_1(t) - F_2(t)| for two classes, F_c(t) the share of the rows of class c with a value of at most t. For
    more: the mean over the classes c, weighted by their share of the rows, of sup_t |F_c(t) - F_others(t)|. It is 0
    for a constant column or where a single class has values, 1 where a threshold separates two classes.

    See Also
    --------
    fewest.KolmogorovSmirnov : The selector with this criterion, and its reference.

    Notes
    -----
    A column's score uses its observed rows. A row of weight 2 equals the row twice; weights may be fractions. Counts
    are integers, so row order and threads do not change a bit, and columns that order the rows alike tie.

    Needs Rows; each column is sorted once; of a sparse column only the non-zero values. The p-values of two classes
    are exact for columns without ties, or asymptotic for many rows; with ties they are too large.

    Examples
    --------
    >>> from fewest import DistributionDistance, FeatureSelector, IndividualRanking, scan
    >>> FeatureSelector(DistributionDistance(), IndividualRanking(), n_features=3).fit(scan("wine")).selection_.features
    ('flavanoids', 'proline', 'color_intensity')
    """

    offers: ClassVar[frozenset[str]] = frozenset({"score_features"})

    def statistic(self) -> Rows:
        return Rows()

    def bind(self, rows: Rows) -> ColumnScores:
        """Return the distance of each column, from 0 to 1; NaN for a column without a value."""
        distances = PermutedDistances(rows).of_labels(codes_by_label(rows), integer_weights(rows.weights))
        return KolmogorovScores.of(distances, rows)

    def permutation_rows(self) -> Rows:
        """Return an empty statistic of the rows whose labels are permuted."""
        return Rows()

    def permutation_scorer(self, rows: Rows) -> PermutedDistances:
        """Return what scores columns under permuted labels."""
        return PermutedDistances(rows, is_kept=True)


class OrderedColumn:
    """The values of a column, and the rows with a value in the order of these, equal ones in any.

    ends : the position of the last row of each distinct value, except the highest: a threshold follows each
    """

    def __init__(self, values: Floats) -> None:
        self.values = values
        self.is_missing = np.isnan(values)
        n_observed = len(values) - np.count_nonzero(self.is_missing)
        self.order = np.argsort(values)[:n_observed].astype(np.int32)
        ordered = values[self.order]
        self.ends = np.flatnonzero(ordered[1:] > ordered[:-1]).astype(np.int32)


def best_stump(column: OrderedColumn, codes: Codes, counts: Integers, preference: Indices, tie: float) -> Stump:
    """Return the stump of least weighted error; the lowest threshold among those within `tie` (a share) of it.

    counts : the integer weight of each row
    preference : the classes in the order of preference where several have the same weight on a side

    Pre: the column has at least two distinct values.
    """
    order, ends, is_missing = column.order, column.ends, column.is_missing
    by_class = np.where(codes == preference[:, None], counts, 0)
    below = np.array([np.cumsum(of_class[order])[ends] for of_class in by_class])
    total = by_class.sum(axis=1)[:, None]
    slack = tie * float(total.sum())
    # The class weights below each threshold: with the rows without a value, then without them.
    options = [below + by_class[:, is_missing].sum(axis=1)[:, None], below] if is_missing.any() else [below]
    correct = np.array([side.max(axis=0) + (total - side).max(axis=0) for side in options])
    is_best = correct >= correct.max() - slack
    t = int(np.flatnonzero(is_best.any(axis=0))[0])
    option = int(np.flatnonzero(is_best[:, t])[0])
    sides = options[option][:, t], total[:, 0] - options[option][:, t]
    predicted = [int(np.flatnonzero(side >= side.max() - slack)[0]) for side in sides]
    low, high = (float(column.values[order[k]]) for k in (ends[t], ends[t] + 1))
    middle = low + (high - low) / 2
    n_wrong = int(total.sum() - sides[0][predicted[0]] - sides[1][predicted[1]])
    below_class, above_class = (int(preference[c]) for c in predicted)
    missing_below = option == 0 and len(options) > 1
    return Stump(middle if middle < high else low, below_class, above_class, missing_below, n_wrong)
