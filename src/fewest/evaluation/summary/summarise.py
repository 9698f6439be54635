"""Build the typed summary of a comparison, which the report shows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict
from itertools import combinations
from operator import itemgetter

import numpy as np

from fewest.arrays import Integers
from fewest.evaluation.comparison import Comparison
from fewest.evaluation.results import MethodResult, TableResult
from fewest.evaluation.run.ranking_measures import mean_roc_curve, roc_curve, scores_of_order, top_shares
from fewest.evaluation.summary.recommendation import Recommendation
from fewest.evaluation.summary.text import answer, effect_of_choosing, leak_sentence
from fewest.evaluation.testing.across_tables import across
from fewest.evaluation.testing.paired_tests import (
    corrected_t,
    holm_adjusted,
    not_worse_than_best,
    rm_characteristic,
    tally_mcnemar,
)
from fewest.formatting import percent
from fewest.summary import (
    ClassCount,
    ClassifierResult,
    CurvePoint,
    Frequency,
    Leak,
    MethodSummary,
    Pictures,
    RecommendedFeature,
    RecommendedSubset,
    Setup,
    SplitChoices,
    SplitPairTest,
    StabilityIndex,
    Summary,
    TableSummary,
    TruthRanking,
)

# Of the table of results; "auc" is added where relevant columns are known.
_COLUMNS = (
    "table", "method", "classifier", "error", "low", "high", "features", "rank", "stability", "seconds", "optimism",
    "is_not_worse",
)  # fmt: skip
_MAX_FREQUENCIES = 40
_MAX_FEATURES_IN_MAP = 30


def summarise(comparison: Comparison) -> Summary:
    """Return everything that the report and the terminal show."""
    settings = comparison.settings
    setup = Setup(
        outer=settings["outer"], inner=settings["inner"], rule=settings["rule"], seed=settings["seed"],
        version=settings["version"], seconds=comparison.seconds, classifiers=comparison.classifiers,
        groups=settings["groups"], command=settings.get("command"),
    )  # fmt: skip
    return Summary(
        title=", ".join(table.name for table in comparison.tables),
        setup=setup,
        stopped=comparison.stopped,
        tables=[_table(table, comparison) for table in comparison.tables],
        across=across(comparison),
    )


def table_rows(summary: Summary) -> list[dict[str, object]]:
    """One row a table, method and classifier, the least error first, with all features and chance among them."""
    knows_truth = any(method.truth for table in summary.tables for method in table.methods)
    columns = (*_COLUMNS, "auc") if knows_truth else _COLUMNS
    rows: list[dict[str, object]] = []
    for table in summary.tables:
        own: list[dict[str, object]] = []
        for method in table.methods:
            stability, auc = method.stability and method.stability.index, method.truth and method.truth.auc
            shared = {"method": method.name, "seconds": method.seconds, "stability": stability, "auc": auc}
            for classifier, found in method.results.items():
                own.append({**asdict(found), **shared, "classifier": classifier, "features": found.size})
        for classifier, whole in table.all_features.items():
            row = {"method": "all features", "classifier": classifier, "features": table.n_columns}
            own.append({**row, **asdict(whole)})
        own.append({"method": "chance", "error": table.chance_error, "features": 0})
        own.sort(key=itemgetter("error", "features"))
        rows += [{column: row.get(column) for column in columns} | {"table": table.name} for row in own]
    return rows


def _table(table: TableResult, comparison: Comparison) -> TableSummary:
    classifiers = list(comparison.classifiers)
    best = comparison.recommendations[table.name]
    baselines = {one: table.estimate(table.baseline_errors(one)) for one in classifiers if table.baselines}
    return TableSummary(
        name=table.name, n_rows=table.n_rows, n_columns=table.n_columns, fingerprint=table.fingerprint,
        classes=[ClassCount(name, count) for name, count in zip(table.classes, table.class_counts, strict=True)],
        chance_error=table.chance_error, all_features=baselines, sizes=list(table.sizes),
        methods=_methods(table, best, classifiers), recommended=_recommended(table, best),
        split_choices=_split_choices(table, best), views=table.views.pictures if table.views else Pictures(),
        leak=_leak(best), pairs=[pair for classifier in classifiers for pair in _pairs(table, classifier)],
    )  # fmt: skip


def _methods(table: TableResult, best: Recommendation | None, classifiers: Sequence[str]) -> list[MethodSummary]:
    ranks = {classifier: _ranks(table, classifier) for classifier in classifiers}
    against_best = {classifier: _against_best(table, classifier) for classifier in classifiers}
    found = []
    for method in table.methods:
        if method.failed is not None or not method.trials or method.whole is None:
            found.append(MethodSummary(method.name, method.parameters, method.failed, method.seconds))
            continue
        stability, frequencies = _stability(table, method, _size_index(table, method, best, classifiers))
        found.append(
            MethodSummary(
                name=method.name, parameters=method.parameters, failed=None, seconds=method.seconds,
                certificate=method.whole["certificate"], stability=stability, frequencies=frequencies,
                results={
                    one: _result(table, method, one, ranks[one][method.name], *against_best[one][method.name])
                    for one in classifiers
                },
                curves={one: _curve(table, method, one) for one in classifiers},
                column_scores=_scores_unless_ranks(method.whole["column_scores"]),
                size_by_beta=[(beta, size) for beta, size in method.whole["breakpoints"]],
                truth=_truth(table, method),
            )
        )  # fmt: skip
    return found


def _scores_unless_ranks(scores: Sequence[float | None] | None) -> Sequence[float | None] | None:
    """Scores by column; None where they are only positions in an order, one for each column."""
    known = [score for score in scores or () if score is not None]
    is_order = len(set(known)) == len(known) and set(known) <= set(range(len(scores or ())))
    return None if is_order else scores


def _result(
    table: TableResult, method: MethodResult, classifier: str, rank: float, is_not_worse: bool, sentence: str | None
) -> ClassifierResult:
    errors = method.errors(classifier).mean(axis=0)
    chosen = method.chosen(classifier)
    counts = method.confusions(classifier)[np.arange(len(chosen)), chosen].sum(axis=0)
    sizes = np.array(table.sizes)[chosen]
    best = int(errors.argmin())
    leaked = float(method.nested_errors(classifier, "leaked").mean()) if method.has_leak else None
    nested = table.estimate(method.nested_errors(classifier))
    recall, f1 = _of_confusion(counts)
    return ClassifierResult(
        **asdict(nested), size=table.sizes[table.median_size_index(method, classifier)],
        size_low=int(np.quantile(sizes, 0.1)), size_high=int(np.quantile(sizes, 0.9)),
        balanced_error=1.0 - recall, macro_f1=f1, micro_f1=1.0 - nested.error,
        best_error=float(errors[best]), best_size=table.sizes[best],
        leaked_error=leaked, optimism=None if leaked is None else nested.error - leaked,
        rank=rank, is_not_worse=is_not_worse, sentence=sentence,
    )  # fmt: skip


def _of_confusion(counts: Integers) -> tuple[float, float]:
    """Recall and F1, each averaged over the classes that occur."""
    right = np.diagonal(counts).astype(np.float64)
    of_class, predicted = counts.sum(axis=1), counts.sum(axis=0)
    present = of_class > 0
    recall = float((right[present] / of_class[present]).mean())
    either = of_class + predicted
    f1 = np.divide(2 * right, either, out=np.zeros_like(right), where=either > 0)
    return recall, float(f1[either > 0].mean())


def _curve(table: TableResult, method: MethodResult, classifier: str) -> list[CurvePoint]:
    errors = method.errors(classifier).T
    return [CurvePoint(**asdict(table.estimate(own)), size=size) for size, own in zip(table.sizes, errors, strict=True)]


def _ranks(table: TableResult, classifier: str) -> dict[str, float]:
    """The mean over the splits of each method's rank, 1 is best; ties share their ranks."""
    from scipy.stats import rankdata

    done = table.completed
    if not done:
        return {}
    errors = np.stack([method.nested_errors(classifier) for method in done])
    ranks = rankdata(np.round(errors, 12), axis=0).mean(axis=1)
    return {method.name: float(rank) for method, rank in zip(done, ranks, strict=True)}


