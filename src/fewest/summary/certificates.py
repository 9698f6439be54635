"""Certificate: what is proved of a selection, of which problem, by what, and to what tolerance."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Self

from fewest.display.formatting import counted, first_names, percent, six_digits

if TYPE_CHECKING:
    from fewest.selection import Selection

#: Constraints on columns, which are parameters of selectors, in words.
_CONSTRAINTS = {
    "keep": "{} kept",
    "forbid": "{} left out",
    "column_groups": "the columns of each group of {} taken or left together",
    "at_most": "at most as many of a group as {} says",
    "costs": "costs {}",
    "budget": "a budget of {}",
    "cost_weight": "{} times its cost less for every feature",
}
#: How parameters print that constrain nothing.
_EMPTY = ("", "()", "[]", "{}", "set()", "None")
#: Constraints that are lists or mappings.
_LISTED = frozenset({"keep", "forbid", "at_most", "costs"})
#: The longest text of a constraint.
_LONGEST = 60


@dataclass(frozen=True)
class Certificate:
    """What is proved of a selection, in words and numbers; it prints as one sentence.

    Parameters
    ----------
    status : {"optimal", "within-gap", "not-proved", "no-objective"}
        Whether the optimum is proved, a bound limits how far it may be (to at most twice the value), nothing useful is
        proved, or there is no objective of which anything could be.
    words : str
        The sentence.
    problem : str
        What was optimised: the objective, over which subsets of which columns, under which constraints.
    proved_by : str
        Where the bound comes from, such as "minimum cuts"; empty where there is none.
    value : float or None
        The objective value of the selected features.
    bound : float or None
        No subset has a better value than this.
    gap : float or None
        |value - bound| / |value|; None where that is infinite.
    tolerance : float or None
        Rounding: where the optimum is proved, no subset is better by more than this.

    See Also
    --------
    Selection : `selection.certificate` is one; `selection.verify(X, y)` recomputes what it says.

    Examples
    --------
    >>> from fewest import FisherMarkov
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> certificate = FisherMarkov(degree=2, n_features=4).fit(X, y).selection_.certificate
    >>> certificate.status, certificate.proved_by
    ('optimal', 'minimum cuts')
    >>> print(certificate)
    proved optimal: no other 4 features have a larger total (0.829509); the next 4 features enter at beta = 0.175086
    """

    status: str
    words: str
    problem: str
    proved_by: str
    value: float | None
    bound: float | None
    gap: float | None
    tolerance: float | None

    def __str__(self) -> str:
        return self.words

    @property
    def numbers(self) -> str:
        """Where the bound comes from, with the numbers, on one line; empty where nothing was optimised or bounded."""
        if self.value is None or self.bound is None:
            return ""
        shown = f"value {six_digits(self.value)}, bound {six_digits(self.bound)}"
        if self.status == "optimal":
            shown += f", rounding at most {self.tolerance:.1g}" if self.tolerance else ""
        elif self.gap is not None:
            shown += f", gap {percent(self.gap)}"
        return f"{f'by {self.proved_by}: ' if self.proved_by else ''}{shown}"

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON holds them: infinity and NaN as text.

        Returns
        -------
        dict
            The fields by their names.
        """
        return {name: _plain(value) for name, value in asdict(self).items()}

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Self:
        """Read what to_dict or `dataclasses.asdict` made.

        Parameters
        ----------
        content : dict
            The fields by their names.

        Returns
        -------
        Certificate
            The same certificate.
        """
        numbers = {
            name: float(content[name]) for name in ("value", "bound", "gap", "tolerance") if content[name] is not None
        }
        return cls(**{**content, **numbers})

    def check(self, claimed: Mapping[str, Any], *, words: bool) -> None:
        """Raise ValueError where a certificate, as to_dict gives it, claims something else.

        words : whether texts are compared too, which another version may write otherwise
        """
        own = self.to_dict()
        for name in own if words else ("status", "value", "bound", "gap", "tolerance"):
            if claimed[name] != own[name]:
                raise ValueError(f"its certificate says {name} = {claimed[name]!r}, its numbers {own[name]!r}")


