"""The whole page: one HTML file that loads nothing."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from fewest.errors import InvalidInput
from fewest.formatting import count, counted
from fewest.report.appearance import appearance, n_classes
from fewest.report.charts.looks import markers, method_looks, names_of_methods
from fewest.report.context import Context, classifiers_of, paragraph
from fewest.report.markup import Markup, joined, name_of, said, tag
from fewest.report.sections.how_many import how_many
from fewest.report.sections.provenance import provenance
from fewest.report.sections.several_tables import across_tables, overview
from fewest.report.sections.trust import trust
from fewest.report.sections.which_features import warning, which_features
from fewest.report.sections.which_method import which_method

# More classes than these are counted, not listed, under the title.
_MOST_CLASSES_NAMED = 12

# Where scripts are off, what needs them is not shown, and all that they would switch between is.
_WITHOUT_SCRIPT = (
    ".needs-script{display:none!important}.panel[hidden]{display:block}.without-switch{display:block!important}"
)


def render(summary: Mapping[str, Any]) -> str:
    """The summary of a comparison as one HTML page.

    The page answers in this order: which features, how many, which method, can it be trusted, what do they look like,
    how was it made. It needs no network and no other file. Parts of the summary that are None or empty are left out.
    """
    if not isinstance(summary, Mapping) or not isinstance(summary.get("tables"), list | tuple):
        raise InvalidInput(
            "A report is made from the summary of a comparison, a dictionary with a list of 'tables'; "
            f"got {type(summary).__name__}. Give what Comparison.summary() returns."
        )
    tables = summary["tables"]
    looks = method_looks(names_of_methods(tables))
    named = (summary.get("made") or {}).get("classifiers") or {}
    is_one = len(tables) == 1
    contexts = [
        Context(table, f"table-{place}", 2 if is_one else 3, looks, classifiers_of(table, named))
        for place, table in enumerate(tables, start=1)
    ]
    found = summary.get("across")
    main = [
        _head(summary, contexts),
        overview(contexts) if len(contexts) > 1 else None,
        across_tables(found, contexts, looks) if found else None,
        *(_article(context, has_title=not is_one) for context in contexts),
        provenance(summary, 2),
    ]
    marks = markers(looks.values(), max(map(n_classes, tables), default=0))
    return _document(str(summary.get("title") or "Comparison"), marks, joined(main))


def _head(summary: Mapping[str, Any], contexts: list[Context]) -> Markup:
    stopped = summary.get("is_partial")
    return tag(
        "header",
        tag("p", "Comparison of feature selectors", class_="note"),
        tag("h1", name_of(summary.get("title") or "Comparison")),
        _facts(contexts[0].table) if len(contexts) == 1 else None,
        warning(f"This page is not complete: {stopped}." if stopped else None),
        paragraph("There is nothing to show: no table was compared.") if not contexts else None,
    )


def _facts(table: Mapping[str, Any]) -> Markup:
    classes = table.get("classes") or ()
    facts: list[Markup | str] = [counted(table.get("n_rows"), "row"), counted(table.get("n_columns"), "feature")]
    if classes:
        facts.append(counted(len(classes), "class", "classes"))
    words = joined(facts, " · ")
    if 0 < len(classes) <= _MOST_CLASSES_NAMED:
        listed = [joined([name_of(said(entry, "name")), f" ({count(entry.get('count'))})"]) for entry in classes]
        words = joined([words, ": ", joined(listed, ", ")])
    return tag("p", words, class_="facts")


def _article(context: Context, *, has_title: bool) -> Markup:
    title = (
        joined([tag("h2", name_of(said(context.table, "name")), class_="table-name"), _facts(context.table)])
        if has_title
        else None
    )
    return tag(
        "article",
        title,
        which_features(context),
        how_many(context),
        which_method(context),
        trust(context),
        appearance(context),
        id=context.key,
    )


def _document(title: str, marks: Markup, main: Markup) -> str:
    style, script = _packaged("style.css"), _packaged("script.js")
    # Nothing may be loaded, and no script may run but the page's own: not even one that a name would smuggle in.
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = (
        f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'; "
        "base-uri 'none'; form-action 'none'"
    )
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        Markup(f'<meta http-equiv="Content-Security-Policy" content="{policy}">'),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", f"{title}: which features?"),
        tag("style", Markup(style)),
        tag("noscript", tag("style", Markup(_WITHOUT_SCRIPT))),
    )
    body = tag("body", marks, tag("main", main), tag("script", Markup(script)))
    return f'<!doctype html>\n<html lang="en">{head}{body}</html>\n'


def _packaged(name: str) -> str:
    return files("fewest.report").joinpath(name).read_text("utf-8")
