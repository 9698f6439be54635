"""Keys of values: the same for equal values in every process, and others for other values.

A stored result may be used again only where everything that it depends on has the same key. Values are hashed by their
contents, never by how they print, which leaves out the middle of long arrays.
"""

from __future__ import annotations

import copyreg
import hashlib
import json
import sys
from functools import cache
from pathlib import Path
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any, cast

import numpy as np
from scipy import sparse


class NoKey(Exception):
    """A value that cannot be recognised in another run; the message says which and why."""


def key_of(value: object) -> str:
    """The key of a value, a hash in hexadecimal digits; raises NoKey where there is none.

    Numbers, texts, arrays and containers count by their contents; estimators by class and parameters, of which a clone
    is made; other objects by what pickle would store. Functions and classes count by name, by the source of their
    module and by the version of their package: what they read beyond that is not seen.
    """
    try:
        text = json.dumps(_describe(value, ()), ensure_ascii=True)
    except RecursionError:
        raise NoKey(f"{_name(value)} is nested too deeply") from None
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def _describe(value: Any, outside: tuple[int, ...]) -> object:
    """The value as lists and texts.

    outside : the identities of the objects that this one is part of
    """
    kind = type(value)
    if value is None or kind in (bool, int, str):
        return [kind.__name__, repr(value)]
    if kind is float:
        return ["float", value.hex()]
    if kind in (bytes, bytearray):
        return [kind.__name__, _hash(bytes(value))]
    if isinstance(value, np.generic) or kind is np.ndarray:
        return _describe_array(np.asarray(value), kind.__name__, outside)
    if isinstance(value, type | FunctionType | BuiltinFunctionType | ModuleType):
        return _describe_code(value)
    if id(value) in outside:
        raise NoKey(f"{_name(value)} holds itself")
    inside = (*outside, id(value))
    if kind in (list, tuple):
        return [kind.__name__, *(_describe(one, inside) for one in value)]
    if kind is dict:
        return ["dict", *([_describe(key, inside), _describe(one, inside)] for key, one in value.items())]
    if kind in (set, frozenset):
        return [kind.__name__, *sorted(json.dumps(_describe(one, inside)) for one in value)]
    if sparse.issparse(value):
        return _describe_sparse(value, inside)
    if _is_cloned_by_parameters(value):
        parameters = sorted(value.get_params(deep=False).items())
        return ["estimator", _describe_code(kind), [[name, _describe(one, inside)] for name, one in parameters]]
    return _describe_object(value, inside)


def _describe_array(array: np.ndarray[Any, Any], kind: str, outside: tuple[int, ...]) -> object:
    if array.dtype.hasobject:
        contents: object = [_describe(one, outside) for one in array.ravel().tolist()]
    else:
        contents = _hash(np.ascontiguousarray(array).tobytes())
    return [kind, repr(array.dtype.descr), list(array.shape), contents]


def _describe_sparse(value: Any, outside: tuple[int, ...]) -> object:
    names = ("data", "indices", "indptr") if value.format in ("csr", "csc", "bsr") else ("data", "row", "col")
    parts = value if value.format in ("csr", "csc", "bsr") else value.tocoo()
    return [type(value).__name__, list(value.shape), *(_describe(getattr(parts, name), outside) for name in names)]


def _is_cloned_by_parameters(value: Any) -> bool:
    """Whether a clone has the parameters and nothing else, as of any estimator that does not say otherwise."""
    from sklearn.base import BaseEstimator

    own = getattr(type(value), "__sklearn_clone__", None)
    return hasattr(value, "get_params") and own in (None, getattr(BaseEstimator, "__sklearn_clone__", None))


def _describe_object(value: Any, outside: tuple[int, ...]) -> object:
    """An object by what pickle would store: how it is made again, and its state."""
    registered = copyreg.dispatch_table.get(type(value))
    try:
        parts = value.__reduce_ex__(4) if registered is None else registered(value)
    except Exception as error:
        raise NoKey(f"{_name(value)} cannot be stored ({error})") from None
    if isinstance(parts, str):
        module = str(getattr(value, "__module__", None) or type(value).__module__)
        return ["global", module, parts, _module_version(module)]
    function, arguments, *state = cast("tuple[Any, ...]", parts)
    # Items of lists and dictionaries come as iterators.
    contents = [list(one) if hasattr(one, "__next__") else one for one in state]
    return [
        "object",
        _describe_code(type(value)),
        *(_describe(one, outside) for one in (function, arguments, contents)),
    ]


def _describe_code(value: Any) -> object:
    """A class, function or module by its name, and by what its module is made of."""
    if isinstance(value, ModuleType):
        return ["module", value.__name__, _module_version(value.__name__)]
    module = getattr(value, "__module__", None)
    name = getattr(value, "__qualname__", None)
    if isinstance(value, BuiltinFunctionType) and module is None:
        # A method of a built-in object, such as {}.get, is made of that object.
        module = getattr(getattr(value, "__self__", None), "__name__", None)
    found: Any = sys.modules.get(str(module))
    for part in str(name).split("."):
        found = getattr(found, part, None)
    if found is not value:
        raise NoKey(f"{_name(value)} has no name by which another run finds it: define it at the top of a module")
    return ["code", module, name, _module_version(str(module))]


@cache
def _module_version(name: str) -> list[str]:
    """The version of the package of a module, and a hash of its file."""
    module = sys.modules.get(name)
    package = sys.modules.get(name.partition(".")[0])
    written = str(getattr(package, "__version__", ""))
    file = getattr(module, "__file__", None)
    if file is None:
        if name in sys.builtin_module_names or name == "builtins":
            return ["built in", sys.version]
        raise NoKey(f"the module {name!r} is in no file, so that it is not seen whether it has changed")
    try:
        return [written, _hash(Path(file).read_bytes())]
    except OSError as error:
        raise NoKey(f"the file of the module {name!r} cannot be read ({error.strerror})") from None


def _hash(contents: bytes) -> str:
    return hashlib.blake2b(contents, digest_size=16).hexdigest()


def _name(value: object) -> str:
    """What to call a value in a message."""
    if isinstance(value, type | FunctionType | BuiltinFunctionType):
        return f"{value.__qualname__} of {value.__module__}"
    return f"a {type(value).__name__}"
