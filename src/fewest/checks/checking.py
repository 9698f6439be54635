"""check_data() and set_aside(): check a table, and leave out what no method should choose."""

from __future__ import annotations

import fnmatch
import warnings
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Integral
from typing import cast

from fewest.checks.data_check import ColumnDescription, DataCheck, Kind, by_severity
from fewest.checks.findings import Findings, add_findings, describe_columns
from fewest.checks.profile import Profile, read_profile
from fewest.checks.target_rules import continuous_target, unlabelled_rows
from fewest.data.block import Block
from fewest.data.categories import NAMES_OF_ROWS
from fewest.data.column_kinds import DATES
from fewest.data.scan import scan
from fewest.data.source import Source, StoredSource
from fewest.display.formatting import first_names
from fewest.errors import (
    ContinuousTarget,
    FewestWarning,
    InfiniteValue,
    InvalidInput,
    InvalidParameter,
    UnlabelledRows,
    UnusableColumn,
    did_you_mean,
)
from fewest.memory import STORED_ROWS_OF_STREAM
from fewest.unexpected import PublicEntry


def check_data(
    X: object, y: object = None, *, target: object = None, groups: object = None, allow: Sequence[str | int] = ()
) -> DataCheck:
    """Check a table for what should be looked at before features are selected.

    Found are identifiers, row counters, constant and nearly constant columns, duplicate and nearly duplicate columns,
    columns that alone separate the classes (leaks), duplicate rows, dates, numbers written as text, numbers that stand
    for a missing value (such as -999), mostly missing columns, many categories, columns of groups such as patients, a
    continuous target, a transposed table, classes of one row, and imbalance.

    Parameters
    ----------
    X : array-like, frame, path or Source
        A table, or what `scan` reads one from.
    y : array-like or None, default=None
        The class of each row; None where the target is a column of X.
    target : str or None, default=None
        The name of the column of X that holds the class, instead of y.
    groups : str, array-like or None, default=None
        Which rows belong together, or the name of the column that says so: it is no feature, and is not checked.
    allow : list of str or int, default=()
        Columns, by name, glob or index, that are let in whatever they look like.

    Returns
    -------
    DataCheck
        The findings, what `fewest select` and `compare` set aside, and a description of every column.

    See Also
    --------
    DataCheck : The result.
    compare : Sets aside what the check finds, and reports the rest.

    Notes
    -----
    One read of the rows. Ranges, missing values, constants, row counters, classes and categories are exact over all
    rows; the rest is found in all rows where there are few, and otherwise in a sample of 512 to 8,192 rows that their
    contents draw, so that the order of the rows changes nothing (but for row counters, which are about it). A finding
    says where it rests on a sample.

    Examples
    --------
    >>> from fewest import check_data
    >>> from sklearn.datasets import load_wine
    >>> print(check_data(*load_wine(return_X_y=True)))
    178 rows, 13 columns: 13 of numbers. Nothing odd was found.
    """
    with PublicEntry("check_data", X=X, y=y, target=target, groups=groups):
        if y is not None and target is not None:
            raise InvalidParameter("y and target both give the classes. Leave one of them out.")
        ignored = [groups] if isinstance(groups, str) else []

        def check(drop_unlabelled: bool) -> DataCheck:
            with warnings.catch_warnings():
                # What scan warns of is a finding here.
                warnings.simplefilter("ignore", FewestWarning)
                source = scan(X, target if y is None else y, drop_unlabelled=drop_unlabelled)
            return _check(source, allow, ignored, None if target is None else str(target)).result

        # What a source leaves out was decided when it was made.
        return check_with_any_target(check, may_leave_out=not isinstance(X, Source))


def check_with_any_target(check: Callable[[bool], DataCheck], *, may_leave_out: bool = True) -> DataCheck:
    """Return the check of a table, with a finding where its target is a quantity or is missing in some rows.

    check : makes the check, without the rows that have no class if its argument is True, and otherwise raises for them
    may_leave_out : whether these rows can be left out
    """
    try:
        return check(False)
    except ContinuousTarget as error:
        return _of_continuous_target(error)
    except UnlabelledRows as error:
        if not may_leave_out:
            raise
        unlabelled = error
    try:
        found = check(True)
    except ContinuousTarget as error:
        found = _of_continuous_target(error)
    return replace(found, findings=by_severity((unlabelled_rows(unlabelled), *found.findings)))


