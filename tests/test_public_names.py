"""What tab completion shows: the public names, and nothing of the inside."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import version

import numpy as np
import pytest

import fewest
from fewest.selectors.registry import methods_by_name

# What every selector has besides its parameters and what it has fitted.
METHODS = {
    "fit", "fit_transform", "get_feature_names_out", "get_metadata_routing", "get_params", "get_support",
    "inverse_transform", "onnx_converter", "onnx_shape_calculator", "partial_fit", "set_fit_request", "set_output",
    "set_params", "set_partial_fit_request", "transform",
}  # fmt: skip
DESCRIPTIONS = {"name", "summary", "formula", "takes", "proves", "cost", "sentence"}


def test_the_package_lists_its_public_names_and_modules_alone():
    listed = set(dir(fewest))
    assert listed == {*fewest.__all__, "__version__", "criteria", "datasets", "searches", "statistics"}
    for name in listed:
        assert getattr(fewest, name)


def test_the_version_is_that_of_the_installed_package():
    assert fewest.__version__ == version("fewest")


def test_data_sets_are_there_without_an_import_of_their_own():
    code = "import fewest; print(fewest.datasets.load('wine').name)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "wine\n"


@pytest.mark.parametrize("name", sorted(methods_by_name()))
def test_a_selector_shows_parameters_fitted_attributes_and_the_methods_of_scikit_learn(name):
    kind = methods_by_name()[name]
    public = {attribute for attribute in dir(kind) if not attribute.startswith("_")}
    assert public - set(kind._get_param_names()) <= METHODS | DESCRIPTIONS


def test_a_fitted_selector_has_a_trailing_underscore_on_whatever_it_has_learned():
    rng = np.random.default_rng(0)
    fitted = fewest.MRMR(n_features=2).fit(rng.normal(size=(30, 4)), rng.integers(0, 2, 30))
    learned = {name for name in vars(fitted) if not name.startswith("_")} - set(fitted.get_params())
    assert learned
    assert all(name.endswith("_") for name in learned)
