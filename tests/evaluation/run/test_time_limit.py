"""A comparison within a time limit: what is done is the same as without one, and what is not is said.

Time is that of a clock that only slow methods and classifiers move.
"""

from __future__ import annotations

import json
import time

import numpy as np
import pytest
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.naive_bayes import GaussianNB

from fewest import Comparison, compare
from fewest.errors import InvalidParameter
from fewest.evaluation.run import cases, schedule, worker_pool
from fewest.evaluation.run.schedule import Caller, FitControl, Forecast, Schedule, called_by


class Clock:
    now = 0.0

    def perf_counter(self):
        return self.now

    def sleep(self, seconds):
        self.now += seconds


CLOCK = Clock()
FAST = {"classifiers": ["nb"], "sizes": [1, 3], "inner": 2}


def taking_a_second(X, y):
    CLOCK.now += 1
    return f_classif(X, y)


def taking_a_minute(X, y):
    CLOCK.now += 60
    return f_classif(X, y)


def taking_a_minute_for_many(X, y):
    CLOCK.now += 60 if len(X) > 40 else 0
    return f_classif(X, y)


class SlowBayes(GaussianNB):
    def predict(self, X):
        CLOCK.now += 20
        return super().predict(X)


@pytest.fixture
def clock(monkeypatch):
    """The clock, for a comparison in this process, where no job can be ended."""
    CLOCK.now = 0.0
    for name in ("comparing", "schedule", "jobs", "trial"):
        monkeypatch.setattr(f"fewest.evaluation.run.{name}.time", CLOCK)
    monkeypatch.setattr("fewest.evaluation.summary.views.time", CLOCK)

    class NoPool:
        def __init__(self, n_workers):
            pass

        def __enter__(self):
            return None

        def __exit__(self, *_):
            pass

    monkeypatch.setattr("fewest.evaluation.run.comparing.WorkerPool", NoPool)


@pytest.fixture(scope="module")
def data():
    random = np.random.default_rng(0)
    y = np.arange(60) % 2
    return random.normal(size=(60, 6)) + y[:, None] * [2, 1, 0.5, 0, 0, 0], y


def trials(comparison, method=0):
    """What a method did in the splits, without times."""
    return [{**one, "seconds": None} for one in comparison.tables[0].methods[method].trials]


def test_the_splits_that_fit_are_those_of_a_full_run_and_it_is_said(clock, data):
    methods = ["fisher-score", SelectKBest(taking_a_second)]
    full = compare(methods, *data, **FAST, outer=20)
    assert full.shortened is None
    CLOCK.now = 0.0
    found = compare(methods, *data, **FAST, outer=20, time_limit="40s")
    n_done = len(found.tables[0].methods[0].trials)
    assert 5 <= n_done < 20
    for method in range(2):
        assert trials(found, method) == trials(full, method)[:n_done]
    said = f"{n_done} of 20 splits were done in the time limit of 40 s: intervals are wider than with all of them"
    assert found.shortened == said
    assert found.stopped is None
    assert f"Not complete: {said}." in str(found)
    assert said in found.to_html()
    assert said in found._repr_html_()
    assert json.loads(found.to_json())["shortened"] == said
    assert Comparison.from_json(found.to_json()).shortened == said


def test_more_splits_are_added_to_those_that_are_stored(clock, data, tmp_path):
    method = SelectKBest(taking_a_second)
    first = compare(method, *data, **FAST, outer=12, time_limit=25, resume=tmp_path)
    n_stored = len(first.tables[0].methods[0].trials)
    assert 0 < n_stored < 12
    before, CLOCK.now = set(tmp_path.iterdir()), 0.0
    second = compare(method, *data, **FAST, outer=12, time_limit=25, resume=tmp_path)
    assert before < set(tmp_path.iterdir())
    assert len(second.tables[0].methods[0].trials) > n_stored
    CLOCK.now = 0.0
    last = compare(method, *data, **FAST, outer=12, resume=tmp_path)
    assert last.shortened is None
    assert trials(last) == trials(compare(method, *data, **FAST, outer=12))


