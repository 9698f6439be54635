"""What the templates lay out: tables, figures and panels of classifiers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from markupsafe import Markup

from fewest.display.formatting import MetricFormat
from fewest.report.charts.axis_scales import Scale
from fewest.report.charts.looks import Look
from fewest.summary import ClassifierResult, MethodSummary, NestedResult, TableSummary

MISSING = "–"

# Tables of more columns are scrolled on a telephone; the style sheet names as many.
MAX_LISTED_COLUMNS = 9


@dataclass(frozen=True)
class Column:
    """The head of a column. `first` is the direction of its first sorting; `note` explains it."""

    title: str
    is_number: bool = True
    first: str = "ascending"
    note: str = ""


@dataclass(frozen=True)
class Strip:
    """A point with its interval, in percent of a scale that all rows share; `zero` marks where zero is."""

    at: float
    left: float
    width: float
    css: str = ""
    zero: float | None = None

    @classmethod
    def on(cls, scale: Scale, at: float, low: float, high: float, css: str = "", *, zero: bool = False) -> Strip:
        """Draw an interval on a scale from 0 to 100, cut at its ends."""
        left, right = sorted((scale(max(low, scale.low)), scale(min(high, scale.high))))
        return cls(scale(at), left, right - left, css, scale(0) if zero else None)


@dataclass(frozen=True)
class Cell:
    """A cell of a table.

    by : the number it is sorted by; None sorts last in both directions
    kind : "name" isolates the writing direction, "strong" is bold, "code" is code
    icon : a swatch or mark in front of the text
    href : what the text links to
    against : a second name, of a pair
    figure : a number that follows a name
    bar : a share drawn as a bar in front of the text
    strip : an interval drawn in front of the text
    """

    text: str = MISSING
    by: float | None = None
    kind: str = ""
    icon: Markup | None = None
    href: str = ""
    against: str = ""
    bar: float | None = None
    strip: Strip | None = None
    figure: str = ""

    @property
    def is_missing(self) -> bool:
        """Whether there is nothing to show."""
        return self.text in ("", MISSING) and self.strip is None


Row = Sequence[Cell]


def name_cell(name: str, icon: Markup | None = None) -> Cell:
    """A cell that names a feature, class, method or table."""
    return Cell(name, kind="name", icon=icon)


@dataclass(frozen=True)
class Table:
    """A table whose first column names the rows. `kinds` are classes of the style sheet, one per row."""

    caption: str
    columns: Sequence[Column]
    rows: Sequence[Row]
    is_sortable: bool = False
    sorted_by: int | None = None
    shows_caption: bool = True
    kinds: Sequence[str] = ()

    @property
    def is_list(self) -> bool:
        """Whether a telephone shows each row as a block of named values, since side by side they do not fit."""
        return 3 <= len(self.columns) <= MAX_LISTED_COLUMNS

    def without_empty_columns(self) -> Table:
        """Drop the columns that have no value in any row."""
        used = [i for i in range(len(self.columns)) if not all(row[i].is_missing for row in self.rows)]
        return replace(
            self, columns=[self.columns[i] for i in used], rows=[[row[i] for i in used] for row in self.rows]
        )


@dataclass(frozen=True)
class Figure:
    """A picture under the question that it answers.

    numbers : the table behind the picture, folded
    text : a finding below the picture
    table : a table below the picture, open
    more : another table behind the picture, folded with the numbers
    """

    question: str
    picture: Markup
    numbers: Table
    note: str = ""
    text: str = ""
    table: Table | None = None
    more: Table | None = None


Content = TypeVar("Content")


@dataclass(frozen=True)
class Panel(Generic[Content]):
    """What is shown for one classifier; `title` is the classifier in words."""

    classifier: str
    title: str
    content: Content
    is_shown: bool


@dataclass(frozen=True)
class Context:
    """What all sections of one table share.

    key : prefix of the ids of this table
    level : level of the headings of its sections
    looks : by method, for the whole page
    classifiers : those with results on this table, with their names in words
    metric_reason : why the metric is another than the plain error, where nobody asked for it
    """

    table: TableSummary
    key: str
    level: int
    looks: Mapping[str, Look]
    classifiers: Mapping[str, str]
    metric_reason: str | None = None

    @property
    def form(self) -> MetricFormat:
        """How the losses of this table are written."""
        return self.table.metric

    @property
    def metric(self) -> str:
        """The name of the metric, at the beginning of a sentence."""
        label = self.form.label
        return label[0].upper() + label[1:]

    def figures(self, method: MethodSummary) -> NestedResult | ClassifierResult | None:
        """The figures of a method: with the classifier chosen inside each split, or with the recommended one."""
        return method.nested or method.results.get(self.shown_first or "")

    @property
    def shown_first(self) -> str | None:
        """The classifier shown first: the recommended one."""
        if self.table.recommended:
            return self.table.recommended.classifier
        return next(iter(self.classifiers), None)

    def panels(self, contents: Iterable[tuple[str, Content | None]]) -> list[Panel[Content]]:
        """Make one panel per classifier that has content; the recommended classifier is shown first."""
        known = {classifier: content for classifier, content in contents if content is not None}
        first = self.shown_first if self.shown_first in known else next(iter(known), None)
        return [Panel(key, self.classifiers[key], content, key == first) for key, content in known.items()]

    def icon(self, method: MethodSummary) -> Markup:
        """The line and mark of a method."""
        return self.looks[method.name].swatch()
