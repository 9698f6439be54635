"""Files that cannot be used: how each is made, how it is read, and what is said of it."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq

GOOD_CSV = "a,b,class\n1,5,u\n2,7,v\n3,4,u\n4,9,v\n"


class BadFile(NamedTuple):
    """make writes into a folder and says what to read there; options are those of scan; says matches the error."""

    make: Callable[[Path], str]
    options: dict[str, object]
    says: str


def text(content: str, name: str = "t.csv") -> Callable[[Path], str]:
    def make(folder: Path) -> str:
        (folder / name).write_text(content, "utf-8")
        return str(folder / name)

    return make


def raw(content: bytes, name: str) -> Callable[[Path], str]:
    def make(folder: Path) -> str:
        (folder / name).write_bytes(content)
        return str(folder / name)

    return make


def parquet(*tables: dict[str, object], pattern: str = "*.parquet") -> Callable[[Path], str]:
    def make(folder: Path) -> str:
        for number, columns in enumerate(tables):
            pq.write_table(pa.table(columns), folder / f"part{number}.parquet")
        return str(folder / (pattern if len(tables) > 1 else "part0.parquet"))

    return make


def cut_short(make_whole: Callable[[Path], str], share: float = 0.6) -> Callable[[Path], str]:
    def make(folder: Path) -> str:
        path = Path(make_whole(folder))
        content = path.read_bytes()
        path.write_bytes(content[: int(share * len(content))])
        return str(path)

    return make


def arrow(folder: Path) -> str:
    feather.write_feather(pa.table({"a": range(4), "class": list("uvuv")}), str(folder / "t.feather"))
    return str(folder / "t.feather")


def npz(**arrays: object) -> Callable[[Path], str]:
    def make(folder: Path) -> str:
        np.savez(folder / "t.npz", **{name: np.asarray(array) for name, array in arrays.items()})
        return str(folder / "t.npz")

    return make


def folder_without_tables(folder: Path) -> str:
    (folder / "notes.txt").write_text("none here")
    return str(folder)


def missing(name: str) -> Callable[[Path], str]:
    return lambda folder: str(folder / name)


TARGET = {"target": "class"}
ROWS = {"a": [1.0, 2.0, 3.0, 4.0], "b": [5.0, 7.0, 4.0, 9.0], "class": list("uvuv")}

BAD_FILES = {
    "an empty file": BadFile(text(""), TARGET, r"t\.csv is empty\. Its first line must name the columns"),
    "an empty Parquet file": BadFile(raw(b"", "t.parquet"), TARGET, r"t\.parquet is empty, not a Parquet file"),
    "blank lines only": BadFile(text("\n\n\n"), TARGET, r"t\.csv is empty"),
    "a header only": BadFile(text("a,b,class\n"), TARGET, r"t\.csv has column names but no rows"),
    "Parquet without rows": BadFile(
        parquet({"a": pa.array([], pa.float64()), "class": pa.array([], pa.string())}),
        TARGET,
        r"part0\.parquet has column names but no rows",
    ),
    "no line of names": BadFile(text("1,2,u\n3,4,v\n"), TARGET, r"first line holds numbers \(1, 2, u"),
    "a target that is not named": BadFile(text(GOOD_CSV), {}, r"Name the target.*target='class'"),
    "a target that is not there": BadFile(
        text(GOOD_CSV), {"target": "Clas"}, r"no column 'Clas' \(did you mean 'class'\?\) in .*t\.csv to be the target"
    ),
    "a target unlike any column": BadFile(text(GOOD_CSV), {"target": "zzz"}, r"no column 'zzz'.*'a', 'b', 'class'"),
    "nothing but a target": BadFile(text("class\nu\nv\n"), TARGET, r"no feature in .*t\.csv.*'class'"),
    "one class": BadFile(text("a,class\n1,u\n2,u\n"), TARGET, r"All 2 rows have the one class 'u'.*another target"),
    "a label missing": BadFile(
        text("a,class\n1,u\n2,\n3,v\n4,NA\n"),
        TARGET,
        r"no label in 2 of 4 rows of the target 'class' \(first: row 1\).*--drop-unlabelled",
    ),
    "a label missing in Parquet": BadFile(
        parquet({"a": [1.0, 2.0, 3.0], "class": ["u", "v", None]}), TARGET, r"no label in 1 of 3 rows.*first: row 2"
    ),
    "no row left after dropping": BadFile(
        text("a,class\n1,\n2,NA\n"), {**TARGET, "drop_unlabelled": True}, r"No row of .*t\.csv has a label in 'class'"
    ),
    "one row": BadFile(text("a,class\n1,u\n"), TARGET, r"usable rows is 1 .*at least 2 are needed"),
    "one row left after dropping": BadFile(
        text("a,class\n1,u\n2,\n"), {**TARGET, "drop_unlabelled": True}, r"usable rows is 1 .*at least 2 are needed"
    ),
    "a quantity as target": BadFile(
        parquet({"a": [1.0, 2.0, 3.0], "class": [0.25, 1.5, 2.75]}),
        TARGET,
        r"continuous quantity \(for example 0\.25\)",
    ),
    "text far down a column of numbers": BadFile(
        text("a,b,class\n" + "1,2,u\n3,4,v\n" * 70_000 + "1,oops,u\n"),
        TARGET,
        r"line 140002: column 'b' holds 'oops', which is not a number",
    ),
    "infinity": BadFile(
        text("a,b,class\n1,2,u\n2,inf,v\n"), TARGET, r"Column 'b' holds infinity \(row 1\).*missing \(NaN\)"
    ),
    "minus infinity in Parquet": BadFile(
        parquet({**ROWS, "b": [1.0, 2.0, 3.0, -np.inf]}), TARGET, r"Column 'b' holds infinity \(row 3\)"
    ),
    "a value too large to square": BadFile(
        text("a,class\n1e200,u\n" + "".join(f"{i},{'uv'[i % 2]}\n" for i in range(30))),
        TARGET,
        r"Column 'a' holds 1e\+200, too large to square \(row 0\)",
    ),
    "two columns of one name": BadFile(
        text("a,a,class\n1,2,u\n3,4,v\n"), TARGET, r"t\.csv has more than one column named 'a'\. Rename"
    ),
    "a line of too many fields": BadFile(
        text("a,class\n1,u\n2,v,w\n"), TARGET, r"t\.csv, line 3: 3 fields, but the first line names 2 columns"
    ),
    "a quotation mark left open": BadFile(text('a,class\n1,u\n2,"v\n'), TARGET, r"t\.csv, line 3: .*quotation mark"),
    "bytes that are no text": BadFile(
        raw(b"a,class\n1,caf\xe9\n2,v\n", "t.csv"),
        {**TARGET, "encoding": "utf-8"},
        r"line 2: the byte 0xe9 is not UTF-8 text.*save",
    ),
    "a quantity as target in text": BadFile(
        text("a,class\n1,0.25\n2,1.5\n3,2\n"), TARGET, r"continuous quantity \(for example 0\.25\)"
    ),
    "nothing but dates": BadFile(
        text("day,class\n2024-01-31,u\n2024-02-01,v\n"), TARGET, r"All features of .* hold dates.*'day'.*such as days"
    ),
    "gzip cut short": BadFile(
        cut_short(raw(gzip.compress(GOOD_CSV.encode() * 50), "t.csv.gz")),
        TARGET,
        r"t\.csv\.gz is not a whole gzip file",
    ),
    "Parquet cut short": BadFile(
        cut_short(parquet(ROWS)), TARGET, r"part0\.parquet is a Parquet file cut short.*again"
    ),
    "Parquet in name only": BadFile(text(GOOD_CSV, "t.parquet"), TARGET, r"t\.parquet is not a Parquet file"),
    "Arrow cut short": BadFile(cut_short(arrow), TARGET, r"t\.feather is an Arrow file cut short or damaged.*again"),
    "files of different columns": BadFile(
        parquet(ROWS, {name: ROWS[name] for name in ("a", "class")}),
        TARGET,
        r"part1\.parquet lacks the column 'b', which .*part0\.parquet has",
    ),
    "a file with one column more": BadFile(
        parquet(ROWS, {**ROWS, "c": ROWS["a"]}),
        TARGET,
        r"part0\.parquet lacks the column 'c', which .*part1\.parquet has",
    ),
    "a column of another type in one file": BadFile(
        parquet(ROWS, {**ROWS, "b": list("wxyz")}),
        TARGET,
        r"Column 'b' is string in .*part1\.parquet but double in .*part0\.parquet.*one type",
    ),
    "a format nobody knows": BadFile(
        text(GOOD_CSV, "t.xyz"), TARGET, r"t\.xyz has an ending that says no known format"
    ),
    "a name without an ending": BadFile(text(GOOD_CSV, "t"), TARGET, r"has an ending that says no known format.*\.csv"),
    "no such file": BadFile(missing("nowhere.csv"), TARGET, r"no file '.*nowhere\.csv'\. Check the path"),
    "a misspelt file": BadFile(
        lambda folder: text(GOOD_CSV, "train.csv")(folder).replace("train", "tarin"), TARGET, r"mean '.*train\.csv'\?"
    ),
    "no such folder": BadFile(
        missing("no/where.csv"), TARGET, r"no file '.*where\.csv', nor the folder '.*no'\. Check"
    ),
    "a folder without tables": BadFile(folder_without_tables, TARGET, r"holds no Parquet files.*give a glob"),
    "a glob that nothing matches": BadFile(missing("*.parquet"), TARGET, r"No file matches '.*\*\.parquet'\. Check"),
    "neither a file nor a data set": BadFile(
        lambda folder: "wines", {}, r"no bundled data set 'wines' \(did you mean 'wine'\?\)\. Check"
    ),
    "another target than the data set's": BadFile(lambda folder: "wine", TARGET, r"target of the data set 'wine' is"),
    "a negative weight": BadFile(
        text("a,w,class\n1,1,u\n2,-1,v\n"),
        {**TARGET, "weight": "w"},
        r"sample_weight must be finite and not negative, got -1\.0 in row 1",
    ),
    "a weight of text": BadFile(
        text("a,w,class\n1,x,u\n2,y,v\n"), {**TARGET, "weight": "w"}, r"weight 'w' of .* is not a column of numbers"
    ),
    "a weight that is not there": BadFile(
        text(GOOD_CSV), {**TARGET, "weight": "weight"}, r"no column 'weight' in .* to be the weight"
    ),
    "the target as weight": BadFile(
        text(GOOD_CSV), {**TARGET, "weight": "class"}, r"'class' cannot be both the target and the weight"
    ),
    "fewer labels than rows": BadFile(
        npz(X=np.eye(4), y=[0, 1, 0]), {}, r"X has 4 rows but y has 3 labels.*Give one label a row"
    ),
    "an array file without labels": BadFile(npz(X=np.eye(4)), {}, r"no array 'y' in .*t\.npz to be the target"),
    "an array file cut short": BadFile(cut_short(npz(X=np.eye(4), y=[0, 1, 0, 1])), {}, r"t\.npz is not a whole \.npz"),
    "an array file of text": BadFile(npz(X=[["a"], ["b"]], y=[0, 1]), {}, r"X of .*t\.npz must be a table of numbers"),
    "a MATLAB file in name only": BadFile(text("none", "t.mat"), {}, r"t\.mat is not a whole MATLAB file"),
    "svmlight in name only": BadFile(text("none\n", "t.svm"), {}, r"t\.svm is not a svmlight file"),
}
