"""What a comparison found."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from fewest.arrays import Floats, Indices, Integers, Mask
from fewest.errors import InvalidInput
from fewest.evaluation.testing.intervals import estimate
from fewest.evaluation.testing.stability import Stability, stability
from fewest.report.contents import Estimate, Summary, Views

if TYPE_CHECKING:
    from fewest.evaluation.summary.recommendation import Recommendation

_FORMAT = 1


@dataclass(frozen=True)
class MethodResult:
    """What one method did on one table.

    name, parameters : which it is
    whole : its selection on all rows: the features at each size, their scores, what is proved
    trials : one a split, as run_trial gave them
    failed : why it was left out, or None
    """

    name: str
    parameters: dict[str, Any]
    whole: dict[str, Any] | None
    trials: tuple[dict[str, Any], ...]
    failed: str | None = None

    def confusions(self, classifier: str, which: str = "results") -> Integers:
        """splits by sizes by classes by classes"""
        return np.array([trial[which][classifier]["confusion"] for trial in self.trials], dtype=np.int64)

    def errors(self, classifier: str, which: str = "results") -> Floats:
        """splits by sizes: the share of the test rows that were got wrong"""
        counts = self.confusions(classifier, which)
        total: Floats = counts.sum(axis=(2, 3)).astype(np.float64)
        wrong: Floats = 1.0 - np.trace(counts, axis1=2, axis2=3) / total
        return wrong

    def chosen(self, classifier: str, which: str = "results") -> Indices:
        """by split, the place among the sizes that the inner folds chose"""
        return np.array([trial[which][classifier]["chosen"] for trial in self.trials], dtype=np.intp)

    def nested(self, classifier: str, which: str = "results") -> Floats:
        """by split, the error at the size that was chosen without the test rows"""
        errors = self.errors(classifier, which)
        return errors[np.arange(len(errors)), self.chosen(classifier, which)]

    def promised(self, classifier: str) -> Floats:
        """by split, the mean error of the inner folds at the size that they chose; NaN where there were none"""
        trials = [trial["results"][classifier] for trial in self.trials]
        return np.array([np.nan if one["inner"] is None else one["inner"][one["chosen"]] for one in trials])

    def wrong(self, classifier: str) -> list[Mask]:
        """by split, which test rows were got wrong at the chosen size"""
        return [np.array([mark == "1" for mark in trial["results"][classifier]["wrong"]]) for trial in self.trials]

    def subsets(self, place: int) -> list[list[int]]:
        """by split, the features of this size"""
        return [trial["path"][place] for trial in self.trials]

    @property
    def seconds(self) -> float:
        """of one selection, on average"""
        return float(np.mean([trial["seconds"]["select"] for trial in self.trials])) if self.trials else 0.0

    @property
    def has_leak(self) -> bool:
        return bool(self.trials) and self.trials[0]["leaked"] is not None


@dataclass(frozen=True)
class TableResult:
    """What all methods did on one table.

    baselines : what the classifiers did with all columns, one a split; empty where that was too much
    views : pictures of the recommended features in numbers, what is proved of them, and substitutes
    """

    name: str
    n_rows: int
    classes: tuple[str, ...]
    class_counts: tuple[int, ...]
    feature_names: tuple[str, ...]
    fingerprint: str
    sizes: tuple[int, ...]
    n_train: float
    n_test: float
    methods: tuple[MethodResult, ...]
    baselines: tuple[dict[str, Any], ...]
    truth: tuple[int, ...] | None = None
    views: Views | None = None

    @property
    def n_columns(self) -> int:
        return len(self.feature_names)

    @property
    def done(self) -> list[MethodResult]:
        """The methods that were not left out."""
        return [method for method in self.methods if method.failed is None and method.trials]

    @property
    def chance_error(self) -> float:
        """The error of always saying the largest class."""
        return 1.0 - max(self.class_counts) / sum(self.class_counts)

    def estimate(self, errors: Sequence[float] | Floats) -> Estimate:
        """The mean of errors over splits, with its interval."""
        return estimate(np.asarray(errors), self.n_train, self.n_test)

    def baseline(self, classifier: str) -> Floats:
        """by split, the error with all columns"""
        counts = np.array([one["results"][classifier] for one in self.baselines], dtype=np.float64)
        wrong: Floats = 1.0 - np.trace(counts, axis1=1, axis2=2) / counts.sum(axis=(1, 2))
        return wrong

    def stability_of(self, method: MethodResult, place: int) -> Stability:
        """How alike the features of this size are over the splits."""
        return stability(method.subsets(place), self.n_columns)

    def place_of(self, method: MethodResult, classifier: str) -> int:
        """The size in the middle of those that were chosen inside the splits, which the honest error is of."""
        chosen = np.sort(method.chosen(classifier))
        return int(chosen[(len(chosen) - 1) // 2])


@dataclass(frozen=True)
class Comparison:
    """Methods, compared on rows that they did not see.

    tables : one result a table
    classifiers : the names of those that judged, and what they are in words
    settings : how it was done: outer, inner, rule, seed, ...
    stopped : how far it came, where it was interrupted; None where it was done to the end
    seconds : how long it took
    """

    tables: tuple[TableResult, ...]
    classifiers: dict[str, str]
    settings: dict[str, Any]
    stopped: str | None = None
    seconds: float = 0.0

    @cached_property
    def recommendations(self) -> dict[str, Recommendation | None]:
        """By table, the method and classifier with the least error; None where no method was evaluated."""
        from fewest.evaluation.summary.recommendation import recommend

        size = self.settings["size"]
        return {table.name: recommend(table, list(self.classifiers), size) for table in self.tables}

    @cached_property
    def summary(self) -> Summary:
        """Everything that the report shows."""
        from fewest.evaluation.summary.summary import summarise

        return summarise(self)

    @property
    def table(self) -> list[dict[str, object]]:
        """One row a table, method and classifier: error with interval, features, rank, stability, seconds; the best
        first. All features and chance are rows too."""
        from fewest.evaluation.summary.summary import table_rows

        return table_rows(self.summary)

    @property
    def curves(self) -> dict[str, dict[str, dict[str, list[dict[str, float]]]]]:
        """Error against the number of features, by table, method and classifier."""
        return {
            table.name: {
                method.name: {name: [asdict(point) for point in curve] for name, curve in method.curves.items()}
                for method in table.methods
                if method.curves
            }
            for table in self.summary.tables
        }

    @property
    def tests(self) -> dict[str, object]:
        """Which differences are more than chance: by table every pair of methods; over several tables their ranks."""
        return {
            "pairs": {table.name: [asdict(pair) for pair in table.pairs] for table in self.summary.tables},
            "across": asdict(self.summary.across) if self.summary.across else None,
        }

    @property
    def stability(self) -> dict[str, dict[str, dict[str, object]]]:
        """By table and method, Nogueira's index with its interval, and how often each feature was chosen."""
        return {
            table.name: {
                method.name: {
                    **(asdict(method.stability) if method.stability else {}),
                    "frequencies": [asdict(frequency) for frequency in method.frequencies],
                }
                for method in table.completed
            }
            for table in self.summary.tables
        }

    @property
    def optimism(self) -> dict[str, dict[str, dict[str, float | None]]]:
        """By table, method and classifier: the error if selecting inside each split, less that if selecting once
        before splitting."""
        return {
            table.name: {
                method.name: {name: found.optimism for name, found in method.results.items()}
                for method in table.methods
            }
            for table in self.summary.tables
        }

    def to_frame(self) -> Any:
        """The table as a pandas frame, or one of polars where pandas is not installed."""
        from importlib import import_module

        try:
            frames = import_module("pandas")
        except ImportError:
            frames = import_module("polars")
        return frames.DataFrame(self.table)

    def to_json(self) -> str:
        """Everything that was found, split by split; plain JSON, versioned."""
        content = {
            "format": _FORMAT,
            "classifiers": self.classifiers,
            "settings": self.settings,
            "stopped": self.stopped,
            "seconds": self.seconds,
            "tables": [
                {
                    **vars(table),
                    "methods": [vars(method) for method in table.methods],
                    "views": asdict(table.views) if table.views else {},
                }
                for table in self.tables
            ],
        }
        return json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> Comparison:
        """Read what to_json wrote."""
        try:
            content = json.loads(text)
            if content["format"] != _FORMAT:
                raise KeyError("format")
            tables = tuple(_table_of(table) for table in content["tables"])
            return cls(tables, content["classifiers"], content["settings"], content["stopped"], content["seconds"])
        except (KeyError, TypeError, ValueError) as error:
            raise InvalidInput(
                f"This is not a comparison, or it is damaged ({type(error).__name__}: {error}). Give the text that "
                "Comparison.to_json wrote."
            ) from None

    def to_html(self, path: str | Path | None = None, *, force: bool = False) -> str:
        """The report: one page that needs nothing else. Written to a file, where one is named that is not there yet."""
        from fewest.atomic_files import write_atomically
        from fewest.errors import UnwritableFile
        from fewest.report.page import render

        page = render(self.summary.to_dict())
        if path is not None:
            target = Path(path)
            if target.exists() and not force:
                raise UnwritableFile(f"{target} exists. Name another file, or overwrite it with force=True.")
            write_atomically(target, lambda beside: beside.write_text(page, "utf-8"))
        return page

    def with_views(self, views: Mapping[str, Views | None], seconds: float) -> Comparison:
        """Return a copy with the views of each table, which do not change the recommendations."""
        tables = tuple(replace(table, views=views[table.name]) for table in self.tables)
        found = replace(self, tables=tables, seconds=seconds)
        vars(found)["recommendations"] = self.recommendations
        return found

    def made_by(self, command: str) -> Comparison:
        """The same, with the command that makes it again."""
        return replace(self, settings={**self.settings, "command": command})

    def __str__(self) -> str:
        from fewest.evaluation.summary.text import to_text

        return to_text(self.summary)


def _table_of(content: Mapping[str, Any]) -> TableResult:
    methods = tuple(MethodResult(**{**method, "trials": tuple(method["trials"])}) for method in content["methods"])
    lists = ("classes", "class_counts", "feature_names", "sizes", "baselines")
    known = {**content, "methods": methods, **{name: tuple(content[name]) for name in lists}}
    known["views"] = Views.from_dict(content["views"]) if content["views"] else None
    known["truth"] = None if content["truth"] is None else tuple(content["truth"])
    return TableResult(**known)
