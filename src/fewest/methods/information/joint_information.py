"""How much features know of the class together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from fewest.arrays import Floats, Indices
from fewest.errors import InvalidInput
from fewest.methods.information.category_table import JointCategories
from fewest.methods.information.density_estimation import InformationCriterion, InformationTable
from fewest.methods.information.discretisation.discretizer import Discretizer
from fewest.methods.information.discretisation.second_pass import SecondPass
from fewest.methods.information.discretisation.state_rows import CategoricalRows
from fewest.methods.information.parzen_table import JointKernel, ParzenTable
from fewest.statistics.rows import Rows

_TIE = 1e-12


class JointInformationObjective:
    """What columns know of the class together with those chosen.

    saturated_at : how many columns told all there is to know of the class, from which on relevance decides; None before
    """

    is_additive = False

    def __init__(self, table: InformationTable) -> None:
        if table.has_gaps:
            raise InvalidInput(
                "Joint states need every value, and some are missing. Use missing='state', which makes missing a state."
            )
        self.table = table
        self.saturated_at: int | None = None
        self._joint: JointCategories | JointKernel = (
            table.joint() if isinstance(table, ParzenTable) else JointCategories(table)
        )
        self._limit = table.class_entropy

    def score_features(self) -> Floats:
        """Relevance: what each column knows of the class."""
        return self.table.relevance

    def score_additions(self, selected: Sequence[int], among: Indices) -> Floats:
        """What each of these columns, with those selected, knows of the class."""
        self._joint.take(selected)
        if selected and self._joint.information() >= self._limit - _TIE:
            self.saturated_at = min(len(selected), self.saturated_at or len(selected))
            return self.table.relevance[among]
        known = self._joint.information_with(among)
        return np.where(self.table.is_observed[among], known, np.nan)


@dataclass(frozen=True)
class JointInformation(InformationCriterion):
    """How much features know of the class together, in nats: I(S; c) over the joint states of S; with
    density="parzen" over the products of their Gaussians, which takes a number for every two rows.

    Saturates: once the joint states tell the class of every row, every further feature is as good; then relevance, what
    a feature knows alone, decides.

    Keeps the rows, a byte a value where they are whole, or as bits where a large stream is read twice. Needs many rows:
    joint states soon hold one row each.
    The maximal dependency of the mRMR paper.
    """

    discretizer: Discretizer = field(default_factory=Discretizer)

    counts: ClassVar[str] = "rows"
    offers: ClassVar[frozenset[str]] = frozenset({"score_features", "score_additions"})

    def bind(self, rows: Rows | CategoricalRows | SecondPass) -> JointInformationObjective:
        return JointInformationObjective(self.table(rows))
