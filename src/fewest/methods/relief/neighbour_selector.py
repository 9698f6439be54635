"""What the selectors share that compare rows with other rows."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Self

from fewest.methods.relief.margin_selector import MarginSelector
from fewest.methods.relief.neighbour_rows import METRICS
from fewest.parameters import check_choice, check_count


@dataclass(eq=False, repr=False)
class NeighbourSelector(MarginSelector):
    """A selector whose margins are differences between rows. ReliefF describes the parameters."""

    takes: ClassVar[str] = "numbers, text and categories, gaps allowed"
    proves: ClassVar[str] = "nothing: no objective"

    _: KW_ONLY
    metric: str = "l1"
    n_queries: int | None = None

    def shared(self) -> dict[str, Any]:
        """The parameters that all these criteria have, checked."""
        check_choice("metric", self.metric, METRICS)
        if self.n_queries is not None:
            check_count("n_queries", self.n_queries, at_least=1)
        return {
            "metric": self.metric,
            "scale": self.scale_or("range"),
            "n_queries": self.n_queries,
            "random_state": int(self.random_state),
        }

    # A weight is refused by the criterion, which says why. It is not named here, so that scikit-learn does not take it
    # for a parameter that is supported.
    def fit(self, X: Any, y: Any = None, *weights: Any, **named: Any) -> Self:
        """Choose features.

        Parameters
        ----------
        X : array, sparse matrix or table of shape (n_rows, n_features_in_), or a Source made by scan()
        y : the class of each row; None where X is a Source, which has its own
        """
        return super().fit(X, y, *weights, **named)
