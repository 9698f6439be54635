"""Files that are read whole: NumPy's .npz, MATLAB's .mat and svmlight."""

from __future__ import annotations

import math
import os
import sys
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from fewest.data.array import ArraySource
from fewest.data.column_choice import ReadingRequest
from fewest.data.files.mat_file import load_mat
from fewest.data.files.regular_file import check_size, check_whole_file
from fewest.data.files.table_file import PathLike, find_column
from fewest.data.files.text_file import MAX_LINE
from fewest.data.frame import check_names
from fewest.data.labels import Target
from fewest.data.sparse_matrix import Array, Matrix, checked_sparse
from fewest.errors import FewestError, InvalidInput, InvalidParameter, UnreadableFile

#: The first bytes of an array in an .npz, and what reads its header, by version.
_ARRAY_MAGIC = b"\x93NUMPY"
_HEADERS = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
#: Whole numbers from here on are no integers of 64 bits.
_MOST_WHOLE = 2.0**63
_CSR_PARTS = ("data", "indices", "indptr", "shape")


def read_npz(path: PathLike, request: ReadingRequest) -> ArraySource:
    """The arrays of an .npz file: X, or the parts of a CSR matrix (data, indices, indptr, shape), and labels.

    The target is y by default. Optional: feature_names, and class_names, which are the labels if the target holds
    indices into them; other arrays of one value a row are row_arrays. Nothing pickled is loaded: it could run any code.
    """
    arrays, target, weight = _load_npz(Path(path)), request.target, request.weight
    named_target = find_column(list(arrays), "y" if target is None else target, "target", str(path), "array")
    labels = arrays[named_target]
    if all(part in arrays for part in _CSR_PARTS):
        data, indices, indptr, shape = (arrays[part] for part in _CSR_PARTS)
        try:
            values = sparse.csr_matrix((data, indices, indptr), shape=tuple(int(length) for length in shape))
            values.check_format()
        except (ValueError, TypeError, OverflowError) as error:
            raise InvalidInput(f"data, indices, indptr and shape of {path} are no CSR matrix: {error}.") from None
    else:
        values = arrays[find_column(list(arrays), "X", "table of numbers", str(path), "array")]
    weights = None if weight is None else arrays[find_column(list(arrays), weight, "weight", str(path), "array")]
    names = arrays.get("feature_names")
    labels = _names_of_codes(labels, arrays.get("class_names"))
    others = {name: arrays[name] for name in arrays if name not in (*_CSR_PARTS, "feature_names", "class_names")}
    return _source(path, values, named_target, labels, weights, request.drop_unlabelled, names, others)


def read_mat(path: PathLike, request: ReadingRequest) -> ArraySource:
    """The variables of a MATLAB file: X, dense or sparse, and its labels, a row, a column or a cell array.

    target and weight name variables; the target is Y by default. Capitals and small letters are alike here.
    """
    with _opened(Path(path), "MATLAB") as file:
        variables = load_mat(file, Path(path))
    exact, target, weight = {name.lower(): name for name in variables}, request.target, request.weight

    def variable(name: object, role: str) -> tuple[str, Matrix]:
        known = exact.get(name.lower(), name) if isinstance(name, str) else name
        found = find_column(list(variables), known, role, str(path), "variable")
        return found, variables[found]

    named_target, labels = variable("Y" if target is None else target, "target")
    name_of_table, values = variable("X", "table of numbers")
    weights = None if weight is None else _flat(variable(weight, "weight")[1], str(path))
    row_arrays = {
        name: _whole_numbers(_flat(value, str(path)))
        for name, value in variables.items()
        if name != name_of_table and not sparse.issparse(value) and value.size == values.shape[0]
    }
    flat_labels = _whole_numbers(_flat(labels, str(path)))
    return _source(path, values, named_target, flat_labels, weights, request.drop_unlabelled, row_arrays=row_arrays)


def read_svmlight(path: PathLike, request: ReadingRequest) -> ArraySource:
    """A file of svmlight or libsvm: a label and index:value pairs a line. Its columns have no names."""
    from sklearn.datasets import load_svmlight_file

    for name, role in ((request.target, "target"), (request.weight, "weight")):
        if name is not None:
            raise InvalidParameter(
                f"{path} has no column {name!r} to be the {role}: in svmlight the first field of a line is its label, "
                f"and no other has a name. Leave the {role} out."
            )
    check_whole_file(Path(path))
    try:
        with open(path, "rb") as file:
            if len(file.readline(MAX_LINE)) == MAX_LINE:
                raise UnreadableFile(f"{path} is not a svmlight file: its first line has more than {MAX_LINE:,} bytes.")
        values, labels = load_svmlight_file(os.fspath(path))
    except FewestError:
        raise
    except OSError as error:
        raise UnreadableFile(f"{path} cannot be read: {error.strerror or error}.") from None
    except (ValueError, TypeError, OverflowError, IndexError, MemoryError) as error:
        raise UnreadableFile(f"{path} is not a svmlight file with one label a line: {error}.") from None
    return _source(path, values, "label", _whole_numbers(labels), None, request.drop_unlabelled)


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
    check_whole_file(path)
    try:
        with path.open("rb") as file:
            yield file
    except FewestError:
        raise
    except MemoryError as error:
        raise UnreadableFile(f"{path} takes more memory than there is, or is damaged: {error}.") from None
    except Exception as error:
        if isinstance(error, OSError) and error.strerror:
            raise UnreadableFile(f"{path} cannot be read: {error.strerror}.") from None
        raise UnreadableFile(f"{path} is not a whole {kind} file. Copy or write it again.") from error


