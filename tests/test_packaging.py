"""What a distribution leaves out, and whether the files about it agree."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import fewest

PROJECT = Path(__file__).parents[1] / "pyproject.toml"


@pytest.mark.skipif(not PROJECT.exists(), reason="the project's file is not with the tests")
def test_what_is_left_out_is_named_from_the_root():
    # A name without a slash would also leave out the package's folders of that name, such as fewest/data.
    options = tomllib.loads(PROJECT.read_text("utf-8"))["tool"]["scikit-build"]
    assert all(pattern.startswith("/") for pattern in options["sdist"]["exclude"])


@pytest.mark.skipif(not PROJECT.exists(), reason="the project's file is not with the tests")
def test_citation_project_recipe_and_package_agree():
    project = tomllib.loads(PROJECT.read_text("utf-8"))["project"]
    stated = {"pyproject.toml": project["version"], "installed": fewest.__version__}
    for name, pattern in (("CITATION.cff", r"^version: (\S+)$"), ("recipe/recipe.yaml", r'^  version: "(\S+)"$')):
        if (path := PROJECT.parent / name).exists():  # the recipe is not in the source distribution
            stated[name] = re.search(pattern, path.read_text("utf-8"), re.MULTILINE)[1]
    assert "CITATION.cff" in stated
    assert set(stated.values()) == {project["version"]}, stated


@pytest.mark.skipif(not (PROJECT.parent / "recipe").exists(), reason="the recipe is not with the tests")
def test_recipe_needs_what_the_package_needs():
    recipe = (PROJECT.parent / "recipe" / "recipe.yaml").read_text("utf-8")
    needed = tomllib.loads(PROJECT.read_text("utf-8"))["project"]["dependencies"]
    listed = {line.strip(" -").replace(" ", "") for line in recipe.split("  run:\n")[1].split("\n\n")[0].splitlines()}
    assert listed == {"python", *needed}


@pytest.mark.skipif(not PROJECT.exists(), reason="the project's file is not with the tests")
def test_citation_names_the_five_papers():
    citation = (PROJECT.parent / "CITATION.cff").read_text("utf-8")
    papers = (PROJECT.parent / "docs" / "papers" / "README.md").read_text("utf-8")
    dois = set(re.findall(r"doi:(10\.\S+?)\.?$", papers, re.MULTILINE))
    assert len(dois) == 5
    assert set(re.findall(r"doi: (10\.\S+)", citation)) == dois


def test_typed_client_passes_mypy(tmp_path):
    # Types reach those who use the package: py.typed is there, and mypy knows what attributes and parameters are.
    pytest.importorskip("mypy")
    package = Path(fewest.__file__).parent
    assert (package / "py.typed").is_file()
    client = Path(__file__).with_name("typed_client.py")
    # An editable installation is found by a hook that mypy does not run.
    environment = {**os.environ, "MYPYPATH": str(package.parent)} if package.parent.name == "src" else None
    options = ["--strict", "--follow-imports=silent", "--cache-dir", str(tmp_path), "--config-file", os.devnull]
    command = [sys.executable, "-m", "mypy", *options, str(client)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, env=environment, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
