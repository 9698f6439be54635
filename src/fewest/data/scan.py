"""One way in for all data: files, folders, frames, arrays and bundled data sets."""

from __future__ import annotations

import glob
import os
from collections.abc import Callable
from numbers import Integral
from pathlib import Path
from typing import TypeGuard

import narwhals as nw
import numpy as np
from narwhals.typing import IntoDataFrame
from numpy.typing import NDArray
from scipy import sparse

from fewest.data.array import ArraySource, Matrix
from fewest.data.files.arrow_file import ARROW_SUFFIXES, ArrowFileSource
from fewest.data.files.delimited import DELIMITED_SUFFIXES, DelimitedSource
from fewest.data.files.parquet import PARQUET_SUFFIXES, ParquetSource, find_parquet_files
from fewest.data.files.table_file import assign_roles, find_column
from fewest.data.files.whole_file import read_mat, read_npz, read_svmlight
from fewest.data.frame import Column, Frame, FrameSource, check_names, is_frame
from fewest.data.labels import Target, as_labels
from fewest.data.source import Source
from fewest.errors import InvalidInput, InvalidParameter, InvalidType, UnreadableFile, did_you_mean

#: What reads a file, by how its name ends: called with the path, the target, the weight and drop_unlabelled.
_READERS: dict[str, Callable[..., Source]] = {
    **dict.fromkeys(DELIMITED_SUFFIXES, DelimitedSource),
    **dict.fromkeys(PARQUET_SUFFIXES, ParquetSource),
    **dict.fromkeys(ARROW_SUFFIXES, ArrowFileSource),
    ".npz": read_npz,
    ".mat": read_mat,
    **dict.fromkeys((".svm", ".svmlight", ".libsvm"), read_svmlight),
}


def scan(data: object, target: object = None, *, weight: object = None, drop_unlabelled: bool = False) -> Source:
    """Rows to select features from, wherever they are. Text, Parquet and Arrow files are never whole in memory.

    Parameters
    ----------
    data : path, list of paths, frame, array or Source
        A file of CSV or TSV (also packed with gzip), Parquet, Arrow or Feather, .npz, .mat or svmlight; a folder, glob
        or list of Parquet files; the name of a bundled data set; a frame of pandas, polars or pyarrow; an array or
        sparse matrix. A Source is returned as it is.
    target : str or array
        The name of the column of labels, or the labels of a frame or array. An .npz has its labels in y, a .mat in Y,
        unless named here; svmlight and bundled data sets know theirs.
    weight : str or array, optional
        The name of the column of sample weights, or the weights of a frame or array.
    drop_unlabelled : bool
        Leave out rows without a label instead of refusing them.

    Returns
    -------
    Source
        Its features are all columns but target, weight, and an index that pandas wrote as a column ("Unnamed: 0").

    Raises
    ------
    UnreadableFile
        There is no such file, or it is not what its name says.
    InvalidInput
        The data cannot be used as they are.
    MissingDependency
        Parquet and Arrow files need pyarrow.

    See Also
    --------
    fewest.datasets.load : A bundled data set as arrays.
    """
    if isinstance(data, Source):
        if target is not None or weight is not None or drop_unlabelled:
            raise InvalidParameter("A source has its target and weight already. Leave out every parameter but data.")
        return data
    if isinstance(data, str | os.PathLike):
        return _scan_name(os.fspath(data), target, weight, drop_unlabelled)
    if isinstance(data, list | tuple) and data and all(isinstance(path, str | os.PathLike) for path in data):
        return _scan_files([os.fspath(path) for path in data], target, weight, drop_unlabelled)
    if is_frame(data):
        return _scan_frame(data, target, weight, drop_unlabelled)
    return _scan_array(data, target, weight, drop_unlabelled)


def _scan_name(name: str, target: object, weight: object, drop_unlabelled: bool) -> Source:
    path = Path(name)
    try:
        path.exists()
    except OSError as error:
        raise UnreadableFile(f"{name!r} cannot be looked up: {error.strerror}. Check the path.") from None
    if path.is_dir():
        return ParquetSource(name, target, weight, drop_unlabelled)
    if path.exists():
        return _reader(path)(name, target, weight, drop_unlabelled)
    if glob.has_magic(name):
        return _scan_files([str(file) for file in find_parquet_files(name)], target, weight, drop_unlabelled)
    # Imported here: only a name that is no file needs it.
    from fewest import datasets

    if name.replace("_", "-") not in datasets.names():
        raise UnreadableFile(_unknown_name(name, datasets.names()))
    found = datasets.load(name)
    if target not in (None, found.target_name):
        raise InvalidParameter(
            f"The target of the data set {name!r} is {found.target_name!r}, not {target!r}. Leave it out."
        )
    if weight is not None:
        raise InvalidParameter(f"The data set {name!r} has no weights. Leave the weight out.")
    labels = Target(found.y, name=found.target_name, drop_unlabelled=drop_unlabelled)
    return ArraySource(found.X, labels, found.feature_names)


