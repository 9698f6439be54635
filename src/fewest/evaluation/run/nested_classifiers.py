"""Classifiers that evaluate all nested subsets of columns in one pass: nearest neighbours and naive Bayes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from fewest._core import nearest_neighbour_classes
from fewest.arrays import Codes, Floats, Indices, Mask
from fewest.evaluation.run.classifier import LOWEST_SCORE, Classifier, Predictions, softmax
from fewest.metrics import Response
from fewest.parameters import check_choice, check_count, check_not_negative
from fewest.threads import thread_count

#: The number of log densities, or of distances, held at once.
_MAX_DENSITIES = 1 << 20

_TINY = np.finfo(np.float64).tiny

#: The most values of a column that are its categories as they are.
_MAX_CATEGORIES = 10


@dataclass(frozen=True)
class NearestNeighbours(Classifier):
    """The most frequent class among the k nearest rows, the first of equally frequent ones.

    Distances are summed column by column, which gives all nested subsets in one pass.
    """

    n_neighbors: int = 5
    name: str = "knn"

    def __post_init__(self) -> None:
        check_count("n_neighbors", self.n_neighbors, 1)

    @property
    def description(self) -> str:  # type: ignore[override]
        return f"{self.n_neighbors} nearest neighbours"

    def predict_nested(self, train: Floats, codes: Codes, test: Floats, ends: Sequence[int]) -> Codes:
        predicted = np.empty((len(ends), len(test)), dtype=np.int32)
        nearest_neighbour_classes(
            np.ascontiguousarray(train.T), codes, np.ascontiguousarray(test), np.asarray(ends, dtype=np.int64),
            min(self.n_neighbors, len(train)), int(codes.max()) + 1, predicted, thread_count(),
        )  # fmt: skip
        return predicted

    def scores_nested(
        self, train: Floats, codes: Codes, test: Floats, ends: Sequence[int], response: Response, n_classes: int
    ) -> Predictions:
        """The share of each class among the neighbours, counted with one more row of each (Laplace)."""
        k = min(self.n_neighbors, len(train))
        shares = np.empty((len(ends), len(test), n_classes))
        step = max(1, _MAX_DENSITIES // len(train))
        for first in range(0, len(test), step):
            rows = slice(first, first + step)
            distances = np.zeros((len(test[rows]), len(train)))
            start = 0
            for index, end in enumerate(ends):
                for column in range(start, end):
                    distances += np.square(test[rows, column, None] - train[:, column])
                start = end
                nearest = np.argsort(distances, axis=1, kind="stable")[:, :k]
                votes = (codes[nearest][:, :, None] == np.arange(n_classes)).sum(axis=1)
                shares[index, rows] = (votes + 1.0) / (k + n_classes)
        return Predictions(self.predict_nested(train, codes, test, ends), shares)

    def tuning_candidates(self) -> Sequence[Classifier]:
        return [replace(self, n_neighbors=k) for k in (1, 3, 5, 7, 9)]


class NaiveBayes(Classifier):
    """The class with the largest product of its frequency and the densities of each column in it.

    Log densities are summed column by column, which gives all nested subsets in one pass.
    """

    def predict_nested(self, train: Floats, codes: Codes, test: Floats, ends: Sequence[int]) -> Codes:
        present = np.unique(codes).astype(np.int32)
        joint = self._log_joint(train, codes, test, ends)
        return np.stack([present[score.argmax(axis=1)] for score in joint])

    def scores_nested(
        self, train: Floats, codes: Codes, test: Floats, ends: Sequence[int], response: Response, n_classes: int
    ) -> Predictions:
        """The logarithms of priors times densities, or the posterior probabilities."""
        present = np.unique(codes).astype(np.int32)
        joint = np.stack([score.copy() for score in self._log_joint(train, codes, test, ends)])
        # A class without training rows comes last.
        scores = np.full((len(ends), len(test), n_classes), 0.0 if response == "probabilities" else LOWEST_SCORE)
        scores[:, :, present] = softmax(joint) if response == "probabilities" else joint
        return Predictions(present[joint.argmax(axis=2)], scores)

    def _log_joint(self, train: Floats, codes: Codes, test: Floats, ends: Sequence[int]) -> Iterator[Floats]:
        """At each end, the log of prior times densities: rows by classes present; the array is reused."""
        counts = np.bincount(codes)
        present = np.flatnonzero(counts)
        members = [codes == code for code in present]
        score = np.tile(np.log(counts[present] / len(codes)), (len(test), 1))
        step = max(1, _MAX_DENSITIES // score.size)
        n_done = 0
        for first in range(0, ends[-1], step):
            chunk = slice(first, min(first + step, ends[-1]))
            logs = self.log_densities(train[:, chunk].T, members, test[:, chunk].T)
            for n_columns, log in enumerate(logs, start=first + 1):
                score += log
                while n_done < len(ends) and ends[n_done] == n_columns:
                    yield score
                    n_done += 1

    def log_densities(self, train: Floats, members: Sequence[Mask], test: Floats) -> Iterable[Floats]:
        """The log_density of each column, a row of train and test."""
        return (self.log_density(*columns) for columns in zip(train, [members] * len(train), test, strict=True))

    def log_density(self, train: Floats, members: Sequence[Mask], test: Floats) -> Floats:
        """The log density of each test value of one column in each class: values by classes. members holds the
        training rows of each class."""
        raise NotImplementedError


@dataclass(frozen=True)
class GaussianNaiveBayes(NaiveBayes):
    """Normal densities; a hundredth of each column's variance is added to that in a class, so that a class in which a
    column hardly varies does not decide alone: scikit-learn's GaussianNB(var_smoothing=0.01)."""

    var_smoothing: float = 0.01
    name: str = "nb"

    def __post_init__(self) -> None:
        check_not_negative("var_smoothing", self.var_smoothing)

    @property
    def description(self) -> str:  # type: ignore[override]
        added = "" if self.var_smoothing == 0.01 else f" and {self.var_smoothing:g} of the variance added"
        return f"naive Bayes with normal densities{added}"

    def log_densities(self, train: Floats, members: Sequence[Mask], test: Floats) -> Iterable[Floats]:
        # Contiguous rows, so that the sums of a column do not depend on the columns beside it.
        of_classes = [np.ascontiguousarray(train[:, own]) for own in members]
        mean = np.array([own.mean(axis=1) for own in of_classes]).T[:, None]
        added = self.var_smoothing * np.ascontiguousarray(train).var(axis=1) + 1e-9
        variance = (np.array([own.var(axis=1) for own in of_classes]) + added).T[:, None]
        log: Floats = -0.5 * np.log(2 * np.pi * variance) - 0.5 * np.square(test[:, :, None] - mean) / variance
        return log