def test_a_method_that_takes_too_long_is_left_out_by_name(clock, data):
    found = compare(["fisher-score", SelectKBest(taking_a_minute)], *data, **FAST, outer=3, time_limit=100)
    slow = found.tables[0].methods[1]
    assert slow.failed is not None
    assert "would have taken too much of the time limit of 100 s" in slow.failed
    assert "SelectKBest(taking_a_minute) was left out: its selections in the inner folds of all rows would" in str(
        found
    )
    assert len(found.tables[0].methods[0].trials) == 3
    # It is said at the top too, where a reader looks for what is not complete.
    assert found.shortened == "in the time limit of 100 s the method SelectKBest(taking_a_minute) was not evaluated"


def test_a_method_that_takes_too_long_on_one_table_is_left_out_there(clock, data):
    X, y = data
    tables = {"short": (X[:30], y[:30]), "long": data}
    found = compare(["fisher-score", SelectKBest(taking_a_minute_for_many)], tables, **FAST, outer=3, time_limit=100)
    assert [[bool(one.failed) for one in table.methods] for table in found.tables] == [[False, False], [False, True]]
    what = "the method SelectKBest(taking_a_minute_for_many) on long"
    assert found.shortened == f"in the time limit of 100 s {what} was not evaluated"


def test_what_an_interrupted_comparison_had_no_time_for_is_said_too(clock, data, monkeypatch):
    n_trials = []

    def interrupted(*arguments):
        n_trials.append(1)
        if len(n_trials) == 3:
            raise KeyboardInterrupt
        return run_trial(*arguments)

    run_trial = cases.run_trial
    monkeypatch.setattr(cases, "run_trial", interrupted)
    settings = {**FAST, "classifiers": ["nb", SlowBayes()]}
    found = compare("fisher-score", *data, **settings, outer=4, time_limit=60)
    assert found.stopped == "2 of 4 splits were done when it was stopped"
    assert found.shortened == "in the time limit of 60 s the classifier SlowBayes was not evaluated"


def test_no_process_is_waited_for_longer_than_the_time_limit(data, monkeypatch):
    # As on a machine that is busy with other things.
    monkeypatch.setattr(worker_pool, "_START", "import time; time.sleep(60)")
    started = time.perf_counter()
    with pytest.raises(InvalidParameter, match=r"^No method selected .* in the time limit of 2 s\. Give at least 6 s"):
        compare("fisher-score", *data, **FAST, outer=3, time_limit=2)
    assert time.perf_counter() - started < 30


def test_a_classifier_that_takes_too_long_is_left_out_by_name(clock, data):
    settings = {**FAST, "classifiers": ["nb", SlowBayes()]}
    found = compare(["fisher-score", "mrmr"], *data, **settings, outer=3, time_limit=100)
    assert list(found.classifiers) == ["nb"]
    assert found.shortened == "in the time limit of 100 s the classifier SlowBayes was not evaluated"


def test_selecting_before_splitting_is_left_out_where_there_is_time_for_few_splits(clock, data):
    settings = {**FAST, "classifiers": SlowBayes()}
    # A split takes 140 s, and 260 s with that; the limit is 580 s for the splits.
    found = compare("fisher-score", *data, **settings, outer=3, time_limit="10m")
    assert found.shortened == ("in the time limit of 10 min 0 s features selected before splitting were not evaluated")
    assert [one["leaked"] for one in found.tables[0].methods[0].trials] == [None] * 3


def test_no_split_in_time_is_one_error_with_the_time_that_it_takes(clock, data):
    with pytest.raises(InvalidParameter, match=r"in the time limit of 50 s\. Give at least \d+ minutes"):
        compare(SelectKBest(taking_a_minute), *data, **FAST, outer=3, time_limit=50)


def test_by_default_as_many_splits_are_done_as_take_ten_minutes_and_at_least_five(clock, data, monkeypatch):
    monkeypatch.setattr(schedule, "_DEFAULT_SECONDS", 30.0)
    found = compare(SelectKBest(taking_a_second), *data, **FAST)
    n_done = len(found.tables[0].methods[0].trials)
    assert 5 < n_done < 20
    assert found.shortened == (
        f"{n_done} of 20 splits were done, as many as take about 30 s (outer=20, --outer 20 does all): intervals are "
        "wider than with all of them"
    )
    monkeypatch.setattr(schedule, "_DEFAULT_SECONDS", 0.0)
    fewest = compare(SelectKBest(taking_a_second), *data, **FAST)
    assert len(fewest.tables[0].methods[0].trials) == 5
    assert trials(fewest) == trials(found)[:5]
    CLOCK.now = 0.0
    asked = compare(SelectKBest(taking_a_second), *data, **FAST, outer=20)
    assert asked.shortened is None
    assert trials(asked)[:n_done] == trials(found)


