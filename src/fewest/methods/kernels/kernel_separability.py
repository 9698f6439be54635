"""Kernel class separability: the trace of the between-class scatter in the space of a kernel."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fewest.arrays import Floats, Indices
from fewest.errors import InvalidParameter
from fewest.methods.kernels.gaussian_sums import ClassPairSum, GaussianSums
from fewest.methods.kernels.kernel_functions import Kernel, KernelFunction, check_kernel, row_blocks, undefined_kernel
from fewest.methods.kernels.kernel_objective import GaussianObjective, KernelObjective, KernelRows
from fewest.methods.kernels.width_search import CAPPED_STEP, LAST_STEP, best_widths, eta_at
from fewest.objectives import column_indices
from fewest.parameters import check_choice, check_count, check_not_negative
from fewest.statistics.class_moments import check_scale
from fewest.statistics.rows import Rows
from fewest.statistics.stratified_rows import StratifiedRows
from fewest.threads import one_blas_thread

#: Numbers of a block of the kernel's matrix, which is never kept as a whole.
_MAX_NUMBERS = 1 << 22
#: Widths between steps of the grid at which the value is computed where distances are not kept.
_N_NODES = 14


class ScatterObjective(KernelObjective):
    """tr S_B, or its ratio to tr S_W, of K + ridge I, where K_ii = 1 and tr S_W = tr K - sum_a Sum(K_aa)/n_a."""

    criterion: KernelScatter
    class_weight: Floats

    @property
    def _is_ratio(self) -> bool:
        return self.criterion.form == "ratio"

    @property
    def _from_ridge(self) -> tuple[float, float]:
        """What the ridge adds to tr S_B and tr S_W."""
        ridge, n_classes = self.criterion.ridge, np.count_nonzero(self.class_weight)
        return ridge * (n_classes - 1), ridge * float(self.class_weight.sum() - n_classes)

    def class_pair_sums(self, class_weight: Floats) -> Sequence[ClassPairSum]:
        n = class_weight.sum(axis=-1, keepdims=True)
        inverse = np.divide(1.0, class_weight, out=np.zeros_like(class_weight), where=class_weight > 0)
        between = ClassPairSum(inverse, np.broadcast_to(-0.5 / n, class_weight.shape))
        within = ClassPairSum(-inverse, np.zeros_like(class_weight), constant=n[..., 0])
        return [between, within] if self._is_ratio else [between]

    def value(self, sums: Sequence[Floats]) -> Floats:
        if not self._is_ratio:
            return sums[0]
        between, within = (np.maximum(found, 0.0) + more for found, more in zip(sums, self._from_ridge, strict=True))
        # Where the rows of each class coincide nothing is within, and classes that differ are infinitely far apart.
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(within > 0, between / within, np.where(between > 0, np.inf, 0.0))

    def upper_bound(self) -> float | None:
        """Return n - sum_a n_a^2 / n, which tr S_B of no subset and no width exceeds; None for the ratio."""
        n = float(self.class_weight.sum())
        return None if self._is_ratio else n - float(np.square(self.class_weight).sum()) / n


class KernelScatterObjective(ScatterObjective, GaussianObjective):
    """The value of columns, of subsets and of weighted columns, by the Gaussian kernel."""

    def __init__(self, rows: Rows | StratifiedRows, criterion: KernelScatter) -> None:
        super().__init__(rows, criterion.scale)
        self.criterion = criterion
        self.class_weight = np.bincount(rows.codes, rows.weights).astype(np.float64)
        if isinstance(rows, StratifiedRows):
            self.class_weight = self.rows.class_weight

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
        kept: dict[int, Floats] | None = {} if len(self.rows.codes) ** 2 <= _MAX_NUMBERS else None

        def values(etas: Floats) -> Floats:
            return self.value(list(self._gaussian_sums.values(same, etas, self.pair_sums, kept).T))

        if kept is None:
            # All distances again for every eta would take long: between the steps by a polynomial.
            grid = self._grid_by_squares(mean_distance)
            return float(best_widths(grid, mean_distance, _interpolated(grid, mean_distance, values))[1][0])
        grid = values(eta_at(np.arange(CAPPED_STEP + 1.0), mean_distance))[None, :]
        return float(best_widths(grid, mean_distance, lambda etas, which: values(etas))[1][0])

    def _grid_by_squares(self, mean_distance: Floats) -> Floats:
        """Return (1, n_steps) the values at all steps of the grid of widths."""
        eta = eta_at(np.zeros(1), mean_distance) * np.ones(self.n_columns)
        sums = self._gaussian_sums.values_by_squares(eta, CAPPED_STEP + 1, self.pair_sums)
        return self.value(list(sums.T))[None, :]

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
        return self._score_weights(weights, None)

    def score_weights_among(self, weights: Floats, among: Indices) -> tuple[float, Floats]:
        """Return the same with the gradient in the weights of these columns only."""
        return self._score_weights(weights, among)

    def _score_weights(self, weights: Floats, among: Indices | None) -> tuple[float, Floats]:
        sums, gradients = self._gaussian_sums.values_and_gradients(weights, self.pair_sums, among)
        value = float(self.value(list(sums[:, None]))[0])
        gradient = gradients[0]
        if self._is_ratio:
            between, within = sums + self._from_ridge
            if not within > 0:
                return value, np.zeros(len(gradient))
            gradient = (gradient - between / within * gradients[1]) / within
        strength = float(self.criterion.regularization)
        apart = weights - np.nan_to_num(self.start_weights(), nan=0.0)
        regularised: Floats = (1.0 - strength) * gradient - 2.0 * strength * (apart if among is None else apart[among])
        return (1.0 - strength) * value - strength * float(apart @ apart), regularised


class NormalisedScatterObjective(ScatterObjective):
    """The value of any subset by k(x, z) / sqrt(k(x, x) k(z, z)); 0 where k(x, x) or k(z, z) is 0.

    The width of the Laplacian is searched as that of the Gaussian, by the mean distance between two rows.
    """

    def __init__(self, rows: Rows | StratifiedRows, criterion: KernelScatter) -> None:
        super().__init__(rows)
        self.criterion = criterion
        self.rows = KernelRows(rows, criterion.scale, centred=False)
        self.class_weight = self.rows.class_weight
        self._kernel, self._parameters = criterion.kernel, dict(criterion.kernel_params or {})
        self._searches_width = self._kernel == "laplacian" and self._parameters.get("gamma") is None
        self._pair_sums = self.class_pair_sums(self.class_weight)
        self._known: dict[tuple[int, ...], tuple[float, float]] = {}

    def score_additions(self, selected: Sequence[int], among: Indices) -> Floats:
        """Return by how much each column, added, raises the value; NaN for a constant column, which comes last."""
        return np.where(self.rows.mean_distances[among] > 0, super().score_additions(selected, among), np.nan)

    def score_removals(self, selected: Sequence[int], among: Indices) -> Floats:
        """Return by how much each column, removed, raises the value; NaN for a constant column, which goes first."""
        return np.where(self.rows.mean_distances[among] > 0, super().score_removals(selected, among), np.nan)

    @cached_property
    def _columns_alone(self) -> tuple[Floats, Floats]:
        values, etas = np.array([self._best_of_subset([column]) for column in range(self.n_columns)]).T
        return np.where(self.is_observed, values, np.nan), etas

    def _best_of_subset(self, subset: Sequence[int]) -> tuple[float, float]:
        columns = column_indices(subset, self.n_columns)
        columns = columns[self.rows.mean_distances[columns] > 0]
        key = tuple(columns.tolist())
        if key not in self._known:
            self._known[key] = self._best(columns) if len(columns) else (0.0, 0.0)
        return self._known[key]

    def _best(self, columns: Indices) -> tuple[float, float]:
        table = np.ascontiguousarray(self.rows.columns[columns].T)
        if not self._searches_width:
            return float(self.value(list(self._sums(table, np.ones(1))))[0]), 0.0
        n = float(self.rows.weights.sum())
        total = sum(
            float(self.rows.weights[here] @ -np.log(block) @ self.rows.weights)
            for here, block in self._blocks(table, gamma=1.0 / table.shape[1])
        )
        mean_distance = np.array([total * table.shape[1] / max(n * (n - 1.0), 1.0)])

        def values(gammas: Floats) -> Floats:
            return self.value(list(self._sums(table, gammas)))

        grid = values(eta_at(np.arange(LAST_STEP + 1.0), mean_distance))[None, :]
        value, gamma = best_widths(grid, mean_distance, lambda gammas, which: values(gammas))
        return float(value[0]), float(gamma[0])

    def _sums(self, table: Floats, gammas: Floats) -> Floats:
        """Return (n_sums, n_gammas), the pair sums at each gamma; gammas is [1] where none is searched."""
        codes, weights = self.rows.codes, self.rows.weights
        totals = np.zeros((len(self._pair_sums), len(gammas)))
        totals += np.array([[one.constant] for one in self._pair_sums])
        # At gamma = 1 the kernel of rows far apart would underflow, so it is a power of the kernel at another gamma.
        unit = 1.0 / table.shape[1] if self._searches_width else 1.0
        with one_blas_thread():
            for here, block in self._blocks(table, gamma=unit):
                for f, one in enumerate(self._pair_sums):
                    factor = one.factors[codes[here]][:, codes] * weights[here][:, None] * weights
                    for g, gamma in enumerate(gammas):
                        powered = block if not self._searches_width else block ** (gamma / unit)
                        totals[f, g] += float(np.vdot(factor, powered))
        if not np.isfinite(totals).all():
            raise undefined_kernel(self._kernel)
        return totals

    def _blocks(self, table: Floats, gamma: float) -> Iterator[tuple[slice, Floats]]:
        """Yield the normalised kernel between consecutive rows and all rows."""
        parameters = {**self._parameters, "gamma": gamma} if self._searches_width else self._parameters
        evaluate = KernelFunction(self._kernel, parameters, self.n_columns)
        blocks = row_blocks(len(table), _MAX_NUMBERS)
        diagonal = np.concatenate([np.diagonal(evaluate(table[block], table[block])) for block in blocks])
        with np.errstate(divide="ignore", invalid="ignore"):
            scale = np.where(diagonal > 0, 1.0 / np.sqrt(diagonal), np.where(np.isnan(diagonal), np.nan, 0.0))
        for block in blocks:
            yield block, evaluate(table[block], table) * scale[block][:, None] * scale


def _interpolated(
    grid: Floats, mean_distance: Floats, values: Callable[[Floats], Floats]
) -> Callable[[Floats, Indices], Floats]:
    """Return the values next to the highest step of the grid as a function of eta, by a polynomial.

    A kernel sum is analytic in log eta where its imaginary part is below pi / 2, and there at most the sum of the
    weights. One step to either side that is an ellipse of parameter 9.2: with 14 nodes the error is below 1e-12 of it.
    """
    step = float(np.argmax(grid[0]))
    low, high = max(step - 1.0, 0.0), min(step + 1.0, float(grid.shape[1] - 1))
    nodes = (low + high) / 2.0 + (high - low) / 2.0 * np.cos(np.pi * (np.arange(_N_NODES) + 0.5) / _N_NODES)
    found = values(eta_at(nodes, mean_distance))
    polynomial = np.polynomial.Chebyshev.fit(nodes, found, _N_NODES - 1, domain=[low, high])

    def evaluate(eta: Floats, which: Indices) -> Floats:
        return np.asarray(polynomial(2.0 * (np.log2(eta * mean_distance[which]) + 10.0)))

    return evaluate


@dataclass(frozen=True)
class KernelScatter:
    """Score features by the trace of the between-class scatter in the space of a kernel (KCSM).

    tr S_B = sum_a Sum(K_aa)/n_a - Sum(K)/n, where K is the matrix of a normalised kernel over all n rows and K_aa that
    over the n_a rows of class a. It lies between 0 and n - sum_a n_a^2 / n. The width is the one with the highest
    value: eta = 1 / (2 width^2) from 2^-10 to 2^10 over the mean squared distance between two rows.

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
