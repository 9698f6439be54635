"""
The compiled kernels of fewest. Arguments are checked in Python; nothing here is public.
"""

from typing import Annotated, overload

import numpy
from numpy.typing import NDArray


class StopFlag:
    """A flag that stops kernels on the threads that watch it."""

    def __init__(self) -> None: ...

    def stop(self) -> None:
        """Stop them."""

    def is_set(self) -> bool:
        """Whether they are to stop."""

    def watch(self) -> None:
        """Let kernels on this thread stop with this flag; keep it until unwatch."""

    @staticmethod
    def unwatch() -> None:
        """Let kernels on this thread watch no flag."""

def release_freed_memory() -> None:
    """Give what was freed, but is kept for later, back to the system."""

def simd_level() -> str:
    """The SIMD level whose kernels are in use."""

def use_simd_level(name: str) -> bool:
    """Use the named level from now on; False when this processor lacks it."""

def nearest_neighbour_classes(columns: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], asked: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], ends: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], k: int, n_classes: int, predicted: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu')], n_threads: int) -> None:
    """
    The commonest class among the k nearest rows, by the first columns up to each end: ends by rows.
    """

def nested_svm_decisions(columns: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], asked: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], ends: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int, cost: float, decisions: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu')], n_threads: int) -> None:
    """
    Decision values of linear SVMs on the first columns up to each end: ends by rows by SVMs.
    """

def nested_tree_classes(columns: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], asked: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], ends: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int, state: int, predicted: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu')]) -> None:
    """
    The classes by decision trees on the first columns up to each end: ends by rows.
    """

@overload
def to_bytes(rows: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], classes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], base: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], is_whole: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu')], lowest: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')], highest_next: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')], missing: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], checksums: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')], codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu')], is_base_given: bool, n_threads: int) -> None: ...

@overload
def to_bytes(rows: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], classes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], base: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], is_whole: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu')], lowest: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')], highest_next: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')], missing: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], checksums: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')], codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu')], is_base_given: bool, n_threads: int) -> None: ...

@overload
def to_bytes(rows: Annotated[NDArray[numpy.int64], dict(shape=(None, None), device='cpu', writable=False)], classes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], base: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], is_whole: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu')], lowest: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')], highest_next: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')], missing: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], checksums: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')], codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu')], is_base_given: bool, n_threads: int) -> None: ...

@overload
def to_bytes(rows: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), device='cpu', writable=False)], classes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], base: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], is_whole: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu')], lowest: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')], highest_next: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')], missing: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], checksums: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')], codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu')], is_base_given: bool, n_threads: int) -> None: ...

@overload
def to_bytes(rows: Annotated[NDArray[numpy.int32], dict(shape=(None, None), device='cpu', writable=False)], classes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], base: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], is_whole: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu')], lowest: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')], highest_next: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')], missing: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], checksums: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')], codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu')], is_base_given: bool, n_threads: int) -> None: ...

@overload
def to_bytes(rows: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), device='cpu', writable=False)], classes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], base: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], is_whole: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu')], lowest: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')], highest_next: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')], missing: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], checksums: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')], codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu')], is_base_given: bool, n_threads: int) -> None: ...

@overload
def to_bytes(rows: Annotated[NDArray[numpy.int16], dict(shape=(None, None), device='cpu', writable=False)], classes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], base: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], is_whole: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu')], lowest: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')], highest_next: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')], missing: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], checksums: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')], codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu')], is_base_given: bool, n_threads: int) -> None: ...

@overload
def to_bytes(rows: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), device='cpu', writable=False)], classes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], base: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], is_whole: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu')], lowest: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')], highest_next: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')], missing: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], checksums: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')], codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu')], is_base_given: bool, n_threads: int) -> None: ...

@overload
def to_bytes(rows: Annotated[NDArray[numpy.int8], dict(shape=(None, None), device='cpu', writable=False)], classes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], base: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], is_whole: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu')], lowest: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')], highest_next: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')], missing: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], checksums: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')], codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu')], is_base_given: bool, n_threads: int) -> None: ...

