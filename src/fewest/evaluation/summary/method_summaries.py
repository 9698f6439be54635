"""What each method reached on a table, as the report shows it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from itertools import combinations

import numpy as np

from fewest.arrays import Floats, Integers
from fewest.display.formatting import counted, enumerated
from fewest.evaluation.procedure import Procedure, Run, median_index
from fewest.evaluation.results import MethodResult, PathsRecord, TableResult
from fewest.evaluation.run.ranking_measures import mean_roc_curve, roc_curve, scores_of_order, top_shares
from fewest.evaluation.testing.paired_tests import (
    corrected_t,
    holm_adjusted,
    not_worse_than_best,
    rm_characteristic,
    tally_mcnemar,
)
from fewest.summary import (
    ClassifierResult,
    CurvePoint,
    Frequency,
    MethodSummary,
    NestedResult,
    SplitPairTest,
    StabilityIndex,
    StabilityPaths,
    TruthRanking,
)
from fewest.summary.certificates import Certificate

_MAX_FREQUENCIES = 40


def method_summaries(table: TableResult, classifiers: Sequence[str]) -> list[MethodSummary]:
    """What each method reached, with the classifier chosen inside each split and with each classifier."""
    done = table.completed
    procedures = {method.name: Procedure.of(table, classifiers, [method]) for method in done}
    runs = {name: procedure.run() for name, procedure in procedures.items()}
    nested = _Standing.of(
        table,
        {name: run.losses for name, run in runs.items()},
        {name: _sizes(table, run.size_indices) for name, run in runs.items()},
    )
    by_classifier = {
        one: _Standing.of(
            table,
            {method.name: method.nested_errors(one) for method in done},
            {method.name: _sizes(table, method.chosen(one).tolist()) for method in done},
        )
        for one in classifiers
    }
    found = []
    for method in table.methods:
        if method.failed is not None or not method.trials or method.whole is None:
            found.append(MethodSummary(method.name, method.parameters, method.failed, method.seconds))
            continue
        pair, size_index = procedures[method.name].on_all_rows()
        stability, frequencies = _stability(table, method, size_index)
        found.append(
            MethodSummary(
                name=method.name, parameters=method.parameters, failed=None, seconds=method.seconds,
                certificate=_certificate(method), stability=stability, frequencies=frequencies,
                results={one: _result(table, method, one, by_classifier[one]) for one in classifiers},
                curves={one: _curve(table, method, one) for one in classifiers},
                column_scores=method.whole["column_scores"] if method.has_scores else None,
                size_by_beta=[(beta, size) for beta, size in method.whole["breakpoints"]],
                truth=_truth(table, method, runs[method.name]),
                nested=_nested(table, method, procedures[method.name], pair.classifier, nested),
                paths=_paths(table, method.whole.get("paths")),
            )
        )  # fmt: skip
    return found


def filled_note(table: TableResult) -> str | None:
    """For which methods missing values were filled with means, in a sentence."""
    filled = {one.name: one.whole.get("n_filled", 0) for one in table.methods if one.whole is not None}
    names = [name for name, n in filled.items() if n]
    if not names:
        return None
    n_filled = max(filled.values())
    return (
        f"{enumerated(names)} {'takes' if len(names) == 1 else 'take'} complete rows only; there "
        f"{counted(n_filled, 'missing value')} {'was' if n_filled == 1 else 'were'} filled with column means, "
        "learned on the rows that features are selected on."
    )


def _certificate(method: MethodResult) -> Certificate | None:
    """What is proved of the features that a method selects on all rows."""
    content = None if method.whole is None else method.whole["certificate"]
    return None if content is None else Certificate.from_dict(content)


def _paths(table: TableResult, record: PathsRecord | None) -> StabilityPaths | None:
    if record is None:
        return None
    return StabilityPaths(
        record["sizes"], [table.feature_names[column] for column in record["columns"]], record["frequencies"],
        record["threshold"], record["expected_false"], record["n_others"],
    )  # fmt: skip


class _Standing:
    """The ranks of the methods, and the tests of each against the one with the least error.

    ranks : the mean over the splits of each method's rank, 1 is best; ties share their ranks
    not_worse, sentences : whether a method is not significantly worse than the best, and the test in words
    """

    def __init__(self, ranks: Mapping[str, float], not_worse: Sequence[str], sentences: Mapping[str, str]) -> None:
        self.ranks, self.not_worse, self.sentences = ranks, not_worse, sentences

    @classmethod
    def of(cls, table: TableResult, errors: Mapping[str, Floats], sizes: Mapping[str, Integers]) -> _Standing:
        """From the errors and sizes of each method over the splits."""
        from scipy.stats import rankdata

        if not errors:
            return cls({}, (), {})
        ranks = rankdata(np.round(np.stack(list(errors.values())), 12), axis=0).mean(axis=1)
        by_name = {name: float(rank) for name, rank in zip(errors, ranks, strict=True)}
        if len(errors) < 2 or len(next(iter(errors.values()))) < 2:
            return cls(by_name, tuple(errors), {})
        means = {name: float(own.mean()) for name, own in sizes.items()}
        found = not_worse_than_best(errors, table.n_train, table.n_test, means)
        return cls(
            by_name, found.methods, {test.second: test.sentence(metric=table.metric.form) for test in found.tests}
        )


def _sizes(table: TableResult, size_indices: Sequence[int]) -> Integers:
    sizes: Integers = np.array(table.sizes)[list(size_indices)]
    return sizes


def _most_sizes(sizes: Integers) -> dict[str, int]:
    """Between which sizes most are: the 10 % and 90 % quantiles, each a size that some split chose."""
    low, high = np.quantile(sizes, [0.1, 0.9], method="nearest").tolist()
    return {"size_low": low, "size_high": high}


def _nested(
    table: TableResult, method: MethodResult, procedure: Procedure, classifier: str, standing: _Standing
) -> NestedResult:
    run = procedure.run()
    estimate = table.estimate(run.losses)
    leaked = float(procedure.run("leaked").losses.mean()) if method.has_leak else None
    sizes = _sizes(table, run.size_indices)
    return NestedResult(
        **asdict(estimate), classifier=classifier, size=table.sizes[median_index(run.size_indices)],
        **_most_sizes(sizes),
        leaked_error=leaked, optimism=None if leaked is None else estimate.error - leaked,
        rank=standing.ranks[method.name], is_not_worse=method.name in standing.not_worse,
        sentence=standing.sentences.get(method.name),
    )  # fmt: skip


def _result(table: TableResult, method: MethodResult, classifier: str, standing: _Standing) -> ClassifierResult:
    errors = method.errors(classifier).mean(axis=0)
    chosen = method.chosen(classifier)
    counts = method.confusions(classifier)[np.arange(len(chosen)), chosen].sum(axis=0)
    sizes = _sizes(table, chosen.tolist())
    best = int(errors.argmin())
    leaked = float(method.nested_errors(classifier, "leaked").mean()) if method.has_leak else None
    nested = table.estimate(method.nested_errors(classifier))
    recall, f1 = _of_confusion(counts)
    return ClassifierResult(
        **asdict(nested), size=table.sizes[median_index(chosen.tolist())],
        **_most_sizes(sizes),
        balanced_error=1.0 - recall, macro_f1=f1, micro_f1=float(np.trace(counts) / counts.sum()),
        best_error=float(errors[best]), best_size=table.sizes[best],
        leaked_error=leaked, optimism=None if leaked is None else nested.error - leaked,
        rank=standing.ranks[method.name], is_not_worse=method.name in standing.not_worse,
        sentence=standing.sentences.get(method.name),
    )  # fmt: skip


def _of_confusion(counts: Integers) -> tuple[float, float]:
    """Recall and F1, each averaged over the classes that occur."""
    right = np.diagonal(counts).astype(np.float64)
    of_class, predicted = counts.sum(axis=1), counts.sum(axis=0)
    present = of_class > 0
    # Sums are exact: the order of the classes, which their names decide, must not show in the last digit.
    recall = math.fsum(right[present] / of_class[present]) / np.count_nonzero(present)
    either = of_class + predicted
    f1 = np.divide(2 * right, either, out=np.zeros_like(right), where=either > 0)
    return recall, math.fsum(f1) / np.count_nonzero(either)


def _curve(table: TableResult, method: MethodResult, classifier: str) -> list[CurvePoint]:
    errors, counts = method.errors(classifier).T, method.confusions(classifier).sum(axis=0)
    leaked = method.errors(classifier, "leaked").mean(axis=0).tolist() if method.has_leak else [None] * len(errors)
    points = []
    for size, own, count, promised in zip(table.sizes, errors, counts, leaked, strict=True):
        recall, f1 = _of_confusion(count)
        measures = {"balanced_error": 1.0 - recall, "macro_f1": f1, "micro_f1": float(np.trace(count) / count.sum())}
        points.append(CurvePoint(**asdict(table.estimate(own)), size=size, **measures, leaked_error=promised))
    return points


def pair_tests(table: TableResult, classifier: str) -> list[SplitPairTest]:
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
                effect=test.effect if math.isfinite(test.effect) else None,
                sentence=test.sentence(metric=table.metric.form),
                classifier=classifier, low=test.lower, high=test.upper,
                better=tally.better, worse=tally.worse, same=tally.no_difference,
                rho=rm_characteristic(by_size[a.name], by_size[b.name]),
                rho_back=rm_characteristic(by_size[b.name], by_size[a.name]),
            )
        )  # fmt: skip
    return found


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


def _truth(table: TableResult, method: MethodResult, run: Run) -> TruthRanking | None:
    """How well the columns known to be relevant are ranked and chosen; None where none are known."""
    if table.truth is None:
        return None
    orders = [trial["path"][-1] for trial in method.trials]
    is_true = np.isin(np.arange(table.n_columns), table.truth)
    curves = [roc_curve(scores_of_order(order, table.n_columns), is_true) for order in orders]
    top = top_shares(orders, table.truth, table.n_columns)
    auc = float(np.mean([curve.auc for curve in curves]))
    points = [(round(x, 5), round(y, 5)) for x, y in mean_roc_curve(curves)]
    found = [(len(set(subset) & set(table.truth)), len(subset)) for subset in run.subsets]
    precision = float(np.mean([n / size if size else 0.0 for n, size in found]))
    recall = float(np.mean([n / len(table.truth) for n, _ in found]))
    return TruthRanking(auc, top.one, top.all, len(table.truth), points, precision, recall)
