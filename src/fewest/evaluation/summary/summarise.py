"""Build the typed summary of a comparison, which the report shows."""

from __future__ import annotations

from dataclasses import asdict
from operator import itemgetter

from fewest.display.formatting import MetricFormat
from fewest.evaluation.comparison import Comparison
from fewest.evaluation.results import TableResult
from fewest.evaluation.summary.method_summaries import filled_note, method_summaries, pair_tests
from fewest.evaluation.summary.recommendation import (
    all_features,
    confusion_of,
    leak_of,
    recommended_subset,
    split_choices,
)
from fewest.evaluation.testing.across_tables import across
from fewest.summary import ClassCount, Pictures, Setup, Summary, TableSummary

#: The classifier of a row of the table of results that inner folds chose inside each split.
CHOSEN = "inner folds"

# Of the table of results; "auc", "precision" and "recall" are added where relevant columns are known.
_COLUMNS = (
    "table", "method", "classifier", "error", "low", "high", "features", "rank", "stability", "seconds", "optimism",
    "is_not_worse",
)  # fmt: skip


def summarise(comparison: Comparison) -> Summary:
    """Return everything that the report and the terminal show."""
    settings = comparison.settings
    metric = comparison.tables[0].metric.form if comparison.tables else MetricFormat()
    setup = Setup(
        outer=settings["outer"], inner=settings["inner"], rule=settings["rule"], seed=settings["seed"],
        version=settings["version"], seconds=comparison.seconds, classifiers=comparison.classifiers,
        groups=settings["groups"], command=settings.get("command"), metric=metric,
        metric_reason=settings["metric_reason"],
    )  # fmt: skip
    return Summary(
        title=", ".join(table.name for table in comparison.tables),
        setup=setup,
        stopped=comparison.stopped,
        tables=[_table(table, comparison) for table in comparison.tables],
        across=across(comparison),
        shortened=comparison.shortened,
    )


def table_rows(summary: Summary) -> list[dict[str, object]]:
    """One row a table, method and classifier, the least error first, with all features and chance among them."""
    knows_truth = any(method.truth for table in summary.tables for method in table.methods)
    columns = (*_COLUMNS, "auc", "precision", "recall") if knows_truth else _COLUMNS
    rows: list[dict[str, object]] = []
    for table in summary.tables:
        own: list[dict[str, object]] = []
        for method in table.methods:
            stability, truth = method.stability and method.stability.index, method.truth
            shared = {"method": method.name, "seconds": method.seconds, "stability": stability}
            shared["auc"] = truth and truth.auc
            if method.nested is not None:
                # The features that the procedure of the method chose.
                chosen = {"precision": truth and truth.precision, "recall": truth and truth.recall}
                row = {"classifier": CHOSEN, "features": method.nested.size}
                own.append({**asdict(method.nested), **shared, **chosen, **row})
            for classifier, found in method.results.items():
                own.append({**asdict(found), **shared, "classifier": classifier, "features": found.size})
        best = table.recommended
        if best is not None:
            row = {"method": "recommended", "classifier": CHOSEN, "features": best.size}
            own.append({**row, **{name: getattr(best, name) for name in ("error", "low", "high")}})
        everything = {"method": "all features", "features": table.n_columns}
        if table.without_selection is not None:
            own.append({**everything, "classifier": CHOSEN, **asdict(table.without_selection)})
        for classifier, whole in table.all_features.items():
            own.append({**everything, "classifier": classifier, **asdict(whole)})
        own.append({"method": "chance", "error": table.chance_error, "features": 0})
        own.sort(key=itemgetter("error", "features"))
        rows += [{column: row.get(column) for column in columns} | {"table": table.name} for row in own]
    return rows


def _table(table: TableResult, comparison: Comparison) -> TableSummary:
    classifiers = list(comparison.classifiers)
    best = comparison.recommendations[table.name]
    baselines = {one: table.estimate(table.baseline_errors(one)) for one in classifiers if table.baselines}
    without_selection = all_features(table, best, classifiers)
    is_size_fixed = comparison.settings["size"] is not None
    return TableSummary(
        name=table.name, n_rows=table.n_rows, n_columns=table.n_columns, fingerprint=table.fingerprint,
        classes=[ClassCount(name, count) for name, count in zip(table.classes, table.class_counts, strict=True)],
        chance_error=table.chance_error, all_features=baselines, sizes=list(table.sizes),
        methods=method_summaries(table, classifiers),
        recommended=recommended_subset(table, best, without_selection, is_size_fixed=is_size_fixed),
        split_choices=split_choices(table, best), views=table.views.pictures if table.views else Pictures(),
        leak=leak_of(table, best), pairs=[pair for classifier in classifiers for pair in pair_tests(table, classifier)],
        metric=table.metric.form, without_selection=without_selection, confusion=confusion_of(table, best),
        data=table.data, split_note=table.split_note, filled_note=filled_note(table),
    )  # fmt: skip