@overload
def to_bytes(rows: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), device='cpu', writable=False)], classes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], base: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], is_whole: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu')], lowest: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')], highest_next: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')], missing: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], checksums: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')], codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu')], is_base_given: bool, n_threads: int) -> None:
    """
    Columns of close whole numbers as bytes, with what one read of them tells.
    """

def room_for_bytes(n_columns: int, n_rows: int) -> Annotated[NDArray[numpy.uint8], dict(shape=(None, None), device='cpu')]:
    """Room for bytes, columns by rows, not set to anything."""

def byte_counts(codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), device='cpu', writable=False)], columns: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu')], n_threads: int) -> None:
    """Add how often each byte stands in each of some columns."""

@overload
def few_distinct(rows: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], only_whole: bool, distinct: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], n_distinct: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], n_threads: int) -> None: ...

@overload
def few_distinct(rows: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], only_whole: bool, distinct: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], n_distinct: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], n_threads: int) -> None:
    """
    The distinct values of each column, ascending; one more than fit where there are more, -1 where one is no whole number.
    """

@overload
def encode_columns(rows: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], thresholds: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], n_thresholds: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), device='cpu')], n_threads: int) -> None: ...

@overload
def encode_columns(rows: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], thresholds: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], n_thresholds: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], codes: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), device='cpu')], n_threads: int) -> None: ...

@overload
def encode_columns(rows: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], thresholds: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], n_thresholds: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), device='cpu')], n_threads: int) -> None: ...

@overload
def encode_columns(rows: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], thresholds: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], n_thresholds: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], codes: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), device='cpu')], n_threads: int) -> None:
    """How many of its column's thresholds each value exceeds."""

class CategoryColumns:
    """Columns of categories, and what they know of each other."""

    def __init__(self, n_categories: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], is_complete: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], is_listed: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], n_rows: int) -> None: ...

    @overload
    def fill(self, columns: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), device='cpu', writable=False)], first_codes: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_threads: int) -> None: ...

    @overload
    def fill(self, columns: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], codes: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), device='cpu', writable=False)], first_codes: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_threads: int) -> None:
        """Fill in the next rows of some columns."""

    def place(self, part: CategoryColumns, first: int) -> None:
        """
        Copy the columns of a part over the same rows: its last as the last, the others from the first on.
        """

    def list(self, columns: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], rows: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], categories: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], usual: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        Fill in all rows of some columns by those that are not in the usual category.
        """

    def information(self, column: int, others: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], n_threads: int) -> None:
        """Mutual information with each of others, in nats."""

    def add_information(self, chosen: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], columns: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], counted: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], sums: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], n_threads: int) -> None:
        """
        Add to each sum the column's information with the chosen ones that it does not count yet.
        """

    def chi_square(self, column: int, others: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], n_threads: int) -> None:
        """Pearson's chi square with each of others."""

    def joint_counts(self, column: int, others: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], cells: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu')], n_threads: int) -> None:
        """
        How often the categories of each of others, one after the other, meet those of a column.
        """

    def __getstate__(self) -> tuple[bytes, bytes, int, bytes, bytes, bytes]: ...

    def __setstate__(self, arg: tuple[bytes, bytes, int, bytes, bytes, bytes], /) -> None: ...

    def joint_information(self, column: int, joint: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_joint: int, others: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], n_threads: int) -> None:
        """
        What joint categories know of a column together with each of others, in nats.
        """

    def refine(self, joint: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], n_joint: int, column: int) -> int:
        """Split joint categories by those of a column; how many there are now."""

def solve_quadratic_programs(kernel: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], ridge: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], signs: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], gains: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], totals: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], offsets: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], n_steps: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], n_threads: int, most_free: int | None = None, inverse: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None = None, inverse_gains: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None = None) -> None:
    """
    Minimises x'Hx/2 - gain'x over x >= 0 with sign'x = total, H = signs times kernel plus ridge, for each row of signs; x is where to begin, and the answer. With the inverse of the kernel plus the ridge, and that times signs times gains, steps with most rows free are fast. Without, programs with more than most_free rows free have -1 steps, those that were not solved 0.
    """

