"""What the documents say holds, and the stub names what the compiled module has."""

from __future__ import annotations

import ast
import doctest
import re
import runpy

import pytest

import fewest
from fewest import _core, criteria, datasets, searches, statistics
from fewest.cli.methods import page_of
from fewest.selectors.registry import methods_by_name

from .documents import DOCUMENTS, IN_REPOSITORY, ROOT, anchors, links, target_of


def python_blocks(document):
    return re.findall(r"^```python\n(.*?)^```", (ROOT / document).read_text("utf-8"), re.MULTILINE | re.DOTALL)


def test_the_first_example_of_the_readme_works(capsys):
    exec(compile(python_blocks("README.md")[0], "README.md", "exec"), {})
    proof, everything, few = capsys.readouterr().out.splitlines()
    assert proof.startswith("proved optimal: no other 10 features")
    # The selection helps, by as much as the comments say.
    comments = re.findall(r"# (\d+) %", python_blocks("README.md")[0])
    assert [f"{100 * float(error):.0f}" for error in (everything, few)] == comments
    assert float(few) < float(everything) - 0.04


def test_the_readme_opens_with_two_commands():
    fences = re.findall(r"^```sh\n(.*?)^```", (ROOT / "README.md").read_text("utf-8"), re.MULTILINE | re.DOTALL)
    assert [fence.strip().splitlines() for fence in fences] == [
        ["pip install . && fewest compare wine --outer 10 --report wine.html"],
        ['pip install -e ".[test]" && pytest -n auto'],
    ]


def test_the_readme_is_one_screen_with_its_claims_beside_their_commands():
    readme = (ROOT / "README.md").read_text("utf-8")
    assert len(readme.splitlines()) < 80
    claims = re.findall(r"^\| (?!\||-)(.+) \| `(.+)` \|$", readme, re.MULTILINE)
    assert len(claims) == 5
    assert all(re.search(r"\d|none", claim) for claim, _ in claims)
    for _, command in claims:
        paths = re.findall(r"\S+\.py", command)
        assert paths or command.startswith("fewest "), command
        assert all((ROOT / path).exists() for path in paths), command


def test_the_picture_that_leads_to_a_method_has_pages_that_exist():
    picture = (ROOT / "docs/figures/which_method.svg").read_text("utf-8")
    pages = re.findall(r'href="(.+?)\.html"', picture)
    assert pages
    assert all((ROOT / f"docs/{page}.md").exists() for page in pages)


@pytest.mark.skipif(not IN_REPOSITORY, reason="benchmarks are in the repository alone")
def test_the_page_of_benchmarks_lists_them_all():
    script = ROOT / "benchmarks/benchmarks_page.py"
    assert runpy.run_path(str(script))["page"]() == (ROOT / "docs/benchmarks.md").read_text("utf-8")


@pytest.mark.parametrize("document", DOCUMENTS)
def test_links_between_documents_lead_somewhere(document):
    for link in links(document):
        path, _, anchor = link.partition("#")
        if not re.match(r"\w+:", link):
            target = target_of(document, path) if path else ROOT / document
            assert target.exists(), f"{document}: {link}"
            if anchor:
                assert anchor in anchors(str(target.relative_to(ROOT))), f"{document}: {link}"


def test_anchors_are_those_of_headings():
    assert "many-columns-and-a-way-back" not in anchors("docs/methods/mrmr.md")
    assert "columns-of-many-categories" in anchors("docs/methods/mrmr.md")
    assert anchors("docs/contributing.md") >= anchors("CONTRIBUTING.md") >= {"contributing", "add-a-method"}


#: What the page of a method has, in this order.
FORM = [
    "When to use it",
    "Formula",
    "In Python",
    "On the command line",
    "Parameters",
    "Cost",
    "What (it|they) cannot see",
    "Reference",
]


@pytest.mark.parametrize("name", sorted(methods_by_name()))
def test_the_page_of_every_method_has_the_one_form(name):
    page = (ROOT / page_of(name)).read_text("utf-8")
    headings = re.findall(r"^## (.*)$", page, re.MULTILINE)
    found = [heading for heading in headings if any(re.fullmatch(part, heading) for part in FORM)]
    assert len(found) == len(FORM)
    assert all(re.fullmatch(part, heading) for part, heading in zip(FORM, found, strict=True))
    parts = dict(zip(headings, re.split(r"^## .*$", page, flags=re.MULTILINE)[1:], strict=True))
    assert "Prefer another method where:" in parts["When to use it"]
    # A formula is a line of its own, or among the words.
    assert re.search(r"^    .*[=←<−Σ].*|[Σ√⟨|]", parts["Formula"], re.MULTILINE)
    assert "fewest" in parts["In Python"]
    assert "fewest select" in parts["On the command line"]
    assert re.search(r"\b(19|20)\d\d\b", parts["Reference"]), "the year of a reference"
    for directive in ("method-facts", "method-parameters", "method-cost"):
        assert re.search(rf"^```{{{directive}}} (.* )?{name}( .*)?$", page, re.MULTILINE), directive


MODULES = (fewest, criteria, searches, datasets, statistics)
PUBLIC = {f"{module.__name__}.{name}": getattr(module, name) for module in MODULES for name in module.__all__}


@pytest.mark.parametrize("name", sorted(PUBLIC))
def test_examples_in_docstrings_work(name):
    tests = [test for test in doctest.DocTestFinder().find(PUBLIC[name], name, globs={}) if test.examples]
    assert tests, "no example"
    for test in tests:
        assert doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test).failed == 0


def test_the_stub_names_what_the_compiled_module_has():
    stub = ast.parse((ROOT / "src/fewest/_core.pyi").read_text("utf-8"))
    named = {node.name for node in stub.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    assert named == {name for name in vars(_core) if not name.startswith("_")}
