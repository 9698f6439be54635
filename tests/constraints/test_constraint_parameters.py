"""Constraints as users give them: names, globs and numbers, and what contradicts what."""

from __future__ import annotations

import numpy as np
import pytest

from fewest.constraints.constraint_parameters import ConstraintParameters
from fewest.errors import InvalidParameter

NAMES = ["age", "zip_code", "zip_area", "lab_iron", "lab_zinc", "mri"]


def resolve(**parameters):
    return ConstraintParameters(**parameters).resolve(NAMES)


def test_names_globs_and_numbers_name_columns():
    assert resolve(keep=["age", "lab_*", 5]).constraints.kept == (0, 3, 4, 5)
    assert resolve(keep="mri").constraints.kept == (5,)
    assert resolve(keep=np.array([1, 2])).constraints.kept == (1, 2)


def test_forbidden_columns_are_not_there():
    found = resolve(forbid="zip*", keep="mri")
    assert found.columns.tolist() == [0, 3, 4, 5]
    assert found.constraints.kept == (3,)  # numbered without those forbidden


def test_a_name_with_wildcards_is_a_name_where_there_is_such_a_column():
    found = ConstraintParameters(keep="a*").resolve(["ab", "a*"])
    assert found.constraints.kept == (1,)


def test_a_name_that_is_used_twice_is_both_columns():
    assert ConstraintParameters(keep="a").resolve(["a", "b", "a"]).constraints.kept == (0, 2)


def test_the_columns_of_a_group_lie_together_where_its_first_is():
    found = resolve(column_groups={"place": ["mri", "zip_code"]})
    assert found.columns.tolist() == [0, 1, 5, 2, 3, 4]
    assert found.unit_of.tolist() == [0, 1, 1, 2, 3, 4]
    assert list(found.unit_names) == ["age", "place", "zip_area", "lab_iron", "lab_zinc"]


def test_keeping_a_column_keeps_its_group():
    assert resolve(column_groups={"place": "zip*"}, keep="zip_area").constraints.kept == (1,)


def test_a_group_costs_what_its_name_says_or_the_sum_over_its_columns():
    by_name = resolve(column_groups={"lab": "lab*"}, costs={"lab": 30, "*": 1}).constraints.costs
    assert by_name.tolist() == [1, 1, 1, 30, 1]
    summed = resolve(column_groups={"lab": "lab*"}, costs={"lab_iron": 2, "lab_zinc": 3}).constraints.costs
    assert summed.tolist() == [0, 0, 0, 5, 0]


@pytest.mark.parametrize("costs", [{"lab_*": 2, "*": 1, "mri": 9}, {"mri": 9, "*": 1, "lab_*": 2}, [1, 1, 1, 2, 2, 9]])
def test_a_name_goes_before_a_glob_and_a_long_glob_before_a_short_one(costs):
    assert resolve(costs=costs, budget=5).constraints.costs.tolist() == [1, 1, 1, 2, 2, 9]


def test_caps_count_groups_as_one():
    found = resolve(column_groups={"lab": "lab*"}, at_most={"zip*": 1, ("age", "lab_iron"): 1})
    assert [(cap.members, cap.at_most) for cap in found.constraints.caps] == [((1, 2), 1), ((0, 3), 1)]


def test_a_forbidden_glob_without_a_match_is_reported():
    assert resolve(forbid=["AFFX*", "mri"]).unmatched == ("AFFX*",)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"keep": "agee"}, "'agee' is no column of the table .did you mean 'age'"),
        ({"keep": "x*"}, "'x\\*' matches no column"),
        ({"keep": 6}, "column 6, and there are 6 columns, numbered from 0"),
        ({"keep": [0.5]}, "keep must be names of columns"),
        ({"keep": {"age": 1}}, "keep must be names of columns"),
        ({"keep": np.array([True, False])}, "flatnonzero"),
        ({"keep": "age", "forbid": "a*"}, "keep and forbid both name 'age'"),
        ({"forbid": "*"}, "forbid leaves none of the 6 columns"),
        ({"forbid": "zipp"}, "'zipp' is no column"),
        ({"column_groups": {"a": "zip*", "b": "zip_code"}}, "'zip_code' is in the groups 'a' and 'b'"),
        ({"column_groups": {"a": "zip*"}, "forbid": "zip_code"}, "forbid names 'zip_code' of the group 'a'"),
        ({"column_groups": "zip*"}, "column_groups must be a mapping"),
        ({"at_most": 2}, "at_most must be a mapping"),
        ({"at_most": {"zip*": -1}}, "at_most.'zip\\*'. must be a whole number of at least 0"),
        (
            {"at_most": {"zip*": 1}, "keep": "zip*"},
            "keep holds 2 of 'zip\\*' .zip_code, zip_area., and at_most allows 1",
        ),
        ({"budget": 3}, "budget needs costs"),
        ({"cost_weight": 3}, "cost_weight needs costs"),
        ({"costs": {"mri": -1}}, "costs.'mri'. must be a finite number of at least 0"),
        ({"costs": {"mri": float("nan")}}, "costs.'mri'. must be"),
        ({"costs": [1, 2]}, "costs has 2 numbers, and there are 6 columns"),
        ({"costs": "mri"}, "costs must be a mapping"),
        ({"costs": {"mri": 9}, "keep": "mri", "budget": 5}, "columns to keep .mri. cost 9, more than the budget of 5"),
        ({"costs": {"*": 9}, "budget": 5}, "allow no column at all .the cheapest costs 9"),
        ({"costs": {"*": 1}, "budget": float("inf")}, "budget must be a finite number"),
    ],
)
def test_what_contradicts_is_refused_with_the_columns_named(parameters, message):
    with pytest.raises(InvalidParameter, match=message):
        resolve(**parameters)


def test_constraints_among_candidates_are_those_of_the_table():
    given = ConstraintParameters(
        keep="mri", column_groups={"lab": "lab*", "place": "zip*"}, at_most={"lab": 1, "zip*": 1},
        costs={"lab": 30, "mri": 9, "*": 1}, budget=40,
    )  # fmt: skip
    # The candidates lack zip_area, so that its group is not whole.
    found = given.among(NAMES, [5, 3, 4, 1]).resolve(["mri", "lab_iron", "lab_zinc", "zip_code"])
    assert found.constraints.kept == (0,)
    assert found.unit_of.tolist() == [0, 1, 1, 2]
    assert found.constraints.costs.tolist() == [9, 30, 1]
    assert [cap.members for cap in found.constraints.caps] == [(1,), (2,)]


def test_subsets_of_the_table_are_allowed_or_not():
    found = resolve(keep="age", forbid="mri", column_groups={"place": "zip*"}, at_most={"lab*": 1})
    assert found.allows([0, 1, 2, 3])
    assert not found.allows([0, 1])  # half a group
    assert not found.allows([1, 2])  # not what is kept
    assert not found.allows([0, 5])  # forbidden
    assert not found.allows([0, 3, 4])  # too many of a kind


@pytest.mark.parametrize(
    ("parameter", "value"),
    [("keep", np.array("age")), ("forbid", np.array(2)), ("column_groups", np.array(2)), ("costs", np.array("age"))],
)
def test_an_array_without_a_dimension_is_refused_in_words(parameter, value):
    with pytest.raises(InvalidParameter, match=f"{parameter} must be"):
        resolve(**{parameter: value})
