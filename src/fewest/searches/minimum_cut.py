"""The best subset of features that are worth something alone and in pairs, exactly."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fewest._core import pair_path, triple_path
from fewest.searches.best_subsets import BestSubsets
from fewest.searches.individual_ranking import check_threshold
from fewest.searches.worth import PairWorth, TripleWorth, Worth
from fewest.selection import Selection

Floats = NDArray[np.float64]


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
        unary: Floats = objective.score_features()
        pairs: Floats = np.ascontiguousarray(objective.score_pairs(), dtype=np.float64)
        n_columns = len(unary)
        seen = np.flatnonzero(~np.isnan(unary))
        if len(seen) < n_columns:
            pairs = np.ascontiguousarray(pairs[np.ix_(seen, seen)])
        unary = np.ascontiguousarray(unary[seen], dtype=np.float64)
        subsets = _best_subsets(PairWorth(unary, pairs), pair_path(unary, pairs), bool((pairs < 0).any()))
        return _answer(subsets, seen, n_columns, self.beta, n_features)


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
        unary: Floats = objective.score_features()
        n_columns = len(unary)
        seen = np.flatnonzero(~np.isnan(unary))
        unary = np.ascontiguousarray(unary[seen])
        pairs = np.ascontiguousarray(objective.score_pairs()[np.ix_(seen, seen)])
        triples = np.ascontiguousarray(objective.score_triples()[np.ix_(seen, seen, seen)])
        may_harm = bool((pairs < 0).any() or (triples < 0).any())
        worth = TripleWorth(unary, pairs, triples)
        subsets = _best_subsets(worth, triple_path(unary, pairs, triples), may_harm)
        return _answer(subsets, seen, n_columns, self.beta, n_features)


def _best_subsets(worth: Worth, path: tuple[Any, Any, Any, float], may_harm: bool) -> BestSubsets:
    order, sizes, gained, scale = path
    return BestSubsets(
        worth=worth,
        order=np.array(order, dtype=np.intp),
        ends=np.cumsum(np.array(sizes, dtype=np.intp)),
        gained=np.array(gained, dtype=np.float64) / scale,
        resolution=1 / scale,
        may_harm=may_harm,
    )


def _answer(
    subsets: BestSubsets, seen: NDArray[np.intp], n_columns: int, beta: float | None, n_features: int | None
) -> Selection:
    """The selection in the columns of the data; those without a score come last, where so many are asked for."""
    if beta is not None:
        selection, unseen = subsets.at_threshold(float(beta)), []
    else:
        size = n_columns if n_features is None else min(n_features, n_columns)
        unseen = np.setdiff1d(np.arange(n_columns), seen)[: max(size - len(seen), 0)].tolist()
        selection = subsets.of_size(min(size, len(seen)))
    if len(seen) == n_columns:
        return selection
    scores = np.full(n_columns, np.nan)
    scores[seen] = subsets.scores
    path = {size: tuple(seen[list(columns)].tolist()) for size, columns in selection.path.items()}
    indices = (*seen[list(selection.indices)].tolist(), *unseen)
    return replace(
        selection,
        indices=indices,
        scores=(*selection.scores, *([float("nan")] * len(unseen))),
        path={**path, len(indices): indices} if indices else path,
        column_scores=scores,
    )
