"""What fit was given becomes a source."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.exceptions import DataConversionWarning

from fewest.data.array import ArraySource, without_mask
from fewest.data.frame import FrameSource, is_frame
from fewest.data.source import Source
from fewest.data.target import Target, as_labels
from fewest.errors import InvalidInput, InvalidType
from fewest.selectors.columns import checked


def to_source(selector: Any, X: Any, y: Any, sample_weight: Any, *, is_new: bool, takes_text: bool = False) -> Source:
    """X and y as a source of rows; the selector learns, or checks, the number and names of the columns."""
    source = _as_source(selector, X, y, sample_weight, is_new)
    if takes_text:
        return source.with_text_as_codes()
    if source.text_columns:
        shown = ", ".join(map(repr, source.text_columns[:5])) + (", …" if len(source.text_columns) > 5 else "")
        raise InvalidInput(
            f"{type(selector).__name__} needs numbers, and {len(source.text_columns)} column(s) hold text, "
            f"categories or dates: {shown}. Drop them or encode them as numbers."
        )
    return source


def _as_source(selector: Any, X: Any, y: Any, sample_weight: Any, is_new: bool) -> Source:
    if isinstance(X, Source):
        return _known_source(selector, X, y, sample_weight, is_new)
    if y is None:
        raise InvalidInput(
            f"{type(selector).__name__} requires y to be passed, but the target y is None. Give the class of each row."
        )
    if is_frame(X):
        checked(selector, X, is_new=is_new, is_table=True)
        source = FrameSource(X, Target(_one_column(y), sample_weight))
        _check_shape(source)
        return source
    X = without_mask(X)
    return ArraySource(checked(selector, X, is_new=is_new), Target(_one_column(y), sample_weight))


def _known_source(selector: Any, source: Source, y: Any, sample_weight: Any, is_new: bool) -> Source:
    if y is not None or sample_weight is not None:
        raise InvalidInput("A source made by scan() has its own labels and weights: leave out y and sample_weight.")
    _check_shape(source)
    known = getattr(selector, "feature_names_in_", None)
    if is_new:
        selector.n_features_in_ = source.n_features
        if source.feature_names is not None:
            selector.feature_names_in_ = np.asarray(source.feature_names, dtype=object)
        elif known is not None:
            del selector.feature_names_in_
    elif source.n_features != selector.n_features_in_:
        raise InvalidInput(
            f"X has {source.n_features} features, but {type(selector).__name__} is expecting "
            f"{selector.n_features_in_} features as input."
        )
    elif known is not None and source.feature_names is not None:
        for old, new in zip(known, source.feature_names, strict=True):
            if old != new:
                raise InvalidInput(
                    f"The source has the column {new!r} where earlier rows had {old!r}. Give the same columns, in the "
                    "same order."
                )
    return source


def _check_shape(source: Source) -> None:
    if source.n_features == 0:
        raise InvalidInput("There are no feature columns beside the target. Give at least one.")


def _one_column(y: Any) -> Any:
    """Labels as one line of values; a single column is taken as it is, with scikit-learn's warning."""
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
