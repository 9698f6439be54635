"""Sparse matrices as the core reads them: CSR or CSC whose indices are of one type and point inside the matrix."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import TypeAlias, TypeGuard

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from fewest.errors import InvalidInput

Array = NDArray[np.generic]
#: A dense array, or a sparse matrix in CSR or CSC.
Matrix: TypeAlias = "Array | sparse.csr_matrix"
#: Whether this is a sparse matrix or array of SciPy; SciPy has no types, so that its own would not narrow them.
is_sparse: Callable[[object], TypeGuard[sparse.csr_matrix]] = sparse.issparse
_INDEX_TYPES = (np.dtype(np.int32), np.dtype(np.int64))
_ADVICE = "Make it anew; its check_format() says where it is wrong."


def checked_sparse(values: sparse.spmatrix) -> sparse.csr_matrix:
    """CSR or CSC with indices that can be trusted; other formats become CSR. The matrix given is never written to.

    Raises where an index is no whole number or points outside the matrix: SciPy accepts it, and SciPy itself and the
    core would read there.
    """
    compressed = as_compressed(values)
    _check_indices(compressed)
    return compressed


def as_compressed(values: sparse.spmatrix) -> sparse.csr_matrix:
    """CSR or CSC whose indices are both int32 or both int64, not looked at; other formats become CSR."""
    if values.ndim != 2:
        raise InvalidInput(f"A sparse matrix of rows must have two dimensions, got shape {values.shape}.")
    if values.format not in ("csr", "csc"):
        values = _to_csr(values)
    types = values.indptr.dtype, values.indices.dtype
    if types[0] == types[1] and types[0] in _INDEX_TYPES and types[0].isnative:
        return values
    converted = copy(values)
    converted.indptr, converted.indices = _whole(values.indptr, values.shape), _whole(values.indices, values.shape)
    return converted


def _to_csr(values: sparse.spmatrix) -> sparse.csr_matrix:
    """Another format as CSR; raises where its indices would be followed outside the matrix."""
    if values.format == "coo":
        coordinates = [_whole(part, values.shape) for part in (values.row, values.col)]
        lengths = {len(values.data), *(len(part) for part in coordinates)}
        is_valid = len(lengths) == 1 and all(
            part.min(initial=0) >= 0 and part.max(initial=-1) < length
            for part, length in zip(coordinates, values.shape, strict=True)
        )
        if not is_valid:
            raise _outside(values.shape)
        values = sparse.coo_matrix((values.data, tuple(coordinates)), shape=values.shape)
    try:
        if values.format == "bsr":
            values.check_format(full_check=True)
        return values.tocsr()
    except (ValueError, TypeError, OverflowError, IndexError, AttributeError) as error:
        raise InvalidInput(f"The sparse matrix in {values.format} format is damaged: {error}. Make it anew.") from None


def _whole(indices: NDArray[np.number], shape: tuple[int, int]) -> NDArray[np.int64]:
    """Indices of any type of number as int64; raises where one is not whole."""
    kind = indices.dtype.kind
    if kind in "iu" and (indices.dtype.itemsize < 8 or kind == "i" or indices.max(initial=0) < 2**63):
        return indices.astype(np.int64)
    if kind == "f" and bool(np.all((np.abs(indices) < 2.0**53) & (indices == np.floor(indices)))):
        return indices.astype(np.int64)
    what = f"The indices of the sparse matrix of {shape[0]} rows and {shape[1]} columns are {indices.dtype}"
    raise InvalidInput(f"{what}, not all of them whole numbers. {_ADVICE}")


def _check_indices(values: sparse.csr_matrix) -> None:
    n_lines, n_indices = values.shape if values.format == "csr" else values.shape[::-1]
    starts, indices = values.indptr, values.indices
    is_valid = starts.ndim == indices.ndim == values.data.ndim == 1 and len(starts) == n_lines + 1
    is_valid = is_valid and starts[0] == 0 and starts[-1] <= len(indices) == len(values.data)
    is_valid = is_valid and bool(np.all(starts[1:] >= starts[:-1]))
    used = indices[: starts[-1]] if is_valid else indices
    if not is_valid or used.min(initial=0) < 0 or used.max(initial=-1) >= n_indices:
        raise _outside(values.shape)


def _outside(shape: tuple[int, int]) -> InvalidInput:
    return InvalidInput(
        f"The indices of the sparse matrix point outside its {shape[0]} rows and {shape[1]} columns. {_ADVICE}"
    )
