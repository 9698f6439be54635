"""Verify many honest selections, and as many that were tampered with.

    python tests/selectors/verification/run.py            500 of each, all kinds of selectors and of tampering in turn
    python tests/selectors/verification/run.py --cases 2000

Prints the number of each outcome, and every honest selection that was not accepted or tampered one that was. Exits with
1 if there is any.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from pathlib import Path

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).parents[3]))

from tests.selectors.verification.cases import PROVING, TAMPERING, honest_case, outcome, tampered


def run(n_cases):
    """The outcomes of honest and tampered selections, those by what was changed, and those that are wrong."""
    honest, changed, by_field, wrong = Counter(), Counter(), Counter(), []
    kinds = list(TAMPERING)
    proved = Counter()
    for number in range(n_cases):
        table, labels, selection = honest_case(number)
        proved["optimal" if selection.is_optimal else "with a bound"] += 1
        text = selection.to_json()
        word, said = outcome(text, table, labels)
        honest[word] += 1
        if word != "accepted":
            wrong.append(f"honest case {number}: {said}")
        for shift in range(len(kinds)):
            # Another kind where this one does not apply, such as breakpoints where there are none.
            what = kinds[(number + number // len(PROVING) + shift) % len(kinds)]
            other = tampered(text, what, list(table.columns))
            if other is not None:
                break
        word, said = outcome(other, table, labels)
        changed[word] += 1
        by_field[what] += 1
        if word == "accepted":
            wrong.append(f"case {number} with another {what}: {said}")
    return honest, changed, by_field, proved, wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=500)
    started = time.process_time()
    honest, changed, by_field, proved, wrong = run(parser.parse_args().cases)
    print(f"honest: {dict(honest)} ({', '.join(f'{n} {how}' for how, n in proved.items())})")
    print(f"tampered: {dict(changed)}")
    print("  " + ", ".join(f"{what} {n}" for what, n in by_field.items()))
    print("\n".join(wrong) or "nothing wrong", f"({time.process_time() - started:.0f} s of processor time)", sep="\n")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
