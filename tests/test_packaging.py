"""What a distribution leaves out."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[1] / "pyproject.toml"


@pytest.mark.skipif(not PROJECT.exists(), reason="the project's file is not with the tests")
def test_what_is_left_out_is_named_from_the_root():
    # A name without a slash would also leave out the package's folders of that name, such as fewest/data.
    options = tomllib.loads(PROJECT.read_text("utf-8"))["tool"]["scikit-build"]
    assert all(pattern.startswith("/") for pattern in options["sdist"]["exclude"])
