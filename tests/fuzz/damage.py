"""Ways to damage a file: of bytes, of text, and of what is packed inside."""

from __future__ import annotations

import gzip
import io
import re
import struct
import zipfile
from collections.abc import Callable

import numpy as np

from .valid_files import rezip

#: What changes the bytes of a file.
Damage = Callable[[bytes, np.random.Generator], bytes]

_HUGE = (0x7F, 0xFF, 0x7FFF, 0x7FFFFFFF, 0xFFFFFFFF, 0x80000000, 1 << 40, 1 << 62, (1 << 63) - 1, (1 << 64) - 1, 0)
_ODD_NUMBERS = (
    "1e999", "-1e999", "nan", "inf", "-Infinity", "0x1F", "1_000", "١٢٣", "−5", "1e-400", "9" * 40, "1e308", "1,5",
    "1.2.3", "--1", "+-1", ".", "-", "e5", "1e", "١e٥", "½", "1e5000", "0" * 50, "NaN(1)", " ", "\ufeff1", "1\x00",
)  # fmt: skip
_HUGE_COUNTS = ("0", "-1", "2147483648", "4294967296", "2000000000", "1000000000000", "9" * 25, "18446744073709551615")


def _span(content: bytes, random: np.random.Generator, longest: int = 200) -> tuple[int, int]:
    start = int(random.integers(0, max(len(content), 1)))
    return start, min(len(content), start + int(random.integers(1, longest)))


def _place(content: bytes, random: np.random.Generator) -> int:
    """A position: anywhere, or near the beginning or the end, where headers and footers are."""
    length = max(len(content), 1)
    near = min(length, 300)
    where = int(random.integers(0, 3))
    if where == 0:
        return int(random.integers(0, length))
    return int(random.integers(0, near)) if where == 1 else length - 1 - int(random.integers(0, near))


def flip_bits(content: bytes, random: np.random.Generator) -> bytes:
    changed = bytearray(content)
    for _ in range(int(random.choice([1, 2, 5, 40]))):
        if changed:
            changed[_place(content, random)] ^= 1 << int(random.integers(0, 8))
    return bytes(changed)


def set_bytes(content: bytes, random: np.random.Generator) -> bytes:
    changed = bytearray(content)
    for _ in range(int(random.choice([1, 3, 20]))):
        if changed:
            changed[_place(content, random)] = int(random.integers(0, 256))
    return bytes(changed)


def truncate(content: bytes, random: np.random.Generator) -> bytes:
    return content[: int(random.integers(0, len(content) + 1))]


def lose_the_beginning(content: bytes, random: np.random.Generator) -> bytes:
    return content[int(random.integers(0, len(content) + 1)) :]


def remove(content: bytes, random: np.random.Generator) -> bytes:
    start, stop = _span(content, random)
    return content[:start] + content[stop:]


def repeat(content: bytes, random: np.random.Generator) -> bytes:
    start, stop = _span(content, random)
    return content[:stop] + content[start:stop] * int(random.choice([1, 1, 3, 50])) + content[stop:]


def zero(content: bytes, random: np.random.Generator) -> bytes:
    start, stop = _span(content, random)
    return content[:start] + bytes(stop - start) + content[stop:]


def fill(content: bytes, random: np.random.Generator) -> bytes:
    start, stop = _span(content, random, 40)
    return content[:start] + b"\xff" * (stop - start) + content[stop:]


def swap(content: bytes, random: np.random.Generator) -> bytes:
    (a, b), (c, d) = sorted([_span(content, random), _span(content, random)])
    b = min(b, c)
    return content[:a] + content[c:d] + content[b:c] + content[a:b] + content[d:]


def write_huge(content: bytes, random: np.random.Generator) -> bytes:
    """Write large whole numbers over what may be lengths, offsets and counts."""
    changed = bytearray(content)
    for _ in range(int(random.choice([1, 2, 4]))):
        number, order = int(random.choice(np.array(_HUGE, dtype=object))), str(random.choice(["<", "<", ">"]))
        form = str(random.choice(["B", "H", "I", "I", "Q", "Q"]))
        width = struct.calcsize(form)
        place = _place(content, random)
        if random.random() < 0.7:
            place -= place % width
        packed = struct.pack(order + form, number & ((1 << (8 * width)) - 1))
        changed[place : place + width] = packed[: max(len(changed) - place, 0)]
    return bytes(changed)


