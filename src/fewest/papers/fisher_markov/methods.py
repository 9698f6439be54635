"""The methods and classifiers of paper 1, and what we chose where it is silent."""

from __future__ import annotations

from fewest import L0SVM, MRMR, SVMRFE, FisherMarkov, ForestImportance

METHODS = {
    "MRF": FisherMarkov(gamma=-0.5, scale=None),
    "Random Forest": ForestImportance(),
    "mRMR": MRMR(),
    "RFE": SVMRFE(),
    "L0": L0SVM(),
}
OTHERS = tuple(name for name in METHODS if name != "MRF")
CLASSIFIERS = {"SVM": "svm", "K-SVM": "rbf-svm(strategy=ovr)", "NB": "nb", "C4.5": "tree"}
#: The numbers of genes for which errors are measured, of those from 1 to 60.
GENES = (1, 2, 5, 10, 20, 30, 40, 50, 60)
RAW = "MRF takes the columns as they are, γ = −0.5: the paper does not say how it scales."
STATES = "Leukemia and NCI9 come in three states a gene, which mRMR takes as they are."
