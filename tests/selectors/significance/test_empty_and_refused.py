"""n_features="fdr": answers without a feature, what is refused, and where it is part of something else."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

from fewest import (
    MRMR,
    R2W2,
    SVMRFE,
    AutoSelector,
    BayesErrorSelector,
    FeatureSelector,
    FisherMarkov,
    FisherScore,
    IndividualRanking,
    KernelSeparability,
    NonMonotonicMKL,
    ParzenRelief,
    ReliefF,
    ScatterTrace,
    StumpBoosting,
    TwoStage,
    Wrapper,
    compare,
)
from fewest.errors import FewestWarning, InvalidParameter


@pytest.fixture
def table():
    """Two classes, and six columns of which one separates them."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [18, 22])
    X = rng.normal(size=(40, 6))
    X[:, 1] += 3.0 * y
    return X, y


class TestEmptyAnswers:
    def test_the_smallest_adjusted_p_value_is_named(self):
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(50, 5)), rng.integers(0, 2, 50)
        with pytest.warns(FewestWarning, match=r"were selected: the smallest adjusted p-value is 0\.\d+, of"):
            chosen = FisherScore(n_features="fdr").fit(X, y)
        assert chosen.n_features_ == 0
        assert any("and the level is 0.05" in note for note in chosen.notes_)

    def test_every_kind_of_table_becomes_one_without_columns(self):
        import pandas as pd
        import polars as pl
        import pyarrow as pa

        X, y = np.random.default_rng(0).normal(size=(50, 2)), np.arange(50) % 2
        frame = pd.DataFrame(X, columns=["a", "b"])
        for table in (X, frame, pl.from_pandas(frame), pa.Table.from_pandas(frame), sparse.csr_array(X)):
            with pytest.warns(FewestWarning, match="No features were selected"):
                chosen = FisherScore(n_features="fdr", level=1e-9).fit(table, y)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # scikit-learn warns of it too
                assert chosen.transform(table).shape == (50, 0)

    def test_too_few_permutations_are_named_with_a_number_that_is_enough(self, table):
        rng = np.random.default_rng(1)
        X, y = np.column_stack([table[0], rng.normal(size=(40, 60))]), table[1]
        with pytest.warns(
            FewestWarning, match=r"n_permutations=1319 is enough for one to pass, and control='fwer' needs"
        ):
            FisherScore(n_features="fdr", n_permutations=100).fit(X, y)
        assert FisherScore(n_features="fdr", n_permutations=1319).fit(X, y).selection_.indices[0] == 1
        assert FisherScore(n_features="fdr", n_permutations=100, control="fwer").fit(X, y).selection_.indices[0] == 1

    def test_it_stops_when_no_permutation_could_help(self):
        rng = np.random.default_rng(2)
        X, y = rng.normal(size=(30, 40)), np.arange(30) % 2
        with pytest.warns(FewestWarning, match="No features were selected: the smallest adjusted p-value is no less"):
            chosen = ParzenRelief(n_features="fdr").fit(X, y)
        assert any("no more could change the answer" in note for note in chosen.notes_)


class TestParameters:
    @pytest.mark.parametrize(
        "selector",
        [
            MRMR(), AutoSelector(), StumpBoosting(), SVMRFE(), Wrapper(), TwoStage(), NonMonotonicMKL(), R2W2(),
            KernelSeparability(), FisherMarkov(degree=2), ReliefF(turf=2), BayesErrorSelector(),
            FeatureSelector(ScatterTrace(), IndividualRanking(beta=0.1)),
        ],
        ids=lambda selector: type(selector).__name__,
    )  # fmt: skip
    def test_methods_without_a_score_of_each_column_refuse(self, selector, table):
        with pytest.raises(InvalidParameter, match=r"n_features='fdr' tests a score that each column has on its own"):
            clone(selector).set_params(n_features="fdr").fit(*table)

    @pytest.mark.parametrize(
        ("selector", "advice"),
        [
            (MRMR(), "Use FisherScore, MaxRelevance or ReliefF"),
            (KernelSeparability(), r"Use KernelSeparability\(mode='individual'\)"),
            (ReliefF(turf=2), r"Use ReliefF\(turf=None\)"),
            (FisherMarkov(degree=3), r"Use FisherMarkov\(degree=1\)"),
        ],
        ids=["mrmr", "mode", "turf", "degree"],
    )
    def test_the_error_names_what_to_use(self, selector, advice, table):
        with pytest.raises(InvalidParameter, match=advice):
            clone(selector).set_params(n_features="fdr").fit(*table)

    @pytest.mark.parametrize(
        "wrong",
        [{"level": 0}, {"level": 1.0}, {"level": "0.1"}, {"control": "bonferroni"}, {"n_permutations": 0},
         {"n_permutations": 2.5}],
        ids=str,
    )  # fmt: skip
    def test_wrong_values_are_refused(self, wrong, table):
        (name,) = wrong
        with pytest.raises(InvalidParameter, match=f"^{name} must be"):
            FisherScore(n_features="fdr", **wrong).fit(*table)

    def test_parameters_chosen_by_cross_validation_are_refused(self, table):
        with pytest.raises(InvalidParameter, match=r"gamma='auto' is chosen by cross-validation.*Give gamma a number"):
            FisherMarkov(n_features="fdr", gamma="auto", scale="range").fit(*table)

    def test_parameters_without_effect_are_noted(self, table):
        chosen = FisherScore(n_features=2, level=0.1, control="by").fit(*table)
        for name in ("level", "control"):
            assert f"{name} has no effect: it belongs to n_features='fdr'" in chosen.notes_
        assert FisherMarkov(beta="null", level=0.1).fit(*table).notes_ == ()

    def test_a_fit_without_tests_forgets_p_values(self, table):
        selector = FisherScore(n_features="fdr").fit(*table)
        selector.set_params(n_features=2).fit(*table)
        assert not hasattr(selector, "p_values_")

    def test_a_comparison_tests_inside_every_split(self, table):
        X, y = np.tile(table[0], (3, 1)), np.tile(table[1], 3)
        X = X + np.random.default_rng(0).normal(scale=0.1, size=X.shape)
        found = compare([FisherScore(n_features="fdr")], X, y, classifiers=("nb",), outer=3, inner=2)
        assert found.summary is not None

    def test_a_filter_before_a_wrapper(self, table):
        chosen = TwoStage(FisherScore(n_features="fdr", level=0.3), ReliefF(), n_features=1, cv=3).fit(*table)
        assert chosen.selection_.indices == (1,)
