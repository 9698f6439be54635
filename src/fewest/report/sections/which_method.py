"""Which method? A table by honest error, and what of it is more than chance."""

from __future__ import annotations

from collections.abc import Sequence

from fewest.formatting import count, interval, number, p_value, percent, points, seconds
from fewest.report.charts.axis_scales import Scale
from fewest.report.context import Context, Summary, kept_together
from fewest.report.markup import Markup, finite, joined, name_of, said, tag
from fewest.report.tables import Cell, Column, Row, folded, named, span, table

_MOST_SENTENCES = 6

_COLUMNS = (
    Column("Method", False),
    Column("Error", note="honest: features chosen inside each training part, judged on rows it never saw"),
    Column("95 % interval", False, note="on one scale from zero"),
    Column("Features", note="mean over the splits"),
    Column("Rank", note="mean rank over the splits, 1 is best"),
    Column("Stability", first="descending", note="1: the same features in every resample, 0: as by chance"),
    Column("Time", note="one selection on the whole table"),
    Column("Worse?", False, note="significantly worse than the least error, adjusted for the number of methods"),
)
_MORE_COLUMNS = (
    Column("Method", False),
    Column("Balanced error", note="mean over the classes of the error in each"),
    Column("Macro F1", first="descending"),
    Column("Micro F1", first="descending"),
    Column("Optimistic", note="least error on the curve: the size was picked by the same test rows"),
)

_RHO = (
    "share of the sizes at which the first errs less, and at which the second does; from 90 % on the first is better "
    "nearly throughout (rho, the RM-characteristic)"
)


def which_method(context: Context) -> Markup:
    panels = {classifier: _panel(context, classifier) for classifier in context.classifiers}
    return context.section("method", "Which method?", context.switched("method", panels), _failed(context))


def _panel(context: Context, classifier: str) -> Markup:
    ranked = context.by_error(classifier)
    if not ranked:
        return Markup()
    judged = context.classifiers[classifier]
    everything = (context.table.get("all_features") or {}).get(classifier) or {}
    chance = finite(context.table.get("chance_error"))
    # Chance is on the scale unless it would press all others together.
    reached = max(_most(everything), *(_most(context.result(method, classifier)) for method in ranked))
    highest = max(reached, chance if chance and chance < 2 * reached else 0.0)
    scale = Scale(0, highest or 1.0, 0, 100)

    rows = [
        (float(context.result(method, classifier)["error"]), "", _row(context, method, classifier, scale, ranked[0]))
        for method in ranked
    ]
    whole = finite(everything.get("error"))
    if whole is not None:
        rows.append((whole, "level", _level_row("all features", everything, context.table.get("n_columns"), scale)))
    if chance is not None:
        rows.append((chance, "level", _level_row("chance", {"error": chance}, None, scale)))
    rows.sort(key=lambda row: row[0])
    shown = _filled_columns(
        f"Methods by honest error, {judged}",
        _COLUMNS,
        [row for _, _, row in rows],
        kinds=[kind for _, kind, _ in rows],
        sorted_by=1,
    )
    note = tag(
        "p",
        "Error is honest: in every split the features, and how many, were chosen without the test rows.",
        class_="note",
    )
    words = _sentences(context, ranked, classifier)
    return joined([shown, note, words, _more(context, ranked, classifier), _pairs(context, classifier)])


def _filled_columns(
    caption: str,
    columns: Sequence[Column],
    rows: Sequence[Row],
    *,
    kinds: Sequence[str] = (),
    sorted_by: int | None = None,
) -> Markup:
    """A sortable table without the columns that say nothing in any row."""
    used = [place for place in range(len(columns)) if any(not _is_nothing(row[place]) for row in rows)]
    return table(
        caption,
        [columns[place] for place in used],
        [[row[place] for place in used] for row in rows],
        is_sortable=True,
        sorted_by=sorted_by,
        kinds=kinds,
    )


def _is_nothing(cell: Cell | Markup | str) -> bool:
    return (cell.shown if isinstance(cell, Cell) else cell) in (None, "", "–")


def _more(context: Context, ranked: list[Summary], classifier: str) -> Markup:
    """Other measures of the same test rows."""
    rows: list[Row] = []
    for method in ranked:
        result = context.result(method, classifier)
        optimistic, at = finite(result.get("best_error")), finite(result.get("best_size"))
        with_size = f"{percent(optimistic)} at {count(at)}" if at is not None else percent(optimistic)
        rows.append(
            [
                named(said(method, "name")),
                _share(result, "balanced_error"),
                _f1(result, "macro_f1"),
                _f1(result, "micro_f1"),
                Cell(with_size, optimistic),
            ]
        )
    if all(_is_nothing(cell) for row in rows for cell in row[1:]):
        return Markup()
    caption = f"Other measures, {context.classifiers[classifier]}"
    shown = _filled_columns(caption, _MORE_COLUMNS, rows)
    words = "“Optimistic” is the least error on the curve: its size was picked by the test rows themselves."
    has_optimistic = any(not _is_nothing(row[-1]) for row in rows)
    return folded("Other measures", shown, tag("p", words, class_="note") if has_optimistic else None)


def _most(result: Summary) -> float:
    return max(finite(result.get("high")) or 0.0, finite(result.get("error")) or 0.0)


