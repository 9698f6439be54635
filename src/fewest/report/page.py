"""Render the summary of a comparison as one HTML file that loads nothing."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from markupsafe import Markup

from fewest.errors import InvalidInput
from fewest.formatting import count, counted
from fewest.report.charts.looks import markers, method_looks
from fewest.report.elements import Context, Figure
from fewest.report.markup import allowed, embedded_json
from fewest.report.sections.appearance import appearance
from fewest.report.sections.how_many import SizesSection, how_many
from fewest.report.sections.provenance import provenance
from fewest.report.sections.several_tables import across_tables, overview
from fewest.report.sections.trust import TrustSection, trust
from fewest.report.sections.which_features import FeaturesSection, which_features
from fewest.report.sections.which_method import SIZES_WON, MethodsSection, which_method
from fewest.summary import Summary, TableSummary

if TYPE_CHECKING:
    from jinja2 import Environment


@dataclass(frozen=True)
class Article:
    """The sections of one table; None or empty where there is nothing to show."""

    context: Context
    features: FeaturesSection | None
    sizes: SizesSection | None
    methods: MethodsSection | None
    trust: TrustSection | None
    looks: list[Figure]


def render(summary: Summary) -> str:
    """Render the summary of a comparison as one HTML page.

    The page answers in this order: which features, how many, which method, can it be trusted, what do they look like,
    how was it made. It needs no network and no other file.
    """
    if not isinstance(summary, Summary):
        raise InvalidInput(
            f"A report is made from the summary of a comparison, got {type(summary).__name__}. Give Comparison.summary."
        )
    tables = summary.tables
    looks = method_looks(method.name for table in tables for method in table.methods)
    contexts = [
        Context(table, f"table-{number}", 2 if len(tables) == 1 else 3, looks, _classifiers(table, summary))
        for number, table in enumerate(tables, start=1)
    ]
    script = _asset("script.js")
    # Nothing may be loaded, and no script may run but the page's own: not even one that a name would smuggle in.
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = (
        f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'; "
        "base-uri 'none'; form-action 'none'"
    )
    return (
        _environment()
        .get_template("page.html")
        .render(
            summary=summary,
            title=summary.title or "Comparison",
            policy=Markup(policy),
            style=_asset("style.css"),
            script=script,
            markers=markers(looks.values(), max((len(table.classes) for table in tables), default=0)),
            overview=overview(contexts) if len(contexts) > 1 else None,
            across=across_tables(summary.across, contexts, looks) if summary.across else None,
            articles=[_article(context) for context in contexts],
            made=provenance(summary),
            sizes_won=SIZES_WON,
        )
    )


def _article(context: Context) -> Article:
    return Article(
        context,
        which_features(context),
        how_many(context),
        which_method(context),
        trust(context),
        appearance(context),
    )


def _classifiers(table: TableSummary, summary: Summary) -> dict[str, str]:
    """The classifiers that any method of a table was evaluated with, with their names in words."""
    known = {key for method in table.methods for key in method.results}
    return {key: name for key, name in summary.setup.classifiers.items() if key in known}


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
        "together": _together, "count_of": count, "counted": counted, "embedded_json": embedded_json,
    }  # fmt: skip
    return environment


def _together(text: str) -> str:
    """Keep a number and its percent sign on one line."""
    return text.replace(" %", "\N{NO-BREAK SPACE}%")


def _asset(name: str) -> Markup:
    return Markup(files("fewest.report").joinpath("assets", name).read_text("utf-8"))
