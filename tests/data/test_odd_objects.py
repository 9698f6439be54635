"""Objects that raise when they are converted, hashed, compared or shown are refused by name, in one line."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from fewest import MRMR, FisherMarkov, check_data
from fewest.errors import FewestError


def raising(*methods, error=RuntimeError):
    """An object whose methods raise."""

    def refuse(self, *_):
        raise error("no")

    return type("Odd", (), {"__hash__": object.__hash__, **dict.fromkeys(methods, refuse)})()


ODD = {
    "__float__": raising("__float__"),
    "__float__ with ZeroDivisionError": raising("__float__", error=ZeroDivisionError),
    "__hash__": raising("__hash__"),
    "__hash__ with KeyError": raising("__hash__", error=KeyError),
    "__eq__": raising("__eq__", "__ne__"),
    "__repr__ and __str__": raising("__repr__", "__str__", "__float__"),
    "everything": raising("__float__", "__hash__", "__eq__", "__ne__", "__repr__", "__str__", "__lt__", "__array__"),
    "a signaling NaN": Decimal("sNaN"),
}


def column_with(odd, others):
    values = np.empty(12, dtype=object)
    values[:] = others
    values[4] = odd
    return values


@pytest.mark.parametrize("name", ODD)
@pytest.mark.parametrize("selector", [FisherMarkov(), MRMR(n_features=1)], ids=["FisherMarkov", "MRMR"])
@pytest.mark.parametrize("form", ["array", "frame"])
def test_in_a_column(name, selector, form):
    table = np.empty((12, 2), dtype=object)
    table[:, 0] = np.arange(12.0)
    table[:, 1] = column_with(ODD[name], np.arange(12.0).tolist())
    X = table if form == "array" else pd.DataFrame({"a": np.arange(12.0), "b": table[:, 1]})
    _answer_or_refusal(lambda: selector.fit(X, np.arange(12) % 2))
    _answer_or_refusal(lambda: check_data(X, np.arange(12) % 2))


@pytest.mark.parametrize("name", ODD)
@pytest.mark.parametrize("others", [["u", "v"] * 6, [0, 1] * 6], ids=["text", "numbers"])
@pytest.mark.parametrize("form", [lambda y: y, list, pd.Series], ids=["array", "list", "Series"])
def test_in_the_labels(name, others, form):
    y = form(column_with(ODD[name], others))
    _answer_or_refusal(lambda: FisherMarkov().fit(np.arange(24.0).reshape(12, 2), y))


@pytest.mark.parametrize("name", ["__float__", "everything", "a signaling NaN"])
def test_in_the_weights(name):
    weights = column_with(ODD[name], [1.0] * 12)
    with pytest.raises(FewestError, match=r"sample_weight must be"):
        FisherMarkov().fit(np.arange(24.0).reshape(12, 2), np.arange(12) % 2, sample_weight=weights)


def _answer_or_refusal(use):
    """Run it; any error but one of ours is a failure, and so is one that asks for a report."""
    said = ""
    try:
        use()
    except FewestError as error:
        said = str(error)
    assert "report it" not in said
