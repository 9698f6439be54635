"""A source with indicators in place of text: the same columns however they are read."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from fewest.data.scan import scan
from fewest.statistics import ClassMoments, Rows
from fewest.statistics.indicator_source import IndicatorSource


@pytest.fixture
def source(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "a": rng.normal(size=50),
            "kind": rng.choice(["x", "y", "z"], 50),
            "flag": rng.choice(["on the left", "on the right"], 50),
            "b": rng.normal(size=50),
            "town": rng.choice([f"town {i}" for i in range(14)], 50),
            "label": rng.integers(0, 2, 50),
        }
    )
    frame.loc[::7, "kind"] = None
    frame.to_parquet(tmp_path / "t.parquet", row_group_size=12)
    return frame, IndicatorSource.of(scan(tmp_path / "t.parquet", "label").with_text_as_codes())


def test_columns_are_those_of_the_table_with_indicators_in_place_of_text(source):
    frame, indicators = source
    n_frequent = int((frame["town"].value_counts() >= 5).sum())
    widths = np.bincount(indicators.feature_of)
    assert widths.tolist() == [1, 3, 1, 1, n_frequent + 1]
    assert indicators.feature_names[:5] == ["a", "kind", "kind", "kind", "flag"]
    assert indicators.text_columns == ()
    values = np.concatenate([block.values for block in indicators.blocks()])
    assert_array_equal(values[:, 0], frame["a"])
    by_count = sorted("xyz", key=lambda kind: (-(frame["kind"] == kind).sum(), kind))
    assert_array_equal(values[:, 1:4], np.column_stack([frame["kind"] == kind for kind in by_count]))
    assert_array_equal(values[:, 6:].sum(axis=1), np.ones(50))


@pytest.mark.parametrize("columns_at_once", [1, 2, 3, 100])
def test_groups_of_columns_are_read_as_all_at_once(source, columns_at_once):
    _, indicators = source
    expected = ClassMoments()
    for block in indicators.blocks():
        expected.update(block)
    indicators.columns_at_once = columns_at_once
    found = indicators.collect(ClassMoments())
    # Rows come in blocks of other sizes, and are summed in another order.
    assert_allclose(found.mean, expected.mean, rtol=1e-14)
    assert_array_equal(found.feature_of, indicators.feature_of)
    assert_array_equal(expected.feature_of, indicators.feature_of)
    assert found.fingerprint() == expected.fingerprint()


def test_statistics_know_which_columns_are_one_feature(source):
    _, indicators = source
    rows = indicators.collect(Rows())
    assert_array_equal(rows.moments.feature_of, indicators.feature_of)
    merged = Rows()
    merged.merge(rows)
    assert_array_equal(merged.moments.feature_of, indicators.feature_of)
    assert_array_equal(rows.moments.only(np.array([0, 2])).feature_of, [0, 1])


def test_a_row_of_weight_two_counts_twice():
    frame = pd.DataFrame({"kind": list("abcdefghijkl"), "label": [0, 1] * 6, "weight": [5.0, 5.0, *[1.0] * 10]})
    indicators = IndicatorSource.of(scan(frame, "label", weight="weight").with_text_as_codes())
    assert indicators.n_features == 3
    assert indicators.without_frequent == []
    alone = IndicatorSource.of(scan(frame.drop(columns="weight"), "label").with_text_as_codes())
    assert alone.n_features == 1
    assert alone.without_frequent == ["kind"]
