"""What all sections of one table share: looks, classifiers and the switch between them, levels of headings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fewest.report.charts.looks import Look
from fewest.report.markup import Markup, finite, joined, tag

Summary = Mapping[str, Any]


@dataclass(frozen=True)
class Context:
    """One table, and how it is to be shown.

    key : what the ids of this table begin with
    level : the level of its sections' headings
    looks : of all methods of the page
    classifiers : those this table has results of, with their names in words
    """

    table: Summary
    key: str
    level: int
    looks: Mapping[str, Look]
    classifiers: Mapping[str, str]

    @property
    def methods(self) -> Sequence[Summary]:
        """The methods that ran through."""
        return [method for method in self.table.get("methods") or () if not method.get("failed")]

    @property
    def recommended(self) -> Summary:
        return self.table.get("recommended") or {}

    @property
    def shown_first(self) -> str | None:
        """The classifier shown before another is asked for: the recommended one."""
        wanted = self.recommended.get("classifier")
        return wanted if wanted in self.classifiers else next(iter(self.classifiers), None)

    def result(self, method: Summary, classifier: str) -> Summary:
        """What a method reached with a classifier; empty where there is nothing."""
        return (method.get("results") or {}).get(classifier) or {}

    def by_error(self, classifier: str) -> list[Summary]:
        """The methods with a result for a classifier, the least honest error first."""
        found = [method for method in self.methods if finite(self.result(method, classifier).get("error")) is not None]
        return sorted(found, key=lambda method: float(self.result(method, classifier)["error"]))

    def section(self, name: str, question: str, *content: Markup | None) -> Markup:
        """A section under its question; nothing where there is no content."""
        if not any(content):
            return Markup()
        return tag("section", tag(f"h{self.level}", question, class_="question"), *content, id=f"{self.key}-{name}")

    def figure(self, question: str, picture: Markup, *below: Markup | str | None, note: str = "") -> Markup:
        """A picture under the question it answers, with what belongs to it."""
        title = tag(f"h{self.level + 1}", question, class_="figure")
        return tag("figure", tag("figcaption", title, tag("p", note, class_="note") if note else None), picture, *below)

    def switched(self, place: str, panels: Mapping[str, Markup]) -> Markup:
        """One panel a classifier, with a switch between them; all switches of a table move together."""
        full = {classifier: panel for classifier, panel in panels.items() if panel}
        if len(full) <= 1:
            return joined(full.values())
        first = self.shown_first if self.shown_first in full else next(iter(full))
        choices = [
            tag(
                "label",
                tag("input", type="radio", name=f"{self.key}-{place}", value=classifier, checked=classifier == first),
                tag("span", self.classifiers.get(classifier, classifier)),
            )
            for classifier in full
        ]
        switch = tag("fieldset", tag("legend", "Classifier"), *choices, class_="switch needs-script")
        shown = [
            tag(
                "div",
                tag("p", f"Classifier: {self.classifiers.get(classifier, classifier)}", class_="note without-switch"),
                panel,
                class_="panel",
                data_classifier=classifier,
                hidden=classifier != first,
            )
            for classifier, panel in full.items()
        ]
        return joined([switch, *shown])


def classifiers_of(table: Summary, names: Mapping[str, Any]) -> dict[str, str]:
    """The classifiers that any method of a table has a result or a curve of, in the order of their names."""
    found: dict[str, None] = {}
    for method in table.get("methods") or ():
        for part in ("results", "curves"):
            found.update(dict.fromkeys((method.get(part) or {}).keys()))
    ordered = [key for key in names if key in found] + [key for key in found if key not in names]
    return {key: str(names.get(key) or key) for key in ordered}


def paragraph(words: str | Markup | None, css: str | None = None) -> Markup | None:
    """A paragraph, where there are words; a number stays with its percent sign."""
    if not words:
        return None
    return tag("p", words if isinstance(words, Markup) else kept_together(words), class_=css)


def kept_together(words: str) -> str:
    """The words with no break before a percent sign."""
    return words.replace(" %", "\N{NO-BREAK SPACE}%")
