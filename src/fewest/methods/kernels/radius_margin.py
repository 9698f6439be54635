"""Selection by the radius-margin bound of a support vector machine."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from fewest.arrays import Floats
from fewest.methods.kernels.radius_margin_bound import RadiusMarginBound
from fewest.parameters import check_choice, check_count, check_number
from fewest.protocols import AnySearch, Sentence
from fewest.searches.greedy_forward import GreedyForward
from fewest.searches.individual_ranking import IndividualRanking
from fewest.searches.weight_ascent import WeightAscent
from fewest.selection import Selection
from fewest.selectors.selector import Selector

MODES = ("weights", "forward", "individual")


@dataclass(eq=False, repr=False)
class RadiusMargin(Selector):
    """Features on which a support vector machine would seldom err, by the radius-margin bound.

    The bound, of the errors when each row is left out in turn, is R^2 ||w||^2: R the radius of the smallest ball around
    the rows, 1/||w|| half the margin between the classes, in the space of the kernel exp(-sum_f eta_f (x_f - z_f)^2).
    It is made small

    - "weights": over one eta_f for each column at once, (1 - regularization) R^2 ||w||^2 + regularization
      |eta - eta0|^2, from the best eta0 that all share; the columns with the largest eta are taken;
    - "forward": one column after the other, at the best of one eta for those taken;
    - "individual": by each column on its own, with its best eta.

    Of more than two classes each stands against the rest, and the bounds are summed.

    Parameters
    ----------
    mode : "weights", "forward" or "individual", default="weights"
    regularization : float, default=0.25
        How much, from 0 to below 1, weights that leave the shared one count against them. Of "weights" only.
    C : float or "auto", default="auto"
        The cost of breaking the margin: 1/C is added to the kernel's diagonal. "auto" tunes it with the widths.
    max_steps : int, default=100
        When to stop weighing at the latest; later steps hardly gain. Of "weights" only.

    The other parameters are those of every selector: see FisherMarkov. Columns are scaled to [-1, 1] by default.

    Attributes
    ----------
    weights_ : ndarray of shape (n_features_in_,)
        eta of each column. "forward": 0 for those not taken.
    width_ : float, or ndarray of shape (n_features_in_,) where mode="individual"
        The width 1/sqrt(2 eta) of the kernel: the shared one where the weights began, that of the columns taken, or
        that of each column on its own.
    C_ : float, or ndarray as width_
        The cost found.
    bound_ : float, or ndarray as width_
        R^2 ||w||^2 there.
    objective_ : tuple of float
        What was made small: at the start and after each step; "forward": the bound with each column taken.
    scores_ : ndarray of shape (n_features_in_,)
        The weights; in the other modes the share by which the bound is below that of rows of which nothing is known,
        "forward" when a column was taken, NaN for those that were not.
    ranking_, support_, n_features_, n_features_in_, feature_names_in_, selection_
        As in every selector.

    Notes
    -----
    Every evaluation solves two quadratic programs over all rows, of which there may be at most 5,000. The bound looks
    at the rows at the margin and at the edge of the ball alone: a few outliers can decide. A row of weight 2 is the row
    twice.

    Examples
    --------
    >>> from fewest import RadiusMargin
    >>> from fewest.datasets import toy_xyz
    >>> data = toy_xyz(60)
    >>> RadiusMargin("forward", n_features=1).fit(data.X, data.y).support_
    array([False, False,  True])
    """

    name: ClassVar[str] = "radius-margin"
    summary: ClassVar[str] = "a small ball around the rows and a wide margin, by the weights of a Gaussian kernel"
    takes: ClassVar[str] = "numbers without gaps, up to 5,000 rows"
    proves: ClassVar[str] = "nothing"
    cost: ClassVar[str] = "two quadratic programs over all rows at every step"

    mode: str = "weights"
    regularization: float = 0.25
    C: float | str = "auto"
    max_steps: int = 100

    def sentence(self) -> Sentence:
        check_choice("mode", self.mode, MODES)
        check_count("max_steps", self.max_steps, at_least=1)
        share = check_number("regularization", self.regularization)
        C = self.C if isinstance(self.C, str) else check_number("C", self.C)
        searches: dict[str, AnySearch] = {
            "weights": WeightAscent(logarithmic=True, max_steps=int(self.max_steps)),
            "forward": GreedyForward(lazy=False),
            "individual": IndividualRanking(),
        }
        return RadiusMarginBound(share, C, self.scale_or("symmetric")), searches[self.mode]

    def evaluation_degree(self) -> int:
        return 2

    def finalize(self, selection: Selection, objective: Any) -> Selection:
        if self.mode == "weights":
            return to_be_small(selection)
        if self.mode == "individual":
            return selection
        bounds = tuple((objective.of_nothing * (1 - np.nan_to_num(selection.scores))).tolist())
        return replace(selection, value=bounds[-1], sense="min", is_optimal=False, history=bounds)

    def store_fitted(self, objective: Any, selection: Selection) -> None:
        self.objective_: tuple[float, ...] = selection.history
        numbers: tuple[Any, Any, Any]
        if self.mode == "individual":
            alone = [(width.eta, width.C, width.bound) for width in objective.alone]
            numbers = tuple(objective.rows.expand(of_all) for of_all in np.reshape(alone, (-1, 3)).T)
            numbers[2][numbers[0] == 0] = objective.of_nothing
            self.weights_: Floats = numbers[0]
        elif self.mode == "forward":
            found = objective.width_of(selection.indices)
            numbers = (0.0, 0.0, objective.of_nothing) if found is None else (found.eta, found.C, found.bound)
            self.weights_ = np.zeros(self.n_features_in_)
            self.weights_[np.intersect1d(selection.indices, objective.rows.varying)] = numbers[0]
        else:
            eta = 0.0 if objective.shared is None else objective.shared.eta
            bound, C = objective.reached or (objective.of_nothing, 0.0)
            numbers = (eta, C, bound)
            self.weights_ = self.scores_.copy()
        with np.errstate(divide="ignore"):
            width = 1 / np.sqrt(2 * np.asarray(numbers[0]))
        self.width_: Any = width if self.mode == "individual" else float(width)
        self.C_: Any = numbers[1]
        self.bound_: Any = numbers[2]

    def allows_missing(self) -> bool:
        return False


def to_be_small(selection: Selection) -> Selection:
    """What a search found that made the opposite of an objective large."""
    value = None if selection.value is None else 0.0 - selection.value
    return replace(selection, value=value, sense="min", history=tuple(0.0 - number for number in selection.history))
