"""How the density of columns is estimated: by counting states, or with a Gaussian kernel."""

from __future__ import annotations

from dataclasses import dataclass

from fewest.methods.information.category_table import CategoryTable
from fewest.methods.information.discretisation.column_summary import ColumnSummary
from fewest.methods.information.discretisation.on_states import CategoricalCriterion
from fewest.methods.information.discretisation.second_pass import SecondPass
from fewest.methods.information.discretisation.state_rows import CategoricalRows
from fewest.methods.information.parzen_table import ParzenTable
from fewest.parameters import check_choice
from fewest.statistics.rows import Rows

DENSITIES = ("discrete", "parzen")

#: Information between columns, and of columns with the class, whichever way their density is estimated.
InformationTable = CategoryTable | ParzenTable


@dataclass(frozen=True, kw_only=True)
class InformationCriterion(CategoricalCriterion):
    """What criteria share that measure information.

    density : "discrete" counts categories, which the discretizer makes of columns, text included; "parzen" puts a
        Gaussian on each value, keeps the rows, and needs numbers without missing values (see ParzenTable)
    """

    density: str = "discrete"

    def __post_init__(self) -> None:
        check_choice("density", self.density, DENSITIES)

    @property
    def takes_text(self) -> bool:
        """Text is states, and no number."""
        return self.density == "discrete"

    def statistic(self) -> Rows | CategoricalRows:
        return CategoricalRows() if self.density == "discrete" else Rows()

    def column_summary(self) -> ColumnSummary | None:
        return super().column_summary() if self.density == "discrete" else None

    def table(self, rows: Rows | CategoricalRows | SecondPass) -> InformationTable:
        """The information between these columns; with a kernel they need no discretizer."""
        return ParzenTable(rows) if isinstance(rows, Rows) else CategoryTable(rows, self.discretizer)
