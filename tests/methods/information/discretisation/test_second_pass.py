"""A stream that is too large to be kept is read twice, with the same answer."""

from __future__ import annotations

import numpy as np
import pytest

from fewest import CMIM, DISR, JMI, MRMR, ChiSquare, InformationGain, MaxDependency, MaxRelevance, scan
from fewest.criteria import MutualInformation, RelevanceRedundancy
from fewest.errors import InvalidInput, TooManyRows
from fewest.methods.information.discretisation.categorical_rows import CategoricalRows
from fewest.methods.information.information_criteria import CategoricalCriterion, InformationCriterion
from fewest.selectors.selector import Selector

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


@pytest.fixture
def folder(tmp_path):
    """Numbers, integers, text and missing values, in three files."""
    rng = np.random.default_rng(0)
    for file in range(3):
        n = 700
        y = rng.integers(0, 3, n)
        columns = {f"i{j}": np.where(rng.random(n) < 0.1 * j, y, rng.integers(0, 4, n)) for j in range(6)}
        columns |= {f"f{j}": rng.normal(size=n) + 0.3 * j * y for j in range(4)}
        columns["far"] = rng.integers(0, 3, n) * 10_000 + 10_000 * y
        columns["wide"] = rng.integers(0, 900, n) + 50 * y
        columns["missing"] = np.where(rng.random(n) < 0.2, np.nan, y + rng.integers(0, 2, n))
        columns["text"] = np.array(["red", "green", "blue"])[np.where(rng.random(n) < 0.5, y, rng.integers(0, 3, n))]
        columns["many"] = [f"t{k}" for k in rng.integers(0, 280, n)]
        columns["label"] = np.array(["a", "b", "c"])[y]
        pq.write_table(pa.table(columns), tmp_path / f"{file}.parquet", row_group_size=250)
    return tmp_path


def answer(selector):
    selection = selector.selection_
    return selection.indices, selection.scores, selection.provenance.fingerprint, selection.provenance.class_counts


SELECTORS = {
    "mrmr": lambda: MRMR(n_features=8),
    "quotient": lambda: MRMR(n_features=8, criterion="quotient"),
    "pairwise": lambda: MRMR(n_features=8, missing="pairwise"),
    "mean": lambda: MRMR(n_features=8, discretize="mean"),
    "width": lambda: MRMR(n_features=8, discretize="width", n_bins=4),
    "relevance": lambda: MaxRelevance(n_features=8),
    "gain": lambda: InformationGain(n_features=8),
    "chi square": lambda: ChiSquare(n_features=8),
    "dependency": lambda: MaxDependency(n_features=3),
    "jmi": lambda: JMI(n_features=6),
    "cmim": lambda: CMIM(n_features=6),
    "disr, pairwise": lambda: DISR(n_features=6, missing="pairwise"),
    "auto": lambda: MRMR(n_features="auto", max_features=6, cv=3),
}


@pytest.mark.parametrize("name", SELECTORS)
@pytest.mark.parametrize("keeps_bits", [True, False])
@pytest.mark.parametrize("rows_at_once", [50, 100_000])
def test_the_answer_is_that_of_rows_that_are_kept(name, keeps_bits, rows_at_once, folder, monkeypatch):
    expected = SELECTORS[name]().fit(scan(folder, target="label"))
    monkeypatch.setattr(Selector, "_stream_bytes", 1000)
    monkeypatch.setattr("fewest.data.files.parquet.ParquetSource.rows_at_once", rows_at_once)
    kinds = []
    second_pass = CategoricalCriterion.second_pass
    budgets = {} if keeps_bits else {"few_bytes": 0}
    monkeypatch.setattr(
        CategoricalCriterion,
        "second_pass",
        lambda self, summary: kinds.append(made := second_pass(self, summary, **budgets)) or made,
    )
    found = SELECTORS[name]().fit(scan(folder, target="label"))
    assert answer(found) == answer(expected)
    if name in ("mrmr", "auto"):
        # Here the pairs of many categories of text take more than bits.
        assert {kind.counts for kind in kinds} <= {"pairs", "rows"}
        assert len(kinds) == (1 if name == "mrmr" else 4)
    if rows_at_once == 50:
        in_groups = scan(folder, target="label")
        in_groups.columns_at_once = 4
        assert answer(SELECTORS[name]().fit(in_groups)) == answer(expected)


def test_rows_of_an_unknown_number_are_kept_until_they_are_too_many(tmp_path, monkeypatch):
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 900)
    X = np.where(rng.random((900, 12)) < 0.3, y[:, None], rng.integers(0, 3, (900, 12)))
    path = tmp_path / "table.csv"
    lines = [",".join(map(str, [*row, "ab"[label]])) for row, label in zip(X.tolist(), y, strict=True)]
    path.write_text("\n".join([",".join([*(f"x{j}" for j in range(12)), "label"]), *lines]) + "\n")
    expected = MRMR(n_features=5).fit(scan(path, target="label"))
    monkeypatch.setattr(Selector, "_stream_bytes", 1000)
    monkeypatch.setattr("fewest.data.files.delimited.DelimitedSource.bytes_at_once", 2000)
    monkeypatch.setattr("fewest.data.files.delimited.DelimitedSource.values_at_once", 1300)
    seen = []
    second_pass = CategoricalCriterion.second_pass
    monkeypatch.setattr(
        CategoricalCriterion, "second_pass", lambda self, summary: seen.append(summary) or second_pass(self, summary)
    )
    assert answer(MRMR(n_features=5).fit(scan(path, target="label"))) == answer(expected)
    assert [summary.n_rows for summary in seen] == [900]


def test_what_needs_all_values_of_a_column_keeps_the_rows(folder, monkeypatch):
    monkeypatch.setattr(Selector, "_stream_bytes", 1000)
    for discretize in ("frequency", None):
        MRMR(n_features=3, discretize=discretize).fit(scan(folder, target="label"))


def test_what_does_not_fit_is_refused_with_what_to_do(folder):
    summary = scan(folder, target="label").with_text_as_codes().collect(RelevanceRedundancy().column_summary())
    with pytest.raises(InvalidInput, match=r"2,100 rows of 15 columns \(all pairs: .*\) take .* MaxRelevance"):
        RelevanceRedundancy().second_pass(summary, few_bytes=0, max_bytes=500)
    assert MutualInformation().second_pass(summary, few_bytes=0, max_bytes=500).counts == "classes"


def test_rows_that_come_in_parts_have_a_limit(monkeypatch):
    limited = CategoricalRows(max_merged_bytes=2000)
    monkeypatch.setattr(InformationCriterion, "statistic", lambda self: limited.empty())
    rng = np.random.default_rng(2)
    X, y = rng.integers(0, 3, (100, 4)), rng.integers(0, 2, 100)
    selector = MRMR(n_features=2)
    for _ in range(5):
        selector.partial_fit(X, y)
    with pytest.raises(TooManyRows, match="This method keeps the rows"):
        selector.partial_fit(X, y)
