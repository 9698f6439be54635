"""How many? Error against the number of features, and what a threshold admits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fewest.display.formatting import MetricFormat, count, counted, number, percent, two_decimals
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
    picture, beyond = CurvePicture.of(curves, _levels(context, classifier), chosen, context.form)
    form, title = context.form, context.classifiers[classifier]
    best = min(curves, key=lambda curve: min(point.error for point in curve.points))
    least = min(best.points, key=lambda point: point.error)
    alternative = (
        f"{context.metric} of {counted(len(curves), 'method')} with {title} against the number of features. "
        f"The best value is that of {best.name}: {form.text(least.error)} with {counted(least.size, 'feature')}."
    )
    rows = [[Cell(count(size), size), *(_error_at(curve, size, form) for curve in curves)] for size in picture.sizes()]
    columns = [Column("Features"), *(Column(curve.name) for curve in curves)]
    return Figure(
        f"How does the {form.label} change as features are added?",
        picture.chart(alternative),
        Table(f"{context.metric} by number of features, {title}", columns, rows),
        note=_note(len(curves), [level.long_name for level in picture.levels if level.css == "all"], chosen),
        text=" ".join(filter(None, [_ring(context, classifier, chosen), _beyond(context, picture, beyond)])),
        more=_measures(context, chosen),
    )


def _measures(context: Context, chosen: Chosen | None) -> Table | None:
    """Other measures of the marked method at every size, and what selecting before splitting would have promised."""
    points = chosen.curve.points if chosen else ()
    if chosen is None or all(point.balanced_error is None for point in points):
        return None
    has_leak = any(point.leaked_error is not None for point in points)
    columns = [Column("Features"), Column("Balanced error"), Column("Macro F1"), Column("Micro F1")]
    columns += [Column(f"{context.metric} promised by a leak")] if has_leak else []
    rows = []
    for point in points:
        row = [
            Cell(count(point.size), point.size),
            Cell(percent(point.balanced_error)),
            Cell(two_decimals(point.macro_f1)),
            Cell(two_decimals(point.micro_f1)),
        ]
        leaked = Cell() if point.leaked_error is None else Cell(context.form.text(point.leaked_error))
        rows.append([*row, leaked] if has_leak else row)
    return Table(f"Other measures of {chosen.curve.name} by number of features", columns, rows)


def _note(n_curves: int, levels: Sequence[str], chosen: Chosen | None) -> str:
    note = "The line is the mean" if n_curves == 1 else "Lines are means"
    note += " over the test parts"
    if chosen:
        note += f", the band the 95 % interval{'' if n_curves == 1 else ' of the marked one'}"
    return f"{note}." + "".join(f" Dashed: {level} with this classifier." for level in levels)


def _levels(context: Context, classifier: str) -> list[Level]:
    """The horizontal rules: what all features achieve, and guessing."""
    levels = [Level("guessing", "guessing", context.table.chance_error, "chance")]
    everything = context.table.all_features.get(classifier)
    if everything is not None:
        name = f"all {count(context.table.n_columns)}"
        levels.insert(0, Level(name, f"{name} features", everything.error, "all"))
    return levels


def _beyond(context: Context, picture: CurvePicture, levels: Sequence[Level]) -> str:
    """Name the rules that lie beyond the picture, since drawing them would press all lines together."""
    is_above = [(level.error > picture.range()[1]) == context.form.lower_is_better for level in levels]
    return " ".join(
        f"The level of {level.long_name}, {context.form.text(level.error)}, lies {'above' if above else 'below'} the "
        "picture."
        for level, above in zip(levels, is_above, strict=True)
    )


def _chosen(context: Context, classifier: str, curves: list[Curve]) -> Chosen | None:
    """The recommended size; for other classifiers the size of the method with the least error."""
    best = context.table.recommended
    if best is not None and not best.features:
        return None
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
    ring = f"The ring marks {method.name} with {counted(chosen.size, 'feature')}"
    if result.size_low == result.size_high:
        same = "the same" if result.size_low == chosen.size else count(result.size_low)
        ring += f"; nearly all splits chose {same}."
    else:
        ring += f"; in most splits it chose {count(result.size_low)} to {count(result.size_high)}."
    return " ".join(filter(None, [ring, _beside_answer(context, classifier, chosen)]))


def _beside_answer(context: Context, classifier: str, chosen: Chosen) -> str:
    """Why the ring is not at the error of the answer, where it is not: there the choices are part of the error."""
    best, form = context.table.recommended, context.form
    if best is None or (classifier, chosen.curve.name, chosen.size) != (best.classifier, best.method, best.size):
        return ""
    here = next((form.text(point.error) for point in chosen.curve.points if point.size == chosen.size), "")
    answered = form.text(best.error)
    if not here or here == answered:
        return ""
    return (
        f"It stands at {here}, that of this size in every split; the {answered} of the answer are those of what each "
        "split chose by itself."
    )


def _error_at(curve: Curve, size: int, form: MetricFormat) -> Cell:
    point = next((point for point in curve.points if point.size == size), None)
    return Cell() if point is None else Cell(form.with_interval(point.error, point.low, point.high))


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
