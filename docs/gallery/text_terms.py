"""
Terms that tell texts apart
===========================

Counts of words are a sparse table: thousands of columns, nearly all of them zero.
This story finds the terms by which you can tell from which part of scikit-learn a
paragraph of its documentation comes.
"""

# %%
# Paragraphs and their counts
# ---------------------------
# The texts are docstrings, which are here whenever scikit-learn is. Class names would
# give the answer away: words with capitals or underscores are left out.

import re

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import sklearn.cluster
import sklearn.ensemble
import sklearn.linear_model
from sklearn.feature_extraction.text import CountVectorizer

texts, topics = [], []
for module in (sklearn.cluster, sklearn.ensemble, sklearn.linear_model):
    for name in sorted(module.__all__):
        for paragraph in re.split(r"\n\s*\n", getattr(module, name).__doc__ or ""):
            plain = " ".join(
                word for word in paragraph.split() if word.islower() and "_" not in word
            )
            if len(plain) > 80:
                texts.append(plain)
                topics.append(module.__name__.removeprefix("sklearn."))

counter = CountVectorizer(min_df=3, token_pattern=r"[a-z]{3,}")
X = counter.fit_transform(texts)
terms = counter.get_feature_names_out()
share = X.nnz / np.prod(X.shape)
print(f"{X.shape[0]} paragraphs, {X.shape[1]} terms; {share:.1%} are not zero")

# %%
# Sparse matrices stay sparse
# ---------------------------
# :class:`~fewest.ChiSquare` and :class:`~fewest.InformationGain` are the classics of
# text. Both read the matrix as it is, and so do mRMR and Parzen-Relief. A sparse
# matrix has no names of its own: they are looked up in the vocabulary.

from fewest import MRMR, ChiSquare, InformationGain, ParzenRelief

methods = {
    "χ²": ChiSquare(n_features=12),
    "information gain": InformationGain(n_features=12),
    "mRMR": MRMR(n_features=12),
    "Parzen-Relief": ParzenRelief(n_features=12),
}
pd.DataFrame(
    {
        name: terms[list(method.fit(X, topics).selection_.indices)]
        for name, method in methods.items()
    }
)

# %%
# Where the terms occur
# ---------------------
# The share of the paragraphs of each part that contain a term.

chosen = MRMR(n_features=12).fit(X, topics)
occurs = pd.DataFrame(
    (chosen.transform(X) > 0).toarray(), columns=terms[list(chosen.selection_.indices)]
)
shares = occurs.groupby(np.asarray(topics)).mean()

figure, axis = plt.subplots(figsize=(7, 2.6), layout="constrained")
shown = axis.imshow(shares, cmap="Blues", aspect="auto")
axis.set_xticks(range(shares.shape[1]), shares.columns, rotation=45, ha="right")
axis.set_yticks(range(len(shares)), shares.index)
figure.colorbar(shown, ax=axis, label="share of paragraphs")

# %%
# How many terms are enough
# -------------------------
# A naive Bayes classifier on the selected terms, selected anew in every fold.

from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import BernoulliNB
from sklearn.pipeline import make_pipeline

sizes = [3, 10, 30, 100, 300]
figure, axis = plt.subplots(figsize=(6, 3.2), layout="constrained")
for name, method in {"χ²": ChiSquare(), "mRMR": MRMR()}.items():
    errors = [
        1
        - cross_val_score(
            make_pipeline(method.set_params(n_features=size), BernoulliNB()),
            X,
            topics,
            cv=5,
        ).mean()
        for size in sizes
    ]
    axis.plot(sizes, errors, "o-", label=name)
axis.axhline(
    1 - pd.Series(topics).value_counts(normalize=True).max(),
    color="grey",
    linewidth=0.8,
    label="guessing",
)
axis.set_xscale("log")
axis.set_xticks(sizes, [str(size) for size in sizes])
axis.set_xlabel("number of terms")
axis.set_ylabel("cross-validated error")
axis.legend()
