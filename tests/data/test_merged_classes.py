"""Classes that are joined into fewer."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_digits

from fewest import FisherScore, compare, scan
from fewest.data.derived.merged_classes import ClassMerging
from fewest.errors import FewestError

X = np.random.default_rng(0).normal(size=(60, 3))


def counts_of(source):
    labels = [block.classes[code] for block in source.blocks() for code in block.codes]
    return {label: labels.count(label) for label in dict.fromkeys(labels)}


@pytest.mark.parametrize("kind", [int, float, str])
@pytest.mark.parametrize("merge", ["0-4,5-9", {"0-4": range(5), "5-9": range(5, 10)}, {"0-4": "0-4", "5-9": ["5-9"]}])
def test_ranges_of_numbers_are_joined(kind, merge):
    digits = [kind(row % 10) for row in range(60)]
    assert counts_of(scan(X, digits, merge=merge)) == {"0-4": 30, "5-9": 30}


@pytest.mark.parametrize("merge", ["junction=EI+IE", {"junction": ["EI", "IE"]}, "junction = EI + IE, none=N"])
def test_labels_are_joined_under_a_name_and_others_stay(merge, tmp_path):
    labels = np.array(["EI", "N", "IE"])[np.arange(60) % 3]
    known = {"junction": 40, "none" if "none" in merge else "N": 20}
    assert counts_of(scan(X, labels, merge=merge)) == known
    pd.DataFrame(X, columns=list("abc")).assign(kind=labels).to_csv(tmp_path / "t.csv", index=False)
    assert counts_of(scan(tmp_path / "t.csv", "kind", merge=merge)) == known
    assert counts_of(scan(scan(X, labels), merge=[["EI", "IE"]])) == {"EI+IE": 40, "N": 20}


def test_selectors_and_comparisons_see_the_joined_classes():
    data, digits = load_digits(return_X_y=True)
    data, digits = data[:300, 16:40], digits[:300]
    is_large = np.where(digits < 5, "small", "large")
    plain = FisherScore(n_features=5).fit(data, is_large).selection_
    joined = FisherScore(n_features=5).fit(scan(data, digits, merge="small=0-4,large=5-9")).selection_
    assert joined.indices == plain.indices
    assert joined.provenance.class_counts == plain.provenance.class_counts
    options = {"classifiers": ["nb"], "outer": 2, "inner": 2, "sizes": [2, 5], "n_jobs": 1}
    one = compare("fisher-score", data, is_large, **options)
    other = compare("fisher-score", data, digits, merge="small=0-4,large=5-9", **options)
    assert one.tables[0].methods[0].errors("nb").tolist() == other.tables[0].methods[0].errors("nb").tolist()
    tables = {"a": (data, digits), "b": (data, is_large)}
    by_table = compare("fisher-score", tables, merge={"a": "small=0-4,large=5-9"}, **options)
    assert [table.classes for table in by_table.tables] == [("large", "small")] * 2


@pytest.mark.parametrize(
    ("merge", "says"),
    [
        ("0-4,5-9,10-12", "merge names '10-12', which is no class. The classes are 0, 1, "),
        ("0-4,4-9", "has the class '4' in two groups, '0-4' and '4-9'"),
        ("0-9", "joins all classes into one"),
        ("3=0+1", "calls a group '3', and there is such a class"),
        ("0+", "'0+', which is no group of classes"),
        ("", "merge must name groups of classes"),
        ({}, "merge must name groups of classes"),
        ([[0, 1], []], "merge must name groups of classes"),
        (7, "merge must be a text, a dict or a list"),
    ],
)
def test_groups_that_mean_nothing_are_refused(merge, says):
    with pytest.raises(FewestError) as refusal:
        FisherScore().fit(scan(X, np.arange(60) % 10, merge=merge))
    assert says in str(refusal.value)


def test_a_label_that_looks_like_a_range_is_that_label():
    merging = ClassMerging.of("young=10-19+20-29")
    assert merging.name_of("10-19") == merging.name_of("20-29") == merging.name_of(12) == "young"
    assert merging.name_of("30-39") == "30-39"
    assert ClassMerging.of("-3--1,0-2").name_of(-2) == "-3--1"
