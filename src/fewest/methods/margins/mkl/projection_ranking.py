"""Algorithm 1 of non-monotonic MKL as printed: rank columns by their squared projections in the relaxed program."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fewest.arrays import Floats
from fewest.constraints import UNCONSTRAINED, ColumnConstraints
from fewest.methods.margins.linear_margin import contribution_sizes
from fewest.methods.margins.mkl.relax_and_round import RELAXED, RelaxAndRound, ValuesSubsetsBySvms
from fewest.methods.margins.mkl.subset_svms import SubsetSvms
from fewest.objectives.grouped_columns import ColumnGroups, GroupedObjective
from fewest.selection import Selection
from fewest.threads import one_blas_thread

#: Squared projections that differ by less than this share of the largest are ties.
_TIE = 1e-9
#: A value is proved optimal within this share of the bound.
_PROVED = 1e-9


@dataclass(frozen=True)
class ProjectionRanking(RelaxAndRound):
    """Take the columns with the largest squared projections tau_i = (sum_n alpha_n y_n x_ni)^2 in the relaxed program.

    All columns with a kernel weight between 0 and 1 have the same tau_i, which this ranking cannot tell apart: ties,
    within 1e-9 of the largest, go to the lowest column. A relaxed program is solved for every size.
    """

    @one_blas_thread()
    def run(
        self, objective: ValuesSubsetsBySvms, n_features: int | None, constraints: ColumnConstraints = UNCONSTRAINED
    ) -> Selection:
        svms, groups, factors = objective.subset_svms, None, np.ones(0)
        if isinstance(objective, GroupedObjective):
            groups, factors = objective.groups, contribution_sizes(objective.rows)
        n_all = svms.n_columns if groups is None else groups.n_features
        size = n_all if n_features is None else min(n_features, n_all)
        sizes = self._resolved_sizes(size, constraints)
        found = [_largest_projections(svms, groups, factors, k, constraints) for k in sizes]
        path = {len(columns): columns for columns, _ in found}
        chosen, scores = found[-1]
        value = svms.fit(chosen if groups is None else groups.columns_of(chosen)).value
        bound = min(svms.relax(n_program_columns(groups, size)).bound, value)
        return Selection(
            indices=chosen,
            scores=tuple(scores[list(chosen)].tolist()),
            path=path,
            value=value,
            bound=bound,
            sense="min",
            is_optimal=value - bound <= _PROVED * abs(value),
            proved_by=RELAXED,
            tolerance=_PROVED * abs(value),
        )


def n_program_columns(groups: ColumnGroups | None, size: int) -> int:
    """The largest number of columns that this number of features can have."""
    return size if groups is None else int(np.sort(groups.sizes)[::-1][:size].sum())


def constraint_multipliers(squared_projections: Floats, size: int) -> tuple[float, Floats]:
    """The optimal lambda and gamma of the QCQP: gamma_i = max(0, tau_i - lambda), lambda the m-th largest tau_i.

    Any lambda down to the next largest is optimal too; where all columns are taken it is 0 (Corollaries 2 and 3).
    """
    n_columns = len(squared_projections)
    level = 0.0 if size >= n_columns else float(np.sort(squared_projections)[n_columns - size])
    return level, np.maximum(squared_projections - level, 0.0)


def _largest_projections(
    svms: SubsetSvms, groups: ColumnGroups | None, factors: Floats, size: int, constraints: ColumnConstraints
) -> tuple[tuple[int, ...], Floats]:
    """The columns or features of this number with the largest squared projections, and those of all; NaN if empty."""
    scores = svms.relax(n_program_columns(groups, size)).squared_projections
    is_observed = svms.is_observed
    if groups is not None:
        scores = np.square(groups.combine(factors * np.sqrt(scores), "norm"))
        is_observed = is_observed[groups.firsts]
    unit = _TIE * max(float(scores.max(initial=0.0)), float(np.finfo(float).tiny))
    order = np.lexsort((np.arange(len(scores)), -np.rint(scores / unit), ~is_observed))
    return tuple(constraints.take(order.tolist(), size)), np.where(is_observed, scores, np.nan)
