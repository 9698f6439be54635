"""Provenance: how a selection came about."""

from __future__ import annotations

from dataclasses import dataclass

#: A parameter as JSON holds it.
Scalar = bool | int | float | str | None


@dataclass(frozen=True)
class Provenance:
    """How a selection came about: enough to repeat it, and to check that the data are the same."""

    method: str
    parameters: dict[str, Scalar]
    version: str
    n_rows: int
    n_columns: int
    class_counts: dict[str, int]
    #: Hash of labels and values: the same for any row order, block size, storage and float width.
    fingerprint: str
    seconds: float
    #: What was noticed while fitting.
    notes: tuple[str, ...] = ()
    #: What the value of the selection is, in words; empty where there is none.
    objective: str = ""
    #: Columns of the table that the method did not see; n_columns does not count them.
    left_out: tuple[str, ...] = ()

    def is_consistent(self) -> bool:
        """Return whether every field has its type, as far as they are shown."""
        texts = (self.method, self.version, self.fingerprint, self.objective, *self.notes, *self.left_out)
        counts = (self.n_rows, self.n_columns, *self.class_counts.values())
        return (
            all(isinstance(text, str) for text in (*texts, *self.class_counts))
            and all(is_count(count) for count in counts)
            and isinstance(self.parameters, dict)
            and isinstance(self.seconds, int | float)
        )


def is_count(value: object) -> bool:
    """Return whether it is a whole number of at least 0."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0
