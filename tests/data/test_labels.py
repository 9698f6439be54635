"""Codes for labels of every kind."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fewest.data.labels import MISSING, ClassLabels, sort_classes
from fewest.errors import InvalidInput


@pytest.mark.parametrize(
    "labels",
    [
        np.array(["b", "a", "b"]),
        np.array(["b", "a", "b"], dtype=object),
        np.array([2, 1, 2]),
        np.array([200, 100, 200], dtype=np.uint8),
        np.array([2**62, -(2**62), 2**62]),
        np.array([2**63 + 5, 3, 2**63 + 5], dtype=np.uint64),
        np.array([1.0, 0.0, 1.0]),
        np.array([True, False, True]),
        np.array([b"x", b"y", b"x"]),
        np.array(["2020-01-01", "2021-01-01", "2020-01-01"], dtype="datetime64[D]"),
        np.array([np.int64(1), "one", 1], dtype=object),
    ],
    ids=repr,
)
def test_equal_labels_have_equal_codes(labels):
    known = ClassLabels()
    first, second, third = known.encode(labels)
    assert first == third != second
    assert len(known.values) == 2
    assert known.values[first] == labels.tolist()[0]


def test_a_class_that_appears_later_gets_the_next_code_and_the_old_ones_stay():
    known = ClassLabels()
    assert known.encode(np.array(["b", "a"])).tolist() == [0, 1]
    assert known.encode(np.array(["c", "a", "b"])).tolist() == [2, 1, 0]
    assert known.values == ["b", "a", "c"]


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA, pd.NaT, float("nan")])
def test_every_kind_of_missing_label_is_missing(missing):
    known = ClassLabels()
    assert known.encode(np.array(["a", missing, "b"], dtype=object)).tolist() == [0, MISSING, 1]
    assert known.values == ["a", "b"]


def test_a_number_that_is_no_whole_number_is_a_quantity_not_a_class():
    with pytest.raises(InvalidInput, match=r"continuous quantity \(for example 0.5\)"):
        ClassLabels().encode(np.array([1.0, 0.5]))
    with pytest.raises(InvalidInput, match="infinity"):
        ClassLabels().encode(np.array([1.0, np.inf]))


def test_a_label_is_a_single_value():
    with pytest.raises(InvalidInput, match="single value"):
        ClassLabels().encode(np.array([{"a": 1}, "b"], dtype=object))


@given(st.lists(st.lists(st.integers(-5, 200_000), max_size=20), max_size=6))
def test_codes_name_their_labels_however_the_labels_come_in_blocks(blocks):
    known = ClassLabels()
    codes = [known.encode(np.array(block, dtype=np.int64)) for block in blocks]
    for block, block_codes in zip(blocks, codes, strict=True):
        assert [known.values[code] for code in block_codes] == block


@given(st.lists(st.text(max_size=5), max_size=300), st.sampled_from(["U", "S"]))
def test_text_of_every_width_is_told_apart(labels, kind):
    labels = ["x" + label.encode("utf-8").hex() for label in labels]
    array = np.array(labels, dtype=kind) if labels else np.empty(0, dtype=f"{kind}4")
    known = ClassLabels()
    codes = known.encode(np.repeat(array, 3)[::3])
    assert [known.values[code] for code in codes] == array.tolist()
    assert len(known.values) == len(set(labels))


def test_labels_are_listed_in_order_even_when_they_cannot_be_compared():
    assert sort_classes([3, 1, 2]) == [1, 2, 0]
    assert sort_classes(["b", 1, "a"]) == [1, 2, 0]
