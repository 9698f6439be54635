"""What every selector obeys."""

from __future__ import annotations

import re

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks
from threadpoolctl import threadpool_limits

from fewest import (
    MRMR,
    R2W2,
    AutoSelector,
    FeatureSelector,
    FisherMarkov,
    IndividualRanking,
    KernelSeparability,
    Knockoffs,
    MaxDependency,
    MaxRelevance,
    RadiusMargin,
    ScatterTrace,
    Selection,
    StabilitySelection,
    TwoStage,
    Wrapper,
    scan,
)
from fewest.selectors.registry import methods_by_name

from ..nearest_means import NearestMeans

SELECTORS = [
    *(selector() for selector in methods_by_name().values()),
    # How many to take is the business of what they share: a few of each kind ask for a number.
    *(methods_by_name()[name](n_features=5) for name in ("fisher-markov", "mrmr", "relieff", "svm-rfe")),
    FeatureSelector(ScatterTrace(), IndividualRanking()),
    methods_by_name()["fisher-markov"](n_features="auto"),
    methods_by_name()["fisher-markov"](beta="null"),
    *(methods_by_name()[name](n_features="fdr") for name in ("fisher-score", "max-relevance", "kolmogorov-smirnov")),
    methods_by_name()["relieff"](n_features="fdr", n_permutations=50),
    *(FisherMarkov(degree=degree, n_features=n_features) for degree in (2, 3) for n_features in (None, "auto")),
    FisherMarkov(degree=2, gamma=-0.5, scale=None),
    FisherMarkov(degree=2, gamma=0.3, kernel="homogeneous", keep_pairs=True),
    FisherMarkov(degree=2, beta=0.01),
    *(selector(density="parzen") for selector in (MRMR, MaxRelevance, MaxDependency)),
    MRMR(density="parzen", criterion="quotient", n_features=5),
    MRMR(density="parzen", n_features="auto"),
    *(KernelSeparability(mode=mode) for mode in ("elimination", "forward", "backward", "individual")),
]

VARIANTS = {
    **{name: selector(n_features=7) for name, selector in methods_by_name().items()},
    # Those that fit classifiers by the thousand are given one that is fitted in no time.
    "wrapper": Wrapper(NearestMeans(), n_features=7, cv=2),
    "two-stage": TwoStage(n_features=7, estimator=NearestMeans(), cv=2),
    "auto": AutoSelector(n_features=7, cv=3),
    # A few steps tell as much of the order of rows and the number of threads as hundreds.
    "radius-margin": RadiusMargin(n_features=7, max_steps=3),
    "r2w2": R2W2(n_features=7, max_steps=5),
    "stability-selection": StabilitySelection(n_features=7, n_pairs=10),
    "knockoffs, permuted": Knockoffs("relieff", kind="permuted", n_features=7),
    "degree 2": FisherMarkov(degree=2, n_features=7),
    "degree 2, gamma -0.5": FisherMarkov(degree=2, gamma=-0.5, n_features=7),
    "degree 2, gamma 0.2, std": FisherMarkov(degree=2, gamma=0.2, scale="std", n_features=7),
    "degree 3": FisherMarkov(degree=3, n_features=7),
    "mrmr, parzen": MRMR(density="parzen", n_features=7),
    "mrmr, parzen, quotient": MRMR(density="parzen", criterion="quotient", n_features=7),
    "max-relevance, parzen": MaxRelevance(density="parzen", n_features=7),
    "max-dependency, parzen": MaxDependency(density="parzen", n_features=7),
    "kernel-separability, elimination": KernelSeparability(mode="elimination", n_features=7),
    "kernel-separability, laplacian": KernelSeparability(kernel="laplacian", n_features=7),
    "kernel-separability, forward": KernelSeparability(mode="forward", n_features=7),
    "kernel-separability, individual": KernelSeparability(mode="individual", n_features=7),
    "fisher-score, fdr": methods_by_name()["fisher-score"](n_features="fdr"),
    "parzen-relief, fdr": methods_by_name()["parzen-relief"](n_features="fdr", n_permutations=50, level=0.3),
    "relieff, fdr": methods_by_name()["relieff"](n_features="fdr", n_permutations=99, control="fwer"),
}


