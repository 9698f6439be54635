"""The classes: too many, too few, too small, or no classes at all."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

from fewest.checks.profile import Profile
from fewest.data.labels import label_texts, sort_classes
from fewest.display.formatting import counted, first_names, percent
from fewest.errors import UnlabelledRows
from fewest.summary import Finding

#: More classes than this may be a quantity, if there are fewer rows of each than that.
_MANY_CLASSES, _FEW_ROWS_EACH = 20, 5
#: Classes are out of balance where the smallest has less than this share of the largest.
_UNBALANCED = 0.25
_MOST_NAMED = 5
_OR_TRANSPOSE = " If samples are columns and features are rows, read the table with --transpose (transpose=True)."


def target_findings(profile: Profile, target: str | None) -> list[Finding]:
    """What is odd about the classes."""
    counts = profile.class_counts
    n_rows, n_classes = profile.n_rows, len(counts)
    what = "The target" if target is None else f"The target {target!r}"
    if n_rows == 0:
        return []
    if n_classes == n_rows and n_rows > 2:
        if n_classes > _MANY_CLASSES and _are_numbers(counts):
            return [continuous_target(f"{what} is another number in each of the {n_rows:,} rows", _OR_TRANSPOSE)]
        return [_every_row_its_own_class(what, n_rows)]
    if n_classes > _MANY_CLASSES and n_rows < _FEW_ROWS_EACH * n_classes and _are_numbers(counts):
        return [continuous_target(f"{what} has {n_classes:,} different numbers in {n_rows:,} rows")]
    if n_classes == n_rows or (n_classes > n_rows / 2 and n_classes > 2):
        return [_every_row_its_own_class(what, n_rows, n_classes)] if n_rows > 2 else []
    if not profile.is_complete:
        # The first rows may be of a few classes only.
        return []
    if n_classes == 1:
        only = label_texts(list(counts))[0]
        return [
            Finding(
                "one-class", "error", (), f"{what} is {only!r} in every row.",
                "Give rows of at least two classes, or name another target.",
            )
        ]  # fmt: skip
    return [*_spellings(counts), *_small_classes(counts), *_imbalance(counts)]


def continuous_target(what: str, or_else: str = "") -> Finding:
    """The finding of a target that is a quantity.

    or_else : what else to do, where it may be something else
    """
    return Finding(
        "continuous-target", "error", (), f"{what}: a quantity rather than classes.",
        f"Cut the quantity into classes first, or name another target.{or_else}",
    )  # fmt: skip


def unlabelled_rows(error: UnlabelledRows) -> Finding:
    """The finding of rows without a class, which the others leave out."""
    count = f"{error.count:,} of {error.n_rows:,} rows" if error.is_all else f"at least {counted(error.count, 'row')}"
    return Finding(
        "unlabelled", "error", (), f"{error.where}There is no class in {count} of {error.which}.",
        f"Fill the labels in, or leave those rows out with {error.how}, as was done here.",
    )  # fmt: skip


def _every_row_its_own_class(what: str, n_rows: int, n_classes: int | None = None) -> Finding:
    count = f"each of the {n_rows:,} rows is a class of its own"
    if n_classes is not None:
        count = f"{n_classes:,} classes in {n_rows:,} rows are nearly one a row"
    return Finding(
        "transposed", "error", (), f"{what} separates nothing: {count}.",
        "If samples are columns and features are rows, read the table with --transpose (scan(..., transpose=True)); "
        "otherwise name another target.",
    )  # fmt: skip


def _are_numbers(counts: Mapping[Hashable, int]) -> bool:
    """Whether the labels are numbers, but not consecutive codes 0, 1, 2, …."""
    try:
        numbers = [float(str(label)) for label in counts]
    except ValueError:
        return False
    is_whole = all(number.is_integer() for number in numbers)
    return not (is_whole and max(numbers) - min(numbers) < 1.5 * len(numbers))


def _spellings(counts: Mapping[Hashable, int]) -> list[Finding]:
    """Classes of text that differ only in capitals or spaces, such as Yes and yes."""
    alike: dict[str, list[str]] = {}
    for label in counts:
        if isinstance(label, str):
            alike.setdefault("".join(label.split()).casefold(), []).append(label)
    several = [", ".join(map(repr, sorted(labels))) for labels in alike.values() if len(labels) > 1]
    if not several:
        return []
    named = "; ".join(sorted(several)[:_MOST_NAMED]) + ("; …" if len(several) > _MOST_NAMED else "")
    return [
        Finding(
            "class-spelling", "warning", (), f"Classes that differ only in capitals or spaces: {named}.",
            "Write them alike if they are one class; they were taken as different ones.",
        )
    ]  # fmt: skip


def _small_classes(counts: Mapping[Hashable, int]) -> list[Finding]:
    labels = list(counts)
    texts = label_texts(labels)
    single = [texts[i] for i in sort_classes(labels) if counts[labels[i]] == 1]
    if not single:
        return []
    named = first_names(single)
    message = (
        f"The class {named} has a single row."
        if len(single) == 1
        else f"{len(single)} classes have a single row: {named}."
    )
    what_to_do = (
        "leave this class out, or join it to another" if len(single) == 1 else "leave these classes out, or join them"
    )
    action = f"Such a row cannot be both a training row and a test row: {what_to_do}."
    return [Finding("class-of-one", "warning", (), message, action)]


def _imbalance(counts: Mapping[Hashable, int]) -> list[Finding]:
    labels = list(counts)
    texts = dict(zip(labels, label_texts(labels), strict=True))
    order = [labels[i] for i in sort_classes(labels)]
    smallest, largest = min(order, key=counts.__getitem__), max(order, key=counts.__getitem__)
    if counts[smallest] >= _UNBALANCED * counts[largest]:
        return []
    total = sum(counts.values())
    return [
        Finding(
            "imbalance", "note", (),
            f"The classes are out of balance: {texts[smallest]!r} has {percent(counts[smallest] / total)} of the rows, "
            f"{texts[largest]!r} {percent(counts[largest] / total)}.",
            "Evaluate by the balanced error rather than the error: always predicting the largest class is right in "
            f"{percent(counts[largest] / total)} of the rows.",
        )
    ]  # fmt: skip
