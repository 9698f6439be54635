"""The parameters that every selector has besides the constraints on columns."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass

from fewest.selectors.estimators.evaluator import Classifier
from fewest.selectors.selector_parameters import Size


@dataclass(eq=False, repr=False)
class SharedParameters:
    """How many features to select and how that is chosen, the scale of columns, and what is drawn.

    Parameters
    ----------
    n_features : int, float, "auto", "fdr" or None, default=None
        The number of features to select, or their share of the columns. "auto" chooses it by cross-validation; "fdr"
        takes the columns that pass a test at `level`; None selects 10, or all where there are fewer.
    scale : {"auto", "std", "range", "symmetric"} or None, default="auto"
        How columns are scaled: to unit standard deviation, to [0, 1], to [-1, 1], or not; "auto" suits the method.
    estimator : classifier, str or None, default=None
        The classifier whose cross-validated error decides under n_features="auto", or its name, such as "nb" or
        "rbf-svm(C=10)", on standardized columns; None is an SVM, or nearest neighbours where these are better by more
        than one standard error.
    cv : int, splitter or iterable of (train, test) indices, default=5
        The folds of the cross-validation, which selects anew in each; every row must be tested once. A number of folds
        is drawn by the contents of the rows: neither their order nor the names of classes and columns matter.
    max_features : int, default=50
        The largest size tried under n_features="auto".
    random_state : int, default=0
        The seed of the folds, and of whatever else is drawn.
    rule : {"1se", "min", "stable"}, default="1se"
        Which size is taken under n_features="auto": the smallest within one standard error of the least error, the one
        with the least error, or the one with the least error in the range of sizes where errors are small and steady.
    scoring : str, scorer or None, default=None
        What is measured under n_features="auto": "error", "balanced-error", "macro-f1", "roc-auc", "log-loss", or a
        scorer of scikit-learn. None is the error; with a class below a fifth of the rows, the balanced error.
    verbose : bool, default=False
        Whether to show progress while rows are read.
    """

    _: KW_ONLY
    n_features: Size = None
    scale: str | None = "auto"
    estimator: Classifier | str | None = None
    cv: object = 5
    max_features: int = 50
    random_state: int = 0
    rule: str = "1se"
    scoring: object = None
    verbose: bool = False
