"""SVG and HTML from pieces; whatever is not Markup already is text and is escaped.

The page is laid out by templates, which escape by themselves. Charts are put together by `tag`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

from markupsafe import Markup, escape

Piece = Markup | str | int | None

_VOID = frozenset({"path"})

# Characters that HTML does not allow, and halves of surrogate pairs, which cannot be written as UTF-8.
_DIRECTIONS = re.compile("[\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


# The longest word and the longest text that are shown: a page of longer names cannot be read.
_LONGEST_WORD, _LONGEST_TEXT = 1000, 3000
_LONG_WORD = re.compile(rf"(\S{{{_LONGEST_WORD}}})\S+")


def allowed(value: object) -> object:
    """Replace characters that no page can hold, and cut texts that are too long to be read; None becomes nothing."""
    if value is None:
        return ""
    if isinstance(value, str) and not isinstance(value, Markup):
        text = _valid(value)
        if len(text) > _LONGEST_WORD:
            text = _LONG_WORD.sub(r"\1…", text)
        return text if len(text) <= _LONGEST_TEXT else f"{text[:_LONGEST_TEXT]}…"
    return value


def _valid(text: str) -> str:
    return _FORBIDDEN.sub("\N{REPLACEMENT CHARACTER}", text)


def joined(pieces: Iterable[Piece], between: str = "") -> Markup:
    """Concatenate pieces."""
    return Markup(escape(between).join(escape(allowed(piece)) for piece in pieces))


def tag(name: str, /, *children: Piece, **attributes: str | float | bool | None) -> Markup:
    """Make an element. In attribute names `_` becomes `-`, and is dropped at the end; None leaves an attribute out."""
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(_valid(str(value)))}"'
        for key, value in attributes.items()
        if value is not None
    )
    if name in _VOID:
        return Markup(f"<{name}{written}/>")
    return Markup(f"<{name}{written}>{joined(children)}</{name}>")


def name_of(name: str) -> Markup:
    """Isolate a name from the writing direction around it."""
    return tag("bdi", name)


def sentence(text: str) -> str:
    """Keep numbers and their percent signs on one line, and begin with a capital where that changes no name.

    What turns the direction of writing is left out: a name in the sentence would turn all that follows it.
    """
    text = _DIRECTIONS.sub("", text).replace(" %", "\N{NO-BREAK SPACE}%")
    return f"N{text[1:]}" if text.startswith("no significant ") else text


def css_string(text: str) -> Markup:
    """Write a text as a string of a style sheet, so that nothing in it can end the string, or an attribute."""
    escaped = (each if each.isascii() and each.isalnum() else f"\\{ord(each):x} " for each in str(allowed(text)))
    return Markup(f"'{''.join(escaped)}'")


def embedded_json(data: object) -> Markup:
    """Write JSON for a script element, so that nothing in it can end the element or begin another."""
    written = json.dumps(data, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return Markup(written.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026"))
