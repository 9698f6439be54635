from __future__ import annotations

import numpy as np
import pytest

from fewest.methods.guarantees.complementary_pairs import draw_pairs


@pytest.mark.parametrize("counts", [(6, 4), (5, 4), (7, 3, 2), (1, 9, 9), (1, 1, 8), (2, 2)])
def test_halves_are_disjoint_of_one_size_and_every_class_is_cut_in_half(counts):
    codes = np.repeat(np.arange(len(counts)), counts).astype(np.int32)
    for first, second in draw_pairs(codes, None, 20, 0):
        assert not set(first) & set(second)
        assert len(first) == len(second) == len(codes) // 2
        for half in (first, second):
            own = np.bincount(codes[half], minlength=len(counts))
            assert all(abs(2 * n - total) <= 1 for n, total in zip(own, counts, strict=True))


def test_every_row_is_in_the_first_half_as_often_as_in_the_second():
    codes = np.repeat([0, 1], [7, 12]).astype(np.int32)
    firsts, seconds = np.zeros(19), np.zeros(19)
    for first, second in draw_pairs(codes, None, 2000, 1):
        firsts[first] += 1
        seconds[second] += 1
    assert np.abs(firsts - seconds).max() < 4 * np.sqrt(2000)
    # One of the seven is left out: each is in three of seven halves.
    assert np.abs(firsts[:7] - 2000 * 3 / 7).max() < 90


def test_codes_and_names_of_groups_do_not_matter_and_the_seed_does():
    codes, groups = np.array([0, 0, 0, 1, 1, 1, 1], dtype=np.int32), np.array([0, 0, 1, 1, 2, 2, 3], dtype=np.int32)

    def drawn(codes, groups, seed=3):
        return [pair[0].tolist() for pair in draw_pairs(codes, groups, 10, seed)]

    assert drawn(1 - codes, None) == drawn(codes, None) != drawn(codes, None, 4)
    assert drawn(1 - codes, 9 - groups) == drawn(codes, groups)


def test_a_group_is_in_one_half_and_halves_differ_from_pair_to_pair():
    random = np.random.default_rng(0)
    groups = random.integers(0, 30, 200).astype(np.int32)
    codes = random.integers(0, 3, 200).astype(np.int32)
    seen = set()
    for first, second in draw_pairs(codes, groups, 10, 0):
        assert len(first) + len(second) == 200
        assert not set(groups[first]) & set(groups[second])
        assert abs(len(first) - len(second)) < 40
        assert min(np.bincount(codes[half], minlength=3).min() for half in (first, second)) > 15
        seen.add(tuple(first))
    assert len(seen) == 10
