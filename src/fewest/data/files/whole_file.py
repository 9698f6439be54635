"""Files that are read whole: NumPy's .npz, MATLAB's .mat and svmlight."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import numpy as np
from scipy import sparse

from fewest.data.array import Array, ArraySource, Matrix
from fewest.data.files.table_file import PathLike, find_column
from fewest.data.frame import check_names
from fewest.data.labels import Target
from fewest.errors import FewestError, InvalidInput, InvalidParameter, UnreadableFile

_CSR_PARTS = ("data", "indices", "indptr", "shape")


def read_npz(
    path: PathLike, target: object = None, weight: object = None, drop_unlabelled: bool = False
) -> ArraySource:
    """The arrays of an .npz file: X, or the parts of a CSR matrix (data, indices, indptr, shape), and labels.

    The target is y by default. Optional: feature_names, and class_names, which are the labels if the target holds
    indices into them; other arrays of one value a row are row_arrays. Nothing pickled is loaded: it could run any code.
    """
    arrays = _load_npz(Path(path))
    named_target = find_column(list(arrays), "y" if target is None else target, "target", str(path), "array")
    labels = arrays[named_target]
    if all(part in arrays for part in _CSR_PARTS):
        data, indices, indptr, shape = (arrays[part] for part in _CSR_PARTS)
        try:
            values = sparse.csr_matrix((data, indices, indptr), shape=tuple(int(length) for length in shape))
            values.check_format()
        except (ValueError, TypeError) as error:
            raise InvalidInput(f"data, indices, indptr and shape of {path} are no CSR matrix: {error}.") from None
    else:
        values = arrays[find_column(list(arrays), "X", "table of numbers", str(path), "array")]
    weights = None if weight is None else arrays[find_column(list(arrays), weight, "weight", str(path), "array")]
    names = arrays.get("feature_names")
    labels = _names_of_codes(labels, arrays.get("class_names"))
    others = {name: arrays[name] for name in arrays if name not in (*_CSR_PARTS, "feature_names", "class_names")}
    return _source(path, values, named_target, labels, weights, drop_unlabelled, names, others)


def read_mat(
    path: PathLike, target: object = None, weight: object = None, drop_unlabelled: bool = False
) -> ArraySource:
    """The variables of a MATLAB file: X, dense or sparse, and its labels, a row, a column or a cell array.

    target and weight name variables; the target is Y by default. Capitals and small letters are alike here.
    """
    variables = _load_mat(Path(path))
    exact = {name.lower(): name for name in variables}

    def variable(name: object, role: str) -> tuple[str, Matrix]:
        known = exact.get(name.lower(), name) if isinstance(name, str) else name
        found = find_column(list(variables), known, role, str(path), "variable")
        return found, variables[found]

    named_target, labels = variable("Y" if target is None else target, "target")
    name_of_table, values = variable("X", "table of numbers")
    weights = None if weight is None else _flat(variable(weight, "weight")[1])
    row_arrays = {
        name: _whole_numbers(_flat(value))
        for name, value in variables.items()
        if name != name_of_table and not sparse.issparse(value) and value.size == values.shape[0]
    }
    flat_labels = _whole_numbers(_flat(labels))
    return _source(path, values, named_target, flat_labels, weights, drop_unlabelled, row_arrays=row_arrays)


def read_svmlight(
    path: PathLike, target: object = None, weight: object = None, drop_unlabelled: bool = False
) -> ArraySource:
    """A file of svmlight or libsvm: a label and index:value pairs a line. Its columns have no names."""
    from sklearn.datasets import load_svmlight_file

    for name, role in ((target, "target"), (weight, "weight")):
        if name is not None:
            raise InvalidParameter(
                f"{path} has no column {name!r} to be the {role}: in svmlight the first field of a line is its label, "
                f"and no other has a name. Leave the {role} out."
            )
    try:
        values, labels = load_svmlight_file(os.fspath(path))
    except OSError as error:
        raise UnreadableFile(f"{path} cannot be read: {error.strerror or error}.") from None
    except ValueError as error:
        raise UnreadableFile(f"{path} is not a svmlight file with one label a line: {error}.") from None
    return _source(path, values, "label", _whole_numbers(labels), None, drop_unlabelled)


def _source(
    path: PathLike,
    values: Matrix,
    target: str,
    labels: Array,
    weights: object,
    drop_unlabelled: bool,
    feature_names: Array | None = None,
    row_arrays: Mapping[str, Array] | None = None,
) -> ArraySource:
    if values.ndim != 2 or values.dtype.kind not in "biuf":
        what = f"got {values.dtype} of shape {values.shape}"
        raise InvalidInput(f"X of {path} must be a table of numbers, rows by columns; {what}.")
    if labels.ndim != 1:
        raise InvalidInput(f"{target!r} of {path} must hold one label a row; got an array of shape {labels.shape}.")
    if 0 in values.shape:
        raise InvalidInput(f"X of {path} is empty: {values.shape[0]} rows, {values.shape[1]} columns.")
    names = None
    if feature_names is not None:
        names = check_names(np.ravel(feature_names).tolist(), str(path))
        if len(names) != values.shape[1]:
            what = f"{len(names)} feature_names for {values.shape[1]} columns of X"
            raise InvalidInput(f"{path} has {what}. Give one a column.")
    shape = (values.shape[0],)
    own = {name: array for name, array in (row_arrays or {}).items() if array.shape == shape and name != target}
    return ArraySource(values, Target(labels, weights, name=target, drop_unlabelled=drop_unlabelled), names, own)


@contextmanager
def _opened(path: Path, kind: str) -> Iterator[BinaryIO]:
    """The file; damage, which shows as errors of many kinds, becomes one sentence."""
    try:
        with path.open("rb") as file:
            yield file
    except FewestError:
        raise
    except Exception as error:
        if isinstance(error, OSError) and error.strerror:
            raise UnreadableFile(f"{path} cannot be read: {error.strerror}.") from None
        raise UnreadableFile(f"{path} is not a whole {kind} file. Copy or write it again.") from error


def _load_npz(path: Path) -> dict[str, Array]:
    with _opened(path, ".npz") as file:
        try:
            loaded = np.load(file, allow_pickle=False)
            if not isinstance(loaded, Mapping):
                raise UnreadableFile(f"{path} holds one array without a name. Save X and y together: np.savez.")
            return {name: loaded[name] for name in loaded}
        except ValueError as error:
            if "Object arrays" not in str(error):
                raise
            raise UnreadableFile(
                f"{path} holds pickled objects, which are not loaded since they can run code. Save plain arrays: "
                "numbers, or text of a fixed width (np.asarray(names, dtype=str))."
            ) from None


def _load_mat(path: Path) -> dict[str, Matrix]:
    from scipy.io import loadmat

    with _opened(path, "MATLAB") as file, warnings.catch_warnings():
        # SciPy announces that sparse matrices will become sparse arrays; either will do.
        warnings.simplefilter("ignore", DeprecationWarning)
        try:
            loaded: dict[str, Matrix] = loadmat(file)
        except NotImplementedError:
            raise UnreadableFile(
                f"{path} is a MATLAB file of version 7.3 (HDF5), which is not read. Save it with -v7, or as .npz."
            ) from None
    return {name: value for name, value in loaded.items() if not name.startswith("__")}


def _flat(values: Matrix) -> Array:
    """A row or a column as one dimension, a cell array of strings as text; a table stays one."""
    dense = sparse.csr_matrix(values).toarray() if sparse.issparse(values) else np.asarray(values)
    flat: Array = dense.ravel() if dense.ndim == 2 and 1 in dense.shape else dense
    if flat.dtype == object:
        # Each cell is an array of its own; an empty one is a missing label.
        cells = [np.ravel(cell) for cell in flat.ravel()]
        flat = np.fromiter((cell[0] if len(cell) else None for cell in cells), dtype=object, count=len(cells))
    return flat


def _whole_numbers(labels: Array) -> Array:
    """Integers where a format that knows only floats holds whole numbers: a class is 1, not 1.0."""
    if labels.dtype.kind == "f" and np.all(np.isfinite(labels) & (labels == np.floor(labels))):
        return labels.astype(np.int64)
    return labels


def _names_of_codes(labels: Array, class_names: Array | None) -> Array:
    if class_names is None or labels.dtype.kind not in "iu" or labels.size == 0 or class_names.ndim != 1:
        return labels
    if labels.min() < 0 or labels.max() >= len(class_names):
        return labels
    return np.asarray(class_names[labels])
