"""Selectors that see a table as a comparison had it: without some columns, filled, or with the choice made before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils import Tags

from fewest.data.complete_rows import completed
from fewest.errors import InvalidInput
from fewest.selection import Selection
from fewest.selectors.columns import ColumnsMixin
from fewest.selectors.input import as_source, column_name
from fewest.unexpected import PublicEntry

if TYPE_CHECKING:
    from fewest.selectors.selector import Selector


class _ChosenColumns(ColumnsMixin, BaseEstimator):
    """The fitted attributes and methods of a selector, from a selection."""

    def _store(self, selection: Selection, n_columns: int) -> None:
        self.selection_, self.n_features_ = selection, len(selection)
        self.support_, self.ranking_, self.scores_ = selection.by_column(n_columns)

    def _set_columns(self, names: Sequence[str], is_named: bool) -> None:
        self.n_features_in_ = len(names)
        if is_named:
            self.feature_names_in_ = np.asarray(names, dtype=object)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = True
        # What is taken is not looked at; the selector refuses in fit what it cannot take.
        tags.input_tags.allow_nan = True
        return tags


@dataclass(eq=False, repr=False)
class WithoutColumns(_ChosenColumns):
    """Select features by a selector that never sees some of the columns, such as identifiers and constants.

    Parameters
    ----------
    selector : Selector
        The selector of the other columns.
    left_out : sequence of str, default=()
        The names of the columns that it does not see; a name that is no column has no effect.
    fills_missing : bool, default=False
        Fill missing numbers with the means of their columns before the selector is fitted.
    """

    selector: Selector
    left_out: Sequence[str] = field(default=())
    fills_missing: bool = False

    def fit(self, X: object, y: object = None, sample_weight: object = None) -> Self:
        """Select features among the columns that are not left out; the parameters are those of Selector.fit."""
        with PublicEntry("WithoutColumns.fit", X=X, y=y, sample_weight=sample_weight, selector=self):
            source = as_source(self, X, y, sample_weight, is_new=True)
            kept = self._kept(self._names())
            if not kept:
                raise InvalidInput("All columns are left out, so that none can be selected. Leave some in.")
            chosen = source.only(kept)
            if chosen.feature_names is None:
                # A column keeps its number, although others before it are gone.
                names = self._names()
                chosen.feature_names = [names[column] for column in kept]
            self.selector_ = clone(self.selector).fit(completed(chosen) if self.fills_missing else chosen)
            self._spread(kept)
        return self

    def adopt(self, fitted: Selector, names: Sequence[str], is_named: bool) -> Self:
        """Take over a selector that was fitted on the columns that are not left out of those with these names."""
        self._set_columns(names, is_named)
        self.selector_ = fitted
        self._spread(self._kept(names))
        return self

    def _names(self) -> list[str]:
        return [column_name(self, column) for column in range(self.n_features_in_)]

    def _kept(self, names: Sequence[str]) -> list[int]:
        left_out = set(self.left_out)
        return [column for column, name in enumerate(names) if name not in left_out]

    def _spread(self, kept: Sequence[int]) -> None:
        n_columns = self.n_features_in_
        self._store(self.selector_.selection_.among_all(kept, n_columns, self._names()), n_columns)


class ChosenBefore(_ChosenColumns):
    """Columns that were selected before, by a method that is not there to select them anew.

    Parameters
    ----------
    method : str, default=""
        The method that selected them.
    """

    def __init__(self, method: str = "") -> None:
        self.method = method

    def fit(self, X: object, y: object = None) -> Self:
        """Raise: the selection cannot be made anew."""
        raise InvalidInput(
            f"The features were selected by {self.method}, whose parameters JSON does not hold, so that it cannot be "
            "fitted anew. Use transform, or fit that method itself."
        )

    def adopt(self, selection: Selection, names: Sequence[str], is_named: bool) -> Self:
        """Take over a selection of columns with these names."""
        self._set_columns(names, is_named)
        self._store(selection, len(names))
        return self
