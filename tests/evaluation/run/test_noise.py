"""Tables of noise: the promised error is that of guessing, and noise is called noise."""

from __future__ import annotations

import json

import numpy as np
import pytest

from fewest import compare

OPTIONS = {"classifiers": ["nb", "knn", "svm"], "sizes": [1, 2, 4, 8, 16], "outer": 8, "inner": 3, "n_jobs": 1}


def noise(seed):
    """Two classes of equal size, and 50 columns drawn without a look at them."""
    n = (60, 80, 100)[seed % 3]
    return np.random.default_rng(seed).normal(size=(n, 50)), np.repeat([0, 1], n // 2)


@pytest.fixture(scope="module")
def comparisons():
    # All 40 seeds give the figures of docs/guide/honest_errors.md; ten are enough to see that nothing broke.
    return [compare(["mrmr", "fisher-score"], *noise(seed), leak=False, **OPTIONS) for seed in range(10)]


def test_the_promised_error_is_within_two_standard_errors_of_guessing(comparisons):
    for found in comparisons:
        table, losses = found.tables[0], found.recommendations["table"].run.losses
        error = losses.std(ddof=1) * np.sqrt(1 / len(losses) + table.n_test / table.n_train)
        assert abs(found.summary.tables[0].recommended.error - 0.5) <= 2 * error


def test_noise_is_called_noise_and_no_list_is_offered(comparisons):
    for found in comparisons:
        best = found.summary.tables[0].recommended
        assert not best.beats_guessing
        assert best.sentence.startswith("No features were found that beat guessing: ")
        assert (best.size, list(best.features), best.certificate) == (0, [], None)
        assert best.sentence in str(found)
        assert "best swap" not in str(found)
        answer = json.loads(found.to_json())["tables"][0]["answer"]["recommended"]
        assert (answer["features"], answer["size"], answer["beats_guessing"]) == ([], 0, False)
        assert found.tables[0].views is None
    page = comparisons[0].to_html().replace("\N{NO-BREAK SPACE}", " ")
    assert comparisons[0].summary.tables[0].recommended.sentence in page
    assert "Copy list" not in page


def test_a_signal_is_not_called_noise():
    for seed in range(3):
        X, y = noise(seed)
        X[:, :3] += 1.2 * y[:, None]
        best = compare(["mrmr", "fisher-score"], X, y, leak=False, **OPTIONS).summary.tables[0].recommended
        assert best.beats_guessing
        assert {"x0", "x1", "x2"} & {feature.name for feature in best.features}
