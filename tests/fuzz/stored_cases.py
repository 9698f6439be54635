"""Damaged results: JSON of selections and comparisons, and folders from which a comparison is resumed.

What was damaged by accident is known by its checksum, and is refused or done again. What was changed on purpose, its
checksum removed or made anew, must still be an answer that can be shown, or be refused in words.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path

import numpy as np

from fewest import MRMR, Comparison, FewestError, FisherMarkov, Selection, compare
from fewest.atomic_files import checksum_of

from .cases import Case

SETTINGS = {"classifiers": ["nb"], "sizes": [1, 2, 3], "outer": 2, "inner": 2}
METHODS = ["mrmr", "fisher-score"]
#: What replaces a value.
ODD = (
    None, True, False, 0, -1, 1, 2.5, 10**18, 10**400, -1e308, "", "nan", "Infinity", "text", "\u202e", [], {}, [[]],
    [None], {"a": 1}, float("nan"), float("inf"), "9" * 5000,
)  # fmt: skip

Content = dict[str, object]


def case(seed: int, number: int) -> Case:
    """Return a damaged selection, comparison or folder: the same one for the same numbers."""
    random = np.random.default_rng([seed, number, 17])
    kind = ("selection", "comparison", "folder")[random.integers(3)]
    if kind == "folder":
        which = list(FOLDER_DAMAGE)[random.integers(len(FOLDER_DAMAGE))]
        return Case(f"folder: {which}", lambda place: resumed(place / "work", FOLDER_DAMAGE[which], random))
    which = list(TEXT_DAMAGE)[random.integers(len(TEXT_DAMAGE))]
    read = read_selection if kind == "selection" else read_comparison
    number = int(random.integers(2))
    return Case(f"{kind} {number}: {which}", lambda _: read(number, TEXT_DAMAGE[which], random))


# What is damaged.


@cache
def table() -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(0)
    y = np.repeat([0, 1], 24)
    return random.normal(size=(48, 4)) + 1.5 * y[:, None] * [1, 0, 1, 0], y


@cache
def selection(number: int) -> Selection:
    """Of a nested path; and one that is optimal, with thresholds."""
    selector = MRMR(n_features=3) if number == 0 else FisherMarkov(n_features=2)
    return selector.fit(*table()).selection_


@cache
def comparison(number: int) -> Comparison:
    """Of one table, and of two."""
    X, y = table()
    tables = {"one": (X, y)} if number == 0 else {"one": (X, y), "two": (X[::2], y[::2])}
    return compare(METHODS, tables, **SETTINGS)


@cache
def stored() -> dict[str, bytes]:
    """The files of a folder that stores all trials."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        compare(METHODS, *table(), **SETTINGS, resume=folder)
        return {path.name: path.read_bytes() for path in sorted(Path(folder).iterdir())}


def without_times(text: str) -> Content:
    """The content of a comparison without what no other run repeats."""
    content = json.loads(text)
    content.pop("checksum", None)
    content["seconds"] = None
    for one in content["tables"]:
        for record in [*one["baselines"], *(trial for method in one["methods"] for trial in method["trials"])]:
            record["seconds"] = None
        for method in one["methods"]:
            method["whole"]["seconds"] = None
    return content


# What is done with it.

Damage = Callable[[str, np.random.Generator], str]


def read_selection(number: int, damage: Damage, random: np.random.Generator) -> Iterable[float | None]:
    known = selection(number)
    found = Selection.from_json(damage(known.to_json(), random))
    if damage not in MEANT and found != known:
        raise AssertionError("a selection was damaged, and nobody noticed")
    # What was accepted can be shown and written.
    _ = (str(found), repr(found), found._repr_html_(), found.certificate.words, found.to_frame(), len(found))
    if Selection.from_json(found.to_json()).to_json() != found.to_json():
        raise AssertionError("a selection was read that is another one when it is written")
    return found.scores if found == known else ()


