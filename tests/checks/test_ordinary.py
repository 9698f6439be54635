"""Tables as people have them: what is set aside is what never should be chosen, and planted leaks are flagged."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn import datasets

from fewest import check_data

from ..ordinary.tables import FORMATS, TABLES

FLAGS = ("leak", "target-copy")


def flagged(found):
    return {name for one in found.findings if one.kind in FLAGS for name in one.columns}


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("name", sorted(TABLES))
def test_what_is_never_to_be_chosen_is_set_aside_and_nothing_else(name, seed):
    sizes = {"customers": {"n_rows": 1000}, "fraud": {"n_rows": 4000}, "sensors": {"n_rows": 900}}
    table = TABLES[name](seed=seed, **sizes.get(name, {}))
    found = check_data(table.X, table.y)
    dates = {column.name for column in found.columns if column.kind == "dates"}
    assert set(found.set_aside) == {*table.never, *dates}
    # With sixty rows a true gene may separate them all but one: that is for somebody to look at.
    strong = flagged(found)
    assert strong <= (set(table.drivers) if name == "genes" else set())
    with_leak = table.with_leak()
    assert flagged(check_data(with_leak.X, with_leak.y)) == {*with_leak.leaks, *strong}


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("name", ["customers", "fraud", "patients"])
def test_every_file_gives_the_same_findings(name, form, tmp_path):
    table = TABLES[name](seed=2).with_leak()
    path = table.write(tmp_path, form)
    found = check_data(path, target=table.target)
    expected = check_data(table.frame, target=table.target)
    assert set(found.set_aside) == set(expected.set_aside)
    assert flagged(found) == flagged(expected) == set(table.leaks)


@pytest.mark.parametrize("load", [datasets.load_iris, datasets.load_wine, datasets.load_breast_cancer])
def test_measurements_of_well_known_tables_are_all_kept(load):
    X, y = load(return_X_y=True, as_frame=True)
    found = check_data(X, y)
    assert found.set_aside == ()
    assert not flagged(found)


def test_pixels_are_kept_but_for_those_that_are_always_white():
    X, y = datasets.load_digits(return_X_y=True)
    constant = tuple(f"x{column}" for column in np.flatnonzero(np.ptp(X, axis=0) == 0))
    assert check_data(X, y).set_aside == constant


def test_columns_that_only_look_like_names_are_kept():
    rng = np.random.default_rng(0)
    n_rows = 2000
    frame = pd.DataFrame(
        {
            "year": rng.integers(1950, 2024, n_rows),
            "zip": rng.integers(10_000, 99_999, n_rows),
            "income": rng.normal(50_000, 15_000, n_rows).round(),
            "seconds": rng.integers(1_600_000_000, 1_700_000_000, n_rows),
            "latitude": rng.uniform(40, 60, n_rows).round(6),
            "rating": rng.integers(1, 6, n_rows),
            "number_of_orders": rng.poisson(200, n_rows),
            "session_length": rng.gamma(2.0, 3000.0, n_rows).round(),
            "price": np.sort(rng.gamma(2.0, 50.0, n_rows)).round(2),
            "user_score": rng.integers(0, 100_000, n_rows),
            "comment": rng.choice(["good", "bad", "so so", "never again"], n_rows),
        }
    )
    found = check_data(frame, rng.choice(["u", "v"], n_rows))
    assert found.set_aside == ()
