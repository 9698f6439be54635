"""Render the summary of a comparison as one HTML file that loads nothing."""

from __future__ import annotations

import base64
import hashlib
import json
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from markupsafe import Markup, escape

from fewest.display.formatting import count, counted, seconds
from fewest.errors import InvalidInput
from fewest.report.charts.looks import markers, method_looks
from fewest.report.elements import Cell, Column, Context, Table, name_cell
from fewest.report.markup import allowed, css_string, embedded_json, sentence
from fewest.report.sections.appearance import appearance
from fewest.report.sections.data import data_section
from fewest.report.sections.how_many import how_many
from fewest.report.sections.several_tables import across_tables, overview
from fewest.report.sections.trust import trust
from fewest.report.sections.which_features import which_features
from fewest.report.sections.which_method import SIZES_WON, which_method
from fewest.summary import Summary

if TYPE_CHECKING:
    from jinja2 import Environment

# How the size is chosen, in words.
_RULES = {"1se": "the smallest within one standard error of the best", "min": "the best"}

# Without scripts, what needs them is hidden, and all that they would switch between is shown.
_WITHOUT_SCRIPT = Markup(
    ".needs-script{display:none!important}.panel[hidden]{display:block}.without-switch{display:block!important}"
)


def render(summary: Summary) -> str:
    """Render the summary of a comparison as one HTML page.

    The page answers in this order: which features, how many, which method, can it be trusted, what do they look like,
    what is in the data, how was it made. It needs no network and no other file.
    """
    if not isinstance(summary, Summary):
        raise InvalidInput(
            f"A report is made from the summary of a comparison, got {type(summary).__name__}. Give Comparison.summary."
        )
    contexts, frame = _contexts(summary)
    script = _asset("script.js")
    # Nothing may be loaded, and no script may run and no style sheet apply but the page's own: not even one that a name
    # would smuggle in. Attributes hold lengths of bars; older browsers know style-src only.
    styles = f"{_source(frame['style'])} {_source(_WITHOUT_SCRIPT)}"
    policy = (
        f"default-src 'none'; script-src {_source(script)}; style-src 'unsafe-inline'; style-src-elem {styles}; "
        "style-src-attr 'unsafe-inline'; base-uri 'none'; form-action 'none'"
    )
    template = _environment().get_template("page.html")
    return template.render(
        **frame,
        policy=Markup(policy),
        script=script,
        without_script=_WITHOUT_SCRIPT,
        across=across_tables(summary.across, contexts, contexts[0].looks) if summary.across else None,
        articles=[_article(context) for context in contexts],
        provenance=_provenance(summary),
        parameters=_parameters(summary),
        sizes_won=SIZES_WON,
    )


def render_for_notebook(summary: Summary) -> str:
    """Render which features, how many, by which method, and the data, as a frame that needs no script."""
    contexts, frame = _contexts(summary)
    left_out = {"trust": None, "looks": None}
    articles = [_article(context) | left_out for context in contexts] if len(contexts) == 1 else []
    page = _environment().get_template("notebook.html").render(**frame, articles=articles, sizes_won=SIZES_WON)
    rows = sum(
        len(table.methods) + (len(table.recommended.features) if table.recommended else 0) for table in summary.tables
    )
    # In units of the text: about what head, picture and the rows of both tables take.
    height = min(70, (58 if articles else 14) + 2 * rows)
    return (
        f'<iframe sandbox="" srcdoc="{escape(page)}" title="Comparison of feature selectors" '
        f'style="width:100%;height:{height}em;border:0"></iframe>'
    )


def _contexts(summary: Summary) -> tuple[list[Context], dict[str, object]]:
    """What the sections of each table share, and what the frame around them is made of."""
    tables = summary.tables
    looks = method_looks(method.name for table in tables for method in table.methods)
    contexts = []
    for order, table in enumerate(tables, start=1):
        known = {key for method in table.methods for key in method.results}
        classifiers = {key: name for key, name in summary.setup.classifiers.items() if key in known}
        level = 2 if len(tables) == 1 else 3
        reason = summary.setup.metric_reason
        contexts.append(Context(table, f"table-{order}", level, looks, classifiers, reason))
    return contexts, {
        "summary": summary,
        "title": summary.title or "Comparison",
        "kind": "Comparison of feature selectors" if len(looks) > 1 else "Feature selection",
        "style": _asset("style.css"),
        "markers": markers(looks.values(), max((len(table.classes) for table in tables), default=0)),
        "overview": overview(contexts) if len(contexts) > 1 else None,
    }


def _article(context: Context) -> dict[str, object]:
    """The sections of one table; None or empty where there is nothing to show."""
    return {
        "context": context,
        "features": which_features(context),
        "sizes": how_many(context),
        "methods": which_method(context),
        "trust": trust(context),
        "looks": appearance(context),
        "data": data_section(context),
    }


def _provenance(summary: Summary) -> dict[str, str]:
    """How the comparison was run, in words by title."""
    setup = summary.setup
    return {
        "Test": _test(summary),
        "Choice of size": f"{setup.inner}: {_RULES[setup.rule]}",
        "Metric": setup.metric.label,
        "Classifiers": ", ".join(setup.classifiers.values()),
        "Seed": str(setup.seed),
        "Time": seconds(setup.seconds),
        "Version": f"fewest {setup.version}",
    }


def _test(summary: Summary) -> str:
    """The splits in words, with what a column of each table says about them."""
    known = [(table.name, table.split_note) for table in summary.tables if table.split_note]
    notes = [note if len(summary.tables) == 1 else f"{name}: {note}" for name, note in known]
    return " ".join([f"{summary.setup.outer}.", *notes]) if notes else summary.setup.outer


def _parameters(summary: Summary) -> Table:
    rows: dict[tuple[str, str], list[Cell]] = {}
    for method in (method for table in summary.tables for method in table.methods):
        written = (f"{key}={json.dumps(x, ensure_ascii=False, default=str)}" for key, x in method.parameters.items())
        text = ", ".join(written)
        rows[method.name, text] = [name_cell(method.name), Cell(text, kind="code")]
    return Table("Parameters", [Column("Method", False), Column("Parameters", False)], list(rows.values()))


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("fewest.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=allowed,
        keep_trailing_newline=True,
    )
    environment.filters |= {
        "count_of": count, "counted": counted, "embedded_json": embedded_json, "css_string": css_string
    }  # fmt: skip
    environment.filters["together"] = sentence
    return environment


def _source(text: object) -> str:
    """A script or style sheet as a source of the Content-Security-Policy: its hash."""
    digest = hashlib.sha256(str(text).encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def _asset(name: str) -> Markup:
    return Markup(files("fewest.report").joinpath("assets", name).read_text("utf-8"))
