"""A comparison in a few lines of plain words."""

from __future__ import annotations

from typing import Any

from fewest.evaluation.testing.intervals import Estimate

_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def share(value: float) -> str:
    """A share in percent, with two digits that count."""
    percent = 100 * value
    if abs(percent) >= 9.95:
        return f"{percent:.0f} %"
    return f"{percent:.1f} %" if abs(percent) >= 0.995 or percent == 0 else f"{percent:.2g} %"


def points(value: float) -> str:
    """A difference of shares, in percentage points."""
    number = f"{100 * value:.1f}" if abs(value) < 0.0995 else f"{100 * value:.0f}"
    return f"{number} point" if number in ("1", "1.0") else f"{number} points"


def told_apart(n: int, of: int, n_classes: int, error: Estimate, all_features: Estimate | None) -> str:
    """The sentence that answers the question."""
    classes = _NUMBERS[n_classes] if n_classes < len(_NUMBERS) else f"{n_classes:,}"
    verb = "tells" if n == 1 else "tell"
    sentence = (
        f"{n:,} of {of:,} features {verb} the {classes} classes apart with {share(error.error)} error "
        f"(95 % interval {share(error.low)} to {share(error.high)})"
    )
    return sentence + ("." if all_features is None else f"; all {of:,} give {share(all_features.error)}.")


def chosen_among(n_pairs: int, fixed: Estimate, *, is_counted: bool) -> str | None:
    """What choosing the best of several means for its error.

    is_counted : the error that is given counts the choice
    """
    if n_pairs == 1:
        return None
    best = f"The best of {n_pairs:,} pairs of method and classifier"
    if not is_counted:
        return f"{best} on the rows that they were tested on, which flatters it."
    return (
        f"{best}. The error counts that choice; had this pair been fixed beforehand, it would be {share(fixed.error)}."
    )


def in_words(summary: dict[str, Any]) -> str:
    """The answer in the order of the report: the sentence, the features, the methods, the warnings."""
    lines: list[str] = []
    for table in summary["tables"]:
        lines += ["", f"{table['name']}: {table['n_rows']:,} rows, {table['n_columns']:,} columns"]
        best = table["recommended"]
        if best is None:
            lines += ["nothing was done to the end"]
            continue
        lines += [
            best["sentence"],
            f"by {best['method']}, judged by {summary['made']['classifiers'][best['classifier']]}",
        ]
        lines += [best["choice"]] if best["choice"] else []
        lines += [f"note: {best['warning']}"] if best["warning"] else []
        lines += ["", *_features(best["features"]), "", *_methods(table)]
        lines += [table["leak"]["sentence"]] if table["leak"] else []
        lines += [f"{m['name']} was left out: {m['failed']}" for m in table["methods"] if m["failed"]]
    if summary["across"]:
        lines += ["", summary["across"]["sentence"], summary["across"]["pairs_sentence"]]
    if summary["is_partial"]:
        lines += ["", f"Interrupted: {summary['is_partial']}."]
    return "\n".join(lines).strip("\n")


def _features(features: list[dict[str, Any]], most: int = 12) -> list[str]:
    width = min(40, max([7, *(len(one["name"]) for one in features[:most])]))
    lines = [f"{'feature':<{width}}  chosen in   instead"]
    for one in features[:most]:
        name = one["name"] if len(one["name"]) <= width else one["name"][: width - 1] + "…"
        often = one["frequency"]
        bar = "" if often is None else f"{100 * often:>4.0f} % {'█' * round(5 * often):<5}"
        lines.append(f"{name:<{width}}  {bar:<12} {one['substitute'] or ''}".rstrip())
    if len(features) > most:
        lines.append(f"… and {len(features) - most} more")
    return lines


def _methods(table: dict[str, Any]) -> list[str]:
    rows = []
    for method in table["methods"]:
        if not method["results"]:
            continue
        name, found = min(method["results"].items(), key=lambda item: item[1]["error"])
        stable = method["stability"]
        rows.append((found["error"], method, name, found, stable["index"] if stable else None))
    rows.sort(key=lambda row: row[0])
    width = max([6, *(len(row[1]["name"]) for row in rows)])
    knows_truth = any(row[1]["truth"] for row in rows)
    auc_title = f"  {'AUC of truth':>12}" if knows_truth else ""
    lines = [
        f"{'method':<{width}}  {'error':>7}  {'interval':<18} {'features':>8}  {'stability':>9}  {'optimism':>9}"
        f"{auc_title}  by"
    ]
    for _, method, name, found, stable in rows:
        interval = f"{share(found['low'])} to {share(found['high'])}"
        optimism = "" if found["optimism"] is None else f"{100 * found['optimism']:.1f}"
        steady = "" if stable is None else f"{stable:.2f}"
        auc = f"  {method['truth']['auc']:>12.2f}" if knows_truth else ""
        mark = "" if found["is_not_worse"] else "  significantly worse"
        lines.append(
            f"{method['name']:<{width}}  {share(found['error']):>7}  {interval:<18} {found['size']:>8}  {steady:>9}  "
            f"{optimism:>9}{auc}  {name}{mark}"
        )
    best_all = min((found["error"] for found in table["all_features"].values()), default=None)
    if best_all is not None:
        lines.append(f"{'all features':<{width}}  {share(best_all):>7}  {'':<18} {table['n_columns']:>8}")
    lines.append(f"{'chance':<{width}}  {share(table['chance_error']):>7}")
    return lines
