"""Errors and warnings. Every error is a FewestError and the built-in that fits."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Self


class FewestError(Exception):
    """Base of every error that fewest raises on purpose.

    See Also
    --------
    FewestWarning : Base of every warning.

    Examples
    --------
    >>> from fewest import FewestError, MRMR
    >>> try:
    ...     MRMR().fit([[1.0], [2.0]], [0, 0])
    ... except FewestError as error:
    ...     print(error)
    All 2 rows have the one class '0' (1 class); at least two classes are needed. Name another target, or give rows of
    other classes.
    """


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

    def __reduce__(self) -> tuple[type[Self], tuple[float, int, int | str]]:
        return type(self), (self.value, self.row, self.column)


class OverflowingColumn(InvalidInput):
    """The scatter of a column overflows, although its values can be squared."""

    def __init__(self, column: int | str) -> None:
        self.column = column
        what = f"The variance of column {column!r} overflows: input contains a value too large."
        super().__init__(f"{what} Rescale the column.")

    def __reduce__(self) -> tuple[type[Self], tuple[int | str]]:
        return type(self), (self.column,)


class ContinuousTarget(InvalidInput):
    """The labels are a quantity, of which one value is an example."""

    def __init__(self, example: float) -> None:
        self.example = example
        super().__init__(
            f"The labels look like a continuous quantity (for example {example}), not like classes. "
            "Unknown label type: continuous. Cut the quantity into classes first, or name another target."
        )

    def __reduce__(self) -> tuple[type[Self], tuple[float]]:
        return type(self), (self.example,)


class UnlabelledRows(InvalidInput):
    """Rows without a class.

    count, n_rows : how many rows have none, of how many: of the first part of a stream that has some
    is_all : whether these are all rows of the table
    which : whose rows they are, and the first of them
    how : what leaves them out
    where : the part of the table, as it stands before the error
    """

    def __init__(self, count: int, n_rows: int, which: str, how: str, where: str = "", *, is_all: bool = False) -> None:
        self.count, self.n_rows, self.which, self.how, self.where = count, n_rows, which, how, where
        self.is_all = is_all
        super().__init__(
            f"{where}Input y contains NaN or no label in {count} of {n_rows} rows of {which}. Fill the labels in, or "
            f"leave those rows out with {how}."
        )

    def __reduce__(self) -> tuple[type[Self], tuple[int, int, str, str, str]]:
        # What travels comes from a part of a table.
        return type(self), (self.count, self.n_rows, self.which, self.how, self.where)

    def within(self, where: str) -> Self:
        """The same error of a part of a table."""
        return type(self)(self.count, self.n_rows, self.which, self.how, where)


class UnusableColumn(InvalidInput):
    """A column holds neither numbers nor categories: dates, bytes, lists, or names of rows.

    column, holds : its name, and what it holds
    """

    def __init__(self, message: str, column: str, holds: str) -> None:
        self.message, self.column, self.holds = message, column, holds
        super().__init__(message)

    def __reduce__(self) -> tuple[type[Self], tuple[str, str, str]]:
        return type(self), (self.message, self.column, self.holds)


class MissingValues(InvalidInput):
    """A column has missing values, and the method needs every value."""

    def __init__(self, column: int | str, n_missing: int, n_columns: int) -> None:
        self.column, self.n_missing, self.n_columns = column, n_missing, n_columns
        super().__init__(
            f"Input X contains NaN: {n_missing} value(s) of column {column!r} are missing (the first of {n_columns} "
            "column(s) with missing values), and density='parzen' needs every value. Impute them, drop the column, or "
            "use density='discrete', to which a missing value is a category."
        )

    def __reduce__(self) -> tuple[type[Self], tuple[int | str, int, int]]:
        return type(self), (self.column, self.n_missing, self.n_columns)


class IncompleteColumns(InvalidInput):
    """Columns have missing values, and the method takes complete rows only.

    column : the first of them, its name or its number
    """

    def __init__(
        self, column: int | str, n_values: int, n_incomplete: int, n_columns: int, reason: str, advice: str
    ) -> None:
        self.column, self._others = column, (n_values, n_incomplete, n_columns, reason, advice)
        first = repr(column) if isinstance(column, str) else f"number {column}"
        super().__init__(
            f"Input X contains NaN: {n_values} values are missing, in {n_incomplete} of {n_columns} columns (the first "
            f"is {first}), and {reason}. Impute them first, {advice}."
        )

    def named(self, column: str) -> Self:
        """The same error with the name of the column."""
        return type(self)(column, *self._others)

    def __reduce__(self) -> tuple[type[Self], tuple[int | str, int, int, int, str, str]]:
        return type(self), (self.column, *self._others)


class TooManyRows(InvalidInput):
    """Rows that have to be stored take more memory than is allowed."""


class ChangedData(InvalidInput):
    """A second pass found what the first did not."""

    def __init__(self) -> None:
        super().__init__(
            "The data changed between the first and the second pass. Do not write to them meanwhile; a query must give "
            "the same rows, in the same order, whenever it is asked."
        )

    def __reduce__(self) -> tuple[type[Self], tuple[()]]:
        return type(self), ()


class InvalidType(FewestError, TypeError):
    """An argument has the wrong type."""


class InvalidParameter(FewestError, ValueError):
    """A parameter has a value that it cannot have."""


class UnreadableFile(FewestError, ValueError):
    """A file cannot be read, or is not what its name says."""


class UnwritableFile(FewestError, OSError):
    """An output file cannot be written, or would overwrite another."""


class MissingDependency(FewestError, ImportError):
    """An optional package is needed; the message names the extra that brings it."""


class UnexpectedError(FewestError, RuntimeError):
    """Something that fewest does not expect; its cause is the error that was met (`__cause__`)."""


class OutOfMemory(FewestError, MemoryError):
    """There is not enough memory for what was asked."""


class FewestWarning(UserWarning):
    """Base of every warning that fewest gives.

    See Also
    --------
    FewestError : Base of every error.

    Examples
    --------
    >>> import warnings
    >>> from fewest import MRMR, FewestWarning
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> with warnings.catch_warnings(record=True) as given:
    ...     warnings.simplefilter("always", FewestWarning)
    ...     chosen = MRMR(n_features=99).fit(X, y)
    >>> print(given[0].message)
    n_features=99 is more than the 13 columns there are; all are taken.
    """


class LongFitWarning(FewestWarning):
    """A fit that has begun will take minutes."""


def did_you_mean(given: str, known: Iterable[str]) -> str:
    """Return " (did you mean 'x'?)" with the known name nearest to the given one, or "" where none is near."""
    import difflib  # 7 ms that only a misspelt name has to wait for

    lowered = {name.lower(): name for name in known}
    near = difflib.get_close_matches(given.lower(), list(lowered), n=1, cutoff=0.6)
    return f" (did you mean {lowered[near[0]]!r}?)" if near else ""
