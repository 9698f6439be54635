"""Features on which a kernel is most like the one that knows the classes."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from fewest.arrays import Floats
from fewest.methods.kernels.target_alignment import TargetAlignment
from fewest.parameters import check_choice
from fewest.protocols import AnySearch, Sentence
from fewest.searches.greedy_forward import GreedyForward
from fewest.searches.individual_ranking import IndividualRanking
from fewest.selection import Selection
from fewest.selectors.selector import Selector

MODES = ("forward", "individual")


@dataclass(eq=False, repr=False)
class KernelAlignment(Selector):
    """Features on which a Gaussian kernel is most like the one that knows the classes (Cristianini et al.).

    The alignment <K, T> / |K| |T| of the kernel's matrix with T = yy', or for more than two classes with the centred
    matrix that is 1 where two rows are of one class, at the width that makes the most of the features at hand.

    Parameters
    ----------
    mode : "forward" or "individual", default="forward"
        One column after the other, each the best beside those taken; or each column by itself, which takes gaps.
    n_features : int, float, "auto" or None, default=None
        How many: a count, a share of the columns, chosen by cross-validation, or the 10 best.
    scale : "auto", None, "std", "range" or "symmetric", default="auto"
        "auto" is "symmetric": every column from -1 to 1.
    estimator, cv, max_features, random_state, rule
        What n_features="auto" uses: the classifier (None: an SVM with a Gaussian kernel), the folds, the largest size
        tried, the seed of the folds, and "1se", "min" or "stable".
    verbose : bool, default=False
        Show progress.

    Attributes
    ----------
    weights_ : ndarray of shape (n_features_in_,)
        eta = 1 / 2 width^2 for the scaled columns: the same for all that were taken, or each column's own.
    scores_ : ndarray of shape (n_features_in_,)
        Mode "forward": what the alignment gained by a column that was taken, NaN for the others. "individual": the
        alignment with the column alone.
    ranking_, support_, n_features_, n_features_in_, feature_names_in_, selection_
        As in every selector; an alignment is at most 1.

    Notes
    -----
    Where two classes are of unequal size, a kernel that tells nothing is aligned with yy' by ((n_1 - n_2) / n)^2.

    Examples
    --------
    >>> from fewest import KernelAlignment
    >>> from sklearn.datasets import load_iris
    >>> data = load_iris(as_frame=True)
    >>> KernelAlignment(n_features=1).fit(data.data, data.target).get_feature_names_out().tolist()
    ['petal width (cm)']
    """

    name: ClassVar[str] = "kernel-alignment"
    summary: ClassVar[str] = "a kernel that is most like the one that knows the classes"
    takes: ClassVar[str] = "numbers (gaps: mode 'individual')"
    proves: ClassVar[str] = "a bound"
    cost: ClassVar[str] = "one read, the rows; a step: all pairs of rows for every column"

    mode: str = "forward"

    def sentence(self) -> Sentence:
        check_choice("mode", self.mode, MODES)
        search: AnySearch = GreedyForward(lazy=False) if self.mode == "forward" else IndividualRanking()
        return TargetAlignment(self.scale_or("symmetric")), search

    def evaluation_degree(self) -> float:
        return math.inf

    def finalize(self, selection: Selection, objective: Any) -> Selection:
        if self.mode == "individual":
            return selection
        value = float(objective.score_subset(selection.indices))
        return replace(selection, value=value, bound=1.0, is_optimal=False)

    def store_fitted(self, objective: Any, selection: Selection) -> None:
        self.weights_: Floats = np.zeros(self.n_features_in_)
        if self.mode == "individual":
            self.weights_ = objective.widths()
        else:
            self.weights_[list(selection.indices)] = objective.width_of(selection.indices)

    def allows_missing(self) -> bool:
        return self.mode == "individual"
