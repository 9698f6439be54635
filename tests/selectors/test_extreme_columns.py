"""Columns, weights and parameters at the ends of what numbers can be: the same answer, or one clear error."""

from __future__ import annotations

import re
import warnings
from contextlib import suppress
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier

from fewest import (
    FSV,
    L0SVM,
    L1SVM,
    MRMR,
    SVMRFE,
    AutoSelector,
    FewestError,
    FisherScore,
    ForestImportance,
    IterativeRelief,
    KernelSeparability,
    Relief,
    Selection,
    StumpBoosting,
    SVMWeights,
    TwoStage,
    Wrapper,
)
from fewest.data.array import ArraySource
from fewest.data.labels import Target
from fewest.errors import UnexpectedError
from fewest.selectors.collection import check_finite
from fewest.selectors.registry import methods_by_name
from fewest.statistics import ClassMoments
from fewest.statistics.rescaled_source import RescaledSource

RANDOM = np.random.default_rng(0)
Y = np.arange(60) % 2
X = RANDOM.normal(size=(60, 4))
X[:, 2] += 3 * Y
X[:, 1] += Y

SELECTORS = {
    **{name: selector(n_features=1) for name, selector in methods_by_name().items()},
    "auto": AutoSelector(n_features=1, cv=2),
    "two-stage": TwoStage(n_features=1, cv=2),
    "wrapper": Wrapper(n_features=1, cv=2),
}


def quiet_fit(selector, *arguments):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return clone(selector).fit(*arguments)


@pytest.mark.parametrize("selector", SELECTORS.values(), ids=SELECTORS)
def test_neither_the_unit_nor_the_offset_of_a_column_changes_what_is_found(selector):
    expected = quiet_fit(selector, X, Y).selection_.indices
    for factor in (1e-310, 1e-300, 1e-160, 1e-8, 1e8, 1e100, 1e150):
        for columns in ([2], [0, 1, 2, 3]):
            table = X.copy()
            table[:, columns] *= factor
            assert quiet_fit(selector, table, Y).selection_.indices == expected, (factor, columns)
    for offset in (1e3, -1e6, 1e8, 1e9):
        assert quiet_fit(selector, X + np.array([0, 0, offset, 0]), Y).selection_.indices == expected, offset


@pytest.mark.parametrize("selector", SELECTORS.values(), ids=SELECTORS)
def test_values_too_large_to_square_are_refused_by_column_or_make_no_difference(selector):
    expected = quiet_fit(selector, X, Y).selection_.indices
    for factor in (1e160, 1e300):
        table = X.copy()
        table[:, 1] *= factor
        try:
            found = quiet_fit(selector, table, Y).selection_.indices
        except FewestError as error:
            found = re.search(r"[Cc]olumn 1\b.*too large", str(error)) and expected
        assert found == expected


EXTREME = {
    "near the largest square": RANDOM.choice([1e152, -1e152], len(Y)),
    "constant but for 1e150": np.where(np.arange(len(Y)) == 0, 1e150, 0.0),
    "constant but for the least number": np.where(np.arange(len(Y)) == 0, 5e-324, 0.0),
}


@pytest.mark.parametrize("column", EXTREME.values(), ids=EXTREME)
@pytest.mark.parametrize("selector", SELECTORS.values(), ids=SELECTORS)
def test_an_extreme_column_leaves_every_number_finite(selector, column):
    table = np.c_[X[:, :3], column]
    fitted = quiet_fit(selector, table, Y)
    selection = fitted.selection_
    assert np.isfinite(selection.scores).all()
    assert all(number is None or np.isfinite(number) for number in (selection.value, selection.bound))
    assert not re.search(r"\bnan\b", " ".join([*fitted.notes_, selection.certificate.words]))


def test_the_answer_of_a_rescaled_table_has_the_fingerprint_of_the_table_as_given():
    tiny, plain = (FisherScore().fit(X * factor, Y).selection_.provenance for factor in (2.0**-900, 1.0))
    assert tiny.fingerprint == ArraySource(X * 2.0**-900, Target(Y)).collect(ClassMoments()).fingerprint()
    assert tiny.fingerprint != plain.fingerprint


def test_rescaling_is_exact_for_dense_and_sparse_rows_and_some_columns():
    exponents = np.array([-3, 0, 700, 1])
    for table in (X, sparse.csr_array(X), sparse.csc_array(X)):
        source = RescaledSource(ArraySource(table, Target(Y)), exponents)
        (block,) = source.blocks()
        assert_allclose(block.dense_values, X * 2.0**exponents, rtol=0)
        (block,) = source.blocks([2, 0])
        assert_allclose(block.dense_values, (X * 2.0**exponents)[:, [2, 0]], rtol=0)


def test_unscaled_columns_stay_as_they_are():
    table = X * [1, 1, 1e-200, 1]
    assert quiet_fit(Relief(n_features=1, scale=None), table, Y).selection_.indices == (1,)


def test_an_answer_that_is_not_a_number_is_refused_with_the_name_of_a_column():
    selection = Selection(indices=(1, 0), scores=(2.0, np.nan), path={}, value=1.0)
    with pytest.raises(FewestError, match=r"The score of column 'a' is not a number.* Rescale"):
        check_finite(selection, np.array([True, True]), "ab".__getitem__)
    check_finite(selection, np.array([False, True]), "ab".__getitem__)
    for number in (np.nan, np.inf):
        with pytest.raises(FewestError, match=r"The bound of the selection is (nan|inf), not a finite number"):
            check_finite(replace(selection, scores=(2.0, 1.0), bound=number), None, "ab".__getitem__)