def _load_npz(path: Path) -> dict[str, Array]:
    with _opened(path, ".npz") as file:
        if file.read(len(_ARRAY_MAGIC)) == _ARRAY_MAGIC:
            raise UnreadableFile(f"{path} holds one array without a name. Save X and y together: np.savez.")
        with zipfile.ZipFile(file) as packed:
            members = {member.filename.removesuffix(".npy"): member for member in packed.infolist()}
            _check_members(packed, members, path)
            arrays = {}
            for name, member in members.items():
                with packed.open(member) as content:
                    arrays[name] = np.lib.format.read_array(content, allow_pickle=False)
                if not _is_text(arrays[name]):
                    raise UnreadableFile(f"{path} is damaged: {name!r} holds text that is none. Write it again.")
            return arrays


def _is_text(array: Array) -> bool:
    """Whether an array of text holds characters that there are; every other array does."""
    if array.dtype.kind != "U" or array.size == 0 or array.itemsize == 0:
        return True
    native = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("="))
    characters: NDArray[np.uint32] = native.ravel().view(np.uint32)
    return bool(characters.max() <= sys.maxunicode)


def _check_members(packed: zipfile.ZipFile, members: dict[str, zipfile.ZipInfo], path: Path) -> None:
    """Leave out members that are no arrays; raise where the arrays are pickled, or not of the size they declare."""
    n_bytes = 0
    for name, member in list(members.items()):
        with packed.open(member) as content:
            if content.read(len(_ARRAY_MAGIC)) != _ARRAY_MAGIC:
                del members[name]
                continue
        with packed.open(member) as content:
            read_header = _HEADERS.get(np.lib.format.read_magic(content))
            if read_header is None:  # the third version: records with names that are not ASCII
                continue
            shape, _, dtype = read_header(content)
            n_bytes_of_header = content.tell()
        if dtype.hasobject:
            raise UnreadableFile(
                f"{path} holds pickled objects, which are not loaded since they can run code. Save plain arrays: "
                "numbers, or text of a fixed width (np.asarray(names, dtype=str))."
            )
        declared = math.prod(shape) * dtype.itemsize
        if declared != member.file_size - n_bytes_of_header:
            raise UnreadableFile(
                f"{path} is damaged: {name!r} declares the shape {shape} of {dtype}, {declared:,} bytes, and has "
                f"{member.file_size - n_bytes_of_header:,}. Copy or write it again."
            )
        n_bytes += declared
        check_size(n_bytes, f"{path} is read whole and takes")


def _flat(values: Matrix, where: str) -> Array:
    """A row or a column as one dimension, a cell array of strings as text; a table stays one."""
    if sparse.issparse(values):
        if 1 not in values.shape:
            raise InvalidInput(f"Labels and weights of {where} must be one a row; got a table of shape {values.shape}.")
        check_size(values.dtype.itemsize * math.prod(values.shape), f"A sparse variable of {where} takes")
        dense = checked_sparse(values).toarray()
    else:
        dense = np.asarray(values)
    flat: Array = dense.ravel() if dense.ndim == 2 and 1 in dense.shape else dense
    if flat.dtype == object:
        # Each cell is an array of its own; an empty one is a missing label.
        cells = [np.ravel(cell) for cell in flat.ravel()]
        flat = np.fromiter((cell[0] if len(cell) else None for cell in cells), dtype=object, count=len(cells))
    return flat


def _whole_numbers(labels: Array) -> Array:
    """Integers where a format that knows only floats holds whole numbers: a class is 1, not 1.0."""
    if labels.dtype.kind == "f" and np.all((np.abs(labels) < _MOST_WHOLE) & (labels == np.floor(labels))):
        return labels.astype(np.int64)
    return labels


def _names_of_codes(labels: Array, class_names: Array | None) -> Array:
    if class_names is None or labels.dtype.kind not in "iu" or labels.size == 0 or class_names.ndim != 1:
        return labels
    if labels.min() < 0 or labels.max() >= len(class_names):
        return labels
    return np.asarray(class_names[labels])
