"""Nogueira's stability and its interval."""

import numpy as np
import pytest
from scipy import stats

from fewest.errors import InvalidInput, InvalidParameter
from fewest.evaluation.testing.stability import stability

from ...reference import evaluation as reference


def unequal_matrix(seed, n_resamples=12, n_columns=20):
    random = np.random.default_rng(seed)
    return random.random((n_resamples, n_columns)) < random.random(n_columns)


def of_matrix(matrix):
    return stability([np.flatnonzero(row) for row in matrix], len(matrix[0]))


def test_an_example_by_hand():
    """{1-3}, {1-4}, {1-3, 5-7} of 10: four columns at 1/3, so 3/2 * 4 * 2/9 / 10 = 2/15 over 13/30 * 17/30."""
    found = stability([[0, 1, 2], [0, 1, 2, 3], [0, 1, 2, 4, 5, 6]], 10)
    assert found.index == pytest.approx(1 - (2 / 15) / (221 / 900), rel=1e-14)
    assert round(found.index, 7) == 0.4570136
    assert list(found.frequencies) == pytest.approx([1, 1, 1, 1 / 3, 1 / 3, 1 / 3, 1 / 3, 0, 0, 0])
    assert found.mean_size == pytest.approx(13 / 3)


@pytest.mark.parametrize("seed", range(6))
def test_it_is_the_formula_whatever_the_order_of_the_columns_chosen(seed):
    matrix = unequal_matrix(seed)
    index, variance = reference.stability(matrix)
    for found in (of_matrix(matrix), stability([np.flatnonzero(row)[::-1] for row in matrix], 20)):
        assert found.index == pytest.approx(index, rel=1e-12)
        assert found.variance == pytest.approx(variance, rel=1e-10)
        margin = stats.norm.ppf(0.975) * np.sqrt(variance)
        assert (found.lower, found.upper) == pytest.approx((index - margin, min(index + margin, 1)), rel=1e-10)


@pytest.mark.parametrize("seed", range(3))
def test_choices_of_one_size_have_kunchevas_index(seed):
    random = np.random.default_rng(seed)
    choices = [random.choice(15, 4, replace=False) for _ in range(8)]
    assert stability(choices, 15).index == pytest.approx(reference.kuncheva(choices, 15), rel=1e-12)


def test_random_choices_are_zero_on_average_whatever_their_sizes():
    random = np.random.default_rng(0)
    for size in (2, 10, 27):
        found = [stability([random.choice(30, size, replace=False) for _ in range(10)], 30).index for _ in range(200)]
        assert abs(np.mean(found)) < 4 * np.std(found) / np.sqrt(200)
        assert abs(np.mean(found)) < 0.01


def test_the_variance_is_that_of_repeated_experiments():
    """With sizes that differ a lot, since only then all terms of the formula count."""
    random = np.random.default_rng(0)
    chances = np.repeat([0.9, 0.5, 0.1], [5, 10, 35])
    found = []
    for _ in range(400):
        eager = random.choice([0.3, 1.0], size=(60, 1))
        found.append(of_matrix(random.random((60, 50)) < chances * eager))
    index = np.array([one.index for one in found])
    assert np.mean([one.variance for one in found]) == pytest.approx(index.var(), rel=0.2)
    inside = np.mean([one.lower <= index.mean() <= one.upper for one in found])
    assert 0.9 < inside < 0.99


def test_always_the_same_columns_is_one_without_variance():
    found = stability([[3, 1]] * 7, 9)
    assert (found.index, found.variance, found.lower, found.upper) == (1, 0, 1, 1)
    assert found.sentence() == (
        "stability 1.00 (95 % interval 1.00 to 1.00) over 7 resamples; 1 is always the same columns, 0 is chance"
    )


def test_two_resamples_without_a_common_column_are_as_low_as_can_be():
    assert stability([[0, 1], [2, 3]], 4).index == pytest.approx(-1)


def test_the_interval_is_cut_at_one_and_follows_the_confidence():
    choices = [[0, 1]] * 9 + [[0, 2]]
    wide, narrow = stability(choices, 6, confidence=0.999), stability(choices, 6, confidence=0.5)
    assert wide.upper == 1
    assert wide.lower < narrow.lower < narrow.index < narrow.upper < 1


@pytest.mark.parametrize(
    ("choices", "why"),
    [
        ([[0, 1]], "there is one resample"),
        ([[], [], []], "no column was ever chosen"),
        ([[0, 1, 2], [2, 1, 0]], "all columns were always chosen"),
        ([[]], "there is one resample"),
    ],
)
def test_where_it_is_not_defined_there_is_none_and_the_frequencies_stay(choices, why):
    found = stability(choices, 3)
    assert (found.index, found.variance, found.lower, found.upper) == (None,) * 4
    assert found.sentence() == f"stability is not defined: {why}"
    assert found.frequencies.shape == (3,)
    assert found.mean_size == np.mean([len(columns) for columns in choices])


def test_an_empty_choice_among_others_counts():
    matrix = [[1, 1, 0, 0], [0, 0, 0, 0], [1, 0, 0, 0]]
    assert of_matrix(matrix).index == pytest.approx(reference.stability(matrix)[0])


def test_many_columns_need_no_matrix():
    random = np.random.default_rng(0)
    found = stability([random.choice(100_000, 20, replace=False) for _ in range(50)], 100_000)
    assert abs(found.index) < 0.01
    assert found.frequencies.sum() == pytest.approx(20)


def test_neither_the_order_of_resamples_nor_of_columns_matters():
    matrix = unequal_matrix(1)
    random = np.random.default_rng(2)
    turned = of_matrix(matrix[random.permutation(12)][:, random.permutation(20)])
    assert of_matrix(matrix) == turned


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ([], "There are no resamples"),
        ([[0], [3]], r"The choice of resample 1 holds 3 \(at 0\), but must lie between 0 and 2"),
        ([[-1]], "holds -1"),
        ([[1, 1]], "The choice of resample 0 holds a column twice"),
        ([[0.5]], "must be whole numbers"),
        ([[np.nan]], "must be whole numbers"),
        ([[[0]]], "1 dimension"),
    ],
)
def test_what_is_no_choice_of_columns_is_refused(choices, message):
    with pytest.raises(InvalidInput, match=message):
        stability(choices, 3)


def test_the_number_of_columns_and_the_confidence_are_checked():
    with pytest.raises(InvalidParameter, match="n_columns"):
        stability([[]], 0)
    with pytest.raises(InvalidParameter, match="confidence"):
        stability([[0]], 3, confidence=95)
