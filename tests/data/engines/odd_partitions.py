"""Tables whose partitions are odd in one way, for every engine: some give an answer, others are refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from fewest import MRMR, FisherScore, scan
from fewest.errors import FewestError

from .partitioned_tables import answer_of, mixed_table, never_keeping_rows

FRAME = mixed_table()
PLAIN = FRAME.drop(columns=["weight", "word", "city"])


@dataclass(frozen=True)
class Odd:
    """Partitions that are odd, and what a fit on them says.

    partitions : makes them
    message : of the error, with WHERE for what the engine calls the table; none where there is an answer
    needs_types : whether a column has another type, or is absent, in one partition, which a frame of Spark cannot have
    """

    partitions: Callable[[], list[pd.DataFrame]]
    message: str = ""
    needs_types: bool = False
    target: str = "label"
    options: dict[str, str] = field(default_factory=dict)
    selector: Callable[..., object] = MRMR

    def fit(self, source):
        return never_keeping_rows(self.selector(n_features=2)).fit(source)

    def check_answer(self, source):
        """The partitions give the answer of one table, to the bit."""
        found = answer_of(self.fit(source))
        expected = answer_of(self.fit(scan(pd.concat(self.partitions()), "label")))
        assert found[0] == expected[0]
        assert_array_equal(found[1], expected[1])

    def check_refusal(self, where, make_source):
        """The partitions are refused in one line, when the source is made or read; where : what the engine calls it"""
        with pytest.raises(FewestError, match=self.message.replace("WHERE", where)) as raised:
            self.fit(make_source())
        assert "\n" not in str(raised.value)


def divided(frame, *ends):
    """The partitions of a frame that end at these rows."""
    starts = [0, *ends]
    return [frame.iloc[a:b].reset_index(drop=True) for a, b in zip(starts, [*ends, len(frame)], strict=True)]


def changed(frame, index, **columns):
    """Three partitions of a frame, one of which has other columns or values."""
    parts = divided(frame, 300, 600)
    parts[index] = parts[index].assign(**columns)
    return parts


def lacking():
    parts = divided(PLAIN, 300, 600)
    parts[2] = parts[2].drop(columns="x1")
    return parts


def reordered():
    parts = divided(PLAIN, 300, 600)
    parts[1] = parts[1][parts[1].columns[::-1]]
    return parts


WEIGHTED = {"weight": "weight"}
#: These give the answer of one table.
ANSWERED = {
    "empty partitions": Odd(lambda: divided(PLAIN, 0, 450, 450, 900)),
    "a class of one partition only": Odd(
        lambda: divided(pd.concat([PLAIN, PLAIN.head(20).assign(label="rare")]), 450, 900)
    ),
    "columns in another order": Odd(reordered, needs_types=True),
    "text that differs by partition": Odd(
        lambda: changed(FRAME[["x0", "word", "label"]], 1, word=[f"only here {i % 3}" for i in range(300)])
    ),
    "integers in one, floats in others": Odd(
        lambda: changed(PLAIN.assign(count=PLAIN["count"].astype(float)), 1, count=range(300)), needs_types=True
    ),
}
#: These are refused.
REFUSED = {
    "another type in one partition": Odd(
        lambda: changed(PLAIN, 1, x1=["text"] * 300),
        r"Partition 1 of WHERE: column 'x1' is of type .*string, and holds numbers in others\. Give it one type\.",
        needs_types=True,
    ),
    "numbers where others have text": Odd(
        lambda: changed(FRAME.drop(columns="weight"), 1, word=np.arange(300.0)),
        r"Partition 1 of WHERE: column 'word' is of type double, and holds text or categories in others",
        needs_types=True,
    ),
    "a column is absent": Odd(
        lacking,
        r"Partition 2 of WHERE: it lacks the column 'x1', which others have\. Give all the same columns\.",
        needs_types=True,
    ),
    "missing labels in one partition": Odd(
        lambda: changed(PLAIN, 2, label=[None, *PLAIN["label"][601:]]),
        r"Partition 2 of WHERE: Input y contains NaN or no label in 1 of \d+ rows of the target 'label'",
    ),
    "no labels at all": Odd(
        lambda: divided(PLAIN.assign(label=None).astype({"label": "string"}), 450), r"Input y contains NaN or no label"
    ),
    "no rows": Odd(lambda: [PLAIN.head(0)], r"WHERE has column names but no rows"),
    "one class": Odd(lambda: divided(PLAIN.assign(label="u"), 450), r"All 900 rows have the one class 'u'"),
    "a target of measurements": Odd(
        lambda: divided(PLAIN.assign(label=PLAIN["x0"]), 450), r"(?i)label.*(continuous|regression|distinct)"
    ),
    "a target that is not there": Odd(
        lambda: divided(PLAIN, 450), r"There is no column 'lable' \(did you mean 'label'\?\) in WHERE", target="lable"
    ),
    "a weight that is not there": Odd(
        lambda: divided(PLAIN, 450), r"There is no column 'wait' in WHERE to be the weight", options={"weight": "wait"}
    ),
    "a negative weight": Odd(
        lambda: changed(PLAIN.assign(weight=1.0), 1, weight=-1.0),
        r"Partition 1 of WHERE: sample_weight must be finite and not negative, got -1\.0 in row 0",
        options=WEIGHTED,
    ),
    "weights that are no whole numbers": Odd(
        lambda: changed(PLAIN.assign(weight=1.0), 1, weight=0.5),
        r"Partition 1 of WHERE: .*weight",
        options=WEIGHTED,
    ),
    "infinity": Odd(lambda: changed(PLAIN, 1, x1=np.inf), r"Column 'x1' holds infinity", selector=FisherScore),
    "too many categories": Odd(
        lambda: divided(pd.DataFrame({"name": map("n{}".format, range(70_000)), "x": 1.0, "label": "a"}), 40_000),
        r"Column 'name' of WHERE holds more than 65,000 distinct values",
    ),
    "dates": Odd(
        lambda: divided(PLAIN[["label"]].assign(day=pd.Timestamp("2020-01-01")), 450),
        r"All features of WHERE hold dates, times or durations",
    ),
    "lists": Odd(
        lambda: divided(PLAIN.assign(x0=[[1.0]] * len(PLAIN)), 450),
        # Of a frame of pandas the type is known once a partition is read.
        r"Column 'x0' of WHERE holds values of type list<.*>, not numbers or text|"
        r"Partition 0 of WHERE: column 'x0' is of type list<.*>, and holds text or categories in others",
    ),
}
