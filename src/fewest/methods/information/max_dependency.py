"""Maximal dependency."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from fewest.methods.information.density import DensitySelector
from fewest.methods.information.joint_information import JointInformation
from fewest.protocols import Sentence
from fewest.searches.greedy_forward import GreedyForward
from fewest.selection import Selection


@dataclass(eq=False, repr=False)
class MaxDependency(DensitySelector):
    """The features that know most of the class together (Peng, Long and Ding).

    One after the other, each the one with which all taken together know most of the class: I(S; c), over their joint
    states, or over the products of their Gaussians (density="parzen": a number for every two rows, of 11,585 at most).

    Parameters
    ----------
    density, discretize, n_bins, factor, missing
        How densities are estimated, and how columns become states: see MRMR.

    The other parameters are those of every selector: see FisherMarkov. `scale` has no effect: states have none.

    Notes
    -----
    Joint states multiply: soon each holds one row, and the class seems known. From there on every feature is as good,
    relevance decides, and a note says so. MRMR was made for this.

    Examples
    --------
    >>> from fewest import MaxDependency
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> MaxDependency(n_features=2).fit(X, y).selection_.indices
    (2, 3)
    """

    name: ClassVar[str] = "max-dependency"
    summary: ClassVar[str] = "features that know most of the class together"
    proves: ClassVar[str] = "nothing: greedy"

    def sentence(self) -> Sentence:
        return JointInformation(self.discretizer(), density=self.checked_density()), GreedyForward(lazy=False)

    def _together(self) -> str:
        return "their joint states" if self.density == "discrete" else "their joint densities"

    def fit_notes(self, selection: Selection, objective: Any) -> tuple[str, ...]:
        if objective.saturated_at is None:
            return ()
        return (
            f"after {objective.saturated_at} feature(s) {self._together()} tell the class of every row; the rest are "
            "ranked by what each knows alone",
        )