def _against_best(table: TableResult, classifier: str) -> dict[str, tuple[bool, str | None]]:
    """For each method, whether it is not significantly worse than the best, and the test in words."""
    done = table.completed
    if len(done) < 2 or len(done[0].trials) < 2:
        return {method.name: (True, None) for method in done}
    errors = {method.name: method.nested_errors(classifier) for method in done}
    sizes = {m.name: float(np.mean(np.array(table.sizes)[m.chosen(classifier)])) for m in done}
    found = not_worse_than_best(errors, table.n_train, table.n_test, sizes)
    sentences = {test.second: test.sentence() for test in found.tests}
    return {name: (name in found.methods, sentences.get(name)) for name in errors}


def _pairs(table: TableResult, classifier: str) -> list[SplitPairTest]:
    """Every two methods: the corrected t-test with Holm's adjustment, McNemar's tests and the RM-characteristic."""
    done = table.completed
    if len(done) < 2 or len(done[0].trials) < 2:
        return []
    nested = {method.name: method.nested_errors(classifier) for method in done}
    rows = (table.n_train, table.n_test)
    tests = holm_adjusted([corrected_t(nested[a], nested[b], *rows, names=(a, b)) for a, b in combinations(nested, 2)])
    errors = [method.errors(classifier).mean(axis=0).tolist() for method in done]
    by_size = {method.name: dict(zip(table.sizes, own, strict=True)) for method, own in zip(done, errors, strict=True)}
    found = []
    for test, (a, b) in zip(tests, combinations(done, 2), strict=True):
        tally = tally_mcnemar(a.misclassified(classifier), b.misclassified(classifier))
        found.append(
            SplitPairTest(
                a=a.name, b=b.name, difference=test.mean_difference, p=test.p_value, p_adjusted=test.adjusted_p_value,
                effect=test.effect if math.isfinite(test.effect) else None, sentence=test.sentence(),
                classifier=classifier, low=test.lower, high=test.upper,
                better=tally.better, worse=tally.worse, same=tally.no_difference,
                rho=rm_characteristic(by_size[a.name], by_size[b.name]),
                rho_back=rm_characteristic(by_size[b.name], by_size[a.name]),
            )
        )  # fmt: skip
    return found


