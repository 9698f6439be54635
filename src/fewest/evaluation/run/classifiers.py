"""The classifiers that judge features, by the names people use."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from fewest._core import nearest_neighbour_classes
from fewest.arrays import Codes, Floats, Mask
from fewest.errors import InvalidParameter, did_you_mean
from fewest.threads import thread_count

if TYPE_CHECKING:
    from fewest.evaluation.design.groups import Groups


#: So many logarithms of densities are held at once.
_MOST_DENSITIES = 1 << 20

_TINY = np.finfo(np.float64).tiny


class Classifier(ABC):
    """Predicts the classes of rows from others; columns come standardised and without gaps."""

    name: str
    #: What it is, in words.
    words: str

    @abstractmethod
    def predict(self, train: Floats, codes: Codes, test: Floats) -> Codes:
        """The classes of the test rows."""

    def predict_nested(self, train: Floats, codes: Codes, test: Floats, ends: Sequence[int]) -> Codes:
        """The same by the first columns alone, up to each of these ends: ends by rows."""
        return np.stack([self.predict(train[:, :end], codes, test[:, :end]) for end in ends])

    def alternatives(self) -> Sequence[Classifier]:
        """The same with other parameters, among which tuning chooses."""
        return ()

    def keeping_whole(self, groups: Groups | None) -> Classifier:
        """The same for rows that are of these groups, where it takes them apart to tune itself."""
        return self

    @property
    def identity(self) -> str:
        """What makes it this classifier and no other, the same in every process."""
        return f"{self.name}: {self.words}"


def first_of(predicted: Codes) -> Codes:
    """The classes by the only set of columns asked for."""
    only: Codes = predicted[0]
    return only


@dataclass(frozen=True)
class Estimator(Classifier):
    """A classifier of scikit-learn's kind."""

    name: str
    words: str
    estimator: Any
    #: What tuning may set, and to what.
    grid: tuple[dict[str, Any], ...] = ()

    def predict(self, train: Floats, codes: Codes, test: Floats) -> Codes:
        from sklearn import config_context
        from sklearn.base import clone
        from sklearn.exceptions import ConvergenceWarning

        model = clone(self.estimator)
        # What is known to be right need not be looked at again, thousands of times.
        with config_context(assume_finite=True, skip_parameter_validation=True), warnings.catch_warnings():
            # A classifier that stopped early still tells good features from bad ones.
            warnings.simplefilter("ignore", ConvergenceWarning)
            warnings.filterwarnings("ignore", "Variables are collinear")
            predicted: Codes = np.asarray(model.fit(train, codes).predict(test), dtype=np.int32)
        return predicted

    @property
    def identity(self) -> str:
        return f"{self.name}: {sorted(self.estimator.get_params().items(), key=str)} {self.grid}"

    def alternatives(self) -> Sequence[Classifier]:
        from sklearn.base import clone

        return [replace(self, estimator=clone(self.estimator).set_params(**told)) for told in self.grid]


@dataclass(frozen=True)
class NearestNeighbours(Classifier):
    """The commonest class among the k nearest rows; of equally common ones the first. Distances add up by column."""

    k: int = 5
    name: str = "knn"

    @property
    def words(self) -> str:  # type: ignore[override]
        return f"{self.k} nearest neighbours"

    def predict(self, train: Floats, codes: Codes, test: Floats) -> Codes:
        return first_of(self.predict_nested(train, codes, test, [train.shape[1]]))

    def predict_nested(self, train: Floats, codes: Codes, test: Floats, ends: Sequence[int]) -> Codes:
        predicted = np.empty((len(ends), len(test)), dtype=np.int32)
        nearest_neighbour_classes(
            np.ascontiguousarray(train.T), codes, np.ascontiguousarray(test), np.asarray(ends, dtype=np.int64),
            min(self.k, len(train)), int(codes.max()) + 1, predicted, thread_count(),
        )  # fmt: skip
        return predicted

    def alternatives(self) -> Sequence[Classifier]:
        return [replace(self, k=k) for k in (1, 3, 5, 7, 9)]


