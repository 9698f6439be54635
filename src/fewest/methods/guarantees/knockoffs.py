"""Knockoffs: an audit of a selector's scores by copies of the columns that cannot tell anything of the class."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import ClassVar

import numpy as np
from scipy import sparse

from fewest.arrays import Floats
from fewest.data.source import Source
from fewest.data.sparse_matrix import Matrix, is_sparse
from fewest.display.formatting import count, counted, first_names
from fewest.errors import IncompleteColumns, InvalidInput, InvalidParameter
from fewest.memory import CHUNK, STORED_ROWS, check_stored_rows
from fewest.methods.guarantees.canonical_rows import CanonicalRows
from fewest.methods.guarantees.doubled_source import DoubledSource, PairedColumns
from fewest.methods.guarantees.gaussian_knockoffs import CONSTRUCTIONS, GaussianCopies, check_covariance
from fewest.methods.guarantees.guarantee_selector import GuaranteeSelector
from fewest.methods.guarantees.inner_selector import (
    fit_quietly,
    inner_selector,
    unused_parameters,
)
from fewest.methods.guarantees.knockoff_filter import (
    differences,
    importances,
    knockoff_threshold,
    least_level,
    signed_maxima,
)
from fewest.parameters import check_choice, is_auto, is_number, is_whole, wrong
from fewest.protocols import Sentence
from fewest.selection import NestedPath, Selection
from fewest.selectors.collection import groups_of
from fewest.selectors.input import column_name
from fewest.selectors.selector import Selector
from fewest.selectors.selector_parameters import check_parameters, resolve_size

KINDS = ("gaussian", "permuted")
#: Features that a selector without scores of all columns takes, to be ordered by.
_ORDERED = 100
#: A column of at most this number of different values is discrete.
_FEW_VALUES = 10
#: Arrays that are made of some rows at a time.
_ARRAYS_OF_PART = 8


@dataclass(eq=False, repr=False)
class Knockoffs(GuaranteeSelector):
    """Select the columns that score higher than copies made without the class, at a false discovery rate.

    Each column gets a copy that is made without a look at the class. The selector scores columns and copies together;
    W is the score of a column less that of its copy. A column that tells nothing of the class is as likely to lose
    against its copy as to win. So the columns with W <= -t estimate how many of those with W >= t are false, and t is
    the least at which that estimate is at most `level` (knockoff+).

    Parameters
    ----------
    selector : selector, str or None, default=None
        The selector whose scores are audited, or a method's name, such as "relieff" or "svm-weights(C=10)"; None is
        FisherScore(). One that scores only what it takes is asked for 100 features, which count by their
        order: W then is the higher of the two orders, negative where it is the copy's.
    level : float, default=0.1
        The false discovery rate: the expected share of false ones among the selected features.
    kind : {"gaussian", "permuted"}, default="gaussian"
        How copies are made. "gaussian": at random, with the means and covariances of the columns, so that what
        correlates with a relevant column does not pass for relevant itself. "permuted": the columns with their rows
        permuted, all alike; for text, missing values and very many columns.
    construction : {"auto", "mvr", "equicorrelated"}, default="auto"
        How far Gaussian copies are from their columns: as hard to reconstruct as can be, or all as far. "auto" is "mvr"
        up to 500 columns.
    offset : {1, 0}, default=1
        What is added to the number of columns with W <= -t: 1 is knockoff+; 0 is less strict, and controls the rate
        approximately.
    n_features : int, float, "auto" or None, default=None
        None and "auto" select the columns that pass at `level`. A number selects those with the largest W, whether they
        pass or not.
    random_state : int, default=0
        The seed of the copies.

    Attributes
    ----------
    scores_, statistics_ : ndarray of shape (n_features_in_,)
        W of each column; 0 where it is constant, NaN where it has no value.
    column_scores_, knockoff_scores_ : ndarray of shape (n_features_in_,)
        The scores of the columns and of their copies; NaN where a column is constant.
    threshold_ : float
        The least W that passes; infinite where none does.
    estimated_rate_ : float
        The estimated false discovery rate of the selected features; NaN where there are none.
    shrinkage_ : float
        By how much correlations were shrunk towards zero for Gaussian copies; 0 for permuted ones.

    See Also
    --------
    StabilitySelection : A bound on the expected number of false selections, by halves of the rows.

    Notes
    -----
    knockoff+ selects at least 1 / level features or none. The rate is controlled if the copies are exchangeable with
    columns that tell nothing of the class given the others. Gaussian copies are, if rows are independent draws of a
    Gaussian with the covariance that was estimated; otherwise they match the first two moments. Permuted copies are, if
    columns are independent of each other: a column that only correlates with a relevant one beats its permuted copy.
    Groups of rows make no difference. Costs one fit of the selector on twice the columns, and for Gaussian copies a few
    products of columns by columns.

    References
    ----------
    Barber, Candès, 2015. Controlling the false discovery rate via knockoffs. https://doi.org/10.1214/15-AOS1337
    Candès, Fan, Janson, Lv, 2018. Panning for gold: model-X knockoffs for high dimensional controlled variable
    selection. https://doi.org/10.1111/rssb.12265
    Spector, Janson, 2022. Powerful knockoffs via minimizing reconstructability. https://doi.org/10.1214/21-AOS2104

    Examples
    --------
    >>> import numpy as np
    >>> from fewest import Knockoffs
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(400, 40)), np.arange(400) % 2
    >>> X[:, :12] += y[:, None]
    >>> audited = Knockoffs(level=0.2).fit(X, y)
    >>> set(range(12)) <= set(audited.selection_.indices)
    True
    """

    name: ClassVar[str] = "knockoffs"
    summary: ClassVar[str] = "what a method (fisher-score) scores higher than copies that know nothing of the class"
    formula: ClassVar[str] = "score of a column - score of its copy, above a threshold"
    takes: ClassVar[str] = "numbers; with permuted copies what the method takes"
    proves: ClassVar[str] = "a false discovery rate if copies fit"
    cost: ClassVar[str] = "a fit on twice the columns; columns^3"

    _: KW_ONLY
    level: float = 0.1
    kind: str = "gaussian"
    construction: str = "auto"
    offset: int = 1

    def _checked_sentence(self) -> Sentence:
        check_parameters(self)
        if not is_number(self.level) or not 0 < self.level < 1:
            raise wrong("level", "a number between 0 and 1", self.level)
        check_choice("kind", self.kind, KINDS)
        check_choice("construction", self.construction, CONSTRUCTIONS)
        if not is_whole(self.offset) or self.offset not in (0, 1):
            raise wrong("offset", "1 or 0", self.offset)
        return self._checked_inner_sentence()

    def _check_partial_fit(self) -> None:
        raise AttributeError("Knockoffs needs all rows at once, to copy the columns. Use fit.")

    def _allows_missing(self) -> bool:
        return self.kind == "permuted" and self._inner()._allows_missing()

    def _without_effect(self) -> Mapping[str, str]:
        unused = unused_parameters(self, "it is a parameter of the selector that is audited")
        if self.kind == "permuted" and self.construction != "auto":
            unused["construction"] = "permuted copies are not constructed"
        return unused

    def _inner(self) -> Selector:
        inner = inner_selector(self.selector, "fisher-score", self.scale)
        if isinstance(inner, Knockoffs):
            raise InvalidParameter("selector must be another method: Knockoffs cannot audit itself.")
        if is_auto(inner.n_features):
            raise InvalidParameter(
                f"selector={inner!r} chooses its number of features by cross-validation, which an audit of its scores "
                "does not need. Leave out n_features."
            )
        return inner

    def _fit_all(self, source: Source, groups: object, started: float) -> None:
        """Score columns and copies, and select; groups make no difference."""
        if self.kind == "gaussian":
            check_covariance(source.n_features)
            self._refuse_text(source.text_columns)
        source = self._sampled(source)
        notes = list(self._sample_notes(source))
        rows = CanonicalRows.of(source, groups_of(source, groups), "columns and copies are compared row by row")
        self._score(rows, notes)
        self.threshold_ = knockoff_threshold(self.statistics_, self.level, self.offset)
        selection = self._selection()
        notes += self._notes(selection, len(rows.columns))
        self._store_selection(selection, self._provenance(started, rows.facts, tuple(notes)))

    def _refuse_text(self, texts: Sequence[str]) -> None:
        if texts:
            raise InvalidInput(
                f"Gaussian knockoffs need numbers, and {len(texts)} column(s) hold text or categories: "
                f"{first_names(texts)}. Use kind='permuted' (--set kind=permuted), or drop or encode them."
            )

    def _score(self, rows: CanonicalRows, notes: list[str]) -> None:
        """Store the scores of columns and copies, and what they differ by."""
        n, columns = self.n_features_in_, rows.columns
        self.statistics_: Floats = np.zeros(n)
        self.column_scores_: Floats = np.full(n, np.nan)
        self.knockoff_scores_: Floats = np.full(n, np.nan)
        self.shrinkage_ = 0.0
        self.statistics_[~rows.moments.is_observed] = np.nan
        notes += rows.notes(partial(column_name, self))
        if len(columns) == 0:
            return
        check_stored_rows(rows.n_rows, 2 * len(columns), 16.0 * rows.n_rows * len(columns), STORED_ROWS)
        places = PairedColumns(np.random.default_rng([self.random_state, 2]).random(len(columns)) < 0.5)
        values = self._permuted(rows, places) if self.kind == "permuted" else self._gaussian(rows, places, notes)
        doubled = DoubledSource(rows.source.only(columns.tolist()), places, values, rows.codes, rows.classes)
        scores, is_order = self._scores_of(doubled, notes)
        known, compared = importances(scores), signed_maxima if is_order else differences
        self.column_scores_[columns], self.knockoff_scores_[columns] = scores[places.own], scores[places.of_copies]
        self.statistics_[columns] = compared(known[places.own], known[places.of_copies])

    def _permuted(self, rows: CanonicalRows, places: PairedColumns) -> Matrix:
        """Return columns, and copies with their rows permuted, all alike."""
        permuted = np.random.default_rng([self.random_state, 0]).permutation(rows.n_rows)
        if is_sparse(rows.values):
            both = [rows.table(order, rows.columns) for order in (np.arange(rows.n_rows), permuted)]
            return sparse.hstack(both, format="csr")[:, places.order]
        doubled = np.empty((rows.n_rows, 2 * len(rows.columns)), dtype=rows.values.dtype)
        for part in _parts(rows):
            doubled[part, places.own] = rows.table(np.arange(rows.n_rows)[part], rows.columns)
            doubled[part, places.of_copies] = rows.table(permuted[part], rows.columns)
        return doubled

    def _gaussian(self, rows: CanonicalRows, places: PairedColumns, notes: list[str]) -> Matrix:
        """Return columns, and copies drawn with their means and covariances."""
        self._refuse_missing(rows)
        doubled = np.empty((rows.n_rows, 2 * len(rows.columns)))
        for part in _parts(rows):
            table = rows.table(np.arange(rows.n_rows)[part], rows.columns)
            doubled[part, places.own] = table.toarray() if is_sparse(table) else table

        def parts() -> Iterator[Floats]:
            # By row whatever the source is, since the order of a sum decides its last digit.
            return (np.ascontiguousarray(doubled[part][:, places.own]) for part in _parts(rows))

        n_discrete = sum(_has_few_values(doubled[:, column]) for column in places.own)
        if n_discrete:
            notes.append(
                f"{counted(n_discrete, 'column')} hold at most {_FEW_VALUES} different values, and the Gaussian copies "
                "of these more: a method that is not linear may tell them apart. Those of kind='permuted' hold the same"
            )
        copies = GaussianCopies.of(parts, self.construction)
        self.shrinkage_ = copies.shrinkage
        draw = np.random.default_rng([self.random_state, 1])
        for part, values in zip(_parts(rows), parts(), strict=True):
            doubled[part, places.of_copies] = copies.draw(values, draw.standard_normal(values.shape))
        return doubled

    def _refuse_missing(self, rows: CanonicalRows) -> None:
        missing = rows.moments.missing[rows.columns]
        if missing.any():
            first = int(rows.columns[missing > 0].min())
            names = getattr(self, "feature_names_in_", None)
            raise IncompleteColumns(
                first if names is None else str(names[first]), int(missing.sum()), int(np.count_nonzero(missing)),
                self.n_features_in_, "Gaussian knockoffs need every value",
                "or use kind='permuted' (--set kind=permuted)",
            )  # fmt: skip

    def _scores_of(self, doubled: DoubledSource, notes: list[str]) -> tuple[Floats, bool]:
        """Return the score of each column and copy, and whether it is the order in which the selector takes them."""
        inner = self._inner()
        what = "the columns with their copies"
        fitted = fit_quietly(inner, doubled, what)
        if fitted.selection_.column_scores is not None:
            return fitted.scores_, False
        if inner.n_features is None and not inner._chooses_size():
            fitted = fit_quietly(inner.set_params(n_features=min(_ORDERED, doubled.n_features)), doubled, what)
        name, n_taken = inner.name or type(inner).__name__, len(fitted.selection_)
        notes.append(f"{name} scores the columns that it takes: the order of its first {count(n_taken)} counts instead")
        order = np.zeros(doubled.n_features)
        order[list(fitted.selection_.indices)] = np.arange(n_taken, 0, -1)
        return order, True

    def _selection(self) -> Selection:
        statistics = self.statistics_
        order = np.argsort(-statistics, kind="stable")
        if self._chooses_size():
            chosen, least = order[statistics[order] >= self.threshold_], self.threshold_
        else:
            chosen = order[: resolve_size(self.n_features, self.n_features_in_)]
            least = float(importances(statistics)[chosen].min(initial=math.inf))
        n_false = self.offset + np.count_nonzero(statistics <= -least) if least > 0 else len(chosen)
        self.estimated_rate_ = min(1.0, float(n_false) / len(chosen)) if len(chosen) else math.nan
        indices = tuple(chosen.tolist())
        return Selection(
            indices=indices,
            scores=tuple(statistics[chosen].tolist()),
            path=NestedPath(indices),
            column_scores=statistics,
        )

    def _notes(self, selection: Selection, n_columns: int) -> list[str]:
        """Return what is estimated of the answer, and why it is empty."""
        notes = []
        n_passing = int(np.count_nonzero(self.statistics_ >= self.threshold_))
        if n_passing:
            n_false = int(np.count_nonzero(self.statistics_ <= -self.threshold_))
            how = "Gaussian copies of second order" if self.kind == "gaussian" else "permuted copies"
            notes.append(
                f"{counted(n_passing, 'column')} beat their copies by the threshold, and {count(n_false)} lost against "
                f"them by it: a false discovery rate of at most {self.level:g} by {how}"
                f"{'' if self.offset else ', approximately (offset=0)'}"
            )
        else:
            notes.append(self._why_empty(n_columns))
        if not self._chooses_size() and len(selection) != n_passing:
            notes.append(
                f"{counted(len(selection), 'feature')} asked for, and {count(n_passing)} pass at level {self.level:g}: "
                f"the estimated false discovery rate of those asked for is {self.estimated_rate_:.2g}"
            )
        return notes + [f"{parameter} has no effect: {why}" for parameter, why in self._without_effect().items()]

    def _why_empty(self, n_columns: int) -> str:
        needed = math.ceil(self.offset / self.level - 1e-9) if self.offset else 1
        why = f"no column passes at level {self.level:g}: "
        if n_columns < needed:
            return why + (
                f"at this level {needed} features pass at least, or none, and there are "
                f"{counted(n_columns, 'column')}. A level of {min(1.0, 1 / max(n_columns, 1)):.2g} could select some"
            )
        least, n_then = least_level(self.statistics_, self.offset)
        if not math.isfinite(least) or least > 1:
            return why + "copies score as high as the columns. Give more rows, or another selector"
        return why + (
            f"at this level {needed} features pass at least, or none. The lowest level at which any would pass is "
            f"{least:.2g}, with {counted(n_then, 'feature')}. The sample may be too small"
        )


def _parts(rows: CanonicalRows) -> list[slice]:
    """Return the rows in parts, of each of which several arrays are made at a time."""
    width = max(1, CHUNK // _ARRAYS_OF_PART // (8 * max(len(rows.columns), 1)))
    return [slice(first, min(first + width, rows.n_rows)) for first in range(0, rows.n_rows, width)]


def _has_few_values(column: Floats) -> bool:
    # Those of the first rows are enough to see that there are many.
    return len(np.unique(column[:1000])) <= _FEW_VALUES and len(np.unique(column)) <= _FEW_VALUES
