"""The summary of a comparison as text: the sentences of the report, and all of it for the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from fewest.formatting import count, count_in_words, percent, precise_points, two_decimals
from fewest.summary import Estimate, RecommendedFeature, Summary, TableSummary

_MAX_FEATURES = 12
_NAME_WIDTH = 40
# A smaller difference is called no optimism.
_LEAST_OPTIMISM = 5e-4


def answer(n: int, of: int, n_classes: int, error: Estimate, all_features: Estimate | None) -> str:
    """State how many features separate the classes, and with what error."""
    verb = "separates" if n == 1 else "separate"
    sentence = (
        f"{count(n)} of {count(of)} features {verb} the {count_in_words(n_classes)} classes with "
        f"{percent(error.error)} error (95 % interval {percent(error.low)} to {percent(error.high)})"
    )
    return sentence + ("." if all_features is None else f"; all {count(of)} give {percent(all_features.error)}.")


def effect_of_choosing(n_pairs: int, fixed: Estimate, *, is_counted: bool) -> str | None:
    """State what choosing the best of several pairs of method and classifier means for its error.

    is_counted : whether the error includes that choice
    """
    if n_pairs == 1:
        return None
    best = f"The best of {count(n_pairs)} pairs of method and classifier"
    if not is_counted:
        return f"{best} on the test rows themselves, which makes its error optimistic."
    fixed_error = percent(fixed.error)
    return f"{best}. The error includes that choice; had this pair been fixed beforehand, it would be {fixed_error}."


def leak_sentence(method: str, leaked: float, honest: float) -> str:
    """State what error selecting before splitting would have promised."""
    optimism = "no optimism here"
    if honest - leaked > _LEAST_OPTIMISM:
        points = precise_points(honest - leaked)
        optimism = f"{points} point{'' if points in ('1', '1.0') else 's'} of optimism"
    return (
        f"Selecting by {method} before splitting would have promised {percent(leaked)}; the honest "
        f"figure is {percent(honest)}: {optimism}."
    )


def to_text(summary: Summary) -> str:
    """Write the summary in the order of the report: the answer, the features, the methods, the warnings."""
    lines: list[str] = []
    for table in summary.tables:
        lines += ["", f"{table.name}: {count(table.n_rows)} rows, {count(table.n_columns)} columns"]
        best = table.recommended
        if best is None:
            lines.append("no method was evaluated")
        else:
            lines += [best.sentence, f"by {best.method}, evaluated by {summary.setup.classifiers[best.classifier]}"]
            lines += [best.choice] if best.choice else []
            lines += [f"note: {best.warning}"] if best.warning else []
            lines += ["", *_features(best.features), "", *_methods(table)]
        lines += [table.leak.sentence] if table.leak else []
        lines += [f"{method.name} was left out: {method.failed}" for method in table.methods if method.failed]
    if summary.across:
        lines += ["", summary.across.sentence, summary.across.pairs_sentence]
    if summary.stopped:
        lines += ["", f"Interrupted: {summary.stopped}."]
    return "\n".join(lines).strip("\n")


def _features(features: Sequence[RecommendedFeature]) -> list[str]:
    shown = features[:_MAX_FEATURES]
    width = min(_NAME_WIDTH, max([7, *(len(one.name) for one in shown)]))
    lines = [f"{'feature':<{width}}  chosen in   instead"]
    for one in shown:
        name = one.name if len(one.name) <= width else one.name[: width - 1] + "…"
        bar = "" if one.frequency is None else f"{percent(one.frequency):>6} {'█' * round(5 * one.frequency):<5}"
        lines.append(f"{name:<{width}}  {bar:<12} {one.substitute or ''}".rstrip())
    if len(features) > len(shown):
        lines.append(f"… and {len(features) - len(shown)} more")
    return lines


def _methods(table: TableSummary) -> list[str]:
    rows = []
    for method in table.methods:
        if method.results:
            classifier, result = min(method.results.items(), key=lambda item: item[1].error)
            rows.append((method, classifier, result))
    rows.sort(key=lambda row: row[2].error)
    width = max([6, *(len(method.name) for method, _, _ in rows)])
    knows_truth = any(method.truth for method, _, _ in rows)
    titles = f"{'error':>7}  {'interval':<18} {'features':>8}  {'stability':>9}  {'optimism':>9}"
    titles += f"  {'AUC of truth':>12}" if knows_truth else ""
    lines = [f"{'method':<{width}}  {titles}  by"]
    for method, classifier, result in rows:
        interval = f"{percent(result.low)} to {percent(result.high)}"
        optimism = "" if result.optimism is None else f"{100 * result.optimism:.1f}"
        stability = "" if method.stability is None else two_decimals(method.stability.index)
        auc = f"  {two_decimals(method.truth.auc if method.truth else None):>12}" if knows_truth else ""
        mark = "" if result.is_not_worse else "  significantly worse"
        lines.append(
            f"{method.name:<{width}}  {percent(result.error):>7}  {interval:<18} {result.size:>8}  {stability:>9}  "
            f"{optimism:>9}{auc}  {classifier}{mark}"
        )
    if table.all_features:
        least = min(found.error for found in table.all_features.values())
        lines.append(f"{'all features':<{width}}  {percent(least):>7}  {'':<18} {table.n_columns:>8}")
    lines.append(f"{'chance':<{width}}  {percent(table.chance_error):>7}")
    return lines
