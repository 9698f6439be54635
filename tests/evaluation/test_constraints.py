"""A comparison of selectors with constraints on columns."""

from __future__ import annotations

import numpy as np

from fewest import FisherScore, compare


def test_what_a_comparison_recommends_and_suggests_obeys_the_constraints():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 80)
    X = rng.normal(size=(80, 12)) + np.outer(y, np.linspace(2, 0, 12))
    # Column 0 is the best and forbidden, 11 the worst and kept.
    selector = FisherScore(keep=[11], forbid=[0], at_most={(1, 2, 3): 1})
    found = compare([selector], X, y, sizes=[3], outer=3, classifiers=["nb"], n_jobs=1)
    chosen = found.summary.tables[0].recommended
    assert chosen is not None
    columns = [int(name.removeprefix("x")) for name in found.features]
    assert 11 in columns
    assert 0 not in columns
    assert len({1, 2, 3} & set(columns)) == 1
    swaps = {one.name: one.swap for one in chosen.features}
    assert swaps["x11"] is None  # it is kept
    others = [swap.feature for name, swap in swaps.items() if name != "x11" and swap is not None]
    assert others
    assert "x0" not in others
