"""Real data sets that come with scikit-learn, read from its own files."""

from __future__ import annotations

from importlib import import_module

import numpy as np

from fewest.datasets.dataset import Dataset

#: Our name, and scikit-learn's function.
LOADERS = {
    "iris": "load_iris",
    "wine": "load_wine",
    "breast-cancer": "load_breast_cancer",
    "digits": "load_digits",
}


def load_bundled(name: str) -> Dataset:
    """One of LOADERS, with scikit-learn's names; the label of a row is the name of its class (of a digit, itself)."""
    # Imported here: most who import fewest load no data set, and this import is slow.
    bunch = getattr(import_module("sklearn.datasets"), LOADERS[name])()
    return Dataset(
        X=np.ascontiguousarray(bunch.data, dtype=np.float64),
        y=np.asarray(bunch.target_names)[bunch.target],
        feature_names=[str(feature) for feature in bunch.feature_names],
        target_name="target",
        name=name,
    )
