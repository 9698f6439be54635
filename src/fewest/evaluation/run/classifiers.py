"""The classifiers that evaluate features, by name."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

import numpy as np

from fewest._core import nearest_neighbour_classes
from fewest.arrays import Codes, Floats, Mask
from fewest.errors import InvalidParameter, did_you_mean
from fewest.threads import thread_count

if TYPE_CHECKING:
    from fewest.evaluation.design.groups import Groups
    from fewest.selectors.evaluator import Classifier as Estimator


#: The number of log densities held at once.
_MAX_DENSITIES = 1 << 20

_TINY = np.finfo(np.float64).tiny

#: What classifiers are called elsewhere.
_OTHER_NAMES = {
    "forest": "rf", "random-forest": "rf", "gradient-boosting": "boosting", "gb": "boosting",
    "logistic-regression": "logistic", "lr": "logistic", "linear-svm": "svm", "naive-bayes": "nb",
    "nearest-neighbours": "knn", "nearest-neighbors": "knn", "decision-tree": "tree",
}  # fmt: skip


class Classifier:
    """Predicts the classes of test rows; columns come scaled and without missing values.

    A subclass overrides predict, or predict_nested where it can evaluate all sizes at once.
    """

    name: str
    description: str

    def predict(self, train: Floats, codes: Codes, test: Floats) -> Codes:
        """The classes of the test rows."""
        only: Codes = self.predict_nested(train, codes, test, [train.shape[1]])[0]
        return only

    def predict_nested(self, train: Floats, codes: Codes, test: Floats, ends: Sequence[int]) -> Codes:
        """The classes of the test rows by the first columns alone, up to each of these ends: ends by rows."""
        return np.stack([self.predict(train[:, :end], codes, test[:, :end]) for end in ends])

    def tuning_candidates(self) -> Sequence[Classifier]:
        """The same classifier with other parameters, among which tuning chooses."""
        return ()

    def with_groups(self, groups: Groups | None) -> Classifier:
        """The same classifier for training rows of these groups, which its own folds keep together."""
        return self

    @property
    def identity(self) -> str:
        """A text that differs between classifiers and is the same in every process."""
        return f"{self.name}: {self.description}"


@dataclass(frozen=True)
class EstimatorClassifier(Classifier):
    """A classifier of scikit-learn's kind.

    grid : the parameters that tuning tries
    one_thread : sums of several threads differ in their last bits, and predictions with them
    """

    name: str
    description: str
    estimator: Estimator
    grid: tuple[Mapping[str, float], ...] = ()
    one_thread: bool = False

    def predict(self, train: Floats, codes: Codes, test: Floats) -> Codes:
        from sklearn import config_context
        from sklearn.base import clone
        from sklearn.exceptions import ConvergenceWarning
        from threadpoolctl import threadpool_limits

        model = clone(self.estimator)
        limits = threadpool_limits(1) if self.one_thread else nullcontext()
        # Thousands of fits: values and parameters are known to be valid.
        with limits, config_context(assume_finite=True, skip_parameter_validation=True), warnings.catch_warnings():
            # A classifier that stopped early still tells good features from bad ones.
            warnings.simplefilter("ignore", ConvergenceWarning)
            warnings.filterwarnings("ignore", "Variables are collinear")
            predicted: Codes = np.asarray(model.fit(train, codes).predict(test), dtype=np.int32)
        return predicted

    @property
    def identity(self) -> str:
        parameters: Mapping[str, object] = getattr(self.estimator, "get_params", dict)()
        return f"{self.name}: {sorted(parameters.items(), key=str)} {self.grid}"

    def tuning_candidates(self) -> Sequence[Classifier]:
        from sklearn.base import clone

        return [replace(self, estimator=clone(self.estimator).set_params(**parameters)) for parameters in self.grid]


@dataclass(frozen=True)
class NearestNeighbours(Classifier):
    """The most frequent class among the k nearest rows, the first of equally frequent ones.

    Distances are summed column by column, which gives all nested subsets in one pass.
    """

    k: int = 5
    name: str = "knn"

    @property
    def description(self) -> str:  # type: ignore[override]
        return f"{self.k} nearest neighbours"

    def predict_nested(self, train: Floats, codes: Codes, test: Floats, ends: Sequence[int]) -> Codes:
        predicted = np.empty((len(ends), len(test)), dtype=np.int32)
        nearest_neighbour_classes(
            np.ascontiguousarray(train.T), codes, np.ascontiguousarray(test), np.asarray(ends, dtype=np.int64),
            min(self.k, len(train)), int(codes.max()) + 1, predicted, thread_count(),
        )  # fmt: skip
        return predicted

    def tuning_candidates(self) -> Sequence[Classifier]:
        return [replace(self, k=k) for k in (1, 3, 5, 7, 9)]


class NaiveBayes(Classifier):
    """The class with the largest product of its frequency and the densities of each column in it.

    Log densities are summed column by column, which gives all nested subsets in one pass.
    """

    def predict_nested(self, train: Floats, codes: Codes, test: Floats, ends: Sequence[int]) -> Codes:
        counts = np.bincount(codes)
        present = np.flatnonzero(counts)
        members = [codes == code for code in present]
        score = np.tile(np.log(counts[present] / len(codes)), (len(test), 1))
        predicted = np.empty((len(ends), len(test)), dtype=np.int32)
        step = max(1, _MAX_DENSITIES // score.size)
        n_done = 0
        for first in range(0, ends[-1], step):
            chunk = slice(first, min(first + step, ends[-1]))
            logs = self.log_densities(train[:, chunk].T, members, test[:, chunk].T)
            for n_columns, log in enumerate(logs, start=first + 1):
                score += log
                while n_done < len(ends) and ends[n_done] == n_columns:
                    predicted[n_done] = present[score.argmax(axis=1)]
                    n_done += 1
        return predicted

    def log_densities(self, train: Floats, members: Sequence[Mask], test: Floats) -> Iterable[Floats]:
        """The log_density of each column, a row of train and test."""
        return (self.log_density(*columns) for columns in zip(train, [members] * len(train), test, strict=True))

    def log_density(self, train: Floats, members: Sequence[Mask], test: Floats) -> Floats:
        """The log density of each test value of one column in each class: values by classes. members holds the
        training rows of each class."""
        raise NotImplementedError


class GaussianNaiveBayes(NaiveBayes):
    """Normal densities; a hundredth of each column's variance is added to that in a class, so that a class in which a
    column hardly varies does not decide alone: scikit-learn's GaussianNB(var_smoothing=0.01)."""

    name = "nb"
    description = "naive Bayes with normal densities"

    def log_densities(self, train: Floats, members: Sequence[Mask], test: Floats) -> Iterable[Floats]:
        # Contiguous rows, so that the sums of a column do not depend on the columns beside it.
        of_classes = [np.ascontiguousarray(train[:, own]) for own in members]
        mean = np.array([own.mean(axis=1) for own in of_classes]).T[:, None]
        added = 0.01 * np.ascontiguousarray(train).var(axis=1) + 1e-9
        variance = (np.array([own.var(axis=1) for own in of_classes]) + added).T[:, None]
        log: Floats = -0.5 * np.log(2 * np.pi * variance) - 0.5 * np.square(test[:, :, None] - mean) / variance
        return log


