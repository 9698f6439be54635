"""StabilitySelection: the columns that halves of the rows select again and again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import ClassVar

import numpy as np

from fewest.arrays import Floats, Indices
from fewest.data.source import Source
from fewest.display.formatting import count, counted, frequency
from fewest.display.progress import step_bar
from fewest.errors import InvalidInput, InvalidParameter
from fewest.methods.guarantees.canonical_rows import CanonicalRows
from fewest.methods.guarantees.complementary_pairs import draw_pairs
from fewest.methods.guarantees.error_bounds import FalseSelections
from fewest.methods.guarantees.guarantee_selector import GuaranteeSelector
from fewest.methods.guarantees.inner_selector import (
    fit_quietly,
    inner_selector,
    unused_parameters,
)
from fewest.methods.guarantees.stability_path import PathCounts, StabilityPath
from fewest.parameters import check_count, check_positive, is_auto, is_number, wrong
from fewest.protocols import Sentence
from fewest.selection import NestedPath, Selection
from fewest.selectors.collection import groups_of
from fewest.selectors.input import column_name
from fewest.selectors.selector import Selector
from fewest.selectors.selector_parameters import check_parameters, resolve_size

#: The threshold where neither it nor the number of features a half is given: in the middle of the usual .6 to .9.
_USUAL_THRESHOLD = 0.75
_MOST_PAIRS = 10_000


@dataclass(eq=False, repr=False)
class StabilitySelection(GuaranteeSelector):
    """Select the columns that a selector takes on most halves of the rows; bounds the number of false selections.

    The rows are cut in halves `n_pairs` times, at random, every class in half. The selector takes q features on each
    half, and the columns taken on a share of at least `threshold` of the halves are selected. Of the number of features
    of `selector`, which is q, and `threshold` one may be left out: it then is what keeps the expected number of false
    selections at `expected_false`.

    Parameters
    ----------
    selector : selector, str or None, default=None
        The selector of each half, or a method's name, such as "relieff" or "mrmr(criterion=quotient)"; None is MRMR().
        Its n_features is q, a number or a share; None chooses the largest q that the bound allows at `threshold`.
    expected_false : float, default=1.0
        The expected number of false selections is at most this, by the bound.
    threshold : float or None, default=None
        The share of the halves, above 0.5 and up to 1. None takes the lowest that the bound allows, or 0.75 where q is
        not given either.
    n_pairs : int, default=50
        The number of complementary pairs: twice as many halves are selected on.
    bound : {"shah-samworth", "meinshausen-buhlmann"}, default="shah-samworth"
        Whose bound.
    assumption : {"r-concave", "unimodal", "none"}, default="r-concave"
        What the bound of Shah and Samworth assumes of the distribution of the frequencies of noise columns: the more,
        the smaller the bound. "none" gives the same number as Meinshausen and Bühlmann.
    n_features : int, float, "auto" or None, default=None
        None and "auto" select the columns that reach the threshold. A number selects the most frequent ones, whether
        they reach it or not.
    random_state : int, default=0
        The seed of the halves.

    Attributes
    ----------
    scores_, frequencies_ : ndarray of shape (n_features_in_,)
        The share of the halves that select each column.
    threshold_ : float
        The threshold, a multiple of 1 / (2 n_pairs).
    q_ : int
        The number of features that each half selects.
    expected_false_ : float
        The bound on the expected number of false selections with this threshold and q.
    path_ : StabilityPath
        The frequency of each column against the number of features that each half selects: sizes, columns, frequencies.

    See Also
    --------
    Knockoffs : A false discovery rate by copies of the columns.
    MRMR : The selector of the halves by default.

    Notes
    -----
    With p columns that are not constant the bound of Meinshausen and Bühlmann is q^2 / ((2 threshold - 1) p). It counts
    noise columns if the selection of noise columns is exchangeable and the selector is no worse than guessing. Those of
    Shah and Samworth need neither: they count the columns that half of the rows select with a probability of at most
    q / p. Columns that tie are taken in an order that is drawn anew for each half. Constant columns are left out. Rows
    of one group are in one half. Costs 2 n_pairs fits of the selector on half of the rows.

    References
    ----------
    Meinshausen, Bühlmann, 2010. Stability selection. https://doi.org/10.1111/j.1467-9868.2010.00740.x
    Shah, Samworth, 2013. Variable selection with error control: another look at stability selection.
    https://doi.org/10.1111/j.1467-9868.2011.01034.x

    Examples
    --------
    >>> import numpy as np
    >>> from fewest import FisherScore, StabilitySelection
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(100, 50)), np.arange(100) % 2
    >>> X[:, :3] += 2 * y[:, None]
    >>> stable = StabilitySelection(FisherScore(n_features=5), expected_false=0.5).fit(X, y)
    >>> sorted(stable.selection_.indices)
    [0, 1, 2]
    >>> print(f"{stable.q_} a half, threshold {stable.threshold_}, at most {stable.expected_false_:.2f} false")
    5 a half, threshold 0.62, at most 0.45 false
    """

    name: ClassVar[str] = "stability-selection"
    summary: ClassVar[str] = "what a method (mrmr) selects on most halves of the rows"
    formula: ClassVar[str] = "share of the halves whose q features hold the column"
    takes: ClassVar[str] = "what the method takes"
    proves: ClassVar[str] = "a bound on the expected number of false selections"
    cost: ClassVar[str] = "100 fits on half of the rows"

    _: KW_ONLY
    expected_false: float = 1.0
    threshold: float | None = None
    n_pairs: int = 50
    bound: str = "shah-samworth"
    assumption: str = "r-concave"

    def _checked_sentence(self) -> Sentence:
        check_parameters(self)
        check_positive("expected_false", self.expected_false)
        if self.threshold is not None and not (is_number(self.threshold) and 0.5 < self.threshold <= 1):
            raise wrong("threshold", "a number above 0.5 and up to 1, or None", self.threshold)
        check_count("n_pairs", self.n_pairs, 1, at_most=_MOST_PAIRS)
        FalseSelections(self.bound, self.assumption, 1, 1)
        return self._checked_inner_sentence()

    def _check_partial_fit(self) -> None:
        raise AttributeError("StabilitySelection needs all rows at once, to cut them in halves. Use fit.")

    def _allows_missing(self) -> bool:
        return self._inner()._allows_missing()

    def _without_effect(self) -> Mapping[str, str]:
        unused = unused_parameters(self, "it is a parameter of the selector of the halves")
        if self.bound == "meinshausen-buhlmann" and self.assumption != "r-concave":
            unused["assumption"] = "the bound of Meinshausen and Bühlmann makes its own"
        return unused

    def _inner(self) -> Selector:
        """Return a copy of the selector of the halves, with its parameters checked as far as they matter here."""
        inner = inner_selector(self.selector, "mrmr", self.scale)
        if isinstance(inner, StabilitySelection):
            raise InvalidParameter("selector must be another method: StabilitySelection within itself has no bound.")
        if is_auto(inner.n_features) or inner.set_params(n_features=inner.n_features or 1)._chooses_size():
            raise InvalidParameter(
                f"selector={inner!r} chooses its own number of features, and stability selection needs the same number "
                "on every half. Give it a number, such as n_features=10, or None, and no threshold of its own."
            )
        return inner_selector(self.selector, "mrmr", self.scale)

    def _fit_all(self, source: Source, groups: object, started: float) -> None:
        """Select on halves of the rows, rows of one group in one half."""
        source = self._sampled(source)
        sample_notes = self._sample_notes(source)
        rows = CanonicalRows.of(source, groups_of(source, groups), "rows are drawn")
        _check_halves(rows)
        inner = self._inner()
        bound = FalseSelections(self.bound, self.assumption, max(1, len(rows.columns)), self.n_pairs)
        self.q_, step = self._design(inner, bound)
        self.threshold_, self.expected_false_ = step / bound.n_halves, bound.at(self.q_, step)
        counted_halves = self._count(rows, inner.set_params(n_features=self.q_))
        # A column without any value has no frequency.
        self.frequencies_: Floats = np.where(rows.moments.is_observed, counted_halves.counts / bound.n_halves, np.nan)
        self.path_: StabilityPath = counted_halves.path(self.threshold_)
        selection = self._selection(counted_halves.counts >= step)
        table_notes = rows.notes(partial(column_name, self))
        notes = (*sample_notes, *table_notes, *self._notes(rows, inner, selection, step))
        self._store_selection(selection, self._provenance(started, rows.facts, notes))

    def _design(self, inner: Selector, bound: FalseSelections) -> tuple[int, int]:
        """Return the number of features a half, and the threshold in halves."""
        is_given = inner.n_features is not None
        q = min(resolve_size(inner.n_features, bound.n_columns), bound.n_columns) if is_given else 0
        if self.threshold is None and is_given:
            return q, bound.least_step(q, self.expected_false)
        step = bound.step_of(_USUAL_THRESHOLD if self.threshold is None else self.threshold)
        largest = bound.largest_size(step, self.expected_false)
        if largest < 1:
            raise bound.nothing_holds(step, self.expected_false)
        if is_given and q > largest:
            raise InvalidInput(
                f"With q = {q} features a half and threshold={self.threshold:g}, the expected number of false "
                f"selections among {bound.n_columns:,} columns is bounded by {bound.at(q, step):.3g}, not by "
                f"expected_false={self.expected_false:g}. Give the selector n_features={largest}, the largest that "
                "can, or None; or leave out the threshold."
            )
        return (q if is_given else largest), step

    def _count(self, rows: CanonicalRows, inner: Selector) -> PathCounts:
        """Count the halves that select each column."""
        found = PathCounts(self.q_, self.n_features_in_)
        if len(rows.columns) == 0:
            found.n_halves = 2 * self.n_pairs
            return found
        draw = np.random.default_rng([self.random_state, self.n_pairs])
        what = f"half of the rows ({count(rows.n_rows // 2)} of {count(rows.n_rows)})"
        with step_bar("selecting on halves", 2 * self.n_pairs) as advance:
            for pair in draw_pairs(rows.codes, rows.groups, self.n_pairs, self.random_state):
                for half in pair:
                    # Ties go to the first column: which that is differs from half to half.
                    columns: Indices = draw.permutation(rows.columns)
                    selection = fit_quietly(inner, rows.rows(half, columns), what).selection_
                    of_table = selection.among_all(columns.tolist(), self.n_features_in_)
                    found.add(of_table.indices, of_table.path)
                    advance()
        return found

    def _selection(self, is_stable: np.ndarray) -> Selection:
        """Return the columns that reach the threshold, or the number asked for, the most frequent first."""
        frequencies = self.frequencies_
        along = np.zeros(self.n_features_in_)
        if len(self.path_.columns):
            # Of equals the one that enters at smaller sizes.
            along[self.path_.columns] = np.nansum(self.path_.frequencies, axis=0)
        order = np.lexsort((-along, -frequencies))
        if self._chooses_size():
            chosen = order[is_stable[order]]
        else:
            chosen = order[: resolve_size(self.n_features, self.n_features_in_)]
        indices = tuple(chosen.tolist())
        return Selection(
            indices=indices,
            scores=tuple(frequencies[chosen].tolist()),
            path=NestedPath(indices),
            column_scores=frequencies,
        )

    def _notes(self, rows: CanonicalRows, inner: Selector, selection: Selection, step: int) -> tuple[str, ...]:
        """Return what is guaranteed, of what, and why an answer is empty."""
        name, n_columns = inner.name or type(inner).__name__, len(rows.columns)
        notes = [
            f"{name} selects {counted(self.q_, 'feature')} on each of {2 * self.n_pairs} halves of the rows; those "
            f"selected on {frequency(self.threshold_)} of them or more are expected to hold at most "
            f"{self.expected_false_:.2g} false selection(s) among {counted(n_columns, 'column')} ({self._by()})"
        ]
        n_stable = int(np.count_nonzero(self.frequencies_ * 2 * self.n_pairs >= step - 0.5))
        if n_stable == 0 and n_columns:
            best = int(np.nanargmax(self.frequencies_))
            notes.append(
                f"no column reaches the threshold of {frequency(self.threshold_)}: the most frequent, "
                f"{column_name(self, best)}, is selected on {frequency(self.frequencies_[best])} of the halves. Allow "
                "more false selections, or give more rows"
            )
        if not self._chooses_size() and len(selection) != n_stable:
            notes.append(
                f"{counted(len(selection), 'feature')} asked for, and {count(n_stable)} reach the threshold: the bound "
                "is about these"
            )
        notes += [f"{parameter} has no effect: {why}" for parameter, why in self._without_effect().items()]
        return tuple(notes)

    def _by(self) -> str:
        """Whose bound, and what it takes for granted, in words."""
        if self.bound == "meinshausen-buhlmann":
            return (
                "Meinshausen and Bühlmann's bound, if noise columns are exchangeable and the method is no worse than "
                "guessing"
            )
        held = {
            "none": "without assumptions",
            "unimodal": "for unimodal frequencies",
            "r-concave": "for r-concave ones",
        }
        return (
            f"Shah and Samworth's bound {held[self.assumption]}; a false selection is a column that half of the rows "
            "select no more often than by guessing"
        )


def _check_halves(rows: CanonicalRows) -> None:
    """Raise unless both halves can have rows of two classes."""
    units = rows.codes if rows.groups is None else np.unique(np.column_stack([rows.codes, rows.groups]), axis=0)[:, 0]
    counts = np.bincount(units)
    if np.count_nonzero(counts >= 2) < 2:
        what = "rows" if rows.groups is None else "groups of rows"
        raise InvalidInput(
            f"Both halves of the rows need two classes, and {np.count_nonzero(counts >= 2)} class(es) have two {what} "
            f"or more (n_samples={rows.n_rows}). Give more rows of each class."
        )
