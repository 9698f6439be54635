"""What pictures of the recommended features are drawn from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from fewest.summary.certificates import Certificate
from fewest.summary.recommended_features import Substitutes


@dataclass(frozen=True)
class ClassDensity:
    """The density of a feature in one class, on the grid of the feature, and its mean; None without a value."""

    name: str
    density: Sequence[float]
    mean: float | None


@dataclass(frozen=True)
class FeatureDensity:
    """The densities of a feature by class.

    grid : from the least to the largest value; where is_cut, the outermost 1 % of the rows lie beyond
    missing : the share of the rows without a value
    is_logarithmic : the grid is even, and the density is that, of the logarithm
    """

    feature: str
    grid: Sequence[float]
    classes: Sequence[ClassDensity]
    is_cut: bool = False
    missing: float = 0.0
    is_logarithmic: bool = False


@dataclass(frozen=True)
class ClassShares:
    """The share of each category of a feature in one class."""

    name: str
    shares: Sequence[float]


@dataclass(frozen=True)
class FeatureShares:
    """The categories of a feature, or its values where they are few, and the share of each by class."""

    feature: str
    categories: Sequence[str]
    classes: Sequence[ClassShares]


@dataclass(frozen=True)
class FeaturePair:
    """The two features with the least error of the nearest neighbour, and rows as (x, y, class code) in them.

    error : the leave-one-out error of the nearest neighbour in this pair
    n_features : the number of features of which every two were tried
    """

    x: str
    y: str
    points: Sequence[tuple[float, float, int]]
    error: float
    n_features: int


@dataclass(frozen=True)
class Redundancy:
    """How alike every two features are, from 0 to 1."""

    features: Sequence[str]
    matrix: Sequence[Sequence[float]]
    measure: str


@dataclass(frozen=True)
class Pictures:
    """The recommended features in numbers that can be drawn."""

    densities: Sequence[FeatureDensity] = ()
    pair: FeaturePair | None = None
    redundancy: Redundancy | None = None
    shares: Sequence[FeatureShares] = ()

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Self:
        """Read what `dataclasses.asdict` made."""
        pair, redundancy = content["pair"], content["redundancy"]
        return cls(
            [
                FeatureDensity(**d | {"classes": [ClassDensity(**one) for one in d["classes"]]})
                for d in content["densities"]
            ],
            FeaturePair(**pair | {"points": [(x, y, code) for x, y, code in pair["points"]]}) if pair else None,
            Redundancy(**redundancy) if redundancy else None,
            [FeatureShares(**s | {"classes": [ClassShares(**one) for one in s["classes"]]}) for s in content["shares"]],
        )


@dataclass(frozen=True)
class Views:
    """What is known of the recommended features beyond their error.

    selection : the selection on all rows at the recommended size, as JSON holds it
    """

    pictures: Pictures
    certificate: Certificate | None
    substitutes: Substitutes
    selection: Mapping[str, Any] | None = None

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Self:
        """Read what `dataclasses.asdict` made."""
        substitutes = Substitutes.from_dict(content["substitutes"])
        pictures = Pictures.from_dict(content["pictures"])
        certificate = None if content["certificate"] is None else Certificate.from_dict(content["certificate"])
        return cls(**{**content, "pictures": pictures, "substitutes": substitutes, "certificate": certificate})
