"""From a profile to findings: every rule of the check, in words."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field

import numpy as np

from fewest.checks.column_rules import (
    holds_dates,
    holds_numbers,
    many_categories,
    mostly_missing_columns,
    nearly_constant_columns,
    one_value_or_missing,
    sentinels,
)
from fewest.checks.column_traits import FEW, ColumnTraits, traits_of
from fewest.checks.data_check import ColumnDescription, quoted
from fewest.checks.duplicates import RepeatedColumn, n_repeated_rows, repeated_columns
from fewest.checks.identifiers import NamingColumn, naming_columns
from fewest.checks.profile import Profile
from fewest.checks.separation import Separation, separating_columns
from fewest.checks.target_rules import target_findings
from fewest.display.formatting import count, counted, number, percent
from fewest.summary import Finding

#: Columns that are described one by one in a message.
_MOST_DESCRIBED = 3
#: From this share of repeated rows on they are a warning.
_MANY_REPEATED = 0.01

#: What makes a sentence about some columns of their names.
Describe = Callable[[list[str]], str]

_HOW = {
    "equal": "is equal to",
    "linear": "is a linear function of",
    "partition": "has the same categories, by other names, as",
    "near": "is nearly the same as",
}


@dataclass
class Findings:
    """Findings, and the names of the columns to set aside, as they are added.

    allowed : the columns that are let in although the check would set them aside
    """

    allowed: Collection[str] = ()
    all: list[Finding] = field(default_factory=list)
    aside: list[str] = field(default_factory=list)

    def note(self, kind: str, columns: Sequence[str], message: str, action: str) -> None:
        self.all.append(Finding(kind, "note", tuple(columns), message, action))

    def warn(self, kind: str, columns: Sequence[str], message: str, action: str) -> None:
        self.all.append(Finding(kind, "warning", tuple(columns), message, action))

    def set_aside(
        self, kind: str, columns: Sequence[str], describe: Describe, why: str, *, is_warning: bool = False
    ) -> None:
        """Add a finding about columns that are set aside, and another about those of them that are let in."""
        add = self.warn if is_warning else self.note
        aside = [name for name in columns if name not in self.allowed]
        let_in = [name for name in columns if name in self.allowed]
        if aside:
            self.aside += aside
            add(kind, aside, describe(aside), f"Set aside: {why}")
        if let_in:
            add(kind, let_in, describe(let_in), "Let in, as asked.")


def add_findings(found: Findings, profile: Profile, target: str | None) -> ColumnTraits | None:
    """Add what all rules find; returns the traits of the columns, None where the classes make the rest pointless."""
    of_target = target_findings(profile, target)
    found.all += of_target
    if any(finding.severity == "error" and finding.kind != "one-class" for finding in of_target):
        return None
    traits = traits_of(profile)
    names = profile.names
    constant = np.flatnonzero(profile.is_constant).tolist()
    _constants(found, profile, [names[j] for j in constant])
    naming = naming_columns(profile, traits)
    dates, numbers = _texts(profile)
    _dates(found, [names[j] for j in dates])
    _numbers_as_text(found, profile, [j for j in numbers if j not in dates], naming)
    naming = [one for one in naming if one.column not in dates and one.column not in numbers]
    _naming(found, profile, naming)
    is_aside = {one.column for one in naming if one.is_set_aside} | set(dates)
    _separations(found, profile, [one for one in separating_columns(profile, traits) if one.column not in is_aside])
    _repeated(found, profile, [one for one in repeated_columns(profile, traits) if one.column not in is_aside])
    _repeated_rows(found, profile)
    _little(found, profile, is_aside | set(numbers))
    return traits


def _constants(found: Findings, profile: Profile, names: list[str]) -> None:
    if not profile.is_complete or profile.n_rows < 2:
        # The next row may hold another value.
        return
    is_empty = {name: known == 0 for name, known in zip(profile.names, profile.n_known, strict=True)}
    for kind, what in (("empty", "no value at all"), ("constant", "the same value in every row")):
        chosen = [name for name in names if is_empty[name] == (kind == "empty")]
        describe = _describer(f"{{}} {{}} {what}.", "has", "have")
        found.set_aside(kind, chosen, describe, "a single value separates nothing (--allow lets a column in).")


def _naming(found: Findings, profile: Profile, naming: Sequence[NamingColumn]) -> None:
    reasons = {profile.names[one.column]: one.reason for one in naming}

    def describe(names: list[str]) -> str:
        shown = "; ".join(f"{name!r} {reasons[name]}" for name in names[:_MOST_DESCRIBED])
        rest = names[_MOST_DESCRIBED:]
        return f"{shown}." if not rest else f"{shown}; so {'does' if len(rest) == 1 else 'do'} {quoted(rest)}."

    for kind, why in (
        ("identifier", "what names rows would be learnt by heart (--allow lets a column in)."),
        ("counter", "the order of the rows is no feature (--allow lets a column in)."),
        ("group", "rows of one value belong together, which --groups NAME respects (--allow lets a column in)."),
    ):
        certain = [profile.names[one.column] for one in naming if one.kind == kind and one.is_set_aside]
        found.set_aside(kind, certain, describe, why, is_warning=kind == "group")
    unsure = [profile.names[one.column] for one in naming if not one.is_set_aside]
    if unsure:
        action = "If its rows belong together, give it as --groups NAME, so that no split divides them."
        found.note("group", unsure, describe(unsure), action)


def _texts(profile: Profile) -> tuple[list[int], list[int]]:
    """The columns of text that hold dates, and those that hold numbers."""
    texts = sorted(profile.categories)
    dates = [j for j in texts if holds_dates(profile.categories[j])]
    return dates, [j for j in texts if j not in dates and holds_numbers(profile.categories[j])]


def _dates(found: Findings, names: Sequence[str]) -> None:
    why = "dates are no categories; convert them to numbers, such as days, to use them."
    found.set_aside("dates", names, _describer("{} {} dates or times.", "holds", "hold"), why, is_warning=True)


def _numbers_as_text(found: Findings, profile: Profile, columns: Sequence[int], naming: Sequence[NamingColumn]) -> None:
    is_unique = {one.column for one in naming}
    action = "Mend the others, or make them missing, so that the column is read as numbers."
    describe = _describer("{} {} numbers, but for a few texts, and so {} read as text.", "holds", "hold", "is", "are")
    for is_aside in (True, False):
        names = [profile.names[j] for j in columns if (j in is_unique) == is_aside]
        if is_aside:
            why = f"as categories they tell nothing. {action}"
            found.set_aside("numbers-as-text", names, describe, why, is_warning=True)
        elif names:
            found.warn("numbers-as-text", names, describe(names), action)


def _separations(found: Findings, profile: Profile, separations: Sequence[Separation]) -> None:
    errors = {profile.names[one.column]: one.error for one in separations}
    for is_copy in (True, False):
        names = [profile.names[one.column] for one in separations if one.is_copy == is_copy]
        if not names:
            continue
        action = (
            "Is it known only after the class is? Then leave it out with --drop NAME; it was not set aside."
            if len(names) == 1
            else "Are they known only after the class is? Then leave them out with --drop NAME,…; none was set aside."
        )
        if is_copy:
            describe = _describer("{} {} a copy of the target: each class has a value of its own.", "is", "are each")
            found.warn("target-copy", names, describe(names), action)
            continue
        shown = ", ".join(f"{name!r} ({percent(errors[name])})" for name in names[:_MOST_DESCRIBED])
        rest = f" and {count(len(names) - _MOST_DESCRIBED)} more" if len(names) > _MOST_DESCRIBED else ""
        each = "separates" if len(names) == 1 else "each separate"
        message = f"{shown}{rest} alone {each} the classes (balanced error in brackets){profile.scope}."
        found.warn("leak", names, message, action)


def _repeated(found: Findings, profile: Profile, repeated: Sequence[RepeatedColumn]) -> None:
    for kind, hows in (("duplicate", ("equal", "linear", "partition")), ("near-duplicate", ("near",))):
        chosen = [one for one in repeated if one.how in hows]
        if not chosen:
            continue
        shown = "; ".join(
            f"{profile.names[one.column]!r} {_HOW[one.how]} {profile.names[one.original]!r}"
            for one in chosen[:_MOST_DESCRIBED]
        )
        rest = len(chosen) - _MOST_DESCRIBED
        more = f"; and {counted(rest, 'more column repeats', 'more columns repeat')} another" if rest > 0 else ""
        names = [profile.names[one.column] for one in chosen]
        found.note(kind, names, f"{shown}{more}{profile.scope}.", "Of columns that repeat each other one is enough.")


def _repeated_rows(found: Findings, profile: Profile) -> None:
    n_repeated, n_mixed = n_repeated_rows(profile)
    if n_repeated == 0:
        return
    n_rows = profile.sample.n_rows
    message = (
        f"{counted(n_repeated, 'row')} of {count(n_rows)} {'repeats' if n_repeated == 1 else 'repeat'} another row"
    )
    if n_mixed:
        message += f", and {count(n_mixed)} have an equal row of another class"
    add = found.warn if n_repeated >= _MANY_REPEATED * n_rows else found.note
    action = "Copies on both sides of a split make errors too small: remove them unless they are rows of their own."
    add("duplicate-rows", (), f"{message}{profile.scope}.", action)


def _little(found: Findings, profile: Profile, is_aside: Collection[int]) -> None:
    """Columns that hold little, or numbers that stand for a missing value."""
    # The verbs are those of one column and of several.
    for kind, columns, pattern, verbs, action in (
        ("nearly-constant", nearly_constant_columns, "{} {} one value in all but 1 % of the rows.", ("has", "have"),
         "Kept."),
        ("one-value-or-missing", one_value_or_missing, "{} {} a single value, and {} missing elsewhere.",
         ("has", "have", "is", "are"), "Kept: that it is missing may say something."),
        ("mostly-missing", mostly_missing_columns, "{} {} missing in more than half of the rows.", ("is", "are"),
         "Kept; a missing value is a category of its own, or filled in."),
        ("many-categories", many_categories, "{} {} many categories of few rows each.", ("has", "have"),
         "Kept; what chance gives many categories is subtracted."),
    ):  # fmt: skip
        names = [profile.names[column] for column in columns(profile) if column not in is_aside]
        if names:
            found.note(kind, names, _describer(pattern, *verbs)(names), action)
    odd = [one for one in sentinels(profile) if one.column not in is_aside]
    if odd:
        shown = ", ".join(
            f"{number(one.value)} in {percent(one.share)} of {profile.names[one.column]!r}"
            for one in odd[:_MOST_DESCRIBED]
        )
        more = f" and {count(len(odd) - _MOST_DESCRIBED)} more" if len(odd) > _MOST_DESCRIBED else ""
        names = list(dict.fromkeys(profile.names[one.column] for one in odd))
        message = f"A number far from the others may stand for a missing value: {shown}{more}{profile.scope}."
        found.warn(
            "sentinel", names, message, "Make it missing (empty, NA or NaN) if it does; it was read as a number."
        )


def describe_columns(profile: Profile, traits: ColumnTraits | None) -> list[ColumnDescription]:
    """The kind, missing values and distinct values of each column."""
    n_columns = profile.n_columns
    n_distinct = np.full(n_columns, -1) if traits is None else np.where(traits.n_distinct > FEW, -1, traits.n_distinct)
    for column, categories in profile.categories.items():
        n_distinct[column] = len(categories)
    kinds = np.where(profile.is_text, "categories", np.where(n_distinct == 2, "binary", "numbers"))
    kinds = np.where(profile.is_constant, "constant", np.where(n_distinct == 2, "binary", kinds))
    missing = profile.missing / max(profile.n_rows, 1)
    counts = [None if count < 0 else count for count in n_distinct.tolist()]
    return list(map(ColumnDescription, profile.names, kinds.tolist(), missing.tolist(), counts))


def _describer(pattern: str, *verbs: str) -> Describe:
    """A function of names that fills them, and verbs for one or for many, into a pattern."""

    def describe(names: list[str]) -> str:
        chosen = [verbs[position + (len(names) > 1)] for position in range(0, len(verbs), 2)]
        return pattern.format(quoted(names), *chosen)

    return describe
