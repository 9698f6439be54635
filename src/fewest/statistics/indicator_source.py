"""A source whose columns of text are columns of zeros and ones, for methods that need numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from fewest.arrays import Floats, Indices
from fewest.data.block import Block
from fewest.data.source import Source, _DerivedSource
from fewest.statistics.category_indicators import FEW_CATEGORIES, ColumnIndicators


class CategoryCounts:
    """The weight of the rows with each code of columns of text, and of those without a value."""

    is_columnwise = True
    takes_integers = True

    def __init__(self) -> None:
        self.counts: list[Floats] = []
        self.missing: list[float] = []

    def empty(self) -> Self:
        return type(self)()

    def update(self, block: Block) -> None:
        values, weights = block.dense_values.astype(np.float64), block.row_weights
        counts, missing = [], []
        for column in values.T:
            known = ~np.isnan(column)
            codes = column[known].astype(np.intp)
            counts.append(np.bincount(codes, weights[known]).astype(np.float64))
            missing.append(float(weights[~known].sum()))
        self._add(counts, missing)

    def merge(self, other: Self) -> None:
        self._add(other.counts, other.missing)

    def join(self, parts: Sequence[Self]) -> Self:
        joined = self.empty()
        for part in parts:
            joined.counts += part.counts
            joined.missing += part.missing
        return joined

    def _add(self, counts: Sequence[Floats], missing: Sequence[float]) -> None:
        if not self.counts:
            self.counts, self.missing = list(counts), list(missing)
            return
        for column, added in enumerate(counts):
            before = self.counts[column]
            total = np.zeros(max(len(before), len(added)))
            total[: len(before)] += before
            total[: len(added)] += added
            self.counts[column] = total
            self.missing[column] += missing[column]


class IndicatorSource(_DerivedSource):
    """Another source with the indicators of its categories in place of codes of text.

    feature_of : the column of the other source that each column comes from
    without_frequent : the names of the columns of text of more than 10 categories in which none is frequent
    """

    def __init__(self, source: Source, indicators: dict[int, ColumnIndicators], n_categories: dict[int, int]) -> None:
        super().__init__(source)
        widths = np.array([len(indicators[j]) if j in indicators else 1 for j in range(source.n_features)], np.intp)
        self.feature_of: Indices = np.repeat(np.arange(source.n_features), widths)
        self._expand = _Expansion(indicators, n_categories, self.feature_of, np.cumsum(widths) - widths)
        self.n_features = len(self.feature_of)
        self.text_columns = ()
        names = source.feature_names
        if names is not None:
            self.feature_names = [names[j] for j in self.feature_of.tolist()]
        rare = [j for j, own in indicators.items() if n_categories[j] > FEW_CATEGORIES and len(own.codes) == 0]
        self.without_frequent = [] if names is None else [names[j] for j in rare]

    @classmethod
    def of(cls, source: Source) -> IndicatorSource:
        """Return the source with indicators, after a read of the columns of text."""
        assert source.feature_names is not None
        texts = set(source.text_columns)
        columns = [j for j, name in enumerate(source.feature_names) if name in texts]
        found = source.only(columns).collect(CategoryCounts())
        indicators, n_categories = {}, {}
        for column, counts, missing in zip(columns, found.counts, found.missing, strict=True):
            values = source.categories_of(source.feature_names[column])
            order = np.arange(len(counts))
            if values is not None and len(values) >= len(counts):
                names = [(type(value).__name__, str(value)) for value in values[: len(counts)]]
                order = np.array(sorted(order.tolist(), key=names.__getitem__), dtype=np.intp)
            indicators[column] = ColumnIndicators.of_counts(counts, order, missing > 0)
            n_categories[column] = int(np.count_nonzero(counts))
        return cls(source, indicators, n_categories)

    def group_blocks(self, groups: Sequence[Sequence[int] | None]) -> Iterator[tuple[int, Block]]:
        requested = [np.arange(self.n_features) if group is None else np.asarray(group) for group in groups]
        read = [np.unique(self.feature_of[group]).tolist() for group in requested]
        for g, block in self.source.group_blocks(read):
            yield g, replace(self._expand.columns(block, read[g], requested[g]), columns=groups[g])

    def _block_map(self) -> Callable[[Block], Block]:
        return self._expand


@dataclass(frozen=True)
class _Expansion:
    """Puts indicators in place of codes of text.

    firsts : the first of the columns that each column of the other source becomes
    """

    indicators: Mapping[int, ColumnIndicators]
    n_categories: Mapping[int, int]
    feature_of: Indices
    firsts: Indices

    def __call__(self, block: Block) -> Block:
        """Return a block of all columns with all of its indicators."""
        return self.columns(block, range(len(self.firsts)), np.arange(len(self.feature_of)))

    def columns(self, block: Block, read: Sequence[int], group: Indices) -> Block:
        """Return some columns with indicators, from a block of the columns that these come from."""
        feature_of = self.feature_of[group]
        values = np.empty((block.n_rows, len(group)))
        dense = block.dense_values
        for position, column in enumerate(read):
            at = np.flatnonzero(feature_of == column)
            if column not in self.indicators:
                values[:, at[0]] = dense[:, position]
            elif self.n_categories[column] == 0:
                values[:, at] = np.nan
            else:
                own = self.indicators[column]
                all_of_column = np.empty((block.n_rows, len(own)))
                own.fill(dense[:, position].astype(np.float64), all_of_column)
                values[:, at] = all_of_column[:, group[at] - self.firsts[column]]
        return replace(block, values=values, feature_of=feature_of, categorical_columns=())
