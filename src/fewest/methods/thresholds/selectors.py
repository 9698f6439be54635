"""Selectors that place thresholds in single columns: KolmogorovSmirnov, StumpBoosting."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from fewest.methods.thresholds.threshold_criteria import (
    BoostedStumps,
    BoostedStumpsObjective,
    BoostingRound,
    DistributionDistance,
)
from fewest.protocols import Sentence
from fewest.searches.greedy import GreedyForward
from fewest.searches.individual_ranking import IndividualRanking
from fewest.selection import Selection
from fewest.selectors.row_selector import RowSelector, ScoredRowSelector


@dataclass(eq=False, repr=False)
class KolmogorovSmirnov(ScoredRowSelector):
    """Select the features in which the distributions of the classes differ most.

    score_f = sup |F_1 - F_2|, the largest difference between the shares of the two classes that lie at or below a
    threshold; with more classes, each against all others, averaged with the classes' shares as weights. From 0 to 1.
    Only the order of a column's values matters: of the parameters, `scale` has no effect.

    See Also
    --------
    FisherScore : Distances of means instead of distributions.

    Notes
    -----
    Each column is sorted once. It cannot see redundancy or interactions.

    References
    ----------
    Wang, 2008. Feature Selection with Kernel Class Separability (where it is a baseline).
    https://doi.org/10.1109/TPAMI.2007.70799

    Examples
    --------
    >>> from fewest import KolmogorovSmirnov
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> KolmogorovSmirnov(n_features=2).fit(X, y).scores_.round(2)
    array([0.6 , 0.42, 0.81, 0.8 ])
    """

    name: ClassVar[str] = "kolmogorov-smirnov"
    _scale_is_inert: ClassVar[str] = "only the order of a column's values matters"
    summary: ClassVar[str] = "largest difference between the classes' distribution functions"
    formula: ClassVar[str] = "sup_t |F₁(t) − F₂(t)|, F_c(t) the share of class c at or below t"
    takes: ClassVar[str] = "numbers and text, missing values allowed, dense or sparse"
    proves: ClassVar[str] = "nothing: no objective"
    cost: ClassVar[str] = "one read, the rows, and a sort of each column"

    def sentence(self) -> Sentence:
        return DistributionDistance(), IndividualRanking()


@dataclass(eq=False, repr=False)
class StumpBoosting(RowSelector):
    """Select the features that boosted decision stumps use, in the order of their first use.

    Every round takes the threshold in one column with the least weighted error, each side predicting its heaviest
    class; misclassified rows then weigh more: discrete AdaBoost for two classes, SAMME for more. Rounds go on until
    n_features columns were used. Columns that no round used come last, by their best stump on the first weights.

    Parameters
    ----------
    n_rounds : int, default=500
        The largest number of rounds.

    Attributes
    ----------
    rounds_ : tuple of BoostingRound
        Each with `column`, `threshold` (rows up to it are predicted as class `below`, others as `above`, those without
        a value as `below` if `missing_below`), the weighted `error` and the weight in the vote, `alpha`, infinite where
        the error is 0. `column` is None where no stump beats predicting one class for all rows.
    scores_ : ndarray of shape (n_features_in_,)
        The share of the majority-class errors that the stump of a selected column avoids in the round of its first
        use; NaN for the rest.

    See Also
    --------
    KolmogorovSmirnov : One threshold a column, without boosting.

    Notes
    -----
    Ties within 1e-12 go to the lowest column, then to the lowest threshold. A stump without an error is taken and its
    column excluded from then on. `scale` has no effect.

    References
    ----------
    Freund, Schapire, 1997. A Decision-Theoretic Generalization of On-Line Learning and an Application to Boosting.
    https://doi.org/10.1006/jcss.1997.1504
    Tieu, Viola, 2000. Boosting Image Retrieval. https://doi.org/10.1109/CVPR.2000.855824

    Examples
    --------
    >>> from fewest import StumpBoosting
    >>> from sklearn.datasets import load_wine
    >>> data = load_wine(as_frame=True)
    >>> StumpBoosting(n_features=3).fit(data.data, data.target).selection_.features
    ('proline', 'color_intensity', 'flavanoids')
    """

    name: ClassVar[str] = "stump-boosting"
    _scale_is_inert: ClassVar[str] = "only the order of a column's values matters"
    summary: ClassVar[str] = "features that boosted decision stumps use, in the order of first use"
    formula: ClassVar[str] = "rounds take the stump of least error ε; wrong rows × e^α, α = log((1 − ε)/ε) + log(C − 1)"
    takes: ClassVar[str] = "numbers and text, missing values allowed, dense or sparse"
    proves: ClassVar[str] = "nothing: greedy"
    cost: ClassVar[str] = "one read, the rows, and a pass over them a round"

    n_rounds: int = 500

    def sentence(self) -> Sentence:
        return BoostedStumps(self.n_rounds), GreedyForward(lazy=False)

    def _store_fitted(self, objective: BoostedStumpsObjective, selection: Selection) -> None:
        self.rounds_: tuple[BoostingRound, ...] = tuple(objective.rounds)

    def _fit_notes(self, selection: Selection, objective: BoostedStumpsObjective) -> tuple[str, ...]:
        if objective.stop_reason is None:
            return ()
        n_used = len({one.column for one in objective.rounds} - {None})
        return (f"{objective.stop_reason}: {n_used} column(s) were used, further ones by their best stump alone",)