class NaiveBayes(Classifier):
    """A class by its share and the product of what each column says of it: logarithms that add up column by column."""

    def predict(self, train: Floats, codes: Codes, test: Floats) -> Codes:
        return first_of(self.predict_nested(train, codes, test, [train.shape[1]]))

    def predict_nested(self, train: Floats, codes: Codes, test: Floats, ends: Sequence[int]) -> Codes:
        counts = np.bincount(codes)
        present = np.flatnonzero(counts)
        members = [codes == code for code in present]
        score = np.tile(np.log(counts[present] / len(codes)), (len(test), 1))
        predicted = np.empty((len(ends), len(test)), dtype=np.int32)
        at_once = max(1, _MOST_DENSITIES // score.size)
        place = 0
        for first in range(0, ends[-1], at_once):
            some = slice(first, min(first + at_once, ends[-1]))
            logs = self.log_densities(train[:, some].T, members, test[:, some].T)
            for n_columns, log in enumerate(logs, start=first + 1):
                score += log
                while place < len(ends) and ends[place] == n_columns:
                    predicted[place] = present[score.argmax(axis=1)]
                    place += 1
        return predicted

    @abstractmethod
    def log_densities(self, train: Floats, members: Sequence[Mask], test: Floats) -> Iterable[Floats]:
        """Of each column, a line of train and test, the logarithm of the density of each test value in each class: rows
        by classes."""


class GaussianNaiveBayes(NaiveBayes):
    """Every column is normal in every class, with a hundredth of its variance added to that in a class, so that a class
    in which a column hardly varies does not decide alone: scikit-learn's GaussianNB(var_smoothing=0.01)."""

    name = "nb"
    words = "naive Bayes with normal densities"

    def log_densities(self, train: Floats, members: Sequence[Mask], test: Floats) -> Iterable[Floats]:
        # Line by line in memory, so that a column's sums are the same whatever others there are.
        of_classes = [np.ascontiguousarray(train[:, own]) for own in members]
        mean = np.array([own.mean(axis=1) for own in of_classes]).T[:, None]
        added = 0.01 * np.ascontiguousarray(train).var(axis=1) + 1e-9
        variance = (np.array([own.var(axis=1) for own in of_classes]) + added).T[:, None]
        log: Floats = -0.5 * np.log(2 * np.pi * variance) - 0.5 * np.square(test[:, :, None] - mean) / variance
        return log


class DiscreteNaiveBayes(NaiveBayes):
    """Every column has a few states, counted with one more of each (Laplace): those it has, up to ten, or below, within
    and above one standard deviation of its mean."""

    name = "discrete-nb"
    words = "naive Bayes on states, counted with one more of each"

    def log_densities(self, train: Floats, members: Sequence[Mask], test: Floats) -> Iterable[Floats]:
        return (self._of_column(learned, members, asked) for learned, asked in zip(train, test, strict=True))

    def _of_column(self, train: Floats, members: Sequence[Mask], test: Floats) -> Floats:
        known = np.unique(train)
        if len(known) <= 10:
            # A state that was not learned from is one more, seen in no class.
            place = np.minimum(np.searchsorted(known, test), len(known) - 1)
            state = np.where(known[place] == test, place, len(known))
            states, own_state = len(known), np.searchsorted(known, train)
        else:
            edges = np.array([-1.0, 1.0])
            states, own_state, state = 3, np.searchsorted(edges, train), np.searchsorted(edges, test)
        counts = np.array([np.bincount(own_state[own], minlength=states + 1) for own in members])
        shares = (counts + 1.0) / (counts.sum(axis=1, keepdims=True) + states)
        log: Floats = np.log(shares)[:, state].T
        return log


class ParzenNaiveBayes(NaiveBayes):
    """Every column has in every class the density of Gaussians around its rows, 1.06 sd n^(-1/5) wide."""

    name = "parzen-nb"
    words = "naive Bayes with densities of Gaussian kernels"

    def log_densities(self, train: Floats, members: Sequence[Mask], test: Floats) -> Iterable[Floats]:
        return (self._of_column(learned, members, asked) for learned, asked in zip(train, test, strict=True))

    def _of_column(self, train: Floats, members: Sequence[Mask], test: Floats) -> Floats:
        log = np.empty((len(test), len(members)))
        for place, own in enumerate(members):
            values = train[own]
            spread = values.std()
            # A class whose values are one point is given the width of the column.
            width = 1.06 * (spread if spread > 1e-9 else 1.0) * len(values) ** -0.2
            apart = -0.5 * np.square((test[:, None] - values) / width)
            highest = apart.max(axis=1)
            total = np.exp(apart - highest[:, None]).mean(axis=1)
            log[:, place] = highest + np.log(total) - np.log(width * np.sqrt(2 * np.pi))
        return np.maximum(log, np.log(_TINY))


def _named() -> dict[str, Classifier]:
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    from sklearn.svm import SVC, LinearSVC
    from sklearn.tree import DecisionTreeClassifier

    costs = tuple({"C": 10.0**power} for power in range(-2, 3))
    costs_and_widths = tuple(
        {"C": 10.0**power, "gamma": 10.0**width} for power in range(-1, 3) for width in (-3.0, -2.0, -1.0)
    )
    linear = LinearSVC(dual="auto", random_state=0)
    return {
        classifier.name: classifier
        for classifier in (
            Estimator("svm", "linear SVM", linear, costs),
            Estimator("svm-ovo", "linear SVM, one class against one", SVC(kernel="linear"), costs),
            Estimator("rbf-svm", "SVM with a Gaussian kernel", SVC(), costs_and_widths),
            Estimator("poly-svm", "SVM with a kernel of degree 2", SVC(kernel="poly", degree=2, coef0=1.0), costs),
            NearestNeighbours(),
            GaussianNaiveBayes(),
            DiscreteNaiveBayes(),
            ParzenNaiveBayes(),
            Estimator("lda", "linear discriminant analysis", LinearDiscriminantAnalysis("lsqr", shrinkage="auto")),
            Estimator("tree", "decision tree by entropy", DecisionTreeClassifier(criterion="entropy", random_state=0)),
        )
    }


def to_classifiers(given: Any) -> tuple[Classifier, ...]:
    """One or more of them, each once."""
    is_one = isinstance(given, str | Classifier) or hasattr(given, "fit") or not isinstance(given, Iterable)
    found = tuple(to_classifier(one) for one in ([given] if is_one else given))
    if len({one.name for one in found}) < len(found) or not found:
        raise InvalidParameter("classifiers must be one or more, each named once.")
    return found


def to_classifier(given: Any) -> Classifier:
    """A classifier by its name, one of scikit-learn's kind, or one of these as it is."""
    if isinstance(given, Classifier):
        return given
    if isinstance(given, str):
        named = _named()
        if given not in named:
            raise InvalidParameter(
                f"There is no classifier {given!r}{did_you_mean(given, named)}. There are {', '.join(named)}."
            )
        return named[given]
    if isinstance(given, type) or not (hasattr(given, "fit") and hasattr(given, "predict")):
        raise InvalidParameter(f"A classifier is a name such as 'svm' or an estimator, got {given!r} instead.")
    kind = type(given).__name__
    return Estimator(kind, kind, given)


@dataclass(frozen=True)
class Tuned(Classifier):
    """A classifier whose parameters are those that err least in cross-validation on the rows learned from."""

    of: Classifier
    n_folds: int = 5
    seed: int = 0
    groups: Groups | None = None

    def keeping_whole(self, groups: Groups | None) -> Classifier:
        return replace(self, groups=groups)

    @property
    def name(self) -> str:  # type: ignore[override]
        return self.of.name

    @property
    def words(self) -> str:  # type: ignore[override]
        return f"{self.of.words}, tuned by {self.n_folds}-fold cross-validation"

    @property
    def identity(self) -> str:
        return f"{self.of.identity}, tuned {self.n_folds} {self.seed}"

    def predict(self, train: Floats, codes: Codes, test: Floats) -> Codes:
        return first_of(self.predict_nested(train, codes, test, [train.shape[1]]))

    def predict_nested(self, train: Floats, codes: Codes, test: Floats, ends: Sequence[int]) -> Codes:
        from fewest.evaluation.design.splits import dealt_out

        tried = self.of.alternatives()
        if not tried:
            return self.of.predict_nested(train, codes, test, ends)
        folds = dealt_out(codes, self.n_folds, np.random.default_rng(self.seed), self.groups)
        wrong = np.zeros((len(tried), len(ends)))
        for fold in range(self.n_folds):
            own = folds == fold
            if not own.any() or len(np.unique(codes[~own])) < 2:
                continue
            for place, one in enumerate(tried):
                predicted = one.predict_nested(train[~own], codes[~own], train[own], ends)
                wrong[place] += (predicted != codes[own]).sum(axis=1)
        best = wrong.argmin(axis=0)
        predicted = np.empty((len(ends), len(test)), dtype=np.int32)
        for place in np.unique(best):
            own_ends = np.flatnonzero(best == place)
            told = [ends[end] for end in own_ends.tolist()]
            predicted[own_ends] = tried[place].predict_nested(train, codes, test, told)
        return predicted
