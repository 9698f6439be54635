"""From the provenance of a selection to the selector that made it.

A parameter is stored plainly, or as it prints. What prints as a call of public classes of fewest is read back without
running any code: names are looked up in the lists of public names, and all else must be a literal.
"""

from __future__ import annotations

import ast
import math
import re
from typing import Any

import fewest
from fewest.errors import FewestError, InvalidParameter
from fewest.provenance import Provenance
from fewest.selectors.estimators.named_estimators import to_estimator
from fewest.selectors.registry import method_by_name
from fewest.selectors.selector import Selector
from fewest.selectors.selector_parameters import plain_parameter

#: Where an object lies in memory, which no other process repeats; a number of NumPy, as it prints in a list.
_ADDRESS, _NUMPY_NUMBER = re.compile(r" at 0x[0-9a-f]+"), re.compile(r"np\.\w+\(([^()]*)\)")
#: Numbers that print as names.
_NAMED_NUMBERS = {"inf": math.inf, "nan": math.nan}


class NotPlain(Exception):
    """What a text stands for cannot be read back."""


def rebuild(provenance: Provenance) -> Selector:
    """Return the selector of this method with these parameters, or raise InvalidParameter.

    Where the method is unknown, or a parameter is an object that JSON does not hold, the error asks for the selector.
    """
    kind = _class_of(provenance.method)
    parameters: dict[str, Any] = {}
    for name, value in provenance.parameters.items():
        try:
            parameters[name] = _parameter(name, value)
        except NotPlain:
            raise InvalidParameter(
                f"The selection was made with {name}={value}, an object that JSON does not hold, so that it cannot be "
                f"made anew from the file. Give the selector: verify(X, y, selector={kind.__name__}({name}=…, …))."
            ) from None
    try:
        selector = kind(**parameters)
    except TypeError as error:
        raise InvalidParameter(f"{provenance.method} refuses the parameters of the selection: {error}.") from None
    # What was read must print as it was stored.
    for name, value in provenance.parameters.items():
        if not prints_alike(found := plain_parameter(getattr(selector, name)), value):
            what = f"The selection was made with {name}={value}, which reads as {found}"
            raise InvalidParameter(f"{what}. Give the selector: verify(X, y, selector={kind.__name__}({name}=…, …)).")
    return selector


def prints_alike(one: object, other: object) -> bool:
    """Return whether two stored parameters are the same, wherever an object lay and whoever made a number."""
    return _normalised(one) == _normalised(other)


def _normalised(value: object) -> object:
    return _NUMPY_NUMBER.sub(r"\1", _ADDRESS.sub("", value)) if isinstance(value, str) else value


def _class_of(method: str) -> type[Selector]:
    """Return the selector of this name, that of the command line or of its class."""
    try:
        found = getattr(fewest, method) if method in fewest.__all__ else method_by_name(method)
    except FewestError:
        found = None
    if not (isinstance(found, type) and issubclass(found, Selector) and method in (found.name, found.__name__)):
        raise InvalidParameter(
            f"The selection was made by {method!r}, which is no method of fewest. Give the selector: "
            "verify(X, y, selector=MySelector(…))."
        )
    return found


def _parameter(name: str, value: object) -> object:
    """Return a parameter from what is stored of it."""
    if not isinstance(value, str):
        return value
    if name == "estimator" and _is_estimator_name(value):
        return value
    try:
        parsed = ast.parse(value.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        if value.lstrip().startswith("<") or "..." in value:
            raise NotPlain from None
        return value
    # A word, or an expression of words such as "sd/2", is a text that was given.
    return _read(parsed) if isinstance(parsed, ast.Call | ast.Tuple | ast.List | ast.Dict | ast.Set) else value


def _is_estimator_name(value: str) -> bool:
    try:
        to_estimator(value)
    except FewestError:
        return False
    return True


def _read(node: ast.expr) -> Any:
    """Return what an expression stands for: literals, containers, and calls of public classes of fewest."""
    if isinstance(node, ast.Call):
        return _call(node)
    if isinstance(node, ast.Tuple | ast.List | ast.Set):
        values = [_read(element) for element in node.elts]
        return {ast.Tuple: tuple, ast.List: list, ast.Set: set}[type(node)](values)
    if isinstance(node, ast.Dict):
        return {_key(key): _read(value) for key, value in zip(node.keys, node.values, strict=True)}
    if isinstance(node, ast.Name) and node.id in _NAMED_NUMBERS:
        return _NAMED_NUMBERS[node.id]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_read(node.operand)
    if isinstance(node, ast.Constant) and node.value is not ...:
        return node.value
    raise NotPlain


def _key(node: ast.expr | None) -> Any:
    if node is None:
        raise NotPlain
    return _read(node)


def _call(node: ast.Call) -> Any:
    """Return the object of a call such as Exhaustive(beta=None), or the number or array of one of NumPy."""
    if any(keyword.arg is None for keyword in node.keywords):
        raise NotPlain
    arguments = [_read(argument) for argument in node.args]
    parameters = {str(keyword.arg): _read(keyword.value) for keyword in node.keywords if keyword.arg != "dtype"}
    if isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name) and node.func.value.id == "np":
        if len(arguments) == 1 and isinstance(arguments[0], bool | int | float | str):
            return arguments[0]
        raise NotPlain
    if not isinstance(node.func, ast.Name):
        raise NotPlain
    # Searches and criteria are public names too, and found with the selectors.
    kind = None if node.func.id.startswith("_") else getattr(fewest, node.func.id, None)
    if not isinstance(kind, type):
        raise NotPlain
    try:
        return kind(*arguments, **parameters)
    except (TypeError, FewestError):
        raise NotPlain from None
