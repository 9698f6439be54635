"""Tables: sortable where that helps, with bars and intervals in their cells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fewest.report.charts.axis_scales import Scale
from fewest.report.markup import Markup, Piece, joined, name_of, tag, text


@dataclass(frozen=True)
class Column:
    """The head of a column. `first` is the direction of its first sorting; `note` explains it."""

    title: str
    is_number: bool = True
    first: str = "ascending"
    note: str = ""


@dataclass(frozen=True)
class Cell:
    """What is shown and by which number it is sorted (None: last, whichever the direction)."""

    shown: Piece
    by: float | None = None


Row = Sequence[Cell | Markup | str]


def table(
    caption: str,
    columns: Sequence[Column],
    rows: Sequence[Row],
    *,
    is_sortable: bool = False,
    sorted_by: int | None = None,
    shows_caption: bool = True,
    kinds: Sequence[str] = (),
) -> Markup:
    """A table whose first column names the rows. `kinds` are classes of the style sheet, one a row."""
    heads = [_head(column, is_sortable, place == sorted_by) for place, column in enumerate(columns)]
    body = [
        tag(
            "tr",
            *(
                _cell(cell, column, place == 0, is_sortable)
                for place, (cell, column) in enumerate(zip(row, columns, strict=True))
            ),
            class_=(kinds[number] or None) if kinds else None,
        )
        for number, row in enumerate(rows)
    ]
    whole = tag(
        "table",
        tag("caption", caption, class_=None if shows_caption else "unseen"),
        tag("thead", tag("tr", *heads)),
        tag("tbody", *body),
        class_="sortable" if is_sortable else None,
    )
    # A table wider than the screen scrolls inside its own frame, which the keyboard has to reach.
    return tag("div", whole, class_="scroll", tabindex="0", role="region", aria_label=caption)


def behind(caption: str, columns: Sequence[Column], rows: Sequence[Row]) -> Markup:
    """The table behind a picture, closed until asked for."""
    return folded("The numbers behind this picture", table(caption, columns, rows))


def folded(title: str, *content: Piece) -> Markup:
    """Something closed until asked for."""
    return tag("details", tag("summary", title), *content)


def named(name: str, look: Markup | None = None) -> Markup:
    """A name, with its colour and mark where it has them."""
    return joined([look, name_of(name)], " ") if look else name_of(name)


def bar(share: float, label: str) -> Markup:
    """A bar from zero, its number beside it."""
    filled = tag("i", style=f"width:{100 * min(max(share, 0.0), 1.0):.1f}%")
    return tag("span", tag("span", filled, class_="bar", aria_hidden="true"), tag("span", label), class_="barred")


def span(scale: Scale, at: float, low: float | None, high: float | None, look: str = "", zero: bool = False) -> Markup:
    """A point and its interval on a scale that all rows share; a hairline where it is zero."""
    inner = [tag("u", style=f"left:{scale(0):.1f}%")] if zero else []
    if low is not None and high is not None:
        left, right = scale(max(low, scale.low)), scale(min(high, scale.high))
        inner.append(tag("i", style=f"left:{left:.1f}%;width:{max(right - left, 0):.1f}%"))
    inner.append(tag("b", style=f"left:{scale(at):.1f}%"))
    return tag("span", *inner, class_=f"span {look}".strip(), aria_hidden="true")


def _head(column: Column, is_sortable: bool, is_sorted: bool) -> Markup:
    kind = "number" if column.is_number else None
    note = column.note or None
    if not is_sortable:
        return tag("th", column.title, scope="col", class_=kind, title=note)
    button = tag("button", column.title, type="button", title=note)
    direction = column.first if is_sorted else "none"
    return tag("th", button, scope="col", class_=kind, aria_sort=direction, data_first=column.first)


def _cell(cell: Cell | Markup | str, column: Column, is_name: bool, is_sortable: bool) -> Markup:
    shown, by = (cell.shown, cell.by) if isinstance(cell, Cell) else (cell, None)
    by_text = None if by is None or not is_sortable else f"{by:.6g}"
    if is_name:
        # The first cell of a row is a heading by where it stands.
        return tag("th", text(shown), class_="number" if column.is_number else None, data_by=by_text)
    # Most cells are numbers, so that words are told apart instead.
    return tag("td", text(shown), class_=None if column.is_number else "text", data_by=by_text)
