"""How far apart features hold the classes in the space of a kernel, at the width that suits them best."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from fewest.arrays import Floats
from fewest.errors import InvalidParameter
from fewest.methods.kernels.class_form import ClassForm
from fewest.methods.kernels.gaussian_tiles import GaussianTiles
from fewest.methods.kernels.kernel_functions import Kernel, check_kernel
from fewest.methods.kernels.kernel_subsets import KernelSubsets
from fewest.methods.kernels.normalised_kernel import NormalisedKernelSubsets
from fewest.methods.kernels.width_search import CAPPED_PLACE, best_places, width_at
from fewest.parameters import check_choice, check_count, check_not_negative
from fewest.statistics.rows import Rows
from fewest.statistics.scaling import check_scale
from fewest.statistics.stratified_rows import StratifiedRows


def scatter_forms(class_weight: Floats, with_within: bool) -> list[ClassForm]:
    """tr S_B = sum_a Sum(K_aa)/n_a - Sum(K)/n and, if asked for, tr S_W = tr K - sum_a Sum(K_aa)/n_a, with K_ii = 1."""
    n = class_weight.sum(axis=-1, keepdims=True)
    share = np.divide(1.0, class_weight, out=np.zeros_like(class_weight), where=class_weight > 0)
    forms = [ClassForm(share, np.broadcast_to(-0.5 / n, class_weight.shape))]
    if with_within:
        forms.append(ClassForm(-share, np.zeros_like(class_weight), constant=n[..., 0]))
    return forms


class ScatterWorth:
    """tr S_B, or its ratio to tr S_W with a ridge on the kernel's diagonal."""

    criterion: KernelScatter
    class_weight: Floats
    #: By how much the ridge raises tr S_B and tr S_W.
    raised: tuple[float, float]

    def settle(self, class_weight: Floats, criterion: KernelScatter) -> None:
        self.criterion = criterion
        self.class_weight = class_weight
        n_classes = np.count_nonzero(self.class_weight)
        self.raised = (criterion.ridge * (n_classes - 1), criterion.ridge * float(self.class_weight.sum() - n_classes))

    def forms(self, class_weight: Floats) -> Sequence[ClassForm]:
        return scatter_forms(class_weight, self.criterion.form == "ratio")

    def highest_possible(self) -> float | None:
        """What no set of columns and no width can exceed: n - sum_a n_a^2 / n, of which the ratio has no equal."""
        n = float(self.class_weight.sum())
        return n - float(np.square(self.class_weight).sum()) / n if self.criterion.form == "between" else None

    def worth(self, sums: Sequence[Floats]) -> Floats:
        if self.criterion.form == "between":
            return sums[0]
        between, within = (np.maximum(found, 0.0) + more for found, more in zip(sums, self.raised, strict=True))
        # Where the rows of a class are one point nothing is within, and classes that differ are infinitely far apart.
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(within > 0, between / within, np.where(between > 0, np.inf, 0.0))


class KernelScatterObjective(ScatterWorth, KernelSubsets):
    """The worth of columns, of sets and of weights, by the Gaussian kernel."""

    def __init__(self, rows: Rows | StratifiedRows, criterion: KernelScatter) -> None:
        super().__init__(rows, criterion.scale)
        is_sample = isinstance(rows, StratifiedRows)
        weight = self.rows.class_weight if is_sample else np.bincount(rows.codes, rows.weights).astype(np.float64)
        self.settle(weight, criterion)

    @cached_property
    def tiles(self) -> GaussianTiles:
        return GaussianTiles(self.rows)

    @cached_property
    def shared_weight(self) -> float:
        """One weight for all columns: the best, but no more than 4 over the mean squared distance between two rows."""
        mean_distance = self.rows.spread.sum(keepdims=True)
        if not mean_distance[0] > 0:
            return 0.0
        same = np.ones(self.n_columns)

        def values(places: Floats) -> Floats:
            sums = self.tiles.values(same, width_at(places, mean_distance), self.whole_forms)
            return self.worth(list(sums.T))

        ladder = values(np.arange(CAPPED_PLACE + 1.0))[None, :]
        place, _ = best_places(ladder, lambda places, which: values(places))
        return float(width_at(place, mean_distance)[0])

    def sampling_error(self, weights: Floats) -> tuple[float, float]:
        """The standard error of tr S_B with these weights that comes of going by a sample of the rows, and tr S_B.

        Each row drawn stands for others of its class; how much what they bring differs tells how much chance there was.
        """
        rows, form = self.rows, self.whole_forms[0]
        brought_by_pairs = self.tiles.row_sums(weights, form)
        brought = 2.0 * brought_by_pairs + rows.diagonal(form)
        variance = 0.0
        for c, share in enumerate(rows.drawn_share):
            own = brought[rows.codes == c]
            if share < 1 and len(own) > 1:
                variance += (1.0 - share) * len(own) * float(np.var(own, ddof=1))
        return float(np.sqrt(variance)), float(brought_by_pairs.sum() + rows.diagonal(form).sum())

    def start_weights(self) -> Floats:
        """The shared weight for every column that varies, 0 for the others, NaN for one without a value."""
        start = np.where(self.rows.spread > 0, self.shared_weight, 0.0)
        return np.where(self.is_observed, start, np.nan)

    def score_weights(self, weights: Floats) -> tuple[float, Floats]:
        """(1 - lambda) times the worth with these weights - lambda |eta - eta_0|^2, and its gradient."""
        sums, gradients = self.tiles.values_and_gradients(weights, self.whole_forms)
        value = float(self.worth(list(sums[:, None]))[0])
        if self.criterion.form == "between":
            gradient = gradients[0]
        else:
            between, within = sums + self.raised
            if not within > 0:
                return value, np.zeros(self.n_columns)
            gradient = (gradients[0] - between / within * gradients[1]) / within
        strength = float(self.criterion.regularization)
        apart = weights - np.nan_to_num(self.start_weights(), nan=0.0)
        regularised: Floats = (1.0 - strength) * gradient - 2.0 * strength * apart
        return (1.0 - strength) * value - strength * float(apart @ apart), regularised


