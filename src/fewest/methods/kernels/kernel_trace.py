"""The kernel objective of the Fisher-Markov selector, for any kernel."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import ClassVar, Self

import numpy as np

from fewest._core import subset_kernel_sums
from fewest.arrays import Floats, Indices, Mask
from fewest.errors import InvalidInput, InvalidParameter
from fewest.methods.kernels.kernel_functions import Kernel, KernelFunction, check_kernel, row_blocks, undefined_kernel
from fewest.objectives import SubsetObjective, column_indices
from fewest.parameters import check_choice, check_number
from fewest.protocols import AnySearch, Sentence
from fewest.searches.exhaustive import Exhaustive
from fewest.searches.greedy import GreedyBackward, GreedyFloating, GreedyForward
from fewest.searches.individual_ranking import IndividualRanking
from fewest.searches.stopping_rule import StoppingRule
from fewest.selection import Selection
from fewest.selectors.row_selector import RowSelector
from fewest.statistics.class_moments import check_scale
from fewest.statistics.prepared_rows import PreparedRows, content_order, reject_missing_values
from fewest.statistics.rows import Rows
from fewest.threads import one_blas_thread, thread_count

#: A shift of the columns does not change the objective, and columns about zero keep more digits of a product of rows.
_CENTRED = frozenset({"linear", "rbf"})


class KernelTraceObjective(SubsetObjective):
    """The value of any subset, from sums over blocks of the kernel's matrix; of the Gaussian, without a matrix.

    max_numbers : the numbers of a block
    """

    def __init__(self, rows: Rows, criterion: KernelTrace, max_numbers: int = 1 << 24) -> None:
        self.criterion = criterion
        self._max_numbers = max_numbers
        self.is_observed: Mask = rows.is_observed
        # Class by class, so that the rows of a class are a slice; otherwise in an order that their contents decide.
        prepared = PreparedRows(rows, *content_order(rows), layout="F")
        prepared.scale_by_moments(criterion.scale)
        prepared.values[:, ~self.is_observed] = 0.0
        self.values, self.weights, self.codes = prepared.values, prepared.weights, prepared.codes
        self.n_columns = self.values.shape[1]
        self._varies: Mask = rows.moments.highest > rows.moments.lowest
        class_counts = np.bincount(self.codes)
        ends = np.cumsum(class_counts)
        self._classes = [slice(first, end) for first, end in pairwise([0, *ends.tolist()]) if end > first]
        self._eta = criterion.gaussian_exponent(self.n_columns)

    def score_features(self) -> Floats:
        """Return the value of each column alone; NaN for one without a value."""
        values = self.score_subsets([[column] for column in range(self.n_columns)])
        return np.where(self.is_observed, values, np.nan)

    def score_subset(self, subset: Sequence[int]) -> float:
        """Return (1/n) [sum_i Sum(K_i)/n_i - gamma Tr K + (gamma-1)/n Sum K] - beta |S| for these columns."""
        columns = column_indices(subset, self.n_columns)
        if self._eta is None:
            return self._of_matrix(columns) - self.criterion.beta * len(columns)
        return float(self._of_gaussian(columns[:-1], columns[-1:])[0]) if len(columns) else 0.0

    def score_subsets(self, subsets: Sequence[Sequence[int]]) -> Floats:
        """Return the value of each subset; by the Gaussian, those that differ in the last column only together."""
        if self._eta is None:
            return super().score_subsets(subsets)
        values, by_first = np.zeros(len(subsets)), defaultdict[tuple[int, ...], list[tuple[int, int]]](list)
        for i, subset in enumerate(subsets):
            if columns := column_indices(subset, self.n_columns).tolist():
                by_first[tuple(columns[:-1])].append((columns[-1], i))
        for first, additions in by_first.items():
            last, which = np.ascontiguousarray(np.array(additions, dtype=np.intp).T)
            values[which] = self._of_gaussian(np.array(first, dtype=np.intp), last)
        return values

    def score_additions(self, selected: Sequence[int], among: Indices) -> Floats:
        """Return by how much each of these columns, added, raises the value; NaN for one without a value."""
        if self._eta is None:
            gains = super().score_additions(selected, among)
        else:
            gains = self._of_gaussian(column_indices(selected, self.n_columns), among) - self.score_subset(selected)
        return np.where(self.is_observed[among], gains, np.nan)

    def score_removals(self, selected: Sequence[int], among: Indices) -> Floats:
        """Return by how much each of these columns, removed, raises the value; NaN for one without a value."""
        if self._eta is None:
            gains = super().score_removals(selected, among)
        else:
            columns = column_indices(selected, self.n_columns)
            gains = self._of_gaussian(columns, among, sign=-1.0) - self.score_subset(selected)
        return np.where(self.is_observed[among], gains, np.nan)

    def _of_gaussian(self, selected: Indices, among: Indices, sign: float = 1.0) -> Floats:
        """Return the value of the selected columns with each of these added or, with the sign -1, removed."""
        assert self._eta is not None
        gamma, n = self.criterion.gamma, float(self.weights.sum())
        class_weight = np.bincount(self.codes, self.weights)
        inverse = np.divide(1.0, class_weight, out=np.zeros_like(class_weight), where=class_weight > 0)
        factors = np.full((len(inverse), len(inverse)), (gamma - 1) / n)
        factors[np.diag_indices_from(factors)] += inverse
        # A constant added to the kernel changes nothing: sums are of K - 1, whose diagonal is zero.
        pairs = self._pair_weights
        constant = float((factors * pairs).sum())
        found = np.empty((len(among), 1))
        eta = np.full(len(among), self._eta)
        subset_kernel_sums(
            self.values.T, selected, among, sign, self.codes, self.weights, factors[None], eta,
            np.zeros(1, dtype=bool), found, thread_count(),
        )  # fmt: skip
        values = 2.0 * (found[:, 0] - constant) / n
        n_varying = np.count_nonzero(self._varies[selected]) + sign * self._varies[among]
        size = len(selected) + sign
        return np.where(n_varying > 0, values, 0.0) - self.criterion.beta * size

    @cached_property
    def _pair_weights(self) -> Floats:
        """The weight of all pairs of different rows, by their classes, each pair once."""
        weight, squares = np.bincount(self.codes, self.weights), np.bincount(self.codes, np.square(self.weights))
        pairs = np.outer(weight, weight)
        pairs[np.diag_indices_from(pairs)] -= squares
        return np.asarray(pairs / 2)

    def _of_matrix(self, columns: Indices) -> float:
        """Return the value without costs from the kernel's matrix."""
        table = self._table(columns)
        kernel = KernelFunction(self.criterion.kernel, self.criterion.kernel_params, self.n_columns)
        within_classes = trace = total = 0.0
        pivot: float | None = None
        with np.errstate(over="ignore", invalid="ignore"), one_blas_thread():
            for rows in row_blocks(len(table), self._max_numbers):
                block = kernel(table[rows], table)
                # A constant added to the kernel changes nothing. Less one of its values the sums are shorter, and where
                # all values are equal they are exactly zero.
                pivot = float(block[0, -1]) if pivot is None else pivot
                block = block - pivot
                within_classes += self._sum_within_classes(block, rows)
                total += float(self.weights[rows] @ (block @ self.weights))
                trace += float(self.weights[rows] @ block.diagonal(rows.start))
            gamma, n = self.criterion.gamma, float(self.weights.sum())
            score = (within_classes - gamma * trace + (gamma - 1) / n * total) / n
        if not np.isfinite(score):
            raise undefined_kernel(self.criterion.kernel)
        return score

    def _sum_within_classes(self, block: Floats, rows: slice) -> float:
        """Return what these rows add to sum_i Sum(K_i)/n_i."""
        total = 0.0
        for members in self._classes:
            here = slice(max(members.start, rows.start), min(members.stop, rows.stop))
            if here.start < here.stop:
                own = block[here.start - rows.start : here.stop - rows.start, members] @ self.weights[members]
                total += float(self.weights[here] @ own / self.weights[members].sum())
        return total

    def _table(self, columns: Indices) -> Floats:
        """Return the rows with all columns but these at zero, or without them where that is the same."""
        if callable(self.criterion.kernel):
            # What a function does with columns of zeros is unknown.
            table = np.zeros_like(self.values)
            table[:, columns] = self.values[:, columns]
            return table
        table = np.array(self.values[:, columns], order="C") if len(columns) else np.zeros((len(self.values), 1))
        if self.criterion.kernel in _CENTRED:
            table -= table.mean(axis=0)
        return table


