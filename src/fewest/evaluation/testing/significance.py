"""Which differences between methods are more than chance.

| judged on | two methods | several |
|---|---|---|
| rows of one test set | mcnemar, tally_mcnemar over resamples | holm_adjusted |
| resamples of one table | corrected_t | not_worse_than_best |
| several tables | wilcoxon | friedman, with Nemenyi's critical difference and groups |
| sizes | rm_characteristic | |

Everywhere less is better, and a negative difference or effect says that the first method errs less.
"""

from __future__ import annotations

from fewest.evaluation.testing.corrected_t import CorrectedT, NotWorseThanBest, corrected_t, not_worse_than_best
from fewest.evaluation.testing.mcnemar import McNemarTally, McNemarTest, mcnemar, tally_mcnemar
from fewest.evaluation.testing.over_tables import FriedmanTest, WilcoxonTest, critical_difference, friedman, wilcoxon
from fewest.evaluation.testing.paired_test import PairedTest, cohens_d, holm, holm_adjusted, rank_biserial
from fewest.evaluation.testing.rm_characteristic import RMCharacteristic, rm_characteristic

__all__ = [
    "CorrectedT",
    "FriedmanTest",
    "McNemarTally",
    "McNemarTest",
    "NotWorseThanBest",
    "PairedTest",
    "RMCharacteristic",
    "WilcoxonTest",
    "cohens_d",
    "corrected_t",
    "critical_difference",
    "friedman",
    "holm",
    "holm_adjusted",
    "mcnemar",
    "not_worse_than_best",
    "rank_biserial",
    "rm_characteristic",
    "tally_mcnemar",
    "wilcoxon",
]
