"""n_features="auto" depends on the contents of a table alone: not on names, orders or the kind of file."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_iris, load_wine

from fewest import MRMR, FisherScore, ReliefF, scan
from fewest.datasets import load

SPELLINGS = (
    lambda y: y,
    lambda y: -y,
    lambda y: np.array(["normal", "tumour", "unknown"])[y],
    lambda y: np.array(["zeta", "eta", "alpha"])[y],
    lambda y: np.array([True, False, None], dtype=object)[y] if y.max() == 1 else 10 * ((y + 1) % 3),
)


def tables():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 120)
    X = rng.normal(size=(120, 30)).round(3)
    X[:, [2, 7, 19]] += y[:, None]
    yield "drawn", X, y
    yield "binary", (X > 0.4).astype(float), y
    yield "imbalanced", X, (rng.random(120) < 0.15).astype(int)
    gaps = X.copy()
    gaps[rng.random(X.shape) < 0.1] = np.nan
    yield "missing", gaps, y
    for name, load_table in (("iris", load_iris), ("wine", load_wine)):
        yield name, *load_table(return_X_y=True)
    X, y = load_breast_cancer(return_X_y=True)
    yield "cancer", X[::3], y[::3]
    data = load("synthetic-1", seed=0)
    yield "synthetic", data.X, np.unique(data.y, return_inverse=True)[1]


TABLES = {name: (X, y) for name, X, y in tables()}


def answer(selector, X, y, names):
    """The chosen columns by name, and the curve."""
    fitted = selector.fit(X, y)
    return [names[i] for i in fitted.selection_.indices], fitted.size_curve_


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("kind", [MRMR, ReliefF, FisherScore])
def test_spelling_row_order_and_column_order_change_nothing(name, kind):
    if name == "binary" and kind is FisherScore:
        pytest.skip("columns with equal scores but for the last digit, which depends on the order of the rows")
    X, y = TABLES[name]
    rng = np.random.default_rng(1)
    names = np.arange(X.shape[1])
    expected = answer(kind(n_features="auto", max_features=8), X, y, names)
    for spell in SPELLINGS:
        rows, columns = rng.permutation(len(X)), rng.permutation(X.shape[1])
        if name == "binary":  # columns often have equal scores, of which the first in the table is taken
            columns = names
        found = answer(
            kind(n_features="auto", max_features=8), X[np.ix_(rows, columns)], spell(y)[rows], names[columns]
        )
        assert sorted(found[0]) == sorted(expected[0])
        assert found[1] == expected[1]


def test_the_kind_of_file_changes_nothing(tmp_path):
    pd = pytest.importorskip("pandas")
    pl = pytest.importorskip("polars")
    rng = np.random.default_rng(2)
    y = np.where(rng.random(150) < 0.4, "yes", "no")
    frame = pd.DataFrame(rng.normal(size=(150, 9)).round(4), columns=list("abcdefghi"))
    frame["c"] += 1.5 * (y == "yes")
    frame["kind"] = np.array(["red", "green", "blue"])[(rng.random(150) + (y == "yes")).astype(int)]
    whole = frame.assign(label=y)
    whole.to_csv(tmp_path / "t.csv", index=False)
    whole.to_csv(tmp_path / "t.tsv", index=False, sep="\t")
    whole.iloc[::-1].to_parquet(tmp_path / "t.parquet", row_group_size=40)
    whole.to_feather(tmp_path / "t.feather")
    expected = MRMR(n_features="auto").fit(frame, y)
    others = [
        MRMR(n_features="auto").fit(scan(tmp_path / name, "label"))
        for name in ("t.csv", "t.tsv", "t.parquet", "t.feather")
    ]
    others.append(MRMR(n_features="auto").fit(pl.from_pandas(frame), y))
    for other in others:
        assert other.selection_.features == expected.selection_.features
        assert other.size_curve_ == expected.size_curve_


def test_float32_and_sparse_tables_have_the_folds_of_the_others():
    X, y = TABLES["drawn"]
    X = np.where(np.abs(X) < 0.5, 0.0, X).round(1)
    expected = FisherScore(n_features="auto").fit(X, y)
    for same in (X.astype(np.float32), sparse.csr_array(X)):
        found = FisherScore(n_features="auto").fit(same, y)
        assert found.selection_.indices == expected.selection_.indices
        assert list(found.size_curve_) == list(expected.size_curve_)


def test_a_row_twice_is_the_row_with_a_weight_of_two():
    X, y = TABLES["drawn"]
    weights = np.random.default_rng(3).choice([1, 2], 120)
    rows = np.repeat(np.arange(120), weights)
    weighted = FisherScore(n_features="auto").fit(X, y, sample_weight=weights)
    twice = FisherScore(n_features="auto").fit(X[rows], y[rows])
    assert weighted.selection_.indices == twice.selection_.indices
