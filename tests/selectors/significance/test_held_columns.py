"""Scores that depend on other columns: these keep their class differences while the labels are permuted."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import fewest.selectors.significance.false_discovery as significance
from fewest import ParzenRelief, ReliefF, SVMWeights
from fewest.data.array import ArraySource
from fewest.data.labels import Target
from fewest.data.retained import RetainedSource, retain
from fewest.selectors.significance.held_columns import MOST_PARTS, HeldColumns
from fewest.selectors.significance.label_permutations import LabelPermutations
from fewest.statistics.rows import Rows


def permutations_of(X, y):
    kept = retain(ArraySource(X, Target(y)), 1 << 30)
    assert isinstance(kept, RetainedSource)
    return LabelPermutations(kept, kept, seed=0)


@pytest.fixture
def table():
    """Three classes of different sizes, a column of few values, missing values, and two copies."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], [9, 14, 7])
    X = rng.normal(size=(30, 6)) + y[:, None]
    X[:, 1] = np.round(X[:, 1])
    X[::4, 2] = np.nan
    X[:, 4] = X[:, 3]
    return X, y


def held_values(permutations, tables, codes, held):
    return tables.permuted(codes)(np.array(held)).collect(Rows()).values


class TestHeldColumns:
    def test_with_their_own_labels_the_table_is_the_data(self, table):
        X, y = table
        permutations = permutations_of(X, y)
        tables = HeldColumns(permutations, np.arange(5))
        assert_array_equal(held_values(permutations, tables, permutations.codes, [0, 1, 2, 3, 4]), X)

    def test_held_columns_have_the_same_values_in_each_class_and_others_stay(self, table):
        X, y = table
        permutations = permutations_of(X, y)
        tables = HeldColumns(permutations, np.arange(5))
        for codes in permutations.draw(5):
            found = held_values(permutations, tables, codes, [0, 1, 2, 3, 4])
            for label in range(3):
                assert_array_equal(np.sort(found[codes == label, :5], axis=0), np.sort(X[y == label, :5], axis=0))
            assert_array_equal(found[:, 5], X[:, 5])
            # Copies stay copies.
            assert_array_equal(found[:, 3], found[:, 4])
            assert_array_equal(held_values(permutations, tables, codes, [1])[:, [0, 2, 3, 4, 5]], X[:, [0, 2, 3, 4, 5]])

    def test_a_row_keeps_its_rank_within_its_class(self):
        # By hand: ranks in class 0 are 1/3, 2/3, 3/3 of 10, 20, 30, in class 1 of 1, 2, 3.
        X, y = np.array([[20.0], [10.0], [30.0], [1.0], [3.0], [2.0]]), np.array([0, 0, 0, 1, 1, 1])
        permutations = permutations_of(X, y)
        tables = HeldColumns(permutations, np.array([0]))
        # Every row changes its class.
        assert_array_equal(
            held_values(permutations, tables, (1 - y).astype(np.int32), [0]).ravel(), [2.0, 1.0, 3.0, 10.0, 30.0, 20.0]
        )

    def test_correlation_within_classes_stays(self):
        rng = np.random.default_rng(1)
        y = np.arange(400) % 2
        X = 0.8 * rng.normal(size=(400, 1)) + 0.6 * rng.normal(size=(400, 2))
        X[:, 0] += 3 * y
        permutations = permutations_of(X, y)
        tables = HeldColumns(permutations, np.array([0]))
        within = X - np.array([X[y == label].mean(axis=0) for label in (0, 1)])[y]
        expected = np.corrcoef(within.T)[0, 1]
        for codes in permutations.draw(3):
            found = held_values(permutations, tables, codes, [0])
            within = found - np.array([found[codes == label].mean(axis=0) for label in (0, 1)])[codes]
            assert_allclose(np.corrcoef(within.T)[0, 1], expected, atol=0.03)


