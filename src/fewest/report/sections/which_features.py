"""Which features? The answer in a sentence, and the list."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass

from fewest.display.formatting import MetricFormat, count, frequency, numbers, two_decimals
from fewest.report.elements import Cell, Column, Context, Table
from fewest.report.sections.data import flagged_columns
from fewest.summary import RecommendedFeature, RecommendedSubset

# The copied list has all features, the table no more than this.
_MAX_ROWS = 300


@dataclass(frozen=True)
class FeaturesSection:
    """The recommended features.

    method : how they were chosen, in words
    notes : what else is to be known of them
    table : None where there is nothing to recommend
    explained : what the errors in the table are
    cut : what the table leaves out, in words
    """

    recommended: RecommendedSubset
    method: str
    notes: list[str]
    table: Table | None
    explained: str
    cut: str


def which_features(context: Context) -> FeaturesSection | None:
    """Show the recommended features; None where no method was evaluated."""
    best = context.table.recommended
    if best is None:
        return None
    notes = [note for note in (context.table.split_note, *best.notes, best.replacement) if note]
    reason = f"Measured by {context.form.label}, since {context.metric_reason}." if context.metric_reason else ""
    chosen = " ".join(filter(None, (best.choice, reason)))
    if not best.features:
        return FeaturesSection(best, chosen, notes, None, "", "")
    method = f"Chosen by {best.method}, evaluated by {context.classifiers.get(best.classifier, best.classifier)}."
    shown = best.features[:_MAX_ROWS]
    cut = ""
    if len(shown) < len(best.features):
        cut = f"The first {count(len(shown))} are shown; the copied list has all {count(len(best.features))}."
    table = _table(best, context.form, flagged_columns(context.table.data))
    return FeaturesSection(best, f"{method} {chosen}".rstrip(), notes, table, _explained(best, context), cut)


def _explained(best: RecommendedSubset, context: Context) -> str:
    if best.fold_error is None or all(one.error_without is None and one.swap is None for one in best.features):
        return ""
    form = context.form
    is_tried = {one.error_without is not None for one in best.features[:_MAX_ROWS]}
    return (
        f"“Without it” and “best swap” are the {form.label} in the folds that chose these features, where all of them "
        f"give {form.text(best.fold_error)}: compare them with that figure only."
        f"{' A dash is where it was not tried.' if len(is_tried) == 2 else ''}"
    )


def _table(best: RecommendedSubset, form: MetricFormat, flagged: Set[str]) -> Table:
    features = best.features[:_MAX_ROWS]
    known = [feature.score for feature in features if feature.score is not None]
    # Bars begin at zero, or at the least score if some are negative.
    low = min([0.0, *known])
    width = max([score - low for score in known], default=0.0) or 1.0
    written = numbers([feature.score for feature in features])
    columns = [
        Column("Feature", False),
        Column("Order", note="the first was chosen first"),
        Column("Score", False, "descending", f"by {best.method} when it was chosen, higher is better"),
        Column("Chosen in", False, "descending", "share of the splits in which it was chosen"),
        Column("Without it", True, _worst_first(form), f"{form.label} of the others"),
        Column("Best swap", False, note=f"the best column in its place, with the {form.label} then"),
        Column("Most similar", False, note="the column most like it, with their correlation"),
    ]
    rows = [
        [
            Cell(one.name, kind="name", figure="flagged above" if one.name in flagged else ""),
            Cell(str(order), order),
            Cell() if one.score is None else Cell(score, one.score, bar=(one.score - low) / width),
            Cell() if one.frequency is None else Cell(frequency(one.frequency), one.frequency, bar=one.frequency),
            Cell() if one.error_without is None else Cell(form.text(one.error_without), form.value(one.error_without)),
            _partner(one.swap.feature, form.text(one.swap.error), form.value(one.swap.error)) if one.swap else Cell(),
            _similar(one),
        ]
        for order, (one, score) in enumerate(zip(features, written, strict=True), start=1)
    ]
    stable = set(best.stable)
    return Table(
        "The chosen features",
        columns,
        rows,
        is_sortable=True,
        sorted_by=1,
        shows_caption=False,
        kinds=["level" if one.frequency is not None and one.name not in stable else "" for one in features],
    ).without_empty_columns()


def _worst_first(form: MetricFormat) -> str:
    """The direction of sorting that shows first what is missed most."""
    return "descending" if form.lower_is_better else "ascending"


def _similar(feature: RecommendedFeature) -> Cell:
    if feature.similar is None:
        return Cell()
    correlation = feature.similar.correlation
    return _partner(feature.similar.feature, two_decimals(correlation), abs(correlation))


def _partner(name: str, figure: str, by: float) -> Cell:
    """Another feature with a figure."""
    return Cell(name, by, kind="name", figure=figure)
