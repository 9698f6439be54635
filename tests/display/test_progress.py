"""Progress on standard error: of rows that are read, and of folds that choose a size."""

from __future__ import annotations

import io

import numpy as np
import pytest
from rich.console import Console

from fewest import AutoSelector, FisherMarkov
from fewest.display.progress import progress_bar, reading_display, step_bar


@pytest.fixture
def shown(monkeypatch):
    """What a terminal of 120 characters gets."""
    text = io.StringIO()
    monkeypatch.setattr(
        "rich.console.Console", lambda stderr: Console(file=text, force_terminal=True, width=120, stderr=False)
    )
    return text


def test_steps_are_counted_below_the_rows_that_are_read(shown):
    with reading_display() as display, step_bar("selecting in folds", 3) as advance:
        advance()
        advance()
        display.refresh()
    assert "selecting in folds" in shown.getvalue()
    assert "2/3" in shown.getvalue()


def test_without_a_display_steps_are_not_shown(shown):
    with step_bar("selecting in folds", 3) as advance:
        advance()
    assert shown.getvalue() == ""


def test_a_comparison_counts_its_trials_and_not_the_folds_inside_them(shown):
    with progress_bar("evaluating on test rows", 2, is_shown=True) as advance, step_bar("selecting in folds", 3) as own:
        advance()
        own()
        advance()
    assert "2/2" in shown.getvalue()
    assert "selecting" not in shown.getvalue()


@pytest.mark.parametrize("kind", [FisherMarkov, AutoSelector])
def test_the_choice_of_a_size_shows_its_folds(kind, shown, monkeypatch):
    monkeypatch.setattr("rich.progress.Progress.update", _updated_at_once())
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 6)), np.arange(60) % 2
    kind(n_features="auto", verbose=True).fit(X, y)
    assert "selecting in folds" in shown.getvalue()
    assert "evaluating sizes in folds" in shown.getvalue()


def _updated_at_once():
    from rich.progress import Progress

    update = Progress.update

    def updated(self, *arguments, **options):
        update(self, *arguments, **options)
        self.refresh()

    return updated
