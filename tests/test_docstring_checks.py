"""The check of docstrings finds what is missing."""

from __future__ import annotations

import runpy
import sys
from types import ModuleType

import pytest

from .documents import ROOT

SCRIPT = ROOT / ".ci" / "docstrings.py"
pytest.importorskip("numpydoc")
pytestmark = pytest.mark.skipif(not SCRIPT.exists(), reason="the check is in the repository alone")

COMPLETE = """Return twice a number.

    Parameters
    ----------
    number : float
        The number.

    Returns
    -------
    float
        Twice the number.

    See Also
    --------
    abs : Its magnitude.

    References
    ----------
    Euclid, https://doi.org/10.1000/1.

    Examples
    --------
    >>> 2 * 1
    2
    """


def codes(monkeypatch, docstring):
    def twice(number):
        return 2 * number

    twice.__doc__ = docstring
    module = ModuleType("written")
    module.twice = twice
    twice.__module__ = "written"
    monkeypatch.setitem(sys.modules, "written", module)
    return {failure.split(" ")[0] for failure in runpy.run_path(str(SCRIPT))["failures"]("written.twice", twice)}


def without(section):
    start = COMPLETE.index(f"    {section}\n")
    end = COMPLETE.find("\n\n", start)
    return COMPLETE[:start].rstrip() + (COMPLETE[end:] if end > 0 else "\n    ")


def test_a_complete_docstring_passes(monkeypatch):
    assert codes(monkeypatch, COMPLETE) == set()


@pytest.mark.parametrize(
    ("section", "code"),
    [("Parameters", "PR01"), ("Returns", "RT01"), ("See Also", "SA01"), ("References", "no"), ("Examples", "EX01")],
)
def test_a_missing_section_is_found(monkeypatch, section, code):
    assert codes(monkeypatch, without(section)) == {code}


def test_no_docstring_and_a_reference_without_address_are_found(monkeypatch):
    assert "GL08" in codes(monkeypatch, None)
    assert codes(monkeypatch, COMPLETE.replace("https://doi.org/10.1000/1", "lost")) == {"References"}
