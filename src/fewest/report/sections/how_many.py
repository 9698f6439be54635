"""How many? Error against the number of features, and what a threshold admits."""

from __future__ import annotations

from dataclasses import dataclass

from fewest.formatting import count, counted, number, percent, with_interval
from fewest.report.charts.curves import Chosen, Curve, CurvePicture, Level, Steps, thresholds_chart
from fewest.report.elements import Cell, Column, Context, Figure, Panel, Table, name_cell

_MAX_THRESHOLDS = 200


@dataclass(frozen=True)
class SizesSection:
    """Error by number of features for each classifier, and the numbers of features by threshold."""

    panels: list[Panel[Figure]]
    thresholds: Figure | None


def how_many(context: Context) -> SizesSection | None:
    """Show the error by number of features; None where one size was evaluated and no thresholds are known."""
    panels = context.panels((classifier, _figure(context, classifier)) for classifier in context.classifiers)
    thresholds = _thresholds(context)
    return SizesSection(panels, thresholds) if panels or thresholds else None


def _figure(context: Context, classifier: str) -> Figure | None:
    curves = [
        Curve(index, method.name, context.looks[method.name], method.curves[classifier])
        for index, method in enumerate(context.table.completed)
        if classifier in method.curves
    ]
    if all(len(curve.points) < 2 for curve in curves):
        return None
    chosen = _chosen(context, classifier, curves)
    levels, above = _levels(context, classifier, curves)
    picture = CurvePicture(curves, levels, chosen)
    title = context.classifiers[classifier]
    best = min(curves, key=lambda curve: min(point.error for point in curve.points))
    least = min(best.points, key=lambda point: point.error)
    alternative = (
        f"Error of {counted(len(curves), 'method')} with {title} against the number of features. "
        f"The lowest line is {best.name}: {percent(least.error)} with {counted(least.size, 'feature')}."
    )
    rows = [[Cell(count(size), size), *(_error_at(curve, size) for curve in curves)] for size in picture.sizes()]
    columns = [Column("Features"), *(Column(curve.name) for curve in curves)]
    return Figure(
        "How does the error fall as features are added?",
        picture.chart(alternative),
        Table(f"Error by number of features, {title}", columns, rows),
        note="Each line is the mean over the test parts, its band the 95 % interval.",
        text=" ".join(filter(None, [_ring(context, classifier, chosen), above])),
    )


def _levels(context: Context, classifier: str, curves: list[Curve]) -> tuple[list[Level], str]:
    """The horizontal rules, and a sentence on chance where drawing it would press all lines to the bottom."""
    levels = []
    everything = context.table.all_features.get(classifier)
    if everything is not None:
        levels.append(Level(f"all {count(context.table.n_columns)}", everything.error, "all"))
    chance = context.table.chance_error
    if CurvePicture(curves, levels, None).highest() < 0.4 * chance:
        return levels, f"Chance, {percent(chance)}, lies above the picture."
    return [*levels, Level("chance", chance, "chance")], ""


def _chosen(context: Context, classifier: str, curves: list[Curve]) -> Chosen | None:
    """The recommended size; for other classifiers the size of the method with the least error."""
    best = context.table.recommended
    if best is not None and classifier == best.classifier:
        name, size = best.method, best.size
    else:
        ranked = context.table.by_error(classifier)
        if not ranked:
            return None
        name, size = ranked[0].name, ranked[0].results[classifier].size
    curve = next(curve for curve in curves if curve.name == name)
    return Chosen(curve, min(max(size, curve.points[0].size), curve.points[-1].size))


def _ring(context: Context, classifier: str, chosen: Chosen | None) -> str:
    if chosen is None:
        return ""
    method = next(method for method in context.table.completed if method.name == chosen.curve.name)
    result = method.results[classifier]
    between = f"over the splits the size ran from {count(result.size_low)} to {count(result.size_high)}"
    return f"The ring marks {method.name} with {counted(chosen.size, 'feature')}; {between}."


def _error_at(curve: Curve, size: int) -> Cell:
    point = next((point for point in curve.points if point.size == size), None)
    return Cell() if point is None else Cell(with_interval(point.error, point.low, point.high))


def _thresholds(context: Context) -> Figure | None:
    found = []
    for method in context.table.completed:
        known = sorted((beta, size) for beta, size in method.size_by_beta if beta is not None)
        if len(known) > 1:
            found.append(Steps(method.name, context.looks[method.name], known))
    if not found:
        return None
    rows = [
        [name_cell(steps.name), Cell(number(beta)), Cell(count(size))]
        for steps in found
        for beta, size in list(reversed(steps.points))[:_MAX_THRESHOLDS]
    ]
    columns = [Column("Method", False), Column("Threshold"), Column("Features")]
    names = " and ".join(steps.name for steps in found)
    return Figure(
        "How many features does a threshold admit?",
        thresholds_chart(found, f"Number of features that {names} admits, by threshold: more as it falls."),
        Table("Features by threshold", columns, rows),
        note="The best subset for every cost of a feature (beta).",
    )
