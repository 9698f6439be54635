"""The trace of the between-class scatter in the space of a kernel, and its gradient in the weights of columns."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from copy import copy
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from fewest.arrays import Floats, Indices
from fewest.methods.kernels.gaussian_sums import ClassPairSum, GaussianSums, RowPairSum
from fewest.methods.kernels.kernel_objective import KernelObjective, KernelRows
from fewest.methods.kernels.shared_width import N_DERIVATIVES, best_shared_eta, local_maxima
from fewest.methods.kernels.width_search import CAPPED_STEP, best_widths, eta_at

if TYPE_CHECKING:
    from fewest.methods.kernels.kernel_separability import KernelScatter

#: Pairs of rows between which distances are kept while widths are tried.
_MAX_NUMBERS = 1 << 22
#: The rows of a sample on which most steps of an ascent are taken, where there are many more.
_SAMPLED_ROWS = 1536
#: Widths between steps of the grid at which the value is computed where distances are not kept.
_N_NODES = 14
#: In the ratio tr S_W counts as at least this share of tr K, so that every value is finite.
_LEAST_SHARE = 1e-9


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
        return np.asarray(between / np.maximum(within, self._least_within))

    @property
    def _least_within(self) -> float:
        """What tr S_W is at least: where the rows of each class coincide it is nothing but rounding."""
        return _LEAST_SHARE * float(self.class_weight.sum())

    def upper_bound(self) -> float | None:
        """Return n - sum_a n_a^2 / n, which tr S_B of no subset and no width exceeds; None for the ratio."""
        n = float(self.class_weight.sum())
        return None if self._is_ratio else n - float(np.square(self.class_weight).sum()) / n


class WeightedScatterObjective(ScatterObjective):
    """The value of weighted columns by exp(-sum_f eta_f d_f), where d_f is the distance of two rows in column f."""

    if TYPE_CHECKING:  # an attribute in one class and a property in the other

        @property
        def rows(self) -> KernelRows: ...

    _sums_type: ClassVar[type[GaussianSums]] = GaussianSums

    @property
    @abstractmethod
    def column_distances(self) -> Floats:
        """The mean distance between two rows in each column."""

    @cached_property
    def pair_sums(self) -> list[RowPairSum]:
        """What is summed over all pairs of rows."""
        return [self.rows.pair_sum(one) for one in self.class_pair_sums(self.rows.class_weight)]

    @cached_property
    def _weighted_sums(self) -> GaussianSums:
        return self._sums_type(self.rows.columns, self.rows.codes, self.rows.weights)

    @cached_property
    def shared_weight(self) -> float:
        """eta_0, the best weight that all columns share, at most 4 over the mean distance between two rows."""
        mean_distance = self.column_distances.sum(keepdims=True)
        if not mean_distance[0] > 0:
            return 0.0
        if self._sampled is not None:
            return self._best_from_sample[0]
        same = np.ones(self.n_columns)
        kept: dict[int, Floats] | None = {} if len(self.rows.codes) ** 2 <= _MAX_NUMBERS else None

        def values(etas: Floats) -> Floats:
            return self.value(list(self._weighted_sums.values(same, etas, self.pair_sums, kept).T))

        if kept is None:
            # All distances again for every eta would take long: between the steps by a polynomial.
            grid = self._grid_by_squares(mean_distance)
            return float(best_widths(grid, mean_distance, _interpolated(grid, mean_distance, values))[1][0])
        grid = values(eta_at(np.arange(CAPPED_STEP + 1.0), mean_distance))[None, :]
        return float(best_widths(grid, mean_distance, lambda etas, which: values(etas))[1][0])

    @cached_property
    def _sampled(self) -> WeightedScatterObjective | None:
        """The objective estimated from some of the rows, where these are a small part."""
        sample = self.rows.some_rows(_SAMPLED_ROWS)
        if sample is None or not self.column_distances.any():
            return None
        found = copy(self)
        # Beside these it has what this has; there is no sample of a sample.
        weights = self.rows.weights_of_some(sample)
        found._weighted_sums = self._sums_type(self.rows.columns[:, sample], self.rows.codes[sample], weights)
        found.pair_sums = [self.rows.pair_sum_of_some(one, sample) for one in self.pair_sums]
        found._sampled = None
        return found

    @cached_property
    def _best_from_sample(self) -> tuple[float, float]:
        """eta_0, and the value there, by all rows near the best eta of a sample."""
        assert self._sampled is not None
        mean_distance = self.column_distances.sum(keepdims=True)
        limits = tuple(eta_at(np.array([0.0, CAPPED_STEP]), mean_distance).tolist())
        steps = local_maxima(self._sampled._grid_by_squares(mean_distance)[0])
        starts = [
            best_shared_eta(self._sampled._derivatives_in_eta, self.value, [float(eta)], limits)[0]
            for eta in eta_at(steps.astype(np.float64), mean_distance)
        ]
        return best_shared_eta(self._derivatives_in_eta, self.value, starts, limits)

    def _derivatives_in_eta(self, eta: float) -> Floats:
        return self._weighted_sums.moments(np.full(self.n_columns, eta), N_DERIVATIVES, self.pair_sums)

    def on_sample(self) -> WeightedScatterObjective | None:
        """Return about the same objective from some of the rows; None where these are not a small part."""
        if self._sampled is not None:
            self._sampled.shared_weight = self.shared_weight
        return self._sampled

    def start_value(self) -> float:
        """Return the value at start_weights()."""
        if self._sampled is None:
            return self.score_weights(np.nan_to_num(self.start_weights(), nan=0.0))[0]
        return (1.0 - float(self.criterion.regularization)) * self._best_from_sample[1]

    def _grid_by_squares(self, mean_distance: Floats) -> Floats:
        """Return (1, n_steps) the values at all steps of the grid of widths."""
        eta = eta_at(np.zeros(1), mean_distance) * np.ones(self.n_columns)
        sums = self._weighted_sums.values_by_squares(eta, CAPPED_STEP + 1, self.pair_sums)
        return self.value(list(sums.T))[None, :]

    def sampling_error(self, weights: Floats) -> tuple[float, float]:
        """Return the standard error of tr S_B with these weights that is due to the sample of rows, and tr S_B."""
        rows, between = self.rows, self.pair_sums[0]
        by_pairs = self._weighted_sums.row_sums(weights, between)
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
        start = np.where(self.column_distances > 0, self.shared_weight, 0.0)
        return np.where(self.is_observed, start, np.nan)

    def score_weights(self, weights: Floats) -> tuple[float, Floats]:
        """Return (1 - lambda) times the value with these weights - lambda |eta - eta_0|^2, and its gradient."""
        return self._score_weights(weights, None)

    def score_weights_among(self, weights: Floats, among: Indices) -> tuple[float, Floats]:
        """Return the same with the gradient in the weights of these columns only."""
        return self._score_weights(weights, among)

    def _score_weights(self, weights: Floats, among: Indices | None) -> tuple[float, Floats]:
        sums, gradients = self._weighted_sums.values_and_gradients(weights, self.pair_sums, among)
        value = float(self.value(list(sums[:, None]))[0])
        gradient = gradients[0]
        if self._is_ratio:
            between, within = sums + self._from_ridge
            is_least = not within > self._least_within
            slope = gradient if is_least else gradient - between / within * gradients[1]
            gradient = slope / max(within, self._least_within)
        strength = float(self.criterion.regularization)
        apart = weights - np.nan_to_num(self.start_weights(), nan=0.0)
        regularised: Floats = (1.0 - strength) * gradient - 2.0 * strength * (apart if among is None else apart[among])
        return (1.0 - strength) * value - strength * float(apart @ apart), regularised


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
