"""Data sets by name."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from inspect import signature

import numpy as np

from fewest.datasets.dataset import Dataset
from fewest.datasets.generators import fifty_two_features, synthetic_1, toy_xyz
from fewest.errors import InvalidInput, InvalidParameter, did_you_mean

#: Our name, and scikit-learn's function.
LOADERS = {"iris": "load_iris", "wine": "load_wine", "breast-cancer": "load_breast_cancer", "digits": "load_digits"}


def load_bundled(name: str) -> Dataset:
    """One of LOADERS, with scikit-learn's names; the label of a row is the name of its class (of a digit, itself)."""
    # Imported here: most who import fewest load no data set, and this import is slow.
    bunch = getattr(import_module("sklearn.datasets"), LOADERS[name])()
    X = np.ascontiguousarray(bunch.data, dtype=np.float64)
    labels = np.asarray(bunch.target_names)[bunch.target]
    return Dataset(X, labels, list(map(str, bunch.feature_names)), target_name="target", name=name)


_MAKERS: dict[str, Callable[..., Dataset]] = {
    **{name: partial(load_bundled, name) for name in LOADERS},
    "synthetic-1": synthetic_1,
    "52-features": fifty_two_features,
    "toy-xyz": toy_xyz,
}


def names() -> list[str]:
    """Return every name that `load` knows: real data sets first, then generated ones.

    Returns
    -------
    list of str
        The names.

    See Also
    --------
    load : The data set of a name.

    Examples
    --------
    >>> from fewest.datasets import names
    >>> names()
    ['iris', 'wine', 'breast-cancer', 'digits', 'synthetic-1', '52-features', 'toy-xyz']
    """
    return list(_MAKERS)


def load(name: str, **options: object) -> Dataset:
    """Return the data set of a name. Nothing is fetched: it comes with scikit-learn or is drawn from a seed.

    Parameters
    ----------
    name : str
        One of `names()`; an underscore may stand for the hyphen.
    **options
        The parameters of a generator, such as seed; a real data set takes none.

    Returns
    -------
    Dataset
        Its rows, with the labels and the names of the columns.

    Raises
    ------
    InvalidInput
        There is no data set of this name.
    InvalidParameter
        It does not take one of the options, or not this value.

    See Also
    --------
    names : All names.

    Examples
    --------
    >>> from fewest.datasets import load
    >>> load("iris").X.shape
    (150, 4)
    >>> load("toy-xyz", n_rows=50).X.shape
    (50, 3)
    """
    maker = _MAKERS.get(str(name).replace("_", "-"))
    if maker is None:
        suggestion = did_you_mean(str(name), _MAKERS)
        raise InvalidInput(f"There is no data set named {name!r}{suggestion}. The names are {', '.join(_MAKERS)}.")
    taken = list(signature(maker).parameters)
    for option in options:
        if not taken:
            raise InvalidParameter(f"{name!r} takes no options, got {option!r}. Leave it out.")
        if option not in taken:
            raise InvalidParameter(f"An option of {name!r} must be one of {', '.join(taken)}, got {option!r} instead.")
    return maker(**options)
