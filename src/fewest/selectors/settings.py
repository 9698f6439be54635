"""Parameters as people write them: NAME=VALUE."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any

from fewest.errors import InvalidParameter, did_you_mean


def parameters_of(kind: Any, settings: Iterable[str]) -> dict[str, Any]:
    """What settings such as "criterion=quotient" say of a method's parameters."""
    known = sorted(kind().get_params(deep=False))
    parameters = {}
    for setting in settings:
        parameter, equals, value = (part.strip() for part in setting.partition("="))
        if not equals:
            raise InvalidParameter(f"A parameter is set by NAME=VALUE, got {setting!r} instead.")
        if parameter not in known:
            raise InvalidParameter(
                f"{kind.name} has no parameter {parameter!r}{did_you_mean(parameter, known)}. It has: "
                f"{', '.join(known)}."
            )
        parameters[parameter] = literal(value)
    return parameters


def literal(text: str) -> Any:
    """A Python literal (2, 0.5, None, True), or else the text itself."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text
