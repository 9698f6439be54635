"""The variables of MATLAB files, whose elements are checked before SciPy follows them."""

from __future__ import annotations

import io
import mmap
import struct
import warnings
import zlib
from pathlib import Path
from typing import BinaryIO

from fewest.data.files.regular_file import check_size
from fewest.data.sparse_matrix import Matrix
from fewest.errors import UnreadableFile

#: Elements of the fifth version: what holds others, and those that hold numbers or text.
_MATRIX, _COMPRESSED = 14, 15
_PLAIN = frozenset({1, 2, 3, 4, 5, 6, 7, 9, 12, 13, 16, 17, 18})
_HEADER_BYTES, _TAG_BYTES, _SMALL_BYTES = 128, 8, 4
#: The tag of the flags of a matrix, and of its forms those whose numbers follow flags, dimensions and name.
_FLAGS_TAG = (6, 8)
_SPARSE, _DENSE = 5, range(4, 16)
#: Cells in cells that a table may have.
_MOST_LEVELS = 30


def load_mat(file: BinaryIO, path: Path) -> dict[str, Matrix]:
    """The variables of an opened MATLAB file, by name."""
    from scipy.io import loadmat
    from scipy.io.matlab import matfile_version

    with warnings.catch_warnings():
        # SciPy announces that sparse matrices will become sparse arrays; either will do.
        warnings.simplefilter("ignore", DeprecationWarning)
        major, _ = matfile_version(file)
        if major == 2:
            raise UnreadableFile(
                f"{path} is a MATLAB file of version 7.3 (HDF5), which is not read. Save it with -v7, or as .npz."
            )
        file.seek(0)
        loaded: dict[str, Matrix] = loadmat(_checked_elements(file, path) if major == 1 else file)
    return {name: value for name, value in loaded.items() if not name.startswith("__")}


def _checked_elements(file: BinaryIO, path: Path) -> BinaryIO:
    """The file with its compressed variables unpacked; raises where an element is of no known type, or too long.

    SciPy takes the type of an element for a position in a table, and reads outside of that table.
    """
    with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content, memoryview(content) as view:
        order = "<" if bytes(view[126:128]) == b"IM" else ">"
        variables: list[bytes | tuple[int, int]] = [(0, _HEADER_BYTES)]
        position, n_bytes = _HEADER_BYTES, 0
        while position < len(view):
            kind, length = _tag(view, position, order)
            stop = position + _TAG_BYTES + length
            if stop > len(view) or kind not in (_MATRIX, _COMPRESSED):
                raise ValueError("A variable is cut short or of no known type.")
            if kind == _COMPRESSED:
                with view[position + _TAG_BYTES : stop] as packed:
                    unpacked = _unpacked(packed, order, path, n_bytes)
                n_bytes += len(unpacked)
                _check_elements(memoryview(unpacked), order)
                variables.append(unpacked)
            else:
                with view[position:stop] as element:
                    _check_elements(element, order)
                variables.append((position, stop))
            position = stop
        if n_bytes:
            parts = (part if isinstance(part, bytes) else bytes(view[slice(*part)]) for part in variables)
            return io.BytesIO(b"".join(parts))
    file.seek(0)
    return file


def _tag(view: memoryview, position: int, order: str) -> tuple[int, int]:
    """The type of the element at this position, and the number of bytes that it holds."""
    kind, length = struct.unpack_from(f"{order}II", view, position)
    return kind, length


def _unpacked(packed: memoryview, order: str, path: Path, n_bytes: int) -> bytes:
    """A compressed variable: its tag, and as many bytes as that declares.

    n_bytes : what the variables before it take
    """
    unpacker = zlib.decompressobj()
    tag = unpacker.decompress(packed, _TAG_BYTES)
    _, length = _tag(memoryview(tag), 0, order)
    check_size(n_bytes + length, f"{path} is read whole and takes")
    content = unpacker.decompress(unpacker.unconsumed_tail, max(length, 1))
    # Nothing may follow; the checksum at the end is looked at only when all has been read.
    if len(content) != length or unpacker.decompress(unpacker.unconsumed_tail, 1) or not unpacker.eof:
        raise ValueError("A compressed variable is not of the size that it declares.")
    return tag + content


def _check_elements(view: memoryview, order: str, level: int = 0) -> int:
    """The number of elements here that hold numbers or text.

    Raises where an element, or one inside of it, is of no known type, longer than what holds it, or lacks a part.
    """
    if level > _MOST_LEVELS:
        raise ValueError("Cells are nested too deeply.")
    position = n_plain = 0
    while position + _TAG_BYTES <= len(view):
        kind, length = _tag(view, position, order)
        if kind >> 16:
            # A small element: type, length and content in the eight bytes.
            kind, length, step = kind & 0xFFFF, kind >> 16, 0
            is_valid = kind in _PLAIN and length <= _SMALL_BYTES
        else:
            step = length + -length % 8
            is_valid = (kind in _PLAIN or kind == _MATRIX) and position + _TAG_BYTES + length <= len(view)
        if not is_valid:
            raise ValueError("An element is cut short or of no known type.")
        if kind == _MATRIX:
            start = position + _TAG_BYTES
            with view[start : start + length] as inside:
                n_inside = _check_elements(inside, order, level + 1)
                if length and n_inside < _n_parts(inside, order):
                    raise ValueError("A matrix lacks a part that its flags declare.")
        else:
            n_plain += 1
        position += _TAG_BYTES + step
    return n_plain


def _n_parts(matrix: memoryview, order: str) -> int:
    """The number of elements that a matrix must have, by its flags: SciPy would go on into the next variable."""
    kind, length, flags = (int(number) for number in struct.unpack_from(f"{order}III", matrix))
    if (kind, length) != _FLAGS_TAG:
        raise ValueError("A matrix does not begin with its flags.")
    form, is_complex = flags & 0xFF, flags >> 11 & 1
    if form == _SPARSE:
        return 6 + is_complex
    return 4 + is_complex if form in _DENSE else 0
