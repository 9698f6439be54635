"""The JSON of a comparison: damage is known by its checksum, and what was changed on purpose must still be shown."""

from __future__ import annotations

import json

import pytest

from fewest import Comparison, FewestError
from fewest.errors import InvalidInput, UnwritableFile

from ..fuzz.stored_cases import comparison


def changed(key, value, keeps_checksum=False):
    content = json.loads(comparison(0).to_json())
    content["tables"][0][key] = value
    if not keeps_checksum:
        del content["checksum"]
    return json.dumps(content)


def test_a_changed_number_is_noticed_by_the_checksum():
    text = comparison(0).to_json()
    assert Comparison.from_json(json.dumps(json.loads(text))).to_json() == text
    with pytest.raises(InvalidInput, match="This comparison was changed after it was written: its checksum"):
        Comparison.from_json(changed("chance_error", 0.25, keeps_checksum=True))


def test_what_was_changed_on_purpose_is_read_where_it_can_be_shown():
    assert Comparison.from_json(changed("chance_error", 0.25)).tables[0].chance_error == 0.25
    for key, value in (("chance_error", "a"), ("sizes", [1]), ("classes", []), ("n_test", float("inf")), ("views", 5)):
        with pytest.raises(InvalidInput, match="This is not a comparison, or it is damaged"):
            Comparison.from_json(changed(key, value))


@pytest.mark.parametrize("text", ["", "[" * 100_000, None, "NaN", '{"format": 2}'])
def test_what_is_no_comparison_is_refused(text):
    with pytest.raises(FewestError, match="not a comparison"):
        Comparison.from_json(text)


@pytest.mark.parametrize("name", ["x" * 300, "a\0b", "none/page.html"])
def test_a_page_that_cannot_be_written_is_one_error(name, tmp_path):
    with pytest.raises(UnwritableFile, match=r"cannot be written: .*\. Name another file"):
        comparison(0).to_html(tmp_path / name)
    assert list(tmp_path.iterdir()) == []
