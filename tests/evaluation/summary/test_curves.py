"""What is known at every number of features."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.metrics import balanced_accuracy_score, f1_score

from fewest import compare

OPTIONS = {"classifiers": ["nb", "knn"], "outer": 3, "inner": 2, "sizes": [1, 3, 6], "n_jobs": 1}


@pytest.fixture(scope="module")
def found():
    X, y = load_wine(return_X_y=True)
    noise = np.random.default_rng(0).normal(size=(len(y), 30))
    return compare(["fisher-score", "mrmr"], np.column_stack([X[:, :3], noise]), y, **OPTIONS)


def test_measures_at_every_size_are_those_of_scikit_learn(found):
    table = found.tables[0]
    for method in table.methods:
        for classifier in ("nb", "knn"):
            curve = found.curves["table"][method.name][classifier]
            for index, point in enumerate(curve):
                counts = method.confusions(classifier)[:, index].sum(axis=0)
                truth, predicted = (np.repeat(axis.ravel(), counts.ravel()) for axis in np.indices(counts.shape))
                assert point["size"] == table.sizes[index]
                assert point["error"] == pytest.approx(np.mean(truth != predicted))
                assert point["balanced_error"] == pytest.approx(1 - balanced_accuracy_score(truth, predicted))
                assert point["macro_f1"] == pytest.approx(f1_score(truth, predicted, average="macro"))
                assert point["micro_f1"] == pytest.approx(f1_score(truth, predicted, average="micro"))


def test_leaked_errors_at_every_size_are_those_of_features_selected_on_all_rows(found):
    for method in found.tables[0].methods:
        leaked = [trial["leaked"]["nb"]["loss"] for trial in method.trials]
        points = found.curves["table"][method.name]["nb"]
        assert [point["leaked_error"] for point in points] == pytest.approx(np.mean(leaked, axis=0).tolist())
    # Three true columns among noise, selected on all rows: somewhere a leak promises something else.
    errors = [(p["error"], p["leaked_error"]) for m in found.curves["table"].values() for p in m["nb"]]
    assert any(error != leaked for error, leaked in errors)


def test_without_a_leak_there_is_none_and_the_page_has_the_measures(found):
    page = found.to_html()
    assert "Other measures of" in page
    assert "Error promised by a leak" in page
    X, y = load_wine(return_X_y=True)
    plain = compare("fisher-score", X, y, leak=False, **OPTIONS)
    assert {point["leaked_error"] for point in plain.curves["table"]["fisher-score"]["nb"]} == {None}
    assert "promised by a leak" not in plain.to_html()
