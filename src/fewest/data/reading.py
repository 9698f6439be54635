"""From what data are to their source, by the reader that fits: files, folders, frames, arrays, bundled data sets."""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Iterable
from dataclasses import replace
from numbers import Integral
from pathlib import Path
from typing import TypeGuard

import narwhals as nw
import numpy as np
from narwhals.typing import IntoDataFrame
from numpy.typing import NDArray
from scipy import sparse

from fewest.data.array import ArraySource
from fewest.data.column_choice import ReadingRequest, listed
from fewest.data.column_kinds import DATES
from fewest.data.engines.batches import BatchSource
from fewest.data.engines.frames import engine_of
from fewest.data.engines.partitions import PartitionedSource
from fewest.data.engines.repeatable_batches import find_batches
from fewest.data.files.arrow_file import ARROW_SUFFIXES, ArrowFileSource
from fewest.data.files.delimited import DELIMITED_SUFFIXES, DelimitedSource
from fewest.data.files.h5ad_file import read_h5ad
from fewest.data.files.parquet import PARQUET_SUFFIXES, ParquetSource, find_parquet_files
from fewest.data.files.regular_file import check_regular_file
from fewest.data.files.standard_input import SHOWN, STANDARD_INPUT, store_standard_input
from fewest.data.files.table_file import assign_roles, find_column, without_dates
from fewest.data.files.text_table import EXCEL_SUFFIXES, read_excel, read_transposed
from fewest.data.files.whole_file import read_mat, read_npz, read_svmlight
from fewest.data.frame import Column, Frame, FrameSource, check_names, find_readings, is_frame
from fewest.data.labels import Target, as_labels
from fewest.data.source import Source
from fewest.data.sparse_matrix import Matrix
from fewest.datasets.dataset import Dataset
from fewest.errors import InvalidInput, InvalidParameter, InvalidType, UnreadableFile, did_you_mean

#: What reads a file of arrays, which is whole in memory, by how its name ends.
_ARRAY_READERS: dict[str, Callable[[str, ReadingRequest], ArraySource]] = {
    ".npz": read_npz,
    ".mat": read_mat,
    ".h5ad": read_h5ad,
    **dict.fromkeys((".svm", ".svmlight", ".libsvm"), read_svmlight),
}
_SUFFIXES = (*DELIMITED_SUFFIXES, *EXCEL_SUFFIXES, *PARQUET_SUFFIXES, *ARROW_SUFFIXES, *_ARRAY_READERS)


def read(data: object, request: ReadingRequest) -> Source:
    """The source that data stand for."""
    if isinstance(data, str | os.PathLike):
        return _read_name(os.fspath(data), request)
    if isinstance(data, list | tuple) and data and all(isinstance(path, str | os.PathLike) for path in data):
        return _read_files([os.fspath(path) for path in data], request)
    if isinstance(data, Dataset):
        request.check_for(f"the data set {data.name!r}")
        return _read_dataset(data, request)
    if isinstance(data, nw.LazyFrame):
        data = data.to_native()
    if (engine := engine_of(data)) is not None:
        request.check_for(engine.where)
        return PartitionedSource(engine, request)
    if (batches := find_batches(data)) is not None:
        request.check_for(batches.where)
        return BatchSource(batches, request)
    if is_frame(data):
        request.check_for("a frame")
        return _read_frame(data, request)
    return _read_array(data, request)


def reading_notes(source: Source, left_out_is_said: bool = True) -> list[str]:
    """What somebody should know about how a source is read: a guessed encoding, columns that were left out."""
    notes = list(source.notes)
    if source.left_out and left_out_is_said:
        names = list(source.left_out)
        subject = f"Column {names[0]!r} holds" if len(names) == 1 else f"The columns {listed(names)} hold"
        pronoun = "it was" if len(names) == 1 else "they were"
        notes.append(
            f"{subject} {DATES}; {pronoun} left out. Convert to numbers, such as days since a date, to use "
            f"{'it' if len(names) == 1 else 'them'}."
        )
    return notes


def _read_name(name: str, request: ReadingRequest) -> Source:
    if name == STANDARD_INPUT:
        return _read_file(str(store_standard_input()), request, SHOWN)
    path = Path(name)
    try:
        path.exists()
    except OSError as error:
        raise UnreadableFile(f"{name!r} cannot be looked up: {error.strerror}. Check the path.") from None
    if path.is_dir():
        return _read_parquet(name, request)
    if path.exists():
        return _read_file(name, request)
    if glob.has_magic(name):
        return _read_files([str(file) for file in find_parquet_files(name)], request)
    # Imported here: only a name that is no file needs it.
    from fewest import datasets

    if name.replace("_", "-") not in datasets.names():
        raise UnreadableFile(_unknown_name(name, datasets.names()))
    request.check_for(f"the data set {name!r}")
    return _read_dataset(datasets.load(name), request)


def _read_dataset(found: Dataset, request: ReadingRequest) -> Source:
    """The source of a data set, with the columns that are known to carry the class."""
    if not isinstance(request.target, str | None) or request.target not in (None, found.target_name):
        raise InvalidParameter(
            f"The target of the data set {found.name!r} is {found.target_name!r}, not {request.target!r}. Leave it out."
        )
    if request.weight is not None:
        raise InvalidParameter(f"The data set {found.name!r} has no weights. Leave the weight out.")
    labels = Target(found.y, name=found.target_name, drop_unlabelled=request.drop_unlabelled)
    source = ArraySource(found.X, labels, found.feature_names)
    source.true_columns = [found.feature_names[column] for column in found.truth or ()]
    return _only_chosen(source, request, f"the data set {found.name!r}")


