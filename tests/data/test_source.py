"""Progress while a source is read."""

from __future__ import annotations

import numpy as np
import pytest

from fewest import FisherMarkov
from fewest.data.array import ArraySource
from fewest.data.labels import Target
from fewest.data.source import ProgressSource, with_progress
from fewest.statistics.class_moments import ClassMoments


class Ledger:
    """Stands in for a progress bar and stores its calls."""

    def __init__(self):
        self.tasks = []

    def add_task(self, what, total, shown):
        self.tasks.append({"what": what, "total": total, "done": 0})
        return len(self.tasks) - 1

    def update(self, task, advance, shown):
        self.tasks[task]["done"] += advance

    def remove_task(self, task):
        self.tasks[task]["is_removed"] = True


@pytest.fixture
def source():
    rng = np.random.default_rng(0)
    source = ArraySource(rng.normal(size=(30, 5)).astype(np.float16), Target(np.arange(30) % 2))
    source.n_rows = 30
    return source


@pytest.mark.parametrize("columns_at_once", [5, 2])
def test_every_value_is_counted_once_however_the_columns_are_grouped(source, columns_at_once):
    source.columns_at_once = columns_at_once
    ledger = Ledger()
    ProgressSource(source, ledger).collect(ClassMoments())
    assert ledger.tasks == [{"what": "reading", "total": 150, "done": 150, "is_removed": True}]


def test_a_second_pass_over_chosen_columns_has_a_bar_of_its_own(source):
    ledger = Ledger()
    ProgressSource(source, ledger).only([1, 3]).collect(ClassMoments())
    assert ledger.tasks == [{"what": "reading chosen columns", "total": 60, "done": 60, "is_removed": True}]


def test_without_asking_the_source_is_itself(source):
    with with_progress(source, is_shown=False) as same:
        assert same is source


@pytest.mark.parametrize("n_features", [2, "auto"])
def test_progress_changes_no_answer_and_leaves_standard_output_alone(n_features, capsys):
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(60, 8)), np.arange(60) % 2
    silent = FisherMarkov(n_features=n_features).fit(X, y)
    shown = FisherMarkov(n_features=n_features, verbose=True).fit(X, y)
    assert shown.selection_.indices == silent.selection_.indices
    assert capsys.readouterr().out == ""
