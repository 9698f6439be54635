"""The synthetic data of the papers. The same seed gives the same data (with the same version of NumPy)."""

from __future__ import annotations

import numpy as np

from fewest.arrays import Integers
from fewest.datasets.dataset import Dataset, random_stream
from fewest.parameters import check_count, check_flag

_NOISE_SD = np.sqrt(20.0)


def synthetic_1(mapped: bool = False, seed: int = 0) -> Dataset:
    """A circle around a blob, with a third column of noise: no line separates the classes, their squares do.

    Class 1, whose rows come first, is 982 points uniform along the unit circle in (x, y), class 2 is 250 points normal
    around its centre with standard deviation 0.2; z is uniform on [-0.2, 0.2] in both.

    Parameters
    ----------
    mapped : bool, default=False
        Replace every column x by x² - 0.001 x, the feature map of the paper's kernel (33): there x + y is about 1 in
        class 1 and near 0 in class 2. The kernel itself has no term for z; here z is mapped too.
    seed : int, default=0
        The same seed draws the same points, mapped or not.

    Returns
    -------
    Dataset
        1,232 rows, columns x, y, z; labels 1 and 2; truth (0, 1).

    See Also
    --------
    fifty_two_features : Two columns among noise.

    Notes
    -----
    The paper prints a variance of 0.2, but then the classes would not be separable under the kernel, as it says they
    are: one point in twelve of class 2 would lie outside the circle. 0.2 is taken as the standard deviation.

    References
    ----------
    Cheng, Zhou, Cheng 2011, The Fisher-Markov Selector, Section V-E, "Synthetic-1" and Eq. 33.
    https://doi.org/10.1109/TPAMI.2010.195

    Examples
    --------
    >>> from fewest.datasets import synthetic_1
    >>> data = synthetic_1()
    >>> data.X.shape, data.truth
    ((1232, 3), (0, 1))
    """
    is_mapped = check_flag("mapped", mapped)
    random = random_stream(seed, "synthetic-1")
    angle = random.uniform(0.0, 2.0 * np.pi, 982)
    circle = np.column_stack([np.cos(angle), np.sin(angle)])
    blob = random.normal(0.0, 0.2, (250, 2))
    height = random.uniform(-0.2, 0.2, 982 + 250)
    points = np.column_stack([np.concatenate([circle, blob]), height])
    X = points**2 - 0.001 * points if is_mapped else points
    labels = np.repeat([1, 2], [982, 250])
    return Dataset(X, labels, ["x", "y", "z"], target_name="target", name="synthetic-1", truth=(0, 1))


def fifty_two_features(n_rows: int = 1000, n_noise: int = 50, shuffle: bool = False, seed: int = 0) -> Dataset:
    """Two columns that separate two classes together, but not linearly, among columns of noise.

    The label and a hidden flip f are -1 or +1, each with probability one half. (x1, x2) is normal with unit variances
    around f · (-0.75, -3) in class -1 and f · (3, -3) in class +1, so that both classes have mean 0 in every column.
    The other columns are normal with mean 0 and variance 20.

    Parameters
    ----------
    n_rows : int, default=1000
        At least 2. Labels are drawn again should all be the same.
    n_noise : int, default=50
        Columns of noise. More of them leave the earlier columns as they are.
    shuffle : bool, default=False
        Put the columns, with their names, in random order: else a method that breaks ties to the left looks better.
    seed : int, default=0
        The same seed draws the same columns, shuffled or not.

    Returns
    -------
    Dataset
        Columns x1, x2, ...; labels -1 and 1; truth says where x1 and x2 are.

    See Also
    --------
    synthetic_1 : A circle around a blob.

    References
    ----------
    Weston et al. 2000, Feature Selection for SVMs (NIPS). Also Cheng, Zhou, Cheng 2011, The Fisher-Markov Selector,
    Section V-E, "Synthetic-2", https://doi.org/10.1109/TPAMI.2010.195, and Wang 2008, Feature Selection with Kernel
    Class Separability, Section 5.1, https://doi.org/10.1109/TPAMI.2007.70799

    Examples
    --------
    >>> from fewest.datasets import fifty_two_features
    >>> data = fifty_two_features(n_rows=200)
    >>> data.X.shape, data.truth
    ((200, 52), (0, 1))
    """
    n_rows = check_count("n_rows", n_rows, at_least=2)
    n_noise = check_count("n_noise", n_noise, at_least=0)
    is_shuffled = check_flag("shuffle", shuffle)
    random = random_stream(seed, "52-features")
    labels = _toss_labels(random, n_rows)
    flips = 2 * random.integers(0, 2, n_rows) - 1
    centres = np.where(labels[:, np.newaxis] == 1, (3.0, -3.0), (-0.75, -3.0)) * flips[:, np.newaxis]
    informative = centres + random.standard_normal((n_rows, 2))
    # Column by column, so that the number of noise columns does not change the first of them.
    noise = _NOISE_SD * random.standard_normal((n_noise, n_rows)).T
    order = random.permutation(2 + n_noise) if is_shuffled else np.arange(2 + n_noise)
    X = np.ascontiguousarray(np.column_stack([informative, noise])[:, order])
    names = [f"x{column + 1}" for column in order]
    truth = tuple(np.flatnonzero(order < 2).tolist())
    return Dataset(X, labels, names, target_name="target", name="52-features", truth=truth)