@dataclass(frozen=True)
class KernelTrace:
    """Score subsets by the scatter between the classes in the space of a kernel, less a share of the total scatter.

    (1/n) [sum_i Sum(K_i)/n_i - gamma Tr K + (gamma-1)/n Sum K] - beta |S|, where K is the kernel's matrix over all n
    rows and K_i that over the n_i rows of class i. Columns outside the subset S count as zero, so that the default
    width of a kernel, one over the number of columns, is the same for every subset.

    Parameters
    ----------
    kernel : str or callable, default="rbf"
        The name of a kernel in scikit-learn, or a function of two tables that returns the matrix between their rows.
    gamma : float, default=0.0
        The share of the total scatter; not the gamma of the kernel, which is one of the kernel_params.
    beta : float, default=0.0
        The cost of a column.
    scale : {"std", "range", "symmetric"} or None, default="symmetric"
        As in ScatterTrace; a constant column is zero.
    kernel_params : dict or None, default=None
        Parameters of the kernel, such as {"gamma": 0.5}.

    See Also
    --------
    ScatterTrace : The same with polynomial kernels, far cheaper, with missing values and a proved optimum.
    KernelScatter : The scatter between the classes at the best width.

    Notes
    -----
    Needs Rows, without missing values. Every subset costs a pass over all pairs of rows. With the linear kernel it is
    the sum of ScatterTrace's theta.

    References
    ----------
    Cheng, Zhou, Cheng, 2011. The Fisher-Markov Selector: Fast Selecting Maximally Separable Feature Subset for
    Multiclass Classification with Applications to High-Dimensional Data, Eq. 16.
    https://doi.org/10.1109/TPAMI.2010.195

    Examples
    --------
    >>> from fewest import FeatureSelector, GreedyForward, KernelTrace, scan
    >>> selector = FeatureSelector(KernelTrace("laplacian"), GreedyForward(lazy=False), n_features=3)
    >>> selector.fit(scan("wine")).selection_.features
    ('od280/od315_of_diluted_wines', 'flavanoids', 'proline')
    """

    kernel: str | Kernel = "rbf"
    gamma: float = 0.0
    beta: float = 0.0
    scale: str | None = "symmetric"
    kernel_params: Mapping[str, object] | None = None

    offers: ClassVar[frozenset[str]] = frozenset(
        {"n_columns", "score_features", "score_subset", "score_additions", "score_removals"}
    )
    allows_missing: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_number("gamma", self.gamma)
        check_number("beta", self.beta)
        check_scale(self.scale)
        check_kernel(self.kernel, self.kernel_params)

    def gaussian_exponent(self, n_columns: int) -> float | None:
        """Return eta of exp(-eta |x - z|^2) where that is the kernel, else None."""
        if self.kernel != "rbf":
            return None
        eta = (self.kernel_params or {}).get("gamma")
        eta = 1.0 / n_columns if eta is None else float(eta)  # type: ignore[arg-type]
        return eta if eta > 0 else None

    def statistic(self) -> Rows:
        return Rows()

    def bind(self, rows: Rows) -> KernelTraceObjective:
        if rows.n_rows == 0:
            raise InvalidInput("There are no rows with a weight above zero. Give some.")
        advice = "or use a polynomial kernel, ScatterTrace(degree=2) or ScatterTrace(degree=3)"
        reject_missing_values(rows, "a kernel compares complete rows", advice)
        return KernelTraceObjective(rows, self)


