"""Durations as users write them."""

from __future__ import annotations

import pytest

from fewest import compare
from fewest.errors import InvalidParameter
from fewest.evaluation.run.durations import about, exactly, to_seconds


@pytest.mark.parametrize(
    ("written", "seconds"),
    [
        (90, 90), (0.5, 0.5), ("90", 90), ("90s", 90), ("2m", 120), ("2min", 120), ("1h30m", 5400), ("1h", 3600),
        ("1.5m", 90), (" 1H 30M 5S ", 5405), (".5s", 0.5), (None, None),
    ],
)  # fmt: skip
def test_a_duration_is_read(written, seconds):
    assert to_seconds("time_limit", written) == seconds


@pytest.mark.parametrize(
    "written", ["", "soon", "2d", "m", "-5s", "0", 0, -1, True, float("nan"), float("inf"), "1m2h", "1h30", "2m30"]
)
def test_what_is_no_duration_is_refused(written):
    with pytest.raises(InvalidParameter, match="time_limit must be a time such as 90s, 2m or 1h30m, or a number of"):
        to_seconds("time_limit", written)
    with pytest.raises(InvalidParameter, match="time_limit must be"):
        compare("fisher-score", "no table", time_limit=written)


def test_durations_in_words():
    assert [about(one) for one in (0.2, 40, 100, 1500, 3600 * 5)] == [
        "1 s",
        "40 s",
        "2 minutes",
        "25 minutes",
        "5 h 0 min",
    ]
    assert [exactly(one) for one in (60, 2.5, 150)] == ["60 s", "2.5 s", "2 min 30 s"]
