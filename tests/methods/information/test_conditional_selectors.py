"""JMI, CMIM, JMIM and DISR as selectors: a noisy XOR, and the note where no feature is relevant."""

from __future__ import annotations

import numpy as np

from fewest import CMIM, DISR, JMI, JMIM, MRMR


def noisy_xor(seed, share, n_rows=1000, n_noise=20):
    """y is the XOR of columns 0 and 1, wrong in a tenth of the rows; column 1 is 1 in a share of them; noise."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (n_rows, 2 + n_noise))
    X[:, 1] = rng.random(n_rows) < share
    y = X[:, 0] ^ X[:, 1] ^ (rng.random(n_rows) < 0.1)
    return X, y


def share_found(selector, share, draws=30):
    """How often both columns of the XOR are among the first three."""
    found = [{0, 1} <= set(selector.fit(*noisy_xor(seed, share)).selection_.indices) for seed in range(draws)]
    return np.mean(found)


def test_an_xor_with_a_trace_of_relevance_is_found_and_mrmr_misses_it():
    # Column 1 is 1 in 60 % of the rows: column 0 alone then shares a little with the class, column 1 nothing.
    assert share_found(JMI(n_features=3), 0.6) >= 0.9
    assert share_found(DISR(n_features=3), 0.6) >= 0.9
    assert share_found(JMIM(n_features=3), 0.6) >= 0.9
    assert share_found(MRMR(n_features=3), 0.6) <= 0.4
    # The value of a column by CMIM is never above its relevance, and column 1 has none.
    assert share_found(CMIM(n_features=3), 0.6) <= 0.4


def test_an_xor_without_any_relevance_is_found_from_the_best_pair():
    assert share_found(JMI(n_features=3, first="pair"), 0.5) == 1.0
    assert share_found(JMIM(n_features=3, first="pair"), 0.5) == 1.0
    assert share_found(MRMR(n_features=3), 0.5) <= 0.4


def test_a_note_says_where_the_first_feature_is_no_better_than_chance():
    selector = JMI(n_features=3).fit(*noisy_xor(0, 0.5))
    assert any("first='pair'" in note for note in selector.selection_.provenance.notes)
    X, y = noisy_xor(0, 0.5)
    for quiet in (JMI(n_features=3, first="pair").fit(X, y), JMI(n_features=3).fit(np.column_stack([X, y]), y)):
        assert not any("first='pair'" in note for note in quiet.selection_.provenance.notes)