def advance_jointly(kernel: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], ridge: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], signs: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], gains: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], totals: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], largest: float, tolerance: float, z: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], reach: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], free: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], directions: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], numbers: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], states: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], products: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], rounded: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu')], n_threads: int) -> int:
    """
    One round of conjugate gradients in programs that begin (state 0) or go on (1): takes the products of the kernel with the last directions, writes the next ones, rounded, in the order of the programs that go on, and returns how many these are. 2 is solved, 3 wants reach = z kernel and to begin again, 4 has failed. numbers: offsets, slopes, and what rounding may have added to reach.
    """

def subset_kernel_sums(values: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], selected: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], among: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], sign: float, codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], tables: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu', writable=False)], eta: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], is_squared: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], sums: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], n_threads: int) -> None:
    """
    Write, for each set of columns, the weighted sums of Gaussian kernels over pairs of rows.
    """

def subset_kernel_ladder(values: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], selected: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], among: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], sign: float, codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], tables: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu', writable=False)], eta: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], sums: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu')], n_threads: int) -> None:
    """The same at widths that go down by the fourth root of two."""

def subset_kernel_moments(values: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], selected: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], among: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], tables: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu', writable=False)], eta: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], centre: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], moments: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None, None), order='C', device='cpu')], n_threads: int) -> None:
    """
    Write, for each set of columns, the moments 0 to 4 of squared distance - centre under the kernel, in float: [set][eta, 2 eta, 4 eta ...][positive factors, negative factors, squared kernel without factors][moment].
    """

class LinearSVMs:
    """
    Linear support vector machines with squared hinge, whose columns may be dropped.
    """

    def __init__(self, table: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], costs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], signs: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], gram: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], start: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> None: ...

    def drop(self, columns: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """Takes columns out, each once; solve() follows."""

    def solve(self, n_threads: int) -> bool:
        """Solves all SVMs; False where rounding errors prevent it."""

    def norms(self, norms: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None:
        """The norm over the SVMs of each column's weight."""

    def least(self, numbers: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], tie: float, columns: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]) -> None:
        """
        The columns left with the least norms, the least first, of ties the one with the highest number.
        """

    def coefficients(self, coefficients: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> None:
        """One an SVM and row: the weights are the sums of the rows with these."""

def solve_margin_svms(columns: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], signs: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], caps: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], ridges: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], subset: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], alpha: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], offsets: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> bool:
    """
    Solves SVMs on some columns; alpha and offsets are where to begin, and the answer. False where they were not solved.
    """

def first_better_exchange(columns: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], signs: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], caps: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], ridges: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], subset: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], places: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], others: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], bounds: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], limit: float, most_tries: int, alpha: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], offsets: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> int:
    """
    The first of the exchanges of a column of the subset, by its place, for another after which w is below the limit; their number where there is none. alpha and offsets become those after it.
    """

class HingeSimplex:
    """A linear SVM with hinge loss and an L1 penalty, by a simplex method."""

    def __init__(self, columns: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], rows: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], signs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def solve(self, costs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], penalties: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], losses: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> bool:
        """
        Solves it from the last solution, into weights and losses; False where rounding errors prevent it.
        """

    @property
    def n_steps(self) -> int:
        """The number of edges followed so far."""

class PackedCodes:
    """Codes of columns in as few bits as their number needs."""

    def __init__(self, n_codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_rows: int) -> None: ...

    @overload
    def fill(self, codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), device='cpu', writable=False)], rows: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_threads: int) -> None: ...

    @overload
    def fill(self, codes: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), device='cpu', writable=False)], rows: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_threads: int) -> None:
        """Fill in the next rows of all columns by some rows of their codes."""

    def fill_in(self, columns: CategoryColumns, first: int, categories: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order='C', device='cpu', writable=False)], n_threads: int) -> None:
        """
        Fill in the next rows of the columns from the first on by the category of each code.
        """

