"""Docstrings are plain text with formulas: n_features_in_ is a name and |w_j| a magnitude, not markup."""

from __future__ import annotations

import re

#: Code in backquotes, which stays as it is; the underscore that ends a name; a bar.
_MARKUP = re.compile(r"(?P<code>``.*?``|`[^`]*`_?)|(?<!\\)(?P<mark>(?<=[A-Za-z0-9])_(?![A-Za-z0-9])|\|)")
_STARTS_CODE = (">>>", "...", ".. ")


def escape(line: str) -> str:
    """Escape what would be read as a reference or a substitution."""
    if line.lstrip().startswith(_STARTS_CODE):
        return line
    return _MARKUP.sub(lambda found: found["code"] or "\\" + found["mark"], line)


def _escape_docstring(app: object, what: str, name: str, subject: object, options: object, lines: list[str]) -> None:
    lines[:] = [escape(line) for line in lines]


def setup(app):
    # After numpydoc, which escapes the names of parameters itself.
    app.connect("autodoc-process-docstring", _escape_docstring, priority=600)
    return {"parallel_read_safe": True}
