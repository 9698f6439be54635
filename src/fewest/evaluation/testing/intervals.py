"""A mean error with its confidence interval."""

from __future__ import annotations

import math

from fewest.arrays import Floats
from fewest.summary import Estimate

_CONFIDENCE = 0.95


def estimate(errors: Floats, n_train: float, n_test: float) -> Estimate:
    """The mean of errors over splits, with its 95 % interval.

    Splits share training rows, so that their variance alone gives too narrow an interval: it is that of the corrected t
    (Nadeau and Bengio). With one test row a split, one split, or equal errors in all splits, it is Wilson's for the
    number of test rows.
    """
    mean = float(errors.mean())
    spread = float(errors.std(ddof=1)) if len(errors) > 1 else 0.0
    if n_test <= 1 or spread == 0.0:
        return Estimate(mean, *_wilson(mean, max(1.0, n_test) * (len(errors) if n_test <= 1 else 1)))
    from scipy.special import stdtrit

    reach = float(stdtrit(len(errors) - 1, (1 + _CONFIDENCE) / 2)) * spread
    reach *= math.sqrt(1 / len(errors) + n_test / n_train)
    return Estimate(mean, max(0.0, mean - reach), min(1.0, mean + reach))


def _wilson(share: float, n: float) -> tuple[float, float]:
    from scipy.special import ndtri

    z = float(ndtri((1 + _CONFIDENCE) / 2))
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    reach = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return max(0.0, centre - reach), min(1.0, centre + reach)
