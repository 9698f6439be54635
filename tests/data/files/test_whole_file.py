"""Files that are read whole: .npz, .mat and svmlight."""

from __future__ import annotations

import zipfile
import zlib

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse
from scipy.io import savemat

from fewest.data.column_choice import ReadingRequest
from fewest.data.files.whole_file import read_mat, read_npz, read_svmlight
from fewest.errors import InvalidInput, InvalidParameter, InvalidType, UnreadableFile
from fewest.statistics.class_moments import ClassMoments

from ..small_table import COLUMNS, NAMES, NUMBERS, WEIGHTS, assert_is_the_small_table

LABELS = np.array(COLUMNS["label"])
DENSE = np.array([[1.0, 0, 2], [0, 0, 3], [4, 5, 0]])


def labels_of(source):
    return [block.classes[code] for block in source.blocks() for code in block.codes]


def values_of(source):
    return np.vstack(
        [block.values.toarray() if sparse.issparse(block.values) else block.values for block in source.blocks()]
    )


@pytest.fixture
def write_npz(tmp_path):
    def write(**arrays):
        np.savez_compressed(tmp_path / "rows.npz", **arrays)
        return tmp_path / "rows.npz"

    return write


@pytest.fixture
def write_mat(tmp_path):
    def write(**variables):
        savemat(tmp_path / "rows.mat", variables)
        return tmp_path / "rows.mat"

    return write


@pytest.fixture
def write_svmlight(tmp_path):
    def write(content):
        path = tmp_path / "rows.svm"
        path.write_bytes(content)
        return path

    return write


def test_npz_holds_numbers_labels_names_and_weights(write_npz):
    path = write_npz(X=NUMBERS, y=LABELS, feature_names=np.array(NAMES), w=np.array(WEIGHTS))
    assert_is_the_small_table(read_npz(path, ReadingRequest()))
    assert read_npz(path, ReadingRequest()).feature_names == NAMES
    assert_is_the_small_table(read_npz(path, ReadingRequest(weight="w")), weights=WEIGHTS)


def test_npz_may_hold_the_parts_of_a_sparse_matrix(write_npz):
    matrix = sparse.csr_matrix(DENSE)
    parts = {"data": matrix.data, "indices": matrix.indices, "indptr": matrix.indptr, "shape": np.array(matrix.shape)}
    source = read_npz(write_npz(**parts, y=np.array([0, 1, 0])), ReadingRequest())
    assert sparse.issparse(next(iter(source.blocks())).values)
    assert_array_equal(values_of(source), DENSE)
    assert source.feature_names is None
    with pytest.raises(InvalidInput, match=r"data, indices, indptr and shape of .*rows.npz are no CSR matrix"):
        read_npz(write_npz(**(parts | {"indptr": np.array([0, 1])}), y=np.array([0, 1, 0])), ReadingRequest())


def test_npz_codes_become_the_names_of_classes_where_they_are_indices_of_them(write_npz):
    names = np.array(["ham", "spam"])
    assert labels_of(read_npz(write_npz(X=DENSE, y=np.array([1, 0, 1]), class_names=names), ReadingRequest())) == [
        "spam",
        "ham",
        "spam",
    ]
    assert labels_of(read_npz(write_npz(X=DENSE, y=np.array([1, 2, 1]), class_names=names), ReadingRequest())) == [
        1,
        2,
        1,
    ]
    assert labels_of(read_npz(write_npz(X=DENSE, y=np.array([-1, 1, 1]), class_names=names), ReadingRequest())) == [
        -1,
        1,
        1,
    ]


def test_npz_may_have_another_target(write_npz):
    path = write_npz(X=DENSE, y=np.array([0, 1, 0]), y48=np.array([7, 8, 9]))
    assert labels_of(read_npz(path, ReadingRequest("y48"))) == [7, 8, 9]
    with pytest.raises(InvalidInput, match=r"no array 'y49' \(did you mean 'y48'\?\) in .*rows.npz to be the target"):
        read_npz(path, ReadingRequest("y49"))
    with pytest.raises(InvalidType, match=r"The target of .* must be a name, got ndarray instead"):
        read_npz(path, ReadingRequest(np.array([0, 1, 0])))


