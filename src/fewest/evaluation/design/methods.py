"""The methods of a comparison, by the names people use."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from fewest.errors import InvalidParameter


def to_methods(given: Any) -> dict[str, Any]:
    """Selectors by name, from names such as "mrmr" or "mrmr(criterion=quotient)" and from selectors."""
    if isinstance(given, str) or not isinstance(given, Iterable):
        given = [given]
    methods: dict[str, Any] = {}
    for one in given:
        name, selector = _named(one) if isinstance(one, str) else _instance(one)
        if name in methods:
            raise InvalidParameter(f"The method {name!r} is named twice. Name each once, or give it other parameters.")
        selector.checked_sentence()
        methods[name] = selector
    if not methods:
        raise InvalidParameter("There are no methods to compare. Name some, such as 'mrmr'.")
    return methods


def _named(text: str) -> tuple[str, Any]:
    from fewest.selectors.registry import method_by_name
    from fewest.selectors.selector_parameters import parameters_of

    name, bracket, inside = text.strip().partition("(")
    kind = method_by_name(name.strip())
    if not bracket:
        return name.strip(), kind()
    if not inside.endswith(")"):
        raise InvalidParameter(
            f"A method is a name, or a name with parameters, mrmr(criterion=quotient); got {text!r}."
        )
    parameters = parameters_of(kind, filter(None, (part.strip() for part in inside[:-1].split(";"))))
    return text.strip(), kind(**parameters)


def _instance(selector: Any) -> tuple[str, Any]:
    from fewest.selectors.selector import Selector

    if not isinstance(selector, Selector):
        raise InvalidParameter(f"A method is a name such as 'mrmr' or a selector such as MRMR(), got {selector!r}.")
    default = {} if not selector.name else type(selector)().get_params(deep=False)
    told = {
        name: value
        for name, value in selector.get_params(deep=False).items()
        if name not in ("n_features", "verbose") and (name not in default or repr(default[name]) != repr(value))
    }
    name = selector.name or type(selector).__name__
    if told:
        name += "(" + ";".join(f"{key}={value}" for key, value in told.items()) + ")"
    return name, selector