def simulated(seed, n_rows=80, n_columns=10, n_informative=2, correlation=0.5, shift=1.0):
    rng = np.random.default_rng(seed)
    y = np.arange(n_rows) % 2
    X = rng.normal(size=(n_rows, n_columns))
    X = np.sqrt(1 - correlation) * X + np.sqrt(correlation) * rng.normal(size=(n_rows, 1))
    X[:, :n_informative] += shift * y[:, None]
    return X, y


@pytest.mark.filterwarnings("ignore:No features were selected:fewest.errors.FewestWarning")
def test_the_mean_share_of_false_columns_is_at_most_the_level(monkeypatch):
    whole, n_tables = significance._tested_again, 12
    tested_once, again = [], []

    def keep_first(first, *others):
        tested_once.append(share(first.passing(0.2)))
        return whole(first, *others)

    def share(passing):
        return passing[2:].sum() / max(passing.sum(), 1)

    monkeypatch.setattr(significance, "_tested_again", keep_first)
    for seed in range(n_tables):
        selector = SVMWeights(n_features="fdr", level=0.2, n_permutations=49, random_state=seed)
        again.append(share(selector.fit(*simulated(seed, correlation=0.7)).support_))
    limit = 0.2 + 2 * np.std(again, ddof=1) / np.sqrt(n_tables)
    assert np.mean(again) <= limit
    # Labels permuted alone, as for scores of single columns, would not do.
    assert np.mean(tested_once) > limit


class TestSelectors:
    def test_p_values_are_none_smaller_and_a_note_says_what_was_tested_again(self, monkeypatch):
        X, y = simulated(0, correlation=0.0, shift=2.0)
        chosen = ReliefF(n_features="fdr", level=0.1, n_permutations=99).fit(X, y)
        assert set(chosen.selection_.indices) >= {0, 1}
        assert any("tested again, each while the others keep their differences" in note for note in chosen.notes_)
        monkeypatch.setattr(significance, "_tested_again", lambda first, *others: first)
        once = ReliefF(n_features="fdr", level=0.1, n_permutations=99).fit(X, y)
        assert (chosen.p_values_ >= once.p_values_).all()
        assert_array_equal(chosen.p_values_[~once.support_], once.p_values_[~once.support_])

    def test_one_column_that_passes_is_not_tested_again(self):
        X, y = simulated(0, n_informative=1, correlation=0.0, shift=3.0)
        chosen = ReliefF(n_features="fdr", level=0.02, n_permutations=99, control="fwer").fit(X, y)
        assert chosen.selection_.indices == (0,)
        assert len(chosen.notes_) == 1

    @pytest.mark.parametrize("kind", [ReliefF, SVMWeights])
    def test_copies_of_an_informative_column_pass(self, kind):
        X, y = simulated(0, n_columns=6, n_informative=1, correlation=0.0, shift=2.0)
        X[:, 1] = X[:, 0]
        assert set(kind(n_features="fdr", level=0.1, n_permutations=99).fit(X, y).selection_.indices) >= {0, 1}

    def test_scores_of_single_columns_are_tested_once(self, monkeypatch):
        def refuse(*_):
            raise AssertionError

        monkeypatch.setattr(significance, "_tested_again", refuse)
        assert ParzenRelief(n_features="fdr", n_permutations=99).fit(*simulated(0)).n_features_

    @pytest.mark.parametrize("control", ["bh", "by", "fwer"])
    def test_neither_the_order_of_rows_and_columns_nor_the_names_of_classes_matter(self, control):
        X, y = simulated(3, n_columns=20, n_informative=MOST_PARTS + 2, correlation=0.2)
        X[:, :4] = np.round(2 * X[:, :4])
        rng = np.random.default_rng(5)
        rows, columns = rng.permutation(len(y)), rng.permutation(20)
        selector = ReliefF(n_features="fdr", level=0.3, n_permutations=99, control=control)
        expected = selector.fit(X, y)
        assert any("tested again" in note for note in expected.notes_)
        expected = expected.p_values_
        found = selector.fit(X[rows][:, columns], np.array(["b", "a"])[y[rows]]).p_values_
        assert_allclose(found, expected[columns], rtol=1e-9)

    def test_text_missing_values_weights_and_sparse_tables(self):
        import pandas as pd
        from scipy import sparse

        X, y = simulated(1, correlation=0.0, n_columns=6, shift=2.0)
        frame = pd.DataFrame(X, columns=list("abcdef"))
        frame["signal"] = np.where(np.arange(80) % 9 < 7, np.array(["u", "v"])[y], "w")
        missing = frame.mask(np.random.default_rng(0).random(frame.shape) < 0.05)
        order = np.random.default_rng(1).permutation(80)
        for selector, table in ((ReliefF(), missing), (SVMWeights(), frame)):
            selector.set_params(n_features="fdr", level=0.2, n_permutations=49)
            chosen = selector.fit(table, y)
            assert "signal" in chosen.selection_.features
            assert any("tested again" in note for note in chosen.notes_)
            expected = chosen.p_values_
            assert_allclose(selector.fit(table.iloc[order], y[order]).p_values_, expected, rtol=1e-9)
        selector = SVMWeights(n_features="fdr", level=0.2, n_permutations=29)
        X = np.where(X > 0.5, X, 0.0)
        expected = selector.fit(X, y).p_values_
        assert_allclose(selector.fit(sparse.csr_array(X), y).p_values_, expected, rtol=1e-9)
        weights = 1 + np.arange(80) % 2
        expected = selector.fit(X, y, sample_weight=weights).p_values_
        repeated = np.repeat(np.arange(80), weights)
        assert_allclose(selector.fit(X[repeated], y[repeated]).p_values_, expected, rtol=1e-9)


