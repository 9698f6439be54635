"""How well one threshold in a column tells the classes, where rows that were got wrong before weigh more."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from fewest._core import stumps_right
from fewest.arrays import Floats, Indices, Integers
from fewest.data.labels import sort_classes
from fewest.errors import InvalidInput
from fewest.methods.thresholds.sorted_columns import KeptColumns, codes_by_label, scaled_counts
from fewest.methods.thresholds.stump import Stump, best_stump
from fewest.parameters import check_count
from fewest.statistics.rows import Rows
from fewest.threads import thread_count

#: Errors and scores within this of each other are equal.
TIE = 1e-12


@dataclass(frozen=True)
class BoostingRound:
    """One round of boosting.

    column : the column of the round's stump; None where no stump did better than one class for all rows, which is then
        what the round says
    threshold : rows of at most this value are said to be `below`, the others `above`; NaN without a column
    missing_below : rows without a value count as below
    error : the share, by weight, of the rows got wrong
    alpha : log((1 - error) / error) + log(n_classes - 1), the round's weight in a vote; infinite without an error
    """

    column: int | None
    threshold: float
    below: Any
    above: Any
    missing_below: bool
    error: float
    alpha: float


class BoostedStumpsObjective:
    """Boosting, round after round, as far as it has been asked for."""

    is_additive = False

    def __init__(self, rows: Rows, n_rounds: int) -> None:
        self.rounds: list[BoostingRound] = []
        #: Why boosting came to an end before it was told to, in words.
        self.ended: str | None = None
        self._rows = rows
        self._n_rounds = n_rounds
        self._codes = codes_by_label(rows)
        self._labels = [rows.classes[c] for c in sort_classes(rows.classes)]
        self._n_present = int(np.count_nonzero(np.bincount(self._codes)))
        self._kept = KeptColumns(rows)
        self._sorted = list(self._kept.sorted())
        self._start()
        self._alone = self._scores
        # Where two classes weigh the same, the one with more rows is said, whatever they are called.
        self._heaviest_first = np.argsort(-self._class_counts(), kind="stable")

    def score_features(self) -> Floats:
        """What the best stump of each column does before boosting: the share spared of the errors of always saying the
        heaviest class; NaN where nothing was observed."""
        return self._alone

    def score_additions(self, selected: Sequence[int], among: Indices) -> Floats:
        """The same in the first round whose stump is of a column not selected; where boosting ends before, as above."""
        taken = set(selected)
        if not self._used_before <= taken:
            self._start()  # the round that is meant is past
        while self.ended is None and (self._winner is None or self._winner in taken):
            self._next_round()
        scores = self._alone if self.ended is not None else self._scores
        return scores[np.asarray(among, dtype=np.intp)]

    def _start(self) -> None:
        self.rounds.clear()
        self.ended = None
        #: Those of a stump without an error: further rounds would give it again.
        self._left_out: set[int] = set()
        #: By the rounds before the last.
        self._used_before: set[int] = set()
        self._winner: int | None = None
        self._last: Stump | None = None
        self._shares = self._rows.weights / math.fsum(self._rows.weights)
        self._counts = scaled_counts(self._shares)
        self._scores = self._score()

    def _next_round(self) -> None:
        """Let the last round weigh the rows, and find the best stump on these weights."""
        if self.rounds:
            self._used_before |= set() if self._winner is None else {self._winner}
            self._weigh()
            self._scores = self._score()
        self._winner = None
        if len(self.rounds) == self._n_rounds:
            self.ended = f"all {self._n_rounds} rounds were run"
            return
        by_class = self._class_counts()
        total = int(by_class.sum())
        able = self._scores.copy()
        able[list(self._left_out)] = np.nan
        best = np.fmax.reduce(able, initial=0.0)
        self._winner = int(np.flatnonzero(able >= best - TIE)[0]) if best > TIE else None
        if self._winner is None:
            is_heaviest = by_class[self._heaviest_first] >= by_class.max() - TIE * total
            heaviest = int(self._heaviest_first[np.argmax(is_heaviest)])
            self._last = Stump(math.nan, heaviest, heaviest, True, total - int(by_class[heaviest]))
        else:
            values = self._kept.column(self._winner)
            self._last = best_stump(values, self._codes, self._counts, self._heaviest_first, TIE)
        error = self._last.wrong / total
        if error >= 1 - 1 / self._n_present - TIE:
            self.ended = f"after {len(self.rounds)} rounds no stump is better than chance"
            return
        is_perfect = error <= TIE
        alpha = math.inf if is_perfect else math.log((1 - error) / error) + math.log(self._n_present - 1)
        if self._winner is not None and is_perfect:
            self._left_out.add(self._winner)
        self.rounds.append(
            BoostingRound(
                self._winner, self._last.threshold, self._labels[self._last.below], self._labels[self._last.above],
                self._last.missing_below, error, alpha,
            )
        )  # fmt: skip

    def _weigh(self) -> None:
        """Raise the weight of the rows that the last round got wrong: by alpha, all then together one again."""
        last = self.rounds[-1]
        if self._last is None or math.isinf(last.alpha):
            return
        values = np.zeros(len(self._codes)) if last.column is None else self._kept.column(last.column)
        is_wrong = self._last.says(values) != self._codes
        n_classes, right = self._n_present, 1 - last.error
        raised, lowered = (n_classes - 1) / (n_classes * last.error), 1 / (n_classes * right)
        self._shares = self._shares * np.where(is_wrong, raised, lowered)
        self._counts = scaled_counts(self._shares)

    def _score(self) -> Floats:
        n_classes = len(self._labels)
        right = np.empty(self._rows.n_features, dtype=np.int64)
        for columns, ordered in self._sorted:
            stumps_right(ordered, self._codes, self._counts, n_classes, right[columns], thread_count())
        by_class = self._class_counts()
        by_guessing, total = int(by_class.max()), int(by_class.sum())
        scores = (right - by_guessing) / max(total - by_guessing, 1)
        return np.where(self._rows.is_observed, scores, np.nan)

    def _class_counts(self) -> Integers:
        by_class = np.zeros(len(self._labels), dtype=np.int64)
        np.add.at(by_class, self._codes, self._counts)
        return by_class


@dataclass(frozen=True)
class BoostedStumps:
    """How well one threshold in a column tells the classes, where rows that were got wrong before weigh more.

    A stump is a threshold halfway between two neighbouring values of a column; each side is said to be of its heaviest
    class. A round takes the stump of least weighted error, then rows it got wrong weigh exp(alpha) times as much, alpha
    = log((1 - error) / error) + log(n_classes - 1): discrete AdaBoost, and SAMME for more than two classes. Errors
    within 1e-12 tie, to the lowest column, then to the lowest threshold.

    score_features : what the best stump of a column spares of the errors of always saying the heaviest class
    score_additions : the same in the first round that takes a column not selected: GreedyForward so takes columns in
        the order of their first use. Where boosting ends before, score_features

    n_rounds : the most rounds

    Boosting ends after n_rounds, or where no stump is better than chance, 1 - 1/n_classes. Where no stump is better
    than always saying the heaviest class, that is said in the round, which is no column's. A stump without an error is
    taken, and its column then left out: rows keep their weights. Rows without a value go together to the side where
    more is got right; that a value is missing is no threshold. A row of weight 2 is the row twice.

    Weights are whole numbers of 2^-60 of their total, so that neither the order of rows nor threads change a bit.

    Needs Rows, and sorts each column once: four bytes a value beside them, of sparse columns only what is not zero. A
    round sweeps over all of these.
    Freund and Schapire 1997; Zhu et al. 2009. Tieu and Viola 2000 select by it: a baseline of the kernel class
    separability paper.
    """

    n_rounds: int = 500

    offers: ClassVar[frozenset[str]] = frozenset({"score_features", "score_additions"})

    def __post_init__(self) -> None:
        check_count("n_rounds", self.n_rounds, 1)

    def statistic(self) -> Rows:
        return Rows()

    def bind(self, rows: Rows) -> BoostedStumpsObjective:
        if np.count_nonzero(np.bincount(rows.codes, minlength=2)) < 2:
            raise InvalidInput("Rows of at least two classes are needed to tell right from wrong. Give some.")
        return BoostedStumpsObjective(rows, int(self.n_rounds))
