"""Non-monotonic feature selection by multiple kernel learning."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from itertools import product
from typing import Any, ClassVar, Self

import numpy as np

from fewest.arrays import Floats
from fewest.errors import InvalidParameter
from fewest.methods.margins.mkl.relax_and_round import RelaxAndRound
from fewest.methods.margins.mkl.svm_margin import SvmMargin, SvmMarginObjective
from fewest.parameters import check_flag
from fewest.protocols import Sentence
from fewest.selection import Selection
from fewest.selectors.selector import Selector

#: Among these "auto" chooses, as the paper does; of equals the first.
CHOICES = {"C": (1.0, 0.1, 0.01), "tau": (1.0, 10.0)}


@dataclass(eq=False, repr=False)
class NonMonotonicMKL(Selector):
    """The features with which a support vector machine has the largest margin (Xu, Jin, Ye, Lyu and King).

    Of all sets of m features the one with the least w, which is twice the least of |v|^2 / 2 plus the losses of the
    rows. First every feature may be taken in part: that is solved exactly, and no set can be better. Then the nearest
    set is taken and improved by exchanges. The best m features need not be among the best m + 1: each size has a set of
    its own.

    Parameters
    ----------
    C : float or "auto", default=1.0
        How much a row counts at most that falls short of the margin. "auto": what errs least in cross-validation, of 1,
        0.1 and 0.01, the first of equals.
    tau : float or "auto", default=1.0
        How soft the loss is: a square up to tau C, then a straight line. "auto": the same, of 1 and 10.
    path : bool or sizes, default=False
        Also find a set of every smaller size, or of these: selection_.path. Each takes about a quarter of the time of
        one alone.
    theorem : bool, default=False
        Also work out the bound of the paper's Theorem 6, `theorem_bound_`. It holds, and says little.

    The other parameters are those of every selector: see FisherMarkov. `scale` is "std" by default. Gaps count as the
    column's mean.

    Attributes
    ----------
    weights_ : ndarray of shape (n_features_in_,) or (n_classes, n_features_in_)
        The weights v of the machine that may take features in part, for scaled columns; positive ones speak for the
        second of two classes, or for the class of their row.
    relaxed_ : ndarray of shape (n_features_in_,)
        How much of each feature that machine takes: p, from 0 to 1.
    dual_ : ndarray of shape (n_rows,) or (n_classes, n_rows)
        Its alpha, by row; rows of no weight are left out.
    C_, tau_ : float
        Those used, as given or as chosen.
    theorem_bound_ : float
        With theorem=True: w of the answer is no more than so many times the least.
    scores_ : ndarray of shape (n_features_in_,)
        The size of each chosen column's weight in the machine that uses those chosen; NaN for the others.
    ranking_, support_, n_features_, n_features_in_, feature_names_in_, selection_
        As in every selector. `selection_.value` is w of the features chosen, `selection_.bound` is the least w where
        features may be taken in part, `selection_.is_optimal` is True where the two are within 1e-9 of each other.

    Notes
    -----
    More than two classes: the sum over machines that tell one class from the rest, on the same features. A weight of 2
    is the row twice. Keeps the rows. Blind to what features say only by their products.

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

    name: ClassVar[str] = "nonmonotonic-mkl"
    summary: ClassVar[str] = "features with which a support vector machine has the largest margin"
    takes: ClassVar[str] = "numbers, gaps allowed"
    proves: ClassVar[str] = "a bound; the optimum where it is reached"
    cost: ClassVar[str] = "the rows, some 20 steps of N² × columns"

    C: float | str = 1.0
    tau: float | str = 1.0
    _: KW_ONLY
    path: bool | Sequence[int] = False
    theorem: bool = False

    def sentence(self) -> Sentence:
        check_flag("theorem", self.theorem)
        sizes: str | tuple[int, ...] = "one"
        if self.n_features == "auto" and self.rule != "stable":
            sizes = "some"
        elif self.n_features == "auto" or self.path is True:
            sizes = "all"
        elif not isinstance(self.path, bool | np.bool_):
            sizes = _sizes(self.path)
        C, tau = (1.0 if _is_auto(value) else value for value in (self.C, self.tau))
        return SvmMargin(C, tau, self.scale_or("std")), RelaxAndRound(sizes)  # type: ignore[arg-type]

    def alternatives(self) -> Sequence[dict[str, Any]]:
        among = {name: values for name, values in CHOICES.items() if _is_auto(getattr(self, name))}
        return [dict(zip(among, values, strict=True)) for values in product(*among.values())] if among else []

    def with_sizes(self, sizes: Sequence[int]) -> Self:
        own: Self = super().with_sizes(sizes).set_params(path=tuple(sizes))
        return own

    def store_fitted(self, objective: SvmMarginObjective, selection: Selection) -> None:
        relaxed = objective.subset_svms.relax(len(selection))
        self.weights_: Floats = objective.by_class(relaxed.weights, is_signed=True)
        self.relaxed_: Floats = relaxed.kernel_weights
        self.dual_: Floats = objective.by_class(objective.by_row(relaxed.alpha), is_signed=False)
        self.C_, self.tau_ = objective.C, objective.tau
        self.__dict__.pop("theorem_bound_", None)
        if self.theorem:
            self.theorem_bound_: float = objective.subset_svms.theorem_bound(len(selection))


def _sizes(path: Any) -> tuple[int, ...]:
    """The sizes that are asked for, ascending."""
    given = tuple(path) if isinstance(path, Sequence) and not isinstance(path, str) else ()
    if not given or not all(isinstance(size, int) and size >= 1 for size in given):
        raise InvalidParameter(f"path must be True, False or sizes of at least 1, got {path!r} instead.")
    return tuple(sorted(set(given)))


def _is_auto(value: Any) -> bool:
    return isinstance(value, str) and value == "auto"
