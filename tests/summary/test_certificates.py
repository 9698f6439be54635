"""Certificates: what is proved, of which problem, by what."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from fewest import Certificate, FisherMarkov, NonMonotonicMKL, Wrapper
from fewest.selection import NestedPath, Provenance, Selection
from fewest.summary.certificates import certificate_of

PROVENANCE = Provenance(
    "fisher-markov", {"gamma": 0.0}, "0.1.0", 4, 3, {"a": 2, "b": 2}, "abc", 0.1, objective="the scatter"
)
PROVED = Selection(
    (2, 0), (3.0, 1.5), ("x2", "x0"), NestedPath((2, 0)), value=4.5, bound=4.5, is_optimal=True,
    proved_by="minimum cuts", tolerance=2e-12, provenance=PROVENANCE,
)  # fmt: skip


def test_it_prints_as_the_sentence_and_has_the_numbers():
    found = PROVED.certificate
    assert str(found) == found.words == "proved optimal: no other 2 features have a larger total (4.5)"
    assert (found.status, found.value, found.bound, found.gap, found.tolerance) == ("optimal", 4.5, 4.5, 0.0, 2e-12)
    assert found.problem == "the scatter: the largest over all subsets of 2 of 3 columns"
    assert found.numbers == "by minimum cuts: value 4.5, bound 4.5, rounding at most 2e-12"


@pytest.mark.parametrize(
    ("changes", "status", "numbers"),
    [
        (dict(bound=5.0, is_optimal=False), "within-gap", "by minimum cuts: value 4.5, bound 5, gap 11 %"),
        (dict(bound=50.0, is_optimal=False), "not-proved", "by minimum cuts: value 4.5, bound 50, gap 1,011 %"),
        (dict(value=0.0, bound=50.0, is_optimal=False), "not-proved", "by minimum cuts: value 0, bound 50"),
        (dict(bound=None, is_optimal=False, proved_by=""), "not-proved", ""),
        (dict(value=None, bound=None, is_optimal=None, proved_by=""), "no-objective", ""),
    ],
)
def test_it_says_how_much_is_proved(changes, status, numbers):
    found = replace(PROVED, **changes).certificate
    assert (found.status, found.numbers) == (status, numbers)
    assert Certificate.from_dict(found.to_dict()) == found


def test_the_problem_names_threshold_columns_left_out_and_sense():
    assert replace(PROVED, beta=0.5).certificate.problem == (
        "the scatter, less 0.5 for every feature: the largest over all subsets of any number of 3 columns"
    )
    fewer = replace(PROVED, sense="min", provenance=replace(PROVENANCE, left_out=("id", "day"), objective=""))
    assert fewer.certificate.problem == (
        "the objective of fisher-markov: the smallest over all subsets of 2 of 3 columns (without 'id', 'day')"
    )
    assert replace(PROVED, provenance=None).certificate.problem.endswith("over all subsets of 2 of the columns")
    assert replace(PROVED, value=None, bound=None, is_optimal=None).certificate.problem == "none: 3 columns are ranked"


def test_constraints_are_part_of_the_problem_and_of_the_sentence():
    parameters = {
        "keep": "['age']", "forbid": "('zip*',)", "costs": "{" + "'a': 1.0, " * 20 + "}", "budget": 7,
        "at_most": None, "column_groups": "{}", "cost_weight": None,
    }  # fmt: skip
    found = replace(PROVED, provenance=replace(PROVENANCE, parameters=parameters)).certificate
    assert found.words.startswith(f"{PROVED.certificate.words}; under the constraints: 'age' kept, 'zip*' left out")
    assert "a budget of 7" in found.problem
    assert "at most" not in found.problem.replace("rounding at most", "")
    assert max(map(len, found.problem.split(", under "))) < 250


def test_numbers_that_json_lacks_are_texts():
    odd = Certificate("not-proved", "", "", "", math.inf, -math.inf, None, None)
    assert odd.to_dict()["value"] == "inf"
    assert Certificate.from_dict(odd.to_dict()) == odd


@pytest.mark.parametrize(
    ("selector", "proved_by"),
    [
        (FisherMarkov(n_features=2), "ranking of an additive objective"),
        (FisherMarkov(degree=2, beta=0.05), "minimum cuts"),
        (FisherMarkov(degree=3, beta=0.05), "minimum cuts"),
        (NonMonotonicMKL(n_features=2), "a relaxed program, with kernel weights between 0 and 1"),
        (Wrapper("nb", direction="exhaustive", n_features=1, cv=3), "evaluation of all subsets"),
    ],
)
def test_every_search_says_where_its_bound_comes_from(selector, proved_by):
    draw = np.random.default_rng(0)
    X = draw.normal(size=(40, 5))
    y = (X[:, 1] + X[:, 3] > 0).astype(int)
    selection = selector.fit(X, y).selection_
    assert selection.certificate.proved_by == proved_by
    assert selection.certificate.tolerance >= 0
    assert selection.provenance.objective in selection.certificate.problem
    assert certificate_of(selection) == selection.certificate


def test_roof_duality_is_named_where_it_gives_the_bound():
    draw = np.random.default_rng(1)
    found = set()
    for _ in range(20):
        X = draw.normal(size=(30, 7)) * draw.uniform(0.2, 2, 7)
        fitted = FisherMarkov(degree=2, gamma=0.4, n_features=3).fit(X, np.arange(30) % 2)
        found.add(fitted.selection_.proved_by)
    assert "roof duality" in found


def test_a_threshold_on_scores_of_columns_is_part_of_what_is_proved():
    X = np.array([[0.0, 1, 5], [0, 2, 3], [4, 1, 4], [4, 2, 6]])
    found = FisherMarkov(beta=0.5).fit(X, [0, 0, 1, 1]).selection_
    assert found.beta == 0.5
    # theta of the first column is 1, the whole of its variance; that of the others is below a half.
    assert (found.indices, found.value) == ((0,), pytest.approx(0.5))
    assert str(found.certificate).startswith("proved optimal for beta = 0.5: no subset of any size")
