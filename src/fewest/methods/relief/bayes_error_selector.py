"""The selector that searches for the subset of columns with the least estimated Bayes error."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar

from fewest.methods.relief.bayes_error import BayesError, BayesErrorObjective
from fewest.parameters import check_choice
from fewest.protocols import AnySearch, Sentence
from fewest.searches.greedy import GreedyBackward, GreedyForward
from fewest.searches.individual_ranking import IndividualRanking
from fewest.selection import Selection
from fewest.selectors.row_selector import RowSelector


@dataclass(eq=False, repr=False)
class BayesErrorSelector(RowSelector):
    """Select the subset of features with the least Bayes error, estimated without a classifier (DoC).

    J(S) = mean over rows of the posterior of the row's class less that of the others, by densities over the columns of
    S without the row itself; between -1 and 1. (1 - J) / 2 is the error of a class drawn from its posterior.

    Parameters
    ----------
    density : {"parzen", "neighbors"}, default="parzen"
        Gaussian kernels of one width, or the distance of the n_neighbors-th nearest row of a class.
    width : float, default=0.5
        The kernel width in units of the scaled columns; wider where a subset has many columns.
    n_neighbors : int, default=5
        The number of neighbours, with density="neighbors".
    mode : {"forward", "backward", "individual"}, default="forward"
        "forward" adds one column after the other, each the best in addition to those taken; "backward" removes one
        after the other. "individual" scores each column alone.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features_in_,)
        "forward": the gain by a column that was taken, NaN for the others; "individual": J of the column alone.

    See Also
    --------
    ParzenRelief : The same densities of single columns, in time linear in the rows.
    MaxDependency : The mutual information of a subset with the class instead (RoC).

    Notes
    -----
    Sees redundancy and interactions. J rises where a column is added and falls again where densities in many columns
    fail: choose the size by n_features="auto". A step costs O(N^2 |S|) for every column: some thousand rows, or
    `sample`; with many columns let a filter choose candidates first.

    References
    ----------
    Yang, Hu, 2012. Discriminative Feature Selection by Nonparametric Bayes Error Minimization.
    https://doi.org/10.1109/TKDE.2011.72

    Examples
    --------
    >>> from fewest import BayesErrorSelector
    >>> from sklearn.datasets import load_iris
    >>> data = load_iris(as_frame=True)
    >>> BayesErrorSelector(n_features=1).fit(data.data, data.target).get_feature_names_out().tolist()
    ['petal width (cm)']
    """

    name: ClassVar[str] = "bayes-error"
    summary: ClassVar[str] = "subset with the least Bayes error, by kernel or neighbour densities"
    formula: ClassVar[str] = "mean over rows of p(own class | x) − p(other classes | x), densities without the row"
    takes: ClassVar[str] = "numbers and text, without missing numbers"
    proves: ClassVar[str] = "nothing: greedy"
    cost: ClassVar[str] = "one read, the rows; a step: all pairs of rows for every column"

    density: str = "parzen"
    width: float = 0.5
    n_neighbors: int = 5
    mode: str = "forward"

    def sentence(self) -> Sentence:
        searches: dict[str, AnySearch] = {
            "forward": GreedyForward(lazy=False),
            "backward": GreedyBackward(),
            "individual": IndividualRanking(),
        }
        check_choice("mode", self.mode, tuple(searches))
        criterion = BayesError(self.density, self.width, self.n_neighbors, self._scale_or("std"))
        return criterion, searches[self.mode]

    def _allows_missing(self) -> bool:
        return False

    def _evaluation_degree(self) -> float:
        return math.inf

    def _objective_words(self) -> str:
        return "the mean difference between the probabilities of the own class and of the others"

    def _finalize(self, selection: Selection, objective: BayesErrorObjective) -> Selection:
        if self.mode == "individual":
            return selection
        value = objective.score_subset(selection.indices)
        return replace(selection, value=value, bound=1.0, is_optimal=False, proved_by="probabilities being at most 1")
