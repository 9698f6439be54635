"""Select columns of a table with the mask support_, as scikit-learn's selectors do."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from typing import Any

import narwhals as nw
import numpy as np
from narwhals.typing import IntoDataFrame
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import TransformerMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils import _safe_indexing
from sklearn.utils._set_output import _get_output_config

from fewest.arrays import Indices, Mask
from fewest.data.frame import is_frame, to_floats
from fewest.data.sparse_matrix import Array, Matrix, is_sparse
from fewest.errors import FewestError, FewestWarning, InvalidInput, InvalidType
from fewest.selectors.docstrings import api_page
from fewest.selectors.input import column_name, validate_table
from fewest.unexpected import PublicEntry


class ColumnsMixin(TransformerMixin):
    """Give a class with support_ and n_features_in_ the methods of a transformer that selects columns.

    A TransformerMixin, for set_output; scikit-learn's SelectorMixin takes longer to import than all of ours.
    """

    support_: Mask
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "support_")

    def get_support(self, indices: bool = False) -> Mask | Indices:
        """Return which columns are selected.

        Parameters
        ----------
        indices : bool, default=False
            Return their indices, in ascending order, instead of a mask.

        Returns
        -------
        ndarray of bool, shape (n_features_in_,), or of int, shape (n_features_,)
            The mask, or the indices.
        """
        check_fitted(self)
        return np.flatnonzero(self.support_) if indices else self.support_

    def transform(self, X: object) -> Any:
        """Return X with the selected columns only, in the order of X.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n_rows, n_features_in_)
            Rows with the columns seen by fit.

        Returns
        -------
        array, sparse matrix or frame of shape (n_rows, n_features_)
            The selected columns: a frame where X is one, or as `set_output` says.
        """
        with PublicEntry(f"{type(self).__name__}.transform", X=X, selector=self):
            check_fitted(self)
            if not self.support_.any():
                warnings.warn("No features were selected: the output has no columns.", FewestWarning, stacklevel=2)
            if is_frame(X):
                return self._transform_frame(X)
            values = validate_table(self, X, is_new=False)
            self._check_missing(values)
            if not sparse.issparse(values):
                return _safe_indexing(values, self.support_, axis=1)
            output = self._output_kind()
            if output != "default":
                advice = "Use set_output(transform='default'), or X.toarray()."
                raise InvalidInput(f"A sparse matrix cannot become a {output} frame. {advice}")
            return values[:, np.flatnonzero(self.support_)]

    def _check_missing(self, X: object) -> None:
        """Raise at missing values where fit refuses them; a column may be entirely empty, here as in fit."""
        if self.__sklearn_tags__().input_tags.allow_nan:
            return
        if is_frame(X):
            # A missing category is none, and is no missing number.
            frame = nw.from_native(X, eager_only=True)
            numbers = [i for i, dtype in enumerate(frame.schema.values()) if dtype.is_numeric() or dtype == nw.Boolean]
            values = to_floats(frame[:, numbers]) if numbers else np.empty((0, 0))
        else:
            values = X.data if is_sparse(X) else np.asarray(X)
        if values.dtype.kind != "f" or np.isfinite(values).all():
            return
        if values.ndim == 1 or not (np.isfinite(values).all(axis=0) | np.isnan(values).all(axis=0)).all():
            raise InvalidInput(
                f"Input X contains NaN or infinity, which {type(self).__name__} with these parameters does not take. "
                "Impute such values first."
            )

    def _output_kind(self) -> str:
        return str(_get_output_config("transform", estimator=self)["dense"])

    def _transform_frame(self, X: IntoDataFrame) -> IntoDataFrame | Array:
        validate_table(self, X, is_new=False, is_checked=True)
        self._check_missing(X)
        whole = nw.from_native(X, eager_only=True)
        frame = whole[:, np.flatnonzero(self.support_).tolist()]
        if self._output_kind() == frame.implementation.name.lower():
            return frame.to_native()
        if not self.support_.any():
            # An Arrow table without columns has no rows either.
            return np.empty((len(whole), 0))
        is_numeric = all(dtype.is_numeric() or dtype == nw.Boolean for dtype in frame.schema.values())
        return to_floats(frame) if is_numeric else frame.to_numpy()

    def inverse_transform(self, X: object) -> Matrix:
        """Return X with zeros in place of the columns that were not selected.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_rows, n_features_)
            What transform returned.

        Returns
        -------
        array or sparse matrix of shape (n_rows, n_features_in_)
            The selected columns where they were, and zeros.
        """
        with PublicEntry(f"{type(self).__name__}.inverse_transform", X=X, selector=self):
            check_fitted(self)
            chosen = np.flatnonzero(self.support_)
            if sparse.issparse(X):
                columns = sparse.csc_array(X)
                _check_width(columns.shape[1], len(chosen))
                starts = columns.indptr[np.searchsorted(chosen, np.arange(self.n_features_in_ + 1))]
                shape = (columns.shape[0], self.n_features_in_)
                return sparse.csc_array((columns.data, columns.indices, starts), shape=shape)
            try:
                X = np.atleast_2d(np.asarray(X))
            except ValueError:
                raise InvalidInput("X must be rows of equal length; got lists of different lengths.") from None
            if X.ndim != 2:
                raise InvalidInput(f"X must be rows by columns, got an array of shape {X.shape} instead.")
            _check_width(X.shape[1], len(chosen))
            out = np.zeros((X.shape[0], self.n_features_in_), dtype=X.dtype)
            out[:, chosen] = X
            return out

    def get_feature_names_out(self, input_features: object = None) -> NDArray[np.object_]:
        """Return the names of the selected columns.

        Parameters
        ----------
        input_features : list of str or None, default=None
            The names of all columns; None for those seen by fit.

        Returns
        -------
        ndarray of str
            The names, in the order of the table.
        """
        check_fitted(self)
        names = [column_name(self, column) for column in range(self.n_features_in_)]
        if input_features is not None:
            if not isinstance(input_features, Iterable):
                given = type(input_features).__name__
                raise InvalidType(f"input_features must be names, one a column, got {given} instead.")
            requested = [str(name) for name in input_features]
            if hasattr(self, "feature_names_in_") and requested != names:
                raise InvalidInput("input_features is not equal to feature_names_in_.")
            if len(requested) != self.n_features_in_:
                raise InvalidInput(
                    f"input_features should have length equal to number of features ({self.n_features_in_}), "
                    f"got {len(requested)}."
                )
            names = requested
        return np.asarray(names, dtype=object)[self.support_]

    def onnx_shape_calculator(self) -> Callable[..., None]:
        """Return the function with which skl2onnx learns the shape of the output.

        Returns
        -------
        callable
            Called by skl2onnx, which asks for it by itself.
        """
        from fewest.selectors.adapters.onnx_columns import set_output_shape

        check_fitted(self)
        return set_output_shape

    def onnx_converter(self) -> Callable[..., None]:
        """Return the function with which skl2onnx converts the selector, alone or in a pipeline, to ONNX.

        Returns
        -------
        callable
            Called by skl2onnx, which asks for it by itself.
        """
        from fewest.selectors.adapters.onnx_columns import add_gather

        check_fitted(self)
        return add_gather

    def _get_doc_link(self) -> str:
        """Return the address of the page about the class, to which scikit-learn's diagrams link; empty without one."""
        return api_page(type(self))


class NotFitted(FewestError, NotFittedError):
    """Nothing has been selected yet."""


def check_fitted(selector: ColumnsMixin) -> None:
    """Raise unless the selector has selected features."""
    if hasattr(selector, "support_"):
        return
    name = type(selector).__name__
    if getattr(selector, "_statistic", None) is not None:
        raise NotFitted(f"This {name} instance is not fitted yet: the rows so far have one class. Add rows of another.")
    raise NotFitted(f"This {name} instance is not fitted yet. Call fit first.")


def _check_width(n_columns: int, expected: int) -> None:
    if n_columns != expected:
        what = f"X has {n_columns} columns, but {expected} were selected (X has a different shape)."
        raise InvalidInput(f"{what} Give what transform returned.")
