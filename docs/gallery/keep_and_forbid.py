"""
Keep, forbid, and a budget
==========================

A study must report some columns, may not use others, and pays for the rest. Every
selector takes such constraints, and what is proved is proved of the constrained
problem.
"""

# %%
# A table with conditions
# -----------------------
# The breast-cancer data of scikit-learn: 30 measurements of cell nuclei. Suppose the
# texture is measured anyway, the "worst" values need a specialist, and fractal
# dimensions are not trusted.

import matplotlib.pyplot as plt
import pandas as pd
from sklearn.datasets import load_breast_cancer

from fewest import MRMR, FisherMarkov

X, y = load_breast_cancer(return_X_y=True, as_frame=True)

free = MRMR(n_features=6).fit(X, y)
bound_by = MRMR(
    n_features=6,
    keep=["mean texture"],
    forbid=["*fractal dimension"],
    at_most={"worst *": 2},
).fit(X, y)
pd.DataFrame(
    {"free": free.selection_.features, "with conditions": bound_by.selection_.features}
)

# %%
# Conditions that contradict each other are refused before anything is computed, with
# the columns named.

from fewest import FewestError

try:
    MRMR(n_features=3, keep=["mean area"], forbid=["mean *"]).fit(X, y)
except FewestError as error:
    print(error)

# %%
# A budget
# --------
# Let a mean cost 1, an error 3, and a worst value 10. How much separation can be
# bought? The objective of the Fisher-Markov selector is a sum, so the choice is a
# knapsack; where the answer is not proved optimal a bound says how much better any
# other could be.

costs = {"mean *": 1, "* error": 3, "worst *": 10}
budgets = [3, 6, 10, 15, 20, 30, 40, 60, 80]
bought = [
    FisherMarkov(n_features=10, costs=costs, budget=budget).fit(X, y).selection_
    for budget in budgets
]

figure, axis = plt.subplots(figsize=(6, 3.2), layout="constrained")
axis.plot(budgets, [one.value for one in bought], "o-", color="#0072b2", label="bought")
axis.plot(
    budgets,
    [one.bound for one in bought],
    "_",
    color="#d55e00",
    markersize=12,
    label="no choice has more",
)
axis.set_xlabel("budget")
axis.set_ylabel("sum of scores")
axis.legend()

# %%
# What each budget buys:

pd.DataFrame(
    {
        "features": [len(one.features) for one in bought],
        "of these worst values": [
            sum(name.startswith("worst") for name in one.features) for one in bought
        ],
        "proved optimal": [one.is_optimal for one in bought],
    },
    index=pd.Index(budgets, name="budget"),
)

# %%
# On the command line: ``fewest select breast-cancer --features 6 --keep "mean
# texture" --forbid "*fractal dimension" --at-most "worst *=2"``.
