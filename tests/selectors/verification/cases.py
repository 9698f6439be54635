"""Honest selections of every selector that proves something, on small random tables, and ways to tamper with them."""

from __future__ import annotations

import copy
import json
import warnings

import numpy as np
import pandas as pd

from fewest import (
    FeatureSelector,
    FewestWarning,
    FisherMarkov,
    KernelAlignment,
    KernelSeparability,
    KernelTraceSelector,
    NonMonotonicMKL,
    Selection,
    Wrapper,
)
from fewest.atomic_files import checksum_of
from fewest.criteria import BayesError, ScatterTrace, SvmMargin
from fewest.searches import Exhaustive, MinimumCut
from fewest.selectors.adapters.without_columns import WithoutColumns

#: Each is given a number of features and a threshold.
PROVING = [
    lambda k, b: FisherMarkov(n_features=k),
    lambda k, b: FisherMarkov(beta=b),
    lambda k, b: FisherMarkov(degree=2, n_features=k),
    lambda k, b: FisherMarkov(degree=2, beta=b),
    lambda k, b: FisherMarkov(degree=2, gamma=-0.5, n_features=k),
    lambda k, b: FisherMarkov(degree=2, gamma=0.4, n_features=k),
    lambda k, b: FisherMarkov(degree=2, gamma=0.4, beta=b / 50),
    lambda k, b: FisherMarkov(degree=3, n_features=k),
    lambda k, b: FisherMarkov(degree=3, beta=b, kernel="homogeneous"),
    lambda k, b: FisherMarkov(degree=3, gamma=0.3, n_features=k),
    lambda k, b: FisherMarkov(degree=3, gamma=0.3, beta=b / 50),
    lambda k, b: KernelTraceSelector(mode="exhaustive", n_features=k),
    lambda k, b: KernelTraceSelector(mode="exhaustive", beta=b / 500),
    lambda k, b: KernelSeparability(mode="exhaustive", n_features=k),
    lambda k, b: KernelAlignment(mode="exhaustive", n_features=k),
    lambda k, b: NonMonotonicMKL(n_features=k),
    lambda k, b: NonMonotonicMKL(n_features=k, path=True),
    lambda k, b: Wrapper("nb", direction="exhaustive", n_features=min(k, 2), cv=3),
    lambda k, b: FeatureSelector(BayesError(), Exhaustive(), n_features=k),
    lambda k, b: FeatureSelector(SvmMargin(), Exhaustive(path=True), n_features=k),
    lambda k, b: FeatureSelector(ScatterTrace(degree=2), Exhaustive(beta=b)),
    lambda k, b: FeatureSelector(ScatterTrace(gamma=0.4, degree=2), MinimumCut(beta=b / 50)),
]
#: They take complete columns of numbers only.
COMPLETE = (BayesError, KernelAlignment, KernelSeparability, KernelTraceSelector)


def honest_case(number):
    """The table, its labels, and the selection of a selector that proves something, by the number of the case."""
    draw = np.random.default_rng([2026, number])
    n_rows, n_columns, n_classes = int(draw.integers(24, 60)), int(draw.integers(5, 8)), int(draw.integers(2, 4))
    codes = draw.permutation(np.arange(n_rows) % n_classes)
    values = draw.normal(size=(n_rows, n_columns)).round(3)
    values[:, 0] += codes
    values[:, 1] *= 1 + codes
    table = pd.DataFrame(values).add_prefix("c")
    selector = PROVING[number % len(PROVING)](int(draw.integers(1, 4)), float(draw.uniform(0.02, 0.2)))
    kind = getattr(selector, "criterion", selector)
    if draw.random() < 0.3:
        table["c2"] = table["c3"]  # ties
    if draw.random() < 0.3 and not isinstance(kind, COMPLETE):
        table.loc[draw.random(n_rows) < 0.2, "c4"] = np.nan
    if draw.random() < 0.3:
        table.insert(2, "colour", draw.choice(["red", "green", "blue"], n_rows))
    left_out = ("c3",) if draw.random() < 0.3 else ()
    labels = np.array(["u", "v", "w"])[codes]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FewestWarning)
        fitted = (WithoutColumns(selector, left_out) if left_out else selector).fit(table, labels)
    return table, labels, fitted.selection_


def _other(content, n_columns):
    """A column that was not selected; StopIteration where there is none."""
    return next(column for column in range(n_columns) if column not in content["indices"])


def _rename(content, names):
    if not content["features"]:
        return False
    content["features"][0] = names[_other(content, len(names))]
    return True


def _another_subset(content, names):
    if not content["indices"]:
        return False
    old, new = content["indices"][0], _other(content, len(names))
    content["indices"][0], content["features"][0] = new, names[new]
    for subset in [content["path"].get("nested", []), *content["path"].get("subsets", {}).values()]:
        if new not in subset:
            subset[:] = [new if column == old else column for column in subset]
    return True


def _one_index(content, names):
    if not content["indices"]:
        return False
    content["indices"][-1] = _other(content, len(names))
    return True


def _one_more(content, names):
    new = _other(content, len(names))
    content["indices"].append(new)
    content["features"].append(names[new])
    content["scores"].append(0.0)
    return True


def _order(content, names):
    if len(content["indices"]) < 2:
        return False
    for field in ("indices", "features", "scores"):
        content[field].reverse()
    return True


