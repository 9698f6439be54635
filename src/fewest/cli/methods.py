"""fewest methods: every method in two lines, or one with its formula, cost and parameters."""

from __future__ import annotations

import inspect
import shutil
import textwrap
from collections.abc import Mapping
from typing import TYPE_CHECKING

import click

from fewest.cli.output import echo
from fewest.start_up import import_scikit_learn

if TYPE_CHECKING:
    from fewest.selectors.selector import Selector

# Methods that are described on the page of another one.
_PAGES = {
    "chi-square": "max_relevance",
    "information-gain": "max_relevance",
    **dict.fromkeys(("surf", "surf-star", "multisurf-star"), "multisurf"),
}


@click.command()
@click.argument("name", required=False)
def methods(name: str | None) -> None:
    """List every method: what it does, what data it takes, what it proves, what it costs. With NAME, explain this one
    with its formula and its parameters."""
    import_scikit_learn()
    from fewest.selectors.measured_costs import measured_costs
    from fewest.selectors.registry import method_by_name, methods_by_name

    if name is not None:
        echo(_explain(method_by_name(name)))
        return
    selectors = methods_by_name()
    width = max(map(len, selectors))
    for known, selector in selectors.items():
        echo(f"{known:<{width}}  {selector.summary}; {measured_costs()[known].time}")
        echo(f"{'':<{width}}  takes {selector.takes}; proves {selector.proves}; costs {selector.cost}")


def _explain(selector: type[Selector]) -> str:
    from fewest.selectors.docstrings import parameter_summaries
    from fewest.selectors.measured_costs import measured_costs
    from fewest.selectors.selector import Selector as Base

    facts = {
        "formula": selector.formula,
        "takes": selector.takes,
        "proves": selector.proves,
        "costs": selector.cost,
        "measured": str(measured_costs()[selector.name]),
        "Python": f"from fewest import {selector.__name__}",
        "page": page_of(selector.name),
    }
    parameters = parameter_summaries(selector)
    shared = inspect.signature(Base).parameters
    own = {name: text for name, text in parameters.items() if name not in shared}
    others = {name: text for name, text in parameters.items() if name in shared}
    lines = [f"{selector.name}: {selector.summary}", "", *_aligned(facts)]
    if own:
        lines += ["", "Parameters, --set NAME=VALUE:", *_aligned(own)]
    return "\n".join([*lines, "", "Parameters of every method:", *_aligned(others)])


def page_of(name: str) -> str:
    """Return the page that describes a method, in the repository."""
    return f"docs/methods/{_PAGES.get(name, name.replace('-', '_'))}.md"


def _aligned(texts: Mapping[str, str]) -> list[str]:
    """Return names with their texts beside them, wrapped at the width of the terminal."""
    width = max(map(len, texts))
    room = max(60, min(shutil.get_terminal_size().columns, 120))
    lines = []
    for name, text in texts.items():
        first, rest = f"  {name:<{width}}  ", " " * (width + 4)
        lines += textwrap.wrap(text, room, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False)
    return lines
