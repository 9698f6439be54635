"""Errors that nobody expects: public functions turn them into one that says what was given and asks for a report.

What passes as it is: every FewestError, interrupts, and warnings that the user has made errors. All else is chained
(`raise ... from error`), so that nothing of it is lost. An error from code of the user, such as an estimator, a scorer
or an array-like, becomes a FewestError too, but names that code and asks for no report.
"""

from __future__ import annotations

import inspect
import os
import platform
import sysconfig
import traceback
from collections.abc import Mapping, Sized
from types import TracebackType

from fewest.errors import FewestError, OutOfMemory, UnexpectedError

_OWN_FOLDER = os.path.dirname(os.path.abspath(__file__))
#: Folders of Python and of installed packages: what lies elsewhere is code of the user.
_LIBRARIES = tuple(
    os.path.abspath(path) + os.sep
    for name, path in sysconfig.get_paths().items()
    if name in ("stdlib", "platstdlib", "purelib", "platlib")
)
_ISSUES = "https://github.com/fewest/fewest/issues"
#: The longest text of a value, or of an error, that is repeated.
_LONGEST = 200


class PublicEntry:
    """A context that turns an unexpected error into one FewestError with what was given, by type and shape.

    name : what was called, such as "MRMR.fit"
    given : its arguments by name; their contents are not shown, and they are looked at only where an error comes
    """

    def __init__(self, name: str, /, **given: object) -> None:
        self._name = name
        self._given = given

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        if isinstance(error, Exception) and not isinstance(error, FewestError | Warning):
            raise explained(self._name, self._given, error) from error


def explained(name: str, given: Mapping[str, object], error: Exception) -> FewestError:
    """The FewestError that an unexpected error becomes."""
    values = "; ".join(f"{key}: {described(value)}" for key, value in given.items() if value is not None)
    of_values = f" Given were {values}." if values else ""
    if isinstance(error, MemoryError):
        return OutOfMemory(
            f"{name} needs more memory than there is.{of_values} Give fewer rows or columns, or float32 values; a file "
            "is read in blocks by scan()."
        )
    what = f"{type(error).__name__}: {_cut(' '.join(str(error).split()))}".rstrip(": ")
    foreign = code_of_user(error)
    if foreign is not None:
        return UnexpectedError(f"{name} called code that is not part of fewest, {foreign}, which raised {what}.")
    if isinstance(error, OSError):
        return UnexpectedError(f"{name} was refused something by the operating system: {what}.{of_values}")
    return UnexpectedError(
        f"{name} met an error that fewest does not expect: {what}.{of_values} {_versions()}. This is a bug: please "
        f"report it at {_ISSUES}, with this line and the traceback."
    )


def described(value: object) -> str:
    """A value by type and shape; texts, numbers and the parameters of estimators as they are."""
    try:
        return _describe(value)
    except Exception:
        return f"a {type(value).__name__} that cannot be described"


def _describe(value: object, depth: int = 0) -> str:
    kind = type(value).__name__
    if value is None or isinstance(value, bool | int | float | str | os.PathLike):
        return _cut(repr(value))
    shape = getattr(value, "shape", None)
    if isinstance(shape, tuple):
        package = type(value).__module__.partition(".")[0]
        dtype = getattr(value, "dtype", None)
        of_type = "" if dtype is None else f" of {_cut(str(dtype))}"
        return f"{package}.{kind}{of_type}, shape {shape}"
    if hasattr(value, "get_params") and not isinstance(value, type) and depth < 3:
        defaults = inspect.signature(type(value)).parameters
        changed = [
            f"{name}={_describe(one, depth + 1)}"
            for name, one in value.get_params(deep=False).items()
            if name not in defaults or defaults[name].default is not one
        ]
        return f"{kind}({', '.join(changed)})"
    if hasattr(value, "n_features"):
        return f"{kind} of {getattr(value, 'n_rows', None) or 'unknown'} rows, {value.n_features} columns"
    if callable(value) and hasattr(value, "__qualname__"):
        return str(value.__qualname__)
    return f"{kind} of {len(value)}" if isinstance(value, Sized) else kind


def code_of_user(error: BaseException) -> str | None:
    """The function of the user's in which the error arose, called by one of ours; None where there is none."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [number for number, frame in enumerate(frames) if _is_below(frame.filename, _OWN_FOLDER + os.sep)]
    for frame in reversed(frames[own[-1] + 1 :] if own else ()):
        # Code that was compiled or generated has no file of its own.
        is_made = frame.filename.endswith((".pyx", ".pxd")) or frame.filename.startswith(
            ("<frozen ", "<string>", "<__")
        )
        if not is_made and not _is_library(frame.filename):
            return f"{frame.name} in {frame.filename}, line {frame.lineno}"
    return None


def _is_library(file: str) -> bool:
    """Whether a file is of Python or of an installed package: of the system, the user or another environment too."""
    folders = os.path.abspath(file).split(os.sep)
    return _is_below(file, *_LIBRARIES) or not {"site-packages", "dist-packages"}.isdisjoint(folders)


def _is_below(file: str, *folders: str) -> bool:
    return os.path.abspath(file).startswith(folders)


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _versions() -> str:
    from importlib.metadata import version

    packages = ", ".join(f"{name} {version(name)}" for name in ("fewest", "numpy", "scikit-learn"))
    return f"{packages}, Python {platform.python_version()} on {platform.system()}"
