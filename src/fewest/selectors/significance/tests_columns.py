"""What every selector has for n_features="fdr": its parameters, their checks, and the search among tested columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, cast

from sklearn.base import clone

from fewest.arrays import Floats
from fewest.data.source import Source
from fewest.errors import FewestError, InvalidParameter
from fewest.parameters import check_choice, check_count, is_number, wrong
from fewest.protocols import AnyCriterion, AnySearch, TakesPassing
from fewest.selection import Selection
from fewest.selectors.collection import CollectedRows
from fewest.selectors.shared_parameters import SharedParameters
from fewest.selectors.significance.false_discovery import (
    CONTROLS,
    DEFAULT_PERMUTATIONS,
    TestedColumns,
    explain_empty,
    tested_by_formula,
    tested_by_permutation,
    tests_by_formula,
)
from fewest.selectors.significance.label_permutations import permutable

if TYPE_CHECKING:
    from fewest.selectors.selector import Selector

#: More permutations than anybody waits for.
_MOST_PERMUTATIONS = 100_000_000
#: Parameters with which a selector scores each column on its own, where it can.
_ON_THEIR_OWN: tuple[Mapping[str, object], ...] = ({"mode": "individual"}, {"turf": None}, {"degree": 1})
_ELSEWHERE = "FisherScore, MaxRelevance or ReliefF"


@dataclass(eq=False, repr=False)
class TestsColumns(SharedParameters):
    """Select the columns whose scores are unlikely without class information, at a false discovery rate.

    Parameters
    ----------
    level : float, default=0.05
        The rate of errors under n_features="fdr": the share of selected columns that share no information with the
        class is at most this, in the mean.
    control : {"bh", "by", "fwer"}, default="bh"
        What is at most `level`: the false discovery rate of independent or positively dependent columns
        (Benjamini-Hochberg), of columns with any dependence (Benjamini-Yekutieli), or the probability of any false
        column (Holm; with permutations the largest score of all columns, Westfall-Young).
    n_permutations : int or None, default=None
        The largest number of permutations of the labels that p-values come from; fewer are used where they decide. None
        uses the formula of the method, and 1,000 permutations where it has none.

    Attributes
    ----------
    p_values_ : ndarray of float, shape (n_features_in_,)
        Under n_features="fdr", the p-value of each column.
    q_values_ : ndarray of float, shape (n_features_in_,)
        The same adjusted for the number of columns: those of at most `level` are selected.
    """

    __test__ = False  # it is no test of pytest's

    _: KW_ONLY
    level: float = 0.05
    control: str = "bh"
    n_permutations: int | None = None

    def _is_tested(self) -> bool:
        """Return whether tests decide how many columns are taken."""
        return str(getattr(self, "n_features", None)) == "fdr"

    def _check_tests(self, search: AnySearch | None) -> None:
        """Raise unless the parameters of tests are what they must be, and the search can take the columns that pass.

        search : None where there are several
        """
        if not is_number(self.level) or not 0 < self.level < 1:
            raise wrong("level", "a number between 0 and 1", self.level)
        check_choice("control", self.control, CONTROLS)
        if self.n_permutations is not None:
            check_count("n_permutations", self.n_permutations, 1, at_most=_MOST_PERMUTATIONS, end=" or None")
        if not self._is_tested():
            return
        own = cast("Selector", self)
        kind = type(self).__name__
        if not (isinstance(search, TakesPassing) and search.takes_passing):
            how = "chooses among methods or stages" if search is None else f"takes features by {type(search).__name__}"
            advice = next((f"{kind}({_written(way)})" for way in _ON_THEIR_OWN if _is_testable(own, way)), _ELSEWHERE)
            raise InvalidParameter(
                f"n_features='fdr' tests a score that each column has on its own, and {kind} {how}. Use {advice} with "
                "n_features='fdr', or give n_features a number."
            )
        if own.column_groups is not None:
            raise InvalidParameter(
                "n_features='fdr' tests single columns, and column_groups takes several as one. Leave out one of them."
            )
        if own._alternatives():
            name = next(iter(own._alternatives()[0]))
            raise InvalidParameter(
                f"{name}='auto' is chosen by cross-validation, and n_features='fdr' tests with one value. Give {name} "
                "a number."
            )

    def _permutes(self, criterion: AnyCriterion) -> bool:
        """Return whether labels may have to be permuted, so that rows are needed in memory."""
        return self._is_tested() and (self.n_permutations is not None or "p_values" not in criterion.offers)

    def _check_tests_of_parts(self) -> None:
        """Raise AttributeError where labels have to be permuted, for which all rows are needed at once."""
        if self._is_tested() and self._permutes(cast("Selector", self).sentence()[0]):
            raise AttributeError("p-values by permuting the labels need all rows at once. Use fit.")

    def _rows_to_permute(self, source: Source, criterion: AnyCriterion) -> Source:
        """Return the source, its rows in memory where labels may have to be permuted."""
        return permutable(source) if self._permutes(criterion) else source

    def _unused_tests(self) -> dict[str, str]:
        """Return the parameters of tests that were set and change nothing, with the reason."""
        if self._is_tested():
            return {}
        defaults = {"level": 0.05, "control": "bh", "n_permutations": None}
        changed = [name for name, default in defaults.items() if getattr(self, name) != default]
        return dict.fromkeys(changed, "it belongs to n_features='fdr'")

    def _run_search(
        self, sentence: tuple[AnyCriterion, Any], objective: Any, size: int | None, collected: CollectedRows | None
    ) -> tuple[Selection, tuple[str, ...]]:
        """Run the search, among the columns that pass where these are tested; also return notes on the tests."""
        (criterion, search), own = sentence, cast("Selector", self)
        for attribute in ("p_values_", "q_values_"):
            self.__dict__.pop(attribute, None)
        if not self._is_tested():
            return own._space.run(search, objective, size), ()
        tested = self._test(criterion, objective, collected)
        self.p_values_: Floats = tested.p_values
        self.q_values_: Floats = tested.q_values
        selection = search.run_among(objective, tested.passing(self.level), own._space.constraints)
        notes = tested.notes
        if not selection.indices:
            notes += (explain_empty(tested, self.control, self.level, own._source_column_name),)
        return selection, notes

    def _test(self, criterion: AnyCriterion, objective: Any, collected: CollectedRows | None) -> TestedColumns:
        if self.n_permutations is None and tests_by_formula(objective):
            return tested_by_formula(objective, self.control)
        assert collected is not None  # _check_partial_fit has refused it
        n_permutations = DEFAULT_PERMUTATIONS if self.n_permutations is None else int(self.n_permutations)
        seed = int(cast("Selector", self).random_state)
        return tested_by_permutation(
            criterion, objective, collected, self.control, float(self.level), n_permutations, seed
        )


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
