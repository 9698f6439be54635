"""How many? Error against the number of features, and what a threshold admits."""

from __future__ import annotations

from fewest.formatting import count, counted, number, percent, with_interval
from fewest.report.charts.curves import Chosen, Curve, CurvePicture, Level, curves_chart
from fewest.report.charts.threshold_lines import Steps, thresholds_chart
from fewest.report.context import Context, Summary, paragraph
from fewest.report.markup import Markup, finite, joined, said
from fewest.report.tables import Cell, Column, Row, behind

_MOST_THRESHOLDS = 200


def how_many(context: Context) -> Markup:
    panels = {classifier: _panel(context, classifier) for classifier in context.classifiers}
    return context.section("size", "How many?", context.switched("size", panels), _thresholds(context))


def _panel(context: Context, classifier: str) -> Markup:
    curves = _curves(context, classifier)
    # Where one size was judged there is nothing to see of how many it takes.
    if all(len(curve.points) < 2 for curve in curves):
        return Markup()
    chosen = _chosen(context, classifier, curves)
    levels, above = _levels(context, classifier, curves)
    picture = CurvePicture(curves, levels, chosen)
    judged = context.classifiers[classifier]
    best = min(curves, key=lambda curve: min(point[1] for point in curve.points))
    least = min(best.points, key=lambda point: point[1])
    alternative = (
        f"Error of {counted(len(curves), 'method')} with {judged} against the number of features. "
        f"The lowest line is {best.name}: {percent(least[1])} with {counted(least[0], 'feature')}."
    )
    note = "Each line is the mean over the test parts, its band the 95 % interval."
    rows: list[Row] = [[Cell(count(size), size), *(_at(curve, size) for curve in curves)] for size in picture.sizes()]
    columns = [Column("Features"), *(Column(curve.name) for curve in curves)]
    return context.figure(
        "How does the error fall as features are added?",
        curves_chart(picture, alternative),
        paragraph(_in_words(context, classifier, chosen, above)),
        behind(f"Error by number of features, {judged}", columns, rows),
        note=note,
    )


def _curves(context: Context, classifier: str) -> list[Curve]:
    found = []
    for place, method in enumerate(context.methods):
        points = sorted(_points(method, classifier))
        if points:
            name = said(method, "name")
            found.append(Curve(place, name, context.looks[name], points))
    return found


def _points(method: Summary, classifier: str) -> list[tuple[float, float, float | None, float | None]]:
    found = []
    for point in (method.get("curves") or {}).get(classifier) or ():
        size, error = finite(point.get("size")), finite(point.get("error"))
        if size is not None and error is not None:
            found.append((size, error, finite(point.get("low")), finite(point.get("high"))))
    return found


def _levels(context: Context, classifier: str, curves: list[Curve]) -> tuple[list[Level], str]:
    """The thin rules, and a sentence on chance where drawing it would press all lines to the bottom."""
    levels, above = [], ""
    everything = finite(((context.table.get("all_features") or {}).get(classifier) or {}).get("error"))
    if everything is not None:
        levels.append(Level(f"all {count(context.table.get('n_columns'))}", everything, "all"))
    chance = finite(context.table.get("chance_error"))
    if chance is not None:
        highest = CurvePicture(curves, levels, None).highest()
        if highest < 0.4 * chance:
            above = f"Chance, {percent(chance)}, lies above the picture."
        else:
            levels.append(Level("chance", chance, "chance"))
    return levels, above


def _chosen(context: Context, classifier: str, curves: list[Curve]) -> Chosen | None:
    """The recommended size; for other classifiers the size of the method with the least honest error."""
    recommended = context.recommended
    name, size = said(recommended, "method"), finite(recommended.get("size"))
    if classifier != recommended.get("classifier"):
        ranked = context.by_error(classifier)
        name = said(ranked[0], "name") if ranked else ""
        size = finite(context.result(ranked[0], classifier).get("size")) if ranked else None
    curve = next((curve for curve in curves if curve.name == name), None)
    if curve is None or size is None:
        return None
    return Chosen(curve, min(max(size, curve.points[0][0]), curve.points[-1][0]))


def _in_words(context: Context, classifier: str, chosen: Chosen | None, above: str) -> str:
    words = []
    if chosen:
        method = next(method for method in context.methods if said(method, "name") == chosen.curve.name)
        result = context.result(method, classifier)
        low, high = finite(result.get("size_low")), finite(result.get("size_high"))
        between = f"; over the splits the size ran from {count(low)} to {count(high)}" if low and high else ""
        words.append(f"The ring marks {chosen.curve.name} with {counted(chosen.size, 'feature')}{between}.")
    if above:
        words.append(above)
    return " ".join(words)


def _at(curve: Curve, size: float) -> str:
    point = next((point for point in curve.points if point[0] == size), None)
    return "–" if point is None else with_interval(*point[1:])


def _thresholds(context: Context) -> Markup:
    found = []
    for method in context.methods:
        steps = [(finite(beta), finite(size)) for beta, size in method.get("size_by_beta") or ()]
        known = sorted((beta, size) for beta, size in steps if beta is not None and size is not None)
        if len(known) > 1:
            name = said(method, "name")
            found.append(Steps(name, context.looks[name], known))
    if not found:
        return Markup()
    rows: list[Row] = [
        [steps.name, number(beta), count(size)]
        for steps in found
        for beta, size in list(reversed(steps.points))[:_MOST_THRESHOLDS]
    ]
    columns = [Column("Method", False), Column("Threshold"), Column("Features")]
    names = " and ".join(steps.name for steps in found)
    return context.figure(
        "How many features does a threshold admit?",
        joined([thresholds_chart(found, f"Number of features that {names} admits, by threshold: more as it falls.")]),
        behind("Features by threshold", columns, rows),
        note="The best subset for every cost of a feature (beta).",
    )
