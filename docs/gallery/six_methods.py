"""
Six methods, one table
======================

Which method is best for a table is a question to the table. :func:`~fewest.compare`
gives the methods the same splits, selects inside each, chooses every size by inner
folds, and says which differences are more than noise.
"""

# %%
# One call
# --------
# Six methods of five families on the breast-cancer data, with two classifiers. Four
# splits keep this story short; a comparison to rely on takes the default of twenty.

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer

from fewest import compare

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
methods = [
    "fisher-markov",
    "mrmr",
    "relieff",
    "parzen-relief",
    "kernel-separability",
    "svm-rfe",
]
found = compare(
    methods,
    X,
    y,
    classifiers=["svm", "knn"],
    outer=4,
    inner=3,
    sizes=[1, 2, 3, 5, 10, 20],
)
print(found)

# %%
# The table
# ---------
# Errors with intervals, the number of features, how stable the choice is, and the
# seconds. All features and guessing are among the rows.

found.to_frame()[
    ["method", "classifier", "error", "low", "high", "features", "stability", "seconds"]
]

# %%
# Error against the number of features
# ------------------------------------

colours = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"]
figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), sharey=True, layout="constrained")
for axis, classifier in zip(axes, ["svm", "knn"], strict=True):
    own = found.to_frame("curves").query("classifier == @classifier")
    for method, colour in zip(methods, colours, strict=True):
        curve = own.query("method == @method")
        axis.plot(
            curve["size"],
            curve["error"],
            "o-",
            color=colour,
            label=method,
            markersize=4,
        )
    axis.set_xscale("log")
    axis.set_xticks([1, 2, 3, 5, 10, 20], ["1", "2", "3", "5", "10", "20"])
    axis.set_title(classifier, fontsize=11)
    axis.set_xlabel("number of features")
axes[0].set_ylabel("error on test rows")
axes[1].legend(fontsize=8)

# %%
# Do they differ?
# ---------------
# Splits share rows, so that an ordinary t-test would be too sure of itself; these are
# corrected for it.

found.to_frame("tests").query("classifier == 'svm'")[
    ["a", "b", "difference", "p", "p_adjusted"]
]

# %%
# The page
# --------
# ``found.to_html("report.html")`` writes everything as one page that needs no other
# file. In a notebook a comparison shows itself:

found