class PairTables:
    """How often the categories of two columns meet, from rows not kept."""

    def __init__(self, n_categories: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], is_all_pairs: bool) -> None: ...

    @property
    def n_rows(self) -> int:
        """How many rows were added."""

    def add(self, rows: CategoryColumns, n_threads: int) -> None:
        """Add rows."""

    def merge(self, other: PairTables) -> None:
        """Add what others have counted."""

    def cells(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None, None), device='cpu')]:
        """
        A line for each category of all columns but the last, as an array of its own.
        """

    def add_cells(self, cells: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], n_rows: int) -> None:
        """Add the cells of other rows."""

    def place(self, part: PairTables, first: int) -> None:
        """
        Copy the tables of a part over the same rows: those of its columns with the last, from the first on.
        """

    def information(self, column: int, others: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], n_threads: int) -> None:
        """Mutual information with each of others, in nats."""

    def add_information(self, chosen: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], columns: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], counted: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], sums: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], n_threads: int) -> None:
        """
        Add to each sum the column's information with the chosen ones that it does not count yet.
        """

    def chi_square(self, column: int, others: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], n_threads: int) -> None:
        """Pearson's chi square with each of others."""

class ParzenColumns:
    """
    Columns in units of the kernel's width, and what they know of the class and of each other.
    """

    def __init__(self, values: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, class_ends: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], is_flat: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def relevance(self, on_grid: bool, relevance: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], log_sums: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], n_threads: int) -> None:
        """
        What each column knows of the class, in nats, and the sum of the logarithms of its kernel sums.
        """

    def triangles(self, which: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], n_threads: int) -> None:
        """The kernels of these columns, below the diagonal."""

    def add_information(self, log_sums: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], on_grid: bool, kept: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], kept_at: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], chosen: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], columns: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], counted: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], sums: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], n_threads: int) -> None:
        """
        Add to each sum the column's information with the chosen ones that it does not count yet.
        """

    def joint_information(self, joint: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], others: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], n_threads: int) -> None:
        """
        What columns with this product of kernels know of the class together with each of others; -1 is none.
        """

    def multiply(self, column: int, joint: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], n_threads: int) -> None:
        """Multiply a product of kernels by that of a column."""

def kernel_sums(values: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, origin: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], width: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], own: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], all: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], n_threads: int) -> None:
    """
    Write, for each column and class, the sum of Gaussian kernels within the class and with all rows.
    """

def kernel_grid_points(extent: float, width: float) -> int:
    """How many points the grid of a column has."""

def add_to_kernel_grids(values: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, origin: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], width: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], points: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], n_classes: int, n_threads: int) -> bool:
    """
    Spread rows over grids that are kept; False where a value lies outside.
    """

def kernel_sums_of_grids(starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], points: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], own: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], all: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], n_threads: int) -> None:
    """The same sums, of the rows that were spread over grids."""

@overload
def sparse_kernel_sums(values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], rows: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], class_weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], class_counts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, origin: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], width: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], own: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], all: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], n_threads: int) -> None: ...

@overload
def sparse_kernel_sums(values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], rows: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], class_weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], class_counts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, origin: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], width: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], own: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], all: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], n_threads: int) -> None:
    """The same for the columns of a sparse matrix, held column by column."""

class NeighbourOrders:
    """The other rows in the order of their distance."""

    def __init__(self, values: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], is_squared: bool, n_threads: int) -> None: ...

    def margins(self, values: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], codes: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], n_neighbours: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], class_shares: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, hit_factors: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], miss_factors: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], sums: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], n_threads: int) -> None:
        """
        What neighbour_margins sums up, under each of several labellings of the rows.
        """

def threshold_margins(values: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], class_ends: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], is_categorical: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, category_difference: float, queries: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], is_squared: bool, is_by_row: bool, has_far: bool, sums: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], counts: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu')], n_threads: int) -> None:
    """
    Sums over rows of how much farther the misses within a distance are than the hits within it, by column; and of the reverse beyond a distance.
    """

def neighbour_margins(values: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], class_ends: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], is_categorical: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, category_difference: float, queries: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_neighbours: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], is_squared: bool, class_shares: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, hit_factors: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], miss_factors: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], sums: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], counts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], n_threads: int) -> None:
    """
    Sums over rows of how much farther their nearest misses are than their nearest hits, by column.
    """