def test_npz_that_lacks_its_arrays_is_refused(write_npz):
    with pytest.raises(InvalidInput, match=r"no array 'y' in .*rows.npz to be the target. Its arrays are 'X', 'z'"):
        read_npz(write_npz(X=DENSE, z=np.zeros(3)), ReadingRequest())
    with pytest.raises(InvalidInput, match=r"no array 'X' in .*rows.npz to be the table of numbers. Its arrays are"):
        read_npz(write_npz(table=DENSE, y=np.zeros(3)), ReadingRequest())


def test_npz_of_a_wrong_shape_is_refused(write_npz):
    y = np.array([0, 1, 0])
    with pytest.raises(InvalidInput, match=r"X of .* must be a table of numbers, .*; got float64 of shape \(3,\)"):
        read_npz(write_npz(X=np.zeros(3), y=y), ReadingRequest())
    with pytest.raises(InvalidInput, match=r"X of .* must be a table of numbers, .*; got <U1 of shape \(1, 3\)"):
        read_npz(write_npz(X=np.array([["a", "b", "c"]]), y=y), ReadingRequest())
    with pytest.raises(InvalidInput, match=r"'y' of .* must hold one label a row; got an array of shape \(3, 2\)"):
        read_npz(write_npz(X=DENSE, y=np.zeros((3, 2))), ReadingRequest())
    with pytest.raises(InvalidInput, match=r"X has 3 rows but y has 2 labels"):
        read_npz(write_npz(X=DENSE, y=np.zeros(2)), ReadingRequest())
    with pytest.raises(InvalidInput, match=r"has 2 feature_names for 3 columns of X. Give one a column."):
        read_npz(write_npz(X=DENSE, y=y, feature_names=np.array(["a", "b"])), ReadingRequest())
    with pytest.raises(InvalidInput, match=r"has more than one column named 'a'"):
        read_npz(write_npz(X=DENSE, y=y, feature_names=np.array(["a", "b", "a"])), ReadingRequest())
    with pytest.raises(InvalidInput, match=r"X of .* is empty: 0 rows, 3 columns"):
        read_npz(write_npz(X=DENSE[:0], y=y[:0]), ReadingRequest())


def test_npz_labels_may_be_missing(write_npz):
    path = write_npz(X=DENSE, y=np.array([0, np.nan, 1]))
    with pytest.raises(InvalidInput, match=r"no label in 1 of 3 rows of the target 'y'"):
        list(read_npz(path, ReadingRequest()).blocks())
    assert_array_equal(values_of(read_npz(path, ReadingRequest(drop_unlabelled=True))), DENSE[[0, 2]])


def test_npz_with_pickled_objects_is_refused(write_npz):
    with pytest.raises(
        UnreadableFile, match=r"rows.npz holds pickled objects, which are not loaded since they can run"
    ):
        read_npz(write_npz(X=DENSE, y=np.array(["a", None, "b"], dtype=object)), ReadingRequest())


def test_npz_that_is_none_is_refused(tmp_path):
    path = tmp_path / "rows.npz"
    for content in (b"", b"hello", b"PK\x03\x04 and no more"):
        path.write_bytes(content)
        with pytest.raises(UnreadableFile, match=r"rows.npz is not a whole .npz file. Copy or write it again."):
            read_npz(path, ReadingRequest())
    with path.open("wb") as file:
        np.save(file, DENSE)
    with pytest.raises(UnreadableFile, match=r"rows.npz holds one array without a name. Save X and y together"):
        read_npz(path, ReadingRequest())
    path.unlink()
    with pytest.raises(UnreadableFile, match=r"rows.npz cannot be read: No such file or directory."):
        read_npz(path, ReadingRequest())


