"""A comparison as the report shows it: plain dictionaries and lists."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np

from fewest.arrays import Integers
from fewest.evaluation.comparison import Comparison, MethodResult, TableResult
from fewest.evaluation.run.measures import mean_roc_curve, on_top, roc_curve, scores_of_order
from fewest.evaluation.summary.recommendation import Recommendation, recommend
from fewest.evaluation.summary.words import chosen_among, points, share, told_apart
from fewest.evaluation.testing.across_tables import across
from fewest.evaluation.testing.significance import (
    corrected_t,
    holm_adjusted,
    not_worse_than_best,
    rm_characteristic,
    tally_mcnemar,
)

_FREQUENCIES_SHOWN = 40
_FEATURES_IN_MAP = 30


def summarise(comparison: Comparison) -> dict[str, Any]:
    """Everything that the report and the terminal show."""
    return {
        "title": ", ".join(table.name for table in comparison.tables),
        "made": {
            **comparison.settings,
            "command": comparison.settings.get("command"),
            "seconds": comparison.seconds,
            "classifiers": comparison.classifiers,
        },
        "is_partial": comparison.stopped,
        "tables": [_table(table, comparison) for table in comparison.tables],
        "across": across(comparison),
    }


def rows_of(summary: dict[str, Any]) -> list[dict[str, Any]]:
    """One row a table, method and classifier, the least error first; all features and chance among them."""
    rows = []
    knows_truth = any(method["truth"] for table in summary["tables"] for method in table["methods"])
    for table in summary["tables"]:
        own = []
        for method in table["methods"]:
            for classifier, found in method["results"].items():
                stable = method["stability"] or {}
                own.append(
                    {
                        "table": table["name"], "method": method["name"], "classifier": classifier,
                        "error": found["error"], "low": found["low"], "high": found["high"],
                        "features": found["size"], "rank": found["rank"], "stability": stable.get("index"),
                        "seconds": method["seconds"], "optimism": found["optimism"],
                        "is_not_worse": found["is_not_worse"],
                    }
                )  # fmt: skip
                if knows_truth:
                    own[-1] |= {"auc": (method["truth"] or {}).get("auc")}
        for classifier, found in table["all_features"].items():
            own.append({"table": table["name"], "method": "all features", "classifier": classifier, **found})
            own[-1] |= {"features": table["n_columns"]}
        own.append({"table": table["name"], "method": "chance", "classifier": None, "error": table["chance_error"]})
        own[-1] |= {"features": 0}
        columns = list(own[0])
        rows += sorted(
            ({column: row.get(column) for column in columns} for row in own),
            key=lambda row: (row["error"], row["features"]),
        )
    return rows


def _table(table: TableResult, comparison: Comparison) -> dict[str, Any]:
    classifiers = list(comparison.classifiers)
    best = recommend(table, classifiers, comparison.settings["size"])
    ranks = {classifier: _ranks(table, classifier) for classifier in classifiers}
    against_best = {classifier: _against_best(table, classifier) for classifier in classifiers}
    methods = []
    for method in table.methods:
        known: dict[str, Any] = {
            "name": method.name, "parameters": method.parameters, "failed": method.failed, "seconds": method.seconds,
            "certificate": None, "stability": None, "results": {}, "curves": {}, "column_scores": None,
            "size_by_beta": [], "frequencies": [], "truth": None,
        }  # fmt: skip
        if method.failed is None and method.trials and method.whole is not None:
            place = _place(table, method, best, classifiers)
            known["certificate"] = method.whole["certificate"]
            known["column_scores"] = _scores_worth_showing(method.whole["column_scores"])
            known["size_by_beta"] = method.whole["breakpoints"]
            known["stability"], known["frequencies"] = _stability(table, method, place)
            known["truth"] = _truth(table, method)
            for classifier in classifiers:
                result = _result(table, method, classifier)
                result["rank"] = ranks[classifier][method.name]
                result["is_not_worse"], result["sentence"] = against_best[classifier][method.name]
                known["results"][classifier] = result
                known["curves"][classifier] = _curve(table, method, classifier)
        methods.append(known)
    return {
        "name": table.name,
        "n_rows": table.n_rows,
        "n_columns": table.n_columns,
        "classes": [
            {"name": name, "count": count} for name, count in zip(table.classes, table.class_counts, strict=True)
        ],
        "fingerprint": table.fingerprint,
        "chance_error": table.chance_error,
        "all_features": {classifier: table.estimate(table.baseline(classifier))._asdict() for classifier in classifiers}
        if table.baselines
        else {},
        "sizes": list(table.sizes),
        "methods": methods,
        "recommended": _recommended(table, best),
        "chosen_in": _chosen_in(table, best),
        "views": {"densities": [], "pair": None, "redundancy": None, **table.views.get("pictures", {})},
        "leak": _leak(table, best),
        "pairs": [pair for classifier in classifiers for pair in _pairs(table, classifier)],
    }


def _scores_worth_showing(scores: Sequence[float | None] | None) -> Sequence[float | None] | None:
    """Scores by column; none where they are only the places in an order, one for each column."""
    known = [score for score in scores or () if score is not None]
    is_order = len(set(known)) == len(known) and set(known) <= set(range(len(scores or ())))
    return None if is_order else scores


def _result(table: TableResult, method: MethodResult, classifier: str) -> dict[str, Any]:
    nested = method.nested(classifier)
    errors = method.errors(classifier)
    chosen = method.chosen(classifier)
    counts = method.confusions(classifier)[np.arange(len(chosen)), chosen].sum(axis=0)
    chosen_sizes = np.array(table.sizes)[chosen]
    best = int(errors.mean(axis=0).argmin())
    leaked = float(method.nested(classifier, "leaked").mean()) if method.has_leak else None
    honest = table.estimate(nested)
    recall, f1 = _of_confusion(counts)
    return {
        **honest._asdict(),
        "size": table.sizes[table.place_of(method, classifier)],
        "size_low": int(np.quantile(chosen_sizes, 0.1)),
        "size_high": int(np.quantile(chosen_sizes, 0.9)),
        "balanced_error": 1.0 - recall,
        "macro_f1": f1,
        "micro_f1": 1.0 - honest.error,
        "best_error": float(errors.mean(axis=0)[best]),
        "best_size": table.sizes[best],
        "leaked_error": leaked,
        "optimism": None if leaked is None else honest.error - leaked,
    }


def _of_confusion(counts: Integers) -> tuple[float, float]:
    """The mean over classes of the share of their rows that was found, and of F1."""
    right = np.diagonal(counts).astype(np.float64)
    of_class, said = counts.sum(axis=1), counts.sum(axis=0)
    present = of_class > 0
    recall = float((right[present] / of_class[present]).mean())
    either = of_class + said
    f1 = np.divide(2 * right, either, out=np.zeros_like(right), where=either > 0)
    return recall, float(f1[either > 0].mean())


def _curve(table: TableResult, method: MethodResult, classifier: str) -> list[dict[str, float]]:
    errors = method.errors(classifier)
    return [{"size": size, **table.estimate(errors[:, place])._asdict()} for place, size in enumerate(table.sizes)]


def _ranks(table: TableResult, classifier: str) -> dict[str, float]:
    """The mean over splits of each method's rank, 1 the best; ties share theirs."""
    from scipy.stats import rankdata

    done = table.done
    if not done:
        return {}
    errors = np.stack([method.nested(classifier) for method in done])
    ranks = rankdata(np.round(errors, 12), axis=0).mean(axis=1)
    return {method.name: float(rank) for method, rank in zip(done, ranks, strict=True)}


