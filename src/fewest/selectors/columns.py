"""Taking the chosen columns out of a table, as scikit-learn's selectors do."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import TransformerMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils import _safe_indexing
from sklearn.utils._set_output import _get_output_config
from sklearn.utils.validation import validate_data

from fewest.arrays import Mask
from fewest.data.frame import is_frame, to_floats
from fewest.data.source import Source
from fewest.errors import FewestError, FewestWarning, InvalidInput, InvalidType


class ColumnsMixin(TransformerMixin):
    """transform, inverse_transform and names of the output for a class with support_ and n_features_in_.

    scikit-learn's own SelectorMixin lives in a package whose import takes longer than all of ours. A TransformerMixin
    itself: set_output heeds only the methods of such classes.
    """

    support_: Mask
    n_features_in_: int

    def transform(self, X: Any) -> Any:
        """X with the chosen columns only, in the order of X."""
        check_fitted(self)
        if not self.support_.any():
            warnings.warn("No features were selected: the output has no columns.", FewestWarning, stacklevel=2)
        if is_frame(X):
            return self._transform_frame(X)
        X = checked(self, X, is_new=False)
        self._refuse_gaps(X)
        if not sparse.issparse(X):
            return _safe_indexing(X, self.support_, axis=1)
        wanted = self._output_kind()
        if wanted != "default":
            raise InvalidInput(
                f"A sparse matrix cannot become a {wanted} frame. Use set_output(transform='default'), or X.toarray()."
            )
        return X[:, np.flatnonzero(self.support_)]

    def _refuse_gaps(self, X: Any) -> None:
        """scikit-learn asks that whoever refuses gaps to learn from refuses them here too; a column of nothing else is
        none to learn from, and may be empty here as well."""
        if self.__sklearn_tags__().input_tags.allow_nan:
            return
        values = to_floats(nw.from_native(X, eager_only=True)) if is_frame(X) else X.data if sparse.issparse(X) else X
        if values.dtype.kind != "f" or np.isfinite(values).all():
            return
        if values.ndim == 1 or not (np.isfinite(values).all(axis=0) | np.isnan(values).all(axis=0)).all():
            raise InvalidInput(
                f"Input X contains NaN or infinity, which {type(self).__name__} with these parameters does not take. "
                "Impute such values first."
            )

    def _output_kind(self) -> str:
        return str(_get_output_config("transform", estimator=self)["dense"])

    def _transform_frame(self, X: Any) -> Any:
        checked(self, X, is_new=False, is_table=True)
        self._refuse_gaps(X)
        frame = nw.from_native(X, eager_only=True)[:, np.flatnonzero(self.support_).tolist()]
        if self._output_kind() == frame.implementation.name.lower():
            return frame.to_native()
        is_numeric = all(dtype.is_numeric() or dtype == nw.Boolean for dtype in frame.schema.values())
        return to_floats(frame) if is_numeric else frame.to_numpy()

    def inverse_transform(self, X: Any) -> Any:
        """X put back among the columns that were not chosen, which are filled with zeros."""
        check_fitted(self)
        chosen = np.flatnonzero(self.support_)
        if sparse.issparse(X):
            columns = sparse.csc_array(X)
            _check_width(columns.shape[1], len(chosen))
            per_column = np.zeros(self.n_features_in_, dtype=columns.indptr.dtype)
            per_column[chosen] = np.diff(columns.indptr)
            starts = np.concatenate([[0], np.cumsum(per_column)])
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

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """The names of the chosen columns, in the order of the input."""
        check_fitted(self)
        names = self._feature_names()
        if input_features is not None:
            if not isinstance(input_features, Iterable):
                raise InvalidType(
                    f"input_features must be names, one a column, got {type(input_features).__name__} instead."
                )
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


class NotFitted(FewestError, NotFittedError):
    """Nothing has been chosen yet."""


def check_fitted(selector: Any) -> None:
    if hasattr(selector, "support_"):
        return
    name = type(selector).__name__
    if getattr(selector, "_statistic", None) is not None:
        raise NotFitted(f"This {name} instance is not fitted yet: the rows so far have one class. Add rows of another.")
    raise NotFitted(f"This {name} instance is not fitted yet. Call fit first.")


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
    if not is_table:
        _refuse_what_is_no_table(X)
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
        raise InvalidInput(_without_values(str(error))) from None


def _refuse_what_is_no_table(X: Any) -> None:
    if isinstance(X, str | os.PathLike):
        name = os.fspath(X)
        raise InvalidType(f"X must be a table, got {name!r}. To read a file, use scan({name!r}, target).")
    if isinstance(X, Source):
        raise InvalidType("X must be a table in memory, got a source, of which only fit and partial_fit can read rows.")
    if isinstance(nw.from_native(X, pass_through=True), nw.LazyFrame):
        raise InvalidType("X must be a table in memory, got a lazy one. Call its collect() first.")
    if X is None or (isinstance(X, Mapping | Set | Iterator) and not sparse.issparse(X)):
        raise InvalidType(
            "X must be a table: an array, a sparse matrix, or a frame of pandas, polars or pyarrow; got "
            f"{type(X).__name__} instead."
        )


def _without_values(message: str) -> str:
    """scikit-learn's words without the array that some of them print."""
    if "inhomogeneous" in message:
        return "The rows of X have different lengths. Give every row as many values."
    message = re.sub(r"(:\narray=.*?)?\.\n(?=Reshape)", ". ", message, flags=re.DOTALL)
    return re.sub(r"(Complex data not supported)\n.*", r"\1: X must hold real numbers.", message, flags=re.DOTALL)


def _check_width(given: int, expected: int) -> None:
    if given != expected:
        raise InvalidInput(
            f"X has {given} columns, but {expected} were chosen (X has a different shape). Give what transform gave."
        )
