"""JMI, CMIM, …: values by hand and by the formula, bounds, all ways columns are kept, what changes nothing."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from fewest._core import CategoryColumns, triple_counts, triple_information, triple_information_of_cells
from fewest.criteria import ConditionalInformation, Discretizer
from fewest.errors import InvalidParameter
from fewest.methods.information.conditional_information import ALL_FORMS, FORMS
from fewest.searches import GreedyForward

from ...binding import bind
from ...reference.information.conditional_information import additions, conditional_on_all, greedy, terms
from .test_relevance_redundancy import TABLES, in_order, random_table


def criterion(form, first="relevance", weight=0.7, **parameters):
    """The plain numbers of the formulas, also of many categories."""
    return ConditionalInformation(form, Discretizer(None, **parameters), None, weight, first)


def test_an_xor_worked_by_hand():
    # y = a xor b, and d is their or: a = 0 0 1 1, b = 0 1 0 1, y = 0 1 1 0, d = 0 1 1 1.
    # I(a; y) = I(b; y) = 0; I(d; y) = H(y) - 3/4 H(1/3) = 0.21576. First d.
    # a and d determine y but in (1, 1), where y is 1 or 0: H(y | a, d) = 1/2 log 2, I(a, d; y) = 1/2 log 2 = 0.34657,
    # and the same of b. H(a, d, y) = log 4 (every row differs), so DISR has 0.34657 / 1.38629 = 1/4.
    # I(a; y | d) = 0.34657 - 0.21576 = 0.13081, but CMIM has min(I(a; y), ...) = 0.
    # Then, selected d and a: b has I(b, d; y) + I(b, a; y) = 0.34657 + log 2 = 1.03972; the least is 0.34657.
    X = np.array([[0, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 1]])
    y = [0, 1, 1, 0]
    expected = {"jmi": 0.34657, "jmim": 0.34657, "disr": 0.25, "njmim": 0.25, "cmim": 0.0, "cife": 0.13081, "icap": 0.0}
    for form, value in expected.items():
        objective = bind(criterion(form), X, y)
        assert_allclose(objective.score_features(), [0.0, 0.0, 0.21576], atol=5e-6)
        assert_allclose(objective.score_additions([2], np.array([0, 1])), [value, value], atol=5e-6)
    # I(a; d) = H(a) + H(d) - H(a, d) = 0.69315 + 0.56234 - 1.03972 = 0.21576, I(a; d | y) = 1/2 log 2 = 0.34657.
    assert_allclose(bind(criterion("mifs"), X, y).score_additions([2], np.array([0])), [-0.7 * 0.21576], atol=5e-6)
    assert_allclose(bind(criterion("condred"), X, y).score_additions([2], np.array([0])), [0.7 * 0.34657], atol=5e-6)
    assert_allclose(bind(criterion("jmi"), X, y).score_additions([2, 0], np.array([1])), [1.03972], atol=5e-6)
    assert_allclose(bind(criterion("jmim"), X, y).score_additions([2, 0], np.array([1])), [0.34657], atol=5e-6)
    assert_allclose(bind(criterion("cmi"), X, y).score_additions([0], np.array([1, 2])), [0.69315, 0.34657], atol=5e-6)


#: Quinlan (1986), Induction of decision trees, Table 1: outlook (sunny, overcast, rain), temperature (hot, mild, cool),
#: humidity (high, normal), windy (no, yes), and whether to play.
WEATHER = np.array(
    [
        *([0, 0, 0, 0, 0], [0, 0, 0, 1, 0], [1, 0, 0, 0, 1], [2, 1, 0, 0, 1], [2, 2, 1, 0, 1], [2, 2, 1, 1, 0]),
        *([1, 2, 1, 1, 1], [0, 1, 0, 0, 0], [0, 2, 1, 0, 1], [2, 1, 1, 0, 1], [0, 1, 1, 1, 1], [1, 1, 0, 1, 1]),
        *([1, 0, 1, 0, 1], [2, 1, 0, 1, 0]),
    ]
)


def test_published_weather_worked_by_hand():
    # In bits, as there: I(x; c) = 0.2467, 0.0292, 0.1518, 0.0481, H(c) = 0.9403. First the outlook.
    # Given outlook and humidity the class is open in rain alone: high, 1 yes and 1 no; normal, 2 and 1.
    #   H(c | o, h) = 2/14 + 3/14 * 0.9183 = 0.3396, I(o, h; c) = 0.6007.
    # Given outlook and wind in sun alone, with the same numbers: 0.6007 again. Humidity is the lower column.
    # Given outlook and temperature: H = 2/14 (sun, mild) + 3/14 * 0.9183 (rain, mild) + 2/14 (rain, cool) = 0.4825.
    # H(x, o, c): cells of 3, 2, 2, 2, 2, 1, 1, 1 rows with humidity or wind: log2 14 - (3 log2 3 + 8) / 14 = 2.8963;
    # three of 2 and eight of 1 with temperature: log2 14 - 6 / 14 = 3.3788.
    X, y = WEATHER[:, :4], WEATHER[:, 4]
    second = {
        "jmi": [0.4578, 0.6007, 0.6007],
        "jmim": [0.4578, 0.6007, 0.6007],
        "disr": [0.4578 / 3.3788, 0.6007 / 2.8963, 0.6007 / 2.8963],
        "cmim": [0.0292, 0.1518, 0.0481],  # no I(x; c | o), which are 0.2111, 0.3540, 0.3540, is less
    }
    # Humidity with wind: 2 and 2 of high without, 2 and 1 of high with, 2 and 1 of normal with are open:
    #   H = 4/14 + 6/14 * 0.9183 = 0.6793, I = 0.2610.
    # With temperature: 1 and 2 (high, hot), 2 and 2 (high, mild), 3 and 1 (normal, cool):
    #   H = 3/14 * 0.9183 + 4/14 + 4/14 * 0.8113 = 0.7143, I = 0.2260.
    third = {
        "jmi": [0.4578 + 0.2260, 0.6007 + 0.2610],
        "jmim": [0.2260, 0.2610],
        # Cells with temperature: 2, 1, 2, 2, 1, 3, 1, 2 rows; with wind: 2, 2, 2, 1, 4, 1, 2.
        "disr": [0.4578 / 3.3788 + 0.2260 / 2.8963, 0.6007 / 2.8963 + 0.2610 / 2.6645],
        "cmim": [0.0292, 0.0481],
    }
    for form in second:
        objective = bind(criterion(form), X, y)
        assert_allclose(objective.score_features() / np.log(2), [0.2467, 0.0292, 0.1518, 0.0481], atol=6e-5)
        unit = 1.0 if form == "disr" else np.log(2)
        assert_allclose(objective.score_additions([0], np.array([1, 2, 3])) / unit, second[form], atol=1e-4)
        assert_allclose(objective.score_additions([0, 2], np.array([1, 3])) / unit, third[form], atol=2e-4)
        assert GreedyForward().run(bind(criterion(form), X, y), 4).indices == (0, 2, 3, 1)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", TABLES)
def test_values_and_choices_are_those_of_the_formula_lazily_or_not(form, kind):
    # Of the forms that are selectors 300 tables; of the others, which share everything but the last line, fewer.
    for seed in range(150 if form in ("jmi", "cmim", "jmim", "disr") else 17):
        X, y = TABLES[kind](seed)
        p, columns = X.shape[1], X.T.tolist()
        objective = bind(criterion(form), X, y)
        for selected in in_order(p, seed):
            expected = additions(form, columns, y.tolist(), selected, 0.7)
            assert_allclose(objective.score_additions(selected, np.arange(p)), expected, rtol=1e-9, atol=1e-11)
        taken = GreedyForward(lazy=False).run(bind(criterion(form), X, y), p)
        assert list(taken.indices) == greedy(form, columns, y.tolist(), p, 0.7)
        lazily = GreedyForward().run(bind(criterion(form), X, y), p)
        assert (lazily.indices, lazily.scores) == (taken.indices, taken.scores)


@pytest.mark.parametrize("form", FORMS)
def test_bounds_are_bounds_and_exact_once_everything_is_evaluated(form):
    for kind in TABLES.values():
        for seed in range(20):
            X, y = kind(seed)
            p, rng = X.shape[1], np.random.default_rng(seed)
            lazy = bind(criterion(form), X, y)
            for selected in in_order(p, seed):
                values = bind(criterion(form), X, y).score_additions(selected, np.arange(p))
                assert (lazy.bound_additions(selected) >= values).all()
                some = np.flatnonzero(rng.random(p) < 0.4)
                assert_array_equal(lazy.score_additions(selected, some), values[some])
                assert_array_equal(lazy.bound_additions(selected)[some], values[some])


def test_conditional_on_all_selected_columns():
    for seed in range(20):
        X, y = random_table(seed)
        p, columns = X.shape[1], X.T.tolist()
        objective = bind(criterion("cmi"), X, y)
        for selected in in_order(p, seed)[:4]:
            found = objective.score_additions(selected, np.arange(p))
            if objective.saturated_at is None:
                assert_allclose(found, conditional_on_all(columns, y.tolist(), selected), rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("form", FORMS)
def test_missing_values_are_a_category_or_left_out_of_a_pair(form):
    for seed in range(8):
        X, y = random_table(seed)
        X = np.where(np.random.default_rng(seed).random(X.shape) < 0.2, np.nan, X)
        for missing, value in (("state", -1), ("pairwise", None)):
            columns = [[value if np.isnan(v) else v for v in column] for column in X.T.tolist()]
            for selected in in_order(X.shape[1], seed)[:4]:
                expected = additions(form, columns, y.tolist(), selected, 0.7)
                found = bind(criterion(form, missing=missing), X, y).score_additions(selected, np.arange(X.shape[1]))
                assert_allclose(found, expected, rtol=1e-9, atol=1e-11)
            lazily, at_once = (
                GreedyForward(lazy=lazy).run(bind(criterion(form, missing=missing), X, y), 3) for lazy in (True, False)
            )
            assert (lazily.indices, lazily.scores) == (at_once.indices, at_once.scores)


N_CATEGORIES = np.array([3, 1, 17, 4, 300, 2, 40, 3], dtype=np.int32)


def encoded(codes, is_listed=None, n_categories=N_CATEGORIES):
    is_listed = np.zeros(len(codes), bool) if is_listed is None else is_listed
    table = CategoryColumns(n_categories, ~(codes == 65535).any(axis=1), is_listed, codes.shape[1])
    filled = np.flatnonzero(~is_listed)
    table.fill(filled, codes[filled].astype(np.uint16), np.zeros(len(filled), np.int64), 1)
    for column in np.flatnonzero(is_listed):
        rows = np.flatnonzero(codes[column] != 0)
        starts = np.array([0, len(rows)])
        categories = codes[column, rows].astype(np.uint16)
        table.list(np.array([column]), starts, rows.astype(np.int32), categories, np.zeros(1, np.int32))
    return table


@pytest.mark.parametrize("n_classes", [2, 3, 26])
@pytest.mark.parametrize("n_rows", [40, 700, 1500])
@pytest.mark.parametrize("kept", ["dense", "missing", "listed"])
def test_every_way_columns_are_kept_gives_the_same_numbers(n_rows, n_classes, kept):
    # Planes of few and of many joint categories, codes, lists, and tables too sparse for cells, as the sizes vary.
    rng = np.random.default_rng(n_rows + n_classes)
    n_categories = np.append(N_CATEGORIES[:-1], n_classes).astype(np.int32)
    codes = np.array([rng.integers(0, n, n_rows) for n in n_categories])
    if kept == "missing":
        codes[:-1][rng.random((7, n_rows)) < 0.2] = 65535
    is_listed = np.arange(8) % 3 == 0 if kept == "listed" else None
    table = encoded(codes, is_listed, n_categories)
    others = np.arange(7)
    columns = [[None if code == 65535 else code for code in column] for column in codes.tolist()]
    for selected in range(7):
        found, on_threads = np.full((7, 5), np.nan), np.full((7, 5), np.nan)
        triple_information(table, 7, selected, others, found, 1)
        triple_information(table, 7, selected, others, on_threads, 3)
        assert_array_equal(found, on_threads)
        cells = np.empty((n_categories[:-1].sum(), n_categories[selected] * n_classes), dtype=np.int64)
        triple_counts(table, 7, selected, others, cells, 2)
        of_cells = np.empty((7, 5))
        triple_information_of_cells(cells, n_categories[:-1], int(n_categories[selected]), n_classes, n_rows, of_cells)
        assert_array_equal(np.where(np.isnan(found), of_cells, found), of_cells)
        if n_rows > 40 and (n_rows > 700 or n_classes != 3 or selected not in (2, 4)):
            continue  # the reference is slow
        for x in others:
            h = terms(columns[x], columns[selected], columns[7])
            expected = [h["xs"] + h["sc"] - h["xsc"] - h["s"], h["x"] + h["s"] - h["xs"], h["xsc"]]
            expected += [h["x"] + h["c"] - h["xc"], h["s"] + h["c"] - h["sc"]]
            assert_allclose(of_cells[x], expected, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("form", ALL_FORMS)
def test_sparse_tables_weights_and_orders_change_no_bit(form):
    X, y = random_table(4)
    X = np.where(np.random.default_rng(4).random(X.shape) < 0.6, 0, X)
    rng, everything = np.random.default_rng(0), np.arange(X.shape[1])
    expected = bind(criterion(form), X, y).score_additions([1, 0], everything)
    as_sparse = bind(criterion(form), sparse.csr_matrix(X.astype(float)), y).score_additions([1, 0], everything)
    assert_array_equal(as_sparse, expected)
    rows, columns = rng.permutation(len(y)), rng.permutation(X.shape[1])
    index = np.argsort(columns)
    renamed = np.array(["z", "a", "m"])[y]
    permuted = bind(criterion(form), X[rows][:, columns], renamed[rows])
    assert_array_equal(permuted.score_additions([index[1], index[0]], index), expected)
    weights = rng.integers(0, 3, len(y)).astype(float)
    weights[:3] = 1.0
    twice = np.repeat(np.arange(len(y)), weights.astype(int))
    weighted = bind(criterion(form), X, y, weights).score_additions([1], everything)
    assert_array_equal(weighted, bind(criterion(form), X[twice], y[twice]).score_additions([1], everything))


@pytest.mark.parametrize("form", FORMS)
def test_columns_of_many_categories_count_what_is_beyond_chance(form):
    rng = np.random.default_rng(0)
    n = 300
    y = rng.integers(0, 2, n)
    flag = np.where(rng.random(n) < 0.8, y, 1 - y)
    identifier, town = np.arange(n), rng.integers(0, 40, n)
    X = np.column_stack([identifier, town, flag, rng.integers(0, 3, n)])
    plain = ConditionalInformation(form, Discretizer(None), None)
    corrected = ConditionalInformation(form, Discretizer(None))
    first, lazily = (GreedyForward(lazy=lazy).run(bind(corrected, X, y), 4) for lazy in (False, True))
    assert first.indices[0] == 2
    assert (first.indices, first.scores) == (lazily.indices, lazily.scores)
    assert GreedyForward().run(bind(plain, X, y), 1).indices == (0,)
    # An identifier, pooled, is constant: I(x; c | s) = 0. Random towns share no more than chance.
    t = bind(corrected, X, y).triples.of(2, np.arange(4))
    assert_allclose(t.conditional[:2], 0.0, atol=1e-12)
    # Missing values that are left out of pairs are counted by cells: without any, both ways agree.
    of_cells = bind(corrected, X, y).triples
    of_cells.table.has_missing = True
    assert_allclose(of_cells.of(1, np.arange(4)), bind(corrected, X, y).triples.of(1, np.arange(4)), atol=1e-12)


def test_the_best_pair_comes_first():
    for seed in range(10):
        X, y = random_table(seed)
        columns, p = X.T.tolist(), X.shape[1]
        pairs = np.array([additions("jmi", columns, y.tolist(), [s]) for s in range(p)])
        np.fill_diagonal(pairs, -1)
        for form in ("jmi", "cmi"):
            objective = bind(criterion(form, "pair"), X, y)
            assert_allclose(objective.score_features(), pairs.max(axis=0), rtol=1e-9, atol=1e-11)
            assert_array_equal(objective.bound_additions([]) >= objective.score_features(), True)
        taken = GreedyForward().run(bind(criterion("jmi", "pair"), X, y), 2)
        assert pairs[taken.indices] == pytest.approx(pairs.max())


def test_what_is_not_there_is_refused():
    for wrong in ({"form": "xyz"}, {"first": "best"}, {"correction": "none"}, {"redundancy_weight": -1.0}):
        with pytest.raises(InvalidParameter, match=next(iter(wrong))):
            ConditionalInformation(**wrong)
