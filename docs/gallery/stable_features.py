"""
Features that stay
==================

Select from another sample of the same patients, and other features come out. Which
would come again? Stability selection fits a selector on many halves of the rows,
keeps the columns that most halves take, and bounds the expected number of false ones
among them.
"""

# %%
# The same question, other answers
# --------------------------------
# 100 rows, 300 columns, of which the first six differ between the classes. Two random
# halves of the rows, ten features each:

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from fewest import FisherScore, StabilitySelection

rng = np.random.default_rng(3)
y = np.arange(100) % 2
values = rng.normal(size=(100, 300))
values[:, :6] += y[:, None] * np.array([1.2, 1.1, 1.0, 0.9, 0.8, 0.7])
X = pd.DataFrame(
    values, columns=[*"ABCDEF", *(f"noise{number}" for number in range(294))]
)

halves = rng.permutation(100).reshape(2, 50)
pd.DataFrame(
    {
        f"half {number}": FisherScore(n_features=10)
        .fit(X.iloc[rows], y[rows])
        .selection_.features
        for number, rows in enumerate(halves, start=1)
    }
)

# %%
# Over a hundred halves
# ---------------------
# ``expected_false=1`` asks for a threshold at which at most one false feature is
# expected.

stable = StabilitySelection(FisherScore(), expected_false=1.0, random_state=0).fit(X, y)
print(stable.selection_)
print(*stable.notes_, sep="\n")

# %%
# The paths
# ---------
# How often a column is among the first features of a half, against the number of
# features that each half takes. True columns rise early; noise stays below the
# threshold.

paths = np.asarray(stable.path_.frequencies)
sizes = np.arange(1, len(paths) + 1)
figure, axis = plt.subplots(figsize=(6.5, 3.6), layout="constrained")
axis.plot(sizes, paths[:, 6:], color="lightgrey", linewidth=0.6)
for column in range(6):
    axis.plot(sizes, paths[:, column], label=X.columns[column])
axis.axhline(stable.threshold_, color="black", linewidth=0.8, linestyle="--")
axis.set_xlabel("features that a half takes")
axis.set_ylabel("share of the halves")
axis.legend(ncols=2)

# %%
# Does the bound hold?
# --------------------
# Twenty more tables of the same kind: the false features of each, beside those of a
# plain selection of as many features.

stable_false, plain_false = [], []
for seed in range(20):
    rng = np.random.default_rng(100 + seed)
    table = rng.normal(size=(100, 300))
    table[:, :6] += y[:, None] * np.array([1.2, 1.1, 1.0, 0.9, 0.8, 0.7])
    found = (
        StabilitySelection(FisherScore(), expected_false=1.0, random_state=0)
        .fit(table, y)
        .selection_.indices
    )
    plain = FisherScore(n_features=10).fit(table, y).selection_.indices
    stable_false.append(sum(column >= 6 for column in found))
    plain_false.append(sum(column >= 6 for column in plain))
stable_mean, plain_mean = np.mean(stable_false), np.mean(plain_false)
print(f"false features: {stable_mean:.2f} by stability selection,")
print(f"{plain_mean:.2f} among the ten best")

# %%
# Another guarantee, on the share of false features, comes from
# :class:`~fewest.Knockoffs`; from tests of single columns, ``n_features="fdr"``.
