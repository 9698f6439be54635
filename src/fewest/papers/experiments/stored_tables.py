"""The papers' real data: files of known contents, in the repository or in a folder that the caller names."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy import sparse

import fewest
from fewest.arrays import Mask
from fewest.datasets import Dataset
from fewest.errors import InvalidInput, UnreadableFile

#: The folder of the repository, next to src; it is not in the wheel.
_FOLDER = Path("data/papers")


@dataclass(frozen=True)
class StoredTable:
    """A .npz file with X and y, and class_names and feature_names where there are any.

    Where most values are zero it has data, indices, indptr and shape of a CSR matrix in place of X; train marks the
    training rows where the source has such a part.

    shape : rows and columns
    sha256 : of the file
    source : where it can be had
    terms : on which it can be passed on; None: unknown, so that it is not in the repository
    """

    name: str
    shape: tuple[int, int]
    sha256: str
    source: str
    terms: str | None = None

    def load(self, folder: Path | None, labels: str = "y") -> Dataset:
        """Read it from the folder, or from the repository; a file that differs is refused.

        labels : which array has the classes, of those that have several
        """
        with np.load(self._checked(folder), allow_pickle=False) as arrays:
            if "indptr" in arrays:
                parts = (arrays["data"].astype(np.float64), arrays["indices"], arrays["indptr"])
                X = sparse.csr_matrix(parts, shape=tuple(arrays["shape"]))
            else:
                X = np.ascontiguousarray(arrays["X"], dtype=np.float64)
            is_named = labels == "y" and "class_names" in arrays
            y = np.asarray(arrays["class_names"])[arrays["y"]] if is_named else arrays[labels]
            known = "feature_names" in arrays
            names = list(map(str, arrays["feature_names"])) if known else [f"x{i + 1}" for i in range(X.shape[1])]
        return Dataset(X, y, names, target_name="target", name=self.name)

    def training_rows(self, folder: Path | None) -> Mask:
        """Which rows are the training part of the source."""
        with np.load(self._checked(folder), allow_pickle=False) as arrays:
            return np.asarray(arrays["train"], dtype=np.bool_)

    def _checked(self, folder: Path | None) -> Path:
        path = self.find(folder)
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        if digest != self.sha256:
            raise InvalidInput(
                f"{path} is not the table {self.name} that this experiment is about: its SHA-256 is {digest}, and it "
                f"should be {self.sha256}. {self._advice}"
            )
        return path

    def find(self, folder: Path | None) -> Path:
        """The file: in the folder, then in the repository from which fewest runs, or in which the command is given."""
        near = [] if folder is None else [folder]
        for place in [*near, _FOLDER, Path(fewest.__file__).parents[2] / _FOLDER]:
            path = place / f"{self.name}.npz"
            if path.is_file():
                return path
        raise UnreadableFile(self.absence(folder))

    def absence(self, folder: Path | None) -> str:
        """What to say where the file is not there: where it can be had, and its hash."""
        looked = "" if folder is None else f" in {folder}"
        what = f"The table {self.name} ({self.shape[0]} × {self.shape[1]}) is needed"
        return f"{what}, and there is no {self.name}.npz{looked}. {self._advice}"

    def is_there(self, folder: Path | None) -> bool:
        """Whether a file of this name can be found."""
        try:
            self.find(folder)
        except UnreadableFile:
            return False
        return True

    @property
    def _advice(self) -> str:
        return (
            f"It can be had from {self.source}; give its folder with --data (SHA-256 of the .npz file: {self.sha256})."
        )