def read_comparison(number: int, damage: Damage, random: np.random.Generator) -> Iterable[float | None]:
    known = comparison(number)
    text = known.to_json()
    found = Comparison.from_json(damage(text, random))
    if damage not in MEANT and found.to_json() != text:
        raise AssertionError("a comparison was damaged, and nobody noticed")
    _ = (str(found), repr(found), found._repr_html_(), found.to_html(), found.curves, found.tests, found.stability)
    errors = [row["error"] for row in found.table]
    try:
        for one in found.tables:
            found.of(one.name).selector()
    except FewestError:
        pass
    return errors


def resumed(folder: Path, damage: Callable[..., None], random: np.random.Generator) -> Iterable[float | None]:
    """Resume from a damaged folder: the answer is that of a run from the beginning."""
    folder.mkdir()
    for name, content in stored().items():
        (folder / name).write_bytes(content)
    damage(folder, random)
    found = compare(METHODS, *table(), **SETTINGS, resume=folder)
    if without_times(found.to_json()) != without_times(comparison_of_one().to_json()):
        raise AssertionError("another answer from a damaged folder")
    return [row["error"] for row in found.table]


@cache
def comparison_of_one() -> Comparison:
    return compare(METHODS, *table(), **SETTINGS)


# Damage to a text. Bytes that are no UTF-8 come as a reader with errors="replace" gives them.


def flipped(text: str, random: np.random.Generator) -> str:
    content = bytearray(text.encode())
    for place in random.integers(len(content), size=random.integers(1, 4)):
        content[place] ^= 1 << random.integers(8)
    return bytes(content).decode(errors="replace")


def digit_changed(text: str, random: np.random.Generator) -> str:
    digits = [place for place, one in enumerate(text) if one in "12345678"]
    place = digits[random.integers(len(digits))]
    return text[:place] + str(int(text[place]) + 1) + text[place + 1 :]


def cut(text: str, random: np.random.Generator) -> str:
    return text[: random.integers(len(text))]


def part_removed(text: str, random: np.random.Generator) -> str:
    first, last = sorted(random.integers(len(text), size=2))
    return text[:first] + text[last:]


def part_twice(text: str, random: np.random.Generator) -> str:
    first = random.integers(len(text))
    last = first + random.integers(200)
    return text[:last] + text[first:]


def something_else(text: str, random: np.random.Generator) -> str:
    others = ("", " ", "null", "[]", "{}", "0", "NaN", '"text"', "[" * 100_000, '{"a":' * 50_000, "\ufeff" + text, "\0")
    return others[random.integers(len(others))]


def other_format(text: str, random: np.random.Generator) -> str:
    content = json.loads(text)
    content["format"] = ODD[random.integers(len(ODD))]
    return written(content)


def of_the_other_kind(text: str, random: np.random.Generator) -> str:
    return selection(0).to_json() if "tables" in json.loads(text) else comparison(0).to_json()


def spaces_changed(text: str, random: np.random.Generator) -> str:
    return json.dumps(json.loads(text), indent=int(random.integers(5)), sort_keys=bool(random.integers(2)))


def replaced(text: str, random: np.random.Generator) -> str:
    """The checksum is as it was."""
    return written(changed(json.loads(text), random))


def replaced_without_checksum(text: str, random: np.random.Generator) -> str:
    content = json.loads(text)
    del content["checksum"]
    for _ in range(random.integers(1, 4)):
        content = changed(content, random)
    return written(content)


def replaced_with_a_new_checksum(text: str, random: np.random.Generator) -> str:
    """As somebody would who means harm; of a selection alone, which is tested nevertheless."""
    content = json.loads(text)
    del content["checksum"]
    content = changed(content, random)
    if isinstance(content, dict) and "tables" not in content:
        content["checksum"] = checksum_of(content)
    return written(content)


def written(content: object) -> str:
    return json.dumps(content, ensure_ascii=False)