class DiscreteNaiveBayes(NaiveBayes):
    """Categories, counted with one more of each (Laplace): the values of a column, up to ten, or below, within and
    above one standard deviation of its mean."""

    name = "discrete-nb"
    description = "naive Bayes on categories, counted with one more of each"

    def log_density(self, train: Floats, members: Sequence[Mask], test: Floats) -> Floats:
        values = np.unique(train)
        if len(values) <= 10:
            # A value without a training row is one more category, in no class.
            nearest = np.minimum(np.searchsorted(values, test), len(values) - 1)
            test_bins = np.where(values[nearest] == test, nearest, len(values))
            n_bins, train_bins = len(values), np.searchsorted(values, train)
        else:
            edges = np.array([-1.0, 1.0])
            n_bins, train_bins, test_bins = 3, np.searchsorted(edges, train), np.searchsorted(edges, test)
        counts = np.array([np.bincount(train_bins[own], minlength=n_bins + 1) for own in members])
        shares = (counts + 1.0) / (counts.sum(axis=1, keepdims=True) + n_bins)
        log: Floats = np.log(shares)[:, test_bins].T
        return log


class ParzenNaiveBayes(NaiveBayes):
    """Parzen densities: Gaussians around the rows of each class, 1.06 sd n^(-1/5) wide."""

    name = "parzen-nb"
    description = "naive Bayes with densities of Gaussian kernels"

    def log_density(self, train: Floats, members: Sequence[Mask], test: Floats) -> Floats:
        log = np.empty((len(test), len(members)))
        for code, own in enumerate(members):
            values = train[own]
            spread = values.std()
            # A class with a single value has the width of the scaled column.
            width = 1.06 * (spread if spread > 1e-9 else 1.0) * len(values) ** -0.2
            exponent = -0.5 * np.square((test[:, None] - values) / width)
            highest = exponent.max(axis=1)
            total = np.exp(exponent - highest[:, None]).mean(axis=1)
            log[:, code] = highest + np.log(total) - np.log(width * np.sqrt(2 * np.pi))
        return np.maximum(log, np.log(_TINY))


