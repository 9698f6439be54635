"""What every selector obeys on a table of numbers, text and identifiers."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.model_selection import KFold

from fewest import (
    MRMR,
    R2W2,
    FisherMarkov,
    KernelSeparability,
    Knockoffs,
    MaxDependency,
    MaxRelevance,
    RadiusMargin,
    Selection,
    StabilitySelection,
    TwoStage,
    Wrapper,
)
from fewest.selectors.registry import methods_by_name

from ..nearest_means import NearestMeans

VARIANTS = {
    **{name: selector(n_features=3) for name, selector in methods_by_name().items()},
    "wrapper": Wrapper(NearestMeans(), n_features=3, cv=2),
    "two-stage": TwoStage(n_features=3, estimator=NearestMeans(), cv=KFold(2)),
    "radius-margin": RadiusMargin(n_features=3, max_steps=2),
    "r2w2": R2W2(n_features=3, max_steps=3),
    "stability-selection": StabilitySelection(n_features=3, n_pairs=10),
    "knockoffs": Knockoffs(kind="permuted", n_features=3),
    "degree 2": FisherMarkov(degree=2, n_features=3),
    "degree 3": FisherMarkov(degree=3, n_features=3),
    "against the null": FisherMarkov(beta="null", level=0.5),
    "mrmr, parzen": MRMR(density="parzen", n_features=3),
    "max-relevance, parzen": MaxRelevance(density="parzen", n_features=3),
    "max-dependency, parzen": MaxDependency(density="parzen", n_features=3),
    "kernel-separability, elimination": KernelSeparability(mode="elimination", n_features=3),
    "kernel-separability, forward": KernelSeparability(mode="forward", n_features=3),
    "kernel-separability, backward": KernelSeparability(mode="backward", n_features=3),
    "kernel-separability, individual": KernelSeparability(mode="individual", n_features=3),
}
if "auto" in VARIANTS:
    VARIANTS["auto"] = clone(VARIANTS["auto"]).set_params(estimator=NearestMeans(), cv=2)


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    n = 60
    y = rng.choice(["healthy", "ill"], n)
    is_ill = y == "ill"
    frame = pd.DataFrame(
        {
            "patient": [f"P-{i:03d}" for i in rng.permutation(n)],
            "dose": rng.normal(size=n) + 2.0 * is_ill,
            "ward": np.where(rng.random(n) < 0.75, np.where(is_ill, "east", "west"), rng.choice(["north", "south"], n)),
            "noise": rng.normal(size=n),
            "nurse": rng.choice(["Ann", "Bob", "Cid", "Dee", "Eve"], n),
        }
    )
    return frame, y


# MAP-Relief, DISR and a forest of many splits may prefer columns without information: see their pages.
PREFER_OTHERS = {"map-relief", "disr"}


@pytest.mark.filterwarnings("ignore::fewest.errors.FewestWarning")
@pytest.mark.parametrize("name", VARIANTS)
class TestEverySelector:
    def test_answers_are_about_the_columns_of_the_table(self, name, table):
        frame, y = table
        fitted = clone(VARIANTS[name]).fit(frame, y)
        assert fitted.n_features_in_ == 5
        for array in (fitted.scores_, fitted.ranking_, fitted.support_):
            assert array.shape == (5,)
        assert set(fitted.selection_.features) <= set(frame.columns)
        for subset in fitted.selection_.path.values():
            assert len(set(subset)) == len(subset)
            assert set(subset) <= set(range(5))
        chosen = frame.columns[fitted.support_].tolist()
        assert fitted.get_feature_names_out().tolist() == chosen
        assert (
            clone(VARIANTS[name]).set_output(transform="pandas").fit(frame, y).transform(frame).columns.tolist()
            == chosen
        )
        assert Selection.from_json(fitted.selection_.to_json()) == fitted.selection_

    def test_what_depends_on_the_class_comes_before_an_identifier(self, name, table):
        frame, y = table
        features = clone(VARIANTS[name]).fit(frame, y).selection_.features
        assert set(features[:2]) & {"dose", "ward"}
        if name not in PREFER_OTHERS:
            assert "patient" not in features[:2]

    def test_neither_row_order_nor_the_names_of_categories_change_scores(self, name, table):
        frame, y = table
        order = np.random.default_rng(1).permutation(len(y))
        if name == "two-stage":  # its folds are given by row numbers
            order = np.arange(len(y))
        names = {"east": "1st", "west": "2nd", "north": "3rd", "south": "4th"}
        other = frame.assign(ward=frame["ward"].map(names)).iloc[order]
        expected, found = (clone(VARIANTS[name]).fit(*data) for data in ((frame, y), (other, y[order])))
        assert found.selection_.features == expected.selection_.features
        assert_allclose(found.scores_, expected.scores_, rtol=1e-7, atol=1e-9)

    def test_categories_of_pandas_are_text(self, name, table):
        frame, y = table
        typed = frame.astype({"ward": "category", "nurse": "category"})
        expected, found = (clone(VARIANTS[name]).fit(data, y).scores_ for data in (frame, typed))
        assert_array_equal(found, expected)
