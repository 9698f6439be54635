"""What nobody expects becomes one FewestError, which says what was given."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin

from fewest import (
    MRMR,
    AutoSelector,
    FewestWarning,
    FisherScore,
    TwoStage,
    Wrapper,
    check_data,
    compare,
    scan,
)
from fewest.errors import InvalidInput, OutOfMemory, UnexpectedError
from fewest.unexpected import PublicEntry, described

X, Y = np.arange(24.0).reshape(12, 2) % 7, np.arange(12) % 2


def broken(*_, **__):
    raise ZeroDivisionError("out of the blue\nand more")


#: Raises an error as a library would: none of its frames is in a file of the user.
LIBRARY_ERROR = eval("lambda *_, **__: __import__('numpy').zeros(3).reshape(2, 2)")

SOURCE = scan(X, Y)
FITTED = FisherScore(n_features=1).fit(X, Y)

ENTRIES = {
    "MRMR.fit": ("fewest.selectors.selector.to_source", lambda: MRMR(n_bins=4).fit(X, Y)),
    "FisherScore.partial_fit": (
        "fewest.selectors.partial_fit.to_source",
        lambda: FisherScore(n_features=1).partial_fit(X, Y),
    ),
    "AutoSelector.fit": ("fewest.methods.wrappers.auto.to_source", lambda: AutoSelector().fit(X, Y)),
    "TwoStage.fit": ("fewest.methods.wrappers.two_stage.to_source", lambda: TwoStage().fit(X, Y)),
    "FisherScore.transform": ("fewest.selectors.columns.validate_table", lambda: FITTED.transform(X)),
    "FisherScore.inverse_transform": (
        "fewest.selectors.columns._check_width",
        lambda: FITTED.inverse_transform(X[:, :1]),
    ),
    "compare": ("fewest.evaluation.run.comparing.to_tables", lambda: compare("mrmr", X, Y)),
    "scan": ("fewest.data.scan.read", lambda: scan(X, Y)),
    "check_data": ("fewest.checks.checking._check", lambda: check_data(X, Y)),
}


@pytest.mark.parametrize("name", ENTRIES)
def test_every_public_function_turns_what_it_does_not_expect_into_one_error(name, monkeypatch):
    place, call = ENTRIES[name]
    monkeypatch.setattr(place, LIBRARY_ERROR)
    with pytest.raises(UnexpectedError) as caught:
        call()
    message = str(caught.value)
    assert message.startswith(f"{name} met an error that fewest does not expect: ValueError: ")
    assert "\n" not in message
    assert "shape (12," in message
    assert "please report it" in message
    assert isinstance(caught.value.__cause__, ValueError)


def test_it_says_what_was_given_and_not_what_it_holds():
    secret = pd.DataFrame({"name": ["Alice"] * 3})
    with pytest.raises(UnexpectedError) as caught, PublicEntry("f", X=secret, y=[1, 2, 3], selector=MRMR(n_bins=4)):
        LIBRARY_ERROR()
    assert "X: pandas.DataFrame, shape (3, 1); y: list of 3; selector: MRMR(n_bins=4)." in str(caught.value)
    assert "Alice" not in str(caught.value)


class Moody(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        broken()

    def predict(self, X):
        return 0


def test_an_error_in_code_of_the_user_names_that_code_and_asks_for_no_report():
    says = (
        r"code that is not part of fewest, broken in .*test_unexpected.py, line \d+, which raised ZeroDivision.*: out"
    )
    with pytest.raises(UnexpectedError, match=f"^Wrapper.fit called {says} of the blue and more") as caught:
        Wrapper(Moody(), n_features=1).fit(X, Y)
    assert "report" not in str(caught.value)
    with pytest.raises(UnexpectedError, match=f"^f called {says}"), PublicEntry("f"):
        called_by_fewest(broken)


@pytest.mark.parametrize("folder", ["site-packages", "dist-packages"])
def test_an_error_in_an_installed_package_asks_for_a_report_wherever_it_is_installed(folder, tmp_path):
    # Packages of Debian, of the user and of another environment lie outside of Python's own folders.
    path = tmp_path / folder / "other" / "module.py"
    path.parent.mkdir(parents=True)
    path.write_text("def fail():\n    raise KeyError('x')\n")
    module = {}
    exec(compile(path.read_text(), str(path), "exec"), module)
    with pytest.raises(UnexpectedError, match=r"^f met an error that .* KeyError.*please report it"), PublicEntry("f"):
        called_by_fewest(module["fail"])


def called_by_fewest(function):
    from fewest.threads import run_in_parallel

    return run_in_parallel([function])


def test_what_is_expected_passes_as_it_is():
    for error in (
        InvalidInput("no"),
        KeyboardInterrupt(),
        SystemExit(3),
        FewestWarning("made an error"),
        GeneratorExit(),
    ):
        with pytest.raises(type(error)) as caught, PublicEntry("f"):
            raise error
        assert caught.value is error
    # Warnings are errors in these tests.
    with pytest.raises(FewestWarning):
        MRMR(n_features=9).fit(X, Y)


def test_memory_and_the_system_are_named_in_words():
    with pytest.raises(OutOfMemory, match=r"^f needs more memory .* Given were X: .*Give fewer") as caught, ENTRY:
        raise MemoryError
    assert isinstance(caught.value, MemoryError)
    with pytest.raises(UnexpectedError, match=r"refused something by the operating system: OSError: .*No space"), ENTRY:
        raise OSError(28, "No space left on device")


ENTRY = PublicEntry("f", X=X)


class Indescribable:
    shape = property(broken)
    get_params = broken


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (X, "numpy.ndarray of float64, shape (12, 2)"),
        (sparse.csr_array(X), "scipy.csr_array of float64, shape (12, 2)"),
        (SOURCE, "ArraySource of unknown rows, 2 columns"),
        ("a" * 500, "'" + "a" * 198 + "…"),
        ({"a": 1}, "dict of 1"),
        (broken, "broken"),
        (object(), "object"),
        (Indescribable(), "a Indescribable that cannot be described"),
    ],
)
def test_values_are_described_by_type_and_shape(value, words):
    assert described(value) == words
