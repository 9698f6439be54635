"""How the density of columns is estimated: by counting states, or with a Gaussian kernel."""

from __future__ import annotations

from dataclasses import dataclass

from fewest.methods.information.category_table import StateTable
from fewest.methods.information.discretisation.column_summary import ColumnOutline
from fewest.methods.information.discretisation.on_states import OnStates
from fewest.methods.information.discretisation.second_pass import CountedAgain
from fewest.methods.information.discretisation.state_rows import StateRows
from fewest.methods.information.parzen_table import ParzenTable
from fewest.parameters import check_choice
from fewest.statistics.rows import Rows

DENSITIES = ("discrete", "parzen")

#: Information between columns, and of columns with the class, whichever way their density is estimated.
InformationTable = StateTable | ParzenTable


@dataclass(frozen=True, kw_only=True)
class WithDensity(OnStates):
    """What criteria share that measure information.

    density : "discrete" counts states, which the criterion's coding makes of columns, text included; "parzen" puts a
        Gaussian on each value, keeps the rows, and needs numbers without gaps (see ParzenTable)
    """

    density: str = "discrete"

    def __post_init__(self) -> None:
        check_choice("density", self.density, DENSITIES)

    @property
    def takes_text(self) -> bool:
        """Text is states, and no number."""
        return self.density == "discrete"

    def statistic(self) -> Rows | StateRows:
        return StateRows() if self.density == "discrete" else Rows()

    def outline(self) -> ColumnOutline | None:
        return super().outline() if self.density == "discrete" else None

    def table(self, rows: Rows | StateRows | CountedAgain) -> InformationTable:
        """The information between these columns; with a kernel they need no coding."""
        return ParzenTable(rows) if isinstance(rows, Rows) else StateTable(rows, self.coding)
