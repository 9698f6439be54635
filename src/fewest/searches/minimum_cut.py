"""Exact best subsets under pair and triple coefficients, by minimum cuts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from fewest.constraints import ALL_CONSTRAINTS, UNCONSTRAINED, ColumnConstraints
from fewest.errors import InvalidParameter
from fewest.objectives.subset_sizes import candidate_sizes
from fewest.protocols import ScoresPairs, ScoresPairsBySize, ScoresTriples
from fewest.searches.best_subsets import Tables, best_subsets_of
from fewest.searches.constrained_cut import among_all, constrained_subset
from fewest.searches.individual_ranking import check_threshold
from fewest.selection import Selection


@dataclass(frozen=True)
class _Threshold:
    """The threshold that both searches have."""

    beta: float | None = None

    honours: ClassVar[frozenset[str]] = ALL_CONSTRAINTS

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

    Constraints: columns to keep are contracted into the scores of the others, and prices are taken from these, so that
    all this holds as it stands; kept columns are in at any beta, and their score is what they add to the other kept
    ones. Caps and a budget are relaxed: the bound is tightened by multipliers, the subset is grown and exchanged as far
    as they allow and proved best where it reaches the bound, and a column's score is what it adds, or would add, to it.

    References
    ----------
    Hammer, Hansen and Simeone (1984), Roof duality, complementation and persistency in quadratic 0-1 optimization,
    https://doi.org/10.1007/BF02612354

    Examples
    --------
    >>> from fewest import FeatureSelector, MinimumCut, ScatterTrace, scan
    >>> chosen = FeatureSelector(ScatterTrace(degree=2), MinimumCut(), n_features=2).fit(scan("iris")).selection_
    >>> chosen.features, chosen.is_optimal
    (('petal length (cm)', 'petal width (cm)'), True)
    """

    requires: ClassVar[frozenset[str]] = frozenset({"score_features", "score_pairs"})
    #: Used where the objective has it.
    uses: ClassVar[frozenset[str]] = frozenset({"for_size"})

    def run(
        self, objective: ScoresPairs, n_features: int | None, constraints: ColumnConstraints = UNCONSTRAINED
    ) -> Selection:
        """Return the best subset: of n_features, of all (None), or at the threshold beta.

        With a budget it may have fewer than n_features.
        """
        if isinstance(objective, ScoresPairsBySize):
            return self._run_by_size(objective, n_features, constraints)
        return _best_subset((objective.score_features(), objective.score_pairs()), self.beta, n_features, constraints)

    def _run_by_size(
        self, objective: ScoresPairsBySize, n_features: int | None, constraints: ColumnConstraints
    ) -> Selection:
        """Return the best subset of n_features, or of all (None), and a path of those of smaller sizes."""
        if self.beta is not None:
            raise InvalidParameter(
                f"MinimumCut(beta={self.beta!r}) needs scores that hold for subsets of any size; those of this "
                "criterion are means over the subset. Give n_features, or use Exhaustive(beta=...)."
            )
        if constraints.budget is not None:
            raise InvalidParameter(
                "MinimumCut obeys a budget only where scores hold for subsets of any size; those of this criterion are "
                "means over the subset. Use Exhaustive(), or at_most."
            )
        is_observed = ~np.isnan(objective.for_size(1).score_features())
        most, n_columns = max(int(np.count_nonzero(is_observed)), 1), len(is_observed)
        path: dict[int, tuple[int, ...]] = {}
        size, least = n_columns if n_features is None else min(n_features, n_columns), max(1, len(constraints.kept))
        for k in [k for k in candidate_sizes(size) if k >= least] or [size]:
            scores = objective.for_size(min(k, most))
            selection = _best_subset((scores.score_features(), scores.score_pairs()), None, k, constraints)
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

    References
    ----------
    Picard (1976), Maximal closure of a graph and applications to combinatorial problems,
    https://doi.org/10.1287/mnsc.22.11.1268

    Examples
    --------
    >>> from fewest import FeatureSelector, MaximumClosure, ScatterTrace, scan
    >>> chosen = FeatureSelector(ScatterTrace(degree=3), MaximumClosure(), n_features=2).fit(scan("iris")).selection_
    >>> chosen.features, chosen.is_optimal
    (('petal width (cm)', 'petal length (cm)'), True)
    """

    requires: ClassVar[frozenset[str]] = frozenset({"score_features", "score_pairs", "score_triples"})

    def run(
        self, objective: ScoresTriples, n_features: int | None, constraints: ColumnConstraints = UNCONSTRAINED
    ) -> Selection:
        """Return the best subset: of n_features, of all (None), or at the threshold beta.

        With a budget it may have fewer than n_features.
        """
        tables = objective.score_features(), objective.score_pairs(), objective.score_triples()
        return _best_subset(tables, self.beta, n_features, constraints)


def _best_subset(
    tables: Tables, beta: float | None, n_features: int | None, constraints: ColumnConstraints
) -> Selection:
    """Return the best subset under scores with one, two and maybe three indices; columns without a score come last."""
    n_columns = len(tables[0])
    observed = np.flatnonzero(~np.isnan(tables[0]))
    if len(observed) < n_columns:
        tables = tuple(table[np.ix_(*[observed] * table.ndim)] for table in tables)
    size = n_columns if n_features is None else min(n_features, n_columns)
    if not constraints.are_none:
        return constrained_subset(tables, observed, None if beta is None else float(beta), size, constraints, n_columns)
    subsets = best_subsets_of(tables, observed)
    if beta is not None:
        selection, unobserved = subsets.at_threshold(float(beta)), []
    else:
        unobserved = np.setdiff1d(np.arange(n_columns), observed)[: max(size - len(observed), 0)].tolist()
        selection = subsets.of_size(min(size, len(observed)))
    return selection if len(observed) == n_columns else among_all(selection, observed, n_columns, unobserved)