def _size_index(
    table: TableResult, method: MethodResult, best: Recommendation | None, classifiers: Sequence[str]
) -> int:
    """Index of the size that stands for a method: the recommended one, or that of its own best classifier."""
    if best is not None and best.method == method.name:
        return best.size_index
    classifier = min(classifiers, key=lambda classifier: float(method.nested_errors(classifier).mean()))
    return table.median_size_index(method, classifier)


def _stability(
    table: TableResult, method: MethodResult, size_index: int
) -> tuple[StabilityIndex | None, list[Frequency]]:
    if len(method.trials) < 2:
        return None, []
    found = table.stability(method, size_index)
    order = np.argsort(-found.frequencies, kind="stable")[:_MAX_FREQUENCIES]
    frequencies = [
        Frequency(table.feature_names[column], float(found.frequencies[column]))
        for column in order.tolist()
        if found.frequencies[column] > 0
    ]
    if found.index is None:
        return None, frequencies
    size = table.sizes[size_index]
    return StabilityIndex(found.index, found.lower, found.upper, size, found.sentence()), frequencies


def _truth(table: TableResult, method: MethodResult) -> TruthRanking | None:
    """How well the columns known to be relevant are ranked; None where none are known."""
    if table.truth is None:
        return None
    orders = [trial["path"][-1] for trial in method.trials]
    is_true = np.isin(np.arange(table.n_columns), table.truth)
    curves = [roc_curve(scores_of_order(order, table.n_columns), is_true) for order in orders]
    top = top_shares(orders, table.truth, table.n_columns)
    auc = float(np.mean([curve.auc for curve in curves]))
    points = [(round(x, 5), round(y, 5)) for x, y in mean_roc_curve(curves)]
    return TruthRanking(auc, top.one, top.all, len(table.truth), points)


def _recommended(table: TableResult, best: Recommendation | None) -> RecommendedSubset | None:
    if best is None or best.result.whole is None:
        return None
    method, scores, views = best.result, best.result.whole["scores"], table.views
    is_known = len(method.trials) > 1
    shares = table.stability(method, best.size_index).frequencies.tolist() if is_known else [None] * table.n_columns
    instead = views.substitutes if views else {}
    features = [
        RecommendedFeature(table.feature_names[c], scores.get(str(c)), shares[c], instead.get(str(c)))
        for c in best.columns
    ]
    all_features = table.estimate(table.baseline_errors(best.classifier)) if table.baselines else None
    warning = None
    if best.estimate.high >= table.chance_error:
        chance = percent(table.chance_error)
        warning = f"This is not surely better than always predicting the largest class, which errs in {chance}."
    return RecommendedSubset(
        **asdict(best.estimate), method=method.name, classifier=best.classifier, size=len(best.columns),
        fixed_error=best.fixed.error, features=features, warning=warning,
        sentence=answer(len(best.columns), table.n_columns, len(table.classes), best.estimate, all_features),
        choice=effect_of_choosing(best.n_pairs, best.fixed, is_counted=best.chosen is not None),
        certificate=views.certificate if views else None,
    )  # fmt: skip


def _split_choices(table: TableResult, best: Recommendation | None) -> SplitChoices | None:
    """Which of the recommended method's features were chosen in which split."""
    if best is None or len(best.result.trials) < 2:
        return None
    subsets = [set(subset) for subset in best.result.subsets(best.size_index)]
    order = np.argsort(-table.stability(best.result, best.size_index).frequencies, kind="stable")
    shown = [c for c in order[:_MAX_FEATURES_IN_MAP].tolist() if any(c in subset for subset in subsets)]
    cells = [[int(column in subset) for subset in subsets] for column in shown]
    return SplitChoices([table.feature_names[column] for column in shown], cells)


def _leak(best: Recommendation | None) -> Leak | None:
    if best is None or not best.result.has_leak:
        return None
    leaked = float(best.result.nested_errors(best.classifier, "leaked").mean())
    return Leak(leaked, best.fixed.error, leak_sentence(best.method, leaked, best.fixed.error))
