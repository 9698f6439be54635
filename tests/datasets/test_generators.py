"""The papers' synthetic data have the distributions that the papers describe."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import kstest, norm
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.svm import SVC

from fewest.datasets import Dataset, fifty_two_features, synthetic_1, toy_xyz
from fewest.errors import InvalidParameter

GENERATORS: list[Callable[..., Dataset]] = [synthetic_1, fifty_two_features, toy_xyz]


@pytest.mark.parametrize("generator", GENERATORS)
def test_the_same_seed_gives_the_same_data(generator: Callable[..., Dataset]) -> None:
    once, again = generator(seed=3), generator(seed=3)
    np.testing.assert_array_equal(once.X, again.X)
    np.testing.assert_array_equal(once.y, again.y)


@pytest.mark.parametrize("generator", GENERATORS)
def test_another_seed_gives_other_data(generator: Callable[..., Dataset]) -> None:
    assert not np.array_equal(generator(seed=0).X, generator(seed=1).X)


@pytest.mark.parametrize("generator", GENERATORS)
@pytest.mark.parametrize("seed", [-1, 1.5, None, "0", True])
def test_a_seed_that_is_not_a_whole_number_is_refused(generator: Callable[..., Dataset], seed: Any) -> None:
    with pytest.raises(InvalidParameter, match=r"seed must be a whole number of at least 0, got .* instead"):
        generator(seed=seed)


def test_a_numpy_integer_is_a_whole_number() -> None:
    n_rows: Any = np.int32(10)
    seed: Any = np.uint8(1)
    np.testing.assert_array_equal(toy_xyz(n_rows, seed).X, toy_xyz(10, 1).X)


@pytest.mark.parametrize("generator", [fifty_two_features, toy_xyz])
@pytest.mark.parametrize("n_rows", [1, 0, 10.0, "10"])
def test_too_few_rows_are_refused(generator: Callable[..., Dataset], n_rows: Any) -> None:
    with pytest.raises(InvalidParameter, match=r"n_rows must be a whole number of at least 2, got .* instead"):
        generator(n_rows=n_rows)


@pytest.mark.parametrize("generator", [fifty_two_features, toy_xyz])
def test_two_rows_are_one_of_each_class(generator: Callable[..., Dataset]) -> None:
    for seed in range(20):
        assert sorted(generator(n_rows=2, seed=seed).y.tolist()) == [-1, 1]


class TestSynthetic1:
    def test_has_982_rows_of_class_1_and_250_of_class_2(self) -> None:
        dataset = synthetic_1()
        assert dataset.X.shape == (1232, 3)
        assert dataset.y.tolist() == [1] * 982 + [2] * 250
        assert dataset.feature_names == ["x", "y", "z"]
        assert dataset.truth == (0, 1)

    def test_class_1_is_uniform_along_the_unit_circle(self) -> None:
        circle = synthetic_1().X[:982]
        np.testing.assert_allclose(np.hypot(circle[:, 0], circle[:, 1]), 1.0, rtol=1e-14)
        turns = np.arctan2(circle[:, 1], circle[:, 0]) / (2.0 * np.pi) + 0.5
        assert kstest(turns, "uniform").pvalue > 0.001

    def test_class_2_is_normal_with_standard_deviation_a_fifth(self) -> None:
        blob = synthetic_1().X[982:]
        for column in (0, 1):
            assert kstest(blob[:, column], norm(0.0, 0.2).cdf).pvalue > 0.001
        many = np.concatenate([synthetic_1(seed=seed).X[982:, :2].ravel() for seed in range(40)])
        # 20,000 values: the standard error of the deviation is .001.
        assert many.std() == pytest.approx(0.2, abs=0.004)
        assert many.mean() == pytest.approx(0.0, abs=0.006)

    def test_z_is_uniform_between_minus_and_plus_a_fifth_in_both_classes(self) -> None:
        dataset = synthetic_1()
        for label in (1, 2):
            z = dataset.X[dataset.y == label, 2]
            assert z.min() >= -0.2
            assert z.max() <= 0.2
            assert kstest((z + 0.2) / 0.4, "uniform").pvalue > 0.001

    def test_the_map_squares_each_column_and_takes_a_thousandth_of_it_away(self) -> None:
        plain, mapped = synthetic_1(seed=5), synthetic_1(mapped=True, seed=5)
        np.testing.assert_allclose(mapped.X, plain.X * plain.X - 0.001 * plain.X, rtol=0, atol=1e-16)
        np.testing.assert_array_equal(mapped.y, plain.y)

    def test_products_of_mapped_rows_are_the_papers_kernel(self) -> None:
        (x1, x2, _), (y1, y2, _) = synthetic_1().X[[0, 1000]]
        kernel = (x1**2 - 0.001 * x1) * (y1**2 - 0.001 * y1) + (x2**2 - 0.001 * x2) * (y2**2 - 0.001 * y2)
        first, second = synthetic_1(mapped=True).X[[0, 1000], :2]
        assert first @ second == pytest.approx(kernel, rel=1e-12)

    @pytest.mark.parametrize("seed", range(5))
    def test_a_line_separates_the_classes_only_when_mapped(self, seed: int) -> None:
        plain, mapped = synthetic_1(seed=seed), synthetic_1(mapped=True, seed=seed)
        line = SVC(kernel="linear", C=100.0)
        # 982 of 1,232 is what always guessing class 1 reaches.
        assert line.fit(plain.X[:, :2], plain.y).score(plain.X[:, :2], plain.y) < 0.85
        assert line.fit(mapped.X[:, :2], mapped.y).score(mapped.X[:, :2], mapped.y) == 1.0

    def test_a_map_that_is_neither_on_nor_off_is_refused(self) -> None:
        with pytest.raises(InvalidParameter, match="mapped must be True or False, got 'no' instead"):
            synthetic_1(mapped="no")  # type: ignore[arg-type]


class TestFiftyTwoFeatures:
    def test_has_a_thousand_rows_and_52_columns_unless_told_otherwise(self) -> None:
        dataset = fifty_two_features()
        assert dataset.X.shape == (1000, 52)
        assert dataset.feature_names == [f"x{number}" for number in range(1, 53)]
        assert dataset.truth == (0, 1)

    def test_labels_are_even(self) -> None:
        labels = fifty_two_features(n_rows=40_000, n_noise=0).y
        assert set(labels.tolist()) == {-1, 1}
        # Four standard errors.
        assert abs(labels.mean()) < 4 / np.sqrt(40_000)

    @pytest.mark.parametrize(("label", "centre"), [(-1, (-0.75, -3.0)), (1, (3.0, -3.0))])
    def test_each_class_is_two_round_clouds_opposite_each_other(self, label: int, centre: tuple[float, float]) -> None:
        dataset = fifty_two_features(n_rows=80_000, n_noise=0)
        rows = dataset.X[dataset.y == label]
        distance = np.hypot(*centre)
        along = rows @ np.array(centre) / distance
        across = rows @ np.array([-centre[1], centre[0]]) / distance
        assert kstest(along, lambda t: (norm.cdf(t - distance) + norm.cdf(t + distance)) / 2).pvalue > 0.001
        assert kstest(across, norm.cdf).pvalue > 0.001
        # Neither sign of the flip changes a product: its mean is 1 or 0, plus that of the centre. About 40,000 rows:
        # the standard error is at most .031.
        np.testing.assert_allclose(rows.T @ rows / len(rows), np.eye(2) + np.outer(centre, centre), atol=0.13)

    def test_no_column_has_a_different_mean_in_either_class(self) -> None:
        dataset = fifty_two_features(n_rows=40_000, n_noise=3)
        for label in (-1, 1):
            rows = dataset.X[dataset.y == label]
            standard_error = rows.std(axis=0) / np.sqrt(len(rows))
            assert (np.abs(rows.mean(axis=0)) < 4 * standard_error).all()

    def test_noise_is_normal_with_variance_20_and_knows_nothing(self) -> None:
        dataset = fifty_two_features(n_rows=10_000, n_noise=50)
        noise = dataset.X[:, 2:]
        # Half a million values: the standard error of the variance is .04.
        assert noise.var() == pytest.approx(20.0, abs=0.16)
        assert noise.mean() == pytest.approx(0.0, abs=0.03)
        assert kstest(noise[:, 0], norm(0.0, np.sqrt(20.0)).cdf).pvalue > 0.001
        correlations = np.corrcoef(np.column_stack([dataset.y, dataset.X]).T)[0, 3:]
        assert np.abs(correlations).max() < 4 / np.sqrt(10_000)

    def test_the_two_columns_tell_together_but_not_linearly(self) -> None:
        dataset = fifty_two_features(n_rows=20_000, n_noise=0)
        linear = LinearDiscriminantAnalysis().fit(dataset.X, dataset.y)
        curved = QuadraticDiscriminantAnalysis().fit(dataset.X, dataset.y)
        # No line can have more than three of the four clouds on the right side.
        assert linear.score(dataset.X, dataset.y) < 0.77
        assert curved.score(dataset.X, dataset.y) > 0.94

    @pytest.mark.parametrize("n_noise", [0, 1, 7, 200])
    def test_any_number_of_noise_columns_leaves_the_earlier_columns_as_they_are(self, n_noise: int) -> None:
        some, many = fifty_two_features(20, n_noise), fifty_two_features(20, 300)
        assert some.X.shape == (20, 2 + n_noise)
        np.testing.assert_array_equal(some.X, many.X[:, : 2 + n_noise])
        np.testing.assert_array_equal(some.y, many.y)

    @pytest.mark.parametrize("seed", range(10))
    def test_shuffling_moves_names_and_truth_with_the_columns(self, seed: int) -> None:
        plain, shuffled = fifty_two_features(30, seed=seed), fifty_two_features(30, shuffle=True, seed=seed)
        assert sorted(shuffled.feature_names) == sorted(plain.feature_names)
        for position, name in enumerate(shuffled.feature_names):
            np.testing.assert_array_equal(shuffled.X[:, position], plain.X[:, plain.feature_names.index(name)])
        assert shuffled.truth == tuple(sorted(shuffled.feature_names.index(name) for name in ("x1", "x2")))
        np.testing.assert_array_equal(shuffled.y, plain.y)

    def test_shuffling_puts_the_true_columns_anywhere(self) -> None:
        truths = {fifty_two_features(2, 4, shuffle=True, seed=seed).truth for seed in range(200)}
        assert truths == set(combinations(range(6), 2))

    @pytest.mark.parametrize("n_noise", [-1, 2.0, None])
    def test_a_number_of_noise_columns_that_cannot_be_is_refused(self, n_noise: Any) -> None:
        with pytest.raises(InvalidParameter, match=r"n_noise must be a whole number of at least 0, got .* instead"):
            fifty_two_features(n_noise=n_noise)

    def test_a_shuffle_that_is_neither_on_nor_off_is_refused(self) -> None:
        with pytest.raises(InvalidParameter, match="shuffle must be True or False, got 1 instead"):
            fifty_two_features(shuffle=1)  # type: ignore[arg-type]


#: The best accuracy that any rule can have on these columns.
BEST_ACCURACIES = [
    ((2,), 0.939),
    ((0,), 0.864),
    ((1,), 0.864),
    ((0, 1), 0.997),
    ((0, 2), 0.957),
    ((1, 2), 0.957),
]


class TestToyXYZ:
    def test_has_three_columns_that_all_carry_the_class(self) -> None:
        dataset = toy_xyz(50)
        assert dataset.X.shape == (50, 3)
        assert dataset.feature_names == ["X", "Y", "Z"]
        assert dataset.truth == (0, 1, 2)
        assert set(dataset.y.tolist()) == {-1, 1}

    def test_means_and_covariance_are_as_described(self) -> None:
        dataset = toy_xyz(200_000)
        # The standard errors are at most .003.
        assert abs(dataset.y.mean()) < 0.01
        for label in (-1, 1):
            rows = dataset.X[dataset.y == label]
            np.testing.assert_allclose(rows.mean(axis=0), label * np.array([1.1, 1.1, 1.55]), atol=0.015)
            np.testing.assert_allclose(
                np.cov(rows.T), [[1.0, -0.68, 0.24], [-0.68, 1.0, 0.24], [0.24, 0.24, 1.0]], atol=0.02
            )

    @pytest.mark.parametrize(("columns", "accuracy"), BEST_ACCURACIES)
    def test_the_best_accuracy_by_the_formula(self, columns: tuple[int, ...], accuracy: float) -> None:
        rows = toy_xyz(200_000, seed=1)
        chosen = rows.X[:, columns]
        means = [chosen[rows.y == label].mean(axis=0) for label in (-1, 1)]
        half_difference: NDArray[np.float64] = (means[1] - means[0]) / 2
        covariance = np.atleast_2d(np.cov((chosen - np.where(rows.y[:, np.newaxis] == 1, means[1], means[0])).T))
        distance = np.sqrt(half_difference @ np.linalg.solve(covariance, half_difference))
        # The standard error is at most .0006; the table is rounded to .0005.
        assert norm.cdf(distance) == pytest.approx(accuracy, abs=0.003)

    @pytest.mark.parametrize(("columns", "accuracy"), BEST_ACCURACIES)
    def test_the_best_accuracy_by_counting(self, columns: tuple[int, ...], accuracy: float) -> None:
        train, test = toy_xyz(20_000, seed=2), toy_xyz(200_000, seed=3)
        rule = LinearDiscriminantAnalysis().fit(train.X[:, columns], train.y)
        # The standard error is at most .0008; the table is rounded to .0005.
        assert rule.score(test.X[:, columns], test.y) == pytest.approx(accuracy, abs=0.004)

    def test_the_best_column_is_not_among_the_best_two(self) -> None:
        accuracies = dict(BEST_ACCURACIES)
        assert max([(0,), (1,), (2,)], key=accuracies.__getitem__) == (2,)
        assert max([(0, 1), (0, 2), (1, 2)], key=accuracies.__getitem__) == (0, 1)
