"""KernelSeparability and KernelAlignment: what they select, store and reject."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris
from sklearn.neighbors import KNeighborsClassifier

from fewest import KernelAlignment, KernelSeparability, scan
from fewest.datasets import fifty_two_features, synthetic_1
from fewest.errors import InvalidInput, InvalidParameter

from ...reference.kernels import kernel_scatter as reference

MODES = ("weights", "elimination", "forward", "backward", "individual")


def names(data, chosen):
    return {data.feature_names[column] for column in chosen.selection_.indices}


def test_two_features_that_separate_the_classes_only_together_are_found_among_fifty_of_noise():
    found = dict.fromkeys(("weights", "elimination", "forward", "individual"), 0)
    for seed in range(6):
        data = fifty_two_features(60, shuffle=True, seed=seed)
        for mode in found:
            chosen = names(data, KernelSeparability(mode=mode, n_features=2).fit(data.X, data.y))
            found[mode] += "x1" in chosen if mode == "individual" else chosen == {"x1", "x2"}
    assert found == {"weights": 6, "elimination": 6, "forward": 6, "individual": 6}


def test_a_ring_around_a_cluster_is_found():
    data = synthetic_1()
    some = np.random.default_rng(0).permutation(len(data.y))[:300]
    for mode in MODES:
        assert names(data, KernelSeparability(mode=mode, n_features=2).fit(data.X[some], data.y[some])) == {"x", "y"}


@pytest.mark.parametrize("mode", MODES)
def test_fitted_attributes_agree_with_the_selection(mode):
    X, y = load_iris(return_X_y=True)
    chosen = KernelSeparability(mode=mode, n_features=2).fit(X, y)
    taken = list(chosen.selection_.indices)
    assert chosen.weights_.shape == (4,)
    assert (chosen.weights_[taken] > 0).all()
    if mode in ("weights", "elimination"):
        assert_array_equal(chosen.weights_, chosen.scores_)
        assert list(chosen.objective_) == sorted(chosen.objective_, reverse=mode == "elimination")
        assert chosen.regularization_ == 0.25
        assert chosen.objective_[-1] == chosen.selection_.value
    elif mode == "individual":
        assert_array_equal(chosen.objective_, chosen.selection_.scores)
        assert chosen.width_ is None
    else:
        assert len(set(chosen.weights_[taken])) == 1
        assert_allclose(chosen.width_, 1 / np.sqrt(2 * chosen.weights_[taken[0]]))
        assert_allclose(chosen.objective_[-1], chosen.selection_.value, rtol=1e-9)
        assert chosen.regularization_ is None
    if mode != "individual":
        # Three classes of 50: no width and no features reach more than 150 - 3 * 50^2 / 150 = 100.
        assert_allclose(chosen.selection_.bound, 75.0 if mode in ("weights", "elimination") else 100.0)
        assert chosen.selection_.value < chosen.selection_.bound
        assert "of the best possible 2 features" in chosen.selection_.certificate.words


def test_regularization_is_chosen_by_cross_validation_where_it_is_asked_for():
    data = fifty_two_features(60, n_noise=6, shuffle=True, seed=1)
    chosen = KernelSeparability(regularization="auto", n_features=2, cv=3).fit(data.X, data.y)
    assert chosen.regularization_ in (0.0, 0.1, 0.25, 0.5, 0.75, 0.99)
    assert f"regularization = {chosen.regularization_:g} chosen by 3-fold cross-validation among 6" in chosen.notes_[0]
    assert names(data, chosen) == {"x1", "x2"}
    assert not hasattr(chosen, "size_curve_")
    expected = KernelSeparability(regularization=chosen.regularization_, n_features=2).fit(data.X, data.y)
    assert_array_equal(chosen.weights_, expected.weights_)
    both = KernelSeparability(regularization="auto", n_features="auto", cv=3, max_features=3).fit(data.X, data.y)
    assert set(both.size_curve_) == {1, 2, 3}
    assert len(both.notes_) == 2
    with pytest.raises(AttributeError):
        KernelSeparability(regularization="auto").partial_fit(data.X, data.y)
    # In the other modes it has no meaning, and costs nothing.
    assert (
        KernelSeparability("forward", regularization="auto", n_features=2).fit(data.X, data.y).regularization_ is None
    )


def test_sizes_are_evaluated_by_an_svm_with_a_gaussian_kernel():
    data = fifty_two_features(80, n_noise=8, shuffle=True, seed=2)
    chosen = KernelSeparability(n_features="auto", max_features=4).fit(data.X, data.y)
    assert names(data, chosen) == {"x1", "x2"}
    assert "an SVM with a Gaussian kernel" in chosen.notes_[0]
    other = KernelSeparability(n_features="auto", max_features=4, estimator=KNeighborsClassifier()).fit(data.X, data.y)
    assert "KNeighborsClassifier" in other.notes_[0]


@pytest.mark.parametrize("mode", ["weights", "elimination", "forward", "individual"])
def test_a_sample_has_a_standard_error(mode):
    random = np.random.default_rng(0)
    y = random.integers(0, 2, 800)
    X = random.normal(size=(800, 6)) + 2 * y[:, None] * (np.arange(6) == 4)
    chosen = KernelSeparability(mode=mode, sample=200, n_features=1).fit(X, y)
    assert chosen.selection_.indices == (4,)
    assert chosen.sampling_error_ > 0
    assert "sample of 200 rows" in chosen.notes_[0]
    assert f"standard error of {chosen.sampling_error_:.2g}" in chosen.notes_[0]
    order = random.permutation(800)
    assert_array_equal(
        KernelSeparability(mode=mode, sample=200, n_features=1).fit(X[order], y[order]).weights_, chosen.weights_
    )
    assert KernelSeparability(mode=mode, sample=5000, n_features=1).fit(X, y).notes_ == ("the sample holds all rows",)


def test_a_stream_can_be_sampled(tmp_path):
    import pandas as pd

    random = np.random.default_rng(0)
    y = random.integers(0, 2, 3000)
    frame = pd.DataFrame(random.normal(size=(3000, 4)) + 2 * y[:, None] * [0, 0, 1, 0], columns=list("abcd"))
    frame.assign(label=y).to_parquet(tmp_path / "rows.parquet", row_group_size=500)
    chosen = KernelSeparability(sample=150, n_features=1).fit(scan(tmp_path / "rows.parquet", target="label"))
    assert chosen.get_feature_names_out().tolist() == ["c"]
    assert_array_equal(chosen.weights_, KernelSeparability(sample=150, n_features=1).fit(frame, y).weights_)


def test_missing_values_are_rejected_except_by_single_columns():
    X, y = load_iris(return_X_y=True)
    X[5, 2] = np.nan
    for mode in ("weights", "elimination", "forward", "backward"):
        with pytest.raises(InvalidInput, match=r"number 2\), and a kernel compares complete rows. .*mode='individual'"):
            KernelSeparability(mode=mode).fit(X, y)
    assert KernelSeparability(mode="individual", n_features=1).fit(X, y).n_features_ == 1
    with pytest.raises(InvalidInput, match="compares complete rows"):
        KernelAlignment().fit(X, y)
    assert KernelAlignment(mode="individual", n_features=1).fit(X, y).n_features_ == 1


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"mode": "both"}, "mode must be one of 'weights'"),
        ({"kernel": "linear"}, "'weights' needs the kernel 'rbf' or 'laplacian', got 'linear'. Use mode='forward'"),
        ({"mode": "elimination", "kernel": "poly"}, "'elimination' needs the kernel 'rbf' or 'laplacian', got 'poly'"),
        ({"mode": "elimination", "step": 0}, "step must be a whole number of at least 1 or a share"),
        ({"regularization": 1.5}, "regularization must be a number of at least 0 and below 1"),
        ({"sample": 1}, "sample must be a whole number"),
    ],
)
def test_invalid_parameters_are_rejected_before_any_data_are_read(parameters, message):
    with pytest.raises(InvalidParameter, match=message):
        KernelSeparability(**parameters).fit(None, None)


@pytest.mark.parametrize("kernel", ["laplacian", "poly", "cosine"])
def test_other_kernels_have_the_other_modes(kernel):
    X, y = load_iris(return_X_y=True)
    for mode in MODES if kernel == "laplacian" else ("forward", "backward", "individual"):
        chosen = KernelSeparability(mode=mode, kernel=kernel, n_features=2).fit(X[::3], y[::3])
        assert len(chosen.objective_) >= 2
        assert np.isfinite(chosen.objective_).all()


def test_alignment_is_bounded_by_one():
    X, y = load_iris(return_X_y=True)
    chosen = KernelAlignment(n_features=2).fit(X, y)
    assert chosen.selection_.bound == 1.0
    assert_allclose(chosen.selection_.value, np.sum(chosen.selection_.scores))
    assert 0.6 < chosen.selection_.value < 1
    assert (chosen.weights_ > 0).sum() == 2
    assert (KernelAlignment(mode="individual").fit(X, y).weights_ > 0).all()


@pytest.mark.parametrize("mode", ["weights", "elimination", "forward", "backward", "individual"])
def test_the_ratio_of_scatters_is_the_objective_of_the_selector_too(mode):
    random = np.random.default_rng(1)
    y = np.arange(60) % 3
    X = random.normal(size=(60, 5))
    X[:, 3] += 2.0 * y
    chosen = KernelSeparability(mode, form="ratio", ridge=0.2, regularization=0.0, n_features=1).fit(X, y)
    assert chosen.selection_.indices == (3,)
    assert chosen.selection_.bound is None
    K = reference.gaussian(
        reference.scaled(X), chosen.weights_ if mode != "individual" else chosen.weights_ * [0, 0, 0, 1, 0]
    )
    between, within, _ = reference.traces(K, y)
    value = chosen.scores_[3] if mode == "individual" else chosen.selection_.value
    assert_allclose(value, (between + 0.2 * 2) / (within + 0.2 * 57), rtol=1e-6)


def test_a_form_that_is_none_and_a_negative_ridge_are_refused():
    for wrong in ({"form": "determinant"}, {"ridge": -1.0}):
        with pytest.raises(InvalidParameter, match=next(iter(wrong))):
            KernelSeparability(**wrong).fit(np.eye(4), [0, 0, 1, 1])
