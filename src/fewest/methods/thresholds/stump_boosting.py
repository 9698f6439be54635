"""Features by boosted decision stumps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from fewest.methods.thresholds.boosted_stumps import BoostedStumps, BoostingRound
from fewest.parameters import check_count
from fewest.protocols import Sentence
from fewest.searches.greedy_forward import GreedyForward
from fewest.selection import Selection
from fewest.selectors.selector import Selector


@dataclass(eq=False, repr=False)
class StumpBoosting(Selector):
    """The features that boosted decision stumps use, in the order of their first use (Tieu and Viola).

    Every round takes the one threshold in one column that tells the classes best, each side said to be of its heaviest
    class; rows it gets wrong then weigh more. Discrete AdaBoost for two classes, SAMME for more. Rounds go on until as
    many columns were used as are asked for. Columns that no round used come last, by the best stump of each on the
    first weights.

    Parameters
    ----------
    n_rounds : int, default=500
        The most rounds.

    The other parameters are those of every selector: see FisherMarkov. Only the order of a column's values counts:
    `scale` has no effect.

    Attributes
    ----------
    rounds_ : tuple of rounds
        Each with `column`, `threshold`, `below` and `above` (the classes said of the two sides), `missing_below`,
        `error` and `alpha` (the round's weight in a vote). `column` is None in a round where no stump did better than
        one class for all rows.
    scores_ : ndarray of shape (n_features_in_,)
        For those taken, the share that the column's stump spared of the errors of always saying the heaviest class,
        by the weights of the round of its first use; NaN for the rest.
    ranking_, support_, n_features_, n_features_in_, feature_names_in_, selection_
        As in every selector.

    Notes
    -----
    Ties within 1e-12 go to the lowest column, then to the lowest threshold. A stump without an error is taken, and its
    column left out from then on. Rows without a value go to the side where more is got right.

    Examples
    --------
    >>> from fewest import StumpBoosting
    >>> from sklearn.datasets import load_wine
    >>> data = load_wine(as_frame=True)
    >>> StumpBoosting(n_features=3).fit(data.data, data.target).selection_.features
    ('proline', 'color_intensity', 'flavanoids')
    """

    name: ClassVar[str] = "stump-boosting"
    summary: ClassVar[str] = "features that boosted decision stumps use, in the order of first use"
    takes: ClassVar[str] = "numbers, gaps allowed, dense or sparse"
    proves: ClassVar[str] = "nothing: greedy"
    cost: ClassVar[str] = "one read, the rows, and a sweep over them a round"

    n_rounds: int = 500

    def sentence(self) -> Sentence:
        check_count("n_rounds", self.n_rounds, at_least=1)
        return BoostedStumps(int(self.n_rounds)), GreedyForward(lazy=False)

    def store_fitted(self, objective: Any, selection: Selection) -> None:
        self.rounds_: tuple[BoostingRound, ...] = tuple(objective.rounds)

    def fit_notes(self, selection: Selection, objective: Any) -> tuple[str, ...]:
        if objective.ended is None:
            return ()
        n_used = len({one.column for one in objective.rounds} - {None})
        return (f"{objective.ended}: {n_used} column(s) were used, further ones are taken by their best stump alone",)
