"""The methods of a comparison, by name, and the numbers of features that they are compared at."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from fewest.arrays import Floats
from fewest.errors import InvalidParameter
from fewest.selection import logarithmic_sizes
from fewest.selectors.registry import method_by_name
from fewest.selectors.selector import Selector
from fewest.selectors.selector_parameters import parameters_of, split_outside_brackets
from fewest.selectors.size import one_standard_error_rule

#: Default sizes: at most this number of them, up to this number of features.
_N_SIZES, _MAX_SIZE = 15, 100


def to_methods(methods: object) -> dict[str, Selector]:
    """Selectors by name, from names such as "mrmr" or "mrmr(criterion=quotient)" and from selectors."""
    if isinstance(methods, str) or not isinstance(methods, Iterable):
        methods = [methods]
    selectors: dict[str, Selector] = {}
    for one in methods:
        name, selector = _parse(one) if isinstance(one, str) else _describe(one)
        if name in selectors:
            raise InvalidParameter(f"The method {name!r} is named twice. Name each once, or give it other parameters.")
        selector._checked_sentence()
        selectors[name] = selector
    if not selectors:
        raise InvalidParameter("There are no methods to compare. Name some, such as 'mrmr'.")
    return selectors


def to_sizes(sizes: object, n_columns: int) -> tuple[int, ...]:
    """The sizes that a table has columns for; None: about 15, evenly spaced in logarithms."""
    if sizes is None:
        return tuple(logarithmic_sizes(min(_MAX_SIZE, n_columns), _N_SIZES))
    requested = list(sizes) if isinstance(sizes, Iterable) else [sizes]
    found = [s for s in requested if isinstance(s, (int, np.integer)) and not isinstance(s, bool) and s >= 1]
    if not found or len(found) < len(requested):
        raise InvalidParameter(f"sizes must be whole numbers of at least 1, got {sizes!r} instead.")
    return tuple(sorted({min(int(size), n_columns) for size in found}))


def chosen_index(errors: Floats, rule: str) -> int:
    """The index of the size that the rule chooses, from the errors of each fold (a row) at each size."""
    return int(errors.mean(axis=0).argmin()) if rule == "min" else one_standard_error_rule(errors)


def subsets_of(path: Mapping[int, Sequence[int]], sizes: Sequence[int]) -> list[tuple[int, ...]]:
    """The features at each size: the best found of that size, or of the largest below it in the path."""
    known = sorted(path)
    return [tuple(path[max((one for one in known if one <= size), default=known[0])]) for size in sizes]


def _parse(text: str) -> tuple[str, Selector]:
    name, bracket, inside = text.strip().partition("(")
    kind = method_by_name(name.strip())
    if not bracket:
        return kind.name, kind()
    if not inside.endswith(")"):
        raise InvalidParameter(
            f"A method is a name, or a name with parameters, mrmr(criterion=quotient, n_bins=5); got {text!r}. Close "
            "the bracket after the last parameter."
        )
    settings = split_outside_brackets(inside[:-1], ",;")
    return kind.name + (f"({', '.join(settings)})" if settings else ""), kind(**parameters_of(kind, settings))


def _describe(selector: object) -> tuple[str, Selector]:
    """A selector with its name, which includes the parameters that are not the default."""
    if not isinstance(selector, Selector):
        raise InvalidParameter(f"A method is a name such as 'mrmr' or a selector such as MRMR(), got {selector!r}.")
    defaults = {} if not selector.name else type(selector)().get_params(deep=False)
    changed = [
        f"{name}={value}"
        for name, value in selector.get_params(deep=False).items()
        if name not in ("n_features", "verbose") and (name not in defaults or repr(defaults[name]) != repr(value))
    ]
    name = selector.name or type(selector).__name__
    return name + (f"({', '.join(changed)})" if changed else ""), selector
