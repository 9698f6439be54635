"""Selection by the radius-margin bound of a linear support vector machine."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

from fewest.arrays import Floats
from fewest.methods.kernels.linear_radius_margin import LinearRadiusMargin
from fewest.methods.kernels.radius_margin import to_be_small
from fewest.parameters import check_count, check_number
from fewest.protocols import Sentence
from fewest.searches.weight_ascent import WeightAscent
from fewest.selection import Selection
from fewest.selectors.selector import Selector


@dataclass(eq=False, repr=False)
class R2W2(Selector):
    """Features that a linear support vector machine should stretch to err seldom, by the radius-margin bound (Weston).

    Column f is multiplied by sigma_f, so that R^2 ||w||^2 is least: R the radius of the smallest ball around the rows,
    1/||w|| half the margin between the classes. The squares sigma_f^2 are not negative and add up to the number of
    columns; those with the largest are taken. Of more than two classes each stands against the rest, and the bounds are
    summed.

    Parameters
    ----------
    C : float, default=1.0
        The cost of breaking the margin: 1/C is added to the diagonal of the products of rows.
    max_steps : int, default=500
        When to stop at the latest.

    The other parameters are those of every selector: see FisherMarkov. Columns are standardized by default.

    Attributes
    ----------
    weights_, scores_ : ndarray of shape (n_features_in_,)
        sigma_f^2. Of columns with 0 that one comes first whose stretch would cost least, then the lowest.
    objective_ : tuple of float
        The bound at the start and after each step.
    ranking_, support_, n_features_, n_features_in_, feature_names_in_, selection_
        As in every selector.

    Notes
    -----
    Every evaluation solves two quadratic programs over all rows, of which there may be at most 5,000. Blind to what no
    line can tell apart. A row of weight 2 is the row twice.

    Examples
    --------
    >>> from fewest import R2W2
    >>> from fewest.datasets import toy_xyz
    >>> data = toy_xyz(60)
    >>> R2W2(n_features=2).fit(data.X, data.y).support_
    array([ True,  True, False])
    """

    name: ClassVar[str] = "r2w2"
    summary: ClassVar[str] = "a small ball around the rows and a wide margin, by the stretches of a linear machine"
    takes: ClassVar[str] = "numbers without gaps, up to 5,000 rows"
    proves: ClassVar[str] = "nothing"
    cost: ClassVar[str] = "two quadratic programs over all rows at every step"

    C: float = 1.0
    max_steps: int = 500

    def sentence(self) -> Sentence:
        check_count("max_steps", self.max_steps, at_least=1)
        criterion = LinearRadiusMargin(check_number("C", self.C), self.scale_or("std"))
        return criterion, WeightAscent(max_steps=int(self.max_steps))

    def finalize(self, selection: Selection, objective: Any) -> Selection:
        stretches = objective.stretches(selection.column_scores)
        scores = tuple(stretches[list(selection.indices)].tolist())
        return replace(to_be_small(selection), scores=scores, column_scores=stretches)

    def store_fitted(self, objective: Any, selection: Selection) -> None:
        self.weights_: Floats = self.scores_.copy()
        self.objective_: tuple[float, ...] = selection.history

    def allows_missing(self) -> bool:
        return False
