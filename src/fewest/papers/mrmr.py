"""Paper 3: max-dependency, max-relevance and min-redundancy."""

from __future__ import annotations

from fewest.papers.declarations import Item, Paper, Unbuilt
from fewest.papers.experiments.shapes import shapes
from fewest.papers.experiments.tables import Table
from fewest.papers.numbers import numbers_of

PAPER = Paper(
    name="mrmr",
    number=3,
    title="Feature Selection Based on Mutual Information: Criteria of Max-Dependency, Max-Relevance, and "
    "Min-Redundancy",
    authors="Peng, Long, Ding",
    venue="IEEE TPAMI 27(8), 2005",
    doi="10.1109/TPAMI.2005.159",
    page="mrmr",
    items=(
        Item(
            name="T1",
            title="Characteristics of the data sets",
            claim="Four tables, of 278 to 9,703 columns.",
            experiments=shapes(
                {
                    "HDR": Table("mfeat"), "ARR": Table("arrhythmia"), "NCI": Table("nci9"), "LYM": Table("lymphoma"),
                }
            ),
            numbers=numbers_of(
                """
                | columns | classes | rows
                HDR | 649 | 10 | 2000
                ARR | 278 | 2 | 420
                NCI | 9703 | 9 | 60
                LYM | 4026 | 9 | 96
                """
            ),
            minutes=0.5,
            unit="",
            choices=("The numbers are those of the text: Table 1 itself is missing in our copy of the paper.",),
        ),
        Unbuilt("F1", "Seconds of mRMR, MaxRel and MaxDep at each step", "MaxDep is far slower than mRMR.",
                "not built yet", "needs nci9 and lymphoma from --data; their 3-state copies"),
        Unbuilt("F2", "HDR, ARR, NCI, LYM: error of mRMR and MaxDep against size", "mRMR errs less than MaxDep.",
                "not built yet", "needs mfeat, arrhythmia, nci9 and lymphoma from --data", others=("F3",)),
        Unbuilt("F4", "ARR: error against size, three classifiers", "mRMR errs less than MaxRel.", "not built yet",
                "needs arrhythmia from --data, recoded to two classes"),
        Unbuilt("T2", "NCI and LYM, leave-one-out: error at 1 to 50 features", "mRMR errs less than MaxRel.",
                "not built yet",
                "needs nci9 and lymphoma from --data, and the numbers, which are missing in our copy of the paper",
                others=("T3",)),
        Unbuilt("T4", "Wrappers on the candidates: four tables, three classifiers, forward and backward",
                "Wrappers find better subsets among the candidates of mRMR.", "not built yet",
                "needs mfeat, arrhythmia, nci9 and lymphoma from --data", others=("F5",)),
    ),
)  # fmt: skip