def _of_continuous_target(error: ContinuousTarget) -> DataCheck:
    """The check of a table that is not read because its target is a quantity."""
    found = continuous_target(f"The target holds fractions, for example {error.example:g}")
    return DataCheck(0, (found,), (), (), 0)


def set_aside(
    source: Source,
    allow: Sequence[str | int] = (),
    *,
    ignored: Sequence[str] = (),
    target: str | None = None,
    where: str | None = None,
) -> tuple[Source, DataCheck]:
    """Return the source without identifiers, row counters, constants, groups and dates, and what the check found.

    A stream is read once; where its rows are few enough they are kept, so that it is not read again, and where they
    are many only the first of them are checked. Raises where the table cannot be used as it is.

    allow : columns, by name, glob or index, that are let in whatever they look like
    ignored : columns with a role of their own, such as groups, that stay in the source and are not checked
    target, where : the names of the target and of the table, for errors
    """
    of_table = "" if where is None else f"{where}: "
    most_values = None if source.is_in_memory else STORED_ROWS_OF_STREAM // 8
    try:
        checked = _check(source, allow, ignored, target, most_values)
    except InfiniteValue:
        # Some methods can do with what is too large to square, and the others have an error of their own.
        return source, DataCheck(source.n_rows or 0, (), (), (), 0)
    # That there is one class only is an error of every method.
    errors = [finding for finding in checked.result.errors if finding.kind != "one-class"]
    if errors:
        raise InvalidInput(f"{of_table}{errors[0].message} {errors[0].action}")
    aside = set(checked.result.set_aside)
    if not aside and checked.blocks is None:
        return source, checked.result
    if checked.blocks is not None:
        source = StoredSource(checked.source, checked.blocks)
    names = names_of(source)
    kept = [column for column, name in enumerate(names) if name not in aside]
    if not any(names[column] not in ignored for column in kept):
        few = first_names(checked.result.set_aside)
        raise InvalidInput(
            f"{of_table}No column is left: the data check would set aside all of them ({few}). Let some in with "
            "--allow NAME (allow=[NAME]), or leave the check out (--no-check, check=False)."
        )
    if len(kept) == len(names):
        return source, checked.result
    chosen = source.only(kept)
    if chosen.feature_names is None:
        # A column keeps its number, although others before it are gone.
        chosen.feature_names = [names[column] for column in kept]
    return chosen, checked.result


@dataclass(frozen=True)
class _Checked:
    """A source with text as codes and without what cannot be read, what was found, and blocks that were kept."""

    source: Source
    result: DataCheck
    blocks: list[Block] | None


def _check(
    source: Source,
    allow: Sequence[str | int],
    ignored: Collection[str],
    target: str | None,
    most_values: int | None = None,
) -> _Checked:
    names = names_of(source)
    found = Findings(_allowed(allow, names, source.left_out))
    unusable = {name: what for name, what in source.unusable_columns.items() if name not in ignored}
    profile: Profile | None = None
    blocks: list[Block] | None = None
    readable = source
    while profile is None and len(unusable) < len(names):
        left = [column for column, name in enumerate(names) if name not in unusable]
        readable = (source if len(left) == len(names) else source.only(left)).with_text_as_codes()
        try:
            profile, blocks = read_profile(readable, most_values=most_values)
        except UnusableColumn as error:
            if error.column in unusable or error.column not in names:
                raise
            unusable[error.column] = error.holds
    unread = {name: what for name, what in {**source.left_out, **unusable}.items() if name not in ignored}
    if not unread.keys() >= unusable.keys():
        blocks = None  # they lack a column that stays
    _add_unread(found, unread)
    _add_numbers_as_text(found, source, ignored)
    if profile is None:
        columns = [ColumnDescription(name, _kind(what), None, None) for name, what in unread.items()]
        result = DataCheck(source.n_rows or 0, by_severity(found.all), tuple(found.aside), tuple(columns), 0)
        return _Checked(readable, result, None)
    known = profile.only([column for column, name in enumerate(profile.names) if name not in ignored])
    traits = add_findings(found, known, target)
    described = {one.name: one for one in describe_columns(known, traits)}
    described |= {name: ColumnDescription(name, _kind(what), None, None) for name, what in unread.items()}
    aside = set(found.aside)
    in_order = [*names, *(name for name in source.left_out if name not in names)]
    result = DataCheck(
        profile.n_rows,
        by_severity(found.all),
        tuple(name for name in in_order if name in aside),
        tuple(described[name] for name in in_order if name in described),
        int(known.missing.sum()),
    )
    return _Checked(readable, result, blocks)


