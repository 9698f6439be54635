"""Small files of the names that the documents use, so that their blocks run as they are printed.

A page that needs a table takes one of these, or adds one here:

table.csv         target class (a, b), columns x0 to x8
sensors.csv       target state (on, off, idle), columns x0 to x7
customers.csv     target churn (yes, no), CustomerID, notes without a value, constant internal_a, columns x0 to x5
visits.csv        target class, patient (three rows each), columns x0 to x5; visits.csv.gz: the same with target outcome
parts.csv         target class, part (train, test), columns x0 to x5
sales.parquet     target label (u, v), columns x0 to x23, count (whole numbers); rows/ is a folder of two such files
genes.npz         arrays X and y, 40 rows of 60 columns; leukemia.npz: with train, true for training rows
genes.csv         target class (normal, tumour), columns g0 to g59; genes.tsv: transposed, a column for each sample
counts.npz        a sparse matrix and y
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy import sparse


def make_files(folder):
    """Write all of them."""
    rng = np.random.default_rng(0)

    def table(n_rows, n_columns, classes):
        codes = rng.permutation(np.arange(n_rows) % len(classes))
        values = rng.normal(size=(n_rows, n_columns))
        values[:, : n_columns // 3] += 1.5 * codes[:, None]
        return values, np.array(classes)[codes]

    def frame(target, *size):
        values, labels = table(*size)
        return pd.DataFrame(values.round(4)).add_prefix("x").assign(**{target: labels})

    def write(name, content):
        content.to_csv(folder / name, index=False)

    write("table.csv", frame("class", 60, 9, ["a", "b"]))
    write("sensors.csv", frame("state", 60, 8, ["on", "off", "idle"]))
    customers = frame("churn", 60, 6, ["yes", "no"])
    write("customers.csv", customers.assign(CustomerID=np.arange(7000, 7060), notes="", internal_a=1))
    patients = np.repeat(np.arange(20), 3)
    visits = frame("class", 60, 6, ["a", "b"]).assign(patient=[f"p{number}" for number in patients])
    visits["class"] = visits["class"].to_numpy()[::3][patients]
    write("visits.csv", visits)
    write("visits.csv.gz", visits.rename(columns={"class": "outcome"}))
    write("parts.csv", frame("class", 60, 6, ["a", "b"]).assign(part=["train", "test", "train"] * 20))
    (folder / "rows").mkdir()
    for name in ("rows/part-0.parquet", "rows/part-1.parquet", "sales.parquet"):
        frame("label", 40, 24, ["u", "v"]).assign(count=rng.integers(1, 4, 40)).to_parquet(folder / name)
    values, labels = table(40, 60, ["normal", "tumour"])
    np.savez(folder / "genes.npz", X=values, y=labels)
    np.savez(folder / "leukemia.npz", X=values, y=labels, train=np.arange(40) % 3 != 0)
    samples = pd.DataFrame(values.round(4)).add_prefix("g").assign(**{"class": labels})
    write("genes.csv", samples)
    samples.set_axis([f"s{i}" for i in range(40)]).T.to_csv(folder / "genes.tsv", sep="\t")
    counts = sparse.csr_matrix(rng.poisson(0.3, (50, 20)).astype(float))
    parts = {"data": counts.data, "indices": counts.indices, "indptr": counts.indptr, "shape": counts.shape}
    np.savez(folder / "counts.npz", **parts, y=rng.integers(0, 2, 50))