def toy_xyz(n_rows: int = 200, seed: int = 0) -> Dataset:
    """Three columns of which the best one is not among the best two.

    The label is -1 or +1 with equal probability, and a row is label · (1.1, 1.1, 1.55) plus normal noise of unit
    variances with correlations -0.68 between X and Y and 0.24 between either and Z. The best possible accuracy, with
    mean difference 2m and covariance C of the columns used, is Φ(√(mᵀ C⁻¹ m)): Z alone 93.9 %, X or Y alone 86.4 %;
    {X, Y} 99.7 %, {X, Z} or {Y, Z} 95.7 %.

    Parameters
    ----------
    n_rows : int, default=200
        At least 2. Labels are drawn again should all be the same.
    seed : int, default=0
        The same seed draws the same rows.

    Returns
    -------
    Dataset
        Columns X, Y, Z; labels -1 and 1; truth (0, 1, 2): each of the three carries the class.

    See Also
    --------
    fifty_two_features : Two columns among noise.

    References
    ----------
    Xu, Jin, Ye, Lyu, King 2009, Non-Monotonic Feature Selection, Fig. 1 and Table 1. The paper does not give its
    distribution; this one was made to match the accuracies of its table. https://doi.org/10.1145/1553374.1553520

    Examples
    --------
    >>> from fewest import NonMonotonicMKL
    >>> from fewest.datasets import toy_xyz
    >>> data = toy_xyz()
    >>> one, two = (NonMonotonicMKL(n_features=size).fit(data.X, data.y).selection_ for size in (1, 2))
    >>> [sorted(data.feature_names[index] for index in chosen.indices) for chosen in (one, two)]
    [['Z'], ['X', 'Y']]
    """
    n_rows = check_count("n_rows", n_rows, at_least=2)
    random = random_stream(seed, "toy-xyz")
    labels = _toss_labels(random, n_rows)
    x, second, third = random.standard_normal((3, n_rows))
    # The Cholesky factor written out, since elementwise arithmetic rounds alike on every computer:
    # .75 (x + y) has covariance .75 (1 - .68) = .24 with x and variance .75² (2 - 2 · .68) = .36 = 1 - .8².
    y = -0.68 * x + np.sqrt(1.0 - 0.68**2) * second
    z = 0.75 * (x + y) + 0.8 * third
    X = np.column_stack([1.1 * labels + x, 1.1 * labels + y, 1.55 * labels + z])
    return Dataset(X, labels, ["X", "Y", "Z"], target_name="target", name="toy-xyz", truth=(0, 1, 2))


def _toss_labels(random: np.random.Generator, n_rows: int) -> Integers:
    """Labels -1 and +1 by the toss of a coin, tossed again when one class would be empty: no method could use that."""
    while True:
        labels = 2 * random.integers(0, 2, n_rows, dtype=np.int64) - 1
        if np.ptp(labels) > 0:
            return labels
