"""The search among columns that pass a test, and which selectors have one: what n_features="fdr" runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, cast

from sklearn.base import clone

from fewest.display.formatting import counted, first_names
from fewest.errors import FewestError, InvalidParameter
from fewest.protocols import AnyCriterion, AnySearch, GivesPValues, Objective, ScoresFeatures, Sentence, TakesPassing
from fewest.selection import Selection
from fewest.selectors.collection import CollectedRows
from fewest.selectors.significance.false_discovery import (
    DEFAULT_PERMUTATIONS,
    TestedColumns,
    explain_empty,
    tested_by_formula,
    tested_by_permutation,
    tests_by_formula,
)

if TYPE_CHECKING:
    from fewest.selectors.selector import Selector

#: Parameters with which a selector scores each column on its own, where it can.
_ON_THEIR_OWN: tuple[Mapping[str, object], ...] = ({"mode": "individual"}, {"turf": None}, {"degree": 1})
_ELSEWHERE = "FisherScore, MaxRelevance or ReliefF"


def check_testable(selector: Selector, search: AnySearch | None) -> None:
    """Raise, before any data are read, unless the search takes each column on its own; None where there are several."""
    kind = type(selector).__name__
    if not (isinstance(search, TakesPassing) and search.takes_passing):
        how = "chooses among methods or stages" if search is None else f"takes features by {type(search).__name__}"
        advice = next((f"{kind}({_written(way)})" for way in _ON_THEIR_OWN if _is_testable(selector, way)), _ELSEWHERE)
        raise InvalidParameter(
            f"n_features='fdr' tests a score that each column has on its own, and {kind} {how}. Use {advice} with "
            "n_features='fdr', or give n_features a number."
        )
    if selector.column_groups is not None:
        raise InvalidParameter(
            "n_features='fdr' tests single columns, and column_groups takes several as one. Leave out one of them."
        )
    if selector._alternatives():
        name = next(iter(selector._alternatives()[0]))
        raise InvalidParameter(
            f"{name}='auto' is chosen by cross-validation, and n_features='fdr' tests with one value. Give {name} a "
            "number."
        )


def run_among_passing(
    selector: Selector, sentence: Sentence, objective: Objective, collected: CollectedRows | None
) -> tuple[Selection, tuple[str, ...]]:
    """Return the columns that pass, and notes; store the p-values in the selector. Warn where none passes."""
    # check_testable has checked both.
    criterion, search, scored = sentence[0], cast(TakesPassing, sentence[1]), cast(ScoresFeatures, objective)
    tested = _test(selector, criterion, scored, collected)
    selector.p_values_, selector.q_values_ = tested.p_values, tested.q_values
    level = float(selector.level)
    selection: Selection = search.run_among(scored, tested.passing(level), selector._space.constraints)
    notes = tested.notes
    if failing := [column for column in selection.indices if not tested.passing(level)[column]]:
        names = first_names([selector._source_column_name(column) for column in failing])
        notes += (f"{counted(len(failing), 'feature')} to keep would not pass the test: {names}",)
    if not selection.indices:
        notes += (explain_empty(tested, selector.control, level, selector._source_column_name),)
    return selection, notes


def _test(
    selector: Selector, criterion: AnyCriterion, objective: ScoresFeatures, collected: CollectedRows | None
) -> TestedColumns:
    if selector.n_permutations is None and tests_by_formula(objective):
        return tested_by_formula(cast(GivesPValues, objective), selector.control)
    assert collected is not None  # partial_fit is not there
    n_permutations = DEFAULT_PERMUTATIONS if selector.n_permutations is None else int(selector.n_permutations)
    level, seed = float(selector.level), int(selector.random_state)
    return tested_by_permutation(criterion, objective, collected, selector.control, level, n_permutations, seed)


def _is_testable(selector: Selector, way: Mapping[str, object]) -> bool:
    """Return whether a selector scores each column on its own with these parameters."""
    if not way.keys() <= selector.get_params(deep=False).keys():
        return False
    try:
        search = clone(selector).set_params(**way).sentence()[1]
    except FewestError:
        return False
    return isinstance(search, TakesPassing) and search.takes_passing


def _written(way: Mapping[str, object]) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in way.items())
