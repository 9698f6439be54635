"""Parzen-Relief from any source, and columns that share no information with the class."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold

from fewest import FewestWarning, ParzenRelief, scan
from fewest.criteria import ParzenMargin
from fewest.selectors.selector import Selector

from ...reference.relief.parzen_relief import parzen_relief


def real_against_probes(selector):
    """Under shuffled labels: how much better the real columns score than columns of noise."""
    X, y = load_breast_cancer(return_X_y=True)
    rng = np.random.default_rng(0)
    X = np.hstack([X, rng.normal(scale=20**0.5, size=(len(y), 50))])
    is_real = np.arange(80) < 30
    found = [roc_auc_score(is_real, selector.fit(X, rng.permutation(y)).scores_) for _ in range(40)]
    return float(np.mean(found))


def test_under_shuffled_labels_real_columns_score_like_probes():
    assert 0.4 <= real_against_probes(ParzenRelief()) <= 0.6


def test_as_printed_an_uninformative_column_scores_above_zero_and_more_so_when_spread_out():
    # This is why printed=True is excepted above, and why it is not the default.
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 400)
    X = np.column_stack([rng.random(400), np.where(rng.random(400) < 0.95, 0.5, rng.random(400))])
    printed = np.mean([ParzenRelief(0.01, printed=True).fit(X, rng.permutation(y)).scores_ for _ in range(20)], axis=0)
    assert printed[0] > 4 * printed[1] > 0
    default = np.mean([ParzenRelief(0.01).fit(X, rng.permutation(y)).scores_ for _ in range(20)], axis=0)
    assert (np.abs(default) < 1e-3).all()


def test_weights_are_the_unit_vector_along_the_positive_margins():
    X, y = load_breast_cancer(return_X_y=True)
    fitted = ParzenRelief(n_features=5).fit(X, y)
    positive = np.clip(fitted.scores_, 0, None)
    assert_allclose(fitted.weights_, positive / np.linalg.norm(positive), rtol=1e-12)
    assert_allclose(fitted.scores_, parzen_relief(X, y, "sd/2"), rtol=1e-9, atol=1e-12)
    assert_array_equal(fitted.selection_.indices, np.argsort(-fitted.scores_, kind="stable")[:5])


def test_text_is_equal_or_not(tmp_path):
    import pandas as pd

    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 60)
    frame = pd.DataFrame(
        {"number": rng.normal(size=60) + y, "text": np.array(["u", "v", "w"])[rng.integers(0, 2, 60) + y]}
    )
    frame.loc[[3, 8], "text"] = None
    fitted = ParzenRelief().fit(frame, y)
    code = frame["text"].map({"u": 0.0, "v": 1.0, "w": 2.0}).to_numpy()
    # So narrow a kernel is 1 where values are equal and 0 where they are not.
    expected = parzen_relief(code[:, None], y, 1e-3)
    assert_allclose(fitted.scores_, [parzen_relief(frame[["number"]], y, "sd/2")[0], expected[0]], rtol=1e-10)
    weights = rng.integers(1, 4, 60)
    weighted = ParzenRelief().fit(frame, y, sample_weight=weights)
    assert_allclose(weighted.scores_[1:], parzen_relief(code[:, None], y, 1e-3, weights=weights), rtol=1e-10)
    frame.assign(label=y).to_csv(tmp_path / "t.csv", index=False)
    assert_allclose(ParzenRelief().fit(scan(tmp_path / "t.csv", "label")).scores_, fitted.scores_, rtol=1e-12)


@pytest.mark.parametrize("form", [sparse.csr_array, sparse.csc_array, sparse.csr_matrix, sparse.coo_array])
def test_sparse_rows_in_parts_are_as_dense_ones_at_once(form):
    rng = np.random.default_rng(0)
    X = np.where(rng.random((200, 30)) < 0.9, 0.0, rng.random((200, 30)))
    y = rng.integers(0, 3, 200)
    parts = ParzenRelief(n_features=4)
    for rows in np.array_split(np.arange(200), 3):
        parts.partial_fit(form(X[rows].astype(np.float32)), y[rows])
    whole = ParzenRelief(n_features=4).fit(X.astype(np.float32), y)
    assert_allclose(parts.scores_, whole.scores_, rtol=1e-10, atol=1e-14)
    assert_array_equal(parts.support_, whole.support_)
    mixed = ParzenRelief(n_features=4).partial_fit(form(X[:90]), y[:90]).partial_fit(X[90:], y[90:])
    assert_allclose(mixed.scores_, ParzenRelief().fit(X, y).scores_, rtol=1e-10, atol=1e-14)


def test_the_size_is_chosen_on_dense_and_sparse_rows_alike():
    X, y = load_breast_cancer(return_X_y=True)
    dense = ParzenRelief(n_features="auto", max_features=8).fit(X, y)
    assert 1 <= dense.n_features_ <= 8
    held = ParzenRelief(n_features="auto", max_features=8).fit(sparse.csr_array(X), y)
    assert_array_equal(held.support_, dense.support_)


def test_without_a_class_of_two_rows_it_says_so():
    with pytest.warns(FewestWarning, match="no class has two rows"):
        fitted = ParzenRelief().fit([[1.0], [2.0]], ["a", "b"])
    assert fitted.notes_
    assert_array_equal(fitted.scores_, [0.0])


@pytest.mark.parametrize("parameters", [{}, {"width": 0.05}, {"width": "silverman", "printed": True}], ids=str)
@pytest.mark.parametrize("n_features", [4, "auto"])
def test_a_stream_too_large_to_be_kept_is_read_twice_with_the_same_answer(
    parameters, n_features, tmp_path, monkeypatch
):
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(0)
    n = 900
    y = rng.integers(0, 3, n)
    columns = {f"f{j}": rng.normal(size=n) + 0.2 * j * y for j in range(5)}
    columns["missing"] = np.where(rng.random(n) < 0.2, np.nan, rng.normal(size=n) + y)
    columns["whole"] = rng.integers(0, 4, n)
    columns["constant"] = np.full(n, 2.5)
    columns["text"] = np.array(["red", "green", "blue"])[np.where(rng.random(n) < 0.5, y, rng.integers(0, 3, n))]
    pq.write_table(
        pa.table({**columns, "label": np.array(["b", "a", "c"])[y]}), tmp_path / "t.parquet", row_group_size=99
    )

    def fit():
        # Folds by position: those drawn from the contents of rows go by names where rows cannot be kept.
        selector = ParzenRelief(n_features=n_features, max_features=6, cv=StratifiedKFold(3), **parameters)
        return selector.fit(scan(tmp_path / "t.parquet", "label"))

    kept = fit()
    read_again = []
    after = ParzenMargin.second_pass
    monkeypatch.setattr(ParzenMargin, "second_pass", lambda *given: read_again.append(1) or after(*given))
    monkeypatch.setattr(Selector, "_stream_bytes", 1000)
    twice = fit()
    assert len(read_again) == (4 if n_features == "auto" else 1)
    assert_allclose(twice.scores_, kept.scores_, rtol=1e-10, atol=1e-12)
    assert twice.selection_.indices == kept.selection_.indices
    assert twice.selection_.provenance.fingerprint == kept.selection_.provenance.fingerprint
