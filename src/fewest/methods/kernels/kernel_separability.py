"""Features that hold the classes apart in the space of a kernel."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from fewest.arrays import Floats
from fewest.errors import InvalidParameter
from fewest.methods.kernels.kernel_scatter import KernelScatter
from fewest.parameters import check_choice
from fewest.protocols import AnySearch, Sentence
from fewest.searches.greedy_backward import GreedyBackward
from fewest.searches.greedy_forward import GreedyForward
from fewest.searches.individual_ranking import IndividualRanking
from fewest.searches.weight_ascent import WeightAscent
from fewest.selection import Selection
from fewest.selectors.selector import Selector

MODES = ("weights", "forward", "backward", "individual")
#: Among these regularization="auto" chooses, as the paper does.
STRENGTHS = (0.0, 0.1, 0.25, 0.5, 0.75, 0.99)


@dataclass(eq=False, repr=False)
class KernelSeparability(Selector):
    """Features that hold the classes apart in the space of a kernel (Wang, kernel class separability).

    J = tr S_B = sum_a Sum(K_aa)/n_a - Sum(K)/n, how far the class means lie apart among the images of the rows, with
    the Gaussian kernel K_ij = exp(-sum_f eta_f (x_if - x_jf)^2) at the width that makes the most of the features.
    Classes need not lie apart along a line: a ring around a blob is found, and features that tell only together.

    Parameters
    ----------
    mode : "weights", "forward", "backward" or "individual", default="weights"
        "weights": one eta a column, all found together by climbing J; the columns with the largest eta are taken.
        "forward": one column after the other, each the best beside those taken, with one eta for all of them.
        "backward": all columns at first, and one after the other is dropped. Half the square of the columns in sets.
        "individual": each column by itself, with its own eta. Takes gaps.
    kernel : "rbf", the name of another kernel of scikit-learn, or a function, default="rbf"
        Others than "rbf" are normalised and have no weights: use another mode. The width of "laplacian" is found as
        well; others are as scikit-learn has them, with 1 / n_features_in_ for gamma.
    regularization : float from 0 to below 1, or "auto", default=0.25
        In mode "weights" J becomes (1 - regularization) J - regularization |eta - eta_0|^2, where eta_0 is the best eta
        that all columns share. More of it, up to 0.99, the fewer rows there are for the columns. "auto": what errs
        least in cross-validation, of 0, 0.1, 0.25, 0.5, 0.75 and 0.99. It has no meaning in the other modes.
    sample : int or None, default=None
        Go by so many rows, drawn of every class in proportion by their own values and random_state: for tables with
        more rows than all pairs of them can be looked at. `sampling_error_` says how far off J may be.
    n_features : int, float, "auto" or None, default=None
        How many: a count, a share of the columns, chosen by cross-validation, or the 10 best.
    scale : "auto", None, "std", "range" or "symmetric", default="auto"
        "auto" is "symmetric": every column from -1 to 1.
    estimator, cv, max_features, random_state, rule
        What "auto" uses: the classifier (None: an SVM with a Gaussian kernel), the folds, the largest size tried, the
        seed of the folds, and "1se", "min" or "stable".
    verbose : bool, default=False
        Show progress.

    Attributes
    ----------
    weights_ : ndarray of shape (n_features_in_,)
        eta, for the scaled columns. In modes "forward" and "backward" it is the same for all that were taken, and 0 for
        the others; in mode "individual" each column has its own. 0 throughout for kernels without a width.
    width_ : float or None
        The width 1 / sqrt(2 eta) of the set that was taken; in mode "weights" that of eta_0, where it began; None in
        mode "individual".
    regularization_ : float or None
        What was used; None in the other modes.
    objective_ : ndarray
        J on the way: in mode "weights" with the regularization, at the start and after each step of the climb;
        "forward" and "backward": of the set after each column taken or dropped; "individual": of each column taken.
    sampling_error_ : float
        The standard error of J with `weights_` that comes of the sample, 0 where all rows were used; in mode
        "individual" the largest of the columns taken.
    scores_ : ndarray of shape (n_features_in_,)
        Mode "weights": eta. "individual": J of the column alone. Else what J gained or would lose by a column that was
        taken, NaN for the others.
    ranking_, support_, n_features_, n_features_in_, feature_names_in_, selection_
        As in every selector. `selection_.bound` is proved: J is at most n - sum_a n_a^2 / n, whatever the features.

    Notes
    -----
    Columns that do not vary come last. Where weights are equal, as those of zero are, that column comes first which it
    would cost least to raise. Copies of a column share their weight. Keeps the rows; never all pairs of them.

    The paper prints a plus before the regularization in its Eq. 12, with which one weight grows without limit.

    Examples
    --------
    >>> from fewest import KernelSeparability
    >>> from fewest.datasets import fifty_two_features
    >>> data = fifty_two_features(100, shuffle=True)
    >>> chosen = KernelSeparability(n_features=2).fit(data.X, data.y)
    >>> sorted(data.feature_names[column] for column in chosen.selection_.indices)
    ['x1', 'x2']
    """

    name: ClassVar[str] = "kernel-separability"
    summary: ClassVar[str] = "classes apart in the space of a kernel, also where no line parts them"
    takes: ClassVar[str] = "numbers (gaps: mode 'individual')"
    proves: ClassVar[str] = "a bound"
    cost: ClassVar[str] = "one read, the rows; about 15 products of rows x rows x columns"

    mode: str = "weights"
    kernel: Any = "rbf"
    regularization: float | str = 0.25
    sample: int | None = None

    def sentence(self) -> Sentence:
        check_choice("mode", self.mode, MODES)
        strength = 0.25 if self.regularization == "auto" else self.regularization
        criterion = KernelScatter(
            self.kernel,
            regularization=strength,  # type: ignore[arg-type]
            scale=self.scale_or("symmetric"),
            sample=self.sample,
            random_state=self.random_state,
        )
        if self.mode == "weights" and not criterion.is_gaussian:
            raise InvalidParameter(
                f"mode='weights' has the kernel 'rbf' only, got {self.kernel!r}. Use mode='forward', 'backward' or "
                "'individual'."
            )
        searches: dict[str, AnySearch] = {
            "weights": WeightAscent(),
            "forward": GreedyForward(lazy=False),
            "backward": GreedyBackward(),
            "individual": IndividualRanking(),
        }
        return criterion, searches[self.mode]

    def evaluation_degree(self) -> float:
        return math.inf

    def alternatives(self) -> Sequence[dict[str, Any]]:
        if self.regularization != "auto" or self.mode != "weights":
            return ()
        return [{"regularization": strength} for strength in STRENGTHS]

    def with_sizes(self, sizes: Sequence[int]) -> Self:
        # Backward, the largest sets are met first.
        last = min(sizes) if self.mode == "backward" else max(sizes)
        own: Self = super().with_sizes(sizes).set_params(n_features=last)
        return own

    def finalize(self, selection: Selection, objective: Any) -> Selection:
        if self.mode == "individual":
            return selection
        bound = objective.highest_possible()
        if self.mode == "weights":
            strength = objective.criterion.regularization
            return replace(selection, bound=(1.0 - strength) * bound)
        value = float(objective.score_subset(selection.indices))
        return replace(selection, value=value, bound=bound, is_optimal=False)

    def store_fitted(self, objective: Any, selection: Selection) -> None:
        self.weights_ = self._weights(objective, selection)
        chosen = list(selection.indices)
        eta = float(self.weights_[chosen].max(initial=0.0))
        if self.mode == "weights":
            eta, values = objective.shared_weight, list(selection.history)
        elif self.mode == "individual":
            eta, values = 0.0, list(selection.scores)
        else:
            sizes = sorted(selection.path, reverse=self.mode == "backward")
            values = [objective.score_subset(selection.path[size]) for size in sizes]
        self.objective_: Floats = np.array(values)
        self.width_ = 1.0 / math.sqrt(2.0 * eta) if eta > 0 else None
        self.regularization_ = objective.criterion.regularization if self.mode == "weights" else None
        self.sampling_error_ = 0.0 if self.sample is None else self._sampling_error(objective, selection)[0]

    def fit_notes(self, selection: Selection, objective: Any) -> tuple[str, ...]:
        if self.sample is None:
            return ()
        error, value = self._sampling_error(objective, selection)
        if error == 0:
            return ("the sample holds all rows",)
        which = "the least certain column has" if self.mode == "individual" else "the columns have"
        return (
            f"by a sample of {objective.n_rows:,} rows {which} J = {value:.4g}, with a standard error of {error:.2g} "
            f"({100 * error / value:.2g} %) that comes of the sample",
        )

    def _weights(self, objective: Any, selection: Selection) -> Floats:
        """eta of every column."""
        if self.mode == "individual":
            found: Floats = objective.widths()
            return found
        if self.mode == "weights":
            assert selection.column_scores is not None
            return np.nan_to_num(selection.column_scores, nan=0.0)
        weights = np.zeros(self.n_features_in_)
        weights[list(selection.indices)] = objective.width_of(selection.indices)
        return weights

    def _sampling_error(self, objective: Any, selection: Selection) -> tuple[float, float]:
        """The standard error that comes of the sample, and J; of columns by themselves that with the largest error."""
        weights = self._weights(objective, selection)
        if self.mode != "individual":
            return objective.sampling_error(weights)  # type: ignore[no-any-return]
        alone = [np.where(np.arange(len(weights)) == column, weights, 0.0) for column in selection.indices]
        return max(map(objective.sampling_error, alone), default=(0.0, 0.0))

    def allows_missing(self) -> bool:
        return self.mode == "individual"
