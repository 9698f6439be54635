"""Classifiers by name, such as "nb" or "rbf-svm(strategy=ovr)": for selectors, wrappers and comparisons alike."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.metaestimators import available_if

from fewest.arrays import Codes, Floats
from fewest.errors import InvalidParameter, did_you_mean
from fewest.parameters import check_choice, check_flag
from fewest.selectors.estimators.evaluator import ImputingScaler
from fewest.selectors.selector_parameters import parse_call, read_parameters

#: What classifiers are called elsewhere.
OTHER_NAMES = {
    "forest": "rf", "random-forest": "rf", "gradient-boosting": "boosting", "gb": "boosting",
    "logistic-regression": "logistic", "lr": "logistic", "linear-svm": "svm", "naive-bayes": "nb",
    "nearest-neighbours": "knn", "nearest-neighbors": "knn", "decision-tree": "tree", "svm-rbf": "rbf-svm",
    "svm-poly": "poly-svm",
}  # fmt: skip

#: The folds that choose how far a tree is pruned, and its most candidates.
_PRUNING_FOLDS, _MOST_PRUNED = 5, 20

Grid = tuple[Mapping[str, float], ...]
_COSTS: Grid = tuple({"C": 10.0**power} for power in range(-2, 3))
_COSTS_AND_WIDTHS: Grid = tuple(
    {"C": 10.0**cost, "gamma": 10.0**width} for cost in range(-1, 3) for width in (-3, -2, -1)
)


@dataclass(frozen=True)
class NamedEstimator:
    """A classifier of scikit-learn that has a name.

    make : makes it; its parameters are those that may be set, and those of the estimator besides, unless is_closed
    description : what it is, in words
    grid : the parameters that tuning tries
    one_thread : sums of several threads differ in their last bits, and predictions with them
    is_closed : parameters other than those of make are not taken
    """

    make: Callable[..., Any]
    description: str
    grid: Grid = ()
    one_thread: bool = False
    is_closed: bool = False

    def built(self, name: str, settings: Sequence[str] = ()) -> Any:
        """The estimator with parameters such as "C=10"."""
        own = [one for one in inspect.signature(self.make).parameters if one != "rest"]
        others = [] if self.is_closed else _parameters_of(self.make())
        parameters = read_parameters(name, sorted({*own, *others}), settings)
        estimator = self.make(**parameters)
        try:
            _innermost(estimator)._validate_params()
        except ValueError as error:
            raise InvalidParameter(f"{name}({', '.join(settings)}): {str(error).splitlines()[0]}") from None
        return estimator


def _parameters_of(estimator: Any) -> Collection[str]:
    return list(_innermost(estimator).get_params(deep=False))


def _innermost(estimator: Any) -> Any:
    return estimator.estimator if is_around_another(estimator) else estimator


def is_around_another(estimator: Any) -> bool:
    """Whether the parameters of a named classifier are those of its parameter estimator."""
    return type(estimator).__name__ in ("OneVsRestClassifier", "PrunedTree")


def _svm(C: float = 1.0) -> Any:
    from sklearn.svm import LinearSVC

    return LinearSVC(C=C, dual="auto", random_state=0)


def _kernel_svm(strategy: str, parameters: Mapping[str, Any]) -> Any:
    """An SVM of scikit-learn; of several classes one against one, or one against the rest."""
    from sklearn.multiclass import OneVsRestClassifier
    from sklearn.svm import SVC

    check_choice("strategy", strategy, ("ovo", "ovr"))
    svm = SVC(**parameters)
    return svm if strategy == "ovo" else OneVsRestClassifier(svm)


def _linear_svm(strategy: str = "ovo", **rest: Any) -> Any:
    return _kernel_svm(strategy, {"kernel": "linear", **rest})


def _gaussian_svm(strategy: str = "ovo", **rest: Any) -> Any:
    return _kernel_svm(strategy, rest)


def _polynomial_svm(strategy: str = "ovo", **rest: Any) -> Any:
    return _kernel_svm(strategy, {"kernel": "poly", "degree": 2, "coef0": 1.0, **rest})


def _neighbours(n_neighbors: int = 5, **rest: Any) -> Any:
    from sklearn.neighbors import KNeighborsClassifier

    return KNeighborsClassifier(n_neighbors, **rest)


def _naive_bayes(var_smoothing: float = 0.01) -> Any:
    from sklearn.naive_bayes import GaussianNB

    return GaussianNB(var_smoothing=var_smoothing)


def _lda(shrinkage: object = "auto", **rest: Any) -> Any:
    """Linear discriminant analysis; without shrinkage by singular values, which needs no inverse."""
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

    return LinearDiscriminantAnalysis(**{"solver": "svd" if shrinkage is None else "lsqr", **rest}, shrinkage=shrinkage)


def _tree(prune: bool = False, **rest: Any) -> Any:
    from sklearn.tree import DecisionTreeClassifier

    tree = DecisionTreeClassifier(**{"criterion": "entropy", "random_state": 0, **rest})
    return PrunedTree(tree) if check_flag("prune", prune) else tree


def _logistic(**rest: Any) -> Any:
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(**{"max_iter": 1000, **rest})


def _forest(**rest: Any) -> Any:
    from sklearn.ensemble import RandomForestClassifier

    return RandomForestClassifier(**{"n_estimators": 100, "random_state": 0, **rest})


def _boosting(**rest: Any) -> Any:
    from sklearn.ensemble import HistGradientBoostingClassifier

    defaults = {"min_samples_leaf": 5, "early_stopping": False, "random_state": 0}
    return HistGradientBoostingClassifier(**{**defaults, **rest})


NAMED_ESTIMATORS = {
    "svm": NamedEstimator(_svm, "linear SVM", _COSTS, is_closed=True),
    "svm-ovo": NamedEstimator(_linear_svm, "linear SVM, one class against one", _COSTS),
    "rbf-svm": NamedEstimator(_gaussian_svm, "SVM with a Gaussian kernel", _COSTS_AND_WIDTHS),
    "poly-svm": NamedEstimator(_polynomial_svm, "SVM with a kernel of degree 2", _COSTS),
    "knn": NamedEstimator(_neighbours, "nearest neighbours", tuple({"n_neighbors": k} for k in (1, 3, 5, 7, 9))),
    "nb": NamedEstimator(_naive_bayes, "naive Bayes with normal densities", is_closed=True),
    "lda": NamedEstimator(_lda, "linear discriminant analysis"),
    "tree": NamedEstimator(_tree, "decision tree by entropy"),
    "logistic": NamedEstimator(_logistic, "logistic regression", _COSTS),
    "rf": NamedEstimator(_forest, "random forest of 100 trees", tuple({"min_samples_leaf": n} for n in (1, 3, 10))),
    "boosting": NamedEstimator(
        _boosting, "100 boosted trees", tuple({"learning_rate": rate} for rate in (0.03, 0.1, 0.3)), one_thread=True
    ),
}


class PrunedTree(ClassifierMixin, BaseEstimator):
    """A decision tree after minimal cost-complexity pruning (Breiman et al. 1984).

    How far it is pruned is chosen by stratified folds of the training rows: the smallest tree whose error is within one
    standard error of the least.

    Parameters
    ----------
    estimator : DecisionTreeClassifier
        The tree; its ccp_alpha is chosen.
    """

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator

    def fit(self, X: Floats, y: Codes, sample_weight: Floats | None = None) -> PrunedTree:
        """Grow the tree, and prune it."""
        from sklearn.base import clone
        from sklearn.model_selection import StratifiedKFold

        self.classes_, counts = np.unique(y, return_counts=True)
        alpha = 0.0
        n_folds = min(_PRUNING_FOLDS, int(counts.min()))
        if n_folds > 1:
            alphas = clone(self.estimator).cost_complexity_pruning_path(X, y, sample_weight).ccp_alphas
            # Rounding makes some of them negative. Between two of them the tree is the same.
            alphas = np.unique(np.maximum(alphas[:-1], 0.0)) if len(alphas) > 1 else np.zeros(1)
            kept = np.unique(np.linspace(0, len(alphas) - 1, min(len(alphas), _MOST_PRUNED)).round().astype(int))
            between = np.append(np.sqrt(alphas[:-1] * alphas[1:]), alphas[-1])[kept]
            is_wrong = np.zeros((len(y), len(between)), dtype=bool)
            for train, test in StratifiedKFold(n_folds, shuffle=True, random_state=0).split(X, y):
                weights = None if sample_weight is None else sample_weight[train]
                for index, candidate in enumerate(between.tolist()):
                    tree = clone(self.estimator).set_params(ccp_alpha=candidate).fit(X[train], y[train], weights)
                    is_wrong[test, index] = tree.predict(X[test]) != y[test]
            error = np.average(is_wrong, axis=0, weights=sample_weight)
            best = int(error.argmin())
            most = error[best] + np.sqrt(error[best] * (1 - error[best]) / len(y))
            alpha = float(between[np.flatnonzero(error <= most + 1e-12)[-1]])
        self.tree_ = clone(self.estimator).set_params(ccp_alpha=alpha).fit(X, y, sample_weight)
        return self

    def predict(self, X: Floats) -> Codes:
        """The class of each row."""
        return np.asarray(self.tree_.predict(X))

    def predict_proba(self, X: Floats) -> Floats:
        """The share of each class in the leaf of each row."""
        return np.asarray(self.tree_.predict_proba(X))


def _offers(method: str) -> Callable[[StandardizedEstimator], bool]:
    return lambda own: hasattr(own.estimator, method)


class StandardizedEstimator(ClassifierMixin, BaseEstimator):
    """A classifier on standardized columns, missing values filled with their means, as in a comparison.

    Parameters
    ----------
    estimator : classifier
        It sees columns of mean 0 and standard deviation 1.
    """

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator

    def __str__(self) -> str:
        return type(self.estimator).__name__

    def fit(self, X: Floats, y: Codes, sample_weight: Floats | None = None) -> StandardizedEstimator:
        """Standardize the columns, and fit the classifier."""
        from sklearn.base import clone
        from sklearn.utils.validation import has_fit_parameter

        self._scaler = ImputingScaler.fit(np.asarray(X, dtype=np.float64), sample_weight)
        self.classes_ = np.unique(y)
        own = clone(self.estimator)
        is_weighted = sample_weight is not None and has_fit_parameter(own, "sample_weight")
        options = {"sample_weight": sample_weight} if is_weighted else {}
        self.fitted_ = own.fit(self._scaler.transform(X), y, **options)
        return self

    def predict(self, X: Floats) -> Codes:
        """The class of each row."""
        return np.asarray(self.fitted_.predict(self._scaler.transform(X)))

    @available_if(_offers("decision_function"))  # type: ignore[untyped-decorator]
    def decision_function(self, X: Floats) -> Floats:
        """The decision values of the classifier."""
        return np.asarray(self.fitted_.decision_function(self._scaler.transform(X)))

    @available_if(_offers("predict_proba"))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Floats) -> Floats:
        """The probability of each class."""
        return np.asarray(self.fitted_.predict_proba(self._scaler.transform(X)))


def find_named(name: str, also: Collection[str] = ()) -> tuple[str, list[str]]:
    """The name of a classifier as it is known here, and its settings, from a text such as "svm-rbf(C=10)".

    also : other names that are known
    """
    written, settings = parse_call(name, "classifier", "rbf-svm(C=10, strategy=ovr)")
    known = written.lower().replace("_", "-")
    known = OTHER_NAMES.get(known, known)
    names = [*NAMED_ESTIMATORS, *also]
    if known not in names:
        raise InvalidParameter(
            f"There is no classifier {written!r}{did_you_mean(known, [*names, *OTHER_NAMES])}. There are "
            f"{', '.join(names)}."
        )
    return known, settings


def to_estimator(estimator: object) -> Any:
    """The classifier that a name stands for, on standardized columns; what is no name as it is.

    "svm" is the linear SVM that None stands for.
    """
    if not isinstance(estimator, str):
        return estimator
    name, settings = find_named(estimator)
    if name == "svm" and not settings:
        return None
    return StandardizedEstimator(NAMED_ESTIMATORS[name].built(name, settings))