# The checks use tables of fewer than five columns, tables with no signal, and columns without a value.
@pytest.mark.filterwarnings("ignore:n_features=5 is more than:fewest.errors.FewestWarning")
@pytest.mark.filterwarnings("ignore:No features were selected:fewest.errors.FewestWarning")
@parametrize_with_checks(SELECTORS)
def test_it_keeps_the_contract_of_scikit_learn(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def cancer():
    # Half of its rows: some methods look at all pairs of them.
    X, y = load_breast_cancer(return_X_y=True)
    return X[::2], y[::2]


@pytest.mark.parametrize("selector", VARIANTS.values(), ids=VARIANTS)
class TestEverySelector:
    def test_every_source_gives_the_same_support(self, selector, cancer, tmp_path):
        import pandas as pd
        import polars as pl
        import pyarrow as pa
        import pyarrow.parquet as pq

        X, y = cancer[0][::2].astype(np.float32), cancer[1][::2]
        frame = pd.DataFrame(X, columns=[f"c{j}" for j in range(30)])
        whole = frame.assign(label=np.where(y == 1, "benign", "malignant"))
        frame.astype(np.float64).assign(label=whole["label"]).to_csv(tmp_path / "t.csv", index=False)
        pq.write_table(pa.Table.from_pandas(whole), tmp_path / "t.parquet", row_group_size=50)
        fits = [
            (X, y), (np.asfortranarray(X), y), (X.astype(np.float64), y == 1), (sparse.csr_array(X), y),
            (sparse.csc_array(X), y), (frame, y), (pl.from_pandas(frame), y), (pa.Table.from_pandas(frame), y),
            (scan(whole, "label"),), (scan(tmp_path / "t.csv", "label"),), (scan(tmp_path / "t.parquet", "label"),),
        ]  # fmt: skip
        expected = clone(selector).fit(*fits[0])
        for arguments in fits[1:]:
            found = clone(selector).fit(*arguments)
            assert_array_equal(found.support_, expected.support_)
            assert_allclose(found.scores_, expected.scores_, rtol=1e-12, atol=1e-14)

    def test_threads_change_no_bit(self, selector, cancer):
        with threadpool_limits(1):
            alone = clone(selector).fit(*cancer).scores_
        with threadpool_limits(4):
            assert_array_equal(clone(selector).fit(*cancer).scores_, alone)

    def test_fitting_in_parts_gives_what_fitting_at_once_gives(self, selector, cancer):
        X, y = cancer
        in_halves = isinstance(selector, TwoStage | AutoSelector | StabilitySelection | Knockoffs)
        if in_halves or selector.n_permutations is not None:
            with pytest.raises(AttributeError) as refused:
                selector.partial_fit(X, y)
            assert "needs all rows at once" in str(refused.value.__cause__)
            return
        whole, parts = clone(selector).fit(X, y), clone(selector)
        order = np.argsort(y, kind="stable")  # the first parts see one class only
        for rows in np.array_split(order, 5):
            parts.partial_fit(X[rows], y[rows])
        assert_allclose(parts.scores_, whole.scores_, rtol=1e-12)
        assert_array_equal(parts.support_, whole.support_)
        assert parts.selection_.provenance.fingerprint == whole.selection_.provenance.fingerprint

    def test_fitting_and_then_adding_rows_gives_what_fitting_at_once_gives(self, selector, cancer):
        X, y = cancer
        whole = clone(selector).fit(X, y)
        if not hasattr(whole, "partial_fit"):
            # What adding rows needs is a table of columns by columns, or the rows: too much to keep unasked.
            with pytest.raises(AttributeError) as refused:
                whole.partial_fit(X, y)
            assert re.search("was fitted at once|needs all rows at once", str(refused.value.__cause__))
            is_around_another = isinstance(selector, StabilitySelection | Knockoffs)
            assert is_around_another or not selector.sentence()[0].statistic().is_columnwise
            return
        added = clone(selector).fit(X[:150], y[:150]).partial_fit(X[150:], y[150:])
        assert_allclose(added.scores_, whole.scores_, rtol=1e-12)
        assert_array_equal(added.fit(X[:150], y[:150]).scores_, clone(selector).fit(X[:150], y[:150]).scores_)

    def test_the_selection_survives_json(self, selector, cancer):
        selection = clone(selector).fit(*cancer).selection_
        assert Selection.from_json(selection.to_json()) == selection

    def test_rankings_scores_and_support_agree(self, selector, cancer):
        fitted = clone(selector).fit(*cancer)
        assert fitted.n_features_ == len(fitted.selection_)
        assert fitted.n_features_ == 7 or selector.n_features == "fdr"
        assert_array_equal(np.flatnonzero(fitted.support_), sorted(fitted.selection_.indices))
        for rank, column in enumerate(fitted.selection_.indices, start=1):
            assert fitted.ranking_[column] == rank
        assert set(fitted.ranking_[~fitted.support_]) <= {fitted.n_features_ + 1}
        assert fitted.selection_.scores == tuple(fitted.scores_[list(fitted.selection_.indices)])
        if fitted.selection_.column_scores is not None:  # a greedy search has scores at entry, of those taken
            assert list(fitted.selection_.scores) == sorted(fitted.selection_.scores, reverse=True)

    def test_parameters_are_never_written_to(self, selector, cancer):
        selector = clone(selector)
        before = selector.get_params()
        selector.fit(*cancer)
        assert selector.get_params() == before

    def test_it_works_in_a_pipeline(self, selector, cancer):
        model = make_pipeline(clone(selector), LinearSVC(dual="auto", max_iter=100_000))
        # Far rows hide columns that separate the classes alone: see their page.
        least = 0.6 if selector.name in ("surf-star", "multisurf-star") else 0.85
        assert model.fit(*cancer).score(*cancer) > least

    def test_the_command_can_say_what_it_does(self, selector):
        assert all((selector.summary, selector.takes, selector.proves, selector.cost))
        assert "Parameters" in selector.__doc__ or "parameters" in selector.__doc__