def _read_file(name: str, request: ReadingRequest, shown: str | None = None) -> Source:
    """The source of one file; shown is what to call it in errors, its name by default."""
    check_regular_file(Path(name))
    suffix = _suffix(Path(name))
    if suffix in DELIMITED_SUFFIXES:
        request.check_for(name, is_text=True, is_transposable=True)
        reader = read_transposed if request.transpose else DelimitedSource
        return reader(name, request, shown)
    if suffix in EXCEL_SUFFIXES:
        request.check_for(name, is_transposable=True)
        return read_excel(name, request, shown)
    if suffix in PARQUET_SUFFIXES:
        return _read_parquet(name, request)
    request.check_for(name)
    if suffix in ARROW_SUFFIXES:
        return ArrowFileSource(name, request)
    source = _ARRAY_READERS[suffix](name, request)
    return _only_chosen(source, request, name)


def _read_parquet(data: str | list[str], request: ReadingRequest) -> Source:
    request.check_for(data if isinstance(data, str) else data[0])
    return ParquetSource(data, request)


def _read_files(names: list[str], request: ReadingRequest) -> Source:
    if len(names) == 1:
        return _read_name(names[0], request)
    for name in names:
        if Path(name).is_file() and _suffix(Path(name)) not in PARQUET_SUFFIXES:
            raise UnreadableFile(
                f"Only Parquet files can be read together, and {name} is none. Give one file, or write them as Parquet."
            )
    return _read_parquet(names, request)


def _suffix(path: Path) -> str:
    """The ending that says the format of a file, without the one that says that it is packed."""
    name = path.name.lower()
    suffix = Path(name.removesuffix(".gz")).suffix
    if suffix not in _SUFFIXES or (name.endswith(".gz") and suffix not in DELIMITED_SUFFIXES):
        raise UnreadableFile(
            f"{path} has an ending that says no known format. Known are {', '.join(_SUFFIXES)}, and "
            f"{', '.join(f'{suffix}.gz' for suffix in DELIMITED_SUFFIXES)}."
        )
    return suffix


def _only_chosen(source: Source, request: ReadingRequest, where: str) -> Source:
    """The source of an array with the columns that were chosen."""
    choice = request.choice
    if choice.takes_all:
        return source
    names = source.feature_names or [f"x{column}" for column in range(source.n_features)]
    if choice.categories:
        raise InvalidParameter(f"{where} holds numbers alone: its columns cannot be read as categories.")
    chosen = set(choice.features(names, (), where))
    return source.only([column for column, name in enumerate(names) if name in chosen])


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


def _read_frame(data: IntoDataFrame, request: ReadingRequest) -> Source:
    frame: Frame = nw.from_native(data, eager_only=True)
    names = check_names(frame.columns)
    if names != frame.columns:
        # pandas allows names that are not text.
        frame = frame.rename(dict(zip(frame.columns, names, strict=True)))
    where, target, weight, choice = "the table", request.target, request.weight, request.choice
    weight_name = find_column(names, str(weight), "weight", where) if _is_name(weight) else None
    if target is None or _is_name(target):
        named = replace(request, target=None if target is None else str(target), weight=weight_name)
        roles = assign_roles(names, named, where)
        labels = _labels_of(frame[roles.target])
        target_name, features = roles.target, roles.features
    else:
        target_name, labels = None, _as_labels(target)
        features = choice.features(names, [] if weight_name is None else [weight_name], where)
    weights = weight if weight_name is None else frame[weight_name].to_numpy()
    known = Target(labels, weights, name=target_name, drop_unlabelled=request.drop_unlabelled)
    as_categories = choice.as_categories(names, where)
    readings = choice.settle(find_readings(frame.select(*features), features, request.marks, as_categories))
    features, left_out = without_dates(features, readings, where)
    source = FrameSource(nw.to_native(frame.select(*features)), known, readings)
    source.left_out = left_out
    return source


def _read_array(data: object, request: ReadingRequest) -> Source:
    request.check_for("an array", is_array=True)
    target, weight = request.target, request.weight
    try:
        values: Matrix = data if sparse.issparse(data) else np.asanyarray(data)
    except ValueError:
        raise InvalidInput("The rows have different lengths. Give every row the same number of values.") from None
    except Exception as error:
        what = f"got {type(data).__name__}, which cannot be made an array ({type(error).__name__}: {error})"
        raise InvalidType(f"Rows must come from a path, a frame in memory, an array or a source; {what}.") from None
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
    names = None if request.feature_names is None else _names_of_columns(request.feature_names, values.shape[1])
    known = Target(_as_labels(target), weight, drop_unlabelled=request.drop_unlabelled)
    return _only_chosen(ArraySource(values, known, names), request, "the array")


def _names_of_columns(feature_names: object, n_columns: int) -> list[str]:
    if isinstance(feature_names, str) or not isinstance(feature_names, Iterable):
        raise InvalidType(f"feature_names must hold a name a column, got {type(feature_names).__name__} instead.")
    names = check_names(list(feature_names), "feature_names")
    if len(names) != n_columns:
        raise InvalidInput(f"There are {len(names)} feature_names for {n_columns} columns. Give one a column.")
    return names


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
