"""Annotated matrices of single cells, as anndata writes them."""

from __future__ import annotations

import struct
import sys

import h5py
import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse

from fewest import FisherScore, scan
from fewest.data.files import h5ad_file
from fewest.errors import FewestError, InvalidInput, MissingDependency, UnreadableFile

VALUES = np.array([[0, 2, 0, 1.5], [3, 0, 0, 0], [0, 0, 4, 1], [1, 0, 0, 0]])
GENES = ["TP53", "BRCA1", "KRAS", "MYC"]
TYPES = ["T cell", "B cell", None, "T cell"]
TEXT = h5py.string_dtype()


def write(path, form="csr", is_old=False):
    with h5py.File(path, "w") as file:
        if form == "dense":
            file["X"] = VALUES
        else:
            matrix = sparse.csr_matrix(VALUES) if form == "csr" else sparse.csc_matrix(VALUES)
            stored = file.create_group("X")
            stored.attrs["encoding-type"] = f"{form}_matrix"
            stored.attrs["shape"] = VALUES.shape
            for part in ("data", "indices", "indptr"):
                stored[part] = getattr(matrix, part)
        var, obs = file.create_group("var"), file.create_group("obs")
        var.attrs["_index"], obs.attrs["_index"] = "gene", "_index"
        var.create_dataset("gene", data=GENES, dtype=TEXT)
        obs.create_dataset("_index", data=[f"c{cell}" for cell in range(4)], dtype=TEXT)
        names = ["B cell", "T cell"]
        codes = np.array([-1 if one is None else names.index(one) for one in TYPES], dtype=np.int8)
        if is_old:
            obs.create_dataset("__categories/type", data=names, dtype=TEXT)
            obs["type"] = codes
            obs["type"].attrs["categories"] = obs["__categories/type"].ref
        else:
            obs.create_dataset("type/categories", data=names, dtype=TEXT)
            obs["type/codes"] = codes
        obs.create_dataset("donor", data=["d1", "d1", "d2", "d2"], dtype=TEXT)
        obs["count"] = [5, 6, 7, 8]
        obs["score/values"], obs["score/mask"] = [1, 2, 3, 4], [False, True, False, False]
    return path


@pytest.mark.parametrize("form", ["csr", "csc", "dense"])
@pytest.mark.parametrize("is_old", [False, True])
def test_the_matrix_comes_with_names_and_annotation(tmp_path, form, is_old):
    source = scan(write(tmp_path / "t.h5ad", form, is_old), "type", drop_unlabelled=True)
    assert source.feature_names == GENES
    (block,) = source.blocks()
    assert sparse.issparse(block.values) == (form != "dense")
    assert_array_equal(block.dense_values, VALUES[[0, 1, 3]])
    assert [block.classes[code] for code in block.codes] == ["T cell", "B cell", "T cell"]
    assert source.row_arrays["donor"].tolist() == ["d1", "d1", "d2", "d2"]
    assert source.row_arrays["score"].tolist() == [1, None, 3, 4]
    assert FisherScore(n_features=1).fit(source).selection_.features == ("TP53",)


def test_columns_and_weights_are_named(tmp_path):
    source = scan(write(tmp_path / "t.h5ad"), "donor", weight="count", columns="KRAS,MYC,B*", drop="BRCA1")
    assert list(source.feature_names) == ["KRAS", "MYC"]
    assert next(iter(source.blocks())).weights.tolist() == [5, 6, 7, 8]


@pytest.mark.parametrize(
    ("target", "says"),
    [
        (None, r"Name the target: a column of obs in .*t\.h5ad"),
        ("typ", r"no column 'typ' \(did you mean 'type'\?\) in .*t\.h5ad to be the target"),
        ("type", r"no label in 1 of 4 rows of the target 'type'"),
    ],
)
def test_a_target_that_is_none_is_said(tmp_path, target, says):
    with pytest.raises(FewestError, match=says):
        list(scan(write(tmp_path / "t.h5ad"), target).blocks())


