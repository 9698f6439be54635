"""n_features="fdr": which columns pass, with what p-values, and why none does."""

from __future__ import annotations

import warnings
from functools import cache

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.stats import f_oneway
from sklearn.base import clone
from threadpoolctl import threadpool_limits

from fewest import (
    FSV,
    L0SVM,
    L1SVM,
    SURF,
    BayesErrorSelector,
    ChiSquare,
    FisherMarkov,
    FisherScore,
    ForestImportance,
    InformationGain,
    IterativeRelief,
    KernelAlignment,
    KernelSeparability,
    KernelTraceSelector,
    KolmogorovSmirnov,
    MAPRelief,
    MaxRelevance,
    MultiSURF,
    ParzenRelief,
    PearsonCorrelation,
    RadiusMargin,
    Relief,
    ReliefF,
    SVMWeights,
    scan,
)
from fewest.errors import FewestWarning, InvalidInput
from fewest.selectors.significance.false_discovery import adjust

from ...reference.significance import benjamini_hochberg, benjamini_yekutieli, f_test, holm

BY_FORMULA = {
    "fisher-score": FisherScore(),
    "pearson-correlation": PearsonCorrelation(),
    "fisher-markov": FisherMarkov(),
    "max-relevance": MaxRelevance(),
    "information-gain": InformationGain(),
    "chi-square": ChiSquare(),
    "kolmogorov-smirnov": KolmogorovSmirnov(),
}
BY_PERMUTATION = {
    **{f"{name}, permuted": selector.set_params(n_permutations=99) for name, selector in clone(BY_FORMULA).items()},
    "fisher-score, printed": FisherScore(printed=True, n_permutations=99),
    "max-relevance, parzen": MaxRelevance(density="parzen"),
    "relief": Relief(),
    "relieff": ReliefF(),
    "map-relief": MAPRelief(),
    "surf": SURF(),
    "multisurf": MultiSURF(),
    "iterative-relief": IterativeRelief(),
    "parzen-relief": ParzenRelief(),
    "svm-weights": SVMWeights(),
    "l1-svm": L1SVM(),
    "l0-svm": L0SVM(),
    "fsv": FSV(),
    "kernel-separability": KernelSeparability(mode="individual"),
    "kernel-alignment": KernelAlignment(mode="individual"),
    "kernel-trace": KernelTraceSelector(mode="individual"),
    "bayes-error": BayesErrorSelector(mode="individual"),
    "radius-margin": RadiusMargin(mode="individual"),
    "forest-importance": ForestImportance(n_trees=5),
}
for name, selector in BY_PERMUTATION.items():
    # Some take long for each permutation.
    selector.set_params(n_permutations=29 if name in ("fsv", "l0-svm", "l1-svm", "radius-margin") else 99)
ALL = BY_FORMULA | BY_PERMUTATION
TESTED = {name: selector.set_params(n_features="fdr", level=0.3) for name, selector in ALL.items()}


@cache
def example():
    """Two classes, and six columns of which one separates them."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [18, 22])
    X = rng.normal(size=(40, 6))
    X[:, 1] += 3.0 * y
    return X, y


@pytest.fixture
def table():
    return example()


@cache
def fitted(name):
    """The selector of this name, fitted to the example."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "No features were selected", FewestWarning)
        return clone(TESTED[name]).fit(*example())


class TestAdjustment:
    def test_four_p_values_by_hand(self):
        p = np.array([0.04, 0.01, 0.5, 0.02])
        # Ranks 3, 1, 4, 2 of 4: 4 * 0.04 / 3, 4 * 0.01 / 1, 0.5, 4 * 0.02 / 2; from above no larger than the next.
        assert_allclose(adjust(p, "bh"), [4 * 0.04 / 3, 0.04, 0.5, 0.04])
        assert_allclose(adjust(p, "by"), np.minimum(np.array([4 * 0.04 / 3, 0.04, 0.5, 0.04]) * 25 / 12, 1))
        # 4 * 0.01, 3 * 0.02, 2 * 0.04, 1 * 0.5.
        assert_allclose(adjust(p, "fwer"), [0.08, 0.04, 0.5, 0.06])

    @pytest.mark.parametrize("seed", range(20))
    def test_it_is_the_formula(self, seed):
        rng = np.random.default_rng(seed)
        p = rng.random(int(rng.integers(1, 30))).round(int(rng.integers(1, 4)))
        for control, formula in (("bh", benjamini_hochberg), ("by", benjamini_yekutieli), ("fwer", holm)):
            assert_allclose(adjust(p, control), formula(p), rtol=1e-12)

    def test_no_columns(self):
        assert adjust(np.empty(0), "bh").shape == (0,)


