"""Which columns pass at a false discovery rate, and why none does: the tests behind n_features="fdr"."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import cast

import numpy as np

from fewest.arrays import Codes, Floats, Indices, Mask
from fewest.errors import FewestWarning
from fewest.objectives.grouped_columns import GroupedObjective
from fewest.protocols import AnyCriterion, GivesPValues, PermutationScorer, ScoresFeatures, ScoresPermutations
from fewest.selectors.collection import CollectedRows, bind_features
from fewest.selectors.significance.held_columns import scorer_of_held
from fewest.selectors.significance.label_permutations import LabelPermutations, given_rows
from fewest.selectors.significance.permutation_test import PermutationTest, permutation_test

#: The number of permutations where none is given and no formula gives p-values.
DEFAULT_PERMUTATIONS = 1000
#: Scores of permutations that are held at a time.
_MOST_SCORES = 1 << 22
#: The sizes of batches where permutations are bound one after the other: it is soon asked whether more are needed.
_ONE_BY_ONE = (10, 10)


@dataclass(frozen=True)
class TestedColumns:
    """The p-value of each column, adjusted for the number of columns, and notes on how they came about.

    n_permutations : the most permutations that the p-values could come from; None where a formula gives them
    least : the smallest adjusted p-value that this number could give, where fewer decided; 0 where all were used
    n_lowest : with permutations, the number of columns whose score none of them reached
    """

    __test__ = False  # it is no test of pytest's

    p_values: Floats
    q_values: Floats
    notes: tuple[str, ...]
    n_permutations: int | None = None
    least: float = 0.0
    n_lowest: int = 0

    def passing(self, level: float) -> Mask:
        """Return which columns pass at this level."""
        return np.asarray(self.q_values <= level)


def adjust(p_values: Floats, control: str) -> Floats:
    """Return p-values adjusted for their number: a column passes at a level that is no less.

    control : "bh" (Benjamini-Hochberg) and "by" (Benjamini-Yekutieli), the false discovery rate; "fwer" (Holm), the
        family-wise error rate
    """
    if len(p_values) == 0:
        return p_values.copy()
    if control == "fwer":
        order = np.argsort(p_values, kind="stable")
        remaining = np.arange(len(p_values), 0, -1)
        adjusted = np.empty(len(p_values))
        adjusted[order] = np.minimum(np.maximum.accumulate(p_values[order] * remaining), 1.0)
        return adjusted
    from scipy.stats import false_discovery_control  # not needed by most, and slow to import

    return np.asarray(false_discovery_control(p_values, method=control))


def tests_by_formula(objective: object) -> bool:
    """Return whether an objective gives p-values itself; those of columns are none of features that are several."""
    return callable(getattr(objective, "p_values", None)) and not isinstance(objective, GroupedObjective)


def tested_by_formula(objective: GivesPValues, control: str) -> TestedColumns:
    """Return the columns tested by the p-values that an objective gives.

    It may have `test`, the name of the test, and after it `test_notes`, what should be known of them.
    """
    p_values: Floats = np.asarray(objective.p_values(), dtype=np.float64)
    note = f"p-values by the {getattr(objective, 'test', 'test')} of each column"
    return TestedColumns(p_values, adjust(p_values, control), (note, *getattr(objective, "test_notes", ())))


def tested_by_permutation(
    criterion: AnyCriterion,
    objective: ScoresFeatures,
    collected: CollectedRows,
    control: str,
    level: float,
    n_permutations: int,
    seed: int,
) -> TestedColumns:
    """Return the columns tested by permutations of the labels, as many as are needed and at most n_permutations."""
    permutations = LabelPermutations(given_rows(collected.source), collected.readable, seed)
    observed, score, batches = _scorer(criterion, objective, permutations)
    # Where decided columns are left out, to go on costs little, and gives the others their own p-values.
    is_largest, is_dear = control == "fwer", batches == _ONE_BY_ONE
    adjusted: Callable[[Floats], Floats] = (lambda p: p) if is_largest else partial(adjust, control=control)
    found = permutation_test(
        observed,
        score,
        n_permutations,
        lambda p: adjusted(p) <= level,
        is_largest=is_largest,
        stops_early=is_largest or is_dear,
        batches=batches,
    )
    least = adjusted(found.least_p_values) if found.n_permutations < n_permutations else np.zeros(1)
    tested = TestedColumns(
        found.p_values,
        adjusted(found.p_values),
        (f"p-values by {_number_used(found, n_permutations)}",),
        n_permutations,
        float(least.min()),
        found.n_lowest,
    )
    if getattr(criterion, "scores_jointly", False):
        return _tested_again(tested, criterion, observed, permutations, adjusted, level, is_largest)
    return tested


def _tested_again(
    first: TestedColumns,
    criterion: AnyCriterion,
    observed: Floats,
    permutations: LabelPermutations,
    adjusted: Callable[[Floats], Floats],
    level: float,
    is_largest: bool,
) -> TestedColumns:
    """Return columns whose scores depend on others, those that pass tested anew with the others that pass held."""
    is_passing, n_most = first.passing(level), cast(int, first.n_permutations)
    passing = np.flatnonzero(is_passing)[np.argsort(-observed[is_passing], kind="stable")]
    if len(passing) < 2:
        return first

    def joined(p_values: Floats) -> Floats:
        return np.where(is_passing, np.maximum(first.p_values, p_values), first.p_values)

    found = permutation_test(
        np.where(is_passing, observed, np.nan),
        scorer_of_held(criterion, permutations, passing, len(observed), is_largest),
        n_most,
        lambda p: adjusted(joined(p)) <= level,
        batches=_ONE_BY_ONE,
    )
    p_values = joined(found.p_values)
    q_values = adjusted(p_values)
    note = (
        "the score of a column depends on the other columns: those that passed were tested again, each while the "
        f"others keep their differences between the classes, by {_number_used(found, n_most)}. "
        f"{np.count_nonzero(q_values <= level):,} of {len(passing):,} passed"
    )
    least = adjusted(joined(found.least_p_values)) if found.n_permutations < n_most else np.zeros(1)
    return TestedColumns(p_values, q_values, (*first.notes, note), n_most, float(least.min()), found.n_lowest)


def _number_used(found: PermutationTest, n_most: int) -> str:
    used = f"{found.n_permutations:,} permutations of the labels"
    if found.n_permutations < n_most:
        used += f" (at most {n_most:,}): {found.reason}"
    return used


def _scorer(
    criterion: AnyCriterion, objective: ScoresFeatures, permutations: LabelPermutations
) -> tuple[Floats, Callable[[int, Indices], Floats], tuple[int, int]]:
    """Return the observed scores, what scores the next permutations, and the sizes of batches."""
    n_columns = objective.n_columns
    if isinstance(criterion, ScoresPermutations) and not permutations.is_weighted:
        rows = permutations.observed.collect(criterion.permutation_rows())
        at_once: PermutationScorer | None = criterion.permutation_scorer(rows)
        if at_once is not None:
            known = {label: code for code, label in enumerate(rows.classes)}  # type: ignore[attr-defined]
            code_of: Codes = np.array([known[label] for label in permutations.classes], dtype=np.int32)
            score_labels = at_once
            # By the same route as the permutations, so that equal ones are equal to the last digits.
            every_column = np.arange(n_columns)
            observed = score_labels(code_of[permutations.codes[None]], every_column)[0]
            observed = np.where(np.isnan(objective.score_features()), np.nan, observed)
            largest = int(np.clip(_MOST_SCORES // max(n_columns, 1), 20, 400))
            return (
                observed,
                lambda n, columns: score_labels(code_of[permutations.draw(n)], columns),
                (min(50, largest), largest),
            )

    def bind_each(n: int, columns: Indices) -> Floats:
        scores = np.empty((n, len(columns)))
        for index, codes in enumerate(permutations.draw(n)):
            statistic = permutations.relabelled(codes).collect(criterion.statistic())
            scores[index] = bind_features(criterion, statistic).score_features()[columns]
        return scores

    if permutations.is_repeated:
        statistic = permutations.observed.collect(criterion.statistic())
        return bind_features(criterion, statistic).score_features(), bind_each, _ONE_BY_ONE
    return objective.score_features(), bind_each, _ONE_BY_ONE


def explain_empty(tested: TestedColumns, control: str, level: float, name_of: Callable[[int], str]) -> str:
    """Return why no column passes, and warn: its smallest adjusted p-value, and whether permutations are too few."""
    best = int(np.argmin(tested.q_values))
    smallest = f"{tested.q_values[best]:.3g}, of column {name_of(best)!r}"
    if tested.least > level:
        smallest = f"no less than {tested.least:.3g}, whatever permutations were still to come"
    note = f"No features were selected: the smallest adjusted p-value is {smallest}, and the level is {level:g}"
    if tested.n_permutations is not None and tested.n_lowest:
        n_columns = 1 if control == "fwer" else len(tested.q_values)
        factor = float((1 / np.arange(1, n_columns + 1)).sum()) if control == "by" else 1.0
        needed = math.ceil(n_columns * factor / level) - 1
        if needed > tested.n_permutations:
            note += (
                f". {tested.n_permutations:,} permutations give no p-value below "
                f"{1 / (tested.n_permutations + 1):.2g}, which is not enough for {n_columns:,} column(s): "
                f"n_permutations={needed} is enough for one to pass"
            )
            note += "" if control == "fwer" else ", and control='fwer' needs fewer"
    warnings.warn(note, FewestWarning, stacklevel=7)
    return note
