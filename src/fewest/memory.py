"""Memory budgets, the defaults of parameters, and the message where a method would take more."""

from __future__ import annotations

import math
import os

from fewest.errors import InvalidInput, TooManyRows

MIB = 1 << 20
GIB = 1 << 30

#: Columns of a table: all that is known of each takes some hundred bytes.
MOST_COLUMNS = 10_000_000
#: Rows that are converted, hashed or copied at a time.
CHUNK = 32 * MIB
#: Rows that a statistic stores.
STORED_ROWS = 4 * GIB
#: The same of a stream, where a second pass can take the place of storing them.
STORED_ROWS_OF_STREAM = 128 * MIB
#: Rows of a sample that is advised, where they fit.
_ROWS_OF_SAMPLE = 10_000
#: Tables with a number for every two columns.
COLUMN_PAIRS = 4 * GIB
#: The matrices of all SVMs that are solved together.
SVM_MATRICES = 4 * GIB
#: Grids of kernel sums.
KERNEL_GRIDS = 1 * GIB
#: Kernels between rows that density estimates keep for the columns in use.
DENSITIES = 512 * MIB
#: Categories of a second pass: as bits without further thought, as bits or counts of pairs at most.
CATEGORIES = 256 * MIB
MOST_CATEGORIES = 2 * GIB


def check_memory(
    n_bytes: float, max_bytes: float, what: str, advice: str, error: type[InvalidInput] = InvalidInput
) -> None:
    """Raise where more memory is needed than allowed.

    what : what takes the memory, with its verb, such as "1,000 rows of 20 columns take"
    advice : what to do instead, one or more sentences
    """
    if n_bytes > max_bytes:
        raise error(f"{what} {size_text(n_bytes)}; {size_text(max_bytes)} are allowed. {advice}")


def check_stored_rows(n_rows: int, n_columns: int, n_bytes: float, max_bytes: float) -> None:
    """Raise where rows that a method keeps take more memory than allowed."""
    fitting = max(4.0, min(_ROWS_OF_SAMPLE, max_bytes / (16 * max(n_columns, 1))))
    size = int(fitting // (unit := 10 ** math.floor(math.log10(fitting))) * unit)
    advice = (
        f"Select on a sample of the rows by sample={size} (--sample {size}); choose columns first, such as by "
        "FisherMarkov(n_features=1000); or use a method that keeps no rows, such as fisher-markov or mrmr."
    )
    what = f"This method keeps the rows, and {n_rows:,} of {n_columns:,} columns take"
    check_memory(n_bytes, max_bytes, what, advice, TooManyRows)


def installed_memory() -> float:
    """The memory of this computer in bytes; infinite where it does not say."""
    try:
        return float(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    except (AttributeError, OSError, ValueError):
        return float("inf")


def size_text(n_bytes: float) -> str:
    """A number of bytes in GiB, or in MiB below one GiB."""
    return f"{n_bytes / GIB:.3g} GiB" if n_bytes >= GIB else f"{n_bytes / MIB:.3g} MiB"
