"""How was it made? Everything needed to make the page again."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from fewest.formatting import count, counted, seconds
from fewest.report.context import Summary
from fewest.report.markup import Markup, joined, name_of, said, tag
from fewest.report.sections.which_features import copy_button
from fewest.report.tables import Column, Row, folded, table


def provenance(summary: Summary, level: int) -> Markup:
    made = summary.get("made") or {}
    tables = summary.get("tables") or ()
    entries: list[tuple[str, Markup | str | None]] = [
        ("Test", made.get("outer")),
        ("Choice of size", _inner(made)),
        ("Classifiers", ", ".join(str(name or key) for key, name in (made.get("classifiers") or {}).items())),
        ("Seed", None if made.get("seed") is None else str(made["seed"])),
        ("Time", None if made.get("seconds") is None else seconds(made["seconds"])),
        ("Version", f"fewest {made['version']}" if made.get("version") else None),
        ("Data", joined(_data(entry, len(tables) > 1) for entry in tables) if tables else None),
    ]
    known = [joined([tag("dt", title), tag("dd", words)]) for title, words in entries if words]
    command = made.get("command")
    again = None
    if command:
        again = joined(
            [
                tag(f"h{level + 1}", "The command that makes this page again", class_="figure"),
                tag(
                    "div", tag("pre", tag("code", str(command))), copy_button("Copy", [str(command)]), class_="command"
                ),
            ]
        )
    content = [tag("dl", *known) if known else None, _parameters(tables), again]
    if not any(content):
        return Markup()
    return tag("section", tag(f"h{level}", "How was it made?", class_="question"), *content, id="made")


def _inner(made: Summary) -> str | None:
    inner, rule = made.get("inner"), made.get("rule")
    named = {
        "1se": "the smallest within one standard error of the least error",
        "min": "the one with the least error",
    }.get(str(rule), f"rule {rule}" if rule else "")
    return ": ".join(filter(None, (inner, named))) or None


def _data(entry: Summary, is_named: bool) -> Markup:
    words = f"{counted(entry.get('n_rows'), 'row')}, {counted(entry.get('n_columns'), 'column')}"
    mark = entry.get("fingerprint")
    return tag(
        "div",
        joined([name_of(said(entry, "name")), ": "]) if is_named else None,
        words,
        joined(["; fingerprint ", tag("code", str(mark))]) if mark else None,
    )


def _parameters(tables: Sequence[Summary]) -> Markup:
    rows: list[Row] = []
    for entry in tables:
        for method in entry.get("methods") or ():
            row = (said(method, "name"), _written(method.get("parameters") or {}))
            if row not in rows:
                rows.append(row)
    if not rows:
        return Markup()
    columns = [Column("Method", False), Column("Parameters", False)]
    shown = [[name_of(str(name)), tag("code", str(words))] for name, words in rows]
    return folded(f"Parameters of {count(len(rows))} methods", table("Parameters", columns, shown))


def _written(parameters: dict[str, Any]) -> str:
    return ", ".join(
        f"{name}={json.dumps(value, ensure_ascii=False, default=str)}" for name, value in parameters.items()
    )
