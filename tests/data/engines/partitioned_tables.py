"""A table with text, missing values and weights, and tables whose partitions are odd in one way."""

from __future__ import annotations

import numpy as np
import pandas as pd

from fewest import JMI, JMIM, MRMR, ChiSquare, FisherMarkov, FisherScore, MaxRelevance, ParzenRelief, PearsonCorrelation

#: Counted: equal to the bit however rows are divided.
COUNTED = {"mrmr": MRMR, "jmi": JMI, "jmim": JMIM, "max-relevance": MaxRelevance, "chi-square": ChiSquare}
#: Sums of floats: equal within rounding.
SUMMED = {
    "fisher-markov": FisherMarkov,
    "fisher-markov, degree 2": lambda **options: FisherMarkov(degree=2, **options),
    "fisher-score": FisherScore,
    "pearson-correlation": PearsonCorrelation,
    "parzen-relief": ParzenRelief,
}


def mixed_table(n_rows=900, n_columns=8, seed=0):
    """Numbers, integers, text with a category that one class has, missing values and weights."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 3, n_rows)
    frame = pd.DataFrame({f"x{j}": rng.normal(size=n_rows) + 0.5 * (j < 3) * codes for j in range(n_columns)})
    frame["count"] = rng.integers(0, 5, n_rows) + codes
    frame["word"] = np.where(
        codes == 1, rng.choice(["red", "late"], n_rows), rng.choice(["red", "blue", "tan"], n_rows)
    )
    frame["city"] = rng.choice([f"town {i}" for i in range(30)], n_rows)
    frame.loc[rng.random(n_rows) < 0.1, "x2"] = np.nan
    frame.loc[rng.random(n_rows) < 0.1, "word"] = None
    frame["weight"] = rng.integers(0, 4, n_rows).astype(float)
    frame["label"] = np.array(["u", "v", "w"])[codes]
    return frame


def never_keeping_rows(selector):
    """The selector, as it works where rows are too many to keep: no small table is brought to one place."""
    selector._stream_bytes = 1000
    return selector


def answer_of(selector):
    return selector.selection_.features, selector.scores_
