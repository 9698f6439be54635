"""Selectors by the radius-margin bound of an SVM: RadiusMargin (Gaussian kernel), R2W2 (linear)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from fewest.arrays import Floats
from fewest.methods.kernels.radius_margin.linear_radius_margin import LinearRadiusMargin, LinearRadiusMarginObjective
from fewest.methods.kernels.radius_margin.radius_margin_bound import RadiusMarginBound, RadiusMarginBoundObjective
from fewest.methods.kernels.selectors import STRENGTHS
from fewest.parameters import check_choice, is_auto
from fewest.protocols import AnySearch, Sentence
from fewest.searches.greedy import GreedyForward
from fewest.searches.individual_ranking import IndividualRanking
from fewest.searches.weight_ascent import WeightAscent
from fewest.selection import Selection
from fewest.selectors.row_selector import RowSelector


@dataclass(eq=False, repr=False)
class RadiusMargin(RowSelector):
    """Select features by the radius-margin bound of an SVM with a Gaussian kernel.

    R^2 ||w||^2 bounds the leave-one-out errors: R is the radius of the smallest ball around the rows, 1/||w|| half the
    margin between the classes, in the space of the kernel exp(-sum_f eta_f (x_f - z_f)^2). Of more than two classes
    each is separated from the rest, and the bounds are summed. Columns are scaled to [-1, 1] by default.

    Parameters
    ----------
    mode : {"weights", "forward", "individual"}, default="weights"
        "weights" minimizes (1 - regularization) R^2 ||w||^2 + regularization |eta - eta_0|^2 over one eta a column,
        from the best eta_0 that all share; the columns with the largest eta are taken. "forward" adds one column after
        the other, at the best of one eta for those taken. "individual" scores each column alone, with its best eta.
    regularization : float or "auto", default=0.25
        The weight of the penalty in mode "weights", from 0 to below 1. "auto" takes the least cross-validated error of
        0, 0.1, 0.25, 0.5, 0.75 and 0.99.
    C : float or "auto", default="auto"
        The cost of violating the margin: 1/C is added to the kernel's diagonal. "auto" tunes it with eta.
    max_steps : int, default=100
        The largest number of steps in mode "weights"; later steps hardly gain. Of some hundred rows or more the roots
        of eta are optimised, not the logarithms, and a step that gains less than 1e-6 of the bound is the last.

    Attributes
    ----------
    weights_ : ndarray of shape (n_features_in_,)
        Eta of each column; "forward": 0 for those not taken.
    width_ : float or ndarray of shape (n_features_in_,)
        The width 1/sqrt(2 eta): of eta_0, of the columns taken, or ("individual") of each column alone.
    C_, bound_ : float or ndarray of shape (n_features_in_,)
        The cost found, and R^2 ||w||^2 there; "individual": of each column.
    regularization_ : float or None
        The regularization used; None in the modes that ignore it.
    half_bounds_ : tuple of two floats, or None
        R^2 ||w||^2 of two halves of a sample with the kernel found ("individual": that of the first column taken); None
        without a sample, or where a class has a single row.
    objective_ : tuple of float
        What was minimized, at the start and after each step; "forward": the bound with each column taken.
    scores_ : ndarray of shape (n_features_in_,)
        The weights; in the other modes the share by which the bound is below that of a constant kernel.

    See Also
    --------
    R2W2 : The same bound of a linear SVM.
    KernelSeparability : The same kernels by the scatter between the classes, faster.

    Notes
    -----
    Every evaluation solves two quadratic programs over all rows, of which there may be at most 5,000: of more, `sample`
    takes some. How far `half_bounds_` are apart shows what the choice of rows does to the bound; the weights were found
    on the same rows, and new samples differ by more. Only the rows at the margin and at the surface of the ball matter:
    a few outliers can decide. A row of weight 2 is the row twice.

    References
    ----------
    Wang, 2008. Feature Selection with Kernel Class Separability. https://doi.org/10.1109/TPAMI.2007.70799
    Chapelle, Vapnik, Bousquet, Mukherjee, 2002. Choosing Multiple Parameters for Support Vector Machines.
    https://doi.org/10.1023/A:1012450327387

    Examples
    --------
    >>> from fewest import RadiusMargin
    >>> from fewest.datasets import toy_xyz
    >>> data = toy_xyz(60)
    >>> RadiusMargin("forward", n_features=1).fit(data.X, data.y).support_
    array([False, False,  True])
    """

    _column_attributes: ClassVar[tuple[str, ...]] = ("weights_", "width_", "C_", "bound_")
    name: ClassVar[str] = "radius-margin"
    summary: ClassVar[str] = "radius-margin bound of an SVM, by the weights of a Gaussian kernel"
    formula: ClassVar[str] = "η_f of min R²‖w‖² in the space of exp(−Σ_f η_f (x_f − z_f)²)"
    takes: ClassVar[str] = "numbers and text, no missing numbers, up to 5,000 rows or a sample of more"
    proves: ClassVar[str] = "nothing"
    cost: ClassVar[str] = "two quadratic programs over all rows a step"

    mode: str = "weights"
    regularization: float | str = 0.25
    C: float | str = "auto"
    max_steps: int = 100

    def sentence(self) -> Sentence:
        searches: dict[str, AnySearch] = {
            "weights": WeightAscent(logarithmic=True, max_steps=self.max_steps),
            "forward": GreedyForward(lazy=False),
            "individual": IndividualRanking(),
        }
        check_choice("mode", self.mode, tuple(searches))
        strength = 0.25 if is_auto(self.regularization) else self.regularization
        criterion = RadiusMarginBound(strength, self.C, self._scale_or("symmetric"))  # type: ignore[arg-type]
        return criterion, searches[self.mode]

    def _evaluation_degree(self) -> int:
        return 2

    def _alternatives(self) -> Sequence[dict[str, float]]:
        if not is_auto(self.regularization) or self.mode != "weights":
            return ()
        return [{"regularization": strength} for strength in STRENGTHS]

    def _objective_words(self) -> str:
        return "the radius-margin bound of an SVM"

    def _finalize(self, selection: Selection, objective: RadiusMarginBoundObjective) -> Selection:
        if self.mode == "weights":
            return _minimized(selection)
        if self.mode == "individual":
            return selection
        bounds = tuple((objective.constant_bound * (1 - np.nan_to_num(selection.scores))).tolist())
        return replace(selection, value=bounds[-1], sense="min", is_optimal=False, history=bounds)

    def _store_fitted(self, objective: RadiusMarginBoundObjective, selection: Selection) -> None:
        self.objective_: tuple[float, ...] = selection.history
        self.weights_, self.C_, self.bound_ = self._found(objective, selection)
        self.width_: float | Floats
        if self.mode == "individual":
            with np.errstate(divide="ignore"):
                self.width_ = 1 / np.sqrt(2 * self.weights_)
        else:
            eta = float(np.nan_to_num(self.weights_).max(initial=0.0))
            if self.mode == "weights":
                eta = 0.0 if objective.shared is None else objective.shared.eta
            self.width_ = float(1 / np.sqrt(2 * eta)) if eta > 0 else np.inf
        self.regularization_ = objective.regularization if self.mode == "weights" else None
        self.half_bounds_ = self._half_bounds(objective, selection)

    def _found(
        self, objective: RadiusMarginBoundObjective, selection: Selection
    ) -> tuple[Floats, float | Floats, float | Floats]:
        """Return eta of every column, C and the bound; in mode "individual" these of every column, too."""
        if self.mode == "individual":
            return objective.tuned_alone()
        if self.mode == "weights":
            assert selection.column_scores is not None
            bound, cost = objective.reached or (objective.constant_bound, 0.0)
            return selection.column_scores.copy(), cost, bound
        weights, found = np.zeros(objective.n_columns), objective.best_kernel(selection.indices)
        if found is None:
            return weights, 0.0, objective.constant_bound
        weights[np.intersect1d(selection.indices, np.flatnonzero(objective.varies()))] = found.eta
        return weights, found.C, found.bound

    def _half_bounds(self, objective: RadiusMarginBoundObjective, selection: Selection) -> tuple[float, float] | None:
        """Return the bounds of two halves of a sample with the kernel found; of columns alone, that of the first."""
        if self.sample is None or not selection.indices:
            return None
        weights, C, _ = self._found(objective, selection)
        weights, first = np.nan_to_num(weights), selection.indices[0]
        if self.mode == "individual":
            C, weights = np.asarray(C)[first], np.where(np.arange(len(weights)) == first, weights, 0.0)
        found = objective.bounds_of_halves(weights, float(C))
        return None if np.isnan(found).any() else found

    def _fit_notes(self, selection: Selection, objective: RadiusMarginBoundObjective) -> tuple[str, ...]:
        halves = self._half_bounds(objective, selection)
        if halves is None:
            return ()
        which = " of the first column" if self.mode == "individual" else ""
        apart = 100 * abs(halves[0] - halves[1]) / (sum(halves) / 2)
        return (
            f"with the kernel{which} that was found, the bounds of two halves of the sample are {halves[0]:.4g} and "
            f"{halves[1]:.4g}: {apart:.2g} % apart",
        )

    def _allows_missing(self) -> bool:
        return False


@dataclass(eq=False, repr=False)
class R2W2(RowSelector):
    """Select features by the radius-margin bound of a linear SVM on rescaled columns.

    Column f is multiplied by sigma_f so that R^2 ||w||^2, as in RadiusMargin, is least. The squares sigma_f^2 are not
    negative and add up to the number of columns; the columns with the largest are taken. Columns are standardized by
    default.

    Parameters
    ----------
    C : float, default=1.0
        The cost of violating the margin: 1/C is added to the diagonal of the products of rows.
    max_steps : int, default=500
        The largest number of steps.

    Attributes
    ----------
    weights_, scores_ : ndarray of shape (n_features_in_,)
        The squared factors sigma_f^2. Of columns with 0 the one with the largest gradient comes first.
    objective_ : tuple of float
        The bound at the start and after each step.

    See Also
    --------
    RadiusMargin : The same bound with a Gaussian kernel.
    SVMRFE : A linear SVM fitted again and again while columns are removed.

    Notes
    -----
    Every evaluation solves two quadratic programs: in the space of the columns where these are fewer than the rows, so
    that memory and time are linear in the rows; else over all pairs of rows. Where both are more than 5,000, `sample`
    takes some of the rows. It cannot see classes that no hyperplane separates. A row of weight 2 is the row twice.

    References
    ----------
    Weston, Mukherjee, Chapelle, Pontil, Poggio, Vapnik, 2000. Feature Selection for SVMs. NIPS.
    Chapelle, Vapnik, Bousquet, Mukherjee, 2002. Choosing Multiple Parameters for Support Vector Machines.
    https://doi.org/10.1023/A:1012450327387

    Examples
    --------
    >>> from fewest import R2W2
    >>> from fewest.datasets import toy_xyz
    >>> data = toy_xyz(60)
    >>> R2W2(n_features=2).fit(data.X, data.y).support_
    array([ True,  True, False])
    """

    name: ClassVar[str] = "r2w2"
    summary: ClassVar[str] = "radius-margin bound of a linear SVM, by factors of the columns"
    formula: ClassVar[str] = "σ_f² of min R²‖w‖², column f multiplied by σ_f"
    takes: ClassVar[str] = "numbers and text, no missing numbers; rows or columns up to 5,000"
    proves: ClassVar[str] = "nothing"
    cost: ClassVar[str] = "two quadratic programs a step, over rows or columns"

    C: float = 1.0
    max_steps: int = 500

    def sentence(self) -> Sentence:
        return LinearRadiusMargin(self.C, self._scale_or("std")), WeightAscent(max_steps=self.max_steps)

    def _objective_words(self) -> str:
        return "the radius-margin bound of an SVM"

    def _finalize(self, selection: Selection, objective: LinearRadiusMarginObjective) -> Selection:
        assert selection.column_scores is not None
        factors = objective.squared_factors(selection.column_scores)
        scores = tuple(factors[list(selection.indices)].tolist())
        return replace(_minimized(selection), scores=scores, column_scores=factors)

    def _store_fitted(self, objective: LinearRadiusMarginObjective, selection: Selection) -> None:
        self.weights_: Floats = self.scores_.copy()
        self.objective_: tuple[float, ...] = selection.history

    def _allows_missing(self) -> bool:
        return False


def _minimized(selection: Selection) -> Selection:
    """Return the selection of a search that maximized the negative of an objective, with the objective's own sign."""
    value = None if selection.value is None else 0.0 - selection.value
    return replace(selection, value=value, sense="min", history=tuple(0.0 - number for number in selection.history))
