"""One table, five spellings: other names of the classes, rows and columns in another order, another kind of file.

    python tests/ordinary/spellings.py wine heart.npz colon.npz [--outer 3]   bundled data sets, or .npz files with X, y

For every table the default `select` and `compare` run on each spelling. Prints what differs from the features of the
first, and exits with 1 where anything does.
"""

from __future__ import annotations

import argparse
import io
import json
import sys
import tempfile
import time
import warnings
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import numpy as np
import pandas as pd

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).parents[2]))
    __package__ = "tests.ordinary"

from fewest.datasets import load
from tests.cli.running import run

#: The suffix of the file, and the names of the classes by their numbers.
SPELLINGS = (
    (".csv", lambda code: code),
    (".tsv", lambda code: f"class {chr(ord('z') - code)}"),
    (".parquet", lambda code: -code),
    (".csv", lambda code: ["tumour", "normal", "other", "benign"][code % 4] + "." * (code // 4)),
    (".arrow", lambda code: 7 * ((code + 3) % 40)),
)


def frame_of(name: str) -> tuple[pd.DataFrame, np.ndarray]:
    """The features of a bundled data set or a file, and the classes by number."""
    if not name.endswith(".npz"):
        data = load(name)
        X, y, names = np.asarray(data.X), data.y, list(data.feature_names)
    else:
        with np.load(name, allow_pickle=False) as arrays:
            # Text has the digits of double precision.
            X, y = arrays["X"].astype(np.float64), arrays["y"]
        names = [f"v{column}" for column in range(X.shape[1])]
    return pd.DataFrame(X, columns=names), np.unique(y, return_inverse=True)[1]


def write(frame: pd.DataFrame, codes: np.ndarray, number: int, folder: Path) -> Path:
    """Write the spelling of that number; the first has rows and columns in their order."""
    suffix, spell = SPELLINGS[number]
    random = np.random.default_rng(number)
    spelled = frame.assign(label=[spell(int(code)) for code in codes])
    if number:
        rows, columns = random.permutation(len(spelled)), random.permutation(spelled.shape[1])
        spelled = spelled.iloc[rows, columns].reset_index(drop=True)
    path = folder / f"table{number}{suffix}"
    if suffix == ".parquet":
        spelled.to_parquet(path)
    elif suffix == ".arrow":
        spelled.to_feather(path)
    else:
        spelled.to_csv(path, index=False, sep="\t" if suffix == ".tsv" else ",")
    return path


def features_of(command: str, path: Path, *options: str) -> list[str]:
    """What the command recommends, in alphabetical order."""
    found = path.with_suffix(".json")
    said = io.StringIO()
    with redirect_stdout(said), redirect_stderr(said):
        code = run(command, str(path), "--target", "label", "--json", str(found), "--force", *options)
    assert code == 0, said.getvalue()
    content = json.loads(found.read_text("utf-8"))
    if command == "select":
        return sorted(content["features"])
    return sorted(one["name"] for one in content["tables"][0]["answer"]["recommended"]["features"])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tables", nargs="+")
    parser.add_argument("--outer", default="3", help="splits of compare")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    n_different = 0
    commands = {"select": (), "compare": ("--outer", asked.outer, "--jobs", "1", "--no-leak")}
    for name in asked.tables:
        frame, codes = frame_of(name)
        with tempfile.TemporaryDirectory() as folder:
            for command, options in commands.items():
                started = time.process_time()
                paths = [write(frame, codes, number, Path(folder)) for number in range(len(SPELLINGS))]
                answers = [features_of(command, path, *options) for path in paths]
                differing = [number for number, own in enumerate(answers) if own != answers[0]]
                n_different += len(differing)
                seconds = time.process_time() - started
                same = "the same" if not differing else f"spellings {differing} DIFFER"
                print(f"{Path(name).stem} {frame.shape} {command}: {len(answers[0])} features, {same}; {seconds:.0f} s")
                for number in differing:
                    print(f"   {number}: only there {sorted(set(answers[number]) - set(answers[0]))},"
                          f" not there {sorted(set(answers[0]) - set(answers[number]))}")  # fmt: skip
                sys.stdout.flush()
    return 1 if n_different else 0


if __name__ == "__main__":
    sys.exit(main())