def weighted_margins(values: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], class_ends: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], is_categorical: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, category_difference: float, queries: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], width: float, is_squared: bool, is_rough: bool, sums: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], counts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], n_threads: int) -> bool:
    """
    Sums over rows of the difference to all misses less that to all hits, near ones counting more; whether they are rough, in float32.
    """

@overload
def shifted_rows(rows: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], chosen: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], pivot: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], factor: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], n_threads: int) -> bool: ...

@overload
def shifted_rows(rows: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], chosen: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], pivot: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], factor: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], n_threads: int) -> bool:
    """
    Write (row - pivot) * factor for the chosen rows; whether any value is NaN.
    """

def pair_path(unary: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], pairs: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> tuple[list[int], list[int], list[int], float]:
    """
    The path of best subsets: columns, sizes of blocks, their totals, and the scale of the totals.
    """

def triple_path(unary: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], pairs: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], triples: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu', writable=False)]) -> tuple[list[int], list[int], list[int], float]:
    """The same with products of three."""

def pair_cut(unary: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], pairs: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> tuple[list[int], float]:
    """
    The smallest subset of the largest total, and the scale that numbers were rounded with.
    """

@overload
def add_dense_rows(rows: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, tables: Annotated[NDArray[numpy.float64], dict(shape=(4, None, None), order='C', device='cpu')], keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], checksums: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')], extent: Annotated[NDArray[numpy.float64], dict(shape=(2, None), order='C', device='cpu')], missing: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], n_threads: int) -> bool: ...

@overload
def add_dense_rows(rows: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, tables: Annotated[NDArray[numpy.float64], dict(shape=(4, None, None), order='C', device='cpu')], keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], checksums: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')], extent: Annotated[NDArray[numpy.float64], dict(shape=(2, None), order='C', device='cpu')], missing: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], n_threads: int) -> bool:
    """
    Add rows to class moments; False when a value is infinite or too large to square.
    """

@overload
def add_sparse_rows(data: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], is_by_column: bool, codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, tables: Annotated[NDArray[numpy.float64], dict(shape=(4, None, None), order='C', device='cpu')], keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], checksums: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')], extent: Annotated[NDArray[numpy.float64], dict(shape=(2, None), order='C', device='cpu')], missing: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], n_threads: int) -> bool: ...

@overload
def add_sparse_rows(data: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], is_by_column: bool, codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, tables: Annotated[NDArray[numpy.float64], dict(shape=(4, None, None), order='C', device='cpu')], keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], checksums: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')], extent: Annotated[NDArray[numpy.float64], dict(shape=(2, None), order='C', device='cpu')], missing: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], n_threads: int) -> bool: ...

@overload
def add_sparse_rows(data: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], is_by_column: bool, codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, tables: Annotated[NDArray[numpy.float64], dict(shape=(4, None, None), order='C', device='cpu')], keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], checksums: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')], extent: Annotated[NDArray[numpy.float64], dict(shape=(2, None), order='C', device='cpu')], missing: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], n_threads: int) -> bool: ...

@overload
def add_sparse_rows(data: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], is_by_column: bool, codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, tables: Annotated[NDArray[numpy.float64], dict(shape=(4, None, None), order='C', device='cpu')], keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], checksums: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')], extent: Annotated[NDArray[numpy.float64], dict(shape=(2, None), order='C', device='cpu')], missing: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], n_threads: int) -> bool:
    """
    Add sparse rows to class moments; False when a value is infinite or too large to square.
    """

def merge_moments(tables: Annotated[NDArray[numpy.float64], dict(shape=(4, None, None), order='C', device='cpu')], keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], checksums: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')], extent: Annotated[NDArray[numpy.float64], dict(shape=(2, None), order='C', device='cpu')], missing: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], other_tables: Annotated[NDArray[numpy.float64], dict(shape=(4, None, None), order='C', device='cpu')], other_keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], other_checksums: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')], other_extent: Annotated[NDArray[numpy.float64], dict(shape=(2, None), order='C', device='cpu')], other_missing: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], target: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
    """Add other moments: class c of the other is class target[c] here."""

