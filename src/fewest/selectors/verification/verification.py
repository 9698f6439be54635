"""Verification: which statements of a selection hold."""

from __future__ import annotations

from dataclasses import dataclass

from fewest.display.formatting import counted
from fewest.parameters import shown


@dataclass(frozen=True)
class Check:
    """One statement of a selection: what it says, and what was found.

    what : what it is about, such as "value"
    holds : whether what was found agrees, numbers to the tolerance of the verification
    """

    what: str
    claimed: object
    found: object
    holds: bool

    def __str__(self) -> str:
        if self.holds:
            return f"{self.what}: {shown(self.claimed)}"
        return f"{self.what}: {shown(self.claimed)} is claimed, {shown(self.found)} is found"


@dataclass(frozen=True)
class Verification:
    """Whether a selection tells the truth about the data: true if every check holds; it prints in words.

    Parameters
    ----------
    checks : tuple of Check
        Each with what is checked, what the selection claims, what was found, and whether it holds.
    certificate : str
        What the selection says to be proved.
    tolerance : float
        Numbers agree if they differ by no more than this share of them.
    left_unchecked : str, default=""
        What was not checked, and why, where not everything was.

    See Also
    --------
    verify : Makes one.

    Examples
    --------
    >>> from fewest import FisherScore, verify
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> found = verify(FisherScore(n_features=3).fit(X, y).selection_, X, y)
    >>> bool(found), len(found.checks)
    (True, 13)
    """

    checks: tuple[Check, ...]
    certificate: str
    tolerance: float
    left_unchecked: str = ""

    def __bool__(self) -> bool:
        return all(check.holds for check in self.checks)

    @property
    def failed(self) -> tuple[Check, ...]:
        """The checks that do not hold."""
        return tuple(check for check in self.checks if not check.holds)

    def __str__(self) -> str:
        if self:
            n_checks = counted(len(self.checks), "check")
            lines = [f"verified: {n_checks} hold, numbers to {self.tolerance:g}", self.certificate]
        else:
            n_failed = f"{len(self.failed)} of {counted(len(self.checks), 'check')} fail"
            lines = [f"NOT verified: {n_failed}", *(f"  {check}" for check in self.failed)]
        return "\n".join([*lines, *([self.left_unchecked] if self.left_unchecked else [])])