def _classifiers_by_name() -> dict[str, Classifier]:
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.svm import SVC, LinearSVC
    from sklearn.tree import DecisionTreeClassifier

    costs = tuple({"C": 10.0**power} for power in range(-2, 3))
    costs_and_widths = tuple({"C": 10.0**cost, "gamma": 10.0**width} for cost in range(-1, 3) for width in (-3, -2, -1))
    linear = LinearSVC(dual="auto", random_state=0)
    quadratic = SVC(kernel="poly", degree=2, coef0=1.0)
    tree = DecisionTreeClassifier(criterion="entropy", random_state=0)
    lda = LinearDiscriminantAnalysis("lsqr", shrinkage="auto")
    forest = RandomForestClassifier(100, random_state=0)
    boosting = HistGradientBoostingClassifier(min_samples_leaf=5, early_stopping=False, random_state=0)
    rates = tuple({"learning_rate": rate} for rate in (0.03, 0.1, 0.3))
    leaves = tuple({"min_samples_leaf": n} for n in (1, 3, 10))
    known = (
        EstimatorClassifier("svm", "linear SVM", linear, costs),
        EstimatorClassifier("svm-ovo", "linear SVM, one class against one", SVC(kernel="linear"), costs),
        EstimatorClassifier("rbf-svm", "SVM with a Gaussian kernel", SVC(), costs_and_widths),
        EstimatorClassifier("poly-svm", "SVM with a kernel of degree 2", quadratic, costs),
        *(NearestNeighbours(), GaussianNaiveBayes(), DiscreteNaiveBayes(), ParzenNaiveBayes()),
        EstimatorClassifier("lda", "linear discriminant analysis", lda),
        EstimatorClassifier("tree", "decision tree by entropy", tree),
        EstimatorClassifier("logistic", "logistic regression", LogisticRegression(max_iter=1000), costs),
        EstimatorClassifier("rf", "random forest of 100 trees", forest, leaves),
        EstimatorClassifier("boosting", "100 boosted trees", boosting, rates, one_thread=True),
    )
    return {classifier.name: classifier for classifier in known}


def to_classifiers(classifiers: object) -> tuple[Classifier, ...]:
    """The classifiers named or passed, one or several, each once."""
    if isinstance(classifiers, str) or hasattr(classifiers, "predict") or not isinstance(classifiers, Iterable):
        classifiers = [classifiers]
    found = tuple(to_classifier(one) for one in classifiers)
    if len({one.name for one in found}) < len(found) or not found:
        raise InvalidParameter("classifiers must be one or more, each named once.")
    return found


def to_classifier(classifier: object) -> Classifier:
    """The classifier of this name, or one around an estimator of scikit-learn's kind."""
    if isinstance(classifier, Classifier):
        return classifier
    if isinstance(classifier, str):
        known = _classifiers_by_name()
        name = classifier.lower().replace("_", "-")
        name = _OTHER_NAMES.get(name, name)
        if name not in known:
            raise InvalidParameter(
                f"There is no classifier {classifier!r}{did_you_mean(name, [*known, *_OTHER_NAMES])}. There are "
                f"{', '.join(known)}."
            )
        return known[name]
    if isinstance(classifier, type) or not (hasattr(classifier, "fit") and hasattr(classifier, "predict")):
        raise InvalidParameter(f"A classifier is a name such as 'svm' or an estimator, got {classifier!r} instead.")
    kind = type(classifier).__name__
    return EstimatorClassifier(kind, kind, cast("Estimator", classifier))


@dataclass(frozen=True)
class TunedClassifier(Classifier):
    """A classifier with the parameters that have the least cross-validated error on the training rows."""

    classifier: Classifier
    n_folds: int = 5
    seed: int = 0
    groups: Groups | None = None

    def with_groups(self, groups: Groups | None) -> Classifier:
        return replace(self, groups=groups)

    @property
    def name(self) -> str:  # type: ignore[override]
        return self.classifier.name

    @property
    def description(self) -> str:  # type: ignore[override]
        return f"{self.classifier.description}, tuned by {self.n_folds}-fold cross-validation"

    @property
    def identity(self) -> str:
        return f"{self.classifier.identity}, tuned {self.n_folds} {self.seed}"

    def predict_nested(self, train: Floats, codes: Codes, test: Floats, ends: Sequence[int]) -> Codes:
        from fewest.evaluation.design.resampling import assign_folds

        candidates = self.classifier.tuning_candidates()
        if not candidates:
            return self.classifier.predict_nested(train, codes, test, ends)
        folds = assign_folds(codes, self.n_folds, np.random.default_rng(self.seed), self.groups)
        n_wrong = np.zeros((len(candidates), len(ends)))
        for fold in range(self.n_folds):
            own = folds == fold
            if not own.any() or len(np.unique(codes[~own])) < 2:
                continue
            for number, candidate in enumerate(candidates):
                predicted = candidate.predict_nested(train[~own], codes[~own], train[own], ends)
                n_wrong[number] += (predicted != codes[own]).sum(axis=1)
        best = n_wrong.argmin(axis=0)
        predicted = np.empty((len(ends), len(test)), dtype=np.int32)
        for number in np.unique(best):
            own_sizes = np.flatnonzero(best == number)
            own_ends = [ends[size] for size in own_sizes.tolist()]
            predicted[own_sizes] = candidates[number].predict_nested(train, codes, test, own_ends)
        return predicted
