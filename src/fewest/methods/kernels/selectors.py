"""Selectors by sums of kernels over pairs of rows: KernelSeparability, KernelAlignment."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Self, cast

import numpy as np

from fewest.arrays import Floats
from fewest.data.source import Source
from fewest.errors import InvalidParameter
from fewest.methods.kernels.kernel_functions import Kernel
from fewest.methods.kernels.kernel_separability import KernelScatter
from fewest.methods.kernels.scatter_objective import ScatterObjective, WeightedScatterObjective
from fewest.methods.kernels.target_alignment import TargetAlignment, TargetAlignmentObjective
from fewest.parameters import check_choice, is_auto
from fewest.protocols import AnyCriterion, AnySearch, Sentence
from fewest.searches.exhaustive import Exhaustive
from fewest.searches.greedy import GreedyBackward, GreedyForward
from fewest.searches.individual_ranking import IndividualRanking
from fewest.searches.weight_ascent import WeightAscent
from fewest.searches.weight_elimination import WeightElimination
from fewest.selection import Selection
from fewest.selectors.row_selector import RowSelector
from fewest.selectors.selector import Selector

#: Among these regularization="auto" chooses, as the paper does.
STRENGTHS = (0.0, 0.1, 0.25, 0.5, 0.75, 0.99)


@dataclass(eq=False, repr=False)
class KernelSeparability(RowSelector):
    """Select features by the scatter between the classes in the space of a kernel (KCSM).

    J = tr S_B = sum_a Sum(K_aa)/n_a - Sum(K)/n, with the Gaussian kernel K_ij = exp(-sum_f eta_f (x_if - x_jf)^2) at
    the width where J is highest. Classes need not be linearly separable. Columns are scaled to [-1, 1] by default.

    Parameters
    ----------
    mode : {"weights", "elimination", "forward", "backward", "individual", "exhaustive"}, default="weights"
        "weights" (KPO) maximizes J over one eta a column, all together; the columns with the largest eta are taken.
        "elimination" (KPO with backward elimination) removes the column with the least eta, and maximizes J over the
        others from there, until n_features are left.
        "forward" (SEQ) adds one column after the other, each the best in addition to those taken, with one eta for all;
        "backward" removes one after the other. "individual" (BIN) scores each column alone; values may be missing.
        "exhaustive" proves the best of all subsets of up to n_features, with one eta for all; for few columns.
    kernel : str or callable, default="rbf"
        "laplacian" is exp(-sum_f eta_f |x_if - x_jf|), with all modes. Others, by their name in scikit-learn or as a
        function, are normalised and have all modes but "weights" and "elimination"; their gamma is 1 / n_features_in_.
    regularization : float or "auto", default=0.25
        In modes "weights" and "elimination" J becomes (1 - regularization) J - regularization |eta - eta_0|^2, where
        eta_0 is the best eta that all columns share. From 0 to below 1, and larger the fewer rows there are for the
        columns. "auto" takes the least cross-validated error of 0, 0.1, 0.25, 0.5, 0.75 and 0.99.
    form : {"between", "ratio"}, default="between"
        "ratio" takes J = tr S_B / tr S_W of K + ridge I instead, with tr S_W = tr K - sum_a Sum(K_aa)/n_a; it has no
        bound.
    ridge : float, default=0.0
        What is added to the kernel of a row with itself; only the ratio depends on it.
    step : int or float, default=1
        In mode "elimination" the number of columns removed at a time; below 1 their share of all columns, rounded down
        but at least one.
    sample : int or None, default=None
        The number of rows to use, drawn of every class in proportion by their own values and random_state; None for
        all. With "rbf" J, its weights and its bound are then estimates of those of all rows.

    Attributes
    ----------
    weights_ : ndarray of shape (n_features_in_,)
        Eta for the scaled columns. "elimination": the best of those taken, 0 for the others. "forward" and "backward":
        the same for all that were taken, 0 for the others.
    width_ : float or None
        The width 1 / sqrt(2 eta) of the subset taken; "weights", "elimination": that of eta_0; "individual": None.
    regularization_ : float or None
        The regularization used; None in the modes that ignore it.
    objective_ : ndarray
        J, with the regularization, at the start and after each step; "elimination": its maximum with all columns and
        after each removal; otherwise J after each column taken or removed.
    sampling_error_ : float
        The standard error of tr S_B that is due to the sample, with "rbf"; "individual": the largest of the columns
        taken.
    scores_ : ndarray of shape (n_features_in_,)
        "weights", "elimination": eta. "individual": J of the column alone. Otherwise the change of J by a column taken,
        or NaN.

    See Also
    --------
    KernelAlignment : The alignment of the kernel with the classes.
    RadiusMargin : The same kernels by a bound on the errors of an SVM.
    FisherMarkov : Scatter between the classes without a kernel, with a proved optimum.

    Notes
    -----
    The weights are those of one hill: that there is no higher one is not proved. `selection_.bound`, the largest J that
    any features could have, n - sum_a n_a^2 / n, is mostly far above. tr S_B / tr S_T is at most the largest ratio of
    these scatters along a line in the space of the kernel: what kernel Fisher discriminant analysis maximizes.

    Columns that do not vary come last; among equal weights, such as those of zero, the column with the largest gradient
    comes first. Copies of a column share their weight. In mode "elimination" eta_0 remains that of all columns, and a
    column without weight is removed without another ascent. Time grows with the square of the rows; memory holds the
    rows, never all pairs of them. Of 4,608 rows or more most steps of an ascent are taken on 1,536 of them, with the
    gradient of all: the maximum is that over all rows, to the same tolerance.

    References
    ----------
    Wang, 2008. Feature Selection with Kernel Class Separability. https://doi.org/10.1109/TPAMI.2007.70799

    Examples
    --------
    >>> from fewest import KernelSeparability
    >>> from fewest.datasets import fifty_two_features
    >>> data = fifty_two_features(60, shuffle=True)
    >>> chosen = KernelSeparability(n_features=2).fit(data.X, data.y)
    >>> sorted(data.feature_names[column] for column in chosen.selection_.indices)
    ['x1', 'x2']
    """

    name: ClassVar[str] = "kernel-separability"
    summary: ClassVar[str] = "scatter between the classes in the space of a kernel, also where no line separates them"
    formula: ClassVar[str] = "J = Σ_a Sum(K_aa)/n_a − Sum(K)/n, K_ij = exp(−Σ_f η_f (x_if − x_jf)²)"
    takes: ClassVar[str] = "numbers and text (missing numbers: mode 'individual')"
    proves: ClassVar[str] = "nothing: one hill"
    cost: ClassVar[str] = "one read, the rows; 3 products rows x rows x columns"

    mode: str = "weights"
    kernel: str | Kernel = "rbf"
    regularization: float | str = 0.25
    form: str = "between"
    ridge: float = 0.0
    step: int | float = 1

    def sentence(self) -> Sentence:
        searches: dict[str, AnySearch] = {
            "weights": WeightAscent(),
            "elimination": WeightElimination(self.step),
            "forward": GreedyForward(lazy=False),
            "backward": GreedyBackward(),
            "individual": IndividualRanking(),
            "exhaustive": Exhaustive(path=True),
        }
        check_choice("mode", self.mode, tuple(searches))
        strength = 0.25 if is_auto(self.regularization) else self.regularization
        criterion = KernelScatter(
            self.kernel,
            regularization=strength,  # type: ignore[arg-type]
            form=self.form,
            ridge=self.ridge,
            scale=self._scale_or("symmetric"),
            sample=self.sample if self._estimates_all_rows() else None,
            random_state=self.random_state,
        )
        if self._has_weights() and not criterion.has_weights:
            raise InvalidParameter(
                f"mode={self.mode!r} needs the kernel 'rbf' or 'laplacian', got {self.kernel!r}. Use mode='forward'."
            )
        return criterion, searches[self.mode]

    def _has_weights(self) -> bool:
        """Return whether each column has an eta of its own in the objective."""
        return self.mode in ("weights", "elimination")

    def _estimates_all_rows(self) -> bool:
        """Return whether the criterion draws a sample itself, to estimate J of all rows from it."""
        return self.sample is not None and self.kernel == "rbf"

    def _check_partial_fit(self) -> None:
        if self._estimates_all_rows():
            Selector._check_partial_fit(self)
        else:
            super()._check_partial_fit()

    def _rows_of(self, source: Source, criterion: AnyCriterion) -> Source:
        return source if self._estimates_all_rows() else super()._rows_of(source, criterion)

    def _sample_notes(self, source: Source) -> tuple[str, ...]:
        return () if self._estimates_all_rows() else super()._sample_notes(source)

    def _evaluation_degree(self) -> float:
        return math.inf

    def _alternatives(self) -> Sequence[dict[str, float]]:
        if not is_auto(self.regularization) or not self._has_weights():
            return ()
        return [{"regularization": strength} for strength in STRENGTHS]

    def _with_sizes(self, sizes: Sequence[int]) -> Self:
        # Backward, the largest subsets come first.
        last = min(sizes) if self.mode == "backward" else max(sizes)
        own: Self = super()._with_sizes(sizes).set_params(n_features=last)
        return own

    def _objective_words(self) -> str:
        weighted = ", less what large weights cost," if self._has_weights() else ""
        return f"the scatter between the classes{weighted} in the feature space of a kernel"

    def _finalize(self, selection: Selection, objective: ScatterObjective) -> Selection:
        bound = objective.upper_bound()
        proved_by = "" if bound is None else "the sizes of the classes"
        if self._has_weights():
            less = None if bound is None else (1.0 - objective.criterion.regularization) * bound
            return replace(selection, bound=less, proved_by=proved_by)
        if self.mode in ("individual", "exhaustive"):
            return selection
        value = objective.score_subset(selection.indices)
        return replace(selection, value=value, bound=bound, is_optimal=False, proved_by=proved_by)

    def _store_fitted(self, objective: ScatterObjective, selection: Selection) -> None:
        self.weights_ = self._weights(objective, selection)
        self.regularization_: float | None = None
        eta = float(self.weights_[list(selection.indices)].max(initial=0.0))
        if self._has_weights():
            eta, values = _of_weights(objective).shared_weight, list(selection.history)
            self.regularization_ = float(objective.criterion.regularization)
        elif self.mode == "individual":
            eta, values = 0.0, list(selection.scores)
        else:
            sizes = sorted(selection.path, reverse=self.mode == "backward")
            values = [objective.score_subset(selection.path[size]) for size in sizes]
        self.objective_: Floats = np.array(values)
        self.width_ = 1.0 / math.sqrt(2.0 * eta) if eta > 0 else None
        self.sampling_error_ = self._sampling_error(objective, selection)[0]

    def _fit_notes(self, selection: Selection, objective: ScatterObjective) -> tuple[str, ...]:
        if not self._estimates_all_rows():
            return ()
        error, value = self._sampling_error(objective, selection)
        if error == 0:
            return ("the sample holds all rows",)
        which = "the least certain column has" if self.mode == "individual" else "the columns have"
        n_drawn = len(_of_weights(objective).rows.codes)
        return (
            f"by a sample of {n_drawn:,} rows {which} tr S_B = {value:.4g}, with a standard error of "
            f"{error:.2g} ({100 * error / value:.2g} %) that is due to the sample",
        )

    def _weights(self, objective: ScatterObjective, selection: Selection) -> Floats:
        """Return eta of every column."""
        if self.mode == "individual":
            return objective.widths()
        if self._has_weights():
            assert selection.column_scores is not None
            return np.nan_to_num(selection.column_scores, nan=0.0)
        weights = np.zeros(objective.n_columns)
        weights[list(selection.indices)] = objective.width_of(selection.indices)
        return weights

    def _sampling_error(self, objective: ScatterObjective, selection: Selection) -> tuple[float, float]:
        """Return the standard error due to the sample, and J; in mode "individual" of the least certain column."""
        if not self._estimates_all_rows():
            return 0.0, 0.0
        weights, sampling_error = self._weights(objective, selection), _of_weights(objective).sampling_error
        if self.mode != "individual":
            return sampling_error(weights)
        alone = [np.where(np.arange(len(weights)) == column, weights, 0.0) for column in selection.indices]
        return max(map(sampling_error, alone), default=(0.0, 0.0))

    def _allows_missing(self) -> bool:
        return self.mode == "individual"


@dataclass(eq=False, repr=False)
class KernelAlignment(RowSelector):
    """Select features by the alignment of a Gaussian kernel with the classes.

    The alignment <K, T> / |K| |T| as in TargetAlignment, at the width where it is highest. Columns are scaled to
    [-1, 1] by default.

    Parameters
    ----------
    mode : {"forward", "individual", "exhaustive"}, default="forward"
        "forward" adds one column after the other, each the best in addition to those taken. "individual" scores each
        column alone; values may be missing. "exhaustive" proves the best of all subsets of up to n_features, for few
        columns.

    Attributes
    ----------
    weights_ : ndarray of shape (n_features_in_,)
        Eta = 1 / (2 width^2) for the scaled columns: the same for all that were taken, or each column's own.
    scores_ : ndarray of shape (n_features_in_,)
        "forward": the gain by a column that was taken, NaN for the others. "individual": that of the column alone.

    See Also
    --------
    KernelSeparability : The scatter between the classes, without the length of the kernel.

    Notes
    -----
    An alignment is at most 1, which is `selection_.bound`. Where two classes differ in size, a constant kernel is
    aligned with yy' by ((n_1 - n_2) / n)^2. Columns that bounds over all widths prove not to be the best addition are
    not evaluated further. Time grows with the square of the rows: use `sample` for long tables.

    References
    ----------
    Cristianini, Shawe-Taylor, Elisseeff, Kandola, 2001. On Kernel-Target Alignment. NIPS.
    Wang, 2008. Feature Selection with Kernel Class Separability, Eq. 18. https://doi.org/10.1109/TPAMI.2007.70799

    Examples
    --------
    >>> from fewest import KernelAlignment
    >>> from sklearn.datasets import load_iris
    >>> data = load_iris(as_frame=True)
    >>> KernelAlignment(n_features=1).fit(data.data, data.target).get_feature_names_out().tolist()
    ['petal width (cm)']
    """

    name: ClassVar[str] = "kernel-alignment"
    summary: ClassVar[str] = "alignment of a Gaussian kernel with the classes"
    formula: ClassVar[str] = "⟨K, T⟩ / ‖K‖‖T‖, K a Gaussian kernel at its best width, T = yyᵀ"
    takes: ClassVar[str] = "numbers and text (missing numbers: mode 'individual')"
    proves: ClassVar[str] = "a bound"
    cost: ClassVar[str] = "one read, the rows; a step: all pairs of rows for every column"

    mode: str = "forward"

    def sentence(self) -> Sentence:
        searches: dict[str, AnySearch] = {
            "forward": GreedyForward(),
            "individual": IndividualRanking(),
            "exhaustive": Exhaustive(path=True),
        }
        check_choice("mode", self.mode, tuple(searches))
        return TargetAlignment(self._scale_or("symmetric")), searches[self.mode]

    def _evaluation_degree(self) -> float:
        return math.inf

    def _objective_words(self) -> str:
        return "the alignment of a Gaussian kernel with the classes"

    def _finalize(self, selection: Selection, objective: TargetAlignmentObjective) -> Selection:
        if self.mode in ("individual", "exhaustive"):
            return selection
        value = objective.score_subset(selection.indices)
        return replace(selection, value=value, bound=1.0, is_optimal=False, proved_by="alignments being at most 1")

    def _store_fitted(self, objective: TargetAlignmentObjective, selection: Selection) -> None:
        self.weights_: Floats = np.zeros(objective.n_columns)
        if self.mode == "individual":
            self.weights_ = objective.widths()
        else:
            self.weights_[list(selection.indices)] = objective.width_of(selection.indices)

    def _allows_missing(self) -> bool:
        return self.mode == "individual"


def _of_weights(objective: ScatterObjective) -> WeightedScatterObjective:
    """Return the objective, in which columns, or features, have weights."""
    return cast("WeightedScatterObjective", objective)
