"""
Sensors, larger than memory
===========================

Machines write a reading of every sensor each second, a file a day. The files together
do not fit into memory, or should not have to. :func:`~fewest.scan` reads them a block
at a time; the answer is the same, to the bit, as that of the whole table.
"""

# %%
# A folder of files
# -----------------
# Eight Parquet files of 25,000 rows and 60 sensors: small enough for a story, and
# read in the same way as eight hundred. Four sensors change before a failure; sensor
# 7 is the mean of two of them.

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

folder = Path(tempfile.mkdtemp())
rng = np.random.default_rng(0)
for day in range(8):
    readings = rng.normal(20, 3, size=(25_000, 60)).astype(np.float32)
    fails = rng.random(25_000) < 0.2
    readings[:, [3, 12, 30, 41]] += fails[:, None] * np.array(
        [2.0, 1.5, 1.0, 0.7], dtype=np.float32
    )
    readings[:, 7] = readings[:, [3, 12]].mean(axis=1) + rng.normal(0, 0.5, 25_000)
    frame = pd.DataFrame(readings).add_prefix("sensor")
    frame.insert(0, "state", np.where(fails, "fails", "runs"))
    frame.to_parquet(folder / f"day{day}.parquet")
size = sum(file.stat().st_size for file in folder.iterdir())
print(f"{size / 1e6:.0f} MB in {len(list(folder.iterdir()))} files")

# %%
# One read
# --------
# The Fisher-Markov selector needs a few sums of each class and column, so it reads
# every file once and keeps nothing else. mRMR counts categories, and reads twice.

from fewest import MRMR, FisherMarkov, scan

rows = scan(str(folder / "*.parquet"), target="state")
streamed = MRMR(n_features=6).fit(rows)
print(streamed.selection_)

# %%
# The same answer as in memory
# ----------------------------

whole = pd.concat([pd.read_parquet(file) for file in sorted(folder.iterdir())])
in_memory = MRMR(n_features=6).fit(whole.drop(columns="state"), whole["state"])
assert streamed.selection_.features == in_memory.selection_.features
assert streamed.selection_.scores == in_memory.selection_.scores
print("the features and their scores are equal to the bit")

# %%
# Days that arrive one by one
# ---------------------------
# What is kept of the rows seen so far is small, so a selector of sums can also learn
# day by day, by ``partial_fit``. How the scores settle:

learning = FisherMarkov(n_features=5)
scores = []
for file in sorted(folder.iterdir()):
    day = pd.read_parquet(file)
    learning.partial_fit(day.drop(columns="state"), day["state"])
    scores.append(learning.scores_)

figure, axis = plt.subplots(figsize=(6, 3.2), layout="constrained")
history = np.array(scores)
axis.plot(range(1, 9), history, color="lightgrey", linewidth=0.8)
for column in learning.selection_.indices:
    axis.plot(
        range(1, 9), history[:, column], "o-", label=learning.feature_names_in_[column]
    )
axis.set_xlabel("days seen")
axis.set_ylabel("score θ")
axis.legend()

# %%
# Methods that compare rows with each other, such as ReliefF, take a sample:
# ``ReliefF(n_features=5, sample=2000)``. It is drawn by the contents of the rows, so
# the order of the files does not matter. On the command line: ``fewest select
# "rows/*.parquet" --target state --features 6``.

from fewest import ReliefF

print(ReliefF(n_features=5, sample=2000).fit(rows).selection_)