def certificate_of(selection: Selection) -> Certificate:
    """Return what is proved of a selection."""
    constraints = _constraints(selection)
    words = "no objective to prove: features are taken by their scores"
    if selection.is_optimal is not None:
        words = _proof(selection) + (f"; under {constraints}" if constraints else "") + _what_comes_next(selection)
    return Certificate(
        status=_status(selection),
        words=words,
        problem=_problem(selection, constraints),
        proved_by=selection.proved_by,
        value=selection.value,
        bound=selection.bound,
        gap=None if selection.gap is None or not math.isfinite(selection.gap) else selection.gap,
        tolerance=selection.tolerance,
    )


def _status(selection: Selection) -> str:
    if selection.is_optimal is None:
        return "no-objective"
    if selection.is_optimal:
        return "optimal"
    return "not-proved" if selection.gap is None or not selection.gap <= 1 else "within-gap"


def _problem(selection: Selection, constraints: str) -> str:
    """Return what was optimised, over which subsets."""
    provenance = selection.provenance
    among = "the columns" if provenance is None else counted(provenance.n_columns, "column")
    aside = "" if provenance is None or not provenance.left_out else f" (without {first_names(provenance.left_out)})"
    if selection.is_optimal is None:
        return f"none: {among}{aside} are ranked"
    objective = "the objective"
    if provenance is not None:
        objective = provenance.objective or f"the objective of {provenance.method}"
    best = "largest" if selection.sense == "max" else "smallest"
    size = f"{len(selection)} of"
    if selection.beta is not None:
        objective, size = f"{objective}, less {six_digits(selection.beta)} for every feature", "any number of"
    under = f", under {constraints}" if constraints else ""
    return f"{objective}: the {best} over all subsets of {size} {among}{aside}{under}"


def _constraints(selection: Selection) -> str:
    """Return the constraints on columns in words; nothing where there are none."""
    parameters = {} if selection.provenance is None else selection.provenance.parameters
    found = []
    for name, words in _CONSTRAINTS.items():
        shown = " ".join(str(parameters.get(name, "")).split())
        if shown not in _EMPTY:
            # Lists and mappings are stored as they print.
            shown = shown.strip("[](){}").rstrip(",") if name in _LISTED else shown
            found.append(words.format(shown if len(shown) <= _LONGEST else f"{shown[: _LONGEST - 1]}…"))
    return f"the constraints: {', '.join(found)}" if found else ""


def _proof(selection: Selection) -> str:
    value = six_digits(selection.value)
    if not selection.is_optimal and selection.bound is None:
        return f"nothing is proved: the search reached {value}, and other features may do better"
    if not selection.is_optimal:
        beta = selection.beta
        what = _count(len(selection)) if beta is None else f"subset for beta = {six_digits(beta)}"
        limit = "no more than" if selection.sense == "max" else "and none has less than"
        reached = f"reached {value}, {limit} {six_digits(selection.bound)}"
        if n_proved := len(selection.proved_in) + len(selection.proved_out):
            reached += f"; for {counted(n_proved, 'column')} it is proved whether it holds them"
        if selection.gap is None or not selection.gap <= 1:
            return f"not proved: the best possible {what} may have more than twice this value ({reached})"
        return f"within {100 * selection.gap:.2g} % of the best possible {what} ({reached})"
    if selection.beta is not None:
        cost = f"beta = {six_digits(selection.beta)}"
        if not selection.indices:
            return f"proved optimal for {cost}: no subset has a value above its cost"
        return f"proved optimal for {cost}: no subset of any size has a larger value ({value} after costs)"
    if not selection.indices:
        return "proved optimal: no feature has a positive value"
    which = f"no other {len(selection)} features have" if len(selection) > 1 else "no other feature has"
    return f"proved optimal: {which} a {'larger total' if selection.sense == 'max' else 'smaller value'} ({value})"


def _what_comes_next(selection: Selection) -> str:
    """Return at which threshold more features enter."""
    if not selection.breakpoints:
        return ""
    below = [end for _, end in selection.breakpoints if end <= len(selection)]
    above = [(beta, end) for beta, end in selection.breakpoints if end > len(selection)]
    reached = below[-1] if below else 0
    if not above:
        return "; all features are in"
    beta, end = above[0]
    if selection.beta is None and len(selection) != reached:
        return f"; at beta = {six_digits(beta)} the best subset grows from {reached} to {end} at once"
    verb = f"the next {_count(end - reached)} enter{'s' if end - reached == 1 else ''}"
    return f"; {verb} at beta = {six_digits(beta)}"


def _count(n: int) -> str:
    return "feature" if n == 1 else f"{n} features"


def _plain(value: object) -> object:
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value
