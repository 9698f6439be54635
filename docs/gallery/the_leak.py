"""
The leak that everybody makes
=============================

Select features on the whole table, then cross-validate a classifier with them: the
most common mistake of this field. The test rows have already helped to choose the
features, so the error is too small, sometimes absurdly. Here a table of pure noise
gets an error of 12 %.
"""

# %%
# Noise, well classified
# ----------------------
# 60 rows, 5,000 columns, labels by the toss of a coin. No column knows anything of
# the class; every honest error is 50 %.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from fewest import FisherScore

rng = np.random.default_rng(0)
X = rng.normal(size=(60, 5000))
y = np.arange(60) % 2

# %%
# The wrong way: select once, on all rows, then cross-validate.

before = FisherScore(n_features=20).fit_transform(X, y)
classifier = make_pipeline(StandardScaler(), LinearSVC())
leaked = 1 - cross_val_score(classifier, before, y, cv=10).mean()
print(f"selected before the split: {leaked:.0%} error")

# %%
# The right way: the selector is a step of the pipeline, so it is fitted to the
# training rows of every fold.

inside = make_pipeline(FisherScore(n_features=20), StandardScaler(), LinearSVC())
honest = 1 - cross_val_score(inside, X, y, cv=10).mean()
print(f"selected inside each fold: {honest:.0%} error")

# %%
# The more columns, the larger the leak
# -------------------------------------
# Among more columns of noise there are better ones by chance. The honest error stays
# where it must be.

widths = [20, 100, 500, 2000, 10_000]
wide = rng.normal(size=(60, widths[-1]))
errors = {"before the split": [], "inside each fold": []}
for width in widths:
    own = wide[:, :width]
    chosen = FisherScore(n_features=20).fit_transform(own, y)
    errors["before the split"].append(
        1 - cross_val_score(classifier, chosen, y, cv=10).mean()
    )
    errors["inside each fold"].append(1 - cross_val_score(inside, own, y, cv=10).mean())

figure, axis = plt.subplots(figsize=(6, 3.2), layout="constrained")
for (name, values), colour in zip(errors.items(), ("#d55e00", "#0072b2"), strict=True):
    axis.plot(widths, values, "o-", color=colour, label=f"selected {name}")
axis.axhline(0.5, color="grey", linewidth=0.8)
axis.set_xscale("log")
axis.set_ylim(0, 0.75)
axis.set_xlabel("columns of noise")
axis.set_ylabel("cross-validated error")
axis.legend()

# %%
# The leak meter
# --------------
# :func:`~fewest.compare` always selects inside. Beside its error it measures what the
# wrong way would have promised, and where the honest error does not beat guessing it
# recommends nothing.

from fewest import compare

found = compare(
    "fisher-score",
    X[:, :2000],
    y,
    classifiers=["svm"],
    outer=12,
    inner=3,
    sizes=[5, 20],
)
print(found)
found.to_frame()[["method", "classifier", "error", "optimism"]]

# %%
# Everything learned from the labels belongs inside: the scores, the number of
# features, the choice of the method, and parameters that were tuned. Scaling the
# columns does not use the labels, and does little harm outside.
