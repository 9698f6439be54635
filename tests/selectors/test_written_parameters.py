"""Methods with parameters as they are written on the command line."""

from __future__ import annotations

import pytest

from fewest.errors import InvalidParameter
from fewest.evaluation.design.compared_methods import to_methods
from fewest.selectors.selector_parameters import literal, split_outside_brackets


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("a,b", ["a", "b"]),
        (" a ,, b,", ["a", "b"]),
        ("mrmr(a=1,b=2),relieff", ["mrmr(a=1,b=2)", "relieff"]),
        ("f(x=[1,2]),g", ["f(x=[1,2])", "g"]),
        ("f(x='a,b)'),g", ["f(x='a,b)')", "g"]),
        ("", []),
    ],
)
def test_commas_in_brackets_and_quotes_do_not_separate(text, parts):
    assert split_outside_brackets(text) == parts


@pytest.mark.parametrize("text", ["mrmr(criterion=quotient,n_bins=3)", "MRMR( criterion=quotient ; n_bins = 3 )"])
def test_parameters_are_between_commas_or_semicolons(text):
    ((_, selector),) = to_methods(text).items()
    assert (selector.criterion, selector.n_bins) == ("quotient", 3)


def test_a_method_is_called_by_its_own_name_however_it_is_written():
    assert list(to_methods(["MRMR", "Fisher_Markov(degree=2)", "relieff()"])) == [
        "mrmr",
        "fisher-markov(degree=2)",
        "relieff",
    ]


def test_a_bracket_that_is_not_closed_is_refused():
    with pytest.raises(InvalidParameter, match="Close the bracket"):
        to_methods("mrmr(n_bins=3")


@pytest.mark.parametrize(
    ("text", "value"),
    [("true", True), ("FALSE", False), ("none", None), ("None", None), ("null", "null"), ("2", 2), ("0.5", 0.5)],
)
def test_values_are_read_as_people_write_them(text, value):
    found = literal(text)
    assert found == value
    assert type(found) is type(value)
