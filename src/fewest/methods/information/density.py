"""What the selectors share that estimate densities by counting or with a kernel."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass

from fewest.methods.information.counting import CountingSelector
from fewest.methods.information.density_estimation import DENSITIES
from fewest.parameters import check_choice


@dataclass(eq=False, repr=False)
class DensitySelector(CountingSelector):
    """A selector that counts states, or puts a Gaussian on each value.

    MRMR describes both.
    """

    _: KW_ONLY
    density: str = "discrete"

    def checked_density(self) -> str:
        check_choice("density", self.density, DENSITIES)
        return self.density

    def allows_missing(self) -> bool:
        return self.density != "parzen"