class TestTextThatIsHeld:
    """A feature of text is several indicators, which move together."""

    @pytest.fixture
    def frame(self):
        rng = np.random.default_rng(2)
        y = np.arange(90) % 2
        group = np.array(list("abcd"))[np.where(rng.random(90) < 0.6, y, rng.integers(0, 4, 90))]
        return pd.DataFrame({"a": group, "b": group, "c": rng.normal(size=90), "d": rng.normal(size=90)}), y

    def test_every_row_keeps_one_category(self, frame, monkeypatch):
        X, y = frame
        seen = []
        permuted = HeldColumns.permuted

        def spied(tables, codes):
            relabelled = permuted(tables, codes)

            def of(held):
                rows = relabelled(held)
                values = rows.collect(Rows()).values
                feature_of = tables._permutations.blocks[0].feature_of
                seen.extend(values[:, feature_of == feature].sum(axis=1) for feature in held if feature < 2)
                return rows

            return of

        monkeypatch.setattr(HeldColumns, "permuted", spied)
        noisy = X.assign(b=np.random.default_rng(0).permutation(X["b"]), c=X["c"] + 1.5 * y)
        SVMWeights(n_features="fdr", n_permutations=20, level=0.3).fit(noisy, y)
        assert len(seen) > 0
        assert all((sums == 1).all() for sums in seen)

    def test_names_of_categories_change_nothing(self, frame):
        X, y = frame
        renamed = X.assign(b=X["b"].map({"a": "d", "b": "c", "c": "b", "d": "a"}))
        selector = SVMWeights(n_features="fdr", n_permutations=40, level=0.1)
        assert_array_equal(selector.fit(X, y).p_values_, selector.fit(renamed, y).p_values_)


def test_the_sign_of_zero_changes_nothing():
    rng = np.random.default_rng(8)
    y = np.arange(50) % 2
    X = np.round(rng.normal(size=(50, 5)) + y[:, None] * np.array([0.6, 0.5, 0.4, 0.3, 0.0]))
    assert np.signbit(X[X == 0]).any()
    selector = ReliefF(n_features="fdr", n_permutations=60, level=0.9)
    assert_array_equal(selector.fit(X, y).p_values_, selector.fit(X + 0.0, y).p_values_)
