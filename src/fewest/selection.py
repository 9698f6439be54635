"""Selection: the selected features with their evidence; JSON and text of it."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from fewest.arrays import Floats, Indices, Mask
from fewest.atomic_files import WRONG_CHECKSUM, checksum_of
from fewest.display.formatting import counted
from fewest.display.tables import safe_text, scored_table, to_frame
from fewest.errors import InvalidInput
from fewest.provenance import Provenance as Provenance
from fewest.provenance import Scalar as Scalar
from fewest.provenance import is_count
from fewest.summary.certificates import Certificate, certificate_of

if TYPE_CHECKING:
    from fewest.selectors.verification.verification import Verification

_FORMAT = 1
_WHAT_TO_GIVE = "Give the text that Selection.to_json wrote."


class NestedPath(Mapping[int, tuple[int, ...]]):
    """Subsets of every size up to the longest, each one column more than the last.

    least : the smallest size; columns that are in from the start come together
    """

    def __init__(self, order: tuple[int, ...], least: int = 1) -> None:
        self.order, self.least = order, max(least, 1)

    def __getitem__(self, size: int) -> tuple[int, ...]:
        if not self.least <= size <= len(self.order):
            raise KeyError(size)
        return self.order[:size]

    def __iter__(self) -> Iterator[int]:
        return iter(range(self.least, len(self.order) + 1))

    def __len__(self) -> int:
        return max(len(self.order) + 1 - self.least, 0)

    def __repr__(self) -> str:
        return f"NestedPath({self.order!r}{f', {self.least}' if self.least > 1 else ''})"


@dataclass(frozen=True)
class Selection:
    """The selected features in the order taken, with their scores and what is proved of them.

    Parameters
    ----------
    indices : tuple of int
        The selected columns.
    scores : tuple of float
        Their scores, higher is better.
    features : tuple of str, default=()
        Their names.
    path : mapping from int to tuple of int
        The best subset found for each size that was tried.
    value : float or None, default=None
        The objective value; None where the method defines no objective.
    bound : float or None, default=None
        No subset has a better value than this.
    sense : {"max", "min"}, default="max"
        Whether larger or smaller values are better.
    is_optimal : bool or None, default=None
        True only when proved; None where the method defines no objective.
    breakpoints : tuple of (float, int), default=()
        Where the best subsets for all thresholds are known: each threshold, highest first, and the number of features
        that is best just below it.
    beta : float or None, default=None
        The threshold asked for; value and bound are then less beta for every feature.
    proved_in, proved_out : tuple of int, default=()
        Where pairs may harm, for a threshold: columns that every best subset holds, and columns that none does.
    history : tuple of float, default=()
        The objective value at the start and after each step of a search in weights.
    proved_by : str, default=""
        Where the bound comes from, such as "minimum cuts".
    tolerance : float or None, default=None
        Rounding: where the optimum is proved, no subset is better by more than this.
    provenance : Provenance or None, default=None
        The method, its parameters and the data.
    column_scores : ndarray of float or None, default=None
        The score of every column, where the search gives one; not written to JSON.

    See Also
    --------
    FeatureSelector : Any criterion with any search; `selection_` is a Selection.

    Examples
    --------
    >>> from fewest import MRMR, Selection
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> selection = MRMR(n_features=3).fit(X, y).selection_
    >>> print(selection)
       #  feature                       score
       1  flavanoids                    0.4035
       2  proline                       0.168
       3  od280/od315_of_diluted_wines  0.204
    no objective to prove: features are taken by their scores
    >>> Selection.from_json(selection.to_json()) == selection
    True
    """

    indices: tuple[int, ...]
    scores: tuple[float, ...]
    features: tuple[str, ...] = ()
    path: Mapping[int, tuple[int, ...]] = field(default_factory=lambda: NestedPath(()))
    value: float | None = None
    bound: float | None = None
    sense: str = "max"
    is_optimal: bool | None = None
    breakpoints: tuple[tuple[float, int], ...] = ()
    beta: float | None = None
    proved_in: tuple[int, ...] = ()
    proved_out: tuple[int, ...] = ()
    history: tuple[float, ...] = ()
    proved_by: str = ""
    tolerance: float | None = None
    provenance: Provenance | None = None
    column_scores: Floats | None = field(default=None, compare=False, repr=False)

    @property
    def gap(self) -> float | None:
        """The relative gap between the value and the bound: |value - bound| / |value|."""
        if self.value is None or self.bound is None:
            return None
        return abs(self.value - self.bound) / max(abs(self.value), float(np.finfo(float).tiny))

    def described(self, features: tuple[str, ...], provenance: Provenance) -> Self:
        """Return the same selection with names and provenance."""
        return replace(self, features=features, provenance=provenance)

    def among_all(self, columns: Sequence[int], n_columns: int, names: Sequence[str] = ()) -> Self:
        """Return a selection among some columns of a table as one among all; what is proved holds among those columns.

        columns : the index in the table of each column that the selection was made on
        n_columns : the number of columns of the table
        names : their names, where known: the features get them, and the provenance names those that were left out
        """

        def indices_of(chosen: Sequence[int]) -> tuple[int, ...]:
            return tuple(columns[index] for index in chosen)

        path: Mapping[int, tuple[int, ...]]
        if isinstance(self.path, NestedPath):
            path = NestedPath(indices_of(self.path.order), self.path.least)
        else:
            path = {size: indices_of(subset) for size, subset in self.path.items()}
        scores = None
        if self.column_scores is not None:
            scores = np.full(n_columns, np.nan)
            scores[list(columns)] = self.column_scores
        subsets: dict[str, Any] = {n: indices_of(getattr(self, n)) for n in ("indices", "proved_in", "proved_out")}
        if names:
            seen = set(columns)
            left_out = tuple(name for column, name in enumerate(names) if column not in seen)
            subsets["features"] = tuple(names[column] for column in subsets["indices"])
            if self.provenance is not None:
                subsets["provenance"] = replace(self.provenance, left_out=left_out)
        return replace(self, path=path, column_scores=scores, **subsets)

    def by_column(self, n_columns: int) -> tuple[Mask, Indices, Floats]:
        """Return for every column whether it is selected, its rank, and its score; NaN where it has none."""
        chosen = list(self.indices)
        support, scores = np.zeros(n_columns, dtype=bool), np.full(n_columns, np.nan)
        support[chosen], scores[chosen] = True, self.scores
        ranking = np.full(n_columns, len(chosen) + 1, dtype=np.intp)
        ranking[chosen] = np.arange(1, len(chosen) + 1)
        return support, ranking, scores if self.column_scores is None else self.column_scores

    def __len__(self) -> int:
        return len(self.indices)

    def __str__(self) -> str:
        names = self.features or tuple(str(index) for index in self.indices)
        width = max([len("feature"), *map(len, names)])
        lines = [f"{'#':>4}  {'feature':<{width}}  score"]
        lines += [
            f"{rank:>4}  {name:<{width}}  {'–' if math.isnan(score) else f'{score:.4g}'}"
            for rank, (name, score) in enumerate(zip(names, self.scores, strict=True), start=1)
        ]
        return "\n".join([*lines, str(self.certificate)])

    def __repr__(self) -> str:
        names = self.features or tuple(str(index) for index in self.indices)
        shown = ", ".join(names[:5]) + (", …" if len(names) > 5 else "")
        return f"<Selection of {self._headline()}{': ' if names else ''}{shown}>"

    def _repr_html_(self) -> str:
        names = self.features or tuple(str(index) for index in self.indices)
        notes = () if self.provenance is None else self.provenance.notes
        proof = (self.certificate.words, self.certificate.numbers)
        below = "".join(f"<p>{safe_text(text)}</p>" for text in (*filter(None, proof), *notes))
        table = scored_table(names, self.scores) if names else ""
        return f"<div><p><b>{safe_text(self._headline())}</b></p>{table}{below}</div>"

    def _headline(self) -> str:
        """Return the number of features, of how many, and by which method."""
        if self.provenance is None:
            return counted(len(self), "feature")
        return f"{len(self):,} of {counted(self.provenance.n_columns, 'feature')} by {self.provenance.method}"

    def to_frame(self) -> Any:
        """Return the selected features as a frame.

        Returns
        -------
        frame of pandas, or of polars where pandas is not installed
            One row a feature, in the order taken: rank, feature, index (of the column in the table) and score.
        """
        names = self.features or tuple(f"x{index}" for index in self.indices)
        ranks = range(1, len(self) + 1)
        return to_frame({"rank": ranks, "feature": names, "index": self.indices, "score": self.scores})

    @property
    def certificate(self) -> Certificate:
        """What is proved of this selection, in words and numbers."""
        return certificate_of(self)

    def verify(
        self, X: object, y: object = None, sample_weight: object = None, *, groups: object = None,
        selector: object = None, tolerance: float = 1e-9,
    ) -> Verification:  # fmt: skip
        """Recompute value, bound and scores from the data, and return whether this selection tells the truth.

        Parameters
        ----------
        X, y, sample_weight, groups, selector, tolerance : as in fewest.verify
            The rows that it was made from.

        Returns
        -------
        Verification
            True if every check holds.
        """
        # Selectors lie above this module, which must not know them: the public function is looked up when it is called.
        import fewest

        return fewest.verify(self, X, y, sample_weight, groups=groups, selector=selector, tolerance=tolerance)

    def to_json(self) -> str:
        """Return plain JSON, versioned.

        Returns
        -------
        str
            The text. Numbers that JSON lacks (infinity, NaN) are strings; a checksum finds damage.
        """
        content: dict[str, object] = {
            "format": _FORMAT,
            "features": list(self.features),
            "indices": list(self.indices),
            "scores": [_to_json_number(score) for score in self.scores],
            "path": _path_to_json(self.path),
            "value": _to_json_number(self.value),
            "bound": _to_json_number(self.bound),
            "sense": self.sense,
            "is_optimal": self.is_optimal,
            "breakpoints": [[_to_json_number(beta), size] for beta, size in self.breakpoints],
            "beta": self.beta,
            **{name: list(getattr(self, name)) for name in ("proved_in", "proved_out")},
            "history": [_to_json_number(value) for value in self.history],
            "proved_by": self.proved_by,
            "tolerance": _to_json_number(self.tolerance),
            "certificate": self.certificate.to_dict(),
            "provenance": None if self.provenance is None else asdict(self.provenance),
        }
        plain = json.loads(json.dumps(content, allow_nan=False, default=str))
        return json.dumps({**plain, "checksum": checksum_of(plain)}, indent=2, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read a selection that to_json wrote.

        Parameters
        ----------
        text : str
            The text. Its checksum is tested, where it has one.

        Returns
        -------
        Selection
            The same selection, but for `column_scores`.
        """
        try:
            content = json.loads(text)
        except (TypeError, ValueError, RecursionError) as error:
            raise InvalidInput(f"This is not JSON ({error}). {_WHAT_TO_GIVE}") from None
        if not isinstance(content, dict) or content.get("format") != _FORMAT:
            found = content.get("format") if isinstance(content, dict) else type(content).__name__
            raise InvalidInput(f"A selection of format {_FORMAT} is expected, got {found!r}. {_WHAT_TO_GIVE}")
        checksum = content.pop("checksum", None)
        if checksum is not None and checksum != checksum_of(content):
            raise InvalidInput(f"This selection was changed after it was written: {WRONG_CHECKSUM} {_WHAT_TO_GIVE}")
        try:
            found = cls._from_content(content)._checked()
            if (claimed := content.get("certificate")) is not None:
                made = found.provenance
                found.certificate.check(claimed, words=made is None or made.version == installed_version())
            return found
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
            raise InvalidInput(
                f"This selection is damaged ({type(error).__name__}: {error}). {_WHAT_TO_GIVE}"
            ) from None

    def _checked(self) -> Self:
        """Return the selection, or raise ValueError where a field cannot be what to_json wrote."""
        of_path = [self.path.order] if isinstance(self.path, NestedPath) else [*self.path.values()]
        subsets = [self.indices, self.proved_in, self.proved_out, *of_path]
        numbers = [*self.scores, *self.history, *(beta for beta, _ in self.breakpoints)]
        numbers += [one for one in (self.value, self.bound, self.beta, self.tolerance) if one is not None]
        is_right = {
            "indices": all(is_count(index) for subset in subsets for index in subset),
            "path": all(is_count(size) for size in self.path),
            "breakpoints": all(is_count(size) for _, size in self.breakpoints),
            "scores": len(self.scores) == len(self.indices) and all(map(_is_number, numbers)),
            "features": len(self.features) in (0, len(self.indices)) and all(isinstance(x, str) for x in self.features),
            "sense": self.sense in ("max", "min"),
            "proved_by": isinstance(self.proved_by, str),
            "is_optimal": self.is_optimal in (None, True, False) and (not self.is_optimal or self.value is not None),
            "provenance": self.provenance is None or self.provenance.is_consistent(),
        }
        wrong = [name for name, right in is_right.items() if not right]
        if wrong:
            raise ValueError(f"{', '.join(wrong)} cannot be so")
        self.to_json()  # refuses what JSON cannot hold
        return self

    @classmethod
    def _from_content(cls, content: dict[str, Any]) -> Self:
        provenance = content["provenance"]
        if provenance is not None:
            texts = {name: tuple(provenance.get(name, ())) for name in ("notes", "left_out")}
            provenance = Provenance(**{**provenance, **texts})
        return cls(
            indices=tuple(content["indices"]),
            scores=tuple(_from_json_number(score) for score in content["scores"]),
            features=tuple(content["features"]),
            path=_path_from_json(content["path"]),
            value=None if content["value"] is None else _from_json_number(content["value"]),
            bound=None if content["bound"] is None else _from_json_number(content["bound"]),
            sense=content["sense"],
            is_optimal=content["is_optimal"],
            breakpoints=tuple((_from_json_number(beta), size) for beta, size in content.get("breakpoints", ())),
            beta=content.get("beta"),
            proved_in=tuple(content.get("proved_in", ())),
            proved_out=tuple(content.get("proved_out", ())),
            history=tuple(_from_json_number(value) for value in content.get("history", ())),
            proved_by=content.get("proved_by", ""),
            tolerance=None if (tolerance := content.get("tolerance")) is None else _from_json_number(tolerance),
            provenance=provenance,
        )


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _to_json_number(x: float | None) -> float | str | None:
    return x if x is None or math.isfinite(x) else str(x)


def _from_json_number(x: float | str) -> float:
    return float(x) if isinstance(x, str) else x


def _path_to_json(path: Mapping[int, tuple[int, ...]]) -> dict[str, object]:
    if isinstance(path, NestedPath):
        return {"nested": list(path.order), **({"least": path.least} if path.least > 1 else {})}
    return {"subsets": {str(size): list(subset) for size, subset in path.items()}}


def _path_from_json(content: dict[str, Any]) -> Mapping[int, tuple[int, ...]]:
    if "nested" in content:
        return NestedPath(tuple(content["nested"]), int(content.get("least", 1)))
    return {int(size): tuple(subset) for size, subset in content["subsets"].items()}


@cache
def installed_version() -> str:
    """Return the version of this package."""
    from importlib.metadata import version

    return version("fewest")
