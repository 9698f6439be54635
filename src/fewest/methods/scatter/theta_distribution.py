"""The distribution of theta: mean and variance with and without class information (Prop. IV.2, corrected)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from fewest.arrays import Floats
from fewest.errors import InvalidInput
from fewest.methods.scatter.class_scatter import ClassScatter
from fewest.parameters import check_number
from fewest.statistics.class_moments import ClassMoments


@dataclass(frozen=True, eq=False)
class ThetaDistribution:
    """Mean and variance of theta = between - gamma * total of normal columns, and of columns without class information.

    With class means mu_i, class shares lambda_i = n_i / n, one standard deviation sigma within all g classes and
    U = sum_i lambda_i mu_i^2 - (sum_i lambda_i mu_i)^2, n theta is (1 - gamma) sigma^2 chi2(g - 1; n U / sigma^2)
    - gamma sigma^2 chi2(n - g), the first not central, the two independent.

    Parameters
    ----------
    class_counts : array of shape (n_classes,)
        The number of rows of each class.
    class_means : array of shape (n_classes,) or (n_classes, n_columns)
        The mean of each class; equal ones are a column without class information.
    deviation : float or array of shape (n_columns,)
        The standard deviation within the classes.
    gamma : float, default=0.0
        The weight of the total scatter.

    Attributes
    ----------
    separation : float or ndarray
        U, the scatter between the true class means.
    mean, variance : float or ndarray
        Of theta.
    noise_mean, noise_variance : float or ndarray
        Of theta in a column of the same deviation whose class means are equal.
    kappa : float or ndarray
        The distance of the two means, in units of the larger of the two standard deviations. The paper asks for 2.

    See Also
    --------
    ScatterTrace : The criterion, whose theta this is with scale=None.

    Notes
    -----
    mean = (1 - gamma) U + sigma^2 / n (g - 1 + gamma - gamma n), as in the paper's Eqs. 23 and 24, and
    variance = (1 - gamma)^2 [4 sigma^2 U / n + 2 sigma^4 (g - 1) / n^2] + 2 gamma^2 sigma^4 (n - g) / n^2. The paper's
    Eqs. 23 and 25, and Cor. IV.3 with them, add up the variances of three chi-squares that are not independent; at
    gamma = 0 they have g + 1 in place of g - 1, and a term of the overall mean, on which theta does not depend.

    References
    ----------
    Cheng, Zhou and Cheng (2011), The Fisher-Markov selector, Prop. IV.2 and Cor. IV.3,
    https://doi.org/10.1109/TPAMI.2010.195

    Examples
    --------
    Two classes of 50 rows one standard deviation apart:

    >>> from fewest import ThetaDistribution
    >>> theta = ThetaDistribution([50, 50], [0.0, 1.0], deviation=1.0)
    >>> theta.mean, theta.noise_mean
    (0.26, 0.01)
    >>> round(theta.variance, 6), round(theta.kappa, 2)
    (0.0102, 2.48)
    """

    class_counts: ArrayLike
    class_means: ArrayLike
    deviation: ArrayLike
    gamma: float = 0.0

    def __post_init__(self) -> None:
        check_number("gamma", self.gamma)
        counts, means, deviation = self._counts, self._means, self._deviation
        if counts.ndim != 1 or len(counts) < 2 or not (counts > 0).all() or means.shape[:1] != counts.shape:
            raise InvalidInput(
                "class_counts must be the positive numbers of rows of at least two classes, and class_means have a row "
                f"for each; got shapes {counts.shape} and {means.shape}. Leave out classes without rows."
            )
        if not (np.isfinite(means).all() and np.isfinite(deviation).all() and (deviation >= 0).all()):
            raise InvalidInput(
                "class_means and deviation must be finite, and deviation not negative. Check them for NaN."
            )

    @classmethod
    def of_columns(cls, moments: ClassMoments, gamma: float = 0.0) -> ThetaDistribution:
        """Return the distribution where class means and deviations are those observed in columns without scaling.

        moments : of complete columns, such as scan(X, y).collect(ClassMoments())
        """
        has_rows = moments.class_counts > 0
        weight = moments.weight[has_rows]
        if (weight != weight[:, :1]).any():
            raise InvalidInput("Some values are missing: the classes have other shares in every column. Impute them.")
        within = ClassScatter(moments, is_grouped=False).within
        n, g = float(weight[:, 0].sum()), len(weight)
        deviation = np.sqrt(within * n / max(n - g, 1.0))
        return cls(weight[:, 0], moments.mean[has_rows], deviation, gamma)

    @property
    def separation(self) -> Floats | float:
        shares = self._counts / self._counts.sum()
        about = self._means - np.tensordot(shares, self._means, 1)
        return _plain(np.tensordot(shares, np.square(about), 1))

    @property
    def noise_mean(self) -> Floats | float:
        n, g, gamma = self._n, len(self._counts), self.gamma
        return _plain(np.square(self._deviation) / n * (g - 1 + gamma - gamma * n))

    @property
    def mean(self) -> Floats | float:
        return _plain(np.asarray((1 - self.gamma) * self.separation + self.noise_mean))

    @property
    def noise_variance(self) -> Floats | float:
        n, g, gamma = self._n, len(self._counts), self.gamma
        factor = (1 - gamma) ** 2 * (g - 1) + gamma**2 * (n - g)
        return _plain(2 * np.square(np.square(self._deviation)) / n**2 * factor)

    @property
    def variance(self) -> Floats | float:
        of_means = 4 * (1 - self.gamma) ** 2 * np.square(self._deviation) * self.separation / self._n
        return _plain(np.asarray(of_means + self.noise_variance))

    @property
    def kappa(self) -> Floats | float:
        apart = np.asarray(abs(1 - self.gamma) * self.separation)
        largest = np.sqrt(np.maximum(self.variance, self.noise_variance))
        with np.errstate(divide="ignore", invalid="ignore"):
            return _plain(np.where(apart > 0, apart / largest, 0.0))

    @property
    def _n(self) -> float:
        return float(self._counts.sum())

    @property
    def _counts(self) -> Floats:
        return np.asarray(self.class_counts, dtype=np.float64)

    @property
    def _means(self) -> Floats:
        return np.asarray(self.class_means, dtype=np.float64)

    @property
    def _deviation(self) -> Floats:
        return np.asarray(self.deviation, dtype=np.float64)


def _plain(numbers: Floats) -> Floats | float:
    """Return a float in place of an array without dimensions."""
    return float(numbers) if np.ndim(numbers) == 0 else numbers
