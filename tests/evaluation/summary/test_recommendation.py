"""The procedure: what it chooses in every split and on all rows, and that its error is the one that is promised."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_wine

from fewest import compare
from fewest.evaluation.procedure import Procedure, choose
from fewest.evaluation.results import MethodResult, MetricRecord, TableResult
from fewest.evaluation.summary.recommendation import recommend
from fewest.metrics import ErrorRate


def trial(wrong, inner, chosen):
    """A split with 10 test rows: how many are wrong at each size, the errors of the inner folds, and their choice."""
    confusion = [[[5, 0], [number, 5 - number]] for number in wrong]
    loss = [number / 10 for number in wrong]
    record = {"confusion": confusion, "loss": loss, "inner": inner, "chosen": chosen, "wrong": "0" * 10}
    seconds = {"select": 0.0, "classify": 0.0}
    return {"path": [[0], [0, 1]], "results": {"nb": record}, "leaked": None, "seconds": seconds}


def method(name, trials, inner, chosen):
    """A method with its splits, and what the inner folds of all rows say."""
    whole = {"path": [[0], [0, 1]], "choices": {"nb": {"inner": inner, "chosen": chosen}}}
    return MethodResult(name, {}, whole, tuple(trials))


def table(*methods):
    metric = MetricRecord.of(ErrorRate())
    return TableResult("t", 40, ("a", "b"), (20, 20), ("x", "y"), "", (1, 2), 30, 10, methods, (), metric, 0.5)


def test_the_least_inner_loss_is_chosen_then_fewer_features_then_the_first():
    assert choose([0.3, 0.1, 0.2], [1, 5, 1]) == 1
    assert choose([0.1, 0.1, 0.1 + 1e-15], [3, 2, 1]) == 2
    assert choose([0.2, 0.1, 0.1], [1, 2, 2]) == 1
    assert choose([np.nan, 0.1], [1, 1]) == 0


def test_the_error_is_that_of_choosing_inside_each_split_and_the_recommendation_that_of_all_rows():
    # In the first split the inner folds are for a (0.1 at size 1), in the second for b (0.0 at size 2): 4 and 3 of 10.
    found = recommend(
        table(
            method("a", [trial([4, 4], [0.1, 0.1], 0), trial([0, 0], [0.4, 0.4], 0)], [0.3, 0.3], 0),
            method("b", [trial([2, 1], [0.3, 0.2], 1), trial([5, 3], [0.2, 0.0], 1)], [0.2, 0.1], 1),
        ),
        ["nb"],
    )
    assert (found.method, found.classifier, found.columns) == ("b", "nb", (0, 1))
    assert found.run.pairs == (0, 1)
    assert found.run.subsets == ([0], [0, 1])
    assert_allclose(found.run.losses, [0.4, 0.3])
    assert_allclose(found.estimate.error, 0.35)
    assert found.run.confusion.tolist() == [[10, 0], [7, 3]]


def test_of_pairs_that_promise_the_same_fewer_features_are_taken_and_then_the_first():
    found = recommend(
        table(
            method("a", [trial([1, 2], [0.2, 0.1], 1), trial([0, 0], [0.1, 0.1], 0)], [0.1, 0.1], 1),
            method("b", [trial([3, 4], [0.1, 0.1], 0), trial([5, 5], [0.1, 0.1], 0)], [0.1, 0.1], 0),
        ),
        ["nb"],
    )
    assert_allclose(found.estimate.error, (0.3 + 0.0) / 2)
    assert (found.method, found.columns) == ("b", (0,))


def test_without_inner_folds_somewhere_the_first_named_is_evaluated_and_recommended():
    found = recommend(
        table(
            method("a", [trial([1], None, 0), trial([3], [0.5], 0)], [0.5], 0),
            method("b", [trial([2], [0.1], 0), trial([2], [0.1], 0)], [0.1], 0),
        ),
        ["nb"],
    )
    assert not found.procedure.is_choosing_inside
    assert found.method == "a"
    assert_allclose(found.run.losses, [0.1, 0.3])
    alone = recommend(table(method("a", [trial([1], None, 0)] * 2, None, 0)), ["nb"])
    assert alone.procedure.is_choosing_inside
    assert_allclose(alone.estimate.error, 0.1)
    assert recommend(table(MethodResult("a", {}, None, (), "it failed")), ["nb"]) is None


def test_guessing_is_beaten_where_the_whole_interval_is_below_chance():
    splits = [trial([wrong], [0.1], 0) for wrong in (2, 3, 2, 3, 2, 3)]
    assert recommend(table(method("a", splits, [0.1], 0)), ["nb"]).beats_guessing
    uncertain = [trial([wrong], [0.1], 0) for wrong in (0, 5, 1, 5, 0, 5)]
    found = recommend(table(method("a", uncertain, [0.1], 0)), ["nb"])
    assert found.estimate.error < 0.5 < found.estimate.high
    assert not found.beats_guessing


def test_with_few_splits_the_rows_of_one_test_set_make_the_interval():
    from fewest.evaluation.results import _wilson

    few = [trial([wrong], [0.1], 0) for wrong in (1, 0, 2)]
    found = recommend(table(method("a", few, [0.1], 0)), ["nb"])
    assert_allclose([found.estimate.low, found.estimate.high], _wilson(0.1, 10))


def test_on_noise_the_procedure_is_no_better_than_chance():
    errors, flattering = [], []
    for seed in range(6):
        random = np.random.default_rng(seed)
        X, y = random.normal(size=(40, 30)), np.repeat([0, 1], 20)
        methods = ["fisher-score", "max-relevance", "relieff"]
        best = compare(
            methods, X, y, classifiers=["nb", "knn", "discrete-nb"], sizes=[1, 4, 16], outer=8, inner=3, leak=False
        )
        found = best.summary.tables[0].recommended
        errors.append(found.error)
        results = [result for one in best.summary.tables[0].methods for result in one.results.values()]
        flattering.append(min(result.error for result in results))
        assert "among 9 pairs" in found.choice
        assert found.choice in str(best)
    assert abs(np.mean(errors) - 0.5) < 3 * np.std(errors, ddof=1) / np.sqrt(6)
    assert np.mean(flattering) < np.mean(errors) - 0.03


def test_with_one_size_there_are_inner_folds_only_where_a_method_or_classifier_is_chosen():
    random = np.random.default_rng(0)
    X, y = random.normal(size=(30, 8)), np.repeat([0, 1], 15)
    for methods, classifiers, n_pairs in (
        ("fisher-score", "nb", 1),
        ("fisher-score", ["nb", "knn"], 2),
        (["fisher-score", "relieff"], "nb", 2),
    ):
        found = compare(methods, X, y, classifiers=classifiers, sizes=3, outer=3, leak=False)
        is_judged = found.tables[0].methods[0].trials[0]["results"]["nb"]["inner"] is not None
        assert is_judged == (n_pairs > 1)
        choice = found.summary.tables[0].recommended.choice
        assert choice is None if n_pairs == 1 else "among 2 pairs" in choice and "includes" in choice


def test_where_splits_are_too_small_to_choose_inside_it_says_so():
    # Each class has two rows, one to learn from: inner folds would learn from one class.
    X, y = np.arange(8.0).reshape(4, 2), [0, 0, 1, 1]
    found = compare("fisher-score", X, y, classifiers=["nb", "knn"], sizes=1, outer=2, leak=False)
    assert "too few for inner folds" in found.summary.tables[0].recommended.choice


def test_what_is_proved_is_proved_of_the_features_recommended():
    random = np.random.default_rng(0)
    y = np.repeat([0, 1], 20)
    X = random.normal(size=(40, 12))
    X[:, :2] += 2 * y[:, None]
    found = compare("fisher-markov", X, y, classifiers="nb", outer=3, leak=False, size=2).summary.tables[0]
    assert found.recommended.certificate.words.startswith("proved optimal: no other 2 features have")
    assert found.methods[0].certificate.words.startswith("proved optimal: no other 12 features have")


def test_a_size_that_is_requested_is_the_one_that_is_evaluated():
    random = np.random.default_rng(1)
    y = np.repeat([0, 1], 30)
    X = random.normal(size=(60, 12)) + np.r_[2.0, 2.0, np.zeros(10)] * y[:, None]
    found = compare("fisher-score", X, y, classifiers="nb", sizes=[1, 4, 12], outer=4, leak=False, size=4)
    assert found.tables[0].methods[0].chosen("nb").tolist() == [1] * 4
    assert found.recommendations["table"].run.size_indices == (1,) * 4
    assert found.summary.tables[0].recommended.size == 4


def test_scores_that_are_only_an_order_are_not_drawn():
    random = np.random.default_rng(0)
    X, y = random.normal(size=(30, 8)), np.repeat([0, 1], 15)
    table = compare(["svm-rfe", "relieff"], X, y, classifiers="nb", outer=2, leak=False).summary.tables[0]
    by_order, by_score = table.methods
    assert by_order.column_scores is None
    assert len(by_score.column_scores) == 8


@pytest.fixture(scope="module")
def found():
    random = np.random.default_rng(2)
    y = np.repeat([0, 1], 40)
    X = random.normal(size=(80, 15)) + np.r_[1.5, 1.2, 1.0, np.zeros(12)] * y[:, None]
    return compare(
        ["fisher-score", "relieff"], X, y, classifiers=["nb", "knn"], outer=5, inner=3, sizes=[1, 2, 3, 6, 15]
    )


def test_each_method_alone_is_evaluated_by_the_same_rule(found):
    table = found.tables[0]
    for method, summary in zip(table.methods, found.summary.tables[0].methods, strict=True):
        run = Procedure.of(table, ["nb", "knn"], [method]).run()
        by_hand = []
        for split in method.trials:
            records = split["results"]
            best = min(
                ("nb", "knn"), key=lambda one: (records[one]["inner"][records[one]["chosen"]], records[one]["chosen"])
            )
            by_hand.append(records[best]["loss"][records[best]["chosen"]])
        assert_allclose(run.losses, by_hand)
        assert_allclose(summary.nested.error, np.mean(by_hand))


def test_all_features_have_their_classifier_chosen_by_the_same_rule(found):
    by_hand = []
    for record in found.tables[0].baselines:
        best = min(("nb", "knn"), key=lambda one: record["results"][one]["inner"])
        by_hand.append(record["results"][best]["loss"])
    whole = found.summary.tables[0].without_selection
    assert_allclose(whole.error, np.mean(by_hand))
    assert_allclose(whole.difference, whole.error - found.summary.tables[0].recommended.error)


def test_headline_table_json_text_and_page_show_the_same_figures(found):
    import json

    table = found.summary.tables[0]
    best, metric = table.recommended, table.metric
    error, whole = metric.text(best.error), metric.text(table.without_selection.error)
    assert f"with {error} error" in best.sentence
    assert whole in best.sentence
    rows = {(row["method"], row["classifier"]): row for row in found.table}
    assert rows["recommended", "inner folds"]["error"] == best.error
    assert rows["all features", "inner folds"]["error"] == table.without_selection.error
    assert rows["chance", None]["error"] == table.chance_error
    answer = json.loads(found.to_json())["tables"][0]["answer"]
    assert answer["recommended"]["error"] == best.error
    assert answer["recommended"]["sentence"] == best.sentence
    assert [one["name"] for one in answer["recommended"]["features"]] == [one.name for one in best.features]
    assert answer["all_features"]["error"] == table.without_selection.error
    assert answer["guessing"] == table.chance_error
    lines = str(found).splitlines()
    assert best.sentence in lines
    by_start = {line.split("  ")[0]: line for line in lines if "  " in line}
    assert error in by_start["chosen inside"]
    assert whole in by_start["all features"]
    for method in table.methods:
        assert metric.text(method.nested.error) in by_start[method.name]
    assert table.leak.honest == best.error
    page = found.to_html().replace("\N{NO-BREAK SPACE}", " ")
    assert best.sentence in page


def test_positions_in_an_order_are_not_given_as_scores():
    X, y = load_wine(return_X_y=True)
    options = {"classifiers": ["nb"], "outer": 2, "inner": 2, "leak": False, "sizes": [2, 4], "n_jobs": 1}
    ordered, scored = (compare(method, X, y, **options).summary.tables[0] for method in ("svm-rfe", "svm-weights"))
    assert {feature.score for feature in ordered.recommended.features} == {None}
    assert ordered.methods[0].column_scores is None
    assert None not in {feature.score for feature in scored.recommended.features}