def _add_unread(found: Findings, unread: Mapping[str, str]) -> None:
    """Columns that hold neither numbers nor categories."""
    dates = [name for name, what in unread.items() if what == DATES]
    why = "dates are neither numbers nor categories; convert them to numbers, such as days, to use them."
    found.set_aside(
        "dates", dates, lambda names: _sentence(names, "holds", "hold", "dates or times"), why, is_warning=True
    )
    rows = [name for name, what in unread.items() if what == NAMES_OF_ROWS]
    why = "what names rows would be learnt by heart."
    found.set_aside("identifier", rows, lambda names: _sentence(names, "holds", "hold", NAMES_OF_ROWS), why)
    for name, what in unread.items():
        if what not in (DATES, NAMES_OF_ROWS):
            message = f"{name!r} holds {what}, neither numbers nor categories."
            found.warn("unusable", [name], message, "Set aside; encode it as numbers to use it.")
            found.aside.append(name)


def _add_numbers_as_text(found: Findings, source: Source, ignored: Collection[str]) -> None:
    """Columns of text that are read as numbers, by how these are written."""
    by_writing: dict[str, list[str]] = {}
    for name, how in source.numbers_as_text.items():
        if name not in ignored:
            by_writing.setdefault(how, []).append(name)
    for how, names in by_writing.items():
        found.note("numbers-as-text", names, _sentence(names, "holds", "hold", how), "Read as numbers.")


def _sentence(names: Sequence[str], one: str, many: str, what: str) -> str:
    return f"{', '.join(map(repr, names))} {one if len(names) == 1 else many} {what}."


def _kind(holds: str) -> Kind:
    return "dates" if holds == DATES else "categories" if holds == NAMES_OF_ROWS else "unknown"


def names_of(source: Source) -> list[str]:
    """The names of the columns: x0, x1, ... where they have none."""
    return list(source.feature_names or [f"x{column}" for column in range(source.n_features)])


def allow_by_table(allow: object, sources: Mapping[str, Source]) -> dict[str, list[str | int]]:
    """The columns that are let in, by table: given so, or the same for all, where each is in one of them at least."""
    if isinstance(allow, Mapping):
        for name in allow:
            if name not in sources:
                raise InvalidParameter(f"allow is given for {name!r}, which is no table: {', '.join(sources)}.")
        return {name: _listed(allow.get(name)) for name in sources}
    asked = _listed(allow)
    if len(sources) == 1:
        return dict.fromkeys(sources, asked)
    matching: dict[str, list[str | int]] = {}
    for name, source in sources.items():
        known = [*names_of(source), *source.left_out]
        matching[name] = [one for one in asked if fnmatch.filter(known, str(one))]
    for one in asked:
        if not any(one in found for found in matching.values()):
            raise InvalidParameter(f"There is no column {one!r} in any table to allow.")
    return matching


def _listed(allow: object) -> list[str | int]:
    if allow is None:
        return []
    return [allow] if isinstance(allow, str | int) else list(cast(Iterable[str | int], allow))


def _allowed(allow: object, names: Sequence[str], left_out: Mapping[str, str]) -> set[str]:
    """The names of the columns that are let in; raises where one is not there, or cannot be."""
    allowed: set[str] = set()
    for one in _listed(allow):
        if isinstance(one, Integral) and not isinstance(one, bool):
            if not 0 <= one < len(names):
                raise InvalidParameter(f"allow names column {one}, but there are {len(names)} columns, from 0 on.")
            allowed.add(names[int(one)])
            continue
        if one in left_out and one not in names:
            raise InvalidParameter(f"{one!r} holds {left_out[str(one)]}, which no method reads: it cannot be let in.")
        matching = [name for name in names if name == one] or fnmatch.filter(names, str(one))
        if not matching:
            raise InvalidParameter(f"There is no column {one!r}{did_you_mean(str(one), names)} to allow.")
        allowed.update(matching)
    return allowed
