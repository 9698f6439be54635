"""Information gain."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from fewest.methods.information.counting import CountingSelector
from fewest.methods.information.mutual_information import MutualInformation
from fewest.protocols import Sentence
from fewest.searches.individual_ranking import IndividualRanking


@dataclass(eq=False, repr=False)
class InformationGain(CountingSelector):
    """The features that lower the entropy of the class most, each on its own.

    H(c) - H(c | x), which is the mutual information of MaxRelevance under the name that text and tree people know.

    Parameters
    ----------
    Those of MaxRelevance but for density: text and tree people count.

    Examples
    --------
    >>> from fewest import InformationGain
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> InformationGain(n_features=2).fit(X, y).selection_.indices
    (2, 3)
    """

    name: ClassVar[str] = "information-gain"
    summary: ClassVar[str] = "how much each feature lowers the entropy of the class: MaxRelevance by its other name"
    proves: ClassVar[str] = "nothing: no objective"

    def sentence(self) -> Sentence:
        return MutualInformation(self.discretizer()), IndividualRanking()
