"""Probes: columns that are independent of the class, beside those of any source."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from scipy import sparse

from fewest.arrays import Floats
from fewest.data.block import Block
from fewest.data.source import Source, _DerivedSource
from fewest.data.sparse_matrix import Matrix, is_sparse
from fewest.datasets.probes import add_probes
from fewest.errors import InvalidInput
from fewest.memory import STORED_ROWS, check_memory
from fewest.parameters import check_count


class ProbedSource(_DerivedSource):
    """Another source with columns of noise to the right of its own, the same in every pass.

    probes : rows by columns, for all rows of the other source
    n_own : the number of the other source's columns
    """

    def __init__(self, source: Source, probes: Floats) -> None:
        super().__init__(source)
        self.probes = probes
        self.n_own = source.n_features
        own = list(source.feature_names or (f"x{column}" for column in range(self.n_own)))
        prefix = "probe"
        while any(name.startswith(prefix) for name in own):
            prefix += "_"
        self.probe_names = [f"{prefix}{number}" for number in range(1, probes.shape[1] + 1)]
        self.feature_names: list[str] = [*own, *self.probe_names]
        self.n_features = len(self.feature_names)
        self.columns_at_once = source.columns_at_once + probes.shape[1]
        if source.column_kinds:
            self.column_kinds = [*source.column_kinds, *(["number"] * probes.shape[1])]
        # Where nothing is known of them, the source's own columns are those that could carry the class.
        self.true_columns = source.true_columns or tuple(own)

    def with_text_as_codes(self) -> Source:
        return ProbedSource(self.source.with_text_as_codes(), self.probes) if self.text_columns else self

    def group_blocks(self, groups: Sequence[Sequence[int] | None]) -> Iterator[tuple[int, Block]]:
        wanted = [list(range(self.n_features)) if group is None else list(group) for group in groups]
        own = [[column for column in columns if column < self.n_own] for columns in wanted]
        # A group of probes alone reads one column, of numbers if there is one, for its rows and classes.
        texts = set(self.text_columns)
        any_column = next((column for column in range(self.n_own) if self.feature_names[column] not in texts), 0)
        read: list[Sequence[int] | None] = [
            None if group is None else columns or [any_column] for group, columns in zip(groups, own, strict=True)
        ]
        for g, block in self.source.group_blocks(read):
            others = [column - self.n_own for column in wanted[g] if column >= self.n_own]
            noise = self.probes[block.all_row_numbers()][:, others]
            values = block.values if own[g] else block.values[:, :0]
            values = _beside(values, noise)
            is_noise = np.array([column >= self.n_own for column in wanted[g]])
            if (np.diff(is_noise.astype(int)) < 0).any():
                # In the order in which columns were asked for.
                values = values[:, np.argsort(np.argsort(is_noise, kind="stable"))]
            yield g, replace(block, values=values, columns=groups[g])


def probed(source: Source, n: object, seed: int = 0) -> Source:
    """The source with n probes, as `datasets.add_probes` adds them to a table; 0 and None leave it as it is."""
    if n is None or check_count("probes", n, 0) == 0:
        return source
    n_probes = check_count("probes", n, 0)
    if source.is_distributed:
        raise InvalidInput("Probes are drawn for rows that are read here. Leave out the engine, or the probes.")
    blocks = source.with_text_as_codes().blocks([0])
    n_rows = max((int(block.all_row_numbers()[-1]) + 1 for block in blocks if block.n_rows), default=0)
    check_memory(8.0 * n_probes * n_rows, STORED_ROWS, f"{n_probes:,} probes of {n_rows:,} rows take", "Ask for fewer.")
    return ProbedSource(source, add_probes(np.empty((n_rows, 0)), n_probes, seed=seed))


def _beside(values: Matrix, noise: Floats) -> Matrix:
    if is_sparse(values):
        return sparse.hstack([values, sparse.csr_matrix(noise)], format="csr")
    return np.hstack([np.asarray(values, dtype=np.float64), noise])
