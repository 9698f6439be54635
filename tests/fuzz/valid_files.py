"""Small valid files of every format that scan reads, the same bytes every time: what the fuzzer of files damages."""

from __future__ import annotations

import gzip
import io
import tempfile
import zipfile
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
from scipy import sparse
from scipy.io import savemat

N_ROWS = 24
_RANDOM = np.random.default_rng(20)
CLASSES = ["u", "v", "w"]
CODES = np.arange(N_ROWS) % 3
LABELS = [CLASSES[code] for code in CODES]
NUMBERS = np.round(_RANDOM.normal(size=(N_ROWS, 4)) + CODES[:, None] * [1.0, 0.5, 0.0, 0.0], 3)
CITIES = [["Oslo", "Bergen", "Tromsø"][number] for number in _RANDOM.integers(0, 3, N_ROWS)]
TARGET = {"target": "class"}
#: The properties of a workbook without the time at which it was written.
_CORE = b'<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties"/>'


class ValidFile(NamedTuple):
    """How a file name ends, what makes its bytes, and the options of scan."""

    ending: str
    make: Callable[[], bytes]
    options: dict[str, object]


@cache
def content(name: str) -> bytes:
    """The bytes of a valid file."""
    return VALID_FILES[name].make()


def csv(
    separator: str = ",",
    decimal: str = ".",
    line_end: str = "\n",
    encoding: str = "utf-8",
    quote: bool = False,
    is_packed: bool = False,
    is_transposed: bool = False,
    n_rows: int = N_ROWS,
) -> bytes:
    """Text with numbers, a missing one, a percentage, booleans, a text with a line end, and the class."""
    rows = [["a", "b", "share", "flag", "city", "class"]]
    for i in range(n_rows):
        j = i % N_ROWS
        numbers = [f"{NUMBERS[j, 0]}", "" if j == 3 else f"{NUMBERS[j, 1]}", f"{j + 1.5} %"]
        city = f"{CITIES[j]}{separator} the\nold one" if quote and j % 7 == 0 else CITIES[j]
        rows.append([*(text.replace(".", decimal) for text in numbers), "yes" if j % 2 else "no", city, LABELS[j]])
    if is_transposed:
        rows = [["name", *(f"s{i}" for i in range(n_rows))], *map(list, zip(*rows, strict=True))]
    fields = [[f'"{field}"' if quote else field for field in row] for row in rows]
    text = line_end.join(separator.join(row) for row in fields) + line_end
    packed = text.encode(encoding)
    return gzip.compress(packed, mtime=0) if is_packed else packed


def wide_csv() -> bytes:
    names = ",".join(f"gene{column}" for column in range(300))
    rows = [",".join(f"{(i * 31 + column * 7) % 97}" for column in range(300)) + f",{LABELS[i]}" for i in range(6)]
    return "\n".join([f"{names},class", *rows, ""]).encode()


def table(*extra: str) -> pa.Table:
    """Columns of numbers, text and categories, with missing values, and more by name."""
    missing = [None if i % 5 == 0 else float(value) for i, value in enumerate(NUMBERS[:, 1])]
    columns: dict[str, Any] = {
        "a": pa.array(NUMBERS[:, 0]),
        "b": pa.array(missing),
        "count": pa.array([int(value * 10) for value in NUMBERS[:, 2]], pa.int32()),
        "flag": pa.array([None if i == 2 else i % 3 == 0 for i in range(N_ROWS)]),
        "city": pa.array([None if i == 4 else city for i, city in enumerate(CITIES)]),
    }
    more: dict[str, Callable[[], pa.Array]] = {
        "dictionary": lambda: pa.array(CITIES).dictionary_encode(),
        "small dictionary": lambda: pa.DictionaryArray.from_arrays(
            pa.array([i % 3 for i in range(N_ROWS)], pa.int8()), ["x", "y", "z", "none"]
        ),
        "large dictionary": lambda: pa.array(CITIES, pa.large_string()).dictionary_encode(),
        "coded numbers": lambda: pa.array([10, 20, 30] * 8).dictionary_encode(),
        "large text": lambda: pa.array(CITIES, pa.large_string()),
        "text view": lambda: pa.array([city * 4 for city in CITIES], pa.string_view()),
        "numbers in text": lambda: pa.array([f"{value:.2f} %" for value in NUMBERS[:, 3]]),
        "empty": lambda: pa.nulls(N_ROWS),
        "decimal": lambda: pa.array(range(N_ROWS), pa.decimal128(10, 2)),
        "half": lambda: pa.array(NUMBERS[:, 3].astype(np.float16)),
        "list": lambda: pa.array([[1.0, 2.0]] * N_ROWS),
        "struct": lambda: pa.array([{"x": i, "y": "t"} for i in range(N_ROWS)]),
        "bytes": lambda: pa.array([b"\x00\xff"] * N_ROWS),
        "day": lambda: pa.array(range(N_ROWS), pa.date32()),
        "runs": lambda: pa.RunEndEncodedArray.from_arrays(pa.array([10, N_ROWS], pa.int32()), pa.array([1.0, 2.0])),
    }
    columns |= {name: more[name]() for name in extra}
    return pa.table({**columns, "class": pa.array(LABELS)})


