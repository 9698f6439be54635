"""Rows kept once for all folds: their categories are those that each fold's training rows have by themselves."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from fewest._core import CategoryColumns, PackedCodes
from fewest.data.block import Block
from fewest.errors import ChangedData
from fewest.methods.information.discretisation.column_summary import ColumnSummary
from fewest.methods.information.discretisation.discretizer import Discretizer
from fewest.methods.information.discretisation.folded_categories import FoldedCategories
from fewest.methods.information.discretisation.refinement import Refinement
from fewest.methods.information.discretisation.second_pass import SecondPass
from fewest.statistics.splits import Folded, GivenFolds

CLASSES = ("u", "v", "w")
DISCRETIZERS = {
    "auto": Discretizer(),
    "mean": Discretizer("mean"),
    "sigma": Discretizer("sigma", factor=0.5),
    "width": Discretizer("width", n_bins=7),
    "pairwise": Discretizer(missing="pairwise"),
    "no category pooled": Discretizer(min_rows=0),
}


class Table(NamedTuple):
    """Rows, and the fold of each; categorical : the columns that hold codes of text."""

    values: np.ndarray
    codes: np.ndarray
    folds: np.ndarray
    weights: np.ndarray | None = None
    categorical: tuple[int, ...] = ()
    n_folds: int = 3

    def take(self, rows):
        weights = None if self.weights is None else self.weights[rows]
        return self._replace(values=self.values[rows], codes=self.codes[rows], folds=self.folds[rows], weights=weights)

    def without(self, fold):
        return self.take(self.folds != fold)

    def collect(self, statistic, groups=None, n_rows=10**6):
        """The statistic of all rows, from blocks of n_rows over each group of columns."""
        parts = []
        for columns in groups or [None]:
            parts.append(statistic.empty())
            read = range(self.values.shape[1]) if columns is None else columns
            texts = [position for position, column in enumerate(read) if column in self.categorical]
            for first in range(0, len(self.codes), n_rows):
                rows = slice(first, first + n_rows)
                weights = None if self.weights is None else self.weights[rows]
                values = self.values[rows, read.start : read.stop]
                parts[-1].update(
                    Block(values, self.codes[rows], CLASSES, weights, first, columns=columns, categorical_columns=texts)
                )
        return parts[0] if groups is None else statistic.join(parts)


def drawn(seed=0, n=240):
    """Columns of all kinds, some of them degenerate, with folds at random."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 3, n).astype(np.int32)
    folds = rng.integers(0, 3, n)
    numbers = rng.normal(size=n) + codes
    columns = [
        numbers,
        np.where(rng.random(n) < 0.3, np.nan, numbers),
        np.full(n, np.nan),
        np.full(n, 4.0),
        np.where(folds == 1, 7.0, 2.5),  # constant outside one fold
        np.where(folds == 0, np.nan, codes),  # missing in one fold alone
        rng.integers(-2, 3, n).astype(float),
        rng.integers(0, 12, n) * 1000.0,
        rng.integers(0, 2000, n) * 1.0,
        rng.geometric(0.3, n) * 1.0,
        rng.standard_cauchy(n) * 1e-30,
        rng.integers(0, 2, n) * 0.5,
        rng.integers(0, 400, n) * 1.0,  # text
        np.where(rng.random(n) < 0.2, np.nan, codes),  # text
        np.arange(n) * 1.0,  # text, every value another
    ]
    return Table(np.column_stack(columns), codes, folds, categorical=(12, 13, 14))


def with_class_in_one_fold():
    table = drawn(1)
    table.codes[(table.codes == 2) & (table.folds != 0)] = 0
    return table


def with_weights():
    table = drawn(2)
    return table._replace(weights=np.random.default_rng(3).integers(0, 4, len(table.codes)).astype(float))


TABLES = {
    "all kinds of columns": drawn,
    "a class in one fold alone": with_class_in_one_fold,
    "weights": with_weights,
    "a fold without weight": lambda: (t := drawn(4))._replace(weights=np.where(t.folds == 2, 0.0, 1.0)),
    "an empty fold": lambda: drawn(5)._replace(n_folds=4),
    "two rows in a fold": lambda: (t := drawn(6))._replace(folds=np.where(np.arange(240) < 2, 0, 1 + t.folds % 2)),
    "more codes than a byte": lambda: (t := drawn(7, 1500))._replace(values=t.values[:, [0, 1, 12]], categorical=(2,)),
    "many more": lambda: drawn(7, 1500),
    "integers": lambda: (t := drawn(8))._replace(
        values=np.nan_to_num(t.values[:, [3, 6, 7, 8, 9]]).astype(np.int64), categorical=()
    ),
    "float32": lambda: (t := drawn(9))._replace(values=t.values.astype(np.float32)),
}


