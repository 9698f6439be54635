"""The tests of methods over several tables, as the report shows them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from fewest.arrays import Floats
from fewest.display import formatting
from fewest.display.formatting import MetricFormat
from fewest.evaluation.comparison import Comparison
from fewest.evaluation.procedure import Procedure
from fewest.evaluation.testing.paired_tests import ERROR, holm_adjusted
from fewest.evaluation.testing.rank_tests import WilcoxonTest, friedman, wilcoxon
from fewest.summary import AcrossTables, PairTest


def across(comparison: Comparison) -> AcrossTables | None:
    """The mean ranks of the methods and the tests of every two, each with the classifier chosen by inner folds."""
    tables, classifiers = comparison.tables, list(comparison.classifiers)
    if len(tables) < 2:
        return None
    methods = [{method.name: method for method in table.completed} for table in tables]
    names = [name for name in methods[0] if all(name in by_name for by_name in methods)]
    if len(names) < 2:
        return None
    errors = np.array(
        [
            [Procedure.of(table, classifiers, [own[name]]).run().losses.mean() for name in names]
            for table, own in zip(tables, methods, strict=True)
        ]
    )
    test = friedman(errors, names)
    order = np.argsort(test.mean_ranks, kind="stable")
    sorted_names = [names[index] for index in order]
    groups = [(sorted_names.index(group[0]), sorted_names.index(group[-1])) for group in test.groups()]
    pairs, pairs_sentence = wilcoxon_pairs(errors, names, tables[0].metric.form)
    return AcrossTables(
        methods=sorted_names, mean_ranks=[test.mean_ranks[index] for index in order],
        critical_difference=test.critical_difference(), level=0.05, groups=groups, friedman_p=test.p_value,
        sentence=test.sentence(), pairs=pairs, pairs_sentence=pairs_sentence,
    )  # fmt: skip


def wilcoxon_pairs(errors: Floats, names: Sequence[str], metric: MetricFormat = ERROR) -> tuple[list[PairTest], str]:
    """Wilcoxon tests of every two methods (errors: tables by methods), and one sentence about all of them."""
    both = combinations(range(len(names)), 2)
    tests = holm_adjusted([wilcoxon(errors[:, a], errors[:, b], names=(names[a], names[b])) for a, b in both])
    pairs = [
        PairTest(
            a=test.first, b=test.second, difference=test.mean_difference, p=test.p_value,
            p_adjusted=test.adjusted_p_value, effect=test.effect, sentence=test.sentence(metric=metric),
        )
        for test in tests
    ]  # fmt: skip
    return pairs, _describe_all(tests, len(errors), metric)


def _describe_all(tests: Sequence[WilcoxonTest], n_tables: int, metric: MetricFormat) -> str:
    n_found = sum(test.is_significant() for test in tests)
    if n_found and len(tests) == 1:
        return tests[0].sentence(metric=metric)
    if n_found:
        return (
            f"{n_found} of {len(tests)} pairs of methods differ significantly (Wilcoxon over {n_tables} tables, Holm)"
        )
    # The least p-value is that of all tables pointing one way: one assignment of signs, doubled.
    least = min(1.0, len(tests) * 2.0 ** (1 - n_tables))
    if least >= 0.05:
        below = formatting.p_value(least).removeprefix("p = ").removeprefix("p ")
        return (
            f"{n_tables} tables are too few to call any two of the methods different "
            f"(Wilcoxon after Holm: p cannot fall below {below})"
        )
    return f"no significant difference between any two methods (Wilcoxon over {n_tables} tables, after Holm)"
