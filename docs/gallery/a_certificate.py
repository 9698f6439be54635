"""
A certificate explained
=======================

Most selectors return what a search happened to find. Some can say more: no other
subset is better, or none is better by more than so much. This story reads such a
statement, draws it, and lets somebody else check it.
"""

# %%
# A selection with a proof
# ------------------------
# With ``degree=2`` the Fisher-Markov selector scores features and pairs of features.
# There are 142,506 ways to take 25 of the 30 columns here; minimum cuts find the best
# without trying them.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer

from fewest import FisherMarkov

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
selection = FisherMarkov(degree=2, n_features=25).fit(X, y).selection_
selection

# %%
# The certificate is a sentence, and the numbers behind it.

certificate = selection.certificate
for part in (certificate, certificate.problem, certificate.numbers):
    print(part)

# %%
# Not every size has a proof. For four features there is a bound: the best four may be
# better than these, but by no more than it says.

print(FisherMarkov(degree=2, n_features=4).fit(X, y).selection_.certificate)

# %%
# A proof for any objective
# -------------------------
# Where there are few subsets, all of them can be tried. The search
# :class:`~fewest.searches.Exhaustive` does, here for the estimated Bayes error of
# three of eight columns.

from fewest import FeatureSelector
from fewest.criteria import BayesError
from fewest.searches import Exhaustive

small = X.iloc[:, :8]
best = (
    FeatureSelector(BayesError("neighbors"), Exhaustive(), n_features=3)
    .fit(small, y)
    .selection_
)
print(best.certificate)

# %%
# The whole path
# --------------
# A price β on every feature decides how many are worth taking. The best subset
# changes at a few prices only, and all of them are known: for every β the answer is
# exact. Sizes between two of the steps are best at no price; for these there is a
# bound.

path = FisherMarkov(degree=2, beta=0.0).fit(X, y).selection_
prices = np.array([price for price, _ in path.breakpoints])
sizes = np.array([size for _, size in path.breakpoints])
figure, axis = plt.subplots(figsize=(6, 3.2), layout="constrained")
axis.step(prices, sizes, where="pre", color="#0072b2")
axis.plot(prices, sizes, "o", color="#0072b2", markersize=4)
axis.set_xlabel("price β of a feature")
axis.set_ylabel("features in the best subset")

# %%
# For somebody else to check
# --------------------------
# A selection is stored as JSON. Whoever has the data recomputes value, bound and
# proof from it, and a number that was changed is found.

from fewest import Selection

stored = Selection.from_json(selection.to_json())
print(stored.verify(X, y))

# %%
# With another row in the table the statement is about other data, and verification
# says so.

print(stored.verify(X.iloc[1:], y.iloc[1:]))

# %%
# On the command line: ``fewest select breast-cancer --method fisher-markov --set
# degree=2 --features 25 --json chosen.json``, then ``fewest verify chosen.json
# breast-cancer``. A proof is about the objective; whether the objective suits your
# data is a question for :func:`~fewest.compare`.