def second_pass_of(discretizer, summary):
    return SecondPass(discretizer.fit(summary), summary, "rows")


def folded_of(table, discretizer):
    """What collects the second pass of the rows outside each fold, after a first pass over them."""
    folds = GivenFolds(table.folds, table.n_folds)
    first = table.collect(Folded(ColumnSummary(), folds))
    outside = [second_pass_of(discretizer, first.without(k)) for k in range(table.n_folds)]
    return second_pass_of(discretizer, first.whole()).left_out(outside, folds)


def known_by(encoded, n_categories):
    """All counts of pairs of columns, the class among them, and all information."""
    columns = np.arange(len(n_categories))
    for column in columns:
        counts = np.zeros((int(n_categories.sum()), int(n_categories[column])), dtype=np.int64)
        encoded.joint_counts(column, columns, counts, 1)
        information = np.zeros(len(columns))
        encoded.information(column, columns, information, 1)
        yield counts, information


def assert_as_alone(found, table, discretizer):
    """Assert that a second pass is what these rows give without any others, to the bit."""
    summary = table.collect(ColumnSummary())
    alone = table.collect(second_pass_of(discretizer, summary))
    assert_array_equal(found.discretizer.n_categories, alone.discretizer.n_categories)
    n_categories = np.append(alone.discretizer.n_categories, len(CLASSES))
    both = known_by(found.encoded, n_categories), known_by(alone.encoded, n_categories)
    for (counts, information), (counts_alone, information_alone) in zip(*both, strict=True):
        assert_array_equal(counts, counts_alone)
        assert_array_equal(information, information_alone)
    assert found.n_rows == alone.n_rows
    assert found.counts_by_class() == alone.counts_by_class()


def check_folds(table, discretizer, groups=None, n_rows=10**6):
    folded = folded_of(table, discretizer)
    assert type(folded) is FoldedCategories
    collected = table.collect(folded, groups, n_rows)
    assert_as_alone(collected.whole(), table, discretizer)
    for k in range(table.n_folds):
        assert_as_alone(collected.without(k), table.without(k), discretizer)


@pytest.mark.parametrize("discretizer", DISCRETIZERS.values(), ids=DISCRETIZERS)
@pytest.mark.parametrize("name", TABLES)
def test_every_fold_has_the_counts_of_its_training_rows_alone(name, discretizer):
    check_folds(TABLES[name](), discretizer)


@pytest.mark.parametrize("n_rows", [7, 64, 100])
@pytest.mark.parametrize("name", ["all kinds of columns", "weights"])
def test_blocks_and_groups_of_columns_change_nothing(name, n_rows):
    check_folds(TABLES[name](), Discretizer(), [range(4), range(4, 5), range(5, 12), range(12, 15)], n_rows)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(8, 150), st.integers(1, 6), st.integers(2, 5), st.data())
def test_any_table_in_any_folds(seed, n, n_columns, n_folds, data):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, data.draw(st.integers(2, 3)), n).astype(np.int32)
    codes[:4] = [0, 1, 0, 1]
    step = data.draw(st.sampled_from([0.0, 0.5, 1.0, 1000.0]))
    values = rng.normal(size=(n, n_columns)) if step == 0.0 else step * rng.integers(0, 9, (n, n_columns))
    values = np.where(rng.random(values.shape) < data.draw(st.sampled_from([0.0, 0.3, 0.95])), np.nan, values)
    weights = rng.integers(0, 3, n).astype(float) if data.draw(st.booleans()) else None
    if weights is not None:
        weights[:4] = 1.0
    folds = rng.integers(0, n_folds, n)
    folds[:4] = [0, 0, 1, 1]
    table = Table(values, codes, folds, weights, n_folds=n_folds)
    groups = None if data.draw(st.booleans()) else [range(j, j + 1) for j in range(n_columns)]
    check_folds(table, data.draw(st.sampled_from(list(DISCRETIZERS.values()))), groups, data.draw(st.integers(1, 80)))


def test_rows_are_kept_once():
    """Two classes of thresholds that lie close together take the bits of their union, not those of all."""
    table = drawn()._replace(values=np.random.default_rng(0).normal(size=(240, 5)), categorical=())
    folded = folded_of(table, Discretizer())
    # Each of the four discretizers has three categories: two cuts each, of which none is another's.
    assert folded._refinement.n_codes.tolist() == [9] * 5
    collected = table.collect(folded)
    assert [packed for group in collected._groups for packed in group.folds] == collected._groups[0].folds
    assert all(one._encoded is None for one in (collected.of_all, *collected.outside))


