"""The answer and its JSON."""

from __future__ import annotations

import json
import math
import re

import pytest

from fewest.errors import InvalidInput
from fewest.selection import NestedPath, Provenance, Selection

PROVENANCE = Provenance("fisher-markov", {"gamma": 0.0}, "0.1.0", 4, 3, {"a": 2, "b": 2}, "abc", 0.1, ("a note",))


def a_selection(**changes):
    content = dict(
        indices=(2, 0), scores=(3.0, 1.5), features=("x2", "x0"), path=NestedPath((2, 0)), value=4.5, bound=4.5,
        is_optimal=True, provenance=PROVENANCE,
    )  # fmt: skip
    return Selection(**{**content, **changes})


@pytest.mark.parametrize(
    "selection",
    [
        a_selection(),
        a_selection(scores=(float("inf"), 0.0), value=None, bound=None, is_optimal=None),
        a_selection(path={1: (2,), 2: (0, 1)}, sense="min", bound=4.0, is_optimal=False),
        a_selection(breakpoints=((3.0, 1), (1.5, 2), (float("-inf"), 3)), beta=1.25),
        a_selection(features=('<img src=x onerror="alert(1)">', "ünï\ncode")),
        Selection((), ()),
    ],
)
def test_json_gives_back_the_same_selection(selection):
    text = selection.to_json()
    assert Selection.from_json(text) == selection
    json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))


@pytest.mark.parametrize(
    ("text", "message"),
    [("{", "not JSON"), ("[]", "format 1 is expected"), ('{"format": 99}', "format 1 is expected, got 99")],
)
def test_other_text_is_refused(text, message):
    with pytest.raises(InvalidInput, match=message):
        Selection.from_json(text)


def test_it_prints_as_a_short_table():
    assert str(a_selection()).splitlines() == [
        "   #  feature  score",
        "   1  x2       3",
        "   2  x0       1.5",
        "proved optimal: no other 2 features have a larger total (4.5)",
    ]


def test_the_certificate_says_what_is_proved_in_words():
    assert "no objective" in a_selection(value=None, bound=None, is_optimal=None).certificate.words
    assert a_selection(bound=4.59, is_optimal=False).certificate.words == (
        "within 2 % of the best possible 2 features (reached 4.5, no more than 4.59)"
    )


STEPS = ((3.0, 1), (1.5, 2), (0.75, 5), (0.5, 6))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (
            dict(beta=1.0, value=2.5, bound=2.5),
            "proved optimal for beta = 1: no subset of any size has a larger value (2.5 after costs); "
            "the next 3 features enter at beta = 0.75",
        ),
        (
            dict(beta=5.0, indices=(), scores=(), value=0.0, bound=0.0),
            "proved optimal for beta = 5: no subset has a value above its cost; the next feature enters at beta = 3",
        ),
        (
            dict(beta=1.0, value=2.0, bound=2.5, is_optimal=False, breakpoints=()),
            "within 25 % of the best possible subset for beta = 1 (reached 2, no more than 2.5)",
        ),
        (
            dict(),
            "proved optimal: no other 2 features have a larger total (4.5); the next 3 features enter at beta = 0.75",
        ),
        (
            dict(indices=(2, 0, 1), scores=(3.0, 1.5, 0.75), value=5.0, bound=5.25, is_optimal=False),
            "within 5 % of the best possible 3 features (reached 5, no more than 5.25); "
            "at beta = 0.75 the best subset grows from 2 to 5 at once",
        ),
        (
            dict(indices=(2, 0, 1), scores=(3.0, 1.5, 0.75), value=5.0, bound=10.5, is_optimal=False),
            "not proved: the best possible 3 features may have more than twice this value "
            "(reached 5, no more than 10.5); at beta = 0.75 the best subset grows from 2 to 5 at once",
        ),
        (
            dict(indices=(2, 0, 1, 3, 4), scores=(3.0, 1.5, 0.75, 0.75, 0.75), value=6.75, bound=6.75),
            "proved optimal: no other 5 features have a larger total (6.75); the next feature enters at beta = 0.5",
        ),
        (
            dict(breakpoints=STEPS[:2]),
            "proved optimal: no other 2 features have a larger total (4.5); all features are in",
        ),
    ],
)
def test_the_certificate_of_a_path_says_where_on_it_the_selection_lies(changes, words):
    assert a_selection(**{"breakpoints": STEPS, **changes}).certificate.words == words


def test_a_nested_path_is_a_mapping_from_size_to_columns():
    path = NestedPath((5, 1, 3))
    assert (len(path), list(path), path[2]) == (3, [1, 2, 3], (5, 1))
    with pytest.raises(KeyError):
        path[0]


def test_it_is_short_in_an_interactive_session():
    assert repr(a_selection()) == "<Selection of 2 of 3 features by fisher-markov: x2, x0>"
    many = tuple(f"gene_{number}" for number in range(5000))
    assert repr(Selection(tuple(range(5000)), (1.0,) * 5000, many)) == (
        "<Selection of 5,000 features: gene_0, gene_1, gene_2, gene_3, gene_4, …>"
    )
    assert repr(Selection((), ())) == "<Selection of 0 features>"


def test_a_frame_has_a_row_a_feature_in_the_order_taken():
    frame = a_selection().to_frame()
    assert frame.columns.tolist() == ["rank", "feature", "index", "score"]
    assert frame.values.tolist() == [[1, "x2", 2, 3.0], [2, "x0", 0, 1.5]]
    assert a_selection(features=()).to_frame()["feature"].tolist() == ["x2", "x0"]
    assert len(Selection((), ()).to_frame()) == 0


def test_a_notebook_shows_a_table_with_bars_the_certificate_and_the_notes():
    shown = a_selection()._repr_html_()
    bars = [float(width) for width in re.findall(r"width:([0-9.]+)em", shown)]
    assert bars == [8.0, 4.0]
    for text in ("2 of 3 features by fisher-markov", "x2", "proved optimal", "a note"):
        assert text in shown


SCORES = [(math.nan, math.nan), (math.inf, 1.0), (-1.0, -math.inf), (0.0, 0.0)]


@pytest.mark.parametrize("scores", SCORES)
def test_a_notebook_shows_any_scores(scores):
    shown = a_selection(scores=scores)._repr_html_()
    assert "nan" not in shown
    assert all(0 <= float(width) <= 8 for width in re.findall(r"width:([0-9.]+)em", shown))


def test_a_notebook_runs_nothing_that_a_name_brings():
    hostile = '<img src=x onerror="alert(1)">'
    shown = a_selection(features=(hostile, "a\x00b\n</td>"), provenance=None)._repr_html_()
    assert "<img" not in shown
    assert "a\N{REPLACEMENT CHARACTER}b" in shown
    assert shown.count("<td") == shown.count("</td>")


def test_a_long_list_is_cut_in_a_notebook_and_counted():
    many = Selection(tuple(range(40)), (1.0,) * 40, tuple(f"g{i}" for i in range(40)))
    assert "… and 10 more" in many._repr_html_()
    assert "g35" not in many._repr_html_()
