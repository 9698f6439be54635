"""From what fit was given to a source of rows, and to the names of its columns."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Iterator, Mapping, Set
from functools import partial
from types import FunctionType
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.exceptions import DataConversionWarning
from sklearn.utils.validation import validate_data

from fewest.data.array import ArraySource, without_mask
from fewest.data.frame import FrameSource, is_frame, refuse_lazy
from fewest.data.labels import Target, as_labels
from fewest.data.source import Source
from fewest.data.sparse_matrix import Matrix, as_compressed
from fewest.display.formatting import first_names
from fewest.errors import InvalidInput, InvalidType

if TYPE_CHECKING:
    from fewest.selectors.columns import ColumnsMixin


def to_source(
    selector: ColumnsMixin, X: object, y: object, sample_weight: object, *, is_new: bool, takes_text: bool = False
) -> Source:
    """Return X and y as a source of rows; set, or check, the selector's number and names of the columns.

    takes_text : text is read as codes of categories; otherwise it is refused
    """
    source = as_source(selector, X, y, sample_weight, is_new)
    if takes_text:
        return source.with_text_as_codes()
    if source.text_columns:
        raise InvalidInput(
            f"{type(selector).__name__} needs numbers, and {len(source.text_columns)} column(s) hold text, "
            f"categories or dates: {first_names(source.text_columns)}. Drop them or encode them as numbers."
        )
    return source


def as_source(selector: ColumnsMixin, X: object, y: object, sample_weight: object, is_new: bool) -> Source:
    """Return X and y as a source of rows, of numbers or text; set, or check, the number and names of the columns."""
    if isinstance(X, Source):
        return _checked_source(selector, X, y, sample_weight, is_new)
    if y is None:
        raise InvalidInput(
            f"{type(selector).__name__} requires y to be passed, but the target y is None. Give the class of each row."
        )
    if not isinstance(X, np.ndarray) and is_frame(X):
        validate_table(selector, X, is_new=is_new, is_checked=True)
        return _with_columns(FrameSource(X, Target(_one_column(y), sample_weight)))
    values = validate_table(selector, without_mask(X), is_new=is_new)
    return ArraySource(values, Target(_one_column(y), sample_weight))


def _checked_source(selector: ColumnsMixin, source: Source, y: object, sample_weight: object, is_new: bool) -> Source:
    if y is not None or sample_weight is not None:
        raise InvalidInput("A source made by scan() has its own labels and weights: leave out y and sample_weight.")
    _with_columns(source)
    known = getattr(selector, "feature_names_in_", None)
    if is_new:
        selector.n_features_in_ = source.n_features
        if source.feature_names is not None:
            selector.feature_names_in_ = np.asarray(source.feature_names, dtype=object)
        elif known is not None:
            del selector.feature_names_in_
    elif source.n_features != selector.n_features_in_:
        expected = f"{type(selector).__name__} is expecting {selector.n_features_in_} features as input."
        raise InvalidInput(f"X has {source.n_features} features, but {expected}")
    elif known is not None and source.feature_names is not None:
        for old, new in zip(known, source.feature_names, strict=True):
            if old != new:
                what = f"The source has the column {new!r} where earlier rows had {old!r}."
                raise InvalidInput(f"{what} Give the same columns, in the same order.")
    return source


def _with_columns(source: Source) -> Source:
    if source.n_features == 0:
        raise InvalidInput("There are no feature columns besides the target. Give at least one.")
    return source


def _one_column(y: object) -> NDArray[np.generic]:
    """Return labels in one dimension; a single column is taken as it is, with scikit-learn's warning."""
    if isinstance(y, str):
        raise InvalidType(f"y must hold the labels, one a row; got {y!r}. To name a column of X, fit scan(X, {y!r}).")
    labels = as_labels(y)
    if labels.ndim == 2 and labels.shape[1] == 1:
        warnings.warn("A column-vector y was passed when a 1d array was expected.", DataConversionWarning, stacklevel=5)
        labels = labels[:, 0]
    if labels.ndim != 1:
        what = f"an array of shape {labels.shape}" if labels.ndim else type(y).__name__
        raise InvalidInput(f"y should be a 1d array of labels, one a row, got {what} instead.")
    return labels


def validate_table(estimator: object, X: object, *, is_new: bool, is_checked: bool = False) -> Matrix:
    """Return X through scikit-learn's validation, which sets n_features_in_ and feature_names_in_; values are not read.

    is_checked : X is a frame, of which only the names and the number of columns are looked at
    """
    if not is_checked:
        _check_table(X)
    if sparse.issparse(X):
        X = as_compressed(X)
    try:
        return validate_data(
            estimator,
            X,
            reset=is_new,
            accept_sparse=["csr", "csc"],
            dtype=None,
            ensure_all_finite=False,
            skip_check_array=is_checked,
        )
    except TypeError as error:
        raise InvalidType(str(error)) from None
    except ValueError as error:
        raise InvalidInput(_without_values(str(error))) from None
    except Exception as error:  # what objects raise when they are made an array is up to them
        raise InvalidInput(f"X cannot be made a table ({type(error).__name__}: {error}).") from None


def _check_table(X: object) -> None:
    """Raise where X is no table in memory."""
    if isinstance(X, np.ndarray):
        return
    if isinstance(X, str | os.PathLike):
        name = os.fspath(X)
        raise InvalidType(f"X must be a table, got {name!r}. To read a file, use scan({name!r}, target).")
    if isinstance(X, Source):
        raise InvalidType("X must be a table in memory, got a source, of which only fit and partial_fit can read rows.")
    refuse_lazy(X)
    if X is None or (isinstance(X, Mapping | Set | Iterator) and not sparse.issparse(X)):
        raise InvalidType(
            "X must be a table: an array, a sparse matrix, or a frame of pandas, polars or pyarrow; got "
            f"{type(X).__name__} instead."
        )
    if isinstance(X, FunctionType | partial):
        raise InvalidType(
            "X must be a table, got a function. To read the record batches it makes, use scan(X, target)."
        )


def _without_values(message: str) -> str:
    """Return scikit-learn's message without the array that some of them print."""
    if "inhomogeneous" in message:
        return "The rows of X have different lengths. Give every row the same number of values."
    message = re.sub(r"(:\narray=.*?)?\.\n(?=Reshape)", ". ", message, flags=re.DOTALL)
    return re.sub(r"(Complex data not supported)\n.*", r"\1: X must hold real numbers.", message, flags=re.DOTALL)


def column_name(selector: ColumnsMixin, column: int) -> str:
    """Return the name of a column seen by fit; x0, x1, ... where the data had no names."""
    return str(selector.feature_names_in_[column]) if hasattr(selector, "feature_names_in_") else f"x{column}"
