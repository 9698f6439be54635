"""Kernels of scikit-learn by name, and functions that serve as kernels, evaluated a block of rows at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from numbers import Real

import numpy as np

from fewest.arrays import Floats
from fewest.errors import InvalidInput, InvalidParameter, did_you_mean
from fewest.parameters import as_float

#: A function of two tables that returns one number for each row of the one and each row of the other.
Kernel = Callable[..., object]

#: The kernels whose default gamma in scikit-learn is one over the number of columns.
_GAMMA_FROM_COLUMNS = frozenset({"laplacian", "poly", "polynomial", "rbf", "sigmoid"})


def check_kernel(kernel: object, parameters: object) -> None:
    """Raise unless this is a kernel, and these are parameters that it has."""
    if parameters is not None and not isinstance(parameters, Mapping):
        raise InvalidParameter(
            "kernel_params must be a dict from names to values, such as {'gamma': 0.5}, or None; "
            f"got {parameters!r} instead."
        )
    if callable(kernel):
        return
    from sklearn.metrics.pairwise import KERNEL_PARAMS  # here, so that importing this module is fast

    if not isinstance(kernel, str) or kernel not in KERNEL_PARAMS:
        near = did_you_mean(kernel, KERNEL_PARAMS) if isinstance(kernel, str) else ""
        raise InvalidParameter(
            f"kernel must be one of {', '.join(map(repr, KERNEL_PARAMS))} or a function k(X, Y) that returns a matrix; "
            f"got {kernel!r}{near} instead."
        )
    for name, value in (parameters or {}).items():
        if name not in KERNEL_PARAMS[kernel]:
            names = ", ".join(sorted(KERNEL_PARAMS[kernel])) or "none"
            raise InvalidParameter(f"The kernel {kernel!r} has no parameter {name!r} (it has {names}).")
        is_default = name == "gamma" and value is None and kernel in _GAMMA_FROM_COLUMNS
        if not is_default and not (isinstance(value, Real) and np.isfinite(as_float(value))):
            raise InvalidParameter(f"{name} of the kernel {kernel!r} must be a finite number, got {value!r} instead.")


class KernelFunction:
    """A kernel with its parameters, as a function of two tables.

    n_columns : the default gamma is one over it, whatever the number of columns of the tables
    """

    def __init__(self, kernel: str | Kernel, parameters: Mapping[str, object] | None, n_columns: int) -> None:
        self._kernel = kernel
        self._parameters = dict(parameters or {})
        if isinstance(kernel, str) and kernel in _GAMMA_FROM_COLUMNS and self._parameters.get("gamma") is None:
            self._parameters["gamma"] = 1.0 / n_columns

    def __call__(self, X: Floats, Y: Floats) -> Floats:
        """Return the kernel's matrix, rows of X by rows of Y."""
        if callable(self._kernel):
            try:
                result = self._kernel(X, Y, **self._parameters)
            except Exception as error:
                raise InvalidParameter(
                    f"kernel(X, Y) of two arrays of rows raised {type(error).__name__}: {error}. It must return one "
                    "number for each row of X and each row of Y."
                ) from error
            return _checked(result, (len(X), len(Y)))
        from sklearn.metrics.pairwise import pairwise_kernels

        try:
            matrix: Floats = pairwise_kernels(X, Y, metric=self._kernel, **self._parameters)
        except ValueError as error:
            advice = "Choose another kernel, scale or kernel_params."
            if "negative" in str(error):
                advice = "The chi2 kernels are for counts and shares: use scale='range', or scale=None where no value "
                advice += "is below zero, or another kernel."
            problem = f"The kernel {self._kernel!r} cannot be computed on these columns ({error})"
            raise InvalidInput(f"{problem} {advice}") from error
        return matrix


def row_blocks(n_rows: int, max_numbers: int, max_rows: int = 512) -> list[slice]:
    """Split rows into blocks whose pairs with all rows are at most max_numbers."""
    step = max(1, min(max_rows, max_numbers // n_rows))
    return [slice(first, min(first + step, n_rows)) for first in range(0, n_rows, step)]


def undefined_kernel(kernel: str | Kernel) -> InvalidInput:
    """Return the error for a kernel with infinite values or NaN."""
    return InvalidInput(
        f"The kernel {kernel!r} is infinite or undefined on some rows. Scale the columns (scale='symmetric'), or "
        "choose other kernel_params."
    )


def _checked(result: object, shape: tuple[int, int]) -> Floats:
    try:
        matrix = np.asarray(result, dtype=np.float64)
    except (TypeError, ValueError):
        matrix = np.empty(0)
    if matrix.shape != shape:
        found = f"shape {result.shape}" if hasattr(result, "shape") else type(result).__name__
        raise InvalidParameter(
            f"kernel(X, Y) must return one number for each row of X and each row of Y, here an array of shape {shape}; "
            f"got {found} instead."
        )
    return matrix
