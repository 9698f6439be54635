"""Figures 12 to 17 of paper 1: genes."""

from __future__ import annotations

from fewest.papers.claims import Above, Beyond
from fewest.papers.declarations import Item, Picture
from fewest.papers.experiments.draws import Draws, NearlyBest
from fewest.papers.experiments.splits import Splits
from fewest.papers.experiments.tables import Table
from fewest.papers.fisher_markov.methods import GENES, METHODS, OTHERS, RAW, STATES


def _curves(name: str, table: str, test_share: float = 0.25, n_splits: int = 20) -> Splits:
    return Splits(
        data={name: Table(table)}, methods=METHODS, classifiers={"SVM": "svm"}, sizes=GENES,
        key=("table", "size", "method"), n_splits=n_splits, n_quick=3, quick_sizes=(1, 5, 20, 60),
        test_share=test_share,
    )  # fmt: skip


F12 = Item(
    name="F12",
    others=("F13",),
    title="Leukemia and NCI9: error of a linear SVM against the number of genes",
    claim="MRF outperforms the other four methods on leukemia; on NCI9 it reaches the lowest error, as mRMR does, with "
    "fewer genes.",
    experiments=(_curves("Leukemia-S3", "leukemia_disc"), _curves("NCI9", "nci9")),
    claims=(
        *(Above(("Leukemia-S3", "20 features", other), ("Leukemia-S3", "20 features", "MRF")) for other in OTHERS),
        *(Above(("NCI9", "20 features", other), ("NCI9", "20 features", "MRF")) for other in OTHERS),
        Above(("Leukemia-S3", "60 features", "MRF"), ("Leukemia-S3", "20 features", "MRF")),
    ),
    minutes=2,
    picture=Picture(line=2, at=1, x="genes of NCI9", y="error, %", only="NCI9"),
    choices=(
        "The paper draws one split, up to 120 genes of leukemia and 60 of NCI9; we take means over 20 splits, up to 60 "
        "genes.",
        STATES,
        RAW,
    ),
)

F14 = Item(
    name="F14",
    others=("F15", "F16", "F17"),
    title="Prostate and lung: how many genes stand out, and error of a linear SVM against the number of genes",
    claim="Only about 20 genes of prostate, and a small fraction of those of lung, have coefficients near the largest; "
    "MRF outperforms the other four methods.",
    experiments=(
        *(
            Draws(
                draws={name: Table(table)}, methods={"genes above half of the largest coefficient": METHODS["MRF"]},
                measures={"": NearlyBest(0.5)}, train_share=share, n_draws=20, n_quick=5,
            )
            for name, table, share in (("Prostate Cancer", "prostate", 0.9), ("Lung Cancer", "lung181", 32 / 181))
        ),
        _curves("Lung Cancer", "lung181", 149 / 181, 10),
    ),
    claims=(
        Beyond(("genes above half of the largest coefficient", "Prostate Cancer"), 20.0, is_below=True),
        Beyond(("genes above half of the largest coefficient", "Lung Cancer"), 125.0, is_below=True),
        *(Above(("Lung Cancer", "20 features", other), ("Lung Cancer", "20 features", "MRF")) for other in OTHERS),
    ),
    minutes=2,
    picture=Picture(line=2, at=1, x="genes of lung", y="error, %", only="Lung Cancer"),
    choices=(
        "F15 cannot be run: the test rows of prostate cannot be had. F17 has 32 training rows, as in the paper, drawn "
        "from each class in proportion: the paper's own rows are not in our copy.",
        "Of prostate the coefficients are those of draws of 90 % of the paper's training rows.",
        "To stand out is to have at least half of the largest coefficient; a small fraction is 1 % of the genes.",
        RAW,
    ),
)  # fmt: skip
