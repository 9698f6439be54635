"""Non-monotonic feature selection by multiple kernel learning."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from itertools import product
from typing import ClassVar, Self

import numpy as np

from fewest.arrays import Floats
from fewest.errors import InvalidParameter
from fewest.methods.margins.linear_margin import contribution_sizes
from fewest.methods.margins.mkl.projection_ranking import (
    ProjectionRanking,
    constraint_multipliers,
    n_program_columns,
)
from fewest.methods.margins.mkl.relax_and_round import RelaxAndRound
from fewest.methods.margins.mkl.svm_margin import SvmMargin, SvmMarginObjective
from fewest.objectives.grouped_columns import GroupedObjective
from fewest.parameters import check_flag, is_auto
from fewest.protocols import Sentence
from fewest.selection import Selection
from fewest.selectors.row_selector import RowSelector

#: The values among which "auto" chooses, as in the paper; of ties the first.
CHOICES = {"C": (1.0, 0.1, 0.01), "tau": (1.0, 10.0)}


@dataclass(eq=False, repr=False)
class NonMonotonicMKL(RowSelector):
    """Select the features with which a linear SVM has the largest margin, by multiple kernel learning (NMMKL).

    The relaxed program (the paper's QCQP), with kernel weights between 0 and 1, is a bound for all subsets. Its rounded
    solution is improved by exchanges. The best m features need not be among the best m + 1.

    Parameters
    ----------
    C : float or "auto", default=1.0
        Upper bound of alpha, the largest slope of the loss of a row; "auto" chooses 1, 0.1 or 0.01 by cross-validation.
    tau : float or "auto", default=1.0
        Softness of the loss, quadratic up to tau C, then linear; "auto" chooses 1 or 10 by cross-validation.
    path : bool or sequence of int, default=False
        Also find a subset of every smaller size, or of these sizes: `selection_.path`.
    theorem : bool, default=False
        Also compute the bound of the paper's Theorem 6, `theorem_bound_`, which is weak.
    printed : bool, default=False
        Rank by tau_i as the paper's Algorithm 1 does, without exchanges. All columns with 0 < p < 1 have the same
        tau_i, and of these the lowest are taken.
    scale : {"auto", "std", "range", "symmetric"} or None, default="auto"
        How each column is scaled; "auto" is "std". Missing values are the column's mean.

    Attributes
    ----------
    weights_ : ndarray of shape (n_features_in_,) or (n_classes, n_features_in_)
        The weights v of the relaxed SVM, for scaled columns; positive for the second of two classes.
    relaxed_ : ndarray of shape (n_features_in_,)
        Its kernel weights p, from 0 to 1.
    dual_ : ndarray of shape (n_rows,) or (n_classes, n_rows)
        Its alpha, by row; rows of weight zero are left out.
    tau_scores_ : ndarray of shape (n_features_in_,)
        Its tau_i = (sum_n alpha_n y_n x_ni)^2, summed over the SVMs: what Algorithm 1 ranks by.
    lambda_ : float
        The multiplier of the number of features: the m-th largest tau_i, or 0 where all are selected.
    gamma_ : ndarray of shape (n_features_in_,)
        The multipliers of p_i <= 1: max(0, tau_i - lambda).
    C_, tau_ : float
        The values used, as given or as chosen.
    theorem_bound_ : float
        With theorem=True: w of the rounded solution is at most this times the least w.
    scores_ : ndarray of shape (n_features_in_,)
        The norm of each selected column's weights in the SVM on the selected columns, or its tau_i with printed=True;
        NaN for the others.
    selection_ : Selection
        `value` is w of the selected features, `bound` that of the relaxed program.

    See Also
    --------
    SVMRFE : Recursive elimination, whose subsets are nested.
    L1SVM : A linear SVM whose weights are mostly zero.

    Notes
    -----
    w(S) is twice the minimum of ||v||^2 / 2 plus the loss of a linear SVM on the features S, summed over the
    one-versus-rest SVMs. Keeps the rows; about 20 steps of O(N^2 D), or of O(N D^2) a class where there are several. It
    cannot see what features share with the class only by their products.

    References
    ----------
    Xu, Jin, Ye, Lyu, King 2009, Non-monotonic feature selection. ICML. https://doi.org/10.1145/1553374.1553520

    Examples
    --------
    >>> from fewest import NonMonotonicMKL
    >>> from fewest.datasets import load
    >>> toy = load("toy-xyz")
    >>> NonMonotonicMKL(n_features=1).fit(toy.X, toy.y).support_
    array([False, False,  True])
    >>> NonMonotonicMKL(n_features=2).fit(toy.X, toy.y).support_
    array([ True,  True, False])
    """

    _column_attributes: ClassVar[tuple[str, ...]] = ("weights_", "relaxed_", "tau_scores_", "gamma_")
    name: ClassVar[str] = "nonmonotonic-mkl"
    summary: ClassVar[str] = "features with which a linear SVM has the largest margin"
    formula: ClassVar[str] = "min over S of max over α of 2 Σ α_n − Σ_{i∈S} u_i² − τ Σ α_n², u_i = Σ α_n y_n x_ni"
    takes: ClassVar[str] = "numbers and text, missing values allowed"
    proves: ClassVar[str] = "a bound; the optimum where it is reached"
    cost: ClassVar[str] = "the rows, some 20 steps of N² × columns"

    C: float | str = 1.0
    tau: float | str = 1.0
    _: KW_ONLY
    path: bool | Sequence[int] = False
    theorem: bool = False
    printed: bool = False

    def sentence(self) -> Sentence:
        check_flag("theorem", self.theorem)
        check_flag("printed", self.printed)
        sizes: str | tuple[int, ...] = "one"
        if self.n_features == "auto" and self.rule != "stable":
            sizes = "some"
        elif self.n_features == "auto" or self.path is True:
            sizes = "all"
        elif not isinstance(self.path, bool | np.bool_):
            sizes = _checked_sizes(self.path)
        C, tau = (1.0 if is_auto(value) else value for value in (self.C, self.tau))
        search = ProjectionRanking(sizes) if self.printed else RelaxAndRound(sizes)
        return SvmMargin(C, tau, self._scale_or("std")), search  # type: ignore[arg-type]

    def _objective_words(self) -> str:
        return "w, the minimum of |v|^2 and losses of linear SVMs"

    def _alternatives(self) -> Sequence[Mapping[str, float]]:
        among = {name: values for name, values in CHOICES.items() if is_auto(getattr(self, name))}
        return [dict(zip(among, values, strict=True)) for values in product(*among.values())] if among else []

    def _with_sizes(self, sizes: Sequence[int]) -> Self:
        own: Self = super()._with_sizes(sizes).set_params(path=tuple(sizes))
        return own

    def _store_fitted(self, objective: SvmMarginObjective, selection: Selection) -> None:
        groups = objective.groups if isinstance(objective, GroupedObjective) else None
        size = n_program_columns(groups, len(selection))
        relaxed = objective.subset_svms.relax(size)
        self.weights_: Floats = objective.by_class(relaxed.weights, is_signed=True)
        self.relaxed_: Floats = relaxed.kernel_weights
        self.tau_scores_: Floats = relaxed.squared_projections
        self.lambda_, self.gamma_ = constraint_multipliers(self.tau_scores_, size)
        if groups is not None:
            self.tau_scores_, self.gamma_ = groups.sums(self.tau_scores_), groups.sums(self.gamma_)
            self.weights_ = groups.combine(contribution_sizes(objective.rows) * self.weights_, "norm")
            self.relaxed_ = groups.highest(self.relaxed_)
        self.dual_: Floats = objective.by_class(relaxed.alpha[:, np.argsort(objective.rows.order)], is_signed=False)
        self.C_, self.tau_ = objective.C, objective.tau
        self.__dict__.pop("theorem_bound_", None)
        if self.theorem:
            self.theorem_bound_: float = objective.subset_svms.theorem_bound(size)


def _checked_sizes(path: Sequence[int]) -> tuple[int, ...]:
    """The requested sizes, ascending."""
    sizes = tuple(path) if isinstance(path, Sequence) and not isinstance(path, str) else ()
    if not sizes or not all(isinstance(size, int) and size >= 1 for size in sizes):
        raise InvalidParameter(f"path must be True, False or sizes of at least 1, got {path!r} instead.")
    return tuple(sorted(set(sizes)))
