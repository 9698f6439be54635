"""Nasty tables, labels and weights: what an array, a frame or a sparse matrix can hold that nobody expects."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

Random = np.random.Generator
Floats = NDArray[np.float64]

#: Factors and offsets of columns; the last ones leave what can be squared.
SCALES = (
    1e-320,
    1e-300,
    1e-200,
    1e-160,
    1e-100,
    1e-30,
    1e-8,
    1e8,
    1e30,
    1e38,
    1e100,
    1e150,
    1e154,
    1e200,
    1e300,
    1e308,
)
OFFSETS = (1e3, -1e6, 1e8, 1e9, -1e9, 1e12, 1e15, 1e100, -1e300)
ODD_VALUES = (
    np.nan, np.inf, -np.inf, 0.0, -0.0, 5e-324, -5e-324, 2.2e-308, 1e-300, 1e154, -1e154, 1.3e154, 1e200, 1e300, -1e300,
    1.7e308, -1.7e308, 2.0**53, 1e16, float(2**63), 1e38, 3.5e38, 1e-45,
)  # fmt: skip


def ordinary(random: Random) -> tuple[Floats, NDArray[np.int64]]:
    """A small table whose first column separates the classes, and its labels."""
    n_rows, n_columns = int(random.integers(8, 40)), int(random.integers(2, 9))
    n_classes = int(random.choice([2, 2, 2, 3, 4]))
    labels = np.arange(n_rows) % n_classes
    random.shuffle(labels)
    values = random.normal(size=(n_rows, n_columns))
    values[:, 0] += 2.0 * labels
    return values, labels


def nasty_values(values: Floats, labels: NDArray[np.int64], random: Random) -> tuple[str, Floats]:
    """The table with something done to its numbers, and what."""
    kinds: list[Callable[[], str]] = []
    values = values.copy()
    n_rows, n_columns = values.shape
    some = random.permutation(n_columns)[: int(random.integers(1, n_columns + 1))]

    def add(function: Callable[[], str]) -> None:
        kinds.append(function)

    @add
    def as_it_is() -> str:
        return "ordinary"

    @add
    def scaled() -> str:
        factor = random.choice(SCALES)
        values[:, some] *= factor
        return f"columns times {factor:g}"

    @add
    def all_scaled() -> str:
        factor = random.choice(SCALES)
        values[...] *= factor
        return f"all times {factor:g}"

    @add
    def scaled_each() -> str:
        values[...] *= random.choice(SCALES, n_columns)
        return "columns of many scales"

    @add
    def moved() -> str:
        offset = random.choice(OFFSETS)
        values[:, some] += offset
        return f"columns plus {offset:g}"

    @add
    def odd_cells() -> str:
        for _ in range(int(random.integers(1, 6))):
            values[random.integers(n_rows), random.integers(n_columns)] = random.choice(ODD_VALUES)
        return "odd values"

    @add
    def odd_column() -> str:
        values[:, some[0]] = random.choice(ODD_VALUES, n_rows)
        return "a column of odd values"

    @add
    def missing() -> str:
        values[random.random(values.shape) < random.choice([0.02, 0.3, 0.9])] = np.nan
        return "missing values"

    @add
    def missing_columns() -> str:
        values[:, some] = np.nan
        return "columns without a value"

    @add
    def missing_rows() -> str:
        values[random.random(n_rows) < 0.5] = np.nan
        return "rows without a value"

    @add
    def constant() -> str:
        values[:, some] = random.choice([0.0, 1.0, 1e300, -1e-300, 0.1])
        return "constant columns"

    @add
    def copies() -> str:
        values[:, some] = values[:, [0]]
        return "copied columns"

    @add
    def copied_rows() -> str:
        values[...] = values[random.integers(0, 3, n_rows)]
        return "three distinct rows"

    @add
    def one_apart() -> str:
        values[:, some] = 0.0
        values[0, some] = random.choice([1.0, 1e150, 1e-150, 5e-324])
        return "columns constant but for one row"

    @add
    def neighbours() -> str:
        values[:, some[0]] = np.where(labels == labels[0], 1.0, np.nextafter(1.0, 2.0))
        return "a column of two neighbouring numbers"

    @add
    def labels_themselves() -> str:
        values[:, some] = labels[:, None]
        return "the labels as columns"

    @add
    def integers() -> str:
        values[...] = np.rint(values * random.choice([1, 3, 1e6]))
        return "whole numbers"

    @add
    def mixed_extremes() -> str:
        values[:, some] = random.choice([1e154, -1e154, 1e153, 1.0, 1e-154], size=(n_rows, len(some)))
        return "columns near 1e154 beside ordinary ones"

    return kinds[int(random.integers(len(kinds)))](), values


def nasty_container(values: Floats, random: Random) -> tuple[str, Any]:
    """The table in some container, of some type, in some memory order; and which."""
    import pandas as pd
    import polars as pl

    names = [f"c{j}" for j in range(values.shape[1])]
    integers = np.nan_to_num(np.clip(values, -100, 100), posinf=100, neginf=-100)
    with np.errstate(over="ignore"):
        halves, singles = values.astype(np.float16), values.astype(np.float32)
    stored = sparse.coo_array(np.where(random.random(values.shape) < 0.6, 0.0, values))
    text = [[f"{cell:.0f}" for cell in row] for row in integers]
    made: dict[str, Callable[[], Any]] = {
        "float64": lambda: values,
        "float32": lambda: singles,
        "float16": lambda: halves,
        "longdouble": lambda: values.astype(np.longdouble),
        "big-endian": lambda: values.astype(">f8"),
        "Fortran": lambda: np.asfortranarray(values),
        "strided": lambda: np.repeat(np.repeat(values, 2, axis=0), 3, axis=1)[::2, ::3],
        "reversed": lambda: values[::-1, ::-1][::-1, ::-1],
        "read-only": lambda: _read_only(values),
        "masked": lambda: np.ma.masked_array(values, random.random(values.shape) < 0.1),
        "matrix": lambda: np.asmatrix(values),
        "list": lambda: values.tolist(),
        "ragged": lambda: [row[: int(random.integers(1, len(row) + 1))] for row in values.tolist()],
        "int8": lambda: integers.astype(np.int8),
        "uint64": lambda: np.abs(integers).astype(np.uint64) * np.uint64(2**60),
        "int64": lambda: integers.astype(np.int64) * 2**55,
        "bool": lambda: values > 0,
        "complex": lambda: values.astype(np.complex128),
        "object": lambda: values.astype(object),
        "objects": lambda: _some_objects(values, random),
        "strings": lambda: np.array(text),
        "bytes": lambda: np.array(text, dtype="S8"),
        "dates": lambda: integers.astype("datetime64[D]"),
        "durations": lambda: integers.astype("timedelta64[s]"),
        "no rows": lambda: values[:0],
        "no columns": lambda: values[:, :0],
        "one row": lambda: values[:1],
        "one column": lambda: values[:, :1],
        "one dimension": lambda: values[:, 0],
        "three dimensions": lambda: values[:, :, None],
        "number": lambda: 3.0,
        "None": lambda: None,
        "dict": lambda: {"a": [1, 2]},
        "pandas": lambda: pd.DataFrame(values, columns=names),
        "pandas float32": lambda: pd.DataFrame(singles, columns=names),
        "pandas nullable": lambda: pd.DataFrame(integers, columns=names).astype("Int16"),
        "pandas nullable floats": lambda: pd.DataFrame(values, columns=names).convert_dtypes(),
        "pandas Arrow": lambda: pd.DataFrame(values, columns=names).convert_dtypes(dtype_backend="pyarrow"),
        "pandas booleans": lambda: pd.DataFrame(values > 0, columns=names).astype("boolean"),
        "pandas text": lambda: pd.DataFrame(text, columns=names),
        "pandas categories": lambda: pd.DataFrame(text, columns=names).astype("category"),
        "pandas mixed": lambda: _mixed(pd.DataFrame(values, columns=names), text),
        "pandas dates": lambda: pd.DataFrame(integers, columns=names).astype("datetime64[ns]"),
        "pandas one name": lambda: pd.DataFrame(values, columns=["a"] * len(names)),
        "pandas numbered": lambda: pd.DataFrame(values),
        "pandas odd names": lambda: pd.DataFrame(values, columns=[None, *range(1, len(names))]),
        "pandas sparse": lambda: pd.DataFrame.sparse.from_spmatrix(stored.tocsr(), columns=names),
        "pandas levels": lambda: pd.DataFrame(values, columns=pd.MultiIndex.from_product([["a"], names])),
        "pandas objects": lambda: pd.DataFrame(_some_objects(values, random), columns=names),
        "polars": lambda: pl.DataFrame(values, schema=names),
        "polars null": lambda: pl.DataFrame(values, schema=names).fill_nan(None),
        "polars lazy": lambda: pl.DataFrame(values, schema=names).lazy(),
        "polars text": lambda: pl.DataFrame(text, schema=names, orient="row"),
        "arrow": lambda: pl.DataFrame(values, schema=names).to_arrow(),
        "CSR": lambda: stored.tocsr(),
        "CSC": lambda: stored.tocsc(),
        "COO": lambda: stored,
        "COO twice": lambda: _twice(stored),
        "CSR matrix": lambda: sparse.csr_matrix(stored),
        "LIL": lambda: stored.tolil(),
        "DOK": lambda: stored.todok(),
        "BSR": lambda: stored.tobsr(),
        "explicit zeros": lambda: _explicit_zeros(stored.tocsr(), random),
        "unsorted CSR": lambda: _unsorted(stored.tocsr()),
        "CSR int64 indices": lambda: _with_indices(stored.tocsr(), np.int64),
        "CSR int8": lambda: sparse.csr_array(integers.astype(np.int8)),
        "CSR bool": lambda: sparse.csr_array(values > 0),
        "CSR no rows": lambda: stored.tocsr()[:0],
        "CSR zeros": lambda: sparse.csr_array(values.shape),
        "CSR wide": lambda: _wide(stored),
    }
    # Half of the time what most people give.
    name = "float64" if random.random() < 0.5 else str(random.choice(sorted(made)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return name, made[name]()
        except (ValueError, TypeError, OverflowError):  # the container cannot hold such numbers
            return "float64", values


def nasty_labels(labels: NDArray[np.int64], random: Random) -> tuple[str, Any]:
    """The labels as something else, and what."""
    import pandas as pd

    n = len(labels)
    made: dict[str, Callable[[], Any]] = {
        "strings": lambda: np.array([f"class {label}" for label in labels]),
        "objects": lambda: np.array([f"class {label}" for label in labels], dtype=object),
        "floats": lambda: labels.astype(np.float64),
        "list": lambda: labels.tolist(),
        "booleans": lambda: labels > 0,
        "bytes": lambda: np.array([b"a", b"b", b"c", b"d"])[labels],
        "large": lambda: labels * 2**61 - 2**60,
        "unsigned": lambda: labels.astype(np.uint64) + np.uint64(2**63),
        "dates": lambda: labels.astype("datetime64[D]"),
        "column": lambda: labels[:, None],
        "two columns": lambda: np.column_stack([labels, labels]),
        "one class": lambda: np.zeros(n, dtype=int),
        "class of one": lambda: np.where(np.arange(n) == 0, 9, labels),
        "each its own": lambda: np.arange(n),
        "pairs": lambda: np.arange(n) // 2,
        "continuous": lambda: random.normal(size=n),
        "nan": lambda: np.where(random.random(n) < 0.3, np.nan, labels),
        "infinite": lambda: np.where(random.random(n) < 0.3, np.inf, labels),
        "none": lambda: np.where(random.random(n) < 0.3, None, labels.astype(object)),
        "mixed": lambda: np.array([("a" if label else 1) for label in labels], dtype=object),
        "shorter": lambda: labels[:-1],
        "longer": lambda: np.append(labels, 0),
        "empty": lambda: labels[:0],
        "missing": lambda: None,
        "text": lambda: "target",
        "number": lambda: 1,
        "lists": lambda: [[int(label)] for label in labels],
        "dicts": lambda: [{"a": 1}] * n,
        "complex": lambda: labels.astype(complex),
        "categorical": lambda: pd.Categorical(labels),
        "unused category": lambda: pd.Series(pd.Categorical(labels, categories=[*range(9)])),
        "series": lambda: pd.Series(labels, index=np.arange(n)[::-1]),
        "nullable": lambda: pd.Series(labels).astype("Int8"),
        "nullable missing": lambda: pd.Series(np.where(labels == 0, np.nan, labels)).astype("Int8"),
        "sparse": lambda: sparse.csr_array(labels[:, None]),
        "decimals": lambda: [Decimal(int(label)) for label in labels],
        "tuples": lambda: [(int(label), 1) for label in labels],
    }
    name = str(random.choice(sorted(made)))
    return name, made[name]()


def nasty_weights(n: int, random: Random) -> tuple[str, Any]:
    """Weights of rows, and what they are."""
    uniform = random.random(n)
    made: dict[str, Callable[[], Any]] = {
        "ones": lambda: np.ones(n),
        "uniform": lambda: uniform,
        "whole": lambda: random.integers(0, 4, n),
        "some zero": lambda: np.where(uniform < 0.3, 0.0, 1.0),
        "all zero": lambda: np.zeros(n),
        "one row": lambda: np.where(np.arange(n) == 0, 1.0, 0.0),
        "tiny": lambda: uniform * 1e-200,
        "tiny and not": lambda: np.where(uniform < 0.5, 1e-300, 1.0),
        "denormal": lambda: np.full(n, 5e-324),
        "huge": lambda: uniform * 1e200,
        "largest": lambda: np.full(n, 1.7e308),
        "huge and not": lambda: np.where(uniform < 0.2, 1e300, 1.0),
        "whole and huge": lambda: np.full(n, 2.0**60),
        "negative": lambda: uniform - 0.5,
        "nan": lambda: np.where(uniform < 0.2, np.nan, 1.0),
        "infinite": lambda: np.where(uniform < 0.2, np.inf, 1.0),
        "strings": lambda: ["1"] * n,
        "objects": lambda: [object()] * n,
        "shorter": lambda: np.ones(max(n - 1, 0)),
        "number": lambda: 2.0,
        "column": lambda: np.ones((n, 1)),
        "booleans": lambda: uniform < 0.8,
        "complex": lambda: np.ones(n, dtype=complex),
        "float16": lambda: uniform.astype(np.float16),
        "none among": lambda: [None, *[1.0] * (n - 1)],
    }
    name = str(random.choice(sorted(made)))
    return name, made[name]()


def _read_only(values: Floats) -> Floats:
    copy = values.copy()
    copy.flags.writeable = False
    return copy


def _some_objects(values: Floats, random: Random) -> NDArray[Any]:
    odd = (None, "x", "", "1.5", b"1", True, Decimal("1.5"), Fraction(1, 3), date(2020, 1, 1), datetime(2020, 1, 1),
           [1], (), {}, 10**400, -(10**30), 1j, object(), np.nan, np.inf, np.float32(1.5), float("nan"))  # fmt: skip
    made = values.astype(object)
    for _ in range(int(random.integers(1, 5))):
        made[random.integers(made.shape[0]), random.integers(made.shape[1])] = odd[int(random.integers(len(odd)))]
    return made


def _mixed(frame: Any, text: list[list[str]]) -> Any:
    frame["c0"] = [row[0] for row in text]
    frame["c1"] = (frame["c1"] > 0).astype("category")
    return frame


def _twice(stored: sparse.coo_array) -> sparse.coo_array:
    row, column = stored.coords
    at = np.concatenate([row, row]), np.concatenate([column, column])
    return sparse.coo_array((np.concatenate([stored.data, stored.data]), at), shape=stored.shape)


def _explicit_zeros(csr: sparse.csr_array, random: Random) -> sparse.csr_array:
    csr.data[random.random(csr.nnz) < 0.5] = 0.0
    return csr


def _unsorted(csr: sparse.csr_array) -> sparse.csr_array:
    for i in range(csr.shape[0]):
        line = slice(csr.indptr[i], csr.indptr[i + 1])
        csr.indices[line] = csr.indices[line][::-1].copy()
        csr.data[line] = csr.data[line][::-1].copy()
    csr.has_sorted_indices = False
    return csr


def _with_indices(csr: sparse.csr_array, kind: Any) -> sparse.csr_array:
    csr.indices, csr.indptr = csr.indices.astype(kind), csr.indptr.astype(kind)
    return csr


def _wide(stored: sparse.coo_array) -> sparse.csr_array:
    n_columns = 600
    return sparse.csr_array(
        (stored.data, (stored.coords[0], stored.coords[1] * 60)), shape=(stored.shape[0], n_columns)
    )
