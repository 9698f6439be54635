"""Scores of columns of many categories without information and with it, under corrections: docs/methods/mrmr.md."""

from __future__ import annotations

import numpy as np

from fewest.methods.information.beyond_chance import chance_information

N_ROWS, N_DRAWS = 1000, 200
CATEGORIES = (2, 10, 30, 100, 200, 500, 1000)


def table_of(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    table = np.zeros((x.max() + 1, y.max() + 1), dtype=np.int64)
    np.add.at(table, (x, y), 1)
    return table[table.any(axis=1)]


def pooled(x: np.ndarray, min_rows: int = 5) -> np.ndarray:
    counts = np.bincount(x)
    if np.count_nonzero(counts) <= 10:
        return x
    return np.unique(np.where(counts[x] < min_rows, -1, x), return_inverse=True)[1]


def plain(table: np.ndarray) -> float:
    n, expected = table.sum(), np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
    return float((table * np.log(np.where(table > 0, table, 1) / np.where(table > 0, expected, 1))).sum() / n)


def miller_madow(table: np.ndarray) -> float:
    free = np.count_nonzero(table) - len(table) - table.shape[1] + 1
    return plain(table) - free / (2 * table.sum())


def less_expected(table: np.ndarray) -> float:
    return plain(table) - float(chance_information(table.sum(axis=1), [table.sum(axis=0)]).mean[0])


def beyond_chance(x: np.ndarray, y: np.ndarray) -> float:
    table = table_of(pooled(x), y)
    value, chance = plain(table), chance_information(table.sum(axis=1), [table.sum(axis=0)])
    return value if x.max() < 10 else float(chance.beyond(np.array([value]))[0])


FORMS = {
    "plain": lambda x, y: plain(table_of(x, y)),
    "Miller-Madow": lambda x, y: miller_madow(table_of(x, y)),
    "less the expected": lambda x, y: less_expected(table_of(x, y)),
    '`correction="auto"`': beyond_chance,
}


def main() -> None:
    rng = np.random.default_rng(0)
    y = np.arange(N_ROWS) % 2
    # A flag that is right in 60 % of the rows: 20 thousandths of a nat.
    flags = [np.where(rng.random(N_ROWS) < 0.6, y, 1 - y) for _ in range(N_DRAWS)]
    of_flags = np.array([plain(table_of(flag, y)) for flag in flags])
    print(f"a weak flag has {1e3 * of_flags.mean():.1f}; in thousandths of a nat: mean (beats the flag)")
    print("| categories | " + " | ".join(FORMS) + " |")
    for k in CATEGORIES:
        columns = [rng.permutation(N_ROWS) if k == N_ROWS else rng.integers(0, k, N_ROWS) for _ in range(N_DRAWS)]
        cells = []
        for form in FORMS.values():
            found = np.array([form(x, y) for x in columns])
            cells.append(f"{1e3 * found.mean():.1f} ({100 * np.mean(found > of_flags):.0f} %)")
        print(f"| {k} | " + " | ".join(cells) + " |")
    print("drivers: a flag right in 90 % of the rows, split into as many towns")
    for k in (1, 5, 20, 50, 100):
        cells = []
        drawn = [(np.where(rng.random(N_ROWS) < 0.9, y, 1 - y), rng.integers(0, k, N_ROWS)) for _ in range(40)]
        for form in FORMS.values():
            cells.append(f"{1e3 * np.mean([form(2 * town + flag, y) for flag, town in drawn]):.0f}")
        print(f"| {2 * k} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