@dataclass(eq=False, repr=False)
class KernelTraceSelector(RowSelector):
    """Select features by the kernel objective of the Fisher-Markov selector, for any kernel.

    The scatter between the classes less gamma times the total scatter, in the space of the kernel (Eq. 16 of the
    paper): (1/n) [sum_i Sum(K_i)/n_i - gamma Tr K + (gamma-1)/n Sum K] - beta |S|.

    Parameters
    ----------
    mode : {"forward", "backward", "floating", "individual", "exhaustive"}, default="forward"
        The search: greedy in one of three ways, each column alone, or all subsets, which proves the best; the last is
        for few columns.
    kernel : str or callable, default="rbf"
        The name of a kernel in scikit-learn, or a function of two tables that returns the matrix between their rows.
    gamma : float, default=0.0
        The share of the total scatter; not the gamma of the kernel, which is one of the kernel_params.
    beta : float or None, default=None
        The cost of a column: the search decides how many to take. None takes n_features.
    kernel_params : dict or None, default=None
        Parameters of the kernel, such as {"gamma": 0.5}; the default gamma is 1 / n_features_in_ for every subset.
    scale : {"auto", "std", "range", "symmetric"} or None, default="auto"
        "auto" maps each column to [-1, 1].

    See Also
    --------
    FisherMarkov : The same with polynomial kernels, far cheaper, with missing values and a proved optimum.
    KernelSeparability : The scatter between the classes at the best width of the kernel.

    Notes
    -----
    Every subset costs a pass over all pairs of rows. Only "exhaustive" proves anything. One width serves all subsets,
    so that a subset of many columns has a narrower kernel, in units of its distances, than one of few.

    References
    ----------
    Cheng, Zhou and Cheng (2011), The Fisher-Markov Selector: Fast Selecting Maximally Separable Feature Subset for
    Multiclass Classification with Applications to High-Dimensional Data, https://doi.org/10.1109/TPAMI.2010.195

    Examples
    --------
    >>> from fewest import KernelTraceSelector
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> chosen = KernelTraceSelector("exhaustive", n_features=2).fit(X, y).selection_
    >>> sorted(chosen.indices), chosen.is_optimal
    ([2, 3], True)
    """

    name: ClassVar[str] = "kernel-trace"
    summary: ClassVar[str] = "the Fisher-Markov objective in the space of any kernel"
    formula: ClassVar[str] = "(1/n) [Σ_i Sum(K_i)/n_i − γ Tr K + (γ − 1)/n Sum K] − β |S|"
    takes: ClassVar[str] = "numbers and text"
    proves: ClassVar[str] = "the optimum if exhaustive"
    cost: ClassVar[str] = "one read, the rows; a step: all pairs of rows for every column"

    mode: str = "forward"
    kernel: str | Kernel = "rbf"
    gamma: float = 0.0
    beta: float | None = None
    kernel_params: Mapping[str, object] | None = None

    def sentence(self) -> Sentence:
        if self.beta is not None and self.n_features is not None:
            raise InvalidParameter(
                f"Give beta or n_features, not both (n_features={self.n_features!r}): each decides how many to take."
            )
        is_free = self.beta is not None
        stop = StoppingRule(self.max_features)
        # The costs are part of the criterion's value.
        searches: dict[str, AnySearch] = {
            "forward": GreedyForward(lazy=False, stop=stop if is_free else None),
            "backward": GreedyBackward(),
            "floating": GreedyFloating(stop),
            "individual": IndividualRanking(beta=0.0 if is_free else None),
            "exhaustive": Exhaustive(beta=0.0) if is_free else Exhaustive(path=True),
        }
        check_choice("mode", self.mode, tuple(searches))
        beta = 0.0 if self.beta is None else self.beta
        criterion = KernelTrace(self.kernel, self.gamma, beta, self._scale_or("symmetric"), self.kernel_params)
        return criterion, searches[self.mode]

    def _chooses_size(self) -> bool:
        return self.beta is not None or super()._chooses_size()

    def _evaluation_degree(self) -> float:
        return math.inf

    def _with_sizes(self, sizes: Sequence[int]) -> Self:
        own: Self = super()._with_sizes(sizes)
        # Backward, the largest subsets come first.
        return own if self.mode != "backward" or self.beta is not None else own.set_params(n_features=min(sizes))

    def _objective_words(self) -> str:
        less = "" if self.gamma == 0 else f", less gamma = {self.gamma} times the total scatter,"
        return f"the scatter between the classes{less} in the feature space of a kernel"

    def _finalize(self, selection: Selection, objective: KernelTraceObjective) -> Selection:
        beta = None if self.beta is None else float(self.beta)
        if self.mode == "exhaustive":
            return replace(selection, beta=beta)
        if self.mode == "individual":
            return selection
        return replace(selection, value=objective.score_subset(selection.indices), is_optimal=False, beta=beta)

    def _allows_missing(self) -> bool:
        return False