def with_coded_class(rows: pa.Table) -> pa.Table:
    return rows.set_column(rows.num_columns - 1, "class", rows["class"].dictionary_encode())


def parquet(make: Callable[[], pa.Table], **options: object) -> bytes:
    file = io.BytesIO()
    pq.write_table(make(), file, **options)
    return file.getvalue()


def arrow(
    make: Callable[[], pa.Table], is_stream: bool = False, compression: str | None = None, rows: int = 10
) -> bytes:
    file = io.BytesIO()
    made = make()
    opened = pa.ipc.new_stream if is_stream else pa.ipc.new_file
    options = pa.ipc.IpcWriteOptions(compression=compression, emit_dictionary_deltas=is_stream)
    with opened(file, made.schema.remove_metadata(), options=options) as writer:
        writer.write_table(made.unify_dictionaries(), max_chunksize=rows)
    return file.getvalue()


def feather_file() -> bytes:
    file = io.BytesIO()
    feather.write_feather(table("dictionary"), file, compression="lz4")
    return file.getvalue()


def rezip(packed: bytes, replaced: dict[str, bytes] | None = None) -> bytes:
    """The same members in an archive without times, some with other content."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(packed)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for name in dict.fromkeys(old.namelist()):
            changed = (replaced or {}).get(name, old.read(name))
            new.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), changed, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def npz(**arrays: object) -> bytes:
    file = io.BytesIO()
    np.savez(file, **{name: np.asarray(array) for name, array in arrays.items()})
    return rezip(file.getvalue())


def dense_npz() -> bytes:
    return npz(X=NUMBERS, y=LABELS, feature_names=list("abcd"), groups=CODES)


def sparse_table(form: str = "csr", seed: int = 3) -> sparse.csr_matrix:
    random = np.random.default_rng(seed)
    dense = np.where(random.random((N_ROWS, 7)) < 0.4, np.round(random.normal(size=(N_ROWS, 7)), 2), 0.0)
    dense[:, 1] = CODES
    return sparse.csr_matrix(dense).asformat(form)


def sparse_npz(n_columns: int = 7) -> bytes:
    rows = sparse_table()
    return npz(data=rows.data, indices=rows.indices, indptr=rows.indptr, shape=[N_ROWS, n_columns], y=CODES)


def mat(is_compressed: bool = False, version: str = "5", **variables: object) -> bytes:
    file = io.BytesIO()
    savemat(file, variables, do_compression=is_compressed, format=version)
    made = file.getvalue()
    return made if version == "4" else b"MATLAB 5.0 MAT-file".ljust(116) + made[116:]


def cells(values: list[str]) -> np.ndarray:
    return np.array(values, dtype=object)[:, None]


def svmlight(first: int = 1, farthest: int | None = None) -> bytes:
    rows = sparse_table()
    lines = []
    for i in range(N_ROWS):
        row = rows[i]
        pairs = [f"{column + first}:{value:g}" for column, value in zip(row.indices, row.data, strict=True)]
        lines.append(f"{CODES[i]} {' '.join(pairs)}{f' {farthest}:1' if farthest and i == 5 else ''}")
    return "\n".join([*lines, ""]).encode()


def xlsx() -> bytes:
    import openpyxl

    book = openpyxl.Workbook()
    sheet = book.active
    sheet.append(["a", "b", "flag", "city", "class"])
    for i in range(N_ROWS):
        sheet.append([NUMBERS[i, 0], None if i == 3 else NUMBERS[i, 1], i % 2 == 0, CITIES[i], LABELS[i]])
    file = io.BytesIO()
    book.save(file)
    return rezip(file.getvalue(), {"docProps/core.xml": _CORE})


def h5ad(form: str = "dense", compression: str | None = None, n_columns: int = 7) -> bytes:
    import h5py

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.h5ad"
        with h5py.File(path, "w", track_order=False) as file:
            rows = sparse_table()
            if form == "dense":
                file.create_dataset("X", data=rows.toarray(), compression=compression)
            else:
                group = file.create_group("X")
                group.attrs["encoding-type"], group.attrs["shape"] = f"{form}_matrix", [N_ROWS, n_columns]
                for part in ("data", "indices", "indptr"):
                    group.create_dataset(part, data=getattr(rows.asformat(form), part), compression=compression)
            obs, var = file.create_group("obs"), file.create_group("var")
            obs.attrs["_index"] = var.attrs["_index"] = "_index"
            obs.create_dataset("_index", data=[f"cell{i}".encode() for i in range(N_ROWS)])
            var.create_dataset("_index", data=[f"gene{i}".encode() for i in range(7)])
            obs.create_dataset("depth", data=NUMBERS[:, 0])
            obs.create_dataset("name", data=CITIES, dtype=h5py.string_dtype())
            group = obs.create_group("class")
            group.create_dataset("codes", data=CODES.astype(np.int8))
            group.create_dataset("categories", data=CLASSES, dtype=h5py.string_dtype())
        return path.read_bytes()


def declared_h5ad() -> bytes:
    """Rows that are declared and were never written: a small file of a table that no memory holds."""
    import h5py

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.h5ad"
        with h5py.File(path, "w") as file:
            file.create_dataset("X", shape=(N_ROWS, 3), dtype="f8")
            obs, var = file.create_group("obs"), file.create_group("var")
            obs.create_dataset("_index", shape=(10**12,), dtype="i4", chunks=(1024,))
            obs.create_dataset("class", shape=(10**12,), dtype="i4", chunks=(1024,))
            var.create_dataset("_index", data=[b"a", b"b", b"c"])
        return path.read_bytes()


_SIMPLE, _CODED = partial(table), partial(table, "dictionary", "small dictionary", "coded numbers")
_TEXTS = partial(table, "large text", "text view", "numbers in text", "large dictionary")
_ODD = partial(table, "empty", "decimal", "half", "list", "struct", "bytes", "day")
_NUMBERS_ONLY = lambda: table().select(["a", "b", "count", "class"])  # noqa: E731
_DELTA = {
    "a": "BYTE_STREAM_SPLIT", "b": "BYTE_STREAM_SPLIT", "count": "DELTA_BINARY_PACKED", "flag": "RLE",
    "city": "DELTA_BYTE_ARRAY", "class": "DELTA_LENGTH_BYTE_ARRAY",
}  # fmt: skip
_PLAIN = {"use_dictionary": False, "compression": "none"}

VALID_FILES = {
    "csv": ValidFile(".csv", csv, TARGET),
    "csv, quoted": ValidFile(".csv", partial(csv, quote=True), TARGET),
    "csv, semicolons": ValidFile(".csv", partial(csv, ";", ",", "\r\n"), TARGET),
    "csv, UTF-16": ValidFile(".csv", partial(csv, encoding="utf-16"), TARGET),
    "csv, Latin-1": ValidFile(".csv", partial(csv, encoding="latin-1"), TARGET),
    "csv, 300 rows": ValidFile(".csv", partial(csv, n_rows=300), TARGET),
    "csv, wide": ValidFile(".csv", wide_csv, TARGET),
    "csv, packed": ValidFile(".csv.gz", partial(csv, is_packed=True), TARGET),
    "csv, transposed": ValidFile(".csv", partial(csv, is_transposed=True), TARGET | {"transpose": True}),
    "tsv": ValidFile(".tsv", partial(csv, "\t"), TARGET),
    "txt, pipes": ValidFile(".txt", partial(csv, "|", line_end="\r"), TARGET),
    "parquet": ValidFile(".parquet", partial(parquet, _SIMPLE), TARGET),
    "parquet, plain": ValidFile(".parquet", partial(parquet, _SIMPLE, **_PLAIN), TARGET),
    "parquet, codes": ValidFile(".parquet", partial(parquet, _CODED, compression="none"), TARGET),
    "parquet, texts": ValidFile(".parquet", partial(parquet, _TEXTS, compression="zstd"), TARGET),
    "parquet, texts plain": ValidFile(".parquet", partial(parquet, _TEXTS, **_PLAIN), TARGET),
    "parquet, odd columns": ValidFile(".parquet", partial(parquet, _ODD, compression="none"), TARGET),
    "parquet, gzip": ValidFile(".parquet", partial(parquet, _SIMPLE, compression="gzip", row_group_size=7), TARGET),
    "parquet, lz4": ValidFile(".pq", partial(parquet, _CODED, compression="lz4", data_page_version="2.0"), TARGET),
    "parquet, brotli": ValidFile(".parquet", partial(parquet, _SIMPLE, compression="brotli"), TARGET),
    "parquet, second pages": ValidFile(
        ".parquet", partial(parquet, _CODED, compression="none", data_page_version="2.0", row_group_size=9), TARGET
    ),
    "parquet, delta": ValidFile(".parquet", partial(parquet, _SIMPLE, column_encoding=_DELTA, **_PLAIN), TARGET),
    "parquet, checksums": ValidFile(
        ".parquet", partial(parquet, _SIMPLE, write_page_checksum=True, write_page_index=True), TARGET
    ),
    "arrow": ValidFile(".arrow", partial(arrow, _SIMPLE), TARGET),
    "arrow, numbers": ValidFile(".arrow", partial(arrow, _NUMBERS_ONLY), TARGET | {"weight": None}),
    "arrow, codes": ValidFile(".arrow", partial(arrow, _CODED), TARGET),
    "arrow, coded class": ValidFile(".arrow", partial(arrow, lambda: with_coded_class(_CODED())), TARGET),
    "arrow, texts": ValidFile(".arrow", partial(arrow, _TEXTS), TARGET),
    "arrow, odd columns": ValidFile(".arrow", partial(arrow, _ODD), TARGET),
    "arrow, runs": ValidFile(".arrow", partial(arrow, partial(table, "runs")), TARGET),
    "arrow, zstd": ValidFile(".ipc", partial(arrow, _CODED, compression="zstd"), TARGET),
    "arrow, lz4": ValidFile(".arrow", partial(arrow, _TEXTS, compression="lz4"), TARGET),
    "arrow stream": ValidFile(".arrows", partial(arrow, _SIMPLE, is_stream=True), TARGET),
    "arrow stream, codes": ValidFile(".arrows", partial(arrow, _CODED, is_stream=True), TARGET),
    "feather": ValidFile(".feather", feather_file, TARGET),
    "npz": ValidFile(".npz", dense_npz, {}),
    "npz, sparse": ValidFile(".npz", sparse_npz, {}),
    "npz, declared columns": ValidFile(".npz", partial(sparse_npz, 10**12), {}),
    "npz, many columns": ValidFile(".npz", partial(sparse_npz, 50_000_000), {}),
    "mat": ValidFile(".mat", partial(mat, X=NUMBERS, Y=CODES[:, None]), {}),
    "mat, packed": ValidFile(".mat", partial(mat, is_compressed=True, X=NUMBERS, Y=CODES), {}),
    "mat, cells": ValidFile(".mat", partial(mat, X=NUMBERS, Y=cells(LABELS), groups=CODES), {}),
    "mat, struct": ValidFile(".mat", partial(mat, X=NUMBERS, Y=CODES, s={"a": 1.0, "b": cells(["x", "y"])}), {}),
    "mat, sparse": ValidFile(".mat", partial(mat, X=sparse_table("csc"), Y=CODES), {}),
    "mat, sparse labels": ValidFile(".mat", partial(mat, X=NUMBERS, Y=sparse.csc_matrix(CODES[:, None] + 1.0)), {}),
    "mat, version 4": ValidFile(".mat", partial(mat, version="4", X=NUMBERS, Y=CODES), {}),
    "svmlight": ValidFile(".svm", svmlight, {}),
    "svmlight, from 0": ValidFile(".libsvm", partial(svmlight, 0), {}),
    "svmlight, far column": ValidFile(".svm", partial(svmlight, 1, 2_000_000_000), {}),
    "xlsx": ValidFile(".xlsx", xlsx, TARGET),
    "h5ad": ValidFile(".h5ad", h5ad, TARGET),
    "h5ad, gzip": ValidFile(".h5ad", partial(h5ad, compression="gzip"), TARGET),
    "h5ad, csr": ValidFile(".h5ad", partial(h5ad, "csr"), TARGET),
    "h5ad, csc": ValidFile(".h5ad", partial(h5ad, "csc"), TARGET),
    "h5ad, declared columns": ValidFile(".h5ad", partial(h5ad, "csr", n_columns=10**12), TARGET),
    "h5ad, declared rows": ValidFile(".h5ad", declared_h5ad, TARGET),
}
