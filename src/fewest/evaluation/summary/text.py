"""The summary of a comparison as text: the sentences of the report, and all of it for the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from fewest.display.formatting import (
    MetricFormat,
    count,
    count_in_words,
    enumerated,
    percent,
    precise_points,
    two_decimals,
)
from fewest.evaluation.testing.paired_tests import TIE
from fewest.summary import (
    AllFeatures,
    Estimate,
    RecommendedFeature,
    RecommendedSubset,
    Summary,
    TableSummary,
    TruthRanking,
)

_MAX_FEATURES = 12
_MAX_NAMED = 8
_NAME_WIDTH = 40
_PARTNER_WIDTH = 24
_INSIDE = "chosen inside"


def answer(
    n: int, of: int, n_classes: int, error: Estimate, everything: AllFeatures | None, metric: MetricFormat
) -> str:
    """State how many features separate the classes, with what error, and what all features do."""
    verb = "separates" if n == 1 else "separate"
    sentence = (
        f"{count(n)} of {count(of)} features {verb} the {count_in_words(n_classes)} classes with "
        f"{metric.phrase(error.error)} (95 % interval {metric.interval(error.low, error.high)})"
    )
    if everything is None:
        return f"{sentence}."
    whole = metric.text(everything.error)
    if everything.verdict == "better":
        return f"{sentence}; all {count(of)} do better: {whole}."
    if everything.verdict == "worse":
        return f"{sentence}; all {count(of)} give {whole}."
    if everything.error <= error.error or whole == metric.text(error.error):
        return f"{sentence}; all {count(of)} do as well: {whole}."
    return f"{sentence}; all {count(of)} give {whole}, no significant difference."


def no_answer(of: int, error: Estimate, chance: float, everything: AllFeatures | None, metric: MetricFormat) -> str:
    """State that nothing was found that beats guessing."""
    sentence = (
        f"No features were found that beat guessing: {metric.phrase(error.error)} (95 % interval "
        f"{metric.interval(error.low, error.high)}), and guessing gives {metric.text(chance)}"
    )
    if everything is not None and everything.high < chance:
        whole = metric.with_interval(everything.error, everything.low, everything.high)
        return f"{sentence}. All {count(of)} together do beat it: {whole}."
    return f"{sentence}."


def choice_sentence(method: str, classifier: str, n_pairs: int, *, is_inside: bool) -> str | None:
    """State how the method and the classifier were chosen; None where there was nothing to choose.

    is_inside : whether inner folds chose, in every split too
    """
    if n_pairs == 1:
        return None
    if not is_inside:
        return (
            f"The rows are too few for inner folds to choose among {count(n_pairs)} pairs of method and classifier: "
            f"these are the ones named first, {method} and {classifier}."
        )
    return (
        f"Inner folds chose among {count(n_pairs)} pairs of method and classifier, in every split anew: the error "
        "includes that choice."
    )


def stability_note(names: Sequence[str], stable: Sequence[str]) -> str | None:
    """State which part of the features is stable; None where all are."""
    if len(stable) == len(names):
        return None
    if not stable:
        subject = "None of these features was" if len(names) > 1 else "This feature was not"
        return f"{subject} chosen in at least half of the splits: other rows would choose others."
    if len(stable) <= _MAX_NAMED:
        subject = f"Only {enumerated(stable)} {'was' if len(stable) == 1 else 'were'}"
    else:
        subject = f"Only {count(len(stable))} of these features were"
    others = len(names) - len(stable)
    rest = "the other one changes" if others == 1 else f"the other {count(others)} change"
    return f"{subject} chosen in at least half of the splits; {rest} with the rows."


def edge_note(size: int, size_index: int, sizes: Sequence[int], n_columns: int) -> str | None:
    """State that the chosen size is at the edge of those tried, where there are more beyond it."""
    if len(sizes) < 2:
        return None
    if size_index == len(sizes) - 1 and size < n_columns:
        return f"{count(size)} is the largest size that was tried: more features may do better."
    if size_index == 0 and size > 1:
        return f"{count(size)} is the smallest size that was tried: fewer features may do as well."
    return None


def fixed_size_note(size: int, sizes: Sequence[int]) -> str | None:
    """State what the error of a requested size leaves out, where other sizes were tried too."""
    if len(sizes) < 2:
        return None
    return f"The size was fixed at {count(size)}: how that number was found is not part of the error."


def leak_sentence(leaked: float, honest: float, metric: MetricFormat, *, is_noise: bool) -> str:
    """State what error selecting before splitting would have promised."""
    if is_noise:
        optimism = "the difference is within noise"
    elif metric.is_percentage:
        points = precise_points(honest - leaked)
        optimism = f"{points} point{'' if points in ('1', '1.0') else 's'} of optimism"
    else:
        optimism = f"an optimism of {abs(honest - leaked):.3f}"
    return (
        f"Selecting before splitting would have promised {metric.text(leaked)}; the honest figure is "
        f"{metric.text(honest)}: {optimism}."
    )


def to_text(summary: Summary) -> str:
    """Write the summary in the order of the report: the answer, the features, the methods, the warnings."""
    lines: list[str] = []
    setup = summary.setup
    for table in summary.tables:
        lines += ["", f"{table.name}: {count(table.n_rows)} rows, {count(table.n_columns)} columns"]
        lines += [table.split_note] if table.split_note else []
        best = table.recommended
        if best is None:
            lines += ["no method was evaluated", *_data_notes(table)]
        else:
            lines.append(best.sentence)
            if best.beats_guessing:
                lines.append(f"by {best.method}, evaluated by {setup.classifiers[best.classifier]}")
            lines += [best.choice] if best.choice else []
            if setup.metric_reason:
                lines.append(f"note: Measured by {setup.metric.label}, since {setup.metric_reason}.")
            lines += [*(f"note: {note}" for note in best.notes), *_data_notes(table)]
            lines += ["", *_features(best, table.metric)] if best.features else []
            lines += ["", *_methods(table, best)]
        lines += [table.leak.sentence] if table.leak else []
        lines += [f"note: {table.filled_note}"] if table.filled_note else []
        lines += [f"{method.name} was left out: {method.failed}" for method in table.methods if method.failed]
    if summary.across:
        lines += ["", summary.across.sentence, summary.across.pairs_sentence]
    if summary.shortened:
        lines += ["", f"Not complete: {summary.shortened}."]
    if summary.stopped:
        lines += ["", f"Interrupted: {summary.stopped}."]
    return "\n".join(lines).strip("\n")


def _data_notes(table: TableSummary) -> list[str]:
    """What the data check set aside or warns of, a line each."""
    if table.data is None:
        return []
    aside = set(table.data.set_aside)
    said = [one for one in table.data.findings if one.severity != "note" or (one.columns and aside >= set(one.columns))]
    return [f"{one.severity}: {one.message} {one.action}" for one in said]


def _features(best: RecommendedSubset, metric: MetricFormat) -> list[str]:
    features: Sequence[RecommendedFeature] = best.features
    shown = features[:_MAX_FEATURES]
    width = min(_NAME_WIDTH, max([7, *(len(one.name) for one in shown)]))
    swaps = ["" if one.swap is None else f"{_short(one.swap.feature)} {metric.text(one.swap.error)}" for one in shown]
    room = max([9, *map(len, swaps)])
    lines = [f"{'feature':<{width}}  {'chosen in':<12}  {'without':>7}  {'best swap':<{room}}  most similar"]
    for one, swap in zip(shown, swaps, strict=True):
        bar = "" if one.frequency is None else f"{percent(one.frequency):>6} {'█' * round(5 * one.frequency):<5}"
        without = "" if one.error_without is None else metric.text(one.error_without)
        similar = ""
        if one.similar is not None:
            similar = f"{_short(one.similar.feature)} {two_decimals(one.similar.correlation)}"
        name = _short(one.name, width)
        lines.append(f"{name:<{width}}  {bar:<12}  {without:>7}  {swap:<{room}}  {similar}".rstrip())
    if len(features) > len(shown):
        lines.append(f"… and {len(features) - len(shown)} more")
    if best.fold_error is not None:
        what = f"{metric.label} in the inner folds of all rows, which also chose the features"
        is_tried = {one.error_without is not None for one in shown}
        blank = "; blank where it was not tried" if len(is_tried) == 2 else ""
        lines.append(f"without, best swap: {what} (with all of them {metric.text(best.fold_error)}){blank}")
    lines += [best.replacement] if best.replacement else []
    return lines


def _of_truth(truth: TruthRanking | None) -> str:
    auc, precision, recall = (truth.auc, truth.precision, truth.recall) if truth else (None, None, None)
    return f"  {two_decimals(auc):>12}  {two_decimals(precision):>9}  {two_decimals(recall):>6}"


def _short(name: str, width: int = _PARTNER_WIDTH) -> str:
    return name if len(name) <= width else name[: width - 1] + "…"


def _methods(table: TableSummary, best: RecommendedSubset) -> list[str]:
    """The methods, each with the classifier and the size chosen inside each split, and what they are compared with."""
    metric = table.metric
    done = [(method, method.nested) for method in table.methods if method.nested is not None]
    done.sort(key=lambda row: row[1].error)
    width = max([len(_INSIDE), *(len(method.name) for method, _ in done)])
    knows_truth = any(method.truth for method, _ in done)
    room = max(7, len(metric.label))
    titles = f"{metric.label:>{room}}  {'interval':<14} {'features':>8}  {'stability':>9}  {'optimism':>12}"
    titles += f"  {'AUC of truth':>12}  {'precision':>9}  {'recall':>6}" if knows_truth else ""
    lines = [f"{'method':<{width}}  {titles}  by"]

    def row(name: str, found: Estimate, size: int | None) -> str:
        interval = metric.interval(found.low, found.high)
        return f"{name:<{width}}  {metric.text(found.error):>{room}}  {interval:<14} {count(size):>8}"

    if len(done) > 1:
        lines.append(row(_INSIDE, best, best.size or None))
    for method, result in done:
        stability = "" if method.stability is None else two_decimals(method.stability.index)
        optimism = "" if result.optimism is None else "within noise"
        if result.optimism is not None and result.optimism > TIE:
            optimism = metric.difference(result.optimism) if metric.is_percentage else f"{result.optimism:.3f}"
        auc = _of_truth(method.truth) if knows_truth else ""
        mark = "" if result.is_not_worse else "  significantly worse"
        line = (
            f"{row(method.name, result, result.size)}  {stability:>9}  {optimism:>12}{auc}  {result.classifier}{mark}"
        )
        lines.append(line)
    if table.without_selection:
        lines.append(row("all features", table.without_selection, table.n_columns))
    lines.append(f"{'guessing':<{width}}  {metric.text(table.chance_error):>{room}}")
    return lines