def scatter(tables: Annotated[NDArray[numpy.float64], dict(shape=(4, None, None), order='C', device='cpu')], keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], checksums: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')], extent: Annotated[NDArray[numpy.float64], dict(shape=(2, None), order='C', device='cpu')], missing: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], class_order: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], between: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], within: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], total_weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], n_threads: int) -> None:
    """
    Scatter between and within the classes over the total weight, per column.
    """

def distinct_rows(rows: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), device='cpu', writable=False)], codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')]) -> list[int]:
    """Give equal rows of bytes equal codes; return where each first appears."""

@overload
def add_row_hashes(rows: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], is_counted: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], sums: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')], n_threads: int) -> None: ...

@overload
def add_row_hashes(rows: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], is_counted: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], sums: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')], n_threads: int) -> None:
    """
    Add to each row's sum the hashes of its values that are not zero, each with its column's key.
    """

@overload
def add_row_contents(rows: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], is_counted: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], sums: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')], n_threads: int) -> None: ...

@overload
def add_row_contents(rows: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], is_counted: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], sums: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')], n_threads: int) -> None:
    """
    Add to each row's sum the bits of its values, mixed, times their column's key.
    """

def add_content_hashes(rows: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], hashes: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], times: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], is_counted: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], totals: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')], n_threads: int) -> None:
    """
    Add to each row's total the hashes of its values, each with that of its column.
    """

class SortedColumns:
    """Columns in the order of their values."""

    @property
    def n_rows(self) -> int: ...

    @property
    def n_columns(self) -> int: ...

@overload
def sort_columns(rows: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], n_threads: int) -> SortedColumns: ...

@overload
def sort_columns(rows: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], n_threads: int) -> SortedColumns:
    """The rows of each column in the order of their values."""

@overload
def sort_sparse_columns(values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], rows: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_rows: int, n_threads: int) -> SortedColumns: ...

@overload
def sort_sparse_columns(values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], rows: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_rows: int, n_threads: int) -> SortedColumns:
    """The same of a sparse matrix, held column by column."""

def distribution_distances(columns: SortedColumns, codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int, distances: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], n_threads: int) -> None:
    """How far apart the distributions of the classes lie, by column."""

def kolmogorov_tails(first: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], second: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], farthest: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], tails: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], n_threads: int) -> None:
    """
    How likely two samples of one distribution, of these sizes, are this far apart or farther, times the product of their sizes.
    """

def stumps_right(columns: SortedColumns, codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int, among: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], right: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], n_threads: int) -> None:
    """How much the best stump of each of these columns gets right, by count."""

class BinnedColumns:
    """Columns cut into few bins of values."""

    @property
    def n_rows(self) -> int: ...

    @property
    def n_columns(self) -> int: ...

def bin_columns(columns: SortedColumns, codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int, n_threads: int) -> BinnedColumns:
    """Columns cut into few bins of values, for rows of these classes."""

def stump_bounds(columns: BinnedColumns, counts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], bounds: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], n_threads: int) -> None:
    """How much the best stump of each column gets right at most, by count."""

def triple_information(categories: CategoryColumns, target: int, selected: int, others: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], n_threads: int) -> None:
    """
    Of each of others x, a selected s and a target c: I(x; c | s), I(x; s), H(x, s, c), and, only where values are missing, I(x; c) and I(s; c) over the rows where both are observed.
    """

def triple_counts(categories: CategoryColumns, target: int, selected: int, others: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], cells: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu')], n_threads: int) -> None:
    """
    How often the categories of each of others meet those of a selected column and of a target.
    """

def triple_information_of_cells(cells: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], n_categories: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_selected: int, n_target: int, n_rows: int, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> None:
    """What triple_information gives, all five numbers, from triple_counts."""

def n_categories_of(categories: CategoryColumns, column: int) -> int:
    """The number of categories of a column."""

def category_entropies(categories: CategoryColumns, out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """The entropy of each column, in nats."""

def subset_svms(values: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], costs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], folds: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], centre: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], unit: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], factor: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], subsets: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], is_wrong: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu')], is_solved: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu')], n_threads: int) -> None:
    """
    Which rows the linear SVMs of the other folds misclassify, by subset of columns.
    """