@pytest.mark.parametrize("labels", [[[1.0], [2.0], [1.0]], [1.0, 2.0, 1.0], np.array([1, 2, 1], dtype=np.uint8)])
def test_mat_labels_may_be_a_row_or_a_column_and_are_whole_numbers(write_mat, labels):
    source = read_mat(write_mat(X=DENSE, Y=labels), ReadingRequest())
    assert_array_equal(values_of(source), DENSE)
    assert labels_of(source) == [1, 2, 1]
    assert all(type(label) is int for label in labels_of(source))


def test_mat_labels_may_be_a_cell_array_of_strings(write_mat):
    cells = np.array([["b"], ["abc"], ["b"]], dtype=object)
    assert labels_of(read_mat(write_mat(X=DENSE, Y=cells), ReadingRequest())) == ["b", "abc", "b"]


def test_mat_agrees_with_the_table_whatever_the_case_of_its_names(write_mat):
    path = write_mat(x=NUMBERS, y=LABELS.astype(object)[:, None], W=np.array(WEIGHTS))
    assert_is_the_small_table(read_mat(path, ReadingRequest()))
    assert_is_the_small_table(read_mat(path, ReadingRequest(weight="w")), weights=WEIGHTS)


def test_mat_may_be_sparse(write_mat):
    source = read_mat(write_mat(X=sparse.csc_matrix(DENSE), gnd=[[1], [2], [1]]), ReadingRequest("gnd"))
    assert sparse.issparse(next(iter(source.blocks())).values)
    assert_array_equal(values_of(source), DENSE)


def test_mat_that_lacks_its_variables_is_refused(write_mat):
    with pytest.raises(InvalidInput, match=r"no variable 'Y' in .*rows.mat to be the target. Its variables are 'X'"):
        read_mat(write_mat(X=DENSE), ReadingRequest())
    with pytest.raises(InvalidInput, match=r"no variable 'X' in .*rows.mat to be the table of numbers"):
        read_mat(write_mat(fea=DENSE, Y=[1, 2, 1]), ReadingRequest())


def test_mat_of_version_7_3_is_refused_with_the_way_out(tmp_path):
    path = tmp_path / "rows.mat"
    path.write_bytes(b"MATLAB 7.3 MAT-file".ljust(124) + b"\x00\x02IM" + b"\0" * 500)
    with pytest.raises(
        UnreadableFile, match=r"MATLAB file of version 7.3 \(HDF5\), which is not read. Save it with -v7"
    ):
        read_mat(path, ReadingRequest())


def test_mat_that_is_none_is_refused(write_mat, tmp_path):
    path = tmp_path / "rows.mat"
    whole = write_mat(X=DENSE, Y=[1, 2, 1]).read_bytes()
    for content in (b"", b"hello world" * 50, whole[:200]):
        path.write_bytes(content)
        with pytest.raises(UnreadableFile, match=r"rows.mat is not a whole MATLAB file. Copy or write it again."):
            read_mat(path, ReadingRequest())
    with pytest.raises(UnreadableFile, match=r"none.mat cannot be read: No such file or directory."):
        read_mat(tmp_path / "none.mat", ReadingRequest())


def test_svmlight_is_read_sparse(write_svmlight):
    source = read_svmlight(write_svmlight(b"1 1:1 3:2\n-1 3:3\n1 1:4 2:5 # a remark\n"), ReadingRequest())
    assert sparse.issparse(next(iter(source.blocks())).values)
    assert_array_equal(values_of(source), DENSE)
    assert labels_of(source) == [1, -1, 1]
    assert all(type(label) is int for label in labels_of(source))
    moments = source.collect(ClassMoments())
    assert_array_equal(moments.mean[moments.classes.index(1)], [2.5, 2.5, 1])


@pytest.mark.parametrize("content", [b"a,b\n1,2\n", b"1,2 1:1\n", b"1 3:1 2:1\n"])
def test_svmlight_that_is_none_is_refused(write_svmlight, content):
    with pytest.raises(UnreadableFile, match=r"rows.svm is not a svmlight file with one label a line: "):
        read_svmlight(write_svmlight(content), ReadingRequest())