def test_the_forecast_names_the_slowest_method(clock, data, capsys):
    heard = []
    with called_by(Caller(None, heard.append)):
        compare(["fisher-score", SelectKBest(taking_a_second)], *data, **FAST, outer=8)
    (forecast,) = heard
    assert forecast.n_splits == 8
    assert forecast.slowest == "SelectKBest(taking_a_second)"
    assert forecast.others == ("fisher-score",)
    # Three selections in each split, of three quarters of the rows.
    assert forecast.seconds == pytest.approx(8 * 3 * 0.75, rel=0.05)
    compare(["fisher-score"], *data, **FAST, outer=8, verbose=True)
    assert "splits" not in capsys.readouterr().err
    compare(SelectKBest(taking_a_second), *data, **FAST, outer=8, verbose=True)
    assert "compare: about 18 s for 8 splits." in capsys.readouterr().err


def test_the_forecast_in_words():
    forecast = Forecast(1500.0, 20, "svm-rfe", 0.5, ("mrmr", "relieff"), True)
    assert forecast.sentence("--methods", "--time", "--outer") == (
        "about 25 minutes for 20 splits; svm-rfe takes half of it: leave it out with --methods mrmr,relieff. Only as "
        "many splits as take 10 minutes are done, at least 5; --outer 20 does all."
    )
    assert Forecast(240.0, 5, "mrmr", 0.2, ("relieff",), False).sentence() == (
        "about 4 minutes for 5 splits. time_limit 2m does as many splits as fit in two minutes."
    )


def test_a_selection_that_takes_more_than_its_share_is_tried_again_after_the_others(clock):
    control = FitControl(Schedule(0.0, 100.0, 2, {}, False, True), n_jobs=5)
    assert control.may_start(("t", "a"))
    # 88 s for the splits, of which a quarter is for these: 22 s, half of an equal share of two processes at first.
    assert control.ends_at(("t", "a"), 1.0, 3) == pytest.approx(1.0 + 0.5 * 22 * 2 / 5)
    assert control.ends_at(("t", "a"), 1.0, 0) == pytest.approx(44)
    control.done(("t", "b"), {"failed": "why"}, 1.0)
    assert control.ends_at(("t", "a"), 1.0, 0) == pytest.approx(22)
    assert control.tries_again(("t", "a"), 4.4)
    assert control.ends_at(("t", "a"), 10.0, 1) == pytest.approx(22)
    CLOCK.now = 16
    assert control.may_start(("t", "a"))
    CLOCK.now = 17
    assert not control.may_start(("t", "a"))
    assert not control.tries_again(("t", "a"), 5.0)


def test_the_time_until_a_process_has_started_is_nobodys_share(clock):
    control = FitControl(Schedule(0.0, 100.0, 2, {}, False, True), n_jobs=5)
    CLOCK.now = 48
    assert control.may_start(("t", "a"))
    control.done(("t", "b"), {"failed": "why"}, 1.0)
    assert control.ends_at(("t", "a"), 50.0, 0) == pytest.approx(48 + 0.25 * 40)


def test_a_feature_for_whose_swaps_there_was_no_time_is_blank_and_that_is_said(clock, data):
    settings = {**FAST, "classifiers": SlowBayes(), "sizes": [4], "leak": False}
    cut, whole = (compare("fisher-score", *data, **settings, outer=1, time_limit=limit) for limit in (250, 5000))
    for found, is_cut in ((cut, True), (whole, False)):
        features = found.summary.tables[0].recommended.features
        assert any(one.error_without is None for one in features) is is_cut
        assert ("; blank where it was not tried" in str(found)) is is_cut
        assert ("A dash is where it was not tried." in found.to_html()) is is_cut


def test_the_time_to_try_next_is_no_less_than_what_was_spent(clock):
    of = Schedule(0.0, 12.0, 2, {}, False, True)
    CLOCK.now = 12
    assert of.time_needed() == "36 s"
    # Processes that start late on a busy machine will do so again.
    CLOCK.now = 40
    assert of.time_needed() == "2 minutes"
