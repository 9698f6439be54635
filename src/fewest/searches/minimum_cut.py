"""Exact best subsets under pair and triple coefficients, by minimum cuts."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from fewest._core import pair_path, triple_path
from fewest.arrays import Floats, Indices
from fewest.errors import InvalidInput, InvalidParameter
from fewest.protocols import ScoresPairs, ScoresPairsBySize, ScoresTriples
from fewest.searches.best_subsets import BestSubsets
from fewest.searches.individual_ranking import check_threshold
from fewest.searches.subset_value import PairwiseValue, TriplewiseValue
from fewest.selection import Selection, candidate_sizes

#: Coefficients between 2 to the negative of this power and 2 to this power are not rescaled: no sum overflows.
_MAX_EXPONENT = 512


@dataclass(frozen=True)
class _Threshold:
    """The threshold that both searches have."""

    beta: float | None = None

    def __post_init__(self) -> None:
        check_threshold(self.beta)


@dataclass(frozen=True)
class MinimumCut(_Threshold):
    """Find the subset that maximises the sum of its features' and its pairs' scores, exactly.

    Ties go to the lowest column; a column without a score comes last.

    Parameters
    ----------
    beta : float or None, default=None
        The cost of a feature: the subset of the largest value after costs is taken, of equals the smallest. None takes
        the number of features asked for.

    See Also
    --------
    MaximumClosure : The same with scores of triples.
    IndividualRanking : Features have scores on their own only.

    Notes
    -----
    Where no pair score is negative the best subsets for all beta are found by parametric minimum cuts. They are nested;
    a feature's score is the beta at which it enters; and the answer is proved for every beta, and for every number of
    features that is best at some beta. For other numbers subsets are grown, shrunk and improved by exchanges, and the
    bound limits how much better any other can be. Where pair scores are negative the bound is that of roof duality, for
    up to 2,000 features, and at a threshold beta columns that are in every best subset, or in none, are proved one by
    one (`proved_in`, `proved_out`); exchanges start from these. Where scores depend on the size of the subset, as those
    of SetRedundancy do, each size is searched by its own.

    References
    ----------
    Hammer, Hansen and Simeone (1984), Roof duality, complementation and persistency in quadratic 0-1 optimization,
    https://doi.org/10.1007/BF02612354
    """

    requires: ClassVar[frozenset[str]] = frozenset({"score_features", "score_pairs"})
    #: Used where the objective has it.
    uses: ClassVar[frozenset[str]] = frozenset({"for_size"})

    def run(self, objective: ScoresPairs, n_features: int | None) -> Selection:
        """Return the best subset: of n_features, of all (None), or at the threshold beta."""
        if isinstance(objective, ScoresPairsBySize):
            return self._run_by_size(objective, n_features)
        return _best_subset((objective.score_features(), objective.score_pairs()), self.beta, n_features)

    def _run_by_size(self, objective: ScoresPairsBySize, n_features: int | None) -> Selection:
        """Return the best subset of n_features, or of all (None), and a path of those of smaller sizes."""
        if self.beta is not None:
            raise InvalidParameter(
                f"MinimumCut(beta={self.beta!r}) needs scores that hold for subsets of any size; those of this "
                "criterion are means over the subset. Give n_features, or use Exhaustive(beta=...)."
            )
        is_observed = ~np.isnan(objective.for_size(1).score_features())
        most, n_columns = max(int(np.count_nonzero(is_observed)), 1), len(is_observed)
        path: dict[int, tuple[int, ...]] = {}
        for k in candidate_sizes(n_columns if n_features is None else min(n_features, n_columns)):
            scores = objective.for_size(min(k, most))
            selection = _best_subset((scores.score_features(), scores.score_pairs()), None, k)
            path[k] = selection.indices
        return replace(selection, path=path)


@dataclass(frozen=True)
class MaximumClosure(_Threshold):
    """Find the subset that maximises the sum of its features', pairs' and triples' scores, exactly.

    A closure of the largest weight, found by minimum cuts. For some sixty features: the number of triples grows with
    the cube.

    Parameters
    ----------
    beta : float or None, default=None
        The cost of a feature: the subset of the largest value after costs is taken, of equals the smallest. None takes
        the number of features asked for.

    See Also
    --------
    MinimumCut : The same without triples, for thousands of features.
    """

    requires: ClassVar[frozenset[str]] = frozenset({"score_features", "score_pairs", "score_triples"})

    def run(self, objective: ScoresTriples, n_features: int | None) -> Selection:
        """Return the best subset: of n_features, of all (None), or at the threshold beta."""
        tables = objective.score_features(), objective.score_pairs(), objective.score_triples()
        return _best_subset(tables, self.beta, n_features)


def _best_subset(tables: tuple[Floats, ...], beta: float | None, n_features: int | None) -> Selection:
    """Return the best subset under scores with one, two and maybe three indices; columns without a score come last."""
    n_columns = len(tables[0])
    observed = np.flatnonzero(~np.isnan(tables[0]))
    if len(observed) < n_columns:
        tables = tuple(table[np.ix_(*[observed] * table.ndim)] for table in tables)
    subsets = _best_subsets(tables, observed)
    if beta is not None:
        selection, unobserved = subsets.at_threshold(float(beta)), []
    else:
        size = n_columns if n_features is None else min(n_features, n_columns)
        unobserved = np.setdiff1d(np.arange(n_columns), observed)[: max(size - len(observed), 0)].tolist()
        selection = subsets.of_size(min(size, len(observed)))
    if len(observed) == n_columns:
        return selection
    column_scores = np.full(n_columns, np.nan)
    column_scores[observed] = selection.column_scores
    path = {size: tuple(observed[list(columns)].tolist()) for size, columns in selection.path.items()}
    indices = (*observed[list(selection.indices)].tolist(), *unobserved)
    path |= {len(indices): indices} if indices else {}
    scores = (*selection.scores, *([float("nan")] * len(unobserved)))
    return replace(selection, indices=indices, scores=scores, path=path, column_scores=column_scores)


def _best_subsets(tables: tuple[Floats, ...], observed: Indices) -> BestSubsets:
    """Return the best subsets under finite scores, in multiples of a power of two; observed : their columns."""
    lowest = [float(table.min(initial=0.0)) for table in tables]
    highest = [float(table.max(initial=0.0)) for table in tables]
    largest = float(np.max(np.abs([lowest, highest])))
    if not math.isfinite(largest):
        raise InvalidInput(_not_finite(tables, observed))
    exponent = math.frexp(largest)[1]
    if abs(exponent) <= _MAX_EXPONENT:
        exponent = 0
    else:
        tables = tuple(np.ldexp(table, -exponent) for table in tables)
    tables = tuple(np.ascontiguousarray(table, dtype=np.float64) for table in tables)
    has_negative, unit = min(lowest[1:]) < 0, math.ldexp(1.0, exponent)
    if len(tables) == 2:
        return BestSubsets(PairwiseValue(*tables), pair_path(*tables), has_negative, unit)
    return BestSubsets(TriplewiseValue(*tables), triple_path(*tables), has_negative, unit)


def _not_finite(tables: tuple[Floats, ...], observed: Indices) -> str:
    """Return the message about the first coefficient that is not finite."""
    table = next(table for table in tables if not np.isfinite(table).all())
    index = tuple(np.argwhere(~np.isfinite(table))[0])
    columns = " and ".join(str(observed[i]) for i in index)
    what = f"column {columns}" if len(index) == 1 else f"columns {columns} together"
    return (
        f"The score of {what} is {table[index]}, and the best subset is known only for finite scores. Use a criterion "
        "that gives these; NaN for a column alone leaves it out."
    )
