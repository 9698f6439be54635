"""What every selector that keeps rows obeys: a sample is the same from every source, and too many rows are refused."""

from __future__ import annotations

import inspect

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone

from fewest import (
    MRMR,
    BayesError,
    FeatureSelector,
    FisherMarkov,
    IndividualRanking,
    KernelSeparability,
    MaxDependency,
    scan,
)
from fewest.data.source import _DerivedSource
from fewest.errors import TooManyRows
from fewest.protocols import KeepsRows, ReadsTwice
from fewest.selectors.registry import methods_by_name

from .quick_selectors import QUICK_SELECTORS

SELECTORS = {
    **QUICK_SELECTORS,
    "degree 3": FisherMarkov(degree=3, n_features=3),
    "mrmr, parzen": MRMR(density="parzen", n_features=3),
    "mrmr, frequency": MRMR(discretize="frequency", n_features=3),
    "max-dependency, parzen": MaxDependency(density="parzen", n_features=3),
    "kernel-separability, linear": KernelSeparability("forward", "linear", n_features=3),
    "any criterion": FeatureSelector(BayesError(), IndividualRanking(), n_features=3),
    "relieff, size by cross-validation": methods_by_name()["relieff"](n_features="auto", cv=2, max_features=3),
}
#: These read sums over the rows, whatever their parameters.
WITHOUT_ROWS = {"fisher-score", "pearson-correlation"}
SAMPLED = sorted(set(SELECTORS) - WITHOUT_ROWS)


def criterion_of(selector):
    return selector.sentence()[0]


def keeps_rows(selector):
    """Whether a selector keeps the rows of any stream, however long it is."""
    criterion = criterion_of(selector)
    reads_twice = isinstance(criterion, ReadsTwice) and criterion.column_summary() is not None
    return isinstance(criterion.statistic(), KeepsRows) and not reads_twice


KEEP_ALL = {"two-stage", "stability-selection", "knockoffs"}
REFUSED = [name for name, selector in SELECTORS.items() if keeps_rows(selector) or name in KEEP_ALL]


@pytest.fixture(scope="module")
def table():
    random = np.random.default_rng(0)
    y = random.choice(["a", "b", "c"], 900, p=[0.5, 0.3, 0.2])
    X = random.normal(size=(900, 6)).round(3)
    X[:, 2] += y == "b"
    X[:, 4] += 2 * (y == "c")
    return X, y


@pytest.mark.parametrize("name", SELECTORS)
def test_a_selector_takes_a_sample_or_does_not_keep_rows(name):
    selector = SELECTORS[name]
    assert ("sample" in inspect.signature(type(selector)).parameters) == (name not in WITHOUT_ROWS)
    if name in WITHOUT_ROWS:
        assert not isinstance(criterion_of(selector).statistic(), KeepsRows)


@pytest.mark.parametrize("name", SAMPLED)
def test_a_sample_gives_the_same_answer_from_every_source(name, table, tmp_path):
    X, y = table
    selector = clone(SELECTORS[name]).set_params(sample=120)
    expected = clone(selector).fit(X, y)
    frame = pd.DataFrame(X).add_prefix("c").assign(label=y)
    order = np.random.default_rng(1).permutation(len(y))
    frame.to_csv(tmp_path / "t.csv", index=False)
    (tmp_path / "rows").mkdir()
    for number, part in enumerate(np.array_split(order, 3)):
        frame.iloc[part].to_parquet(tmp_path / "rows" / f"{number}.parquet", row_group_size=50)
    for source in (scan(tmp_path / "t.csv", "label"), scan(tmp_path / "rows", "label")):
        found = clone(selector).fit(source)
        assert_array_equal(found.scores_, expected.scores_)
        assert found.selection_.indices == expected.selection_.indices
    assert any("a sample of 120" in note for note in expected.notes_)
    # What is written down is about all rows.
    provenance = expected.selection_.provenance
    assert provenance.parameters["sample"] == 120
    assert provenance.n_rows == 900
    assert provenance.class_counts == frame["label"].value_counts().to_dict()
    assert provenance.fingerprint == FisherMarkov().fit(X, y).selection_.provenance.fingerprint


@pytest.mark.parametrize("name", SAMPLED)
def test_a_sample_of_all_rows_changes_nothing(name, table):
    X, y = table[0][:150], table[1][:150]
    expected = clone(SELECTORS[name]).fit(X, y)
    found = clone(SELECTORS[name]).set_params(sample=150).fit(X, y)
    if name == "kernel-separability":  # sums over pairs of a sample are added up in another order
        assert found.selection_.indices == expected.selection_.indices
    else:
        assert_array_equal(found.scores_, expected.scores_)
    assert name == "auto" or "the sample holds all rows" in found.notes_


class _LongStream(_DerivedSource):
    """Rows that claim to be a stream of a billion, and count the blocks that are read."""

    def __init__(self, source):
        super().__init__(source)
        self.is_in_memory, self.n_rows, self.n_blocks = False, 10**9, 0

    def with_text_as_codes(self):
        return self

    def group_blocks(self, groups):
        for g, block in self.source.group_blocks(groups):
            self.n_blocks += 1
            yield g, block


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.parametrize("n_features", [2, "auto"])
def test_a_stream_that_cannot_be_kept_is_refused_before_it_is_read(name, n_features, table):
    stream = _LongStream(scan(*table))
    selector = clone(SELECTORS[name]).set_params(n_features=n_features)
    with pytest.raises(TooManyRows) as refused:
        selector.fit(stream)
    assert stream.n_blocks == 0
    message = str(refused.value)
    assert "1,000,000,000 of " in message
    assert "GiB; 4 GiB are allowed. Select on a sample of the rows by sample=10000 (--sample 10000)" in message


@pytest.mark.parametrize("name", [name for name in SAMPLED if not name.startswith("kernel-separability")])
def test_a_stream_that_cannot_be_kept_can_be_sampled(name, table):
    stream = _LongStream(scan(*table))
    found = clone(SELECTORS[name]).set_params(sample=120).fit(stream)
    assert_array_equal(found.scores_, clone(SELECTORS[name]).set_params(sample=120).fit(*table).scores_)