def change_counts(content: bytes, random: np.random.Generator) -> bytes:
    """Write another number over one that is written in digits, with the length kept where spaces follow."""
    found = list(re.finditer(rb"\d+", content))
    if not found:
        return flip_bits(content, random)
    for match in [found[int(random.integers(0, len(found)))]]:
        number = str(random.choice(_HUGE_COUNTS)).encode()
        rest = content[match.end() :]
        grown = len(number) - len(match[0])
        if grown > 0 and (spaces := re.search(rb" {%d}" % grown, rest)):
            rest = rest[: spaces.start()] + rest[spaces.end() :]
        content = content[: match.start()] + number + rest
    return content


def add(content: bytes, random: np.random.Generator) -> bytes:
    return content + random.bytes(int(random.choice([1, 8, 1000])))


def change_text(content: bytes, random: np.random.Generator) -> bytes:
    """Change fields and lines of a text."""
    text = content.decode("utf-8", "surrogateescape")
    for _ in range(int(random.choice([1, 1, 2, 4]))):
        text = _changed_text(text, random)
    return text.encode("utf-8", "surrogatepass") if random.random() < 0.05 else text.encode("utf-8", "surrogateescape")


def _changed_text(text: str, random: np.random.Generator) -> str:
    lines = text.splitlines(keepends=True) or [""]
    row = int(random.integers(0, len(lines)))
    place = int(random.integers(0, len(text) + 1))
    fields = list(re.finditer(r"[^,;\t| \r\n:]+", text))
    field = fields[int(random.integers(0, len(fields)))] if fields else None

    def put(new: str) -> str:
        return text[: field.start()] + new + text[field.end() :] if field else new

    def insert(new: str) -> str:
        return text[:place] + new + text[place:]

    def change_line(new: str) -> str:
        return "".join([*lines[:row], new, *lines[row + 1 :]])

    kinds: list[Callable[[], str]] = [
        lambda: insert("\x00" * int(random.integers(1, 5))),
        lambda: insert('"'),
        lambda: insert(str(random.choice(list(",;\t|\r\n'#:\\ \v\f\x1c\u2028\x85\ufeff")))),
        lambda: put(str(random.choice(_ODD_NUMBERS))),
        lambda: put(str(random.choice(_HUGE_COUNTS))),
        lambda: put(""),
        lambda: put("x" * int(random.choice([300, 140_000, 3_000_000]))),
        lambda: put("🦆é\u202e" + "\ud800" * int(random.random() < 0.3)),
        lambda: change_line(""),
        lambda: change_line(lines[row] * 2),
        lambda: change_line(lines[row].rstrip("\r\n")),
        lambda: change_line(lines[row].rstrip("\r\n") + ",1,2,3\n"),
        lambda: change_line(lines[row][: len(lines[row]) // 2] + "\n"),
        lambda: change_line("\n" * 3 + lines[row]),
        lambda: change_line(lines[0] + lines[row]),
        lambda: "".join(lines[1:]),
        lambda: "".join(lines[::-1]),
        lambda: text.replace("\n", "\r"),
        lambda: text.replace("\n", ""),
        lambda: "\ufeff" + text,
        lambda: text.replace("a", "b"),
        lambda: text * 40,
        lambda: lines[0],
        lambda: lines[0] * 300,
    ]
    return kinds[int(random.integers(0, len(kinds)))]()


BYTES: tuple[Damage, ...] = (
    flip_bits, flip_bits, set_bytes, truncate, lose_the_beginning, remove, repeat, zero, fill, swap, write_huge,
    write_huge, change_counts, add,
)  # fmt: skip
TEXT: tuple[Damage, ...] = (change_text, change_text, change_text, *BYTES)
_TEXT_ENDINGS = (".csv", ".tsv", ".txt", ".svm", ".libsvm", ".xml", ".rels")


def damages_of(ending: str) -> tuple[Damage, ...]:
    return TEXT if ending.endswith(_TEXT_ENDINGS) else BYTES


def damaged(content: bytes, ending: str, random: np.random.Generator) -> tuple[bytes, str]:
    """A damaged file, and how: as it lies, or inside of what is packed, whose checksums then hold."""
    choices = damages_of(ending)
    damage = choices[int(random.integers(0, len(choices)))]
    if ending.endswith(".gz") and random.random() < 0.6:
        inside = TEXT[int(random.integers(0, len(TEXT)))]
        return gzip.compress(inside(gzip.decompress(content), random), mtime=0), f"{inside.__name__} inside"
    if ending in (".npz", ".xlsx") and random.random() < 0.8:
        with zipfile.ZipFile(io.BytesIO(content)) as packed:
            names = packed.namelist()
            member = names[int(random.integers(0, len(names)))]
            choices = damages_of(member)
            inside = choices[int(random.integers(0, len(choices)))]
            changed = inside(packed.read(member), random)
        return rezip(content, {member: changed}), f"{inside.__name__} in {member}"
    return damage(content, random), damage.__name__