def _sizes(table: TableResult, classifier: str) -> dict[str, float]:
    return {m.name: float(np.mean(np.array(table.sizes)[m.chosen(classifier)])) for m in table.done}


def _against_best(table: TableResult, classifier: str) -> dict[str, tuple[bool, str | None]]:
    """Of each method, whether it is not significantly worse than the best, and that in words."""
    done = table.done
    if len(done) < 2 or len(done[0].trials) < 2:
        return {method.name: (True, None) for method in done}
    errors = {method.name: method.nested(classifier) for method in done}
    found = not_worse_than_best(errors, table.n_train, table.n_test, _sizes(table, classifier))
    said = {test.second: test.sentence() for test in found.tests}
    return {name: (name in found.methods, said.get(name)) for name in errors}


def _pairs(table: TableResult, classifier: str) -> list[dict[str, Any]]:
    """Every two methods: the corrected t with p-values after Holm, McNemar's tally over the splits, and at what share
    of sizes each errs less (rho)."""
    done = table.done
    if len(done) < 2 or len(done[0].trials) < 2:
        return []
    tests = holm_adjusted(
        [
            corrected_t(a.nested(classifier), b.nested(classifier), table.n_train, table.n_test, names=(a.name, b.name))
            for a, b in combinations(done, 2)
        ]
    )
    found = []
    by_size = {
        method.name: dict(zip(table.sizes, method.errors(classifier).mean(axis=0).tolist(), strict=True))
        for method in done
    }
    for test, (a, b) in zip(tests, combinations(done, 2), strict=True):
        tally = tally_mcnemar(a.wrong(classifier), b.wrong(classifier), names=(a.name, b.name))
        found.append(
            {
                "a": a.name, "b": b.name, "classifier": classifier, "difference": test.mean_difference,
                "low": test.lower, "high": test.upper, "p": test.p_value, "p_adjusted": test.adjusted_p_value,
                "effect": _finite(test.effect), "better": tally.better, "worse": tally.worse,
                "same": tally.no_difference, "rho": rm_characteristic(by_size[a.name], by_size[b.name]).rho,
                "rho_back": rm_characteristic(by_size[b.name], by_size[a.name]).rho, "sentence": test.sentence(),
            }
        )  # fmt: skip
    return found