# The weights of L0SVM are as large for the one column that is left under any labels: a poor test, but a test.
@pytest.mark.filterwarnings("ignore:No features were selected:fewest.errors.FewestWarning")
@pytest.mark.parametrize("name", TESTED)
class TestEverySelector:
    def test_what_passes_is_selected_by_its_score(self, name, table):
        chosen = fitted(name)
        assert chosen.p_values_.shape == chosen.q_values_.shape == (6,)
        assert ((chosen.p_values_ > 0) & (chosen.p_values_ <= 1)).all()
        assert_array_equal(chosen.support_, chosen.q_values_ <= 0.3)
        assert name == "l0-svm" or chosen.selection_.indices[0] == 1
        assert list(chosen.selection_.scores) == sorted(chosen.selection_.scores, reverse=True)
        assert chosen.selection_.is_optimal is None
        assert any(note.startswith("p-values by") for note in chosen.notes_)
        # The scores are those without a test.
        assert_array_equal(chosen.scores_, clone(TESTED[name]).set_params(n_features=6, level=0.05).fit(*table).scores_)

    def test_neither_the_order_of_rows_nor_the_names_of_classes_nor_threads_matter(self, name, table):
        X, y = table
        order = np.random.default_rng(5).permutation(len(y))
        with threadpool_limits(1):
            found = clone(TESTED[name]).fit(X[order], np.array(["b", "a"])[y[order]])
        assert_allclose(found.p_values_, fitted(name).p_values_, rtol=1e-9)

    def test_constant_columns_have_a_p_value_of_one(self, name, table):
        X, y = table
        X = X.copy()
        X[:, 3] = 7.0
        chosen = clone(TESTED[name]).fit(X, y)
        assert chosen.p_values_[3] == 1
        assert 3 not in chosen.selection_.indices


@pytest.mark.parametrize("name", ["fisher-score, permuted", "max-relevance, permuted", "relieff"])
def test_the_seed_decides_which_permutations_are_drawn(name, table):
    first, second = (clone(TESTED[name]).set_params(random_state=seed).fit(*table) for seed in (1, 2))
    again = clone(TESTED[name]).set_params(random_state=1).fit(*table)
    assert_array_equal(first.p_values_, again.p_values_)
    assert (first.p_values_ != second.p_values_).any()


class TestByFormula:
    def test_it_is_the_f_test_of_the_observed_rows(self):
        rng = np.random.default_rng(1)
        X, y = rng.normal(size=(60, 8)), rng.integers(0, 3, 60)
        X[:, :2] += y[:, None]
        X[rng.random(X.shape) < 0.2] = np.nan
        chosen = FisherScore(n_features="fdr").fit(X, y)
        assert_allclose(chosen.p_values_, [f_test(x, y) for x in X.T], rtol=1e-9)
        known = ~np.isnan(X[:, 0])
        scipy = f_oneway(*(X[known & (y == c), 0] for c in range(3)))
        assert_allclose(chosen.p_values_[0], scipy.pvalue, rtol=1e-9)

    def test_weights_are_repetitions(self, table):
        X, y = table
        weights = np.arange(len(y)) % 3
        repeated = np.repeat(np.arange(len(y)), weights)
        for name in BY_FORMULA:
            found = clone(TESTED[name]).fit(X, y, sample_weight=weights).p_values_
            assert_allclose(found, clone(TESTED[name]).fit(X[repeated], y[repeated]).p_values_, rtol=1e-9)

    def test_an_fdr_of_the_null_threshold_is_the_same(self, table):
        tested = FisherMarkov(n_features="fdr", level=0.1).fit(*table)
        null = FisherMarkov(beta="null", level=0.1).fit(*table)
        assert tested.selection_.indices == null.selection_.indices
        assert not hasattr(null, "p_values_")

    def test_a_stream_is_read_once(self, table, tmp_path):
        import pandas as pd

        X, y = table
        pd.DataFrame(X, columns=list("abcdef")).assign(label=y).to_parquet(tmp_path / "t.parquet", row_group_size=10)
        found = FisherScore(n_features="fdr").fit(scan(tmp_path / "t.parquet", target="label"))
        assert_allclose(found.p_values_, FisherScore(n_features="fdr").fit(X, y).p_values_, rtol=1e-12)

    def test_parts_of_the_rows_one_after_the_other(self, table):
        X, y = table
        order = np.random.default_rng(0).permutation(len(y))
        selector = FisherScore(n_features="fdr")
        for part in np.array_split(order, 3):
            selector.partial_fit(X[part], y[part])
        assert_allclose(selector.p_values_, FisherScore(n_features="fdr").fit(X, y).p_values_, rtol=1e-12)

    def test_sparse_tables(self, table):
        X, y = table
        X = np.where(X > 0.5, X, 0.0)
        for name in BY_FORMULA:
            expected = clone(TESTED[name]).fit(X, y).p_values_
            assert_allclose(clone(TESTED[name]).fit(sparse.csr_array(X), y).p_values_, expected, rtol=1e-9)


