"""Rank features by their scores, each on its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fewest.arrays import Floats, Indices, Mask
from fewest.constraints import ALL_CONSTRAINTS, UNCONSTRAINED, ColumnConstraints
from fewest.parameters import as_float, is_number, wrong
from fewest.protocols import GivesPValues, ScoresFeatures
from fewest.searches.constrained_sums import BestSum, best_sum
from fewest.selection import NestedPath, Selection


@dataclass(frozen=True)
class IndividualRanking:
    """Take the features with the highest scores, each on its own.

    Ties go to the lowest column; a column without a score comes last. Where the value of a subset is the sum of its
    features' scores, the answer is the exact optimum.

    Parameters
    ----------
    beta : float, "null" or None, default=None
        A number takes the features that score above it, strictly. "null" takes those whose score is unlikely in a
        column without class information, and needs a criterion with p_values. None takes the number asked for.
    level : float, default=0.05
        The false discovery rate under beta="null" (Benjamini-Hochberg).

    See Also
    --------
    GreedyForward : Scores a feature in addition to those selected.
    MinimumCut : Features that have scores in pairs too.

    References
    ----------
    Benjamini and Hochberg (1995), Controlling the false discovery rate,
    https://doi.org/10.1111/j.2517-6161.1995.tb02031.x

    Examples
    --------
    >>> from fewest import FeatureSelector, IndividualRanking, ScatterRatio, scan
    >>> FeatureSelector(ScatterRatio(), IndividualRanking(), n_features=3).fit(scan("wine")).selection_.features
    ('flavanoids', 'proline', 'od280/od315_of_diluted_wines')
    """

    beta: float | str | None = None
    level: float = 0.05

    honours: ClassVar[frozenset[str]] = ALL_CONSTRAINTS

    def __post_init__(self) -> None:
        if not (isinstance(self.beta, str) and self.beta == "null"):
            check_threshold(self.beta, "a finite number, 'null' or None")
        if not is_number(self.level) or not 0 < self.level < 1:
            raise wrong("level", "a number between 0 and 1", self.level)

    @property
    def requires(self) -> frozenset[str]:
        """The methods of the objective that this search uses."""
        return frozenset({"score_features", "p_values"} if self.beta == "null" else {"score_features"})

    @property
    def takes_passing(self) -> bool:
        """Whether no threshold decides how many columns are taken."""
        return self.beta is None

    def run_among(
        self, objective: ScoresFeatures, passing: Mask, constraints: ColumnConstraints = UNCONSTRAINED
    ) -> Selection:
        """Return the features that pass a test, and those to keep, by their scores, as the constraints allow."""
        scores: Floats = objective.score_features()
        # A set of tests, not the optimum of an objective.
        if constraints.are_none:
            among = np.flatnonzero(passing)
            return self._selection(scores, among[highest(scores[among], len(among))], None)
        passes = passing.copy()
        passes[list(constraints.kept)] = True
        found = best_sum(scores - constraints.prices(len(scores)), len(scores), constraints, passes, is_sum=False)
        return self._constrained_selection(scores, found, constraints)

    def run(
        self, objective: GivesPValues, n_features: int | None, constraints: ColumnConstraints = UNCONSTRAINED
    ) -> Selection:
        """Return the features by their scores: n_features, or all (None), where there is no threshold."""
        scores: Floats = objective.score_features()
        if not constraints.are_none:
            return self._run_constrained(objective, scores, n_features, constraints)
        if self.beta is None:
            chosen = highest(scores, len(scores) if n_features is None else n_features)
            value = float(np.nansum(scores[chosen]))
        elif self.beta == "null":
            return self.run_among(objective, false_discovery_mask(objective.p_values(), self.level))
        else:
            beta = float(self.beta)
            above = np.flatnonzero(scores > beta)
            chosen = above[highest(scores[above], len(above))]
            value = float(np.sum(scores[chosen] - beta))
        return self._selection(scores, chosen, value if objective.is_additive else None)

    def _selection(self, scores: Floats, chosen: Indices, value: float | None) -> Selection:
        """Return the selection of these columns, best first; value : of the best subset, None where there is none."""
        is_proved = value is not None
        indices = tuple(chosen.tolist())
        return Selection(
            indices=indices,
            scores=tuple(scores[chosen].tolist()),
            path=NestedPath(indices),
            value=value,
            bound=value,
            is_optimal=True if is_proved else None,
            beta=float(self.beta) if is_proved and self.beta is not None else None,
            proved_by="ranking of an additive objective" if is_proved else "",
            tolerance=_summing_error(scores[chosen], self.beta) if is_proved else None,
            column_scores=scores,
        )

    def _run_constrained(
        self, objective: GivesPValues, scores: Floats, n_features: int | None, constraints: ColumnConstraints
    ) -> Selection:
        """Return the features by their scores less prices, as the constraints allow."""
        net = scores - constraints.prices(len(scores))
        passes: Mask = np.ones(len(scores), dtype=bool)
        if self.beta == "null":
            passes = false_discovery_mask(objective.p_values(), self.level)
        elif self.beta is not None:
            net = net - float(self.beta)
            passes = net > 0
        passes[list(constraints.kept)] = True
        count = len(scores) if n_features is None or self.beta is not None else n_features
        is_sum = objective.is_additive and self.beta != "null"
        found = best_sum(net, count, constraints, passes, is_sum=is_sum)
        return self._constrained_selection(scores, found, constraints)

    def _constrained_selection(self, scores: Floats, found: BestSum, constraints: ColumnConstraints) -> Selection:
        """Return what was found under constraints; a path of nested subsets begins with the kept columns."""
        is_proved = found.value is not None
        chosen = np.array(found.columns, dtype=np.intp)
        return Selection(
            indices=found.columns,
            scores=tuple(scores[chosen].tolist()),
            path=NestedPath(found.columns, len(constraints.kept)),
            value=found.value,
            bound=found.bound,
            is_optimal=found.is_optimal,
            beta=float(self.beta) if is_proved and is_number(self.beta) else None,
            proved_by=found.proved_by,
            tolerance=found.tolerance + _summing_error(scores[chosen], self.beta) if is_proved else None,
            column_scores=scores,
        )


def _summing_error(scores: Floats, beta: object) -> float:
    """Return what summing scores, less beta for each, may lose."""
    cost = abs(beta) if is_number(beta) else 0.0
    return len(scores) * float(np.finfo(np.float64).eps) * float(np.nansum(np.abs(scores) + cost))


def check_threshold(beta: object, allowed: str = "a finite number or None") -> None:
    """Raise unless beta is a finite number or None."""
    if not (beta is None or (is_number(beta) and np.isfinite(as_float(beta)))):
        raise wrong("beta", allowed, beta)


def highest(scores: Floats, count: int) -> Indices:
    """Return the columns with the highest scores, best first; ties to the lowest column, NaN last."""
    candidates = _candidates(scores, count)
    return candidates[np.argsort(-scores[candidates], kind="stable")][:count]


def _candidates(scores: Floats, count: int) -> Indices:
    """Return a few columns, ascending, among which are the highest `count`, by two passes instead of a sort."""
    n_blocks = 32 * max(count, 1)
    width = len(scores) // n_blocks
    if width < 2:
        return np.arange(len(scores))
    # At least `count` blocks of columns hold a score of at least the count-th highest block maximum.
    maxima = np.fmax.reduce(scores[: n_blocks * width].reshape(n_blocks, width), axis=1)
    limit = np.sort(np.where(np.isnan(maxima), -np.inf, maxima))[-count]
    found = np.flatnonzero(scores >= limit)
    return found if len(found) >= count else np.arange(len(scores))


def false_discovery_mask(p_values: Floats, level: float) -> Mask:
    """Return which tests pass at this false discovery rate (Benjamini-Hochberg)."""
    from scipy.stats import false_discovery_control  # not needed by most, and slow to import

    return np.asarray(false_discovery_control(p_values) <= level) if len(p_values) else np.zeros(0, dtype=bool)
