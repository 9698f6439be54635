"""The documents as their tests read them: blocks of code, commands, names in backquotes, links and anchors.

Parsed as Markdown, as MyST extends it. What is tested is found by reading the documents, so that a new page is tested
without being named anywhere.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path

from markdown_it import MarkdownIt

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
#: Not in the source distribution, which has no benchmarks.
IN_REPOSITORY = (ROOT / "benchmarks").is_dir()
DOCUMENTS = [
    *(f"{name}.md" for name in ("README", "CONTRIBUTING", "ARCHITECTURE", "CHANGELOG")),
    *sorted(str(path.relative_to(ROOT)) for path in DOCS.glob("**/*.md") if path.parent != DOCS / "stories"),
]
#: Programs whose name begins a line of an indented block, which is then a command.
PROGRAMS = (
    "fewest",
    "pip",
    "python",
    "python3",
    "pytest",
    "git",
    "sphinx-build",
    "cibuildwheel",
    "zcat",
    "cat",
    ".ci/run",
    ".",
)
#: Directives that hold no Markdown.
RAW = ("eval-rst", "toctree", "include", "literalinclude", "raw", "figure", "image", "math", "mermaid", "autosummary")
SHELL = ("sh", "bash", "shell", "console")
_COLONS = re.compile(r"^\s*:{3,}.*\n((?:\s*:[\w-]+:.*\n)*)", re.MULTILINE)
_MARKDOWN = MarkdownIt("commonmark").enable("table")


@dataclass(frozen=True)
class Block:
    """A block of code and its language."""

    language: str
    text: str

    @property
    def commands(self):
        """The commands of a block for the shell, without prompts and comments."""
        for line in self.text.replace("\\\n", " ").splitlines():
            for part in line.strip().removeprefix("$ ").split(" && "):
                command = shlex.join(shlex.split(part, comments=True)).replace(" '|' ", " | ")
                if command:
                    yield command


def parse(text):
    """The tokens of Markdown, those inside of directives too."""
    # The lines that open and close a block in colons, and its options, are no text, and end a paragraph.
    for token in _MARKDOWN.parse(_COLONS.sub("\n", text)):
        directive = re.match(r"\{([\w-]+)\}", token.info) if token.type == "fence" else None
        if directive and directive[1] not in ("code-block", "code", "doctest", *RAW):
            yield from parse(token.content)
        else:
            yield token


@cache
def tokens(document):
    return list(parse((ROOT / document).read_text("utf-8")))


def blocks_of(found):
    for token in found:
        if token.type == "fence":
            directive = re.match(r"\{([\w-]+)\}\s*(\S*)", token.info)
            if directive and directive[1] in RAW:
                continue
            text = re.sub(r"\A(:[\w-]+:.*\n)+", "", token.content)
            language = directive[2] if directive else token.info.split(" ")[0]
            yield Block(language, text) if language else _without_language(text)
        elif token.type == "code_block":
            yield _without_language(token.content)


def _without_language(text):
    """Commands where there are lines that begin with a program ("fewest: …" is a message), and otherwise text."""
    lines = [line.strip().removeprefix("$ ") for line in text.replace("\\\n", " ").splitlines()]
    commands = [line for line in lines if line.split(" ")[0] in PROGRAMS]
    return Block("sh", "\n".join(commands)) if commands else Block("text", text)


def blocks(document):
    """Every block of code, in its order."""
    return list(blocks_of(tokens(document)))


def inline(document, kind):
    """What stands among the words, of a kind of token."""
    return [child for token in tokens(document) for child in token.children or () if child.type == kind]


def mentions(document):
    """Code among the words."""
    return [token.content for token in inline(document, "code_inline")]


def links(document):
    """Where links and pictures lead, and the cards that are links."""
    found = [str(token.attrs["href"]) for token in inline(document, "link_open")]
    found += [str(token.attrs["src"]) for token in inline(document, "image")]
    text = (ROOT / document).read_text("utf-8")
    docs = re.findall(r"^\s*:link: *(\S+)\n(?:\s*:[\w-]+:.*\n)*?\s*:link-type: *doc", text, re.MULTILINE)
    return found + [f"{name}.md" for name in docs]


@cache
def anchors(document):
    """The anchors of a document, as GitHub and MyST name them after headings, those of included documents too."""
    found, counts = set(), {}
    for opening, content in pairwise(tokens(document)):
        if opening.type == "heading_open":
            words = "".join(child.content for child in content.children or ())
            slug = re.sub(r"[^\w\- ]", "", words.strip().lower()).replace(" ", "-")
            number = counts[slug] = counts.get(slug, -1) + 1
            found.add(f"{slug}-{number}" if number else slug)
    text = (ROOT / document).read_text("utf-8")
    found |= set(re.findall(r"^\(([\w-]+)\)=$", text, re.MULTILINE)) | set(re.findall(r"\{#([\w-]+)[^}]*\}", text))
    found |= set(re.findall(r"<a (?:id|name)=\"([\w-]+)\"", text))
    for included in re.findall(r"^```\{include\} (\S+)", text, re.MULTILINE):
        found |= anchors(str(((ROOT / document).parent / included).resolve().relative_to(ROOT.resolve())))
    return found


def target_of(document, link):
    """The file that a link leads to; of a page that is made when the site is built, what it is made from."""
    folder = DOCS if link.startswith("/") else (ROOT / document).parent
    path = (folder / link.lstrip("/")).resolve()
    if path.parent == (DOCS / "stories").resolve():
        return DOCS / "gallery" / ("GALLERY_HEADER.rst" if path.stem == "index" else f"{path.stem}.py")
    return path
