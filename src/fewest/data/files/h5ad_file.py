"""Annotated matrices of single cells: .h5ad files, with the names of genes and the annotation of cells."""

from __future__ import annotations

import mmap
import struct
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from fewest.data.array import ArraySource
from fewest.data.column_choice import ReadingRequest
from fewest.data.files.table_file import PathLike, find_column
from fewest.data.frame import check_names
from fewest.data.labels import Target
from fewest.data.sparse_matrix import Array, Matrix
from fewest.errors import FewestError, InvalidInput, InvalidParameter, MissingDependency, UnreadableFile
from fewest.memory import STORED_ROWS, check_memory

if TYPE_CHECKING:
    import h5py

#: How a heap of texts starts: its signature, the version and three bytes that are not used.
_HEAP = b"GCOL\x01\x00\x00\x00"
#: A larger file is not searched for heaps: that would take seconds.
_MOST_SEARCHED = 1 << 30
#: What the HDF5 library counts up to.
_OVERFLOWS = 1 << 64
#: A text in a file: its length, and where in which heap it is.
_TEXT = np.dtype([("length", "<u4"), ("heap", "<u8"), ("number", "<u4")])
_SPARSE_PARTS = ("data", "indices", "indptr")


def read_h5ad(path: PathLike, request: ReadingRequest) -> ArraySource:
    """The matrix X of an .h5ad file, dense or sparse, with the names of its variables as feature names.

    target and weight name columns of obs; all its columns of one value a cell are row_arrays. Read whole.
    """
    try:
        h5 = import_module("h5py")
    except ImportError:
        raise MissingDependency("Reading .h5ad files needs h5py: pip install 'fewest[h5ad]'") from None
    try:
        with h5.File(Path(path), "r") as file:
            _check_heaps(Path(path))
            return _read(file, h5, str(path), request)
    except FewestError:
        raise
    except OSError as error:
        what = f"cannot be read: {error.strerror}" if error.strerror else "is not a whole .h5ad file"
        raise UnreadableFile(f"{path} {what}.") from None
    except Exception as error:  # damage shows as errors of many kinds
        raise UnreadableFile(f"{path} is no .h5ad file of a known version ({error}). Write it again.") from error


def _check_heaps(path: Path) -> None:
    """Raise where the HDF5 library would go through a heap of texts for ever, since a step leads nowhere or back.

    The library counts in 64 bits: a length near 2^64 is a short step.
    """
    if path.stat().st_size > _MOST_SEARCHED:
        return
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        start = content.find(_HEAP)
        while start >= 0:
            size = int.from_bytes(content[start + 8 : start + 16], "little")
            position, stop = start + 16, min(start + size, len(content))
            while position + 16 <= stop:
                number, _, _, length = struct.unpack_from("<HHIQ", content, position)
                # Free space counts its head; a text follows a head of 16 bytes, and ends at a multiple of 8.
                step = length if number == 0 else 16 + (length + 7) % _OVERFLOWS // 8 * 8
                if not 0 < step % _OVERFLOWS < _OVERFLOWS // 2:
                    raise UnreadableFile(f"{path} is a damaged .h5ad file: texts are missing. Copy or write it again.")
                position += step % _OVERFLOWS
            start = content.find(_HEAP, start + 1)


def _read(file: h5py.File, h5: h5py, where: str, request: ReadingRequest) -> ArraySource:
    target, weight = request.target, request.weight
    for part in ("X", "obs", "var"):
        if part not in file:
            raise UnreadableFile(f"{where} has no {part}, which an .h5ad file must have. Write it again.")
    obs = file["obs"]
    annotations = {name: part for name, part in obs.items() if name not in ("__categories", _index_name(obs))}
    if target is None:
        shown = next((name for name in annotations), "cell_type")
        raise InvalidParameter(f"Name the target: a column of obs in {where}, for example target={shown!r}.")
    _check_size(_matrix_bytes(file["X"], h5), where)
    known = {name: _annotation(name, part, obs, h5, where) for name, part in annotations.items()}
    readable = {name: values for name, values in known.items() if values is not None}
    labels = readable[find_column(list(readable), target, "target", where)]
    weights = None if weight is None else readable[find_column(list(readable), weight, "weight", where)]
    values = _matrix(file["X"], h5, where)
    names = check_names(_texts(file["var"][_index_name(file["var"])], where).tolist(), where)
    if values.shape != (len(labels), len(names)):
        raise InvalidInput(
            f"X of {where} has shape {values.shape}, for {len(labels)} cells and {len(names)} variables."
        )
    others = {name: array for name, array in readable.items() if name != target}
    return ArraySource(
        values, Target(labels, weights, name=str(target), drop_unlabelled=request.drop_unlabelled), names, others
    )


