"""How much a feature knows of the class."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from fewest.arrays import Floats
from fewest.methods.information.density_estimation import InformationCriterion
from fewest.methods.information.discretisation.discretizer import Discretizer
from fewest.methods.information.discretisation.second_pass import SecondPass
from fewest.methods.information.discretisation.state_rows import CategoricalRows
from fewest.statistics.rows import Rows


class ScoredFeatures:
    """One score a feature."""

    is_additive = False

    def __init__(self, scores: Floats) -> None:
        self.scores = scores

    def score_features(self) -> Floats:
        """One score a column, higher is better; NaN where nothing was observed."""
        return self.scores


@dataclass(frozen=True)
class MutualInformation(InformationCriterion):
    """How much a feature knows of the class, in nats.

    I(x; c) = sum over states of p(x, c) log p(x, c) / (p(x) p(c)); with density="parzen" the mean over rows of
    log p(x, c) / (p(x) p(c)), p(x) being a sum of Gaussians.

    Keeps the rows, a byte a value where they are whole, or reads a large stream twice. Blind to redundancy and to what
    features say together.
    The maximal relevance of the mRMR paper; information gain.
    """

    discretizer: Discretizer = field(default_factory=Discretizer)

    offers: ClassVar[frozenset[str]] = frozenset({"score_features"})

    def bind(self, rows: Rows | CategoricalRows | SecondPass) -> ScoredFeatures:
        return ScoredFeatures(self.table(rows).relevance)
