"""Compose a selector's docstring: its own parameters and attributes, then those that it inherits; where its page is."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from importlib.metadata import metadata
from inspect import cleandoc, get_annotations

_UNDERLINED = re.compile(r"^(\S.*)\n-{3,}$", re.MULTILINE)


def compose_docstring(cls: type) -> None:
    """Give the class a docstring with Parameters in the order of its signature, and all Attributes.

    What is not its own comes from its bases, nearest first. Called before the dataclass decorator makes the signature.
    """
    own = cls.__dict__.get("__doc__")
    if own is None:  # also under python -OO
        return
    text, sections = _sections(own)
    inherited = [_sections(base.__doc__)[1] for base in cls.__mro__[1:] if is_dataclass(base) and base.__doc__]
    composed = {"Parameters": "", "Attributes": ""} | sections
    for title in ("Parameters", "Attributes"):
        entries = _entries(sections.get(title, ""))
        for base in inherited:
            entries |= {name: entry for name, entry in _entries(base.get(title, "")).items() if name not in entries}
        names = _signature(cls) if title == "Parameters" else entries
        composed[title] = "\n".join(dict.fromkeys(entries[name] for name in names if name in entries))
    parts = [f"{title}\n{'-' * len(title)}\n{body}" for title, body in composed.items() if body]
    cls.__doc__ = "\n\n".join([text, *parts]) + "\n"


def compose_method(cls: type, name: str) -> None:
    """Give a method that replaces that of a base the sections of the base's, where it has none of its own."""
    own, base = cls.__dict__.get(name), getattr(super(cls, cls), name, None)
    if own is not None and own.__doc__ and base.__doc__ and not _sections(own.__doc__)[1]:
        sections = _sections(base.__doc__)[1]
        parts = [f"{title}\n{'-' * len(title)}\n{body}" for title, body in sections.items()]
        own.__doc__ = "\n\n".join([cleandoc(own.__doc__), *parts]) + "\n"


def parameter_summaries(cls: type) -> dict[str, str]:
    """Return the type and default of each parameter, and the first sentence about it, as the docstring has them."""
    found = {}
    for name, entry in _entries(_sections(cls.__doc__ or "")[1].get("Parameters", "")).items():
        first, *rest = entry.splitlines()
        text = " ".join(line.strip() for line in rest)
        sentence = re.split(r"(?<=[.])\s(?=[A-Z])", text)[0]
        found[name] = f"{first.split(' : ', 1)[-1]}. {sentence}"
    return found


def api_page(cls: type) -> str:
    """Return the address of the page about a public class; an empty text where there is none."""
    import fewest

    if cls.__name__ not in fewest.__all__ or getattr(fewest, cls.__name__) is not cls:
        return ""
    addresses = dict(entry.split(", ", 1) for entry in metadata("fewest").get_all("Project-URL") or ())
    return f"{addresses['Documentation']}/api/generated/fewest.{cls.__name__}.html" if addresses else ""


def _sections(docstring: str) -> tuple[str, dict[str, str]]:
    """The text before the first section, and each section by its title."""
    text, *rest = _UNDERLINED.split(cleandoc(docstring))
    return text.strip(), {title: body.strip("\n") for title, body in zip(rest[::2], rest[1::2], strict=True)}


def _entries(section: str) -> dict[str, str]:
    """The entries of a section of names, by name; an entry is a line that begins with names, and what is indented."""
    found: dict[str, str] = {}
    names: Sequence[str] = ()
    for line in section.splitlines():
        if line.strip() and not line.startswith(" "):
            names = line.split(" : ")[0].split(", ")
            found |= dict.fromkeys(names, line)
        elif line.strip():
            found |= {name: f"{found[name]}\n{line}" for name in names}
    return found


def _signature(cls: type) -> list[str]:
    """The parameters of the constructor that the dataclass decorator is about to make, in its order."""
    is_keyword: dict[str, bool] = {}
    for base in reversed(cls.__mro__[1:]):
        if is_dataclass(base):
            is_keyword |= {field.name: bool(field.kw_only) for field in fields(base)}
    after_marker = False
    for name, annotation in get_annotations(cls).items():
        if "KW_ONLY" in str(annotation):
            after_marker = True
        elif "ClassVar" not in str(annotation):
            is_keyword[name] = after_marker
    return sorted(is_keyword, key=is_keyword.__getitem__)
