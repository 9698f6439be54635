"""What the documents say holds, and the stub names what the compiled module has."""

from __future__ import annotations

import ast
import doctest
import re
import runpy
from pathlib import Path

import pytest

import fewest
from fewest import _core, criteria, searches
from fewest.cli.methods import page_of
from fewest.selectors.registry import methods_by_name

ROOT = Path(__file__).parents[1]


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


def test_the_picture_that_leads_to_a_method_is_that_of_its_script():
    script = ROOT / "docs/figures/which_method.py"
    picture = runpy.run_path(str(script))["draw"]()
    assert picture == script.with_suffix(".svg").read_text("utf-8")
    pages = re.findall(r'href="(.+?)\.html"', picture)
    assert pages
    assert all((ROOT / f"docs/{page}.md").exists() for page in pages)


def test_the_page_of_benchmarks_lists_them_all():
    script = ROOT / "benchmarks/benchmarks_page.py"
    assert runpy.run_path(str(script))["page"]() == (ROOT / "docs/benchmarks.md").read_text("utf-8")


@pytest.mark.parametrize(
    "document",
    [
        "README.md",
        "CONTRIBUTING.md",
        *(str(path.relative_to(ROOT)) for path in sorted(ROOT.glob("docs/**/*.md"))),
    ],
)
def test_links_between_documents_lead_somewhere(document):
    for link in re.findall(r"\]\(([^)#:]+)\)", (ROOT / document).read_text("utf-8")):
        assert ((ROOT / document).parent / link).exists(), link


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


@pytest.mark.parametrize("name", sorted({*fewest.__all__, *criteria.__all__, *searches.__all__}))
def test_examples_in_docstrings_work(name):
    found = getattr(fewest, name)
    assert found.__doc__
    for test in doctest.DocTestFinder(recurse=False).find(found, name, globs={}):
        results = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test)
        assert results.failed == 0


def test_the_stub_names_what_the_compiled_module_has():
    stub = ast.parse((ROOT / "src/fewest/_core.pyi").read_text("utf-8"))
    named = {node.name for node in stub.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    assert named == {name for name in vars(_core) if not name.startswith("_")}