def test_the_refined_codes_give_every_category_of_every_discretizer():
    table = drawn(10)
    summaries = [table.without(k).collect(ColumnSummary()) for k in range(3)]
    fitted = [Discretizer().fit(summary) for summary in summaries]
    refinement = Refinement(fitted, np.isnan(table.values).any(axis=0))
    n_columns = table.values.shape[1]
    codes = refinement.encoder(range(n_columns))(table.values)
    codes = np.where(codes == np.iinfo(codes.dtype).max, refinement.n_codes[:, None] - 1, codes).astype(np.intp)
    for index, (one, summary) in enumerate(zip(fitted, summaries, strict=True)):
        categories = np.take_along_axis(refinement.categories(index, range(n_columns)).astype(np.int64), codes, axis=1)
        rows = table.folds != index
        alone = table.without(index).collect(SecondPass(one, summary, "rows")).encoded
        of_class = np.append(one.n_categories, len(CLASSES))
        for column, (counts, _) in zip(range(n_columns), known_by(alone, of_class), strict=False):
            own = categories[column][rows]
            expected = counts[counts.shape[0] - len(CLASSES) :]
            for label in range(len(CLASSES)):
                held = own[(table.codes[rows] == label) & (own != np.iinfo(np.uint16).max)]
                assert_array_equal(np.bincount(held, minlength=one.n_categories[column]), expected[label])


def longer(table):
    rows = np.append(np.arange(240), np.arange(9))
    return table.take(rows)


def with_new_missing_value(table):
    values = table.values.copy()
    values[5, 7] = np.nan
    return table._replace(values=values)


@pytest.mark.parametrize("change", [longer, with_new_missing_value])
def test_rows_that_changed_after_the_first_pass_are_refused(change):
    table = drawn()
    folded, changed = folded_of(table, Discretizer()), change(table)
    folded.assignment = GivenFolds(changed.folds, 3)
    with pytest.raises(ChangedData):
        changed.collect(folded)


def test_what_is_kept_of_folds_is_not_merged():
    folded = folded_of(drawn(), Discretizer())
    with pytest.raises(NotImplementedError):
        folded.merge(folded.empty())


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
@pytest.mark.parametrize("n_threads", [1, 3])
def test_packed_codes_become_any_categories(dtype, n_threads):
    rng = np.random.default_rng(0)
    n_codes = np.array([1, 2, 3, 4, 5, 17, 129, 254, *([255, 257, 700] if dtype == np.uint16 else [])], dtype=np.int32)
    n_rows, missing = 333, np.iinfo(np.uint16).max
    codes = np.array([rng.integers(0, n, n_rows) for n in n_codes]).astype(dtype)
    codes[3, ::5] = np.iinfo(dtype).max  # the column's last
    rows = rng.permutation(n_rows)[:300]
    packed = PackedCodes(n_codes, len(rows))
    for part in np.split(rows, [1, 64, 65, 200]):
        packed.fill(codes, part, n_threads)
    meant = np.where(codes == np.iinfo(dtype).max, n_codes[:, None] - 1, codes).astype(np.int64)[:, rows]
    for n_categories in (1, 2, 3, 40, 300):
        categories = rng.integers(0, n_categories, (len(n_codes), int(n_codes.max()))).astype(np.uint16)
        categories[1:, ::7] = missing
        # The first of the columns is another's, the last is the class.
        widths = np.full(len(n_codes) + 2, n_categories, dtype=np.int32)
        filled = CategoryColumns(widths, np.zeros(len(widths), dtype=bool), np.zeros(len(widths), dtype=bool), 300)
        packed.fill_in(filled, 1, categories, n_threads)
        by_row = rng.integers(0, n_categories, (2, 300)).astype(np.uint16)
        filled.fill(np.array([0, len(widths) - 1]), by_row, np.zeros(2, dtype=np.int64), 1)
        for column in range(len(n_codes)):
            counts = np.zeros((n_categories, n_categories), dtype=np.int64)
            filled.joint_counts(len(widths) - 1, np.array([column + 1]), counts, 1)
            found = categories[column][meant[column]]
            expected = np.zeros_like(counts)
            np.add.at(expected, (found[found != missing], by_row[1][found != missing]), 1)
            assert_array_equal(counts, expected)


def test_a_code_that_a_column_does_not_have_is_refused():
    packed = PackedCodes(np.array([2, 3], dtype=np.int32), 4)
    with pytest.raises(ValueError, match="no such code"):
        packed.fill(np.array([[0, 1, 2, 0], [0, 1, 2, 0]], dtype=np.uint8), np.arange(4), 1)
