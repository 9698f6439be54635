"""The selector that a guarantee is about: given as it is, or by name."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
from sklearn.base import clone

from fewest.constraints.constraint_parameters import NAMES as CONSTRAINTS
from fewest.data.source import Source
from fewest.errors import FewestError, FewestWarning, InvalidInput, InvalidParameter
from fewest.methods.guarantees.stability_path import StabilityPath
from fewest.parameters import is_auto, wrong
from fewest.selectors.registry import method_by_name
from fewest.selectors.search_space import SearchSpace
from fewest.selectors.selector import Selector
from fewest.selectors.selector_parameters import parameters_of, parse_call, plain_parameter

#: Parameters of every selector, with their defaults, that only the selector inside has a use for.
_OF_THE_SELECTOR = {"estimator": None, "cv": 5, "max_features": 50, "rule": "1se", "scoring": None}


def unused_parameters(outer: Selector, why: str) -> dict[str, str]:
    """Return the parameters of the selector around another that are set and have no effect, with the reason."""
    return {
        name: why
        for name, default in _OF_THE_SELECTOR.items()
        if not ((value := getattr(outer, name)) is default or (isinstance(value, int | str) and value == default))
    }


def inner_selector(selector: object, default: str, scale: object) -> Selector:
    """Return a copy of the selector, or of the method of this name; raise where it chooses its own size.

    selector : a selector, a text such as "mrmr" or "mrmr(criterion=quotient)", or None
    default : the name of the method that None stands for
    scale : where not "auto", the scale of the copy
    """
    if selector is None:
        selector = default
    if isinstance(selector, str):
        name, settings = parse_call(selector, "selector", "mrmr(criterion=quotient)")
        kind = method_by_name(name)
        selector = kind(**parameters_of(kind, settings))
    if not isinstance(selector, Selector):
        raise wrong("selector", "a selector such as MRMR(), or the name of a method, such as 'mrmr',", selector)
    own: Selector = clone(selector)
    if not is_auto(scale):
        own.set_params(scale=scale)
    return own


def check_constraints_of(outer: Selector, inner: Selector) -> None:
    """Raise where constraints other than forbidden columns would decide what is counted or compared."""
    given = [name for name in CONSTRAINTS if name != "forbid" and getattr(outer, name) is not None]
    given += [f"{name} of its selector" for name in CONSTRAINTS if getattr(inner, name) is not None]
    if given:
        raise InvalidParameter(
            f"The guarantee of {type(outer).__name__} is about columns that are selected freely, and {given[0]} would "
            "decide some of that. Leave it out; forbid leaves out columns."
        )


def fit_without_forbidden(outer: Selector, space: SearchSpace, source: Source, groups: object) -> None:
    """Fit a copy on the columns that are not forbidden, and store what it finds among all columns."""
    inner = clone(outer).set_params(forbid=None).fit(space.only(source), groups=groups)
    for name, value in vars(inner).items():
        if name.endswith("_") and name not in ("n_features_in_", "feature_names_in_"):
            value = value.among(space.table_column) if isinstance(value, StabilityPath) else value
            setattr(outer, name, space.spread(value) if isinstance(value, np.ndarray) else value)
    provenance = inner.selection_.provenance
    parameters = {key: plain_parameter(value) for key, value in outer.get_params(deep=False).items()}
    notes = space.notes(inner.selection_) + provenance.notes
    described = replace(provenance, parameters=parameters, n_columns=outer.n_features_in_, notes=notes)
    outer._store_selection(space.on_table(inner.selection_), described)


def fit_quietly(selector: Selector, source: Source, what: str) -> Selector:
    """Fit a copy of a selector, without its warnings; what : the rows, for an error."""
    own: Selector = clone(selector)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FewestWarning)
        try:
            return own.fit(source)
        except FewestError as error:
            raise InvalidInput(f"{own.name or type(own).__name__} cannot select on {what}. {error}") from error
