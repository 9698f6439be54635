"""What every classifier that evaluates features can do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fewest.arrays import Codes, Floats, Indices
from fewest.errors import InvalidParameter
from fewest.metrics import Response

if TYPE_CHECKING:
    from fewest.evaluation.design.groups import Groups

#: The score of a class without training rows, below all others.
LOWEST_SCORE = -1e300


@dataclass(frozen=True)
class Predictions:
    """The predicted classes of test rows, sizes by rows, and their scores, sizes by rows by all classes, or None."""

    classes: Codes
    scores: Floats | None = None

    def renumbered(self, ranks: Indices) -> Predictions:
        """The same with other numbers of the classes; ranks has the new number of each."""
        scores = None if self.scores is None else self.scores[:, :, np.argsort(ranks)]
        return Predictions(ranks[self.classes].astype(np.int32), scores)

    def scores_at(self, size_index: int) -> Floats | None:
        """The scores with the features of one size."""
        return None if self.scores is None else self.scores[size_index]


class Classifier:
    """Predicts the classes of test rows; columns come scaled and without missing values.

    A subclass overrides predict, or predict_nested where it can evaluate all sizes at once; and scores_nested for
    metrics that need more than classes.
    """

    name: str
    description: str

    def predict(self, train: Floats, codes: Codes, test: Floats) -> Codes:
        """The classes of the test rows."""
        only: Codes = self.predict_nested(train, codes, test, [train.shape[1]])[0]
        return only

    def predict_nested(self, train: Floats, codes: Codes, test: Floats, ends: Sequence[int]) -> Codes:
        """The classes of the test rows by the first columns alone, up to each of these ends: ends by rows."""
        return np.stack([self.predict(train[:, :end], codes, test[:, :end]) for end in ends])

    def scores_nested(
        self, train: Floats, codes: Codes, test: Floats, ends: Sequence[int], response: Response, n_classes: int
    ) -> Predictions:
        """Classes and scores of the test rows by the first columns alone, up to each of these ends.

        response : "scores", the larger the rather is it that class, or "probabilities", which sum to one
        """
        raise InvalidParameter(f"The classifier {self.name!r} gives no {response} of the classes. Leave it out.")

    def respond(
        self, train: Floats, codes: Codes, test: Floats, ends: Sequence[int], response: Response, n_classes: int
    ) -> Predictions:
        """What a metric needs: classes, or classes and scores."""
        if response == "classes":
            return Predictions(self.predict_nested(train, codes, test, ends))
        return self.scores_nested(train, codes, test, ends, response, n_classes)

    def tuning_candidates(self) -> Sequence[Classifier]:
        """The same classifier with other parameters, among which tuning chooses."""
        return ()

    def with_groups(self, groups: Groups | None) -> Classifier:
        """The same classifier for training rows of these groups, which its own folds keep together."""
        return self


def softmax(scores: Floats) -> Floats:
    """Exponentials of the scores in the last axis, over their sum."""
    shifted = np.exp(scores - scores.max(axis=-1, keepdims=True))
    probabilities: Floats = shifted / shifted.sum(axis=-1, keepdims=True)
    return probabilities


def stacked(parts: Sequence[Predictions]) -> Predictions:
    """The predictions of several sizes, one after the other."""
    scores = [part.scores for part in parts if part.scores is not None]
    return Predictions(np.concatenate([part.classes for part in parts]), np.concatenate(scores) if scores else None)