@pytest.mark.parametrize("seed", [2**32, 2**63, 2**70, np.uint64(2**63)])
@pytest.mark.parametrize(
    "selector",
    [
        ForestImportance(n_features=1, n_trees=5),
        Wrapper(RandomForestClassifier(3), n_features=1, cv=2),
        MRMR(n_features="auto"),
    ],
    ids=lambda selector: selector.name,
)
def test_a_seed_may_be_any_whole_number(selector, seed):
    assert quiet_fit(clone(selector).set_params(random_state=seed), X, Y).selection_.indices == (2,)


@pytest.mark.parametrize(
    ("selector", "message"),
    [
        (MRMR(n_features="auto", cv=2**31), "cv must be a whole number of at most 10,000"),
        (Wrapper(cv=2**31), "cv must be a whole number of at most 10,000"),
        (ForestImportance(n_trees=2**31), "n_trees must be a whole number of at most 100,000"),
        (StumpBoosting(n_rounds=2**63 - 1), "n_rounds must be a whole number of at most 1,000,000"),
        (IterativeRelief(width=1e-200), "width must be a positive number of at least 1e-100"),
        (L1SVM(C=10**400), "C must be a positive number"),
    ],
    ids=lambda value: value if isinstance(value, str) else value.name,
)
def test_parameters_that_cannot_be_are_refused_before_any_work(selector, message):
    with pytest.raises(FewestError, match=re.escape(message)):
        selector.fit(X, Y)


@pytest.mark.parametrize(
    "sample", [10**400, 2**64, np.uint64(2**63), np.int8(100)], ids=["large", "2**64", "uint64", "int8"]
)
@pytest.mark.parametrize("selector", [L1SVM, KernelSeparability])
def test_a_sample_of_more_rows_than_there_are_is_all_rows(selector, sample):
    expected = FisherScore(n_features=1).fit(X, Y).selection_.indices
    assert selector(n_features=1, sample=sample).fit(X, Y).selection_.indices == expected


@pytest.mark.parametrize("selector", [L0SVM(C=2**70), SVMRFE(C=2**70), SVMWeights(C=2**70)], ids=lambda one: one.name)
def test_a_cost_with_which_svms_cannot_be_solved_is_refused(selector):
    table = np.random.default_rng(0).normal(size=(15, 8))
    table[:, 0] += 2 * Y[:15]
    with pytest.raises(FewestError, match=r"The linear SVMs cannot be solved in double precision: .*C is too large"):
        quiet_fit(selector, table, Y[:15])


FLAGS = [
    (method, name)
    for method, selector in methods_by_name().items()
    for name, value in selector().get_params(deep=False).items()
    if isinstance(value, bool)
]


@pytest.mark.parametrize(("method", "name"), FLAGS)
@pytest.mark.parametrize("value", [np.array([1, 2]), np.array([]), "False"], ids=str)
def test_a_flag_is_true_or_false(method, name, value):
    with pytest.raises(FewestError, match=rf"{name} must be (one of )?True(, | or )False"):
        methods_by_name()[method](**{name: value}).fit(X, Y)


NUMBERS = [
    (method, name) for method, selector in methods_by_name().items() for name in selector().get_params(deep=False)
]


@pytest.mark.parametrize(("method", "name"), NUMBERS)
def test_a_number_too_large_for_a_float_is_used_or_refused_in_words(method, name):
    with suppress(FewestError):
        try:
            quiet_fit(methods_by_name()[method](**{name: 10**400}), X, Y)
        except UnexpectedError as error:
            pytest.fail(str(error))


@pytest.mark.parametrize("selector", SELECTORS.values(), ids=SELECTORS)
def test_a_constant_column_near_the_largest_number_is_no_reason_to_fail(selector):
    # The first, since classes of one size are ordered by their sums of the first column.
    (expected,) = quiet_fit(selector, X, Y).selection_.indices
    assert quiet_fit(selector, np.c_[np.full(60, 1.7e308), X], Y).selection_.indices == (expected + 1,)


def test_a_sparse_matrix_of_more_columns_than_can_be_scored_is_refused_at_once():
    wide = sparse.csr_array(([1.0], ([0], [49_999_999])), shape=(60, 50_000_000))
    with pytest.raises(FewestError, match="50,000,000 columns, and at most 10,000,000"):
        FisherScore().fit(wide, Y)


def test_a_wide_sparse_table_takes_seconds():
    random = np.random.default_rng(1)
    wide = sparse.random_array((60, 30_000), density=0.001, random_state=random, format="lil")
    wide[:, [7]] = Y[:, None] + 1.0
    assert quiet_fit(SVMRFE(n_features=1), wide.tocsr(), Y).selection_.indices == (7,)
    with pytest.raises(FewestError, match="Choose columns first"):
        Wrapper().fit(sparse.csr_array((60, 60_000)), Y)


@pytest.mark.parametrize(
    "selector",
    [Wrapper(n_features=1), TwoStage(n_features=1), MRMR(n_features="auto"), FSV(n_features="auto")],
    ids=lambda selector: selector.name,
)
def test_tiny_numbers_and_weights_do_not_hold_up_what_evaluates(selector):
    assert 2 in quiet_fit(selector, X * 1e-200, Y).selection_.indices
    with pytest.raises(FewestError, match="sample_weight is 1e-200 in row 0, and a weight that is not zero"):
        clone(selector).fit(X, Y, np.full(len(Y), 1e-200))
