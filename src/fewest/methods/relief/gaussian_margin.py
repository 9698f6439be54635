"""The Gaussian naive Bayes criterion: how much more likely rows are under their own class, column by column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fewest.objectives import ColumnScores
from fewest.parameters import check_flag
from fewest.statistics import ClassMoments

#: A class's variance is at least this share of the column's.
_LEAST_VARIANCE = 1e-9


@dataclass(frozen=True)
class GaussianMargin:
    """Score columns by the log likelihood of a row under its own class less that under the others, densities normal.

    Twice the mean over rows of log N(x; mean_y, var_y) - sum over the other classes c of p_c / (1 - p_y) log N(x;
    mean_c, var_c): DoC of Yang and Hu under the naive Bayes model, where the columns' scores add up. By the moments it
    is

    sum_y p_y sum_{c != y} p_c / (1 - p_y) [(var_y + (mean_y - mean_c)^2) / var_c - 1 + log(var_c / var_y)],

    twice the mean Kullback-Leibler divergence between the class densities.

    Parameters
    ----------
    printed : bool, default=False
        Leave out the logarithms, as the paper prints it. Then a column whose classes differ in variance scores higher,
        and the value is no likelihood.

    See Also
    --------
    BayesError : Nonparametric densities, and subsets of columns.
    fewest.FisherScore : The case of equal variances.

    Notes
    -----
    Needs ClassMoments: one pass, linear in the rows. A class's variance counts as at least 1e-9 of the column's. A
    class without a value in a column is left out there. Cannot see redundancy, nor classes of several modes.

    References
    ----------
    Yang, Hu, 2012. Discriminative Feature Selection by Nonparametric Bayes Error Minimization (Section 3.2).
    https://doi.org/10.1109/TKDE.2011.72

    Examples
    --------
    >>> from fewest import FeatureSelector, GaussianMargin, IndividualRanking, scan
    >>> FeatureSelector(GaussianMargin(), IndividualRanking(), n_features=3).fit(scan("wine")).selection_.features
    ('flavanoids', 'od280/od315_of_diluted_wines', 'proline')
    """

    printed: bool = False

    offers: ClassVar[frozenset[str]] = frozenset({"score_features"})

    def __post_init__(self) -> None:
        check_flag("printed", self.printed)

    def statistic(self) -> ClassMoments:
        return ClassMoments()

    def bind(self, moments: ClassMoments) -> ColumnScores:
        weight, mean = moments.weight, moments.mean
        total = weight.sum(axis=0)
        is_observed, varies = total > 0, moments.highest > moments.lowest
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            middle = np.where(weight > 0, weight * mean, 0.0).sum(axis=0) / total
            between = np.where(weight > 0, weight * (mean - middle) ** 2, 0.0).sum(axis=0)
            variance = (between + np.where(weight > 0, moments.scatter, 0.0).sum(axis=0)) / total
            # In units of the column's variance: no product below overflows.
            own = np.maximum(moments.scatter / weight / variance, _LEAST_VARIANCE)
            centre = (mean - middle) / np.sqrt(variance)
        scores = np.zeros(len(total))
        for y in range(len(weight)):
            others = np.where(total > weight[y], total - weight[y], 1.0)
            for c in range(len(weight)):
                if c == y:
                    continue
                with np.errstate(divide="ignore", invalid="ignore"):
                    margin = (own[y] + (centre[y] - centre[c]) ** 2) / own[c] - 1
                    margin += 0.0 if self.printed else np.log(own[c] / own[y])
                share = weight[y] * weight[c] / others
                scores += np.where(varies & (share > 0), share * margin, 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            return ColumnScores(np.where(is_observed, scores / total, np.nan))