def _place(table: TableResult, method: MethodResult, best: Recommendation | None, classifiers: Sequence[str]) -> int:
    """Which size stands for a method where one is shown: that of the recommendation, or of its own best classifier."""
    if best is not None and best.method == method.name:
        return best.place
    judged = min(classifiers, key=lambda classifier: float(method.nested(classifier).mean()))
    return table.place_of(method, judged)


def _stability(
    table: TableResult, method: MethodResult, place: int
) -> tuple[dict[str, Any] | None, list[dict[str, Any]]]:
    if len(method.trials) < 2:
        return None, []
    found = table.stability_of(method, place)
    often = np.argsort(-found.frequencies, kind="stable")[:_FREQUENCIES_SHOWN]
    frequencies = [
        {"feature": table.feature_names[column], "frequency": float(found.frequencies[column])}
        for column in often.tolist()
        if found.frequencies[column] > 0
    ]
    if found.index is None:
        return None, frequencies
    return {
        "index": found.index, "low": found.lower, "high": found.upper, "size": table.sizes[place],
        "sentence": found.sentence(),
    }, frequencies  # fmt: skip


def _truth(table: TableResult, method: MethodResult) -> dict[str, Any] | None:
    """Where the true columns are known: how well they come before the others, on average over the splits."""
    if table.truth is None:
        return None
    orders = [trial["path"][-1] for trial in method.trials]
    is_true = np.isin(np.arange(table.n_columns), table.truth)
    curves = [roc_curve(scores_of_order(order, table.n_columns), is_true) for order in orders]
    top = on_top(orders, table.truth, table.n_columns)
    return {
        "auc": float(np.mean([curve.auc for curve in curves])), "one": top.one, "all": top.all,
        "n_true": len(table.truth),
        "curve": [[round(x, 5), round(y, 5)] for x, y in mean_roc_curve(curves)],
    }  # fmt: skip


def _recommended(table: TableResult, best: Recommendation | None) -> dict[str, Any] | None:
    if best is None:
        return None
    features = []
    method = best.result
    frequencies = table.stability_of(method, best.place).frequencies if len(method.trials) > 1 else None
    substitutes = table.views.get("substitutes", {})
    assert method.whole is not None
    for column in best.columns:
        name = table.feature_names[column]
        features.append(
            {
                "name": name,
                "score": method.whole["scores"].get(str(column)),
                "frequency": None if frequencies is None else float(frequencies[column]),
                "substitute": substitutes.get(str(column)),
            }
        )
    all_features = table.estimate(table.baseline(best.classifier)) if table.baselines else None
    sentence = told_apart(len(best.columns), table.n_columns, len(table.classes), best.estimate, all_features)
    warning = None
    if best.estimate.high >= table.chance_error:
        chance = share(table.chance_error)
        warning = f"This is not surely better than always saying the largest class, which errs in {chance}."
    return {
        "method": method.name,
        "classifier": best.classifier,
        "size": len(best.columns),
        **best.estimate._asdict(),
        "fixed_error": best.fixed.error,
        "sentence": sentence,
        "choice": chosen_among(best.n_pairs, best.fixed, is_counted=best.chosen is not None),
        "certificate": table.views.get("certificate"),
        "features": features,
        "warning": warning,
    }


def _chosen_in(table: TableResult, best: Recommendation | None) -> dict[str, Any] | None:
    """The stability heat map: which of the recommended method's features were chosen in which split."""
    if best is None or len(best.result.trials) < 2:
        return None
    subsets = [set(subset) for subset in best.result.subsets(best.place)]
    often = np.argsort(-table.stability_of(best.result, best.place).frequencies, kind="stable")
    shown = [column for column in often[:_FEATURES_IN_MAP].tolist() if any(column in subset for subset in subsets)]
    return {
        "features": [table.feature_names[column] for column in shown],
        "resamples": len(subsets),
        "cells": [[int(column in subset) for subset in subsets] for column in shown],
    }


def _leak(table: TableResult, best: Recommendation | None) -> dict[str, Any] | None:
    if best is None or not best.result.has_leak:
        return None
    leaked = float(best.result.nested(best.classifier, "leaked").mean())
    honest = best.fixed.error
    optimism = f"{points(honest - leaked)} of optimism" if honest - leaked > 5e-4 else "no optimism here"
    return {
        "leaked": leaked,
        "honest": honest,
        "sentence": f"Selecting by {best.method} before splitting would have promised {share(leaked)}; the honest "
        f"figure is {share(honest)}: {optimism}.",
    }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
