"""
A customer table: text, numbers, missing values, and an identifier
==================================================================

The table that people really have: a number for each customer, contracts as text,
missing values, a constant, and a column that was filled in after the fact. Which
columns tell who leaves?
"""

# %%
# The table
# ---------

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

rng = np.random.default_rng(0)
n_rows = 1500
contract = rng.choice(["monthly", "one year", "two years"], n_rows, p=[0.5, 0.3, 0.2])
months = np.round(rng.gamma(2, 12, n_rows)) + 1
calls = rng.poisson(1.2, n_rows)
risk = 1.4 * (contract == "monthly") - 0.05 * months + 0.7 * calls - 0.9
leaves = rng.random(n_rows) < 1 / (1 + np.exp(-risk))
customers = pd.DataFrame(
    {
        "customer_id": [f"C-{number:05}" for number in rng.permutation(n_rows)],
        "contract": contract,
        "months": months,
        "support_calls": calls,
        "charges": np.where(
            rng.random(n_rows) < 0.1, np.nan, rng.normal(60, 15, n_rows).round(2)
        ),
        "city": rng.choice([f"city {number}" for number in range(200)], n_rows),
        "paperless": rng.choice(["yes", "no"], n_rows),
        "currency": "EUR",
        "closing_reason": np.where(
            leaves, rng.choice(["price", "moved"], n_rows), "none"
        ),
    }
)
churn = np.where(leaves, "leaves", "stays")
customers.head()

# %%
# What is odd about it
# --------------------
# :func:`~fewest.check_data` finds the identifier and the constant, and warns of the
# column that gives the class away. ``fewest select`` and ``fewest compare`` make the
# same check first.

from fewest import check_data

print(check_data(customers, churn))

# %%
# The reason for closing is known only of those who have left: it must go. The rest is
# selected from, text and missing values included. A column of text is one feature,
# however many categories it has; that ``city`` has 200 earns it nothing, since the
# information that 200 categories would have by chance is subtracted.

from fewest import MRMR

usable = customers.drop(columns=["customer_id", "currency", "closing_reason"])
ranked = MRMR(n_features=6).fit(usable, churn)
ranked.selection_.to_frame()

# %%
# The share that leaves, by the first features.

figure, axes = plt.subplots(1, 3, figsize=(8.5, 2.8), sharey=True, layout="constrained")
for axis, feature in zip(axes, ranked.selection_.features[:3], strict=True):
    column = usable[feature]
    if column.nunique() > 10:
        column = pd.qcut(column, 5).map(
            lambda interval: f"{interval.left:.0f} to {interval.right:.0f}"
        )
    shares = pd.Series(leaves).groupby(column, observed=True).mean()
    axis.bar([str(key) for key in shares.index], shares, color="#0072b2")
    axis.tick_params(axis="x", rotation=45)
    axis.set_title(feature, fontsize=11)
axes[0].set_ylabel("share that leaves")

# %%
# How many are needed, and what error to expect
# ---------------------------------------------

from fewest import compare

found = compare(
    ["mrmr", "relieff"],
    usable,
    churn,
    classifiers=["nb", "tree"],
    outer=4,
    inner=3,
    sizes=[1, 2, 3, 6],
    leak=False,
)
print(found)

# %%
# ``found.selector()`` is the recommended procedure as a fitted estimator, for a
# pipeline. From a file, all of this is ``fewest compare customers.csv --target churn
# --drop closing_reason --report customers.html``.

print(found.features)
