"""Tables as people have them: what is selected of them and said about them."""

from __future__ import annotations

import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

from .ordinary_tables import DIALECTS, FORMATS, TABLES

NAMES = sorted(TABLES)


@pytest.mark.parametrize("name", NAMES)
def test_the_truth_about_a_table_names_its_columns(name):
    table = TABLES[name](seed=1).with_leak()
    named = [*table.drivers, *table.never, *table.leaks, *([table.groups] if table.groups else [])]
    assert set(named) <= set(table.X.columns)
    assert not set(table.drivers) & {*table.never, *table.leaks}
    assert_frame_equal(table.frame, TABLES[name](seed=1).with_leak().frame)
    assert not table.frame.equals(TABLES[name](seed=4).with_leak().frame)


@pytest.mark.parametrize("name", ["customers", "fraud"])
@pytest.mark.parametrize("form", FORMATS)
def test_every_format_holds_the_same_table(name, form, tmp_path):
    table = TABLES[name](seed=0, n_rows=300)
    path = table.write(tmp_path, form)
    if form == "parquet":
        found = pd.read_parquet(path)
    else:
        separator, decimal, thousands, _ = DIALECTS[form]
        dates = ["signup"] if name == "customers" else []
        found = pd.read_csv(
            path, sep=separator, decimal=decimal, thousands=thousands or None, parse_dates=dates, keep_default_na=False,
            na_values=[""],
        )  # fmt: skip
    assert_frame_equal(found, table.frame, check_dtype=False)


def test_rows_in_another_order_and_other_names_of_classes_are_the_same_table():
    table = TABLES["noise"](seed=0)
    other = table.shuffled(5).spelled(0, 1)
    assert sorted(other.frame.columns) == sorted(table.frame.columns)
    assert sorted(other.X["x1"]) == sorted(table.X["x1"])
    assert set(other.y) == {0, 1}