def _row(context: Context, method: Summary, classifier: str, scale: Scale, best: Summary) -> Row:
    result = context.result(method, classifier)
    name = said(method, "name")
    look = context.looks[name]
    index = finite((method.get("stability") or {}).get("index"))
    if method is best:
        worse = "best"
    else:
        verdict = result.get("is_not_worse")
        worse = "–" if verdict is None else "no" if verdict else "yes"
    size, low, high = (finite(result.get(key)) for key in ("size", "size_low", "size_high"))
    sizes = f"{count(size)} ({count(low)}–{count(high)})" if low is not None and high is not None else count(size)
    rank, time = finite(result.get("rank")), finite(method.get("seconds"))
    return [
        named(name, look.swatch()),
        Cell(percent(result["error"]), float(result["error"])),
        _interval_cell(result, scale, look.css),
        Cell(sizes, size),
        Cell(number(rank), rank),
        Cell("–" if index is None else f"{index:.2f}".replace("-", "\N{MINUS SIGN}"), index),
        Cell(seconds(time), time),
        worse,
    ]


def _level_row(name: str, result: Summary, n_features: object, scale: Scale) -> Row:
    error = finite(result.get("error"))
    size = finite(n_features)
    dash = "–"
    return [
        name,
        Cell(percent(error), error),
        _interval_cell(result, scale, ""),
        Cell(count(size), size),
        *[dash] * (len(_COLUMNS) - 4),
    ]


def _interval_cell(result: Summary, scale: Scale, look: str) -> Cell:
    error, low, high = (finite(result.get(key)) for key in ("error", "low", "high"))
    if error is None:
        return Cell("–")
    if error > scale.high:
        return Cell("", error)
    words = interval(low, high) if low is not None and high is not None else ""
    return Cell(joined([span(scale, error, low, high, look), tag("span", words)]), error)


def _share(result: Summary, key: str) -> Cell:
    value = finite(result.get(key))
    return Cell(percent(value), value)


def _f1(result: Summary, key: str) -> Cell:
    value = finite(result.get(key))
    return Cell("–" if value is None else f"{value:.2f}", value)


def _sentences(context: Context, ranked: list[Summary], classifier: str) -> Markup:
    sentences = [context.result(method, classifier).get("sentence") for method in ranked]
    known = [tag("li", kept_together(words)) for words in dict.fromkeys(sentences) if words]
    if not known:
        return Markup()
    shown = tag("ul", *known[:_MOST_SENTENCES], class_="words")
    rest = known[_MOST_SENTENCES:]
    return joined([shown, folded(f"{len(rest)} more", tag("ul", *rest, class_="words")) if rest else None])


def _pairs(context: Context, classifier: str) -> Markup:
    found = [pair for pair in context.table.get("pairs") or () if pair.get("classifier") in (None, classifier)]
    found = [pair for pair in found if finite(pair.get("difference")) is not None]
    if not found:
        return Markup()
    furthest = max(abs(finite(pair.get(key)) or 0.0) for pair in found for key in ("difference", "low", "high"))
    scale = Scale(-furthest or -1.0, furthest or 1.0, 0, 100)
    has_tally = any(pair.get("better") is not None for pair in found)
    columns = [
        Column("Pair", False),
        Column("Difference", note="in points of error; below zero the first errs less"),
        Column("95 % interval", False),
        Column("p"),
        Column("p, adjusted", note="for the number of comparisons (Holm)"),
    ]
    if has_tally:
        columns.append(Column("Better / worse / same", note="splits by McNemar's test at .05"))
    has_rho = any(finite(pair.get("rho")) is not None for pair in found)
    if has_rho:
        columns.append(Column("Sizes won / lost", first="descending", note=_RHO))
    rows: list[Row] = []
    for pair in found:
        difference, low, high = (finite(pair.get(key)) for key in ("difference", "low", "high"))
        p, adjusted = finite(pair.get("p")), finite(pair.get("p_adjusted"))
        spread = span(scale, difference or 0.0, low, high, zero=True)
        words = "" if low is None or high is None else f"{points(low)} to {points(high)}"
        row: list[Cell | Markup | str] = [
            joined([name_of(said(pair, "a")), " against ", name_of(said(pair, "b"))]),
            Cell(points(difference), difference),
            Cell(joined([spread, tag("span", words)]), difference),
            Cell(p_value(p).removeprefix("p = ").removeprefix("p "), p),
            Cell(p_value(adjusted).removeprefix("p = ").removeprefix("p "), adjusted),
        ]
        if has_tally:
            row.append(" / ".join(count(pair.get(key)) for key in ("better", "worse", "same")))
        if has_rho:
            both = " / ".join(percent(pair.get(key)) for key in ("rho", "rho_back"))
            row.append(Cell(both, finite(pair.get("rho"))))
        rows.append(row)
    title = "Differences between methods, in points of error"
    sentences = list(dict.fromkeys(pair["sentence"] for pair in found if pair.get("sentence")))
    listed = folded(
        "In words", tag("ul", *(tag("li", kept_together(sentence)) for sentence in sentences), class_="words")
    )
    return folded(
        "Every pair of methods, tested",
        table(title, columns, rows, is_sortable=True),
        tag("p", f"“Sizes won / lost”: {_RHO}.", class_="note") if has_rho else None,
        listed if sentences else None,
    )


def _failed(context: Context) -> Markup:
    found = [method for method in context.table.get("methods") or () if method.get("failed")]
    if not found:
        return Markup()
    reasons = [
        tag("li", tag("strong", name_of(said(method, "name"))), " was left out: ", str(method["failed"]))
        for method in found
    ]
    return tag("ul", *reasons, class_="words failed")
