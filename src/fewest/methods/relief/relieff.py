"""ReliefF."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from fewest.methods.relief.hit_miss_margin import HitMissMargin
from fewest.methods.relief.neighbour_selector import NeighbourSelector
from fewest.parameters import check_choice, check_count
from fewest.protocols import Sentence
from fewest.searches.individual_ranking import IndividualRanking


@dataclass(eq=False, repr=False)
class ReliefF(NeighbourSelector):
    """The features in which the nearest rows of each other class are farther than the nearest of the same.

    score_f = mean over rows of sum_c p_c/(1-p_y) mean |x - k nearest of class c| - mean |x - k nearest of its own|,
    c over the classes other than the row's own y, p their shares of the rows.

    Parameters
    ----------
    n_neighbors : int, default=10
        How many of each class count; of a class with no more rows, all. Those as far as the k-th share its place.
    printed : bool, default=False
        Leave out 1/(1-p_y), as the Bayes error paper prints it: then rows of large classes count less.
    metric : "l1" or "l2", default="l1"
        How distances over all columns are measured. The margins are differences in either case.
    n_queries : int or None, default=None
        Average the margins of so many rows only, drawn evenly from the classes by random_state and the rows' own
        values; each is still compared with all rows. For large tables.
    random_state : int, default=0
        Seeds that draw, and the folds under n_features="auto".
    scale : "auto", "range", "std", "symmetric" or None, default="auto"
        "auto" is "range": columns from 0 to 1. Text and categories differ by 0 or 1 in any case.

    The other parameters are those of every selector: see FisherMarkov. A `sample_weight` other than 0 and 1 is
    refused.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features_in_,)
        Mean margins, from -1 to 1; exactly 0 for a constant column.
    weights_ : ndarray of shape (n_features_in_,)
        Their positive part over its length: the weights of columns that make the most of the margins.

    The other attributes are those of every selector.

    Examples
    --------
    >>> from fewest import ReliefF
    >>> from sklearn.datasets import load_wine
    >>> data = load_wine(as_frame=True)
    >>> ReliefF(n_features=3).fit(data.data, data.target).selection_.features
    ('od280/od315_of_diluted_wines', 'flavanoids', 'proline')
    """

    name: ClassVar[str] = "relieff"
    summary: ClassVar[str] = "nearest rows of each other class farther than the nearest of the same"
    cost: ClassVar[str] = "one read, and every row against all"

    n_neighbors: int = 10
    printed: bool = False

    def sentence(self) -> Sentence:
        check_count("n_neighbors", self.n_neighbors, at_least=1)
        check_choice("printed", self.printed, (False, True))
        margin = HitMissMargin(**self.shared(), n_neighbors=int(self.n_neighbors), printed=self.printed)
        return margin, IndividualRanking()
