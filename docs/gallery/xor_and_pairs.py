"""
XOR and pairs
=============

Two switches decide the class together: it is 1 where exactly one of them is on.
Neither switch says anything about the class alone, so a method that looks at one
column at a time cannot find them. This story shows which methods can.
"""

# %%
# A table with an XOR
# -------------------
# 400 rows, two switches ``a`` and ``b``, a third column that agrees with the class in
# 60 % of the rows, and 27 columns of noise. The class is ``a xor b``, wrong in one
# row of ten.

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

rng = np.random.default_rng(0)
n_rows = 400
a, b = rng.integers(0, 2, (2, n_rows))
y = a ^ b ^ (rng.random(n_rows) < 0.1)
weak = np.where(rng.random(n_rows) < 0.6, y, 1 - y)
noise = pd.DataFrame(rng.integers(0, 2, (n_rows, 27))).add_prefix("noise")
X = pd.DataFrame({"a": a, "b": b, "weak": weak}).join(noise)

# %%
# The share of rows of class 1, by each switch alone and by both. One switch says
# nothing, both together nearly everything.

figure, axes = plt.subplots(1, 3, figsize=(8, 2.6), sharey=True, layout="constrained")
for axis, columns in zip(axes, (["a"], ["b"], ["a", "b"]), strict=True):
    shares = pd.Series(y).groupby([X[name] for name in columns]).mean()
    axis.bar([str(key) for key in shares.index], shares, color="#0072b2")
    axis.axhline(0.5, color="grey", linewidth=0.8)
    axis.set_xlabel(" and ".join(columns))
axes[0].set_ylabel("share of class 1")
figure.suptitle("Alone the switches say nothing", fontsize=11)

# %%
# Which methods find the pair?
# ----------------------------
# Three begin with one column: :class:`~fewest.MRMR` counts what each column shares
# with the class alone; :class:`~fewest.JMI` and :class:`~fewest.MaxDependency` count
# columns jointly with those already taken, and would see the pair if something led
# them to one of the two. Three see pairs from the start:
# :class:`~fewest.FisherMarkov` with ``degree=2`` scores pairs of columns;
# :class:`~fewest.ReliefF` and :class:`~fewest.MultiSURF` compare rows with their
# nearest neighbours over all columns.

from fewest import JMI, MRMR, FisherMarkov, MaxDependency, MultiSURF, ReliefF

methods = {
    "mRMR": MRMR(n_features=3),
    "JMI": JMI(n_features=3),
    "MaxDependency": MaxDependency(n_features=3),
    "Fisher-Markov, pairs": FisherMarkov(degree=2, n_features=3),
    "ReliefF": ReliefF(n_features=3),
    "MultiSURF": MultiSURF(n_features=3),
}
chosen = {
    name: list(method.fit(X, y).selection_.features) for name, method in methods.items()
}
pd.DataFrame(
    {
        "first three columns": {
            name: ", ".join(features) for name, features in chosen.items()
        }
    }
)

# %%
# Over many tables
# ----------------
# One draw proves little: the share of 20 tables in which both switches are among the
# first three columns.


def draw(seed):
    rng = np.random.default_rng(seed)
    columns = rng.integers(0, 2, (n_rows, 30))
    y = columns[:, 0] ^ columns[:, 1] ^ (rng.random(n_rows) < 0.1)
    columns[:, 2] = np.where(rng.random(n_rows) < 0.6, y, 1 - y)
    return columns, y


n_tables = 20
found = dict.fromkeys(methods, 0)
for seed in range(n_tables):
    table, labels = draw(seed)
    for name, method in methods.items():
        found[name] += {0, 1} <= set(method.fit(table, labels).selection_.indices)

figure, axis = plt.subplots(figsize=(6, 2.6), layout="constrained")
axis.barh(list(found), [count / n_tables for count in found.values()], color="#0072b2")
axis.invert_yaxis()
axis.set_xlim(0, 1)
axis.set_xlabel("share of tables in which both switches are found")

# %%
# The methods that see pairs find it in all tables; the others in at most one of the
# 20, by chance.
#
# What to do
# ----------
# Where you suspect that columns matter only together, add a method of pairs or
# neighbours to the comparison: ``fewest compare table.csv --target class --methods
# mrmr,relieff,jmi``. The default method, ``auto``, tries mRMR and ReliefF.
