"""The best subset of features that are worth something alone and in pairs, exactly."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from fewest._core import pair_path, triple_path
from fewest.arrays import Floats, Indices
from fewest.errors import InvalidInput
from fewest.searches.best_subsets import BestSubsets
from fewest.searches.individual_ranking import check_threshold
from fewest.searches.subset_value import PairWorth, TripleWorth
from fewest.selection import Selection

#: Coefficients up to 2 to this power, and down to 2 to its negative, are taken as they are; no sum of them overflows.
_FAR = 512


@dataclass(frozen=True)
class MinimumCut:
    """The best subset of features that are worth something alone and in pairs, exactly.

    beta=None : as many features as asked for
    beta=number : those that are best when every feature costs so much; of equals the fewest

    Where no pair is worth less than nothing the best subsets for all beta are found by minimum cuts: they are nested, a
    feature's score is the beta at which it enters, and the answer for a given beta, and for a number of features at
    which some beta is best, is proved. For other numbers it is grown, shrunk and improved by exchanges, and the bound
    says how much better any could be. Pairs worth less than nothing are left out of the bound, and counted by the
    exchanges that improve the answer.

    Ties go to the lowest column; a column without a score comes last.
    """

    beta: float | None = None

    def __post_init__(self) -> None:
        check_threshold(self.beta)

    @property
    def requires(self) -> frozenset[str]:
        return frozenset({"score_features", "score_pairs"})

    def run(self, objective: Any, n_features: int | None) -> Selection:
        given = _Coefficients.of(objective.score_features(), objective.score_pairs())
        unary, pairs = given.tables
        subsets = BestSubsets.from_path(PairWorth(unary, pairs), pair_path(unary, pairs), given.may_harm, given.unit)
        return _answer(subsets, given, self.beta, n_features)


@dataclass(frozen=True)
class MaximumClosure:
    """The best subset of features that are worth something alone, in pairs and in threes, exactly.

    As MinimumCut, which see, with products of three features: a closure of largest weight, also found by minimum cuts.
    For some sixty features; the number of products grows with the cube.
    """

    beta: float | None = None

    def __post_init__(self) -> None:
        check_threshold(self.beta)

    @property
    def requires(self) -> frozenset[str]:
        return frozenset({"score_features", "score_pairs", "score_triples"})

    def run(self, objective: Any, n_features: int | None) -> Selection:
        given = _Coefficients.of(objective.score_features(), objective.score_pairs(), objective.score_triples())
        path = triple_path(*given.tables)
        subsets = BestSubsets.from_path(TripleWorth(*given.tables), path, given.may_harm, given.unit)
        return _answer(subsets, given, self.beta, n_features)


@dataclass(frozen=True)
class _Coefficients:
    """What the columns that have a score are worth alone and together, in multiples of `unit`, a power of two.

    seen : which columns these are; may_harm : whether any are worth less together than apart
    """

    tables: tuple[Floats, ...]
    seen: Indices
    n_columns: int
    unit: float
    may_harm: bool

    @classmethod
    def of(cls, *tables: Floats) -> _Coefficients:
        """Of tables with one, two, ... indices, each a column."""
        n_columns = len(tables[0])
        seen = np.flatnonzero(~np.isnan(tables[0]))
        if len(seen) < n_columns:
            tables = tuple(table[np.ix_(*[seen] * table.ndim)] for table in tables)
        lowest = [float(table.min(initial=0.0)) for table in tables]
        highest = [float(table.max(initial=0.0)) for table in tables]
        largest = float(np.max(np.abs([lowest, highest])))
        if not math.isfinite(largest):
            raise InvalidInput(_not_finite(tables, seen))
        exponent = math.frexp(largest)[1]
        if abs(exponent) <= _FAR:
            exponent = 0
        else:
            tables = tuple(np.ldexp(table, -exponent) for table in tables)
        tables = tuple(np.ascontiguousarray(table, dtype=np.float64) for table in tables)
        return cls(tables, seen, n_columns, math.ldexp(1.0, exponent), min(lowest[1:]) < 0)


def _not_finite(tables: tuple[Floats, ...], seen: Indices) -> str:
    """What is wrong with the first coefficient that is no finite number."""
    table = next(table for table in tables if not np.isfinite(table).all())
    place = tuple(np.argwhere(~np.isfinite(table))[0])
    columns = " and ".join(str(seen[index]) for index in place)
    what = "Column" if len(place) == 1 else "Columns"
    return (
        f"{what} {columns} {'is' if len(place) == 1 else 'are together'} worth {table[place]}, and the best subset is "
        "known only for finite numbers. Use a criterion that gives these; NaN for a column alone leaves it out."
    )


def _answer(subsets: BestSubsets, given: _Coefficients, beta: float | None, n_features: int | None) -> Selection:
    """The selection in the columns of the data; those without a score come last, where so many are asked for."""
    seen, n_columns = given.seen, given.n_columns
    if beta is not None:
        selection, unseen = subsets.at_threshold(float(beta)), []
    else:
        size = n_columns if n_features is None else min(n_features, n_columns)
        unseen = np.setdiff1d(np.arange(n_columns), seen)[: max(size - len(seen), 0)].tolist()
        selection = subsets.of_size(min(size, len(seen)))
    if len(seen) == n_columns:
        return selection
    scores = np.full(n_columns, np.nan)
    scores[seen] = selection.column_scores
    path = {size: tuple(seen[list(columns)].tolist()) for size, columns in selection.path.items()}
    indices = (*seen[list(selection.indices)].tolist(), *unseen)
    return replace(
        selection,
        indices=indices,
        scores=(*selection.scores, *([float("nan")] * len(unseen))),
        path={**path, len(indices): indices} if indices else path,
        column_scores=scores,
    )
