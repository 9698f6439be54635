"""Real comparisons, run once per session, and variations of their summaries."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from functools import cache

import numpy as np
import pandas as pd
from sklearn.datasets import load_digits

from fewest import compare
from fewest.summary import MethodSummary

HOSTILE = "<img src=x onerror=alert(1)>"
STRANGE_NAMES = (
    HOSTILE,
    "</script><script>alert(2)</script>",
    "a \"quoted\" & 'named' gene",
    "x\u2028y",
    "基因表达",
    "\u202eabc",
)
METHODS = ("mrmr", "relieff", "fisher-markov", "kernel-separability", "svm-rfe")
SIZES = (1, 2, 3, 5, 7, 9, 15, 30)
COMMAND = "fewest compare colon.npz --methods mrmr,relieff,fisher-markov --report report.html"
FAILED = MethodSummary("max-dependency", {"n_bins": 3}, "it needs 2 rows <b>of</b> every class, and there is one", 0.0)


@cache
def summary():
    """One table of 30 columns; the nine that separate the classes, six of them with strange names, are recommended."""
    random = np.random.default_rng(0)
    codes = np.repeat([0, 1], 31)
    X = random.normal(size=(62, 30))
    X[:, :9] += np.linspace(1.6, 0.8, 9) * codes[:, None]
    frame = pd.DataFrame(X, columns=[*STRANGE_NAMES, *(f"H{i:05d}" for i in range(24))])
    tables = {"colon": (frame, np.array(["normal", "tumour <i>"])[codes])}
    found = compare(
        METHODS, tables, classifiers=["svm", "knn", "nb"], sizes=SIZES, size=9, outer=4, inner=2, n_jobs=1,
        truth=range(9),
    )  # fmt: skip
    return found.made_by(COMMAND).summary


@cache
def several():
    """Three tables, two of them with ten classes."""
    digits = load_digits(as_frame=True)
    X, y = digits.data.loc[:, digits.data.std() > 0], digits.target
    few = y < 2
    tables = {
        "digits <b>8x8</b>": (X[::6], y[::6]),
        "halves": (X[3::6], y[3::6]),
        "zero & one": (X[few][:90], y[few][:90]),
    }
    return compare(
        ["mrmr", "relieff", "fisher-score"], tables, classifiers=["nb", "knn"], sizes=[1, 2, 5, 12], outer=3, inner=2,
        n_jobs=1,
    ).summary  # fmt: skip


def with_table(content, **changes):
    """The summary with changes of its first table."""
    return replace(content, tables=[replace(content.tables[0], **changes), *content.tables[1:]])


def without_truth(content=None):
    """The summary with no columns known to be relevant."""
    content = content or summary()
    return with_table(content, methods=[replace(method, truth=None) for method in content.tables[0].methods])


def with_failed(content=None):
    """The summary with a method that failed."""
    content = content or summary()
    return with_table(content, methods=[*content.tables[0].methods, FAILED])


def renamed(content, name_of, text=None, kept=("classifier", "rule", "severity", "kind")):
    """The summary with every name replaced, and all other texts where one is given.

    name_of : maps the names of features, classes, methods and tables
    """
    if is_dataclass(content):
        parts = {
            part.name: renamed(getattr(content, part.name), name_of, text, kept)
            for part in fields(content)
            if part.name not in kept
        }
        return replace(content, **parts)
    if isinstance(content, str):
        return name_of.get(content, content if text is None else text)
    if isinstance(content, Mapping):
        return {key: renamed(value, name_of, text, kept) for key, value in content.items()}
    if isinstance(content, list | tuple):
        return type(content)(renamed(value, name_of, text, kept) for value in content)
    return content


def names_in(content):
    """All names of features, classes, methods and tables, each once."""
    found = {}
    for table in content.tables:
        found |= dict.fromkeys([table.name, *(one.name for one in table.classes)])
        for method in table.methods:
            found |= dict.fromkeys([method.name, *(one.feature for one in method.frequencies)])
        found |= dict.fromkeys(one.name for one in table.recommended.features)
    return list(found)