def test_svmlight_without_rows_is_refused(write_svmlight):
    with pytest.raises(InvalidInput, match=r"X of .*rows.svm is empty: 0 rows"):
        read_svmlight(write_svmlight(b""), ReadingRequest())


def test_svmlight_has_no_named_columns(write_svmlight, tmp_path):
    path = write_svmlight(b"1 1:1\n2 1:2\n")
    with pytest.raises(
        InvalidParameter, match=r"rows.svm has no column 'class' to be the target: in svmlight the first"
    ):
        read_svmlight(path, ReadingRequest("class"))
    with pytest.raises(InvalidParameter, match=r"rows.svm has no column 'w' to be the weight"):
        read_svmlight(path, ReadingRequest(weight="w"))
    with pytest.raises(UnreadableFile, match=r"none.svm cannot be read: No such file or directory."):
        read_svmlight(tmp_path / "none.svm", ReadingRequest())


def test_members_of_an_npz_that_are_no_arrays_are_passed_over(write_npz):
    path = write_npz(X=DENSE, y=np.array([0, 1, 0]))
    with zipfile.ZipFile(path, "a") as packed:
        packed.writestr("readme.txt", "not an array")
        packed.writestr("z.npy", b"nor is this")
    assert_array_equal(values_of(read_npz(path, ReadingRequest())), DENSE)
    for name in ("X", "y"):
        with zipfile.ZipFile(path, "w") as packed:
            for member, array in (("X", DENSE), ("y", np.array([0, 1, 0]))):
                with packed.open(f"{member}.npy", "w") as file:
                    file.write(b"text") if member == name else np.save(file, array)
        with pytest.raises(InvalidInput, match=rf"no array '{name}' in .*rows\.npz"):
            read_npz(path, ReadingRequest())


@pytest.mark.parametrize("shape", ["(1000000000000, 3)", "(4, 3)", "(2, 3)", "(3, 1000000000000)"])
def test_an_array_of_an_npz_that_is_not_of_the_size_it_declares_is_refused(shape, write_npz):
    path = write_npz(X=DENSE, y=np.array([0, 1, 0]))
    with zipfile.ZipFile(path) as packed:
        members = {name: packed.read(name) for name in packed.namelist()}
    old, new = b"(3, 3), }", f"{shape}, }}".encode()
    at = members["X.npy"].index(old)
    header = members["X.npy"][:128]
    assert len(header[at:].rstrip()) == len(old)
    members["X.npy"] = (header[:at] + new).ljust(127) + b"\n" + members["X.npy"][128:]
    with zipfile.ZipFile(path, "w") as packed:
        for name, content in members.items():
            packed.writestr(name, content)
    with pytest.raises(UnreadableFile, match=r"rows\.npz is damaged: 'X' declares the shape \(.*\) of float64"):
        read_npz(path, ReadingRequest())


def test_the_parts_of_a_sparse_matrix_may_declare_any_shape(write_npz):
    matrix = sparse.csr_matrix(DENSE)
    parts = {"data": matrix.data, "indices": matrix.indices, "indptr": matrix.indptr, "y": np.array([0, 1, 0])}
    with pytest.raises(InvalidInput, match=r"X has 1,000,000,000,000 columns, and at most"):
        read_npz(write_npz(**parts, shape=np.array([3, 10**12])), ReadingRequest())
    for shape in ([3], [10**12, 3], [np.inf, 3], [-1, 3], ["a", "b"], [[3, 3]], [3, 3, 3], [3, 2]):
        with pytest.raises(InvalidInput, match=r"are no CSR matrix"):
            read_npz(write_npz(**parts, shape=np.array(shape)), ReadingRequest())


def test_an_index_of_svmlight_that_is_far_too_large_is_refused(write_svmlight):
    with pytest.raises(InvalidInput, match=r"X has 2,000,000,000 columns, and at most"):
        read_svmlight(write_svmlight(b"1 1:1 3:2\n-1 2000000000:3\n1 1:4 2:5\n"), ReadingRequest())
    with pytest.raises(UnreadableFile, match=r"rows\.svm is not a svmlight file"):
        read_svmlight(write_svmlight(b"1 1:1 3:2\n-1 99999999999999999999999:3\n1 1:4 2:5\n"), ReadingRequest())


