"""Kernel class separability: the trace of the between-class scatter in the space of a kernel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fewest.arrays import Floats
from fewest.errors import InvalidParameter
from fewest.methods.kernels.gaussian_sums import ClassPairSum, GaussianSums
from fewest.methods.kernels.kernel_functions import Kernel, check_kernel
from fewest.methods.kernels.kernel_objective import GaussianObjective
from fewest.methods.kernels.normalised_kernel import NormalisedKernelObjective
from fewest.methods.kernels.width_search import CAPPED_STEP, best_widths, eta_at
from fewest.parameters import check_choice, check_count, check_not_negative
from fewest.statistics.class_moments import check_scale
from fewest.statistics.rows import Rows
from fewest.statistics.stratified_rows import StratifiedRows


class ScatterMeasure:
    """tr S_B, or its ratio to tr S_W, of K + ridge I.

    tr S_B = sum_a Sum(K_aa)/n_a - Sum(K)/n and tr S_W = tr K - sum_a Sum(K_aa)/n_a, where K_ii = 1.
    """

    def __init__(self, form: str, ridge: float, class_weight: Floats) -> None:
        self.is_ratio = form == "ratio"
        self._class_weight = class_weight
        n_classes = np.count_nonzero(class_weight)
        #: What the ridge adds to tr S_B and tr S_W.
        self.from_ridge = (ridge * (n_classes - 1), ridge * float(class_weight.sum() - n_classes))

    def pair_sums(self, class_weight: Floats) -> Sequence[ClassPairSum]:
        n = class_weight.sum(axis=-1, keepdims=True)
        inverse = np.divide(1.0, class_weight, out=np.zeros_like(class_weight), where=class_weight > 0)
        between = ClassPairSum(inverse, np.broadcast_to(-0.5 / n, class_weight.shape))
        within = ClassPairSum(-inverse, np.zeros_like(class_weight), constant=n[..., 0])
        return [between, within] if self.is_ratio else [between]

    def value(self, sums: Sequence[Floats]) -> Floats:
        if not self.is_ratio:
            return sums[0]
        between, within = (np.maximum(found, 0.0) + more for found, more in zip(sums, self.from_ridge, strict=True))
        # Where the rows of each class coincide nothing is within, and classes that differ are infinitely far apart.
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(within > 0, between / within, np.where(between > 0, np.inf, 0.0))

    def upper_bound(self) -> float | None:
        """Return n - sum_a n_a^2 / n, which tr S_B of no subset and no width exceeds; None for the ratio."""
        n = float(self._class_weight.sum())
        return None if self.is_ratio else n - float(np.square(self._class_weight).sum()) / n


class KernelScatterObjective(GaussianObjective):
    """The value of columns, of subsets and of weighted columns, by the Gaussian kernel."""

    measure: ScatterMeasure

    def __init__(self, rows: Rows | StratifiedRows, criterion: KernelScatter) -> None:
        super().__init__(rows, criterion.scale)
        self.regularization = float(criterion.regularization)
        is_sample = isinstance(rows, StratifiedRows)
        weight = self.rows.class_weight if is_sample else np.bincount(rows.codes, rows.weights).astype(np.float64)
        self.measure = ScatterMeasure(criterion.form, criterion.ridge, weight)

    @cached_property
    def _gaussian_sums(self) -> GaussianSums:
        return GaussianSums(self.rows.columns, self.rows.codes, self.rows.weights)

    @cached_property
    def shared_weight(self) -> float:
        """eta_0, the best weight that all columns share, at most 4 over the mean squared distance between two rows."""
        mean_distance = self.rows.mean_distances.sum(keepdims=True)
        if not mean_distance[0] > 0:
            return 0.0
        same = np.ones(self.n_columns)

        def values(etas: Floats) -> Floats:
            return self.measure.value(list(self._gaussian_sums.values(same, etas, self.pair_sums).T))

        grid = values(eta_at(np.arange(CAPPED_STEP + 1.0), mean_distance))[None, :]
        return float(best_widths(grid, mean_distance, lambda etas, which: values(etas))[1][0])

    def sampling_error(self, weights: Floats) -> tuple[float, float]:
        """Return the standard error of tr S_B with these weights that is due to the sample of rows, and tr S_B."""
        rows, between = self.rows, self.pair_sums[0]
        by_pairs = self._gaussian_sums.row_sums(weights, between)
        contributions = 2.0 * by_pairs + between.diagonal
        # The variance of the contributions of the rows of a class estimates that of the draw.
        variance = 0.0
        for c, share in enumerate(rows.drawn_share):
            of_class = contributions[rows.codes == c]
            if share < 1 and len(of_class) > 1:
                variance += (1.0 - share) * len(of_class) * float(np.var(of_class, ddof=1))
        return float(np.sqrt(variance)), float(by_pairs.sum() + between.diagonal.sum())

    def start_weights(self) -> Floats:
        """Return the shared weight for every column that varies, 0 for the others, NaN for one without a value."""
        start = np.where(self.rows.mean_distances > 0, self.shared_weight, 0.0)
        return np.where(self.is_observed, start, np.nan)

    def score_weights(self, weights: Floats) -> tuple[float, Floats]:
        """Return (1 - lambda) times the value with these weights - lambda |eta - eta_0|^2, and its gradient."""
        sums, gradients = self._gaussian_sums.values_and_gradients(weights, self.pair_sums)
        value = float(self.measure.value(list(sums[:, None]))[0])
        if self.measure.is_ratio:
            between, within = sums + self.measure.from_ridge
            if not within > 0:
                return value, np.zeros(self.n_columns)
            gradient = (gradients[0] - between / within * gradients[1]) / within
        else:
            gradient = gradients[0]
        strength = self.regularization
        apart = weights - np.nan_to_num(self.start_weights(), nan=0.0)
        regularised: Floats = (1.0 - strength) * gradient - 2.0 * strength * apart
        return (1.0 - strength) * value - strength * float(apart @ apart), regularised


class NormalisedScatterObjective(NormalisedKernelObjective):
    """The value of columns and subsets by any other kernel, normalised."""

    measure: ScatterMeasure

    def __init__(self, rows: Rows | StratifiedRows, criterion: KernelScatter) -> None:
        super().__init__(rows, criterion.scale, criterion.kernel, criterion.kernel_params)
        self.measure = ScatterMeasure(criterion.form, criterion.ridge, self.rows.class_weight)


ScatterObjective = KernelScatterObjective | NormalisedScatterObjective


@dataclass(frozen=True)
class KernelScatter:
    """Score features by the trace of the between-class scatter in the space of a kernel (KCSM).

    tr S_B = sum_a Sum(K_aa)/n_a - Sum(K)/n, where K is the matrix of a normalised kernel over all n rows and K_aa that
    over the n_a rows of class a. It lies between 0 and n - sum_a n_a^2 / n. The width is the one with the highest
    value: eta = 1 / (2 width^2) from 2^-10 to 2^10 over the mean squared distance between two rows, since with a
    narrower kernel every row is alone, whatever the features.

    Parameters
    ----------
    kernel : str or callable, default="rbf"
        "rbf" is exp(-sum_f eta_f (x_f - z_f)^2). Other kernels, by their name in scikit-learn or as a function of two
        tables, are normalised, k(x, z) / sqrt(k(x, x) k(z, z)), and offer no weights. Only "laplacian" has its width
        searched too.
    regularization : float, default=0.25
        Lambda, from 0 to below 1, for weights: (1 - lambda) tr S_B(eta) - lambda |eta - eta_0|^2, where eta_0 is the
        best eta that all columns share, at most 4 over the mean squared distance.
    form : {"between", "ratio"}, default="between"
        "ratio" is tr S_B / tr S_W of K + ridge I.
    ridge : float, default=0.0
        What is added to the kernel of a row with itself; only the ratio depends on it.
    scale : {"std", "range", "symmetric"} or None, default="symmetric"
        As in ScatterTrace.
    kernel_params : dict or None, default=None
        Parameters of the kernel, such as {"gamma": 0.5}; a gamma fixes the width of "rbf" and "laplacian".
    sample : int or None, default=None
        The number of rows to use, drawn of every class in proportion: an unbiased estimate. With "rbf" only.
    random_state : int, default=0
        The seed of the sample, which the order of the rows does not change.

    See Also
    --------
    KernelSeparability : The selector with this criterion.
    TargetAlignment : The alignment of the kernel with the classes.
    KernelTrace : The same scatter at a fixed width.

    Notes
    -----
    Needs Rows, or StratifiedRows for a sample. A single column uses the rows that have it; subsets, weights and samples
    need complete rows. The paper's Eqs. 2 to 7 and 12, with the sign of Eq. 12 corrected.

    References
    ----------
    Wang, 2008. Feature Selection with Kernel Class Separability. https://doi.org/10.1109/TPAMI.2007.70799
    """

    kernel: str | Kernel = "rbf"
    regularization: float = 0.25
    form: str = "between"
    ridge: float = 0.0
    scale: str | None = "symmetric"
    kernel_params: Mapping[str, object] | None = None
    sample: int | None = None
    random_state: int = 0

    def __post_init__(self) -> None:
        check_kernel(self.kernel, self.kernel_params)
        check_scale(self.scale)
        check_not_negative("regularization", self.regularization, below=1)
        check_choice("form", self.form, ("between", "ratio"))
        check_not_negative("ridge", self.ridge)
        if self.sample is not None:
            check_count("sample", self.sample, 4, end=" or None")
            if not self.is_gaussian:
                raise InvalidParameter(f"sample needs the kernel 'rbf', got {self.kernel!r}. Use sample=None.")
        check_count("random_state", self.random_state, 0)

    @property
    def is_gaussian(self) -> bool:
        """Whether the kernel is the Gaussian whose width is searched."""
        return self.kernel == "rbf" and not (self.kernel_params or {}).get("gamma")

    @property
    def offers(self) -> frozenset[str]:
        subsets = {"n_columns", "score_features", "score_subset", "score_additions", "score_removals"}
        return frozenset(subsets | {"start_weights", "score_weights"} if self.is_gaussian else subsets)

    def statistic(self) -> Rows | StratifiedRows:
        return Rows() if self.sample is None else StratifiedRows(self.sample, self.random_state)

    def bind(self, rows: Rows | StratifiedRows) -> ScatterObjective:
        return KernelScatterObjective(rows, self) if self.is_gaussian else NormalisedScatterObjective(rows, self)
