"""Columns without information."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse
from scipy.stats import kstest, norm

from fewest.datasets import add_probes, load, toy_xyz
from fewest.errors import InvalidInput, InvalidParameter

KINDS = ["normal", "permuted", "uniform"]


@pytest.mark.parametrize("kind", KINDS)
def test_the_table_stays_in_the_first_columns_and_is_not_written_to(kind: Any) -> None:
    X = load("iris").X
    before = X.copy()
    probed = add_probes(X, 50, kind=kind)
    assert probed.shape == (150, 54)
    assert probed.dtype == np.float64
    assert probed.flags.c_contiguous
    np.testing.assert_array_equal(probed[:, :4], before)
    probed[:] = 0.0
    np.testing.assert_array_equal(X, before)


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_seed_adds_the_same_columns_and_another_seed_others(kind: Any) -> None:
    X = load("iris").X
    np.testing.assert_array_equal(add_probes(X, 5, kind, seed=4), add_probes(X, 5, kind, seed=4))
    assert not np.array_equal(add_probes(X, 5, kind, seed=4), add_probes(X, 5, kind, seed=5))


@pytest.mark.parametrize("kind", KINDS)
def test_more_probes_leave_the_earlier_ones_as_they_are(kind: Any) -> None:
    X = load("iris").X
    np.testing.assert_array_equal(add_probes(X, 3, kind), add_probes(X, 9, kind)[:, :7])


def test_adding_no_probes_gives_a_copy() -> None:
    X = load("iris").X
    same = add_probes(X, 0, "permuted")
    np.testing.assert_array_equal(same, X)
    assert not np.shares_memory(same, X)


def test_normal_probes_have_mean_0_and_variance_20() -> None:
    probes = add_probes(np.empty((10_000, 0)), 20)
    # 200,000 values: standard errors .01 and .063.
    assert probes.mean() == pytest.approx(0.0, abs=0.04)
    assert probes.var() == pytest.approx(20.0, abs=0.25)
    assert kstest(probes[:, 0], norm(0.0, np.sqrt(20.0)).cdf).pvalue > 0.001


def test_uniform_probes_have_the_same_mean_and_variance() -> None:
    probes = add_probes(np.empty((10_000, 0)), 20, "uniform")
    half_width = np.sqrt(60.0)
    assert probes.mean() == pytest.approx(0.0, abs=0.04)
    assert probes.var() == pytest.approx(20.0, abs=0.16)
    assert np.abs(probes).max() <= half_width
    assert kstest((probes[:, 0] / half_width + 1.0) / 2.0, "uniform").pvalue > 0.001


def test_permuted_probes_are_the_columns_in_turn_each_in_another_order() -> None:
    X = load("wine").X
    probed = add_probes(X, 30, "permuted")
    for probe in range(30):
        source = X[:, probe % 13]
        np.testing.assert_array_equal(np.sort(probed[:, 13 + probe]), np.sort(source))
        assert not np.array_equal(probed[:, 13 + probe], source)


def test_permuted_probes_are_not_one_shuffle_of_whole_rows() -> None:
    X = np.column_stack([np.arange(100.0), np.arange(100.0)])
    probed = add_probes(X, 2, "permuted")
    assert not np.array_equal(probed[:, 2], probed[:, 3])


def test_permuting_keeps_missing_values_missing() -> None:
    X = np.array([[1.0], [np.nan], [3.0], [np.nan]])
    probed = add_probes(X, 3, "permuted")
    assert np.isnan(probed).sum(axis=0).tolist() == [2, 2, 2, 2]


@pytest.mark.parametrize("kind", KINDS)
def test_probes_know_nothing_of_a_table_drawn_with_the_same_seed(kind: Any) -> None:
    dataset = toy_xyz(10_000, seed=0)
    probed = add_probes(dataset.X, 10, kind, seed=0)
    correlations = np.corrcoef(np.column_stack([dataset.y, probed]).T)
    assert np.abs(correlations[:4, 4:]).max() < 5 / np.sqrt(10_000)


def test_a_list_of_rows_is_a_table() -> None:
    np.testing.assert_array_equal(add_probes([[1, 2], [3, 4]], 1)[:, :2], [[1.0, 2.0], [3.0, 4.0]])


def test_an_unknown_kind_is_refused() -> None:
    with pytest.raises(InvalidParameter, match="kind must be 'normal', 'permuted' or 'uniform', got 'gauss' instead"):
        add_probes(np.ones((3, 2)), 1, "gauss")  # type: ignore[arg-type]


@pytest.mark.parametrize("n", [-1, 1.5, True])
def test_a_number_of_probes_that_cannot_be_is_refused(n: Any) -> None:
    with pytest.raises(InvalidParameter, match=r"n must be a whole number of at least 0, got .* instead"):
        add_probes(np.ones((3, 2)), n)


@pytest.mark.parametrize("X", [[1.0, 2.0], np.ones((2, 2, 2)), 3.0])
def test_what_is_not_rows_by_columns_is_refused(X: Any) -> None:
    with pytest.raises(InvalidInput, match="X must be rows by columns"):
        add_probes(X, 1)


@pytest.mark.parametrize("X", [[["a", "b"]], sparse.csr_array(np.eye(3))])
def test_what_is_not_a_dense_table_of_numbers_is_refused(X: Any) -> None:
    with pytest.raises(InvalidInput, match="X must be a dense table of numbers"):
        add_probes(X, 1)


def test_there_must_be_a_column_to_permute() -> None:
    with pytest.raises(InvalidInput, match="no columns to permute"):
        add_probes(np.empty((3, 0)), 1, "permuted")
