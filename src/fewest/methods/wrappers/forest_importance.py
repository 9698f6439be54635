"""Features by which a forest of decision trees gains most."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from fewest.methods.wrappers.forest_gain import ForestGain
from fewest.protocols import Sentence
from fewest.searches.individual_ranking import IndividualRanking
from fewest.selectors.selector import Selector


@dataclass(eq=False, repr=False)
class ForestImportance(Selector):
    """The features by which a forest of decision trees gains most (Breiman): the mean decrease in impurity.

    Parameters
    ----------
    n_trees : int, default=100
    random_state : int, default=0
        Seeds the forest, and the folds of n_features="auto".

    The other parameters are those of every selector: see FisherMarkov. `scale` has no effect: trees have none.

    Notes
    -----
    scikit-learn's forest, on rows and columns in the order of their contents. Copies of a column share its gain evenly.
    Columns of many different values gain more than they are worth, and features that say the same share what one alone
    would have. Keeps the rows.

    Examples
    --------
    >>> from fewest import ForestImportance
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> sorted(ForestImportance(n_features=2).fit(X, y).selection_.indices)
    [2, 3]
    """

    name: ClassVar[str] = "forest-importance"
    summary: ClassVar[str] = "what a forest of decision trees gains by each feature"
    takes: ClassVar[str] = "numbers, gaps allowed"
    proves: ClassVar[str] = "nothing: no objective"
    cost: ClassVar[str] = "one read, the rows, and a forest of 100 trees"

    n_trees: int = 100

    def sentence(self) -> Sentence:
        return ForestGain(self.n_trees, self.random_state), IndividualRanking()
