"""What can go wrong, in words. Every error is a FewestError and the built-in that fits."""


class FewestError(Exception):
    """Base of every error that fewest raises on purpose."""


class InvalidInput(FewestError, ValueError):
    """The data cannot be used as they are."""


class InfiniteValue(InvalidInput):
    """A value is infinite, or too large to square."""

    def __init__(self, value: float, row: int, column: int | str) -> None:
        self.value, self.row, self.column = value, row, column
        what = "infinity" if value in (float("inf"), float("-inf")) else f"{value:g}, too large to square"
        super().__init__(
            f"Column {column!r} holds {what} (row {row}): input contains infinity or a value too large. "
            "Replace such values, or make them missing (NaN)."
        )


class InvalidType(FewestError, TypeError):
    """An object of the wrong kind was given."""


class InvalidParameter(FewestError, ValueError):
    """A parameter has a value that it cannot have."""


class UnreadableFile(FewestError, ValueError):
    """A file cannot be read, or is not what its name says."""


class UnwritableFile(FewestError, OSError):
    """An output file cannot be written, or would overwrite another."""


class MissingDependency(FewestError, ImportError):
    """An optional package is needed; the message names the extra that brings it."""


class FewestWarning(UserWarning):
    """Base of every warning that fewest gives."""