def _score(content, names):
    numbers = [place for place, score in enumerate(content["scores"]) if isinstance(score, float) and abs(score) > 1e-3]
    if not numbers:
        return False
    content["scores"][numbers[0]] *= 1.001
    return True


def _number(field, change):
    def tamper(content, names):
        if content[field] is None:
            return False
        content[field] = change(content[field])
        return True

    return tamper


def _claim_optimum(content, names):
    if content["is_optimal"] is not False:
        return False
    content["is_optimal"], content["bound"] = True, content["value"]
    return True


def _weaker(content, names):
    content["bound"] += (0.5 if content["sense"] == "max" else -0.5) * (abs(content["value"]) + 1)
    content["is_optimal"] = False
    return True


def _better_value(content, names):
    gain = 0.01 * (abs(content["value"]) + 1)
    for field in ("value", "bound"):
        content[field] += gain if content["sense"] == "max" else -gain
    return True


def _path(content, names):
    nested = content["path"].get("nested")
    if nested:
        nested[-1] = _other({"indices": nested}, len(names))
        return True
    subsets = content["path"].get("subsets")
    if not subsets:
        return False
    subset = next(iter(subsets.values()))
    subset[0] = _other({"indices": subset}, len(names))
    return True


def _breakpoint(position):
    def tamper(content, names):
        if not content["breakpoints"]:
            return False
        point = content["breakpoints"][0]
        point[position] = point[position] * 1.01 if position == 0 else point[position] + 1
        return True

    return tamper


def _proved(field):
    def tamper(content, names):
        listed = content[field]
        if listed:
            listed.pop()
        else:
            listed.append(0)
        return True

    return tamper


def _parameter(content, names):
    parameters = content["provenance"]["parameters"]
    for name in ("n_features", "beta"):
        if parameters.get(name) is not None:
            # Fewer or more: the answer is another, or at least the value after costs.
            parameters[name] = parameters[name] + 1 if name == "n_features" else parameters[name] * 0.9
            return True
    return False


def _search(content, names):
    parameters = content["provenance"]["parameters"]
    if "search" not in parameters:
        return False
    parameters["search"] = "IndividualRanking(beta=None, level=0.05)"
    return True


def _method(content, names):
    is_lfs = content["provenance"]["method"] == "fisher-markov" and content["provenance"]["parameters"]["degree"] == 1
    content["provenance"]["method"] = "fisher-score" if is_lfs else "mrmr"
    return True


def _provenance(field, change):
    def tamper(content, names):
        content["provenance"][field] = change(content["provenance"][field])
        return True

    return tamper


def _class_count(counts):
    (first, n_first), (second, n_second), *others = counts.items()
    return {first: n_first + 1, second: n_second - 1, **dict(others)}


#: What each does to the content of a file; it returns whether it could.
TAMPERING = {
    "features": _rename,
    "indices": _one_index,
    "features and indices": _another_subset,
    "one feature more": _one_more,
    "order": _order,
    "scores": _score,
    "value": _number("value", lambda value: value * 1.001 + 1e-3),
    "bound": _number("bound", lambda bound: bound * 0.999 - 1e-3),
    "is_optimal": _number("is_optimal", lambda is_optimal: not is_optimal),
    "is_optimal and bound": _claim_optimum,
    "a weaker bound": _weaker,
    "value and bound": _better_value,
    "sense": _number("sense", lambda sense: "min" if sense == "max" else "max"),
    "beta": _number("beta", lambda beta: beta * 0.99),
    "tolerance": _number("tolerance", lambda tolerance: 1e3 * tolerance + 1e-3),
    "proved_by": _number("proved_by", lambda words: "divine revelation"),
    "path": _path,
    "breakpoints: beta": _breakpoint(0),
    "breakpoints: size": _breakpoint(1),
    "proved_in": _proved("proved_in"),
    "proved_out": _proved("proved_out"),
    "parameters": _parameter,
    "search": _search,
    "method": _method,
    "fingerprint": _provenance("fingerprint", lambda text: text[::-1]),
    "rows": _provenance("n_rows", lambda n_rows: n_rows + 1),
    "classes": _provenance("class_counts", _class_count),
    "columns": _provenance("n_columns", lambda n_columns: n_columns - 1),
    "left_out": _provenance("left_out", lambda names: [] if names else ["c1"]),
    "objective": _provenance("objective", lambda words: "the error on new rows"),
    "notes": _provenance("notes", lambda notes: [*notes, "proved by hand"]),
}


def tampered(text, what, names):
    """The text of a selection with one thing changed and the checksum of the change; None where it cannot be.

    The certificate is left out: it would contradict the numbers, and be refused on reading.
    """
    content = copy.deepcopy(json.loads(text))
    del content["checksum"], content["certificate"]
    before = json.dumps(content)
    try:
        is_done = TAMPERING[what](content, names)
    except StopIteration:
        return None
    if not is_done or json.dumps(content) == before:
        return None
    return json.dumps({**content, "checksum": checksum_of(content)})


def outcome(text, table, labels):
    """What becomes of a stored selection: accepted, rejected, or refused with an error."""
    from fewest import FewestError

    try:
        found = Selection.from_json(text).verify(table, labels)
    except FewestError as error:
        return "refused", str(error)
    return ("accepted" if found else "rejected"), str(found)
