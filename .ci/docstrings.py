"""Validate the docstrings of all public names with numpydoc; print what fails, and exit with 1 if anything does.

Public are the names of fewest, its criteria, searches, data sets and statistics, and the methods and properties that
users call of what fewest and its data sets export.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterator
from types import ModuleType

from numpydoc.docscrape import get_doc_object
from numpydoc.validate import ERROR_MSGS, validate

import fewest
from fewest import criteria, datasets, searches, statistics
from fewest.selectors.selector import Selector

MODULES: tuple[ModuleType, ...] = (fewest, criteria, searches, datasets, statistics)
#: All of numpydoc's checks, but for an extended summary: one sentence is often enough.
CHECKS = set(ERROR_MSGS) - {"ES01"}
#: Of a method: the class has the examples, and names what is related.
OF_CLASSES = {"EX01", "SA01"}
#: Methods that other modules of fewest call, and users do not.
INTERNAL = {
    "Certificate": {"check"},
    "Comparison": {"made_by", "with_views"},
    "Selection": {"among_all", "by_column", "described"},
    "SplitColumn": {"name_in", "read"},
}
INTERNAL_OF_SELECTORS = {"sentence"}
#: Takes sample_weight as one of **named, so that scikit-learn does not believe in weights.
NOT_AS_SIGNED = {"NeighbourSelector.fit"}
#: Names that no paper stands behind: textbook sums, and what belongs to fewest.
WITHOUT_PAPER = {
    "Certificate", "Comparison", "DataCheck", "FeatureSelector", "FewestError", "FewestWarning", "Selection",
    "SplitColumn", "Verification", "check_data", "scan", "verify", "Dataset", "load", "names",
    "GreedyForward", "GreedyBackward", "StoppingRule", "WeightAscent", "WeightElimination",
    "ClassMoments", "Folded", "PairMoments", "Rows", "StratifiedRows",
}  # fmt: skip
#: Proceedings whose papers have no DOI.
PROCEEDINGS = ("ICML", "NIPS")


def public_names() -> Iterator[tuple[str, object]]:
    """Yield each public name with its module, and the object; of a method its class, and only once."""
    seen: set[str] = set()
    for module in MODULES:
        for name in module.__all__:
            found = getattr(module, name)
            yield f"{module.__name__}.{name}", found
            if inspect.isclass(found) and module in (fewest, datasets):
                hidden = INTERNAL.get(name, INTERNAL_OF_SELECTORS if issubclass(found, Selector) else set())
                for method, function in _own_members(found):
                    if method not in hidden and function.__qualname__ not in seen:
                        seen.add(function.__qualname__)
                        if function.__qualname__ not in NOT_AS_SIGNED:
                            yield f"{module.__name__}.{name}.{method}", found


def _own_members(kind: type) -> Iterator[tuple[str, object]]:
    """Methods and properties of a class that are written in fewest; scikit-learn documents its own."""
    for name, member in inspect.getmembers_static(kind):
        function = getattr(member, "fget", None) or getattr(member, "func", None) or getattr(member, "fn", None)
        function = inspect.unwrap(function or getattr(member, "__func__", member))
        if not name.startswith("_") and inspect.isfunction(function) and function.__module__.startswith("fewest"):
            yield name, function


def failures(name: str, found: object) -> list[str]:
    """Return what is wrong with the docstring of a public name."""
    is_method = not name.endswith(f".{getattr(found, '__name__', '')}")
    checks = CHECKS - OF_CLASSES if is_method else CHECKS
    failed = [f"{code} {message}" for code, message in validate(name)["errors"] if code in checks]
    if is_method:
        return failed
    doc = get_doc_object(found)
    if isinstance(found, type) and issubclass(found, Selector) and not doc["Attributes"]:
        failed.append("a selector without Attributes")
    elsewhere = any("reference" in " ".join(text) for _, text in doc["See Also"])
    if not doc["References"] and not elsewhere and name.rpartition(".")[2] not in WITHOUT_PAPER:
        failed.append("no References, and no See Also that names where they are")
    if doc["References"] and not re.search("https://|" + "|".join(PROCEEDINGS), " ".join(doc["References"])):
        failed.append("References without a DOI or another address")
    return failed


def main() -> int:
    """Return 1 if any public name fails a check."""
    n_failed = 0
    for name, found in public_names():
        failed = failures(name, found)
        n_failed += bool(failed)
        for failure in failed:
            print(f"{name}: {failure}")
    print(f"{n_failed} public name(s) with docstrings that numpydoc rejects")
    return int(n_failed > 0)


if __name__ == "__main__":
    sys.exit(main())
