"""Pages of reports: one a paper and a front page, as Markdown; what a command printed as one HTML page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from markupsafe import Markup

from fewest.display.formatting import counted
from fewest.papers.declarations import Item, Paper, Unbuilt
from fewest.papers.experiments.known_tables import KNOWN_TABLES
from fewest.papers.reports import ItemReport
from fewest.papers.verdicts import DOES_NOT, IN_PART, REPRODUCES, UNDECIDED
from fewest.report.markup import joined, tag

#: Reports by paper and item.
Reports = Mapping[tuple[str, str], ItemReport]

_NOT_RUN = "not run yet"
_RULE = """A number agrees where ours lies within the spread that the paper states, or the paper's within the 95 %
interval of our resamples; where that reaches farther than five points it is open. A share of groups agrees where the
interval of the difference reaches zero (open where it reaches farther than 25 points), a number of a single split where
it lies among ours of single splits. A claim holds where the interval of the difference lies on its side, fails where it
lies on the other, and is open otherwise. *Reproduces*: at least nine of ten numbers agree and every claim holds. *Does
not reproduce*: fewer than half of the numbers agree and no claim holds; a quick run in which more than half is open is
*undecided*. *Reproduces in part*: everything else. Verdicts are computed by the command. These
rules were settled when first results were known, and hold for all items alike. The
column *honest* is ours without what the paper's protocol lets leak into the test rows.
[More](../reproduce.md)."""


def paper_page(paper: Paper, reports: Reports) -> str:
    """The page of a paper: what was run, with verdicts, and what was not."""
    run = [reports[paper.name, item.name] for item in paper.items if (paper.name, item.name) in reports]
    parts = [f"# {paper.title}", "", f"{paper.reference}. [The method](../methods/{paper.page}.md).", ""]
    parts += [paper.reliance, ""] if paper.reliance else []
    parts += ["| item | | verdict | run |", "|---|---|---|---|"]
    parts += [_row([_names(item), item.title, *_standing(paper, item, reports)]) for item in paper.items]
    parts += [
        "",
        f"Written by `fewest reproduce {paper.name} --markdown docs/papers`. {counts_sentence(run)}",
        "",
        _RULE,
        "",
    ]
    return "\n".join([*parts, *(report.to_markdown() for report in run)]).rstrip() + "\n"


def front_page(papers: Sequence[Paper], reports: Reports) -> str:
    """All items of all papers with their verdicts as one table."""
    run = list(reports.values())
    parts = [
        "# Five papers, rerun", "",
        "Every table and figure of five papers whose methods `fewest` has: what the paper claims, and whether a rerun",
        "with its protocol finds it. `fewest reproduce` lists them, `fewest reproduce mkl --item T1` runs one.", "",
        counts_sentence(run), "", "| paper | item | | verdict | run |", "|---|---|---|---|---|",
    ]  # fmt: skip
    for paper in papers:
        for item in paper.items:
            link = f"[{paper.number}. {paper.name}]({paper.name.replace('-', '_')}.md)"
            parts.append(_row([link, _names(item), item.title, *_standing(paper, item, reports)]))
    references = [f"{paper.number}. {paper.reference}." for paper in papers]
    return "\n".join([*parts, "", _RULE, "", *references]) + "\n"


def listing(papers: Sequence[Paper]) -> str:
    """The papers and their items, with the data that they need and the time that they take, for a terminal."""
    parts = []
    for paper in papers:
        parts += [f"{paper.name}: {paper.reference}"]
        width = max(len(_names(item)) for item in paper.items)
        for item in paper.items:
            needs = item.why if isinstance(item, Unbuilt) else f"{_needs(item)}; about {_minutes(item.minutes)}"
            parts.append(f"  {_names(item):<{width}}  {item.title} ({needs})")
        parts.append("")
    return "\n".join(
        [*parts, "fewest reproduce PAPER [--item T1] [--quick] runs them; --data DIR names a folder of tables."]
    )


def html_page(reports: Sequence[ItemReport], papers: Sequence[Paper]) -> str:
    """The reports on one page without other files."""
    body = [tag("h1", "fewest reproduce"), tag("p", counts_sentence(reports))]
    references = {paper.name: paper.reference for paper in papers}
    for report in reports:
        header, *rows = report.table()
        lines = [tag("tr", *(tag("th", cell) for cell in header))]
        lines += [tag("tr", *(tag("td", cell) for cell in row)) for row in rows]
        body += [tag("h2", f"{report.paper} {report.item}: {report.title}"), tag("p", references[report.paper])]
        body += [tag("p", report.claim), tag("p", tag("strong", f"{report.verdict}: "), report.reason)]
        body += [Markup(report.picture)] if report.picture else []
        body += [tag("table", *lines)]
        claims = [tag("li", f"{one.outcome}: {one.claim}: {one.evidence}") for one in report.claims]
        others = [tag("li", text) for text in (*report.choices, *report.notes, report.provenance)]
        body += [tag("ul", *claims, *others)]
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>fewest reproduce</title>'
        f"<style>{_STYLE}</style></head><body>{joined(body)}</body></html>\n"
    )


def counts_sentence(reports: Sequence[ItemReport]) -> str:
    """How many items have which verdict."""
    counts = Counter(report.verdict for report in reports)
    n_quick = sum(report.is_quick for report in reports)
    verdicts = f"{counts[REPRODUCES]} reproduce, {counts[IN_PART]} in part, {counts[DOES_NOT]} not"
    if counts[UNDECIDED]:
        verdicts += f", {counts[UNDECIDED]} undecided"
    return f"Of {counted(len(reports), 'item')} run ({n_quick} of them quickly, with fewer resamples) {verdicts}."


_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#222}"
    "table{border-collapse:collapse}td,th{border-bottom:1px solid #ddd;padding:.1rem .7rem;text-align:right}"
    "td:first-child,th:first-child{text-align:left}"
    "@media(prefers-color-scheme:dark){body{color:#ddd;background:#181818}td,th{border-color:#444}}"
)


def _standing(paper: Paper, item: Item | Unbuilt, reports: Reports) -> tuple[str, str]:
    report = reports.get((paper.name, item.name))
    if report is not None:
        return f"**{report.verdict}**", "quick" if report.is_quick else "full"
    return (item.why if isinstance(item, Unbuilt) else _NOT_RUN), ""


def _names(item: Item | Unbuilt) -> str:
    return ", ".join((item.name, *item.others))


def _needs(item: Item) -> str:
    stored = [name for name in item.tables if KNOWN_TABLES[name].terms is not None]
    others = [name for name in item.tables if KNOWN_TABLES[name].terms is None]
    parts = ["needs nothing" if not item.tables else ""]
    parts += [f"in the repository: {', '.join(stored)}"] if stored else []
    parts += [f"--data with {', '.join(others)}"] if others else []
    return "; ".join(part for part in parts if part)


def _minutes(minutes: float) -> str:
    return "a minute" if minutes == 1 else "half a minute" if minutes < 1 else f"{minutes:g} minutes"


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
