"""The verdict on an item, computed from the paper's numbers, its claims, and what a rerun measured.

A number agrees where ours lies within the paper's stated spread of it, or the paper's lies within the 95 % interval of
our resamples; where that reaches farther than five points it is open, which is no agreement. A share of a known number
of groups has an interval of its own, and agrees where that of the difference (Newcombe: both intervals, squared and
added) reaches zero, and no farther than 25 points. A number of one split is compared with ours of single splits, of
which 95 % lie around it. A claim holds, fails, or is open (claims.py); where a control fails, such as the same with
shuffled labels, it is open.

| verdict | |
|---|---|
| reproduces | at least nine of ten numbers agree, and every claim holds |
| does not reproduce | fewer than half of the numbers agree and no claim holds; of claims alone: none holds |
| undecided | the same of a quick run in which more than half is open |
| reproduces in part | everything else |
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from fewest.display.formatting import counted
from fewest.errors import InvalidInput
from fewest.papers.claims import Claim, Finding
from fewest.papers.numbers import Key, Measured, Measurement, Number, wilson

Agreement = Literal["yes", "no", "open"]

REPRODUCES, IN_PART, DOES_NOT = "reproduces", "reproduces in part", "does not reproduce"
UNDECIDED = "undecided"

#: The share of the numbers that has to agree: of twenty intervals of 95 % one misses by chance, and the paper's numbers
#: vary too.
_ENOUGH = 0.9
_FEW = 0.5
#: An interval that reaches farther than this to either side, in percent, agrees with almost anything: that is open.
_WIDEST = 5.0
#: The same for the difference of two shares: what 30 groups on both sides are sure to give.
_WIDEST_OF_SHARES = 25.0
#: Fewer splits than these do not show how far single ones vary.
_FEWEST_SPLITS = 5
#: The number of claims that a reason spells out.
_MAX_SPELT_OUT = 3


@dataclass(frozen=True)
class CellVerdict:
    """A number of the paper against ours.

    agrees : None where the paper has no number to compare with, or we have none
    """

    key: Key
    number: Number | None
    measurement: Measurement | None
    agrees: Agreement | None


@dataclass(frozen=True)
class Verdict:
    """The word, why, and what it is made of."""

    word: str
    reason: str
    cells: tuple[CellVerdict, ...]
    findings: tuple[Finding, ...]


def verdict_of(
    numbers: Mapping[Key, Number],
    claims: Sequence[Claim],
    measured: Measured,
    controls: Mapping[Key, Claim] | None = None,
    *,
    is_quick: bool = False,
) -> Verdict:
    """Compare the paper's numbers and claims with what was measured.

    controls : by the key of a measurement, what has to hold for it to mean anything
    is_quick : whether there were fewer resamples than the paper has
    """
    keys = list(dict.fromkeys([*measured.cells, *numbers]))
    cells = tuple(_cell_verdict(key, numbers.get(key), measured.cells.get(key)) for key in keys)
    # A quick run does not measure everything, nor does a method that cannot take a table.
    tested = [claim for claim in claims if all(key in measured.cells for key in claim.keys)]
    findings = tuple(_controlled(claim, controls or {}, measured) for claim in tested)
    compared = [cell for cell in cells if cell.agrees is not None]
    if not compared and not findings:
        raise InvalidInput("There is nothing to compare: the paper's numbers have other keys than those measured.")
    n_agreeing = sum(cell.agrees == "yes" for cell in compared)
    n_holding = sum(finding.outcome == "holds" for finding in findings)
    share = n_agreeing / len(compared) if compared else None
    if (share is None or share >= _ENOUGH) and n_holding == len(findings):
        word = REPRODUCES
    elif (share is None or share < _FEW) and n_holding == 0:
        outcomes = [*(cell.agrees for cell in compared), *(finding.outcome for finding in findings)]
        word = UNDECIDED if is_quick and 2 * outcomes.count("open") > len(outcomes) else DOES_NOT
    else:
        word = IN_PART
    return Verdict(word, _reason(compared, n_agreeing, findings, n_holding), cells, findings)


def agreement(number: Number, measurement: Measurement) -> Agreement:
    """Whether ours lies within the paper's spread, or the paper's within our interval."""
    difference = measurement.mean - number.value
    if number.n_groups is not None:
        low, high = (100 * end for end in wilson(number.value / 100, number.n_groups))
        # The ends of the two intervals that face each other.
        if difference >= 0:
            reach = math.hypot(measurement.mean - measurement.low, high - number.value)
        else:
            reach = math.hypot(measurement.high - measurement.mean, number.value - low)
        return "no" if abs(difference) > reach else "yes" if reach <= _WIDEST_OF_SHARES else "open"
    if number.is_single:
        low, high = np.quantile(measurement.values, [0.025, 0.975]).tolist()
        few = len(measurement.values) < _FEWEST_SPLITS
        return "yes" if low <= number.value <= high else "open" if few else "no"
    if number.spread is not None and abs(difference) <= number.spread:
        return "yes"
    if not measurement.low - number.rounding <= number.value <= measurement.high + number.rounding:
        return "no"
    return "yes" if (measurement.high - measurement.low) / 2 <= _WIDEST else "open"


def _controlled(claim: Claim, controls: Mapping[Key, Claim], measured: Measured) -> Finding:
    """The finding, which is open where a control of the claim's first measurement does not hold."""
    finding = claim.test(measured)
    control = controls.get(claim.keys[0])
    if control is None or finding.outcome != "holds" or any(key not in measured.cells for key in control.keys):
        return finding
    tested = control.test(measured)
    if tested.outcome == "holds":
        return finding
    return Finding(finding.claim, "open", f"{finding.evidence}, but the control fails: {tested.evidence}")


def _cell_verdict(key: Key, number: Number | None, measurement: Measurement | None) -> CellVerdict:
    if number is None or measurement is None or not number.is_compared:
        return CellVerdict(key, number, measurement, None)
    return CellVerdict(key, number, measurement, agreement(number, measurement))


def _reason(compared: Sequence[CellVerdict], n_agreeing: int, findings: Sequence[Finding], n_holding: int) -> str:
    parts = []
    if compared:
        numbers = counted(len(compared), "number")
        n_open = sum(cell.agrees == "open" for cell in compared)
        still_open = f" ({n_open} open: our interval is too wide)" if n_open else ""
        parts.append(f"{n_agreeing} of {numbers} {'agrees' if n_agreeing == 1 else 'agree'}{still_open}")
    if findings:
        parts.append(f"{n_holding} of {counted(len(findings), 'claim')} {'holds' if n_holding == 1 else 'hold'}")
    reason = "; ".join(parts)
    others = [finding for finding in findings if finding.outcome != "holds"]
    reasons = [
        f"{finding.claim}: {'not shown' if finding.outcome == 'open' else 'not so'}, {finding.evidence}"
        for finding in others[:_MAX_SPELT_OUT]
    ]
    more = [f"and {len(others) - _MAX_SPELT_OUT} more"] if len(others) > _MAX_SPELT_OUT else []
    return ". ".join([reason, *(["; ".join(reasons + more)] if reasons else [])]) + "."