def test_labels_too_large_for_an_integer_stay_floats(write_svmlight):
    assert labels_of(read_svmlight(write_svmlight(b"1e300 1:1\n2 1:2\n"), ReadingRequest())) == [int(1e300), 2]


def test_a_sparse_variable_of_a_mat_is_looked_at_before_it_is_read(write_mat):
    sparse_labels = sparse.csc_matrix(np.array([[1.0], [2.0], [1.0]]))
    assert labels_of(read_mat(write_mat(X=DENSE, Y=sparse_labels), ReadingRequest())) == [1, 2, 1]
    path = write_mat(X=DENSE, Y=sparse_labels)
    content = path.read_bytes()
    rows = np.arange(3, dtype=np.int32).tobytes()
    assert content.count(rows) == 1
    path.write_bytes(content.replace(rows, np.array([0, 2**30, 2], dtype=np.int32).tobytes()))
    with pytest.raises(InvalidInput, match=r"indices of the sparse matrix point outside"):
        read_mat(path, ReadingRequest())
    with pytest.raises(InvalidInput, match=r"must be one a row; got a table of shape \(3, 2\)"):
        read_mat(write_mat(X=DENSE, Y=sparse.csc_matrix(DENSE[:, :2])), ReadingRequest())


def test_text_of_an_npz_that_is_none_is_refused(write_npz):
    labels = np.array(["ab", "c", "ab"])
    labels.view(np.uint32)[1] = 0x7FFFFFFF
    with pytest.raises(UnreadableFile, match=r"rows\.npz is damaged: 'y' holds text that is none"):
        read_npz(write_npz(X=DENSE, y=labels), ReadingRequest())
    assert labels_of(read_npz(write_npz(X=DENSE, y=np.array(["é", "b", "é"], dtype=">U1")), ReadingRequest())) == [
        "é",
        "b",
        "é",
    ]


@pytest.mark.parametrize("is_compressed", [False, True])
def test_an_element_of_a_mat_of_no_known_type_is_refused(is_compressed, tmp_path):
    path = tmp_path / "rows.mat"
    savemat(path, {"X": DENSE, "Y": [1, 2, 1]}, do_compression=is_compressed)
    assert labels_of(read_mat(path, ReadingRequest())) == [1, 2, 1]
    savemat(path, {"X": DENSE, "Y": [1, 2, 1]})
    content = path.read_bytes()
    tag = np.array([9, 72], dtype=np.int32).tobytes()  # 72 bytes of float64
    assert content.count(tag) == 1
    for kind, length in ((9, 2**31), (8, 72), (10_000, 72), (60_000, 72)):
        changed = content.replace(tag, np.array([kind, length], dtype=np.uint32).tobytes())
        if is_compressed:
            size = int.from_bytes(changed[132:136], "little")
            packed = zlib.compress(changed[128 : 136 + size])
            changed = (
                changed[:128] + np.array([15, len(packed)], dtype=np.int32).tobytes() + packed + changed[136 + size :]
            )
        path.write_bytes(changed)
        with pytest.raises(UnreadableFile, match=r"rows\.mat is not a whole MATLAB file"):
            read_mat(path, ReadingRequest())


def test_a_mat_that_declares_a_part_it_lacks_is_refused(write_mat):
    path = write_mat(X=sparse.csc_matrix(DENSE), Y=[1, 2, 1])
    content = bytearray(path.read_bytes())
    assert content[136:152] == np.array([6, 8, 5, 5], dtype=np.int32).tobytes()  # the flags of a sparse matrix
    content[145] |= 0x08  # complex
    path.write_bytes(content)
    with pytest.raises(UnreadableFile, match=r"rows\.mat is not a whole MATLAB file"):
        read_mat(path, ReadingRequest())
