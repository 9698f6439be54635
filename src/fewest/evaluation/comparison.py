"""Comparison: what compare() returns."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NotRequired, TypedDict

from fewest.atomic_files import WRONG_CHECKSUM, checksum_of
from fewest.display.formatting import counted
from fewest.errors import InvalidInput, UnwritableFile, did_you_mean
from fewest.evaluation.results import TableResult
from fewest.summary import Summary, TableSummary, Views

if TYPE_CHECKING:
    from fewest.evaluation.summary.recommendation import Recommendation
    from fewest.selectors.adapters.without_columns import ChosenBefore, WithoutColumns
    from fewest.selectors.selector import Selector

#: 2: the procedure's choices on all rows, losses of a metric, all features chosen by inner folds.
_FORMAT = 2


class Settings(TypedDict):
    """How a comparison was made; outer and inner are descriptions of the splits."""

    outer: str
    inner: str
    groups: str | None
    rule: str
    metric: str
    metric_reason: str | None
    size: int | None
    scale: str | None
    tune: bool
    leak: bool
    seed: int
    version: str
    command: NotRequired[str]


@dataclass(frozen=True)
class Comparison:
    """Methods of feature selection, compared on test rows that were not used to select.

    Parameters
    ----------
    tables : tuple of TableResult
        One result a table.
    classifiers : dict
        The names of the classifiers, and their descriptions.
    settings : dict
        How it was made: outer, inner, rule, seed, ….
    stopped : str or None, default=None
        The progress at which it was interrupted; None where all splits were done.
    seconds : float, default=0.0
        How long it took.
    methods : dict or None, default=None
        The selectors that were compared, by name; None where it was read from JSON.
    shortened : str or None, default=None
        What was not done for want of time, and what that means; None where all was done, or it was interrupted.

    See Also
    --------
    compare : Makes it.

    Examples
    --------
    >>> from fewest import compare
    >>> from sklearn.datasets import load_wine
    >>> found = compare("fisher-score", *load_wine(return_X_y=True), classifiers=["nb"], outer=2, sizes=[2, 5])
    >>> found.to_frame("curves")["size"].tolist()
    [2, 5]
    >>> found.selector().fit_transform(*load_wine(return_X_y=True)).shape
    (178, 5)
    """

    tables: tuple[TableResult, ...]
    classifiers: dict[str, str]
    settings: Settings
    stopped: str | None = None
    seconds: float = 0.0
    methods: Mapping[str, Selector] | None = field(default=None, compare=False)
    shortened: str | None = None

    @property
    def features(self) -> tuple[str, ...]:
        """The recommended features, in their order; none where no features were found that beat guessing."""
        best = self._only_table.recommended
        return () if best is None or not best.beats_guessing else tuple(feature.name for feature in best.features)

    def selector(self) -> Selector | WithoutColumns | ChosenBefore:
        """Return the recommended method with its parameters and size, fitted on all rows, for transform or a pipeline.

        It takes tables with the columns of the one that was compared. Columns that were no features there (those set
        aside, groups, splits) are none here, and where its missing values were filled they are here: it is a
        WithoutColumns then, around the method. Nothing is computed anew, so that only the attributes that every
        selector has are there, `weights_` and the like are not. Fitted anew, as inside cross_val_score, it selects
        anew. After from_json, a method with parameters that JSON cannot hold, such as an estimator, can transform but
        not be fitted anew.

        Returns
        -------
        Selector
            Fitted, or a WithoutColumns around one.
        """
        from fewest.evaluation.fitted_selector import fitted_selector

        table = self._only_table
        best = self.recommendations[table.name]
        if best is None or not self.features:
            raise InvalidInput(
                f"No features of {table.name!r} were found that beat guessing, so there is no selector to recommend. "
                "Fit a method of your own choice if you want its features nevertheless."
            )
        known = None if self.methods is None else self.methods.get(best.method)
        return fitted_selector(self.tables[0], best.result, best.columns, known)

    def of(self, table: str) -> Comparison:
        """Return the comparison on one of several tables.

        Parameters
        ----------
        table : str
            The name of the table.

        Returns
        -------
        Comparison
            The same, with this table alone.
        """
        own = tuple(one for one in self.tables if one.name == table)
        if not own:
            names = [one.name for one in self.tables]
            raise InvalidInput(
                f"There is no table {table!r}{did_you_mean(table, names)}. There are {', '.join(names)}."
            )
        return replace(self, tables=own)

    @property
    def _only_table(self) -> TableSummary:
        if len(self.summary.tables) == 1:
            return self.summary.tables[0]
        names = [table.name for table in self.tables]
        example = f" Ask for one of them: .of({names[0]!r})." if names else ""
        raise InvalidInput(f"This comparison has {len(names)} tables, with features of their own.{example}")

    @cached_property
    def recommendations(self) -> dict[str, Recommendation | None]:
        """By table, what the procedure chooses on all rows, with its nested error; None where nothing was evaluated."""
        from fewest.evaluation.summary.recommendation import recommend

        return {table.name: recommend(table, list(self.classifiers)) for table in self.tables}

    @cached_property
    def summary(self) -> Summary:
        """Everything that the report shows."""
        from fewest.evaluation.summary.summarise import summarise

        return summarise(self)

    @property
    def table(self) -> list[dict[str, object]]:
        """One row a table, method and classifier: error with interval, features, rank, stability, seconds.

        The least error comes first. The classifier "inner folds" is chosen inside each split; the method "recommended"
        is chosen so too, and its error is that of the headline. All features and chance are rows too.
        """
        from fewest.evaluation.summary.summarise import table_rows

        return table_rows(self.summary)

    @property
    def curves(self) -> dict[str, dict[str, dict[str, list[dict[str, float]]]]]:
        """Error against the number of features, by table, method and classifier.

        At every size: the error with its interval, the balanced error and the F1 (macro, micro) of the same
        predictions, and the error if features are selected before splitting (leaked_error; None where that was not
        measured).
        """
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
        """Tests of differences between methods: by table every pair of methods; over several tables their ranks."""
        return {
            "pairs": {table.name: [asdict(pair) for pair in table.pairs] for table in self.summary.tables},
            "across": asdict(self.summary.across) if self.summary.across else None,
        }

    @property
    def stability(self) -> dict[str, dict[str, dict[str, object]]]:
        """By table and method, Nogueira's index with its interval, and the selection frequency of each feature."""
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
        """By table, method and classifier: how much selecting before splitting would have promised too much.

        The error if selecting inside each split, less that if selecting once before. Below zero it is noise.
        """
        return {
            table.name: {
                method.name: {name: found.optimism for name, found in method.results.items()}
                for method in table.methods
            }
            for table in self.summary.tables
        }

    def to_frame(self, of: str = "table") -> Any:
        """Return a part of the comparison as a frame.

        Parameters
        ----------
        of : {"table", "curves", "tests", "stability"}, default="table"
            The table; the curves, a row for every size; the tests of pairs of methods on each table; or how often
            each feature was chosen, by method.

        Returns
        -------
        frame of pandas, or of polars where pandas is not installed
            One row a row of the table, a size, a pair of methods, or a feature.
        """
        from fewest.evaluation.frames import frame_of

        return frame_of(self, of)

    def to_json(self) -> str:
        """Return everything that was found, split by split, as plain JSON.

        Returns
        -------
        str
            The text, with a checksum.
        """
        content = {
            "format": _FORMAT,
            "classifiers": self.classifiers,
            "settings": self.settings,
            "stopped": self.stopped,
            "shortened": self.shortened,
            "seconds": self.seconds,
            "tables": [
                {**table.to_dict(), "answer": _answer(summary)}
                for table, summary in zip(self.tables, self.summary.tables, strict=True)
            ],
        }
        plain = json.loads(json.dumps(content, allow_nan=False))
        return json.dumps({**plain, "checksum": checksum_of(plain)}, indent=1, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> Comparison:
        """Read a comparison that to_json wrote.

        Parameters
        ----------
        text : str
            The text. Its checksum is tested; where it has none, whether everything in it can be shown.

        Returns
        -------
        Comparison
            The same comparison, without the methods' objects.
        """
        try:
            content = json.loads(text)
            checksum = content.pop("checksum", None) if isinstance(content, dict) else None
            if isinstance(content, dict) and content.get("format") in range(1, _FORMAT):
                raise InvalidInput(
                    f"This comparison was written by an older version of fewest (format {content['format']}, and this "
                    f"is {_FORMAT}), which promised other errors. Run the comparison again."
                )
            if content["format"] != _FORMAT:
                raise KeyError("format")
            if checksum is not None and checksum != checksum_of(content):
                raise InvalidInput(f"This comparison was changed after it was written: {WRONG_CHECKSUM}")
            tables = tuple(TableResult.from_dict(table) for table in content["tables"])
            found = cls(
                tables, content["classifiers"], content["settings"], content["stopped"], content["seconds"],
                shortened=content.get("shortened"),
            )  # fmt: skip
            if checksum is None:
                _ = (str(found), repr(found), found.to_html(), found.to_json(), found.table)
            return found
        except InvalidInput:
            raise
        # Whatever a text that to_json did not write leads to.
        except Exception as error:
            raise InvalidInput(
                f"This is not a comparison, or it is damaged ({type(error).__name__}: {error}). Give the text that "
                "Comparison.to_json wrote."
            ) from None

    def to_html(self, path: str | Path | None = None, *, force: bool = False) -> str:
        """Render the report as one HTML page without other files, and write it to a path that does not exist yet.

        Parameters
        ----------
        path : str, Path or None, default=None
            The file to write; None returns the page only.
        force : bool, default=False
            Overwrite a file that exists.

        Returns
        -------
        str
            The page.
        """
        from fewest.atomic_files import is_there, write_atomically
        from fewest.report.page import render

        if path is not None and not force and is_there(Path(path)):
            raise UnwritableFile(f"{path} exists. Name another file, or overwrite it with force=True.")
        page = render(self.summary)
        if path is not None:
            write_atomically(Path(path), lambda temporary: temporary.write_text(page, "utf-8"))
        return page

    def with_views(self, views: Mapping[str, Views | None], seconds: float) -> Comparison:
        """Return a copy with the views of each table, which do not change the recommendations."""
        tables = tuple(replace(table, views=views[table.name]) for table in self.tables)
        found = replace(self, tables=tables, seconds=seconds)
        vars(found)["recommendations"] = self.recommendations
        return found

    def made_by(self, command: str) -> Comparison:
        """The same comparison, with the command line that makes it again."""
        return replace(self, settings={**self.settings, "command": command})

    def __repr__(self) -> str:
        methods = counted(len({method.name for table in self.tables for method in table.methods}), "method")
        if len(self.tables) != 1:
            return f"<Comparison of {methods} on {counted(len(self.tables), 'table')}>"
        table = self.summary.tables[0]
        best = table.recommended
        if best is None or not best.beats_guessing:
            found = "nothing beats guessing" if best else "no method was evaluated"
        else:
            size = f"{best.size:,} of {counted(table.n_columns, 'feature')}"
            found = f"{size} by {best.method}, {table.metric.phrase(best.error)}"
        return f"<Comparison of {methods} on {table.name}: {found}>"

    def _repr_html_(self) -> str:
        from fewest.report.page import render_for_notebook

        return render_for_notebook(self.summary)

    def __str__(self) -> str:
        from fewest.evaluation.summary.text import to_text

        return to_text(self.summary)


def _answer(table: TableSummary) -> dict[str, object]:
    """What the headline says, for readers of the JSON: the recommendation, all features and guessing."""
    return {
        "metric": table.metric.name,
        "recommended": asdict(table.recommended) if table.recommended else None,
        "all_features": asdict(table.without_selection) if table.without_selection else None,
        "guessing": table.chance_error,
    }
