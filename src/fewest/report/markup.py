"""HTML from pieces: whatever is not HTML already is text, and is escaped.

Names of features, classes, methods and tables come from anywhere. Pieces are put together by `tag` alone, which takes
plain strings as text, so that forgetting to escape is not possible.
"""

from __future__ import annotations

import html
import json
import math
import re
from collections.abc import Iterable, Mapping
from typing import Any


class Markup(str):
    """A string that is HTML already."""

    __slots__ = ()


Piece = Markup | str | int | None

_VOID = frozenset({"input", "meta", "br", "path", "line", "rect", "circle"})

# Characters that HTML does not allow, and halves of surrogate pairs, which cannot be written as UTF-8.
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def text(piece: Piece) -> Markup:
    """The piece as HTML: escaped, unless it is HTML already."""
    if piece is None:
        return Markup()
    if isinstance(piece, Markup):
        return piece
    return Markup(html.escape(_FORBIDDEN.sub("\N{REPLACEMENT CHARACTER}", str(piece)), quote=True))


def joined(pieces: Iterable[Piece], between: str = "") -> Markup:
    """The pieces one after the other."""
    return Markup(text(between).join(text(piece) for piece in pieces))


def tag(name: str, /, *children: Piece, **attributes: str | float | bool | None) -> Markup:
    """An element. In attributes `_` stands for `-`, one at the end is dropped; None and False leave them out."""
    opening = [name]
    for key, value in attributes.items():
        if value is None or value is False:
            continue
        written = key.rstrip("_").replace("_", "-")
        opening.append(written if value is True else f'{written}="{text(str(value))}"')
    start = f"<{' '.join(opening)}>"
    if name in _VOID:
        return Markup(start if name in {"input", "meta", "br"} else start[:-1] + "/>")
    return Markup(f"{start}{joined(children)}</{name}>")


def name_of(value: object) -> Markup:
    """A name as it is, kept apart from the direction of writing around it."""
    return tag("bdi", str(value))


def said(part: Mapping[str, Any], key: str) -> str:
    """What a part of a summary says under a key, as text; nothing where it is not there."""
    value = part.get(key)
    return "" if value is None else str(value)


def embedded_json(data: Any) -> Markup:
    """JSON for a script element: nothing in it can end the element or begin another."""
    written = json.dumps(data, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return Markup(written.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026"))


def finite(value: Any) -> float | None:
    """The value as a number; None where it is missing or not finite."""
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None
