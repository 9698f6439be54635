"""Taking the chosen columns out of a table, as scikit-learn's selectors do."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import _safe_indexing
from sklearn.utils._set_output import _get_output_config
from sklearn.utils.validation import check_is_fitted, validate_data

from fewest.errors import FewestWarning, InvalidInput, InvalidType
from fewest.sources.frame import is_frame, to_floats


class ColumnsMixin:
    """transform, inverse_transform and names of the output for a class with support_ and n_features_in_.

    scikit-learn's own SelectorMixin lives in a package whose import takes longer than all of ours.
    """

    support_: NDArray[np.bool_]
    n_features_in_: int

    def transform(self, X: Any) -> Any:
        """X with the chosen columns only, in the order of X."""
        check_is_fitted(self, "support_")
        if not self.support_.any():
            warnings.warn("No features were selected: the output has no columns.", FewestWarning, stacklevel=2)
        if is_frame(X):
            return self._transform_frame(X)
        X = checked(self, X, is_new=False)
        return X[:, np.flatnonzero(self.support_)] if sparse.issparse(X) else _safe_indexing(X, self.support_, axis=1)

    def _transform_frame(self, X: Any) -> Any:
        checked(self, X, is_new=False, is_table=True)
        frame = nw.from_native(X, eager_only=True)[:, np.flatnonzero(self.support_).tolist()]
        wanted = _get_output_config("transform", estimator=self)["dense"]
        if wanted == frame.implementation.name.lower():
            return frame.to_native()
        is_numeric = all(dtype.is_numeric() or dtype == nw.Boolean for dtype in frame.schema.values())
        return to_floats(frame) if is_numeric else frame.to_numpy()

    def inverse_transform(self, X: Any) -> Any:
        """X put back among the columns that were not chosen, which are filled with zeros."""
        check_is_fitted(self, "support_")
        chosen = np.flatnonzero(self.support_)
        if sparse.issparse(X):
            columns = sparse.csc_array(X)
            _check_width(columns.shape[1], len(chosen))
            per_column = np.zeros(self.n_features_in_, dtype=columns.indptr.dtype)
            per_column[chosen] = np.diff(columns.indptr)
            starts = np.concatenate([[0], np.cumsum(per_column)])
            shape = (columns.shape[0], self.n_features_in_)
            return sparse.csc_array((columns.data, columns.indices, starts), shape=shape)
        X = np.asarray(X)
        X = X[None, :] if X.ndim == 1 else X
        _check_width(X.shape[1], len(chosen))
        out = np.zeros((X.shape[0], self.n_features_in_), dtype=X.dtype)
        out[:, chosen] = X
        return out

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """The names of the chosen columns, in the order of the input."""
        check_is_fitted(self, "support_")
        names = self._feature_names()
        if input_features is not None:
            given = [str(name) for name in input_features]
            if hasattr(self, "feature_names_in_") and given != list(names):
                raise InvalidInput("input_features is not equal to feature_names_in_.")
            if len(given) != self.n_features_in_:
                raise InvalidInput(
                    f"input_features should have length equal to number of features ({self.n_features_in_}), "
                    f"got {len(given)}."
                )
            names = given
        return np.asarray(names, dtype=object)[self.support_]

    def _feature_names(self) -> Sequence[str]:
        if hasattr(self, "feature_names_in_"):
            return [str(name) for name in self.feature_names_in_]
        return _NumberedNames(self.n_features_in_)


class _NumberedNames(Sequence[str]):
    """x0, x1, ... made only when asked for."""

    def __init__(self, count: int) -> None:
        self._numbers = range(count)

    def __len__(self) -> int:
        return len(self._numbers)

    def __getitem__(self, position: Any) -> Any:
        return f"x{self._numbers[position]}"


def checked(estimator: Any, X: Any, *, is_new: bool, is_table: bool = False) -> Any:
    """X through scikit-learn's validation, which keeps n_features_in_ and feature_names_in_, without reading it."""
    try:
        return validate_data(
            estimator,
            X,
            reset=is_new,
            accept_sparse=["csr", "csc"],
            dtype=None,
            ensure_all_finite=False,
            skip_check_array=is_table,
        )
    except TypeError as error:
        raise InvalidType(str(error)) from None
    except ValueError as error:
        raise InvalidInput(str(error)) from None


def _check_width(given: int, expected: int) -> None:
    if given != expected:
        raise InvalidInput(f"X has {given} columns, but {expected} were chosen (X has a different shape).")
