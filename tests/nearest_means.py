"""A classifier that is fitted in no time, for tests that fit thousands."""

from __future__ import annotations

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin


class NearestMeans(ClassifierMixin, BaseEstimator):
    """Says the class whose mean, in units of each column's spread, lies nearest; equally near ones, the first."""

    def fit(self, X, y, sample_weight=None):
        weights = np.ones(len(y)) if sample_weight is None else sample_weight
        self.spread_ = np.where((spread := X.std(axis=0)) > 0, spread, 1.0)
        self.classes_ = np.unique(y)
        self.means_ = np.array([np.average(X[y == c], axis=0, weights=weights[y == c]) for c in self.classes_])
        return self

    def predict(self, X):
        distances = [np.square((X - mean) / self.spread_).sum(axis=1) for mean in self.means_]
        return self.classes_[np.argmin(distances, axis=0)]
