"""Processes that are killed in the middle of a pass."""

from __future__ import annotations

import os
import subprocess
import threading

#: How often each test kills a worker: FEWEST_KILLS=10 for a thorough look.
N_KILLS = int(os.environ.get("FEWEST_KILLS", "1"))
#: The passes of mRMR over a table with text that is too large to be kept, in their order, and a round after them.
PASSES = ("sample", "facts", "summaries", "encoding", "round")


class Moments:
    """The moments of a fit at which a worker is to be killed: once, when the computation of this name starts.

    when : one of PASSES
    """

    def __init__(self, when):
        self.when, self.n_passes, self.is_killed, self.names = when, 0, False, []

    def is_now(self, what):
        """Whether the computation that starts now is the one; counts it."""
        if what == "files":  # where the row groups of Parquet files are found: no rows are read
            return False
        if what.endswith("round"):
            name = "round"
        else:
            name = PASSES[self.n_passes]
            self.n_passes += 1
        self.names.append(name)
        is_now = name == self.when and not self.is_killed
        self.is_killed |= is_now
        return is_now


def delay(repetition):
    """Seconds from the start of a pass to the kill: another part of the pass in every repetition."""
    return 0.03 + 0.04 * (repetition % 10)


def later(seconds, kill):
    timer = threading.Timer(seconds, kill)
    timer.daemon = True
    timer.start()


def descendants(name):
    """The processes below this one whose command has this in it, as pairs of their numbers and their parents'."""
    listed = subprocess.run(["ps", "-eo", "pid,ppid,args"], capture_output=True, text=True, check=True).stdout
    lines = [line.split(None, 2) for line in listed.splitlines()[1:]]
    children = {}
    for pid, parent, command in lines:
        children.setdefault(int(parent), []).append((int(pid), int(parent), command))
    found, below = [], [os.getpid()]
    while below:
        for pid, parent, command in children.get(below.pop(), ()):
            below.append(pid)
            if name in command:
                found.append((pid, parent))
    return found
