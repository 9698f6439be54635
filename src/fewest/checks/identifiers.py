"""Columns that name rows or what rows belong to: identifiers, row counters, groups."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Literal

import numpy as np

from fewest.arrays import Indices, Integers, Mask
from fewest.checks.column_traits import FEW, ColumnTraits, ValueCells
from fewest.checks.profile import Profile

#: Fewer rows than this name nothing.
_FEWEST_ROWS = 10
#: The share of rows with a value of their own, of text and of numbers that are called identifiers.
_UNIQUE_TEXT, _UNIQUE_NUMBERS = 0.9, 0.95
#: How improbable it must be that no number comes twice, by chance, in any of the columns.
_LEVEL = 1e-3
#: Columns of different numbers from a narrow range, beyond which they are ranks rather than identifiers.
_MOST_ALIKE, _SHARE_ALIKE = 2, 0.05
#: Groups: the fewest values, and how much more than by chance two rows of a value are of one class.
_FEWEST_GROUPS, _SAME_CLASS = 10, 0.9
#: Of numbers, the same between one value and the next is at most this share: otherwise they measure something.
_OF_NEXT_VALUE = 0.5
#: A group has at most this share of the rows, on average.
_MOST_OF_ROWS = 0.1

Kind = Literal["identifier", "counter", "group"]

#: The words of a name of a column.
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_]+")

#: Words for what names a row.
_IDENTIFIERS = frozenset(
    (
        "id", "ids", "uid", "uuid", "guid", "key", "pk", "index", "idx", "nr", "no", "number", "num", "identifier",
        "serial", "row", "rowid", "rownum", "record", "sample", "barcode", "accession", "code", "ref", "reference",
        "ticket", "invoice", "order", "transaction", "case", "nummer", "kennung", "numero",
    )
)  # fmt: skip
#: Words that leave no doubt.
_CERTAIN = frozenset(("id", "ids", "uid", "uuid", "guid", "pk", "identifier", "rowid"))
#: Words for what several rows belong to.
_GROUPS = frozenset(
    (
        "patient", "patients", "subject", "subjects", "participant", "person", "individual", "donor", "family",
        "household", "animal", "mouse", "user", "customer", "client", "account", "member", "plate", "batch", "chip",
        "slide", "specimen", "session", "recording", "speaker", "school", "classroom", "student", "herd", "litter",
        "twin", "pair", "clinic", "hospital",
    )
)  # fmt: skip


@dataclass(frozen=True)
class NamingColumn:
    """A column that names rows or what they belong to.

    is_set_aside : whether it is certain enough
    reason : what shows it, in words that follow the name
    """

    column: int
    kind: Kind
    is_set_aside: bool
    reason: str


def naming_columns(profile: Profile, traits: ColumnTraits) -> list[NamingColumn]:
    """The columns that name rows or what rows belong to."""
    if profile.n_rows < _FEWEST_ROWS:
        return []
    is_counter = np.isfinite(profile.steps) & ~profile.is_text
    found = [_counter(profile, column) for column in np.flatnonzero(is_counter).tolist()]
    is_number = traits.is_integer & (traits.n_distinct > FEW) & ~is_counter
    if profile.sample.is_sparse:
        # A column that is zero in most rows names none of them.
        is_number &= np.diff(profile.sample.values.tocsc().indptr) > 0.5 * len(profile.sample)
    may_be_unique, may_be_group = _screen(profile, np.flatnonzero(is_number))
    alike: list[NamingColumn] = []
    for column in np.flatnonzero((profile.is_text & ~profile.is_constant) | may_be_unique | may_be_group).tolist():
        one = None
        if profile.is_text[column]:
            one = _text_identifier(profile, column)
        elif may_be_unique[column]:
            one = _whole_identifier(profile, column)
            if one is not None and not _names_rows(profile.names[column]):
                alike.append(one)
                continue
        if one is None and (profile.is_text[column] or may_be_group[column]):
            one = _group(profile, column)
        found += [one] if one is not None else []
    if len(alike) <= max(_MOST_ALIKE, _SHARE_ALIKE * profile.n_columns):
        found += alike
    return sorted(found, key=lambda one: one.column)


def _screen(profile: Profile, columns: Indices) -> tuple[Mask, Mask]:
    """Which columns of whole numbers may name rows, and which may name groups, by a few rows of every class."""
    may_be_unique = np.zeros(profile.n_columns, dtype=bool)
    may_be_group = np.zeros(profile.n_columns, dtype=bool)
    screen = profile.screen
    is_all = len(screen) == len(profile.sample)
    shares = screen.class_counts / max(screen.n_rows, 1)
    chance = float(np.square(shares).sum())
    for chunk, values in screen.column_chunks(columns):
        order = np.argsort(values, axis=0)
        in_order = np.take_along_axis(values, order, axis=0)
        classes = screen.codes[order]
        is_equal = in_order[1:] == in_order[:-1]
        n_equal = is_equal.sum(axis=0)
        n_known = (~np.isnan(values)).sum(axis=0)
        n_values = profile.highest[chunk] - profile.lowest[chunk] + 1
        is_wide = n_values >= _UNIQUE_NUMBERS * profile.n_known[chunk]
        may_be_unique[chunk] = (n_equal <= 0.1 * n_known) & is_wide & (profile.n_known[chunk] >= _FEWEST_ROWS)
        n_same = (is_equal & (classes[1:] == classes[:-1])).sum(axis=0)
        within = (n_same / np.maximum(n_equal, 1) - chance) / max(1.0 - chance, 1e-9)
        may_be_group[chunk] = (within >= 0.75 * _SAME_CLASS) & (n_equal >= 5)
        if not is_all:
            # Too few of these rows repeat a value to say.
            may_be_group[chunk] |= n_equal < 10
    names = (profile.names[column] for column in columns.tolist())
    is_named = np.fromiter((_names_groups(name) or _is_certain_identifier(name) for name in names), bool, len(columns))
    may_be_group[columns[is_named]] = True
    return may_be_unique, may_be_group


def _counter(profile: Profile, column: int) -> NamingColumn:
    step = f"{profile.steps[column]:.6g}"
    return NamingColumn(column, "counter", True, f"counts the rows, in steps of {step}")


def _text_identifier(profile: Profile, column: int) -> NamingColumn | None:
    n_distinct, n_known = len(profile.categories[column]), int(profile.n_known[column])
    if n_distinct < _FEWEST_ROWS or n_distinct < _UNIQUE_TEXT * n_known:
        return None
    return NamingColumn(column, "identifier", True, f"has {n_distinct:,} different texts in {n_known:,} rows")


def _whole_identifier(profile: Profile, column: int) -> NamingColumn | None:
    """Whole numbers that do not repeat: by their name, or where that is no chance in so narrow a range."""
    n_values = float(profile.highest[column] - profile.lowest[column] + 1)
    is_named = _names_rows(profile.names[column])
    if not is_named and _log_chance(profile.sample.n_rows, n_values, profile.n_columns) > math.log(_LEVEL):
        return None
    values = profile.sample.column(column)
    is_known = ~np.isnan(values)
    n_rows = int(profile.sample.counts[is_known].sum())
    n_distinct = len(np.unique(values[is_known]))
    if n_rows < _FEWEST_ROWS or n_distinct < _UNIQUE_NUMBERS * n_rows:
        return None
    what = f"has {n_distinct:,} different whole numbers in {n_rows:,} rows{profile.scope}"
    if is_named:
        return NamingColumn(column, "identifier", True, what)
    if n_distinct < n_rows or _log_chance(n_rows, n_values, profile.n_columns) > math.log(_LEVEL):
        return None
    span = f"between {profile.lowest[column]:.0f} and {profile.highest[column]:.0f}"
    return NamingColumn(column, "identifier", True, f"{what}, all {span}")


def _log_chance(n_rows: int, n_values: float, n_columns: int) -> float:
    """The logarithm of the chance that in any column no two of n_rows equally likely numbers are the same.

    It is less where they are not equally likely.
    """
    return -0.5 * n_rows * (n_rows - 1) / n_values + math.log(n_columns)


def _group(profile: Profile, column: int) -> NamingColumn | None:
    """Text or whole numbers of few rows each, whose rows are of one class, or whose name says so."""
    name = profile.names[column]
    is_named = _names_groups(name) or _is_certain_identifier(name)
    cells = ValueCells.of(profile.sample, column)
    n_values = len(cells.distinct)
    if n_values and np.isinf(cells.distinct[-1]):
        n_values -= 1
        cells = cells.only(cells.value < n_values)
    sizes = np.bincount(cells.value, cells.count, n_values).astype(np.int64)
    n_distinct = len(profile.categories[column]) if profile.is_text[column] else n_values
    repeated = sizes >= 2
    if n_distinct < _FEWEST_GROUPS or repeated.sum() < min(_FEWEST_GROUPS, 0.1 * n_values + 3):
        return None
    if profile.n_known[column] / n_distinct > _MOST_OF_ROWS * profile.n_rows:
        return None
    chance = _same_class_by_chance(profile)
    within = _excess((cells.count * (cells.count - 1)).sum(), (sizes * (sizes - 1)).sum(), chance)
    next_to = _excess(_pairs_next_to(cells), (sizes[1:] * sizes[:-1]).sum(), chance)
    rows_each = f"{profile.n_known[column] / n_distinct:.1f}".removesuffix(".0")
    what = f"has {n_distinct:,} values, of {rows_each} rows each on average"
    # Values of two rows or more, all of one class, by chance in any of the columns.
    is_chance = int(repeated.sum()) * math.log(max(chance, 1e-9)) + math.log(profile.n_columns) > math.log(_LEVEL)
    if (
        within >= _SAME_CLASS
        and not is_chance
        and (is_named or profile.is_text[column] or next_to <= _OF_NEXT_VALUE * within)
    ):
        return NamingColumn(column, "group", True, f"{what}, nearly all of one class{profile.scope}")
    if is_named:
        is_certain = _is_certain_identifier(name) or within >= _SAME_CLASS / 2
        return NamingColumn(column, "group", is_certain, f"{what}, and the name of what rows belong to")
    return None


def _pairs_next_to(cells: ValueCells) -> int:
    """The pairs of two rows of one class, one with the value that follows that of the other."""
    pairs = cells.value * cells.n_classes + cells.code
    following = np.searchsorted(pairs, pairs + cells.n_classes)
    is_there = following < len(pairs)
    is_there[is_there] = pairs[following[is_there]] == pairs[is_there] + cells.n_classes
    return int((cells.count[is_there] * cells.count[following[is_there]]).sum())


def _same_class_by_chance(profile: Profile) -> float:
    """The chance that two rows of the sample are of one class."""
    return float(np.square(profile.sample.class_counts / max(profile.sample.n_rows, 1)).sum())


def _excess(same: Integers | int, pairs: Integers | int, chance: float) -> float:
    """How much more often than by chance pairs of rows are of one class: 0 as by chance, 1 always."""
    if not pairs or chance >= 1.0:
        return 0.0
    return (float(same) / float(pairs) - chance) / (1.0 - chance)


def _words_of(name: str) -> list[str]:
    """The words of a name in small letters: CustomerID and customer_id are customer and id."""
    return [word.lower() for word in _WORDS.findall(name)]


def _names_rows(name: str) -> bool:
    """Whether the name is one that identifiers have: order_number, but not number_of_rooms or order_value."""
    words = _words_of(name)
    return _is_certain_identifier(name) or (bool(words) and words[-1] in _IDENTIFIERS)


def _is_certain_identifier(name: str) -> bool:
    """Whether the name says that the column is an identifier, of rows or of what they belong to."""
    words = _words_of(name)
    return bool(words) and (words[0] in _CERTAIN or words[-1] in _CERTAIN)


def _names_groups(name: str) -> bool:
    """Whether the name is that of something that several rows belong to: patient_nr, but not account_age."""
    words = _words_of(name)
    while len(words) > 1 and words[-1] in _IDENTIFIERS:
        words.pop()
    return bool(words) and words[-1] in _GROUPS