def _matrix(stored: h5py.Group | h5py.Dataset, h5: h5py, where: str) -> Matrix:
    if isinstance(stored, h5.Dataset):
        values = np.asarray(stored[:])
        if values.ndim != 2 or values.dtype.kind not in "biuf":
            what = f"got {values.dtype} of shape {values.shape}"
            raise InvalidInput(f"X of {where} must be a table of numbers, cells by variables; {what}.")
        return values
    kind = stored.attrs.get("encoding-type", stored.attrs.get("h5sparse_format", ""))
    kind = kind.decode() if isinstance(kind, bytes) else str(kind)
    shape = tuple(int(length) for length in stored.attrs.get("shape", stored.attrs.get("h5sparse_shape")))
    parts = tuple(stored[name][:] for name in _SPARSE_PARTS)
    return sparse.csc_matrix(parts, shape=shape) if kind.startswith("csc") else sparse.csr_matrix(parts, shape=shape)


def _matrix_bytes(stored: h5py.Group | h5py.Dataset, h5: h5py) -> float:
    parts = [stored] if isinstance(stored, h5.Dataset) else [stored[name] for name in _SPARSE_PARTS]
    return float(sum(part.nbytes for part in parts))


def _check_size(n_bytes: float, where: str, part: str = "X") -> None:
    check_memory(n_bytes, STORED_ROWS, f"{part} of {where} is read whole and takes", "Choose genes or cells first.")


def _index_name(group: h5py.Group) -> str:
    name = group.attrs.get("_index", "_index")
    return name.decode() if isinstance(name, bytes) else str(name)


def _annotation(name: str, part: h5py.Group | h5py.Dataset, obs: h5py.Group, h5: h5py, where: str) -> Array | None:
    """One value a cell, None where it is missing; None for what is stored in a way of its own."""
    if isinstance(part, h5.Dataset):
        # Categories stood apart in earlier versions.
        reference = part.attrs.get("categories")
        if reference is None:
            return _values(part, where)
        return _categories(name, _array(part, where), _values(obs[reference], where), where)
    if "codes" in part and "categories" in part:
        return _categories(name, _array(part["codes"], where), _values(part["categories"], where), where)
    if "values" in part and "mask" in part:
        values = _values(part["values"], where).astype(object)
        values[_array(part["mask"], where).astype(bool)] = None
        return values
    return None


def _categories(name: str, codes: Array, names: Array, where: str) -> Array:
    """The category of each cell, None where its code is -1."""
    is_integer = codes.dtype.kind in "iu"
    numbers = codes.astype(np.int64) if is_integer else np.full(1, -2)
    if numbers.min(initial=-1) < -1 or numbers.max(initial=-1) >= len(names):
        raise UnreadableFile(f"{where} is damaged: codes of {name!r} in obs are none of its {len(names)} categories.")
    known = [*names.tolist(), None]
    return np.fromiter((known[code] for code in codes.tolist()), dtype=object, count=len(codes))


def _array(part: h5py.Dataset, where: str) -> Array:
    """A dataset as an array, of one dimension; its declared size is checked before anything is read."""
    if part.ndim != 1:
        raise UnreadableFile(f"{where}: {part.name} must hold one value each, and has the shape {part.shape}.")
    _check_size(float(part.nbytes), where, str(part.name))
    if part.dtype.kind == "O":
        _check_lengths(part, where)
    return np.asarray(part[:])


def _check_lengths(part: h5py.Dataset, where: str) -> None:
    """Raise where a text is said to be longer than the file, since the HDF5 library would first make room for it.

    Only of parts that are stored as they are: what is compressed has a checksum.
    """
    path = Path(part.file.filename)
    if part.id.get_create_plist().get_nfilters():
        return
    if part.chunks is None:
        stored = [(part.id.get_offset(), part.id.get_storage_size())]
    else:
        chunks = (part.id.get_chunk_info(number) for number in range(part.id.get_num_chunks()))
        stored = [(chunk.byte_offset, chunk.size) for chunk in chunks]
    for offset, size in stored:
        if offset is None:  # nothing was written
            continue
        texts = np.fromfile(path, dtype=_TEXT, count=size // _TEXT.itemsize, offset=offset)
        if texts["length"].max(initial=0) > path.stat().st_size:
            what = f"a text of {part.name} is longer than the file"
            raise UnreadableFile(f"{where} is damaged: {what}. Copy or write it again.")


def _values(part: h5py.Dataset, where: str) -> Array:
    return _texts(part, where) if part.dtype.kind in "OS" else _array(part, where)


def _texts(part: h5py.Dataset, where: str) -> Array:
    texts = _array(part, where).tolist()
    values = [value.decode("utf-8", "replace") if isinstance(value, bytes) else value for value in texts]
    return np.fromiter(values, dtype=object, count=len(values))
