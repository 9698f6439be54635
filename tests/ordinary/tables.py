"""Tables as people have them, generated: with identifiers, counters, constants, dates, text, and known true drivers.

>>> table = customers(seed=3)
>>> table.frame.shape, table.target
((3000, 21), 'churn')
>>> path = table.write(folder, "semicolon")   # or "comma", "tab", "thousands", "parquet"

Each driver alone shifts the class distribution well beyond what chance gives with the number of rows and columns.
"""

from __future__ import annotations

import csv
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd

#: The text files that one table is written as, by name: separator, decimal mark, thousands mark, suffix.
DIALECTS = {
    "comma": (",", ".", "", ".csv"),
    "semicolon": (";", ",", "", ".csv"),
    "tab": ("\t", ".", "", ".tsv"),
    "thousands": (",", ".", ",", ".csv"),
}
#: All ways to write a table.
FORMATS = (*DIALECTS, "parquet")


@dataclass(frozen=True)
class OrdinaryTable:
    """A generated table and the truth about it.

    name, seed : which table
    frame : features and target, a pandas frame
    target : the name of the column that holds the class
    drivers : the columns that the class depends on
    never : identifiers, counters, constants and group columns, which must never be recommended
    leaks : planted columns that are known only once the class is
    groups : the column of rows that belong together, or None
    """

    name: str
    seed: int
    frame: pd.DataFrame
    target: str
    drivers: tuple[str, ...]
    never: tuple[str, ...]
    leaks: tuple[str, ...] = ()
    groups: str | None = None

    @property
    def X(self) -> pd.DataFrame:  # noqa: N802
        return self.frame.drop(columns=self.target)

    @property
    def y(self) -> pd.Series:
        return self.frame[self.target]

    @property
    def size(self) -> int:
        """The true number of features."""
        return len(self.drivers)

    def write(self, folder: Path, form: str = "comma") -> Path:
        """Write the table in one of FORMATS, and return the path."""
        if form == "parquet":
            path = folder / f"{self.name}.parquet"
            self.frame.to_parquet(path)
            return path
        separator, decimal, thousands, suffix = DIALECTS[form]
        path = folder / f"{self.name}-{form}{suffix}"
        columns = [_as_text(self.frame[name], decimal, thousands) for name in self.frame]
        with path.open("w", newline="", encoding="utf-8") as file:
            quoting = csv.QUOTE_ALL if thousands else csv.QUOTE_MINIMAL
            writer = csv.writer(file, delimiter=separator, quoting=quoting, lineterminator="\n")
            writer.writerow(self.frame.columns)
            writer.writerows(zip(*columns, strict=True))
        return path

    def options(self, form: str) -> list[str]:
        """The options with which the command reads that file, should it not find them out by itself."""
        separator, decimal, thousands, _ = DIALECTS.get(form, (",", ".", "", ""))
        return [
            *(["--sep", separator] if separator == ";" else []),
            *(["--decimal", decimal] if decimal != "." else []),
            *(["--thousands", thousands] if thousands else []),
        ]

    def shuffled(self, seed: int) -> OrdinaryTable:
        """The same rows and columns in another order."""
        rng = np.random.default_rng(seed)
        names = list(self.frame.columns)
        frame = self.frame.iloc[rng.permutation(len(self.frame))][[names[i] for i in rng.permutation(len(names))]]
        return replace(self, frame=frame.reset_index(drop=True))

    def spelled(self, *labels: object) -> OrdinaryTable:
        """The same table with other names of the classes, in the order of the sorted old ones."""
        new = dict(zip(sorted(self.y.unique()), labels, strict=True))
        return replace(self, frame=self.frame.assign(**{self.target: self.y.map(new)}))

    def with_leak(self) -> OrdinaryTable:
        """The same table with a column that is known only once the class is: its kind goes by the seed.

        A copy in other words; one with 1 % of each class wrong; a number that separates the classes.
        """
        rng = np.random.default_rng([self.seed, 99])
        codes, labels = pd.factorize(self.y, sort=True)
        kind = self.seed % 3
        if kind == 1:
            for code in range(len(labels)):
                own = np.flatnonzero(codes == code)
                codes[rng.choice(own, len(own) // 100, replace=False)] = (code + 1) % len(labels)
        values = codes * 10.0 + rng.normal(size=len(codes)) if kind == 2 else [f"status {code}" for code in codes]
        frame = self.frame.copy()
        frame.insert(int(rng.integers(frame.shape[1])), "closing_code", values)
        return replace(self, frame=frame, leaks=("closing_code",))


def customers(seed: int = 0, n_rows: int = 3000) -> OrdinaryTable:
    """Customers who leave: numbers, categories, text with a value a row, a constant, a date; 21 columns."""
    rng = np.random.default_rng([seed, 1])
    identifiers = rng.permutation(np.arange(100_000, 100_000 + 3 * n_rows))[:n_rows]
    given = rng.choice(["Ana", "Ben", "Chiara", "Deniz", "Eva", "Farid", "Grace", "Hugo"], n_rows)
    family = [f"{start}{end}" for start, end in zip(rng.choice(_SYLLABLES, n_rows), range(n_rows), strict=True)]
    frame = pd.DataFrame(
        {
            "CustomerID": identifiers if seed % 2 else [f"C-{number}" for number in identifiers],
            "name": [f"{first} {last}" for first, last in zip(given, family, strict=True)],
            "email": [f"{first[0].lower()}.{last}@mail.example" for first, last in zip(given, family, strict=True)],
            "signup": pd.Timestamp("2015-01-01") + pd.to_timedelta(rng.integers(0, 3000, n_rows), "D"),
            "currency": "EUR",
            "contract": rng.choice(["monthly", "one year", "two years"], n_rows, p=[0.5, 0.3, 0.2]),
            "payment": rng.choice(["card", "transfer", "check", "debit"], n_rows),
            "region": rng.choice(["N", "NE", "E", "SE", "S", "SW", "W", "NW"], n_rows),
            "gender": rng.choice(["f", "m"], n_rows),
            "internet": rng.choice(["fiber", "dsl", "none"], n_rows, p=[0.4, 0.4, 0.2]),
            "paperless": rng.choice(["yes", "no"], n_rows),
            "senior": rng.integers(0, 2, n_rows),
            "tenure_months": rng.integers(1, 73, n_rows),
            "monthly_charges": rng.uniform(20, 120, n_rows).round(2),
            "support_calls": rng.poisson(2.0, n_rows),
            "age": rng.integers(18, 90, n_rows),
            "logins": rng.poisson(30.0, n_rows),
            "data_gb": rng.gamma(2.0, 900.0, n_rows).round(1),
            "postcode": rng.integers(10_000, 10_900, n_rows),
            "discount": rng.choice([0, 5, 10, 15], n_rows),
        }
    )
    score = (
        frame["contract"].map({"monthly": 1.0, "one year": -0.6, "two years": -1.6})
        + frame["internet"].map({"fiber": 1.1, "dsl": -0.5, "none": -1.2})
        - _standard(frame["tenure_months"])
        + _standard(frame["monthly_charges"])
        + _standard(frame["support_calls"])
    )
    frame["churn"] = np.where(_drawn(rng, 4.0 * _standard(score), 0.3), "yes", "no")
    frame.loc[rng.random(n_rows) < 0.05, "data_gb"] = np.nan
    frame.loc[rng.random(n_rows) < 0.03, "payment"] = None
    drivers = ("contract", "internet", "tenure_months", "monthly_charges", "support_calls")
    return OrdinaryTable(
        "customers", seed, frame, "churn", drivers, ("CustomerID", "name", "email", "currency"),
    )  # fmt: skip


def patients(seed: int = 0, n_patients: int = 150) -> OrdinaryTable:
    """Visits of patients, each of one diagnosis: values of one patient resemble each other."""
    rng = np.random.default_rng([seed, 2])
    n_visits = rng.integers(2, 7, n_patients)
    patient = np.repeat(np.arange(n_patients), n_visits)
    visit = np.concatenate([np.arange(1, n + 1) for n in n_visits])
    ill = rng.permutation(np.arange(n_patients) % 5 < 2)
    names = ["glucose", "crp", "ferritin", "albumin", "sodium", "potassium", "platelets", "alt", "ast", "tsh",
             "calcium", "urea", "bilirubin", "ldh", "iron", "zinc"]  # fmt: skip
    drivers = ("crp", "ferritin", "albumin", "platelets")
    frame = pd.DataFrame({"patient": [f"P{number:04d}" for number in rng.permutation(9000)[patient]], "visit": visit})
    for name in names:
        level = rng.normal(size=n_patients) * 0.5 + (1.6 if name in drivers else 0.0) * ill
        frame[name] = (50 + 10 * (level[patient] + rng.normal(size=len(patient)) * 0.6)).round(2)
    frame["site"] = rng.choice(["north", "south", "east"], len(patient))
    frame["protocol"] = 2
    frame.loc[rng.random(len(frame)) < 0.04, "sodium"] = np.nan
    frame["diagnosis"] = np.where(ill[patient], "ill", "healthy")
    return OrdinaryTable(
        "patients", seed, frame, "diagnosis", drivers, ("patient", "protocol"), groups="patient"
    )  # fmt: skip


def genes(seed: int = 0, n_rows: int = 60, n_genes: int = 2000) -> OrdinaryTable:
    """Tissues by genes, with the name of the sample first; few genes are expressed differently in tumours."""
    rng = np.random.default_rng([seed, 3])
    tumour = rng.permutation(np.arange(n_rows) % 2 == 1)
    names = [f"gene_{number:04d}" for number in range(n_genes)]
    drivers = tuple(names[i] for i in sorted(rng.choice(n_genes, 8, replace=False)))
    values = rng.normal(8.0, 1.0, (n_rows, n_genes))
    for name in drivers:
        values[:, names.index(name)] += 2.2 * rng.choice([-1, 1]) * tumour
    samples = [f"S{number:03d}" for number in rng.permutation(999)[:n_rows]]
    table = {"sample": samples, **dict(zip(names, values.round(4).T, strict=True))}
    frame = pd.DataFrame({**table, "tissue": np.where(tumour, "tumour", "normal")})
    return OrdinaryTable("genes", seed, frame, "tissue", drivers, ("sample",))


def fraud(seed: int = 0, n_rows: int = 6000) -> OrdinaryTable:
    """Payments in the order of their numbers, one in a hundred fraudulent."""
    rng = np.random.default_rng([seed, 4])
    is_fraud = np.zeros(n_rows, dtype=bool)
    is_fraud[rng.choice(n_rows, n_rows // 100, replace=False)] = True
    shift = is_fraud.astype(float)
    frame = pd.DataFrame(
        {
            "transaction": np.arange(7_000_001, 7_000_001 + n_rows),
            "merchant": [f"shop {number}" for number in rng.integers(0, 300, n_rows)],
            "amount": np.exp(rng.normal(3.5, 0.8, n_rows) + 2.0 * shift).round(2),
            "distance_km": np.exp(rng.normal(2.0, 0.8, n_rows) + 2.0 * shift).round(1),
            "payments_last_hour": rng.poisson(0.8 + 4.0 * shift),
            "new_device": rng.random(n_rows) < np.where(is_fraud, 0.85, 0.08),
            "hour": rng.integers(0, 24, n_rows),
            "weekday": rng.choice(["Mo", "Tu", "We", "Th", "Fr", "Sa", "Su"], n_rows),
            "card": rng.choice(["visa", "mastercard", "amex"], n_rows),
            "balance": rng.gamma(2.0, 1500.0, n_rows).round(2),
            "account_age_days": rng.integers(30, 4000, n_rows),
            "credit_limit": rng.choice([500, 1000, 2000, 5000], n_rows),
            "items": rng.poisson(3.0, n_rows) + 1,
            "schema_version": 4,
            "fraud": np.where(is_fraud, 1, 0),
        }
    )
    drivers = ("amount", "distance_km", "payments_last_hour", "new_device")
    return OrdinaryTable("fraud", seed, frame, "fraud", drivers, ("transaction", "schema_version"))


def sensors(seed: int = 0, n_rows: int = 2000) -> OrdinaryTable:
    """A machine over time: states last for a while, so that the counter alone would predict them."""
    rng = np.random.default_rng([seed, 5])
    states = np.array(["normal", "worn", "broken"])
    state = np.concatenate([np.repeat(rng.permutation(3), n_rows // 12) for _ in range(4)])
    state = np.concatenate([state, np.full(n_rows - len(state), state[-1])])
    frame = pd.DataFrame({"row": np.arange(1, n_rows + 1)})
    names = [f"sensor_{number:02d}" for number in range(1, 31)]
    drivers = tuple(names[i] for i in sorted(rng.choice(len(names), 5, replace=False)))
    for name in names:
        shifts = rng.permutation([0.0, 1.3, 2.6]) if name in drivers else np.zeros(3)
        frame[name] = (100 + 5 * (rng.normal(size=n_rows) + shifts[state])).round(3)
    frame["firmware"] = "v2.1"
    frame["state"] = states[state]
    return OrdinaryTable("sensors", seed, frame, "state", drivers, ("row", "firmware"))


def noise(seed: int = 0, n_rows: int = 200) -> OrdinaryTable:
    """Fifty columns, numbers and categories, that have nothing to do with the class."""
    rng = np.random.default_rng([seed, 6])
    frame = pd.DataFrame({f"x{number}": rng.normal(size=n_rows).round(4) for number in range(1, 41)})
    for number in range(1, 11):
        frame[f"c{number}"] = rng.choice(list("abcdef")[: 2 + number % 5], n_rows)
    frame["group"] = rng.permutation(np.where(np.arange(n_rows) % 5 < 2, "case", "control"))
    return OrdinaryTable("noise", seed, frame, "group", (), ())


#: Every generator, by the name of its table.
TABLES: dict[str, Callable[..., OrdinaryTable]] = {
    made.__name__: made for made in (customers, patients, genes, fraud, sensors, noise)
}

_SYLLABLES = ["Albe", "Brok", "Cor", "Dahl", "Estra", "Feld", "Gru", "Horv", "Iva", "Jans"]


def _standard(values: pd.Series) -> pd.Series:
    return (values - values.mean()) / values.std()


def _drawn(rng: np.random.Generator, score: pd.Series, share: float) -> np.ndarray:
    """Labels that are true with the probability of a logistic function, in about this share of the rows."""
    centred = score - np.quantile(score, 1.0 - share)
    return np.asarray(rng.random(len(score)) < 1.0 / (1.0 + np.exp(-centred)))


def _as_text(column: pd.Series, decimal: str, thousands: str) -> list[str]:
    if pd.api.types.is_datetime64_any_dtype(column):
        return list(column.dt.strftime("%Y-%m-%d"))
    if pd.api.types.is_bool_dtype(column) or not pd.api.types.is_numeric_dtype(column):
        return ["" if pd.isna(value) else str(value) for value in column]
    texts = ["" if pd.isna(value) else f"{value:,}" if thousands else str(value) for value in column]
    # From the point and comma of Python to the marks of this dialect.
    marks = str.maketrans({".": decimal, ",": thousands})
    return [text.translate(marks) for text in texts]
