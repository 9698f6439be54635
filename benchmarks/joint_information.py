"""JMI, CMIM, JMIM and DISR of 50 features from rows in memory, against mRMR's full evaluation; processor time."""

from __future__ import annotations

from functools import partial

from mrmr import K, table
from timing import Row, least_cpu

from fewest import GreedyForward
from fewest.criteria import ConditionalInformation, RelevanceRedundancy
from fewest.data.array import ArraySource
from fewest.data.labels import Target

#: At most this number of times mRMR's full evaluation, by full evaluation or not.
LIMIT = 8


def search(criterion, statistic, lazy, shares=None):
    objective = criterion.bind(statistic)
    GreedyForward(lazy=lazy).run(objective, K)
    if shares is not None:
        shares.append(objective.n_evaluated / ((K - 1) * objective.n_columns))


def measure():
    for n, p, n_categories, share in ((500, 10_000, 3, 0.05), (100_000, 500, 8, 0.2)):
        X, y = table(n, p, n_categories, share)
        statistic = ArraySource(X, Target(y)).collect(ConditionalInformation().statistic())
        mrmr = partial(search, RelevanceRedundancy(), statistic, False)
        for form in ("jmi", "disr", "cmim", "jmim"):
            criterion, shares = ConditionalInformation(form), []
            calls = (partial(search, criterion, statistic, False), partial(search, criterion, statistic, True, shares))
            full, lazy, theirs = (1e3 * seconds for seconds in least_cpu(*calls, mrmr))
            what = f"{form.upper()}, {n:,} × {p:,} of {n_categories} categories"
            yield Row(f"{what}, all pairs", full, theirs, "mRMR, all pairs", LIMIT)
            yield Row(f"{what}, {shares[0]:.0%} of them", lazy, theirs, "mRMR, all pairs", LIMIT)
