"""The selector that a guarantee is about: given as it is, or by name."""

from __future__ import annotations

import warnings

from sklearn.base import clone

from fewest.data.source import Source
from fewest.errors import FewestError, FewestWarning, InvalidInput
from fewest.parameters import is_auto, wrong
from fewest.selectors.registry import method_by_name
from fewest.selectors.selector import Selector
from fewest.selectors.selector_parameters import parameters_of, parse_call

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


def fit_quietly(selector: Selector, source: Source, what: str) -> Selector:
    """Fit a copy of a selector, without its warnings; what : the rows, for an error."""
    own: Selector = clone(selector)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FewestWarning)
        try:
            return own.fit(source)
        except FewestError as error:
            raise InvalidInput(f"{own.name or type(own).__name__} cannot select on {what}. {error}") from error
