"""The search of non-monotonic MKL: relax the size constraint, round, and improve by exchanges."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np

from fewest.methods.margins.mkl.exchange_search import PROVED, find_subsets
from fewest.methods.margins.mkl.subset_svms import SubsetSvms
from fewest.parameters import check_choice
from fewest.selection import Selection
from fewest.size_grid import candidate_sizes
from fewest.threads import one_blas_thread

SIZES = ("one", "some", "all")


class ValuesSubsetsBySvms(Protocol):
    """An objective that values subsets by SVMs whose relaxed program can be solved."""

    @property
    def subset_svms(self) -> SubsetSvms: ...


@dataclass(frozen=True)
class RelaxAndRound:
    """Find the subset of a given size near the best kernel weights, with a bound for all subsets.

    The relaxed program, in which kernel weights may lie between 0 and 1, is solved to the optimum. The columns with
    the largest weights are the first subset; up to twice as many, without the weakest, and the subset of the size
    before, extended, are other starts. From each of them columns are exchanged one for one as long as w falls.

    Parameters
    ----------
    sizes : {"one", "some", "all"} or tuple of int, default="one"
        The sizes to search, ascending: the requested one; also every size up to 10 and then steps of about a fifth;
        every size up to it; or these. The subsets need not be nested.

    See Also
    --------
    SvmMargin : The criterion that it searches.

    Notes
    -----
    w is convex, so only a column with a larger squared projection than the one it replaces can lower it. The subset is
    proved optimal where w is within 1e-9 of the bound. Features are ordered and scored by their SVM weights. Ties go to
    the lowest column.

    References
    ----------
    Xu, Jin, Ye, Lyu, King 2009, Non-monotonic feature selection. ICML. https://doi.org/10.1145/1553374.1553520

    Examples
    --------
    >>> from fewest import FeatureSelector
    >>> from fewest.criteria import SvmMargin
    >>> from fewest.datasets import load
    >>> from fewest.searches import RelaxAndRound
    >>> toy = load("toy-xyz")
    >>> FeatureSelector(SvmMargin(), RelaxAndRound(), n_features=2).fit(toy.X, toy.y).support_
    array([ True,  True, False])
    """

    sizes: str | tuple[int, ...] = "one"

    requires: ClassVar[frozenset[str]] = frozenset({"subset_svms"})

    def __post_init__(self) -> None:
        if not isinstance(self.sizes, tuple):
            check_choice("sizes", self.sizes, SIZES)

    @one_blas_thread()
    def run(self, objective: ValuesSubsetsBySvms, n_features: int | None) -> Selection:
        svms = objective.subset_svms
        size = svms.n_columns if n_features is None else min(n_features, svms.n_columns)
        path = find_subsets(svms, self._resolved_sizes(size))
        chosen = path[size]
        solution, bound = svms.fit(chosen), svms.relax(size).bound
        norms = np.where(svms.is_observed, solution.weight_norms, np.nan)
        return Selection(
            indices=chosen,
            scores=tuple(norms[list(chosen)].tolist()),
            path=path,
            value=solution.value,
            bound=min(bound, solution.value),
            sense="min",
            is_optimal=solution.value - bound <= PROVED * abs(solution.value),
        )

    def _resolved_sizes(self, size: int) -> list[int]:
        if isinstance(self.sizes, tuple):
            return sorted({size, *(smaller for smaller in self.sizes if smaller < size)})
        return {"one": [size], "some": candidate_sizes(size), "all": list(range(1, size + 1))}[self.sizes]