def changed(content: object, random: np.random.Generator) -> object:
    """The content with one value, at any depth, replaced, removed, doubled or exchanged with its neighbour."""
    if isinstance(content, dict) and content and random.random() < 0.93:
        key = list(content)[random.integers(len(content))]
        if random.random() < 0.08:
            return {name: value for name, value in content.items() if name != key}
        return {**content, key: changed(content[key], random)}
    if isinstance(content, list) and content and random.random() < 0.93:
        place = int(random.integers(len(content)))
        chance = random.random()
        if chance < 0.08:
            return content[:place] + content[place + 1 :]
        if chance < 0.14:
            return [*content, content[place]]
        if chance < 0.2:
            return content[::-1]
        return [*content[:place], changed(content[place], random), *content[place + 1 :]]
    return ODD[random.integers(len(ODD))]


TEXT_DAMAGE: dict[str, Damage] = {
    one.__name__: one
    for one in (
        flipped, digit_changed, cut, part_removed, part_twice, something_else, other_format, of_the_other_kind,
        spaces_changed, replaced, replaced_without_checksum, replaced_with_a_new_checksum,
    )
}  # fmt: skip
#: Changes that somebody made on purpose: that the answer is another one cannot be known.
MEANT = (replaced_without_checksum, replaced_with_a_new_checksum)


# Damage to a folder.


def some_file(folder: Path, random: np.random.Generator) -> Path:
    files = sorted(folder.iterdir())
    return files[random.integers(len(files))]


def damaged_text(damage: Damage) -> Callable[[Path, np.random.Generator], None]:
    def apply(folder: Path, random: np.random.Generator) -> None:
        for _ in range(random.integers(1, 4)):
            path = some_file(folder, random)
            text = path.read_bytes().decode(errors="replace")
            if text:
                path.write_bytes(damage(text, random).encode(errors="replace"))

    return apply


def bytes_of_no_text(folder: Path, random: np.random.Generator) -> None:
    some_file(folder, random).write_bytes(random.bytes(random.integers(300)))


def exchanged(folder: Path, random: np.random.Generator) -> None:
    one, other = some_file(folder, random), some_file(folder, random)
    contents = one.read_bytes(), other.read_bytes()
    other.write_bytes(contents[0])
    one.write_bytes(contents[1])


def renamed(folder: Path, random: np.random.Generator) -> None:
    one, other = some_file(folder, random), some_file(folder, random)
    one.replace(other)


def removed(folder: Path, random: np.random.Generator) -> None:
    some_file(folder, random).unlink()


def a_folder_in_its_place(folder: Path, random: np.random.Generator) -> None:
    path = some_file(folder, random)
    path.unlink()
    path.mkdir()


def a_link_to_itself(folder: Path, random: np.random.Generator) -> None:
    path = some_file(folder, random)
    path.unlink()
    path.symlink_to(path.name)


def other_files_too(folder: Path, random: np.random.Generator) -> None:
    for name in (".half-written.json", "notes.txt", "x" * 200):
        (folder / name).write_bytes(random.bytes(50))


def record_changed(folder: Path, random: np.random.Generator) -> None:
    path = some_file(folder, random)
    content = json.loads(path.read_text("utf-8"))
    content["record"] = changed(content["record"], random)
    path.write_text(written(content), "utf-8", errors="replace")


def of_an_older_version(folder: Path, random: np.random.Generator) -> None:
    """As fewest once stored them: the record alone."""
    path = some_file(folder, random)
    path.write_text(json.dumps(json.loads(path.read_text("utf-8"))["record"]), "utf-8")


def without_parts(folder: Path, random: np.random.Generator) -> None:
    path = some_file(folder, random)
    content = json.loads(path.read_text("utf-8"))
    del content[("key", "checksum", "record")[random.integers(3)]]
    path.write_text(json.dumps(content), "utf-8")


FOLDER_DAMAGE: dict[str, Callable[[Path, np.random.Generator], None]] = {
    one.__name__: one
    for one in (
        bytes_of_no_text, exchanged, renamed, removed, a_folder_in_its_place, a_link_to_itself, other_files_too,
        record_changed, of_an_older_version, without_parts,
    )
}  # fmt: skip
FOLDER_DAMAGE |= {
    f"files {one.__name__}": damaged_text(one) for one in (flipped, digit_changed, cut, part_removed, something_else)
}
