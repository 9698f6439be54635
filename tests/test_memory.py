"""Memory budgets have one form of message."""

from __future__ import annotations

import pytest

from fewest.errors import InvalidInput, TooManyRows
from fewest.memory import GIB, MIB, check_memory, check_stored_rows, size_text


def test_what_fits_passes():
    check_memory(4 * GIB, 4 * GIB, "The rows take", "Give fewer.")


def test_what_does_not_fit_is_refused_with_both_sizes_and_advice():
    with pytest.raises(InvalidInput, match=r"^The rows take 6 GiB; 4 GiB are allowed\. Give fewer\.$"):
        check_memory(6 * GIB, 4 * GIB, "The rows take", "Give fewer.")


def test_the_kind_of_error_may_be_chosen():
    with pytest.raises(TooManyRows, match=r"1 MiB; 0\.5 MiB are allowed"):
        check_memory(MIB, MIB / 2, "The rows take", "Give fewer.", TooManyRows)


@pytest.mark.parametrize(
    ("n_bytes", "text"), [(14.9 * GIB, "14.9 GiB"), (GIB, "1 GiB"), (512 * MIB, "512 MiB"), (1e15, "9.31e+05 GiB")]
)
def test_sizes_are_in_gibibytes_or_mebibytes(n_bytes, text):
    assert size_text(n_bytes) == text


@pytest.mark.parametrize(
    ("n_columns", "max_bytes", "sample"), [(1000, 4 * GIB, 10_000), (1_000_000, 4 * GIB, 200), (10**9, 4 * GIB, 4)]
)
def test_too_many_rows_are_refused_with_a_sample_that_fits(n_columns, max_bytes, sample):
    check_stored_rows(10**6, n_columns, max_bytes, max_bytes)
    with pytest.raises(TooManyRows, match=rf"sample={sample} \(--sample {sample}\)") as refused:
        check_stored_rows(10**6, n_columns, 1.5 * max_bytes, max_bytes)
    what = f"This method keeps the rows, and 1,000,000 of {n_columns:,} columns take 6 GiB; 4 GiB are allowed."
    assert str(refused.value).startswith(what)
    assert "fisher-markov or mrmr" in str(refused.value)
