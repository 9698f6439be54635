"""Paper 4: nonparametric Bayes error minimisation, the Relief family."""

from __future__ import annotations

from fewest.papers.bayes_error.texts_and_genes import F6, F8, T2, T3
from fewest.papers.bayes_error.uci import F1, F2, F3, F4, T1
from fewest.papers.declarations import Paper

PAPER = Paper(
    name="bayes-error",
    number=4,
    title="Discriminative Feature Selection by Nonparametric Bayes Error Minimization",
    authors="Yang, Hu",
    venue="IEEE TKDE, 2012",
    doi="10.1109/TKDE.2011.72",
    page="parzen_relief",
    reliance="What can be relied on: P-Relief finds terms of texts with which kNN classifies much better than with "
    "those of ReliefF, or with all (F6: 16 of 18 claims, the other two are open). Real columns it separates from "
    "probes well on some tables, and worse than Relief on others (F2); that fewer errors come of it is not shown (F1), "
    "and on genes it is not shown to lead ReliefF, information gain or χ² (T3). M-Relief cannot be relied on: with "
    "shuffled labels, where there is nothing to find, it prefers real columns of glass, segment and LRS nearly as much "
    "as with the true ones, and those of ecoli half-way, and with a rare class it is far below Relief (F4); nor are "
    "its errors shown to be lower (F3).",
    items=(T1, T2, F1, F2, F3, F4, F6, F8, T3),
)
