"""Directives of the pages of methods: facts, parameters, costs and verdicts, each from where it is written once.

method-facts NAME …       what the registry says of methods: what they take, prove and cost
method-parameters NAME …  their own parameters, from the docstrings
shared-parameters         the parameters of every method
method-cost NAME …        measured time and memory, with a picture against rows and columns
verdicts PAPER            what of a paper reproduces, from the front page of the papers
"""

from __future__ import annotations

import re
from collections import Counter
from inspect import cleandoc, signature
from pathlib import Path

from docutils import nodes
from docutils.parsers.rst import Directive
from docutils.statemachine import StringList
from numpydoc.docscrape import NumpyDocString
from scaling_picture import scaling_picture

from fewest import FeatureSelector
from fewest.selectors.measured_costs import measured_costs
from fewest.selectors.registry import method_by_name
from fewest.selectors.selector import Selector

PAPERS = Path(__file__).parents[1] / "papers" / "README.md"


class MarkdownDirective(Directive):
    """A directive that stands for Markdown."""

    optional_arguments = 1
    final_argument_whitespace = True

    def markdown(self, names: list[str]) -> str:
        raise NotImplementedError

    def run(self) -> list[nodes.Node]:
        text = self.markdown(self.arguments[0].split() if self.arguments else [])
        holder = nodes.Element()
        self.state.nested_parse(StringList(text.splitlines(), self.name), 0, holder)
        return holder.children


class MethodFacts(MarkdownDirective):
    """A table: what methods take, prove and cost."""

    def markdown(self, names):
        kinds = [method_by_name(name) for name in names]
        rows = {
            "Python": [f"{{py:class}}`~fewest.{kind.__name__}`" for kind in kinds],
            "Command": [f"`--method {kind.name}`" for kind in kinds],
            "Takes": [kind.takes for kind in kinds],
            "Proves": [kind.proves for kind in kinds],
            "Costs": [kind.cost for kind in kinds],
        }
        lines = ["| |" + " |" * len(kinds), "|---|" + "---|" * len(kinds)]
        lines += [f"| **{title}** | " + " | ".join(_merged(cells)) + " |" for title, cells in rows.items()]
        return "\n".join(lines)


class MethodParameters(MarkdownDirective):
    """Parameters that differ from those of every method, with the text of the docstring."""

    def markdown(self, names):
        kinds = [method_by_name(name) for name in names]
        shared = _shared_parameters()
        own, owners = {}, {}
        for kind in kinds:
            for name, entry in _parameters(kind).items():
                if shared.get(name) != entry:
                    own.setdefault(name, entry)
                    owners.setdefault(name, []).append(kind.__name__)
        lines = []
        for name, entry in own.items():
            some = "" if len(owners[name]) == len(kinds) else f" Only in {', '.join(owners[name])}."
            lines += _definition(name, *entry, after=some)
        others = "and " if own else "It has "
        lines += [f"{others}[the parameters of every method](/methods/shared_parameters.md)."]
        return "\n".join(lines)


class SharedParameters(MarkdownDirective):
    """The parameters of every selector."""

    def markdown(self, names):
        return "\n".join(line for name, entry in _shared_parameters().items() for line in _definition(name, *entry))


class MethodCost(MarkdownDirective):
    """Measured time and memory in words, and as a picture."""

    def markdown(self, names):
        lines = [f"- `{name}`: {measured_costs()[name]}." for name in names]
        return "\n".join([*lines, "", "[All methods, and how this was measured](/scaling.md)."])

    def run(self):
        *words, link = super().run()
        return [*words, nodes.raw("", scaling_picture(self.arguments[0].split()), format="html"), link]


class Verdicts(MarkdownDirective):
    """How many of a paper's tables and figures reproduce."""

    def markdown(self, names):
        self.state.document.settings.env.note_dependency(str(PAPERS))
        (paper,) = names
        page = f"{paper.replace('-', '_')}.md"
        rows = [line.split(" | ") for line in PAPERS.read_text("utf-8").splitlines() if f"]({page}) |" in line]
        found = Counter(match[1] for row in rows for match in [re.search(r"\*\*(.+?)\*\*", row[3])] if match)
        counts = "; ".join(f"{count} × *{verdict}*" for verdict, count in found.most_common())
        return (
            f"**The paper, rerun**: of {len(rows)} tables and figures {sum(found.values())} were run; {counts}. "
            f"[Each with its verdict](/papers/{page})."
        )


def _parameters(kind):
    """The type and text of each parameter, by name."""
    found = {}
    for entry in NumpyDocString(cleandoc(kind.__doc__))["Parameters"]:
        text = " ".join(line.strip() for line in entry.desc)
        found |= dict.fromkeys(entry.name.split(", "), (entry.type, text))
    return found


def _shared_parameters():
    """The parameters of every selector, as those of one that changes none of their texts."""
    texts = _parameters(FeatureSelector)
    return {name: texts[name] for name in signature(Selector).parameters}


def _definition(name, kind, text, after=""):
    escaped = (text + after).replace("|", "\\|").replace("*", "\\*").replace("<", "\\<").replace("[", "\\[")
    return [f"`{name}` *{kind.replace('*', '')}*", f": {escaped}", ""]


def _merged(cells):
    """Cells that are all alike, or too long to repeat, are written once."""
    return cells if len(set(cells)) > 1 else [cells[0], *([""] * (len(cells) - 1))]


def setup(app):
    for name, directive in {
        "method-facts": MethodFacts,
        "method-parameters": MethodParameters,
        "shared-parameters": SharedParameters,
        "method-cost": MethodCost,
        "verdicts": Verdicts,
    }.items():
        app.add_directive(name, directive)
    return {"parallel_read_safe": True}
