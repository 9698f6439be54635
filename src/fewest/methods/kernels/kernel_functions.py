"""Kernels of scikit-learn by name, and functions that serve as one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from numbers import Real
from typing import Any

import numpy as np

from fewest.arrays import Floats
from fewest.errors import InvalidInput, InvalidParameter, did_you_mean

Kernel = Callable[..., Any]

#: The kernels of scikit-learn and what each may be told.
KERNELS: dict[str, frozenset[str]] = {
    "additive_chi2": frozenset(),
    "chi2": frozenset({"gamma"}),
    "cosine": frozenset(),
    "laplacian": frozenset({"gamma"}),
    "linear": frozenset(),
    "poly": frozenset({"gamma", "degree", "coef0"}),
    "polynomial": frozenset({"gamma", "degree", "coef0"}),
    "rbf": frozenset({"gamma"}),
    "sigmoid": frozenset({"gamma", "coef0"}),
}
#: Where scikit-learn's default width is one over the number of columns.
WIDTH_FROM_COLUMNS = frozenset({"laplacian", "poly", "polynomial", "rbf", "sigmoid"})


def check_kernel(kernel: Any, parameters: Any) -> None:
    """Raise unless this is a kernel, and these are numbers that it may be told."""
    if parameters is not None and not isinstance(parameters, Mapping):
        raise InvalidParameter(
            "kernel_params must be a dict from names to values, such as {'gamma': 0.5}, or None; "
            f"got {parameters!r} instead."
        )
    if not callable(kernel):
        _check_named(kernel, parameters or {})


def kernel_function(kernel: str | Kernel) -> Kernel:
    """The kernel as a function of two tables, and of its parameters by name."""
    return _checked(kernel) if callable(kernel) else _named(kernel)


def is_finite(value: Any) -> bool:
    """Whether this is a number, and not an infinite one."""
    return isinstance(value, Real) and bool(np.isfinite(float(value)))


def _check_named(kernel: Any, parameters: Mapping[str, Any]) -> None:
    if not isinstance(kernel, str) or kernel not in KERNELS:
        near = did_you_mean(kernel, KERNELS) if isinstance(kernel, str) else ""
        raise InvalidParameter(
            f"kernel must be one of {', '.join(map(repr, KERNELS))} or a function k(X, Y) that gives a matrix; "
            f"got {kernel!r}{near} instead."
        )
    allowed = KERNELS[kernel]
    for name, value in parameters.items():
        if name not in allowed:
            may_have = f"it has {', '.join(sorted(allowed))}" if allowed else "it has none"
            raise InvalidParameter(f"The kernel {kernel!r} has no parameter {name!r} ({may_have}).")
        if not (is_finite(value) or (name == "gamma" and value is None and kernel in WIDTH_FROM_COLUMNS)):
            raise InvalidParameter(f"{name} of the kernel {kernel!r} must be a finite number, got {value!r} instead.")


def _named(name: str) -> Kernel:
    def evaluate(X: Floats, Y: Floats, **parameters: Any) -> Floats:
        # Imported here: to read the parameters nobody should have to wait for scikit-learn.
        from sklearn.metrics.pairwise import pairwise_kernels

        try:
            matrix: Floats = pairwise_kernels(X, Y, metric=name, **parameters)
        except ValueError as error:
            advice = (
                "The chi2 kernels are for counts and shares: use scale='range', or scale=None where no value is below "
                "zero, or another kernel."
                if "negative" in str(error)
                else "Choose another kernel, scale or kernel_params."
            )
            raise InvalidInput(f"The kernel {name!r} cannot be had of these columns ({error}) {advice}") from error
        return matrix

    return evaluate


def _checked(kernel: Kernel) -> Kernel:
    def evaluate(X: Floats, Y: Floats, **parameters: Any) -> Floats:
        given = kernel(X, Y, **parameters)
        try:
            matrix = np.asarray(given, dtype=np.float64)
        except (TypeError, ValueError):
            matrix = np.empty(0)
        if matrix.shape != (len(X), len(Y)):
            what = f"shape {given.shape}" if hasattr(given, "shape") else type(given).__name__
            raise InvalidParameter(
                f"kernel(X, Y) must give one number for each row of X and each row of Y, here an array of shape "
                f"({len(X)}, {len(Y)}); got {what} instead."
            )
        return matrix

    return evaluate