def test_files_that_are_none_are_said(tmp_path, monkeypatch):
    (tmp_path / "none.h5ad").write_bytes(b"none")
    with pytest.raises(UnreadableFile, match=r"none\.h5ad is not a whole \.h5ad file"):
        scan(tmp_path / "none.h5ad", "type")
    with h5py.File(tmp_path / "bare.h5ad", "w") as file:
        file["X"] = VALUES
    with pytest.raises(UnreadableFile, match=r"bare\.h5ad has no obs"):
        scan(tmp_path / "bare.h5ad", "type")
    path = write(tmp_path / "t.h5ad")
    with monkeypatch.context() as small:
        small.setattr(h5ad_file, "STORED_ROWS", 10)
        with pytest.raises(InvalidInput, match=r"X of .*t\.h5ad is read whole and takes"):
            scan(path, "type")
    monkeypatch.setitem(sys.modules, "h5py", None)
    with pytest.raises(MissingDependency, match=r"pip install 'fewest\[h5ad\]'"):
        scan(path, "type")


@pytest.mark.parametrize("code", [2, 100, -2])
def test_a_code_that_is_no_category_is_refused_by_name(tmp_path, code):
    with h5py.File(write(tmp_path / "t.h5ad"), "r+") as file:
        file["obs/type/codes"][1] = code
    with pytest.raises(
        UnreadableFile, match=r"t\.h5ad is damaged: codes of 'type' in obs are none of its 2 categories"
    ):
        scan(tmp_path / "t.h5ad", "type")


@pytest.mark.parametrize("name", ["obs/count", "var/gene", "X"])
def test_what_is_declared_and_never_written_is_refused_before_it_is_read(tmp_path, name):
    with h5py.File(write(tmp_path / "t.h5ad", "dense"), "r+") as file:
        del file[name]
        file.create_dataset(name, shape=(4, 10**12) if name == "X" else (10**12,), dtype="i4", chunks=True)
    with pytest.raises(InvalidInput, match=rf"{name} of .*t\.h5ad is read whole and takes .* GiB; 4 GiB are allowed"):
        scan(tmp_path / "t.h5ad", "type")


# The library counts in 64 bits, so that a text of nearly 2^64 bytes takes a step of nothing, or one back.
@pytest.mark.parametrize(
    "heads",
    [[(0, 0)], [(1, 2**64 - 16)], [(1, 2**64 - 64)], [(0, 2**64 - 16)], [(1, 2**64 - 1), (0, 0)]],
    ids=["nothing", "no step", "back", "free space back", "a short step to nothing"],
)
def test_a_heap_of_texts_that_would_be_read_for_ever_is_refused(tmp_path, heads):
    path = write(tmp_path / "t.h5ad")
    content = path.read_bytes()
    heap = content.index(b"GCOL") + 16
    written = b"".join(struct.pack("<HHIQ", number, 0, 0, length) for number, length in heads)
    path.write_bytes(content[:heap] + written + content[heap + len(written) :])
    with pytest.raises(UnreadableFile, match=r"t\.h5ad is a damaged \.h5ad file: texts are missing"):
        scan(path, "type")


@pytest.mark.parametrize("storage", [{}, {"chunks": (3,)}])
def test_a_text_that_is_said_to_be_longer_than_the_file_is_refused_before_room_is_made_for_it(tmp_path, storage):
    path = write(tmp_path / "t.h5ad")
    with h5py.File(path, "r+") as file:
        del file["obs/donor"]
        donors = file["obs"].create_dataset("donor", data=["d1", "d1", "d2", "d2"], dtype=TEXT, **storage)
        offset = donors.id.get_chunk_info(0).byte_offset if storage else donors.id.get_offset()
    assert scan(path, "donor").row_arrays["type"].tolist() == TYPES
    with path.open("r+b") as file:
        file.seek(offset + 16)  # the length of the second text
        file.write(b"\xff\xff\xff\xf0")
    with pytest.raises(UnreadableFile, match="a text of /obs/donor is longer than the file"):
        scan(path, "donor")