class OtherScatterObjective(ScatterWorth, NormalisedKernelSubsets):
    """The worth of columns and sets by any other kernel, normalised."""

    def __init__(self, rows: Rows, criterion: KernelScatter) -> None:
        super().__init__(rows, criterion.scale, criterion.kernel, criterion.kernel_params)
        self.settle(self.rows.class_weight, criterion)


@dataclass(frozen=True)
class KernelScatter:
    """How far apart features hold the classes in the space of a kernel: the trace of the scatter between classes.

    tr S_B = sum_a Sum(K_aa)/n_a - Sum(K)/n, where K is the matrix of a normalised kernel over all n rows and K_aa that
    over the n_a rows of class a. Any number of classes. It lies between 0 and n - sum_a n_a^2 / n. The width of the
    kernel is whatever makes the most of the features at hand: eta = 1 / 2 width^2 from 2^-10 to 2^10 over the mean
    squared distance between two rows, since a narrower kernel sees every row alone, whatever the features.

    kernel : "rbf", exp(-sum_f eta_f (x_f - z_f)^2); or another kernel of scikit-learn by name, or a function of two
        tables. These are normalised, k(x, z) / sqrt(k(x, x) k(z, z)), and offer no weights of columns. The width of
        "laplacian" is found in the same way; others are as kernel_params has them
    regularization : lambda from 0 to 1, for weights: (1 - lambda) tr S_B(eta) - lambda |eta - eta_0|^2, eta_0 the best
        weight that all columns share, at most 4 over the mean squared distance
    form : "between", or "ratio" for tr S_B / tr S_W, of K + ridge I
    ridge : what is added to the kernel of a row with itself; only the ratio depends on it
    scale : as in ScatterTrace
    kernel_params : what the kernel is told besides, such as {"gamma": 0.5}; then "rbf" and "laplacian" have that width

    sample : go by so many rows, drawn of every class in proportion, of a table of any length; with "rbf" only. What is
        found is an estimate without bias, and `sampling_error` its standard error. None: all rows
    random_state : which rows are drawn; no order of the rows changes that

    Needs Rows, or StratifiedRows for a sample. Columns by themselves go by the rows that have them; sets, weights and
    samples need rows without gaps.
    Wang, Feature selection with kernel class separability, Eqs. 2 to 7 and 12, with the sign of Eq. 12 corrected.
    """

    kernel: str | Kernel = "rbf"
    regularization: float = 0.25
    form: str = "between"
    ridge: float = 0.0
    scale: str | None = "symmetric"
    kernel_params: Mapping[str, Any] | None = None
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
                raise InvalidParameter(f"sample has the kernel 'rbf' only, got {self.kernel!r}. Use sample=None.")
        check_count("random_state", self.random_state, 0)

    @property
    def is_gaussian(self) -> bool:
        """Whether the kernel is the Gaussian whose width is found."""
        return self.kernel == "rbf" and not (self.kernel_params or {}).get("gamma")

    @property
    def offers(self) -> frozenset[str]:
        sets = {"n_columns", "score_features", "score_subset", "score_additions", "score_removals"}
        return frozenset(sets | {"start_weights", "score_weights"} if self.is_gaussian else sets)

    def statistic(self) -> Rows | StratifiedRows:
        return Rows() if self.sample is None else StratifiedRows(self.sample, self.random_state)

    def bind(self, rows: Any) -> KernelScatterObjective | OtherScatterObjective:
        return KernelScatterObjective(rows, self) if self.is_gaussian else OtherScatterObjective(rows, self)
