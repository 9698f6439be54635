"""Is the installed package whole? Needs fewest and pytest, and nothing else of this project.

python -m pytest -c tests/smoke/pytest.ini tests/smoke
"""

from __future__ import annotations

import importlib
import json
import pkgutil
import subprocess
import sys
from contextlib import contextmanager
from importlib.metadata import version
from importlib.resources import files

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

import fewest
from fewest import _core

# One of every family that has kernels of its own, with parameters that make it quick.
SELECTORS = {
    "AutoSelector": {"cv": 2, "max_features": 5},
    "FisherMarkov": {"degree": 2},
    "ForestImportance": {},
    "JMI": {},
    "KernelSeparability": {},
    "KolmogorovSmirnov": {},
    "L1SVM": {},
    "MRMR": {"density": "parzen"},
    "MaxDependency": {},
    "MultiSURF": {},
    "NonMonotonicMKL": {},
    "ParzenRelief": {},
    "R2W2": {},
    "RadiusMargin": {},
    "ReliefF": {},
    "SVMRFE": {},
    "StumpBoosting": {},
}

#: Packages without which some modules cannot be imported.
OPTIONAL = {"dask", "distributed", "h5py", "openpyxl", "pandas", "polars", "pyarrow", "pyspark"}


@contextmanager
def suppress_missing(packages):
    try:
        yield
    except ModuleNotFoundError as error:
        if str(error.name).split(".")[0] not in packages:
            raise


def run(*arguments: str, folder: object = None) -> str:
    command = [sys.executable, "-m", "fewest", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=300, cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_version_is_that_of_the_distribution():
    assert fewest.__version__ == version("fewest")


def test_every_public_name_can_be_imported():
    missing = [name for name in dir(fewest) if getattr(fewest, name, None) is None]
    assert len(dir(fewest)) > 50
    assert not missing


def test_every_module_can_be_imported():
    names = [module.name for module in pkgutil.walk_packages(fewest.__path__, "fewest.")]
    assert len(names) > 200
    for name in names:
        if not name.endswith("__main__"):
            with suppress_missing(OPTIONAL):
                importlib.import_module(name)


@pytest.mark.parametrize("name", ["py.typed", "__init__.pyi", "_core.pyi", "criteria.pyi", "report/templates"])
def test_files_that_are_no_modules_are_there(name):
    path = files("fewest").joinpath(name)
    assert path.is_file() or any(path.iterdir())


@pytest.mark.parametrize("name", SELECTORS)
def test_a_selector_of_each_family_selects(name):
    X, y = load_wine(return_X_y=True)
    y = np.minimum(y, 1)
    selector = getattr(fewest, name)(n_features=3, **SELECTORS[name]).fit(X, y)
    assert selector.transform(X).shape == (len(X), 3)
    assert len(set(selector.selection_.indices)) == 3
    assert clone(selector).fit(X, y).selection_.indices == selector.selection_.indices


def test_selected_features_predict_the_class():
    X, y = load_breast_cancer(return_X_y=True)
    model = make_pipeline(fewest.MRMR(n_features=5), SVC())
    assert model.fit(X[::2], y[::2]).score(X[1::2], y[1::2]) > 0.85


def test_every_simd_level_of_this_processor_scores_alike():
    X, y = load_wine(return_X_y=True)
    at_first, scores = _core.simd_level(), {}
    try:
        for level in ("base", "x86-64-v2", "x86-64-v3", "x86-64-v4"):
            if _core.use_simd_level(level):
                scores[level] = fewest.ReliefF(n_features=3).fit(X, y).scores_
    finally:
        _core.use_simd_level(at_first)
    assert at_first in scores
    for level, found in scores.items():
        np.testing.assert_array_equal(found, scores["base"], err_msg=level)


def test_comparison_writes_a_page(tmp_path):
    page = tmp_path / "wine.html"
    run("compare", "wine", "--methods", "fisher-score,mrmr", "--outer", "2", "--inner", "2", "--sizes", "1,2,3",
        "--report", str(page), folder=tmp_path)  # fmt: skip
    text = page.read_text("utf-8")
    assert "<svg" in text
    assert "mrmr" in text


def test_command_selects_from_a_file(tmp_path):
    X, y = load_wine(return_X_y=True)
    rows = [
        "a,b,c,kind",
        *(f"{row[6]},{row[0]},{i % 7},{label}" for i, (row, label) in enumerate(zip(X, y, strict=True))),
    ]
    (tmp_path / "wine.csv").write_text("\n".join(rows), "utf-8")
    options = ["--target", "kind", "--method", "fisher-score", "--features", "2", "--json", "chosen.json"]
    assert "a" in run("select", "wine.csv", *options, folder=tmp_path)
    assert json.loads((tmp_path / "chosen.json").read_text("utf-8"))["features"] == ["a", "b"]


def test_methods_and_version_are_listed():
    assert "fisher-markov" in run("methods")
    assert fewest.__version__ in run("--version")
