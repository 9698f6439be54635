"""What the name of a column says: that it identifies rows, or what rows belong to."""

from __future__ import annotations

import re

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


def words_of(name: str) -> list[str]:
    """The words of a name in small letters: CustomerID and customer_id are customer and id."""
    return [word.lower() for word in _WORDS.findall(name)]


def names_rows(name: str) -> bool:
    """Whether the name is one that identifiers have: order_number, but not number_of_rooms or order_value."""
    words = words_of(name)
    return is_certain_identifier(name) or (bool(words) and words[-1] in _IDENTIFIERS)


def is_certain_identifier(name: str) -> bool:
    """Whether the name says that the column is an identifier, of rows or of what they belong to."""
    words = words_of(name)
    return bool(words) and (words[0] in _CERTAIN or words[-1] in _CERTAIN)


def names_groups(name: str) -> bool:
    """Whether the name is that of something that several rows belong to: patient_nr, but not account_age."""
    words = words_of(name)
    while len(words) > 1 and words[-1] in _IDENTIFIERS:
        words.pop()
    return bool(words) and words[-1] in _GROUPS
