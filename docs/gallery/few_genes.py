"""
Few genes out of thousands
==========================

Eighty samples, five thousand genes, two classes: the usual table of a study with
microarrays. Genes come in modules that rise and fall together, so the twenty best
genes are often one gene twenty times. This story looks for the fewest genes that tell
the classes apart, and asks what error to expect with them.
"""

# %%
# A table of genes
# ----------------
# The table is simulated, so that the truth is known. Three modules of twelve genes
# each differ between the classes, the first most. The genes of a module share most of
# their variation. The other 4,964 genes are noise.

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

rng = np.random.default_rng(1)
n_samples, n_genes, module_size = 80, 5000, 12
y = np.repeat(["normal", "tumour"], n_samples // 2)
values = rng.normal(size=(n_samples, n_genes))
names = [f"gene{number}" for number in range(n_genes)]
for module, shift in enumerate((2.0, 1.6, 1.6)):
    shared = rng.normal(size=n_samples) + shift * (y == "tumour")
    own = slice(module * module_size, (module + 1) * module_size)
    values[:, own] = 0.9 * shared[:, None] + 0.4 * values[:, own]
    names[own] = [f"{'ABC'[module]}{number}" for number in range(module_size)]
X = pd.DataFrame(values, columns=names)

# %%
# The best genes are one gene many times
# --------------------------------------
# :class:`~fewest.FisherScore` scores every gene alone. All of its first ten come from
# module A. :class:`~fewest.MRMR` also subtracts what a gene shares with those already
# taken, so its first three come from three modules.

from fewest import MRMR, FisherScore

taken = {
    "Fisher score": FisherScore(n_features=10).fit(X, y).selection_,
    "mRMR": MRMR(n_features=10).fit(X, y).selection_,
}
pd.DataFrame({name: list(selection.features) for name, selection in taken.items()})

# %%
# What the genes have in common: the correlations among the ten.

figure, axes = plt.subplots(1, 2, figsize=(8, 3.6), layout="constrained")
for axis, (name, selection) in zip(axes, taken.items(), strict=True):
    features = list(selection.features)
    shown = axis.imshow(X[features].corr().abs(), vmin=0, vmax=1, cmap="Blues")
    axis.set_title(name, fontsize=11)
    axis.set_xticks(range(10), features, rotation=90)
    axis.set_yticks(range(10), features)
figure.colorbar(shown, ax=axes, label="absolute correlation")

# %%
# What error to expect
# --------------------
# :func:`~fewest.compare` selects anew inside every training part, so that the test
# samples have no say in which genes are taken. Six splits are few; the command's
# default is twenty.

from fewest import compare

found = compare(
    ["fisher-score", "mrmr"],
    X,
    y,
    classifiers=["svm", "nb"],
    outer=6,
    inner=3,
    sizes=[1, 2, 3, 5, 10, 20],
    leak=False,
)
print(found)

# %%
# The error against the number of genes, with the linear SVM.

curves = found.to_frame("curves").query("classifier == 'svm'")
figure, axis = plt.subplots(figsize=(6, 3.2), layout="constrained")
for colour, (method, own) in zip(
    ("#d55e00", "#0072b2"), curves.groupby("method"), strict=True
):
    axis.plot(own["size"], own["error"], "o-", color=colour, label=method)
axis.set_xscale("log")
axis.set_xticks([1, 2, 3, 5, 10, 20], ["1", "2", "3", "5", "10", "20"])
axis.set_xlabel("number of genes")
axis.set_ylabel("error on test samples")
axis.legend()

# %%
# On the command line
# -------------------
# The same question of a file: ``fewest compare genes.csv --target class --methods
# fisher-score,mrmr --report genes.html``.
