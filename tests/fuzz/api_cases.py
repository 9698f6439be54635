"""Cases that call every selector with nasty tables, labels, weights and parameters.

A case is a selector and an ordinary table, of which one or two things are nasty. Its numbers are the scores of the
selected columns, the value and the bound; a note that prints a number that is none counts as one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from fewest.constraints.constraint_parameters import NAMES as CONSTRAINTS
from fewest.selectors.registry import methods_by_name

from .cases import Case
from .nasty_tables import nasty_container, nasty_labels, nasty_values, nasty_weights, ordinary

#: Values that some parameter may have, and most may not.
ODD_PARAMETERS: tuple[Any, ...] = (
    None, True, False, np.True_, "auto", "", "x", "std", "nan", b"std", -1, 0, 1, 2, 3, 7, 0.0, -0.0, 0.5, 1.0, 1.5,
    np.nan, np.inf, -np.inf, 1e-320, 1e-300, 1e-8, 1e8, 1e300, 2**31, 2**31 - 1, 2**32, 2**63 - 1, 2**63, 2**64, 2**70,
    -(2**63), 10**400, np.int64(3), np.int8(2), np.uint64(2**63), np.float32(0.5), np.float64(np.nan), Fraction(1, 3),
    1j, [], [1], (), (1, 2), {}, {"a": 1}, object(), int, len, np.array([1, 2]), np.array([]), np.array(2),
    np.array([True, False]), np.array("std"), range(3), ["mrmr"], ["mrmr", "fisher-score"], ("x",),
)  # fmt: skip
#: They fit classifiers by the hundred.
SLOW = {"wrapper", "two-stage", "auto"}
#: Parameters that are often set to something that is allowed, so that more than refusals is tried.
COMMON: dict[str, tuple[Any, ...]] = {
    "n_features": ("auto", "fdr", 1, 2, 0.5, 1.0, 100, np.int32(2)),
    "scale": ("std", "range", "symmetric", None, "auto"),
    "cv": (2, 3, 40),
    "rule": ("1se", "min", "stable"),
    "scoring": ("error", "balanced-error", "macro-f1", "roc-auc", "log-loss", None),
    "random_state": (0, 1, 2**32 - 1, 2**32, 2**63, 2**70),
    "max_features": (1, 3, 2**40),
}

#: Values of the methods' own parameters that one or the other method allows: what is not the default is tried too.
OWN: dict[str, tuple[Any, ...]] = {
    "mode": ("forward", "backward", "floating", "individual", "exhaustive", "weights", "elimination", "cut"),
    "direction": ("backward", "floating", "exhaustive"),
    "degree": (2, 3),
    "gamma": (-0.5, 0.3, "auto"),
    "beta": (0.0, 0.01, -0.1, "auto", "null"),
    "kernel": ("homogeneous", "laplacian", "poly", "cosine"),
    "pair_weight": (0.1, 2.0),
    "keep_pairs": (True,),
    "regularization": (0.0, 0.9, "auto"),
    "form": ("ratio",),
    "ridge": (0.1,),
    "step": (2, 0.3),
    "criterion": ("quotient",),
    "redundancy_weight": (0.0, 0.5, 3.0),
    "density": ("parzen", "neighbors"),
    "width": ("scott", "silverman", 0.05, 2.0),
    "covariance": ("full",),
    "discretize": (None, "mean", "sigma", "width", "frequency"),
    "n_bins": (2, 9),
    "missing": ("pairwise",),
    "correction": (None,),
    "first": ("pair",),
    "balance": (False,),
    "printed": (True,),
    "metric": ("l2",),
    "n_neighbors": (1, 3, 100),
    "n_queries": (1, 5),
    "turf": (1, 0.2),
    "C": (0.01, 100.0, "auto"),
    "tau": (0.01, 10.0, "auto"),
    "loss": ("hinge",),
    "path": (True,),
    "theorem": (True,),
    "sample": (4, 12),
    "estimator": ("nb", "knn", "lda", "svm"),
    "keep": (0, [1], [0, 2], "x1", "*", [99]),
    "forbid": (0, [1, 2], "x0", "x*", [], "nothing*"),
    "column_groups": ([[0, 1]], {"a": [1, 2]}, [[0, 1], [1, 2]], {}),
    "at_most": ({(0, 1, 2): 1}, {"*": 2}, {0: 0}, {"*": 0}),
    "costs": ({"*": 1.0}, {0: 5.0, 1: 1e300}, {"*": 0.0}, [1.0]),
    "budget": (0.0, 2.0, 1e300),
    "cost_weight": (0.0, 0.1, 1e300),
    "level": (0.5, 1e-300),
    "control": ("by", "fwer"),
    "n_permutations": (1, 20),
}


def case(seed: int, number: int) -> Case:
    """The case of these numbers."""
    random = np.random.default_rng([seed, number])
    methods = methods_by_name()
    method = sorted(methods)[number % len(methods)]
    values, labels = ordinary(random)
    said = [method]
    X: Any = values
    y: Any = labels
    weights: Any = None
    parameters: dict[str, Any] = {}
    nasty = random.random(5) < (0.55, 0.3, 0.15, 0.2, 0.35)
    if nasty[0]:
        what, values = nasty_values(values, labels, random)
        X = values
        said.append(what)
    if nasty[1]:
        what, X = nasty_container(values, random)
        said.append(what)
    if nasty[2]:
        what, y = nasty_labels(labels, random)
        said.append(f"labels: {what}")
    if nasty[3]:
        what, weights = nasty_weights(len(labels), random)
        said.append(f"weights: {what}")
    if method in SLOW:
        parameters["cv"] = 2
    known = sorted(methods[method]().get_params(deep=False))
    if random.random() < 0.5:
        name = str(random.choice(sorted(set(COMMON) & set(known))))
        parameters[name] = COMMON[name][int(random.integers(len(COMMON[name])))]
    # By a generator of their own, so that all else remains what it was for the same numbers.
    own = np.random.default_rng([seed, number, 1])
    for name in sorted(set(OWN) & set(known)):
        if own.random() < (0.05 if name in CONSTRAINTS else 0.15):
            parameters[name] = OWN[name][int(own.integers(len(OWN[name])))]
    if nasty[4]:
        name = str(random.choice(known))
        value = ODD_PARAMETERS[int(random.integers(len(ODD_PARAMETERS)))]
        # Starting processes takes seconds.
        if name != "n_jobs" or not isinstance(value, int | np.integer) or value in (0, 1):
            parameters[name] = value
    if isinstance(parameters.get("n_features"), str) and parameters["n_features"] == "fdr" and random.random() < 0.7:
        parameters.setdefault("n_permutations", 20)
    said += [f"{name}={value!r:.40}" for name, value in parameters.items()]

    def run(folder: Path) -> Iterable[float | None]:
        selector = methods[method](**parameters)
        selector.fit(X, y, sample_weight=weights) if weights is not None else selector.fit(X, y)
        return _numbers(selector, X, values)

    return Case("; ".join(said), run)


def _numbers(selector: Any, X: Any, values: np.ndarray[Any, Any]) -> list[float | None]:
    """The numbers of the answer; NaN is none of them for a column that the method gives no score."""
    selection = selector.selection_
    chosen = selector.transform(X)
    assert chosen.shape[1] == selector.n_features_ == len(selection.indices) == selector.support_.sum()
    numbers: list[float | None] = [selection.value, selection.bound]
    is_scored = ~np.isnan(selector.scores_)
    numbers += [float(score) for score in selector.scores_[is_scored]]
    # A container may make a column constant that was not: fractions as integers, a matrix of stored zeros.
    seen = _as_numbers(X, values)
    # In the rows of a sample a column may have no value, and then no score.
    is_sampled = getattr(selector, "sample", None) is not None
    numbers += [
        None if np.isnan(score) and (is_sampled or not _varies(seen, i)) else score for i, score in _scores(selection)
    ]
    numbers += [float("nan") for note in selector.notes_ if re.search(r"\b(nan|inf)\b", note)]
    if hasattr(selector, "size_curve_"):
        numbers += [number for pair in selector.size_curve_.values() for number in pair]
    selection.to_json()
    if re.search(r"\b(nan|inf)\b", selection.certificate.words):
        numbers.append(float("nan"))
    if selector.name == "fisher-score":  # infinite where the classes do not vary, as its page says
        numbers = [None if number == np.inf else number for number in numbers]
    return numbers


def _scores(selection: Any) -> Iterable[tuple[int, float]]:
    return zip(selection.indices, selection.scores, strict=True)


def _as_numbers(X: Any, values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """What an array, a sparse matrix or a frame of numbers holds; the values that other containers were made from."""
    if sparse.issparse(X):
        return np.asarray(X.toarray(), dtype=float)
    if hasattr(X, "columns"):
        with suppress(TypeError, ValueError, AttributeError, OverflowError):  # no number, a huge one, or a lazy frame
            return np.asarray(X.to_numpy(), dtype=float)
    is_numeric = isinstance(X, np.ndarray) and X.ndim == 2 and X.dtype.kind in "iufb"
    return np.asarray(X, dtype=float) if is_numeric else values


def _varies(values: np.ndarray[Any, Any], column: int) -> bool:
    """Whether a column holds two numbers: methods that add columns one after the other give others no score."""
    if column >= values.shape[1]:
        return True
    known = values[~np.isnan(values[:, column]), column]
    return len(np.unique(known)) > 1