@dataclass(frozen=True)
class DiscreteNaiveBayes(NaiveBayes):
    """Categories, counted with one more of each (Laplace); thresholds come from the training rows.

    discretize : "auto" takes the values of a column of up to ten, and cuts others as "sigma" does; "sigma": below,
        within or above mean - factor * sd to mean + factor * sd; "mean": above the mean or not; "width", "frequency":
        n_bins of equal width, or of about equal numbers of rows; None: the values as they are
    """

    discretize: str | None = "auto"
    n_bins: int = 5
    factor: float = 1.0
    name: str = "discrete-nb"

    def __post_init__(self) -> None:
        check_choice("discretize", self.discretize, ("auto", None, "mean", "sigma", "width", "frequency"))
        check_count("n_bins", self.n_bins, 2, at_most=1000)
        check_not_negative("factor", self.factor)

    @property
    def description(self) -> str:  # type: ignore[override]
        what = "naive Bayes on categories, counted with one more of each"
        return what if self.name == "discrete-nb" else f"{what} {self.name.removeprefix('discrete-nb')}"

    def log_density(self, train: Floats, members: Sequence[Mask], test: Floats) -> Floats:
        values = np.unique(train)
        if self.discretize is None or (self.discretize == "auto" and len(values) <= _MAX_CATEGORIES):
            # A value without a training row is one more category, in no class.
            nearest = np.minimum(np.searchsorted(values, test), len(values) - 1)
            test_bins = np.where(values[nearest] == test, nearest, len(values))
            n_bins, train_bins = len(values), np.searchsorted(values, train)
        else:
            edges = self._edges(train)
            n_bins, train_bins, test_bins = len(edges) + 1, _bins(edges, train), _bins(edges, test)
        counts = np.array([np.bincount(train_bins[own], minlength=n_bins + 1) for own in members])
        shares = (counts + 1.0) / (counts.sum(axis=1, keepdims=True) + n_bins)
        log: Floats = np.log(shares)[:, test_bins].T
        return log

    def _edges(self, train: Floats) -> Floats:
        """The thresholds between the bins of a column, ascending."""
        if self.discretize == "width":
            return np.linspace(train.min(), train.max(), self.n_bins + 1)[1:-1]
        if self.discretize == "frequency":
            return np.unique(np.quantile(train, np.arange(1, self.n_bins) / self.n_bins))
        mean = train.mean()
        reach = self.factor * train.std()
        return np.array([mean]) if self.discretize == "mean" else np.array([mean - reach, mean + reach])


def _bins(edges: Floats, values: Floats) -> Indices:
    """The bin of each value; one at a threshold is in the bin below it."""
    return np.searchsorted(edges, values)


@dataclass(frozen=True)
class ParzenNaiveBayes(NaiveBayes):
    """Parzen densities: Gaussians around the rows of each class, 1.06 sd n^(-1/5) wide."""

    name: str = "parzen-nb"
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
