"""What each side may ask of the other: Source, Statistic, Criterion, Objective, Search."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType
from typing import Any, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from fewest.errors import InfiniteValue, InvalidInput, InvalidParameter
from fewest.selection import Selection
from fewest.threads import side_by_side, thread_count

#: Integers become floats so many bytes at a time.
_BYTES_CONVERTED = 1 << 25


@dataclass(frozen=True)
class Block:
    """Some rows of a source, over some of its columns.

    values : numbers, rows by columns: a NumPy array of float32 or float64 with any strides, or SciPy CSR or CSC; a
        statistic that takes_integers may also be given integers of any width
    codes : the class of each row, as an index into classes
    classes : the labels known so far, in order of their codes
    weights : the weight of each row, or None where all are one
    first_row : how many rows of the source came before the block's first
    row_numbers : which rows of the source these are, or None where they are consecutive
    columns : which columns of the source these are, or None for all
    is_all : these are all the rows there will be
    states : the positions of the columns that hold codes of text or categories, whose order means nothing
    """

    values: Any
    codes: NDArray[np.int32]
    classes: Sequence[Any]
    weights: NDArray[np.float64] | None = None
    first_row: int = 0
    row_numbers: NDArray[np.intp] | None = None
    columns: Sequence[int] | None = None
    is_all: bool = False
    states: Sequence[int] = ()

    def row_number(self, position: int) -> int:
        """Which row of the source stands at this position."""
        return self.first_row + position if self.row_numbers is None else int(self.row_numbers[position])

    def all_row_numbers(self) -> NDArray[np.intp]:
        """Which row of the source stands at each position."""
        return self.first_row + np.arange(self.n_rows) if self.row_numbers is None else self.row_numbers

    def column_number(self, position: int) -> int:
        """Which column of the source stands at this position."""
        return position if self.columns is None else self.columns[position]

    @property
    def n_rows(self) -> int:
        return len(self.codes)

    def take(self, rows: NDArray[np.intp]) -> Block:
        """The block of the rows at these positions."""
        return replace(
            self,
            values=self.values[rows],
            codes=self.codes[rows],
            weights=None if self.weights is None else self.weights[rows],
            row_numbers=self.first_row + rows if self.row_numbers is None else self.row_numbers[rows],
            is_all=False,
        )

    def only(self, positions: NDArray[np.intp]) -> Block:
        """The block of the columns at these positions."""
        places: list[int] = positions.tolist()
        columns = places if self.columns is None else [self.columns[place] for place in places]
        return replace(self, values=self.values[:, positions], columns=columns, states=())

    def as_floats(self) -> Block:
        """The same with integers as floats, float32 where that holds them without loss."""
        if self.values.dtype.kind == "f":
            return self
        return replace(self, values=self.values.astype(np.float32 if self.values.itemsize <= 2 else np.float64))

    def pieces(self, n_bytes: int) -> Iterator[Block]:
        """The block in runs of rows of about this many bytes each, as views."""
        width = max(int(self.values.shape[1]), 1)
        stored = self.values.nnz // max(self.n_rows, 1) if hasattr(self.values, "nnz") else width
        step = max(1, n_bytes // (8 * max(stored, 1)))
        if step >= self.n_rows:
            yield self
            return
        for first in range(0, self.n_rows, step):
            rows = slice(first, first + step)
            yield replace(
                self,
                values=self.values[rows],
                codes=self.codes[rows],
                weights=None if self.weights is None else self.weights[rows],
                first_row=self.first_row + first,
                row_numbers=None if self.row_numbers is None else self.row_numbers[rows],
                is_all=False,
            )


class Statistic(Protocol):
    """What a pass over rows leaves behind. Empty is the identity of merge; any split of the rows gives the whole."""

    #: Columns do not meet: groups of columns may be collected apart and joined.
    is_columnwise: bool
    #: Blocks may hold integers, as they came.
    takes_integers: bool

    def empty(self) -> Self:
        """A statistic of the same kind that has seen nothing."""
        ...

    def update(self, block: Block) -> None:
        """Add the rows of a block."""
        ...

    def merge(self, other: Self) -> None:
        """Add what another statistic of the same columns has seen."""
        ...

    def join(self, parts: Sequence[Self]) -> Self:
        """The statistic of all columns from those of consecutive groups of columns over the same rows."""
        ...


class Evidence(Statistic, Protocol):
    """A statistic that can say which data it has seen: what a criterion learns from."""

    @property
    def n_rows(self) -> int:
        """How many rows were added, those of weight zero left out."""
        ...

    def counts_by_class(self) -> dict[str, int]:
        """Rows in each class, in the order of the labels."""
        ...

    def fingerprint(self) -> str:
        """A hash of labels and values that depends on neither the order of the rows nor how they are stored."""
        ...


S = TypeVar("S", bound=Statistic)


class Source(ABC):
    """Where rows come from. Reading it again gives the same rows in the same order."""

    #: The columns' names, or None where the data have none.
    feature_names: Sequence[str] | None
    n_features: int
    #: Names of the columns that hold text or categories; a criterion that needs numbers refuses them, one that needs
    #: states reads their codes.
    text_columns: Sequence[str]
    #: How many columns are best read at a time, by all readers together.
    columns_at_once: int
    #: How many readers may work side by side, each on columns of its own.
    readers_at_once: int = 1
    #: All rows are held by the process already.
    is_in_memory: bool = False
    #: How many rows there are, where that is known before they are read; for the progress bar.
    n_rows: int | None = None
    #: Arrays of one value a row that are no features, by name: what else a file of arrays holds.
    beside: Mapping[str, Any] = MappingProxyType({})

    @abstractmethod
    def blocks(self, columns: Sequence[int] | None = None) -> Iterator[Block]:
        """All rows, a block at a time, over the given columns (all by default)."""
        ...

    def group_blocks(self, groups: Sequence[Sequence[int] | None]) -> Iterator[tuple[int, Block]]:
        """All rows over each group of columns, with the group's number, in whatever order is read with least effort;
        the rows of one group come in order."""
        for g, columns in enumerate(groups):
            for block in self.blocks(columns):
                yield g, block

    def only(self, columns: Sequence[int]) -> Source:
        """The same rows with these columns alone."""
        return _OnlyColumns(self, columns)

    def with_text_as_codes(self) -> Source:
        """The same rows, with text and categories as numbers: each distinct value of such a column has a number of its
        own, 0, 1, ... as it first appears, the same in every pass over the source; NaN where it is missing."""
        if not self.text_columns:
            return self
        raise InvalidInput(
            f"Column {self.text_columns[0]!r} holds text, which {type(self).__name__} cannot read as states. Encode it "
            "as numbers, or read it from a frame, CSV, Parquet or Arrow file."
        )

    def states_of(self, name: str) -> Sequence[Any] | None:
        """What the codes of a column of text stand for, as far as it has been read; None for a column of numbers."""
        return None

    def collect(self, statistic: S, *, is_part: bool = False) -> S:
        """The statistic of all rows, from one read; is_part where rows of other sources will be added to it."""
        if not statistic.is_columnwise or self.columns_at_once >= self.n_features:
            return self._collect_groups(statistic, [None], is_part)[0]
        n_readers = max(1, min(thread_count(), self.readers_at_once))
        width = max(1, self.columns_at_once // n_readers)
        groups = [range(start, min(start + width, self.n_features)) for start in range(0, self.n_features, width)]
        shares = [groups[reader::n_readers] for reader in range(min(n_readers, len(groups)))]
        parts = side_by_side([partial(self._collect_groups, statistic, share, is_part) for share in shares])
        return statistic.join([parts[g % n_readers][g // n_readers] for g in range(len(groups))])

    def _states(self, columns: Sequence[int] | None) -> Sequence[int]:
        """Which of these columns hold codes of text."""
        if not self.text_columns or self.feature_names is None:
            return ()
        texts = set(self.text_columns)
        meant = range(self.n_features) if columns is None else columns
        return [place for place, column in enumerate(meant) if self.feature_names[column] in texts]

    def _collect_groups(self, statistic: S, groups: Sequence[Sequence[int] | None], is_part: bool) -> list[S]:
        collected = [statistic.empty() for _ in groups]
        try:
            for g, block in self.group_blocks(groups):
                is_all = block.is_all and not is_part
                block = replace(block, is_all=is_all, states=self._states(groups[g]))
                for piece in [block] if statistic.takes_integers else _in_floats(block):
                    collected[g].update(piece)
        except InfiniteValue as error:
            if self.feature_names is None or isinstance(error.column, str):
                raise
            raise InfiniteValue(error.value, error.row, self.feature_names[error.column]) from None
        return collected


def _in_floats(block: Block) -> Iterator[Block]:
    """The block with integers as floats, a run of rows at a time where they have to be converted."""
    if block.values.dtype.kind == "f":
        yield block
    else:
        yield from (piece.as_floats() for piece in block.pieces(_BYTES_CONVERTED))


class _OnlyColumns(Source):
    """Another source with some of its columns."""

    def __init__(self, source: Source, columns: Sequence[int]) -> None:
        self.source = source
        self.columns = columns
        self.feature_names = None if source.feature_names is None else [source.feature_names[c] for c in columns]
        self.n_features = len(columns)
        self.text_columns = [name for name in source.text_columns if name in set(self.feature_names or ())]
        self.columns_at_once = source.columns_at_once
        self.readers_at_once = source.readers_at_once
        self.n_rows = source.n_rows
        self.is_in_memory = source.is_in_memory
        self.beside = source.beside

    def with_text_as_codes(self) -> Source:
        return _OnlyColumns(self.source.with_text_as_codes(), self.columns) if self.text_columns else self

    def states_of(self, name: str) -> Sequence[Any] | None:
        return self.source.states_of(name)

    def blocks(self, columns: Sequence[int] | None = None) -> Iterator[Block]:
        return (block for _, block in self.group_blocks([columns]))

    def group_blocks(self, groups: Sequence[Sequence[int] | None]) -> Iterator[tuple[int, Block]]:
        meant = [self.columns if group is None else [self.columns[c] for c in group] for group in groups]
        for g, block in self.source.group_blocks(meant):
            yield g, replace(block, columns=groups[g])


class Objective(Protocol):
    """How good features are on the data at hand. It offers any of what criteria may offer:

    n_columns : how many columns there are
    score_features() : one score a column, higher is better
    p_values() : the chance of so high a score in a column that knows nothing of the class
    score_pairs() : columns by columns, what two are worth together beyond what each is alone; 0 on the diagonal
    score_triples() : the same for three, beyond their pairs
    score_subset(columns) : what a set is worth
    score_additions(selected, among) : what each column of `among` is worth beside those selected
    score_removals(selected, among) : what those selected gain by losing each column of `among`
    least_members(selected, count) : those of the selected that count least among them, the first to go first
    bound_additions(selected) : one number a column, no less than what it is worth beside those selected
    start_weights() : where to begin weighing the columns: one number a column, NaN for one without a value, and then
        whatever else is tuned with them
    score_weights(weights) : what columns with these weights are worth together, and its gradient
    """


class Criterion(Protocol):
    """How good features are. Holds parameters only; what is learned lives in the objective.

    It may also have takes_text = True, where text is states and is not refused, and check_columns(n_columns,
    n_statistics), which raises before any data are read where so many columns are too many. Where its statistic keeps
    rows, and those of a stream are too many (TooManyRows), outline() and statistic_after(known) may do with two reads.
    """

    @property
    def offers(self) -> frozenset[str]:
        """What of the objective a search may use."""
        ...

    def statistic(self) -> Evidence:
        """An empty statistic of the kind that bind() needs."""
        ...

    def bind(self, statistic: Any) -> Any:
        """The objective on the data that the statistic has seen."""
        ...


class Search(Protocol):
    """Which features to take."""

    @property
    def requires(self) -> frozenset[str]:
        """What of the objective this search uses."""
        ...

    def run(self, objective: Any, n_features: int | None) -> Selection:
        """The best features found: n_features of them, unless the search cuts by itself; None leaves that to it."""
        ...


def check_fit(criterion: Criterion, search: Search) -> None:
    """Raise, before any data are read, when the search needs what the criterion does not offer."""
    for part, claim, role, example in (
        (criterion, "offers", "criterion", "ScatterTrace()"),
        (search, "requires", "search", "IndividualRanking()"),
    ):
        if isinstance(part, type) or not hasattr(part, claim):
            raise InvalidParameter(f"{role} must be a {role} such as {example}, got {part!r} instead.")
    lacking = sorted(search.requires - criterion.offers)
    if lacking:
        offered = ", ".join(sorted(criterion.offers)) or "nothing"
        raise InvalidParameter(
            f"{type(search).__name__} needs {', '.join(lacking)}, which {type(criterion).__name__} does not offer "
            f"(it offers {offered}). Use another search, or a criterion that offers it."
        )
