"""The five papers by name, in the order in which they are listed."""

from __future__ import annotations

from importlib import import_module

from fewest.errors import InvalidInput, did_you_mean
from fewest.papers.declarations import Paper

#: By the name on the command line, the module that declares the paper.
_MODULES = {
    "fisher-markov": "fisher_markov",
    "kernel-separability": "kernel_separability",
    "mrmr": "mrmr",
    "bayes-error": "bayes_error",
    "mkl": "mkl",
}


def all_papers() -> tuple[Paper, ...]:
    """The five papers."""
    return tuple(paper_by_name(name) for name in _MODULES)


def paper_by_name(name: str) -> Paper:
    """The paper of this name; an underscore may stand for the hyphen."""
    module = _MODULES.get(name.replace("_", "-").lower())
    if module is None:
        known = ", ".join(_MODULES)
        raise InvalidInput(f"There is no paper {name!r}{did_you_mean(name, _MODULES)}. The papers are {known}, or all.")
    found: Paper = import_module(f"fewest.papers.{module}").PAPER
    return found