class TestByPermutation:
    def test_both_routes_draw_the_same_permutations(self, table, monkeypatch):
        X, y = table
        # Columns that pass would be tested again, and by the second route none passes.
        monkeypatch.setattr("fewest.selectors.significance.false_discovery._tested_again", lambda first, *others: first)
        names = [name for name in BY_PERMUTATION if name.endswith("permuted") or name in ("relief", "relieff")]
        for name in names:
            at_once = clone(TESTED[name]).fit(X, y).p_values_
            criterion, _ = TESTED[name].sentence()
            with monkeypatch.context() as patch:
                patch.setattr(type(criterion), "permutation_scorer", lambda self, rows: None)
                patch.setattr("fewest.selectors.significance.false_discovery._ONE_BY_ONE", (10, 11))
                one_by_one = clone(TESTED[name]).set_params(level=1e-9)
                with pytest.warns(FewestWarning, match="No features were selected"):
                    assert_allclose(_without_early_stop(one_by_one, patch).fit(X, y).p_values_, at_once, rtol=1e-12)

    def test_integer_weights_are_repetitions(self, table):
        X, y = table
        weights = np.arange(len(y)) % 3
        repeated = np.repeat(np.arange(len(y)), weights)
        for selector in (
            FisherScore(n_features="fdr", level=0.3, n_permutations=99),
            ParzenRelief(n_features="fdr", level=0.3, n_permutations=99),
        ):
            found = clone(selector).fit(X, y, sample_weight=weights).p_values_
            assert_allclose(found, clone(selector).fit(X[repeated], y[repeated]).p_values_, rtol=1e-9)

    def test_weights_that_are_fractions_stay_with_their_rows(self, table):
        X, y = table
        weights = 0.5 + np.arange(len(y)) % 3
        order = np.random.default_rng(1).permutation(len(y))
        selector = FisherScore(n_features="fdr", level=0.3, n_permutations=99)
        found = clone(selector).fit(X, y, sample_weight=weights)
        assert found.selection_.indices[0] == 1
        again = clone(selector).fit(X[order], y[order], sample_weight=weights[order])
        assert_allclose(again.p_values_, found.p_values_, rtol=1e-12)

    def test_text_and_missing_values(self, table):
        import pandas as pd

        X, y = table
        rng = np.random.default_rng(3)
        frame = pd.DataFrame(X, columns=list("abcdef"))
        frame["signal"] = np.where(rng.random(len(y)) < 0.9, np.array(["u", "v"])[y], "w")
        frame["noise"] = rng.choice(["u", "v", "w", "x"], len(y))
        frame.loc[::5, "a"] = np.nan
        frame.loc[::7, "noise"] = None
        for name in ("fisher-score", "chi-square", "kolmogorov-smirnov", "fisher-score, permuted", "relieff",
                     "kolmogorov-smirnov, permuted", "max-relevance, permuted", "parzen-relief"):  # fmt: skip
            chosen = clone(TESTED[name]).set_params(n_features="fdr", level=0.3).fit(frame, y)
            assert chosen.p_values_.shape == (8,)
            assert {"b", "signal"} <= set(chosen.selection_.features)

    def test_columns_without_a_value_and_classes_of_one_row(self, table):
        X, y = table
        X, y = X.copy(), y.copy()
        X[:, 4] = np.nan
        y[0] = 2
        for name in ("fisher-score", "max-relevance", "fisher-score, permuted", "relieff", "kolmogorov-smirnov"):
            with pytest.warns(FewestWarning, match="hold no value at all"):
                chosen = clone(TESTED[name]).fit(X, y)
            assert chosen.p_values_[4] == 1
            assert chosen.selection_.indices[0] == 1

    def test_extreme_columns_are_rescaled(self, table):
        X, y = table
        for factor in (1e-150, 1e120):
            chosen = FisherScore(n_features="fdr", level=0.1, n_permutations=99).fit(X * factor, y)
            assert chosen.p_values_[1] == 0.01
            assert chosen.selection_.indices[0] == 1

    def test_more_classes_of_kolmogorov_smirnov(self, table):
        X, y = table
        chosen = KolmogorovSmirnov(n_features="fdr", level=0.1).fit(X, y + (X[:, 0] > 1))
        assert any("permutations of the labels" in note for note in chosen.notes_)
        assert 1 in chosen.selection_.indices

    def test_a_sample_is_permuted(self, table):
        X, y = (np.tile(part, (5,) + (1,) * (part.ndim - 1)) for part in table)
        X = X + np.random.default_rng(1).normal(scale=0.01, size=X.shape)
        chosen = ReliefF(n_features="fdr", sample=60).fit(X, y)
        assert chosen.selection_.indices[0] == 1

    def test_a_stream_too_long_to_keep_is_refused(self, table, tmp_path, monkeypatch):
        import pandas as pd

        X, y = table
        pd.DataFrame(X, columns=list("abcdef")).assign(label=y).to_parquet(tmp_path / "t.parquet", row_group_size=10)
        source = scan(tmp_path / "t.parquet", target="label")
        monkeypatch.setattr("fewest.selectors.significance.label_permutations.STORED_ROWS_OF_STREAM", 100)
        with pytest.raises(InvalidInput, match=r"need all rows in memory.*sample=10000.*FisherScore"):
            FisherScore(n_features="fdr", n_permutations=10).fit(source)

    def test_there_is_no_partial_fit(self):
        with pytest.raises(AttributeError) as caught:
            FisherScore(n_features="fdr", n_permutations=10).partial_fit(np.eye(4), [0, 0, 1, 1])
        assert "Permuting the labels needs all rows at once" in str(caught.value.__cause__)
        assert not hasattr(ReliefF(n_features="fdr"), "partial_fit")

    def test_a_note_says_where_scores_depend_on_other_columns(self):
        assert any("depends on the other columns" in note for note in fitted("relieff").notes_)
        assert not any("depends on the other columns" in note for note in fitted("parzen-relief").notes_)

    def test_the_largest_score_gives_the_family_wise_rate(self, table):
        chosen = ReliefF(n_features="fdr", control="fwer", n_permutations=200).fit(*table)
        assert chosen.selection_.indices == (1,)
        assert_array_equal(chosen.p_values_, chosen.q_values_)


def _without_early_stop(selector, patch):
    import fewest.selectors.significance.false_discovery as module

    test = module.permutation_test
    patch.setattr(module, "permutation_test", lambda *a, **k: test(*a, **(k | {"stops_early": False})))
    return selector


def test_what_is_kept_without_passing_is_noted():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 100)
    X = rng.normal(size=(100, 10))
    X[:, :2] += 2 * y[:, None]
    chosen = FisherScore(n_features="fdr", level=0.01, keep=[9], forbid=[0]).fit(X, y)
    assert chosen.selection_.indices == (9, 1)
    assert any("1 feature to keep would not pass the test: 'x9'" in note for note in chosen.notes_)
    assert np.isnan(chosen.p_values_[0])
