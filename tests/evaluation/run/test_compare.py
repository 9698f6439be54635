"""compare(): honest errors, the leak meter, going on another day, and what was left out."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.datasets import load_iris, load_wine

import fewest.evaluation.design.labelled_tables as labelled_tables
import fewest.evaluation.run.trial as trial_module
from fewest import MRMR, Comparison, FisherScore, SVMWeights, compare, scan
from fewest.errors import InvalidInput, InvalidParameter
from fewest.evaluation.design.compared_methods import chosen_index, subsets_of, to_sizes
from fewest.evaluation.testing.across_tables import wilcoxon_pairs
from fewest.summary import TruthRanking

FAST = {"classifiers": ["nb", "knn"], "outer": 4, "inner": 3}


@pytest.fixture(scope="module")
def wine():
    return load_wine(return_X_y=True, as_frame=True)


@pytest.fixture(scope="module")
def found(wine):
    return compare(["mrmr", "fisher-markov", "relieff"], *wine, **FAST)


def without_times(text):
    content = json.loads(text)
    content["seconds"] = content["checksum"] = None
    for table in content["tables"]:
        for one in [*table["baselines"], *(trial for method in table["methods"] for trial in method["trials"])]:
            one["seconds"] = None
        for method in table["methods"]:
            if method["whole"]:
                method["whole"]["seconds"] = None
    return json.dumps(content)


def test_noise_is_no_better_than_chance_and_the_leak_is_seen():
    random = np.random.default_rng(0)
    X, y = random.normal(size=(60, 1000)), np.repeat([0, 1], 30)
    found = compare(
        ["mrmr", "fisher-score"], X, random.permutation(y), classifiers=["nb"], sizes=[5, 20], outer=16, inner=3
    )
    for method in found.tables[0].completed:
        errors = method.nested_errors("nb")
        assert abs(errors.mean() - 0.5) < 3 * errors.std(ddof=1) / 4 + 0.02
        assert found.optimism["table"][method.name]["nb"] > 0.15
    best = found.summary.tables[0].recommended
    assert best.sentence.startswith("No features were found that beat guessing")
    assert (best.features, best.size, best.beats_guessing) == ((), 0, False)


def test_selection_scaling_and_tuning_see_only_the_training_rows(wine, monkeypatch):
    seen = []
    fit_on = trial_module.fit_on

    def spied(selector, table, rows, sizes):
        seen.append(set(table.row_numbers[rows].tolist()))
        return fit_on(selector, table, rows, sizes)

    monkeypatch.setattr(trial_module, "fit_on", spied)
    X, y = wine
    test_rows = set(range(0, 178, 4))
    train_rows = sorted(set(range(178)) - test_rows)
    compare("fisher-score", X, y, classifiers="nb", outer=[(train_rows, sorted(test_rows))], inner=3, leak=False)
    assert len(seen) == 8  # all rows and their inner folds; the split and its inner folds
    assert all(not rows & test_rows for rows in seen[4:])
    # A value of a test row changes nothing of what is fitted: its row alone may be predicted differently. The order by
    # content, which draws the inner folds, is that of all rows, so rows stay in theirs here.
    monkeypatch.setattr(
        labelled_tables, "order_by_content", lambda _, codes, n, __: (np.arange(len(codes)), np.arange(n))
    )
    spoiled = X.copy()
    spoiled.iloc[0] = 1e6
    splits = {"outer": [(train_rows, sorted(test_rows))], "classifiers": "nb", "inner": 3, "leak": False}
    one, other = (compare("fisher-score", table, y, **splits).tables[0].methods[0] for table in (X, spoiled))
    assert one.trials[0]["path"] == other.trials[0]["path"]
    assert one.trials[0]["results"]["nb"]["inner"] == other.trials[0]["results"]["nb"]["inner"]


def test_what_it_says(found, wine):
    table = found.summary.tables[0]
    best = table.recommended
    assert best.sentence.startswith(f"{best.size} of 13 features separate the three classes with")
    assert best.low <= best.error <= best.high < 0.2
    assert best.features[0].name in wine[0].columns
    assert all(0 < feature.frequency <= 1 for feature in best.features[:1])
    assert {row["method"] for row in found.table} == {
        "mrmr", "fisher-markov", "relieff", "recommended", "all features", "chance",
    }  # fmt: skip
    errors = [row["error"] for row in found.table]
    assert errors == sorted(errors)
    assert len(table.pairs) == 6
    assert all(pair.better + pair.worse + pair.same == 4 for pair in table.pairs)
    for method in table.methods:
        # Nothing is stable or not where all columns are chosen.
        assert method.stability is None or -0.2 < method.stability.index <= 1
        for result in method.results.values():
            assert_allclose(result.micro_f1, 1 - result.error)
            assert result.best_error <= result.error + 0.1
        assert [point.size for point in method.curves["nb"]] == table.sizes
    text = str(found)
    assert best.sentence in text
    assert "before splitting would have promised" in text
    assert found.to_frame().shape[0] == len(found.table)
    assert found.to_frame("tests")["p"].tolist() == [pair.p for pair in table.pairs]
    alone = compare("fisher-score", *wine, **FAST).to_frame("tests")
    assert (len(alone), list(alone.columns)) == (0, list(found.to_frame("tests").columns))
    curves = found.to_frame("curves").query("classifier == 'nb' and method == @table.methods[0].name")
    assert curves["error"].tolist() == [point.error for point in table.methods[0].curves["nb"]]
    stability = found.to_frame("stability")
    assert set(stability["method"]) == {method.name for method in table.completed}
    assert stability["frequency"].between(0, 1).all()
    with pytest.raises(InvalidParameter, match="of must be 'table', 'curves', 'tests' or 'stability', got 'curve'"):
        found.to_frame("curve")
    json.dumps(found.summary.to_dict(), allow_nan=False)


def test_the_error_at_each_size_is_that_of_the_classifier_on_the_columns_chosen_there(wine):
    from sklearn.naive_bayes import GaussianNB

    X, y = wine[0].to_numpy(), wine[1].to_numpy()
    rows = np.arange(178)
    splits = [(rows[rows % 4 != part], rows[rows % 4 == part]) for part in range(4)]
    method = compare("mrmr", *wine, **{**FAST, "outer": splits}).tables[0].methods[0]
    for s, (train, test) in enumerate(splits):
        mean, spread = X[train].mean(axis=0), X[train].std(axis=0)
        Z = (X - mean) / spread
        for index in (0, 5, -1):
            columns = method.trials[s]["path"][index]
            expected = GaussianNB(var_smoothing=0.01).fit(Z[train][:, columns], y[train]).predict(Z[test][:, columns])
            assert_allclose(method.errors("nb")[s, index], (expected != y[test]).mean())


def test_json_holds_everything_and_the_order_of_jobs_changes_nothing(found, wine):
    text = found.to_json()
    again = Comparison.from_json(text)
    assert again.to_json() == text
    assert again.summary == found.summary
    run_in_parallel = compare(["mrmr", "fisher-markov", "relieff"], *wine, **FAST, n_jobs=2)
    assert without_times(run_in_parallel.to_json()) == without_times(text)
    for damaged in ("{}", "[]", "nonsense", text.replace('"format": 2', '"format": 9')):
        with pytest.raises(InvalidInput, match="not a comparison"):
            Comparison.from_json(damaged)
    with pytest.raises(InvalidInput, match=r"older version of fewest \(format 1, .* Run the comparison again"):
        Comparison.from_json(text.replace('"format": 2', '"format": 1'))


def test_interrupted_it_has_the_splits_that_were_done_and_goes_on_from_there(wine, found, tmp_path, monkeypatch):
    import fewest.evaluation.run.cases as module

    run, count = module.run_trial, []

    def until_tired(*arguments):
        if len(count) == 7:  # two splits of three methods, and one trial of the next
            raise KeyboardInterrupt
        count.append(1)
        return run(*arguments)

    monkeypatch.setattr(module, "run_trial", until_tired)
    methods = ["mrmr", "fisher-markov", "relieff"]
    partial = compare(methods, *wine, **FAST, resume=tmp_path / "work")
    assert partial.stopped == "2 of 4 splits were done when it was stopped"
    assert len(partial.tables[0].methods[0].trials) == 2
    assert "Interrupted: 2 of 4 splits" in str(partial)
    monkeypatch.setattr(module, "run_trial", run)
    whole = compare(methods, *wine, **FAST, resume=tmp_path / "work")
    assert without_times(whole.to_json()) == without_times(found.to_json())
    # A trial of other data or settings is another one; a damaged file is done again.
    for file in list((tmp_path / "work").iterdir())[:3]:
        file.write_text("{")
    again = compare(methods, *wine, **FAST, resume=tmp_path / "work")
    assert without_times(again.to_json()) == without_times(found.to_json())
    other = compare(["mrmr"], wine[0].iloc[::-1], wine[1].iloc[::-1], **FAST, resume=tmp_path / "work")
    assert other.tables[0].methods[0].trials[0]["path"] is not None
    monkeypatch.setattr(module, "run_trial", until_tired)
    with pytest.raises(KeyboardInterrupt):
        compare(["mrmr"], *wine, **{**FAST, "outer": 3})


def test_a_method_that_cannot_take_the_table_is_left_out_and_says_why(wine):
    X, y = wine
    found = compare(["mrmr", SVMWeights(C=1e308, scale=None)], X, y, **FAST)
    left_out = found.tables[0].methods[1]
    assert left_out.failed.startswith("Products of rows overflow")
    assert f"{left_out.name} was left out: Products of rows overflow" in str(found)
    assert found.summary.tables[0].recommended.method == "mrmr"
    json.dumps(found.summary.to_dict(), allow_nan=False)
    everything = compare([SVMWeights(C=1e308, scale=None)], X, y, **FAST)
    assert everything.summary.tables[0].recommended is None
    assert "no method was evaluated" in str(everything)
    assert "was left out: Products of rows overflow" in str(everything)


def test_text_is_states_to_methods_and_indicators_to_classifiers():
    random = np.random.default_rng(0)
    y = random.choice(["yes", "no"], 120)
    frame = pd.DataFrame({
        "colour": np.where(y == "yes", random.choice(["red", "blue"], 120), random.choice(["green", "grey"], 120)),
        "noise": random.normal(size=120),
        "shape": random.choice(["round", "square"], 120),
    })  # fmt: skip
    found = compare("mrmr", frame, y, classifiers=["svm", "nb"], outer=3, inner=2)
    assert found.summary.tables[0].recommended.features[0].name == "colour"
    assert found.tables[0].methods[0].errors("svm")[:, 0].max() == 0.0


def test_sparse_tables_and_streams_and_the_true_columns(tmp_path):
    random = np.random.default_rng(0)
    y = np.repeat([0, 1], 40)
    X = random.poisson(0.3, (80, 30)).astype(float)
    X[:, [3, 7]] += 2 * y[:, None]
    found = compare("fisher-score", sparse.csr_array(X), y, **FAST, truth=[3, 7])
    truth = found.summary.tables[0].methods[0].truth
    known = {"precision": truth.precision, "recall": truth.recall}
    assert truth == TruthRanking(auc=1.0, one=1.0, all=1.0, n_true=2, curve=[(0, 0), (0, 1), (1, 1)], **known)
    frame = pd.DataFrame(X, columns=[f"c{j}" for j in range(30)]).assign(label=y)
    frame.to_csv(tmp_path / "t.csv", index=False)
    streamed = compare("fisher-score", scan(tmp_path / "t.csv", "label"), **FAST, truth=["c3", "c7"])
    assert streamed.tables[0].methods[0].trials[0]["path"] == found.tables[0].methods[0].trials[0]["path"]
    with pytest.raises(InvalidInput, match="class of each row is missing"):
        compare("fisher-score", X)
    with pytest.raises(InvalidParameter, match="truth names 'c99'"):
        compare("fisher-score", X, y, **FAST, truth=["c99"])
    for useless in ([], range(30)):
        with pytest.raises(InvalidParameter, match=r"truth names \d+ of the 30 columns"):
            compare("fisher-score", X, y, **FAST, truth=useless)


def test_true_columns_that_are_found_late_show_in_the_curve_the_words_and_the_table():
    random = np.random.default_rng(1)
    y = np.repeat([0, 1], 30)
    X = random.normal(size=(60, 20))
    X[:, [2, 5, 11]] += 0.6 * y[:, None]
    tables = {"known": (X, y), "unknown": load_iris(return_X_y=True)}
    found = compare(["fisher-score", "relieff"], tables, **FAST, truth={"known": [2, 5, 11]})
    for method in found.summary.tables[0].methods:
        curve = np.array(method.truth.curve)
        assert 3 < len(curve) <= 60
        assert curve[0].tolist() == [0, 0]
        assert curve[-1].tolist() == [1, 1]
        assert np.diff(curve, axis=0).min() >= 0
        area = np.sum(np.diff(curve[:, 0]) * (curve[1:, 1] + curve[:-1, 1]) / 2)
        assert_allclose(area, method.truth.auc, atol=1e-4)
        line = next(line for line in str(found).splitlines() if line.startswith(method.name))
        assert f"  {method.truth.auc:.2f}  " in line
        row = next(row for row in found.table if row["table"] == "known" and row["method"] == method.name)
        assert row["auc"] == method.truth.auc < 1
    assert str(found).count("AUC of truth") == 1
    assert all(row["auc"] is None for row in found.table if row["table"] == "unknown" or row["method"] == "chance")
    assert "Do the true columns come first?" in found.to_html()


def test_several_tables_are_ranked_together(wine):
    iris = load_iris(return_X_y=True)
    tables = {"wine": wine, "iris": iris, "half": (wine[0].iloc[::2], wine[1].iloc[::2])}
    found = compare(["mrmr", "fisher-score", FisherScore(printed=False, scale="std")], tables, **FAST)
    across = found.summary.across
    assert sorted(across.methods) == ["fisher-score", "fisher-score(scale=std)", "mrmr"]
    assert_allclose(sum(across.mean_ranks), 6)
    assert across.critical_difference > 0
    assert set(found.curves) == set(tables)
    assert found.tests["across"]["sentence"] in str(found)
    pairs = found.tests["across"]["pairs"]
    assert len(pairs) == 3
    # The differences are those of the errors that are ranked; three tables can show nothing.
    least = {
        (table.name, method.name): method.nested.error for table in found.summary.tables for method in table.methods
    }
    for pair in pairs:
        differences = [least[name, pair["a"]] - least[name, pair["b"]] for name in tables]
        assert_allclose(pair["difference"], np.mean(differences), atol=1e-12)
        assert pair["p_adjusted"] >= pair["p"] >= 0.25
        assert pair["sentence"].startswith("no significant difference between")
    assert "3 tables are too few" in across.pairs_sentence
    assert across.pairs_sentence in str(found)
    assert "Which two methods differ?" in found.to_html()


@pytest.mark.parametrize(
    ("n_tables", "gap", "says"),
    [
        (6, 0.1, "a errs 10 points less than b (mean of 6 tables, p = .03 after Holm)"),
        (5, 0.1, "5 tables are too few to call any two of the methods different (Wilcoxon after Holm: p cannot fall"),
        (9, 0.0, "no significant difference between any two methods (Wilcoxon over 9 tables, after Holm)"),
    ],
)
def test_two_methods_over_tables_in_one_sentence(n_tables, gap, says):
    errors = np.linspace(0.1, 0.3, n_tables)
    pairs, sentence = wilcoxon_pairs(np.column_stack([errors, errors + gap]), ["a", "b"])
    assert sentence.startswith(says)
    assert len(pairs) == 1


def test_pairs_that_differ_are_counted():
    errors = np.linspace(0.1, 0.3, 9)
    pairs, sentence = wilcoxon_pairs(np.column_stack([errors, errors, errors + 0.1]), ["a", "b", "c"])
    assert sentence.startswith("2 of 3 pairs of methods differ significantly")
    # Exact: 2 of 2^9 assignments of signs, times three pairs.
    assert_allclose([pair.p_adjusted for pair in pairs], [1, 6 / 512, 6 / 512])


def test_rho_is_the_share_of_sizes_at_which_one_errs_less(found):
    table = found.tables[0]
    methods = {method.name: method for method in table.methods}
    for pair in found.tests["pairs"]["table"]:
        a, b = (methods[pair[key]].errors(pair["classifier"]).mean(axis=0) for key in ("a", "b"))
        assert pair["rho"] == np.mean(b - a > 1e-12)
        assert pair["rho_back"] == np.mean(a - b > 1e-12)
    assert any(pair["rho"] + pair["rho_back"] < 1 for pair in found.tests["pairs"]["table"])


def test_leave_one_out_counts_rows_and_a_given_split_is_one():
    X, y = load_iris(return_X_y=True)
    found = compare("fisher-score", X[::5], y[::5], classifiers="nb", outer="loo", inner=3, sizes=[1, 2], leak=False)
    result = found.summary.tables[0].methods[0].results["nb"]
    assert len(found.tables[0].methods[0].trials) == 30
    assert result.low <= result.error < result.high
    assert result.optimism is None
    one = compare("fisher-score", X, y, classifiers="nb", outer=[(np.arange(0, 150, 2), np.arange(1, 150, 2))], inner=3)
    assert one.summary.tables[0].methods[0].stability is None
    assert one.summary.tables[0].pairs == []


def test_sizes_and_the_size_that_is_taken():
    assert to_sizes(None, 2000)[-1] == 100
    assert 12 <= len(to_sizes(None, 2000)) <= 15
    assert to_sizes(None, 4) == (1, 2, 3, 4)
    assert to_sizes([5, 2, 90], 30) == (2, 5, 30)
    errors = np.array([[0.5, 0.20, 0.12, 0.1], [0.5, 0.1, 0.12, 0.1], [0.5, 0.06, 0.12, 0.1]])
    assert chosen_index(errors, "min") == 3
    assert chosen_index(errors, "1se") == 3  # its spread is zero
    errors[:, 3] = [0.04, 0.1, 0.16]
    assert chosen_index(errors, "1se") == 1
    assert subsets_of({1: (4,), 3: (4, 5, 6)}, [1, 2, 5]) == [(4,), (4,), (4, 5, 6)]


@pytest.mark.parametrize(
    ("parameters", "says"),
    [
        ({"methods": "mrrm"}, "did you mean 'mrmr'"),
        ({"methods": "mrmr(criterio=quotient)"}, "did you mean 'criterion'"),
        ({"methods": "mrmr(criterion=quotient"}, "with parameters"),
        ({"methods": ["mrmr", "mrmr"]}, "named twice"),
        ({"methods": []}, "no methods"),
        ({"methods": [3]}, "a selector such as MRMR"),
        ({"classifiers": []}, "one or more"),
        ({"classifiers": ["nb", "nb"]}, "each named once"),
        ({"outer": "often"}, "outer must be"),
        ({"inner": 1}, "inner must be"),
        ({"rule": "best"}, "rule must be"),
        ({"scale": "unit"}, "scale must be"),
        ({"sizes": [0]}, "sizes must be"),
        ({"seed": -1}, "seed must be"),
    ],
)
def test_what_means_nothing_is_refused(parameters, says, wine):
    given = {"methods": ["mrmr"], **parameters}
    with pytest.raises(InvalidParameter, match=says):
        compare(given.pop("methods"), *wine, **given)


def test_tables_that_cannot_be_split_are_refused(wine):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(InvalidInput, match="single row"):
        compare("mrmr", X[:51], y[:51])
    with pytest.raises(InvalidInput, match="one class"):
        compare("mrmr", X[:50], y[:50])
    with pytest.raises(InvalidInput, match="cannot have weights"):
        compare("mrmr", scan(wine[0].assign(w=2.0, label=wine[1]), "label", weight="w"))
    with pytest.raises(InvalidParameter, match="leave out y"):
        compare("mrmr", {"a": (X, y)}, y)


def test_methods_are_named_by_what_they_were_told(wine):
    found = compare([MRMR(), MRMR("quotient"), "mrmr(discretize=width;n_bins=4)"], *wine, **{**FAST, "outer": 2})
    assert [m.name for m in found.tables[0].methods] == [
        "mrmr",
        "mrmr(criterion=quotient)",
        "mrmr(discretize=width, n_bins=4)",
    ]


def test_most_sizes_are_sizes_that_some_split_chose(found):
    table = found.tables[0]
    for method, summary in zip(table.methods, found.summary.tables[0].methods, strict=True):
        for name, result in summary.results.items():
            chosen = {table.sizes[i] for i in method.chosen(name)}
            assert {result.size_low, result.size_high} <= chosen
            assert result.size_low <= result.size <= result.size_high