def _scan_files(names: list[str], target: object, weight: object, drop_unlabelled: bool) -> Source:
    if len(names) == 1:
        return _scan_name(names[0], target, weight, drop_unlabelled)
    for name in names:
        if Path(name).is_file() and _reader(Path(name)) is not ParquetSource:
            raise UnreadableFile(
                f"Only Parquet files can be read together, and {name} is none. Give one file, or write them as Parquet."
            )
    return ParquetSource(names, target, weight, drop_unlabelled)


def _reader(path: Path) -> Callable[..., Source]:
    name = path.name.lower()
    reader = _READERS.get(Path(name.removesuffix(".gz")).suffix)
    if reader is None or (name.endswith(".gz") and reader is not DelimitedSource):
        raise UnreadableFile(
            f"{path} has an ending that says no known format. Known are {', '.join(_READERS)}, and "
            f"{', '.join(f'{suffix}.gz' for suffix in DELIMITED_SUFFIXES)}."
        )
    return reader


def _unknown_name(name: str, bundled: list[str]) -> str:
    folder, file_name = os.path.split(name)
    try:
        files = [os.path.join(folder, file) for file in os.listdir(folder or os.curdir)]
    except OSError:
        return f"There is no file {name!r}, nor the folder {folder!r}. Check the path."
    if folder or "." in file_name:
        return f"There is no file {name!r}{did_you_mean(name, files)}. Check the path."
    what = f"There is no file and no bundled data set {name!r}{did_you_mean(name, [*files, *bundled])}."
    return f"{what} Check the path, or name one of {', '.join(bundled)}."


def _scan_frame(data: IntoDataFrame, target: object, weight: object, drop_unlabelled: bool) -> Source:
    frame: Frame = nw.from_native(data, eager_only=True)
    names = check_names(frame.columns)
    if names != frame.columns:
        # pandas allows names that are not text.
        frame = frame.rename(dict(zip(frame.columns, names, strict=True)))
    weight_name = find_column(names, str(weight), "weight", "the table") if _is_name(weight) else None
    if target is None or _is_name(target):
        roles = assign_roles(names, None if target is None else str(target), weight_name, "the table")
        labels = _labels_of(frame[roles.target])
        target_name, features = roles.target, roles.features
    else:
        target_name, labels = None, _as_labels(target)
        features = [name for name in names if name != weight_name]
    weights = weight if weight_name is None else frame[weight_name].to_numpy()
    known = Target(labels, weights, name=target_name, drop_unlabelled=drop_unlabelled)
    return FrameSource(nw.to_native(frame.select(*features)), known)


def _scan_array(data: object, target: object, weight: object, drop_unlabelled: bool) -> Source:
    try:
        values: Matrix = data if sparse.issparse(data) else np.asanyarray(data)
    except ValueError:
        raise InvalidInput("The rows have different lengths. Give every row the same number of values.") from None
    if values.ndim == 0:
        raise InvalidType(
            "Rows must come from a path, a list of paths, a frame in memory, an array or a source; got "
            f"{type(data).__name__} instead."
        )
    if values.ndim != 2:
        raise InvalidInput(f"An array of rows must have two dimensions, got shape {values.shape}.")
    if target is None:
        raise InvalidParameter("Give the label of each row: scan(X, y).")
    for value, role in ((target, "target"), (weight, "weight")):
        if _is_name(value):
            raise InvalidType(f"An array has no column named {value!r}. Give the {role} as an array, one value a row.")
    return ArraySource(values, Target(_as_labels(target), weight, drop_unlabelled=drop_unlabelled))


def _is_name(value: object) -> TypeGuard[str | int]:
    return isinstance(value, str | Integral)


def _as_labels(target: object) -> NDArray[np.generic]:
    labels = as_labels(target)
    if labels.ndim != 1:
        raise InvalidInput(f"The target must be a name or hold one label a row, got shape {labels.shape}.")
    return labels


def _labels_of(column: Column) -> NDArray[np.generic]:
    if column.null_count() and not column.dtype.is_float():
        # Missing integers would make floats of the others, and 1 would be known as 1.0.
        return np.fromiter(column.to_list(), dtype=object, count=len(column))
    return np.asarray(column.to_numpy())
