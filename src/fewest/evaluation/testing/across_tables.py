"""Over several tables: which methods differ, as the report shows it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from fewest import formatting
from fewest.arrays import Floats
from fewest.evaluation.comparison import Comparison
from fewest.evaluation.testing.significance import WilcoxonTest, friedman, holm_adjusted, wilcoxon
from fewest.summary import AcrossTables, PairTest


def across(comparison: Comparison) -> AcrossTables | None:
    """The mean ranks of the methods and every two of them tested, each with the classifier that suits it best."""
    tables = comparison.tables
    if len(tables) < 2:
        return None
    names = [
        method.name
        for method in tables[0].completed
        if all(any(o.name == method.name for o in t.completed) for t in tables)
    ]
    if len(names) < 2:
        return None
    errors = []
    for table in tables:
        by_name = {method.name: method for method in table.completed}
        errors.append(
            [
                min(float(by_name[name].nested_errors(classifier).mean()) for classifier in comparison.classifiers)
                for name in names
            ]
        )
    test = friedman(np.array(errors), names)
    order = np.argsort(test.mean_ranks, kind="stable")
    sorted_names = [names[place] for place in order]
    groups = [(sorted_names.index(group[0]), sorted_names.index(group[-1])) for group in test.groups()]
    pairs, pairs_sentence = wilcoxon_pairs(np.array(errors), names)
    return AcrossTables(
        methods=sorted_names,
        mean_ranks=[float(test.mean_ranks[place]) for place in order],
        critical_difference=test.critical_difference(),
        level=0.05,
        groups=groups,
        friedman_p=test.p_value,
        sentence=test.sentence(),
        pairs=pairs,
        pairs_sentence=pairs_sentence,
    )


def wilcoxon_pairs(errors: Floats, names: Sequence[str]) -> tuple[list[PairTest], str]:
    """Every two methods over the tables (errors: tables by methods), and what that comes to in one sentence."""
    tests = holm_adjusted(
        [
            wilcoxon(errors[:, a], errors[:, b], names=(names[a], names[b]))
            for a, b in combinations(range(len(names)), 2)
        ]
    )
    pairs = [
        PairTest(
            a=test.first,
            b=test.second,
            difference=test.mean_difference,
            p=test.p_value,
            p_adjusted=test.adjusted_p_value,
            effect=test.effect,
            sentence=test.sentence(),
        )
        for test in tests
    ]
    return pairs, _altogether(tests, len(errors))


def _altogether(tests: Sequence[WilcoxonTest], n_tables: int) -> str:
    """What the tests of all pairs come to."""
    n_found = sum(test.is_significant() for test in tests)
    if n_found and len(tests) == 1:
        return tests[0].sentence()
    if n_found:
        return (
            f"{n_found} of {len(tests)} pairs of methods differ significantly (Wilcoxon over {n_tables} tables, Holm)"
        )
    # The most that tables can show is all of them pointing one way: one assignment of signs, doubled.
    least = min(1.0, len(tests) * 2.0 ** (1 - n_tables))
    if least >= 0.05:
        below = formatting.p_value(least).removeprefix("p = ").removeprefix("p ")
        return (
            f"{n_tables} tables are too few to call any two of the methods different "
            f"(Wilcoxon after Holm: p cannot fall below {below})"
        )
    return f"no significant difference between any two methods (Wilcoxon over {n_tables} tables, after Holm)"
