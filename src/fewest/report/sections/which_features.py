"""Which features? The answer in a sentence, and the list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fewest.formatting import count, number, percent
from fewest.report.elements import Cell, Column, Context, Table, name_cell
from fewest.summary import RecommendedFeature, RecommendedSubset

# The copied list has all features, the table no more than this.
_MAX_ROWS = 300


@dataclass(frozen=True)
class FeaturesSection:
    """The recommended features.

    method : how they were chosen, in words
    cut : what the table leaves out, in words
    """

    recommended: RecommendedSubset
    method: str
    table: Table
    names: list[str]
    cut: str


def which_features(context: Context) -> FeaturesSection | None:
    """Show the recommended features; None where no method was evaluated."""
    best = context.table.recommended
    if best is None:
        return None
    method = f"Chosen by {best.method}, evaluated by {context.classifiers[best.classifier]}."
    shown = best.features[:_MAX_ROWS]
    cut = ""
    if len(shown) < len(best.features):
        cut = f"The first {count(len(shown))} are shown; the copied list has all {count(len(best.features))}."
    names = [feature.name for feature in best.features]
    return FeaturesSection(best, f"{method} {best.choice or ''}".rstrip(), _table(shown), names, cut)


def _table(features: Sequence[RecommendedFeature]) -> Table:
    known = [feature.score for feature in features if feature.score is not None]
    # Bars begin at zero, or at the least score if some are negative.
    low = min([0.0, *known])
    width = max([score - low for score in known], default=0.0) or 1.0
    columns = [
        Column("Feature", False),
        Column("Order", note="the first was chosen first"),
        Column("Score", False, "descending", "higher is better"),
        Column("Chosen in", False, "descending", "share of the resamples in which it was chosen"),
        Column("Substitute", False, note="the feature that is chosen if this one is withheld"),
    ]
    rows = [
        [
            name_cell(one.name),
            Cell(str(order), order),
            Cell() if one.score is None else Cell(number(one.score), one.score, bar=(one.score - low) / width),
            Cell() if one.frequency is None else Cell(percent(one.frequency), one.frequency, bar=one.frequency),
            name_cell(one.substitute) if one.substitute else Cell(),
        ]
        for order, one in enumerate(features, start=1)
    ]
    caption = "The chosen features"
    return Table(caption, columns, rows, is_sortable=True, sorted_by=1, shows_caption=False).without_empty_columns()
