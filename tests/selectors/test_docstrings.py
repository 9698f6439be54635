import inspect
import re
import subprocess
import sys
from dataclasses import KW_ONLY, dataclass

import pytest

import fewest
from fewest.selectors.selector import Selector

SELECTORS = [getattr(fewest, name) for name in fewest.__all__ if getattr(getattr(fewest, name), "sentence", None)]


def documented(kind, section):
    """The names in a section of a class's docstring, in their order."""
    body = re.split(r"^(\S.*)\n---+$", kind.__doc__, flags=re.MULTILINE)
    lines = body[body.index(section) + 1].splitlines()
    return [name for line in lines if line[:1].strip() for name in line.split(" : ")[0].split(", ")]


@dataclass(eq=False, repr=False)
class Middle(Selector):
    """A class between.

    Parameters
    ----------
    depth : int, default=1
        How deep.

    Attributes
    ----------
    depth_ : int
        How deep it was.
    """

    _: KW_ONLY
    depth: int = 1


@dataclass(eq=False, repr=False)
class Leaf(Middle):
    """One line.

    More text.

    Parameters
    ----------
    scale : str, default="std"
        Another scale.
    width, height : float, default=1.0
        Two at once.

    Notes
    -----
    A note.
    """

    width: float = 1.0
    height: float = 1.0
    scale: str = "std"


def test_inherited_parameters_follow_in_the_order_of_the_signature():
    names = documented(Leaf, "Parameters")
    assert names == list(inspect.signature(Leaf).parameters)
    assert {"scale", "width", "height", "depth", "n_features"} < set(names)


def test_own_entries_replace_inherited_ones():
    assert documented(Leaf, "Parameters").count("scale") == 1
    assert 'scale : str, default="std"\n    Another scale.\n' in Leaf.__doc__


def test_attributes_of_all_bases_are_there_nearest_first():
    names = documented(Leaf, "Attributes")
    assert names[:2] == ["depth_", "support_"]
    assert names[-1] == "q_values_"


def test_sections_come_in_order_and_text_stays():
    assert Leaf.__doc__.startswith("One line.\n\nMore text.\n\nParameters\n----------\n")
    assert Leaf.__doc__.endswith("Notes\n-----\nA note.\n")
    assert Leaf.__doc__.index("Parameters") < Leaf.__doc__.index("Attributes") < Leaf.__doc__.index("Notes")


def test_the_bases_are_not_changed():
    assert "width" not in Middle.__doc__
    assert "depth" not in (Selector.__doc__ or "")


@pytest.mark.parametrize("kind", SELECTORS, ids=lambda kind: kind.__name__)
def test_the_docstring_of_every_selector_has_the_parameters_of_all(kind):
    names = documented(kind, "Parameters")
    assert {"n_features", "cv", "verbose"} <= set(names) <= set(inspect.signature(kind).parameters)


def test_a_fit_of_its_own_has_the_sections_of_fit():
    own = fewest.TwoStage.fit.__doc__
    assert own.startswith("Select candidates, and features among them.\n\nParameters\n----------\nX : ")
    assert "Returns\n-------\nSelector\n" in own


def test_without_docstrings_it_still_imports():
    code = "from fewest import MRMR; MRMR(n_features=2).fit([[0, 1], [1, 0], [0, 1]], [0, 1, 0])"
    subprocess.run([sys.executable, "-OO", "-c", code], check=True)
