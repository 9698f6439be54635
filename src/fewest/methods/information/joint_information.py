"""The information of features together with the class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from fewest.arrays import Floats, Indices
from fewest.errors import InvalidInput
from fewest.methods.information.discretisation.categorical_rows import CategoricalRows
from fewest.methods.information.discretisation.discretizer import Discretizer
from fewest.methods.information.discretisation.second_pass import SecondPass
from fewest.methods.information.information_table import InformationCriterion, InformationTable
from fewest.protocols import Objective
from fewest.statistics.rows import Rows

_TIE = 1e-12


class JointInformationObjective(Objective):
    """The information of columns, together with those selected, with the class.

    saturated_at : the number of columns that determine the class of every row, after which relevance decides; None
        before
    """

    def __init__(self, table: InformationTable) -> None:
        if table.has_missing:
            raise InvalidInput(
                "Joint categories need every value, and some are missing. Use missing='state', which makes missing a "
                "category."
            )
        self.table = table
        self.n_columns = table.n_columns
        self.saturated_at: int | None = None
        self._joint = table.joint()
        self._limit = table.class_entropy

    def score_features(self) -> Floats:
        """Return the relevance: the information of each column with the class."""
        return self.table.relevance

    def score_additions(self, selected: Sequence[int], among: Indices) -> Floats:
        """Return the information of each of these columns, together with those selected, with the class."""
        self._joint.take(selected)
        if selected and self._joint.information() >= self._limit - _TIE:
            self.saturated_at = min(len(selected), self.saturated_at or len(selected))
            return self.table.relevance[among]
        return np.where(self.table.is_observed[among], self._joint.information_with(among), np.nan)


@dataclass(frozen=True)
class JointInformation(InformationCriterion):
    """The information of a subset of features with the class, in nats: I(S; c) over joint categories.

    With density="parzen" over the products of their Gaussians, which takes a number for every two rows. Once the joint
    categories determine the class of every row, I(S; c) cannot grow: from there on relevance decides.

    Parameters
    ----------
    discretizer : Discretizer, default=Discretizer()
        How columns become categories.
    density : {"discrete", "parzen"}, default="discrete"
        Whether categories are counted, text included, or a Gaussian is put on each value of complete columns of
        numbers.

    See Also
    --------
    MutualInformation : The information of each feature alone.
    RelevanceRedundancy : Relevance and redundancy of pairs, which need fewer rows.

    Notes
    -----
    Keeps the rows, a byte a value where they are integers of a narrow range, or as bits where a large stream is read
    twice. Needs many rows: joint categories soon hold one row each. Maximal dependency in the paper.

    References
    ----------
    Peng, Long and Ding (2005), Feature selection based on mutual information: criteria of max-dependency,
    max-relevance, and min-redundancy. https://doi.org/10.1109/TPAMI.2005.159
    """

    discretizer: Discretizer = field(default_factory=Discretizer)

    counts: ClassVar[str] = "rows"
    offers: ClassVar[frozenset[str]] = frozenset({"score_features", "score_additions"})

    def bind(self, rows: Rows | CategoricalRows | SecondPass) -> JointInformationObjective:
        """Return the objective on these rows."""
        return JointInformationObjective(self.table(rows))
