"""The recommendation: what the procedure chooses on all rows, with the error of the procedure over the splits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from fewest.evaluation.procedure import Pair, Procedure, Run
from fewest.evaluation.results import MethodResult, TableResult
from fewest.summary import Estimate


@dataclass(frozen=True)
class Recommendation:
    """What the procedure chooses on all rows, and its nested error: the one error that is shown for it.

    pair, size_index : the method, the classifier and the index of the size among those tried
    columns : the features of that size, selected on all rows
    estimate : the nested error of the procedure
    chance : the no-information rate
    """

    procedure: Procedure
    pair: Pair
    size_index: int
    columns: tuple[int, ...]
    run: Run
    estimate: Estimate
    chance: float

    @property
    def result(self) -> MethodResult:
        """What the recommended method did."""
        return self.pair.method

    @property
    def method(self) -> str:
        """The name of the method."""
        return self.pair.method.name

    @property
    def classifier(self) -> str:
        """The name of the classifier."""
        return self.pair.classifier

    @property
    def beats_guessing(self) -> bool:
        """Whether the whole 95 % interval of the error, that of the corrected t-test, lies below chance.

        Where it does not, the features are no answer.
        """
        return self.estimate.high < self.chance

    @cached_property
    def leaked_run(self) -> Run | None:
        """The same procedure with features selected on all rows before splitting; None where that was not measured."""
        is_known = all(pair.method.has_leak for pair in self.procedure.pairs)
        return self.procedure.run("leaked") if is_known else None


def recommend(table: TableResult, classifiers: Sequence[str]) -> Recommendation | None:
    """Run the procedure in every split and on all rows; None where no method was evaluated."""
    procedure = Procedure.of(table, classifiers)
    if not procedure.pairs:
        return None
    pair, size_index = procedure.on_all_rows()
    assert pair.method.whole is not None
    run = procedure.run()
    columns = tuple(pair.method.whole["path"][size_index])
    return Recommendation(procedure, pair, size_index, columns, run, table.estimate(run.losses), table.chance_error)
