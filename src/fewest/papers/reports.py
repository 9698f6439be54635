"""What the run of an item found: its table, verdict and provenance as text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass

from fewest.display.formatting import seconds as written_seconds
from fewest.papers.claims import named
from fewest.papers.declarations import Item, Paper, Run
from fewest.papers.experiments.known_tables import KNOWN_TABLES
from fewest.papers.numbers import Measured, Measurement, Number
from fewest.papers.pictures import drawn
from fewest.papers.verdicts import CellVerdict, Verdict

#: The unit of items whose numbers are times.
SECONDS = "s"
COLUMNS = ("", "paper", "ours", "difference", "agrees", "honest")


@dataclass(frozen=True)
class Line:
    """A number of the paper beside ours, as text.

    honest : ours without what the paper's protocol lets leak; "" where nothing leaks
    """

    label: str
    paper: str
    ours: str
    difference: str
    agrees: str
    honest: str = ""


@dataclass(frozen=True)
class ClaimLine:
    """A claim, whether it holds, and the evidence."""

    claim: str
    outcome: str
    evidence: str


@dataclass(frozen=True)
class ItemReport:
    """An item that was run.

    paper, item, title, claim : what it is
    lines, claims : numbers and claims, compared
    verdict, reason : computed from these
    notes, choices : what happened in this run, and what we chose
    command, seed, is_quick, rows, seconds, version : how it was made
    """

    paper: str
    item: str
    title: str
    claim: str
    heading: str
    unit: str
    lines: tuple[Line, ...]
    claims: tuple[ClaimLine, ...]
    verdict: str
    reason: str
    notes: tuple[str, ...]
    choices: tuple[str, ...]
    command: str
    seed: int
    is_quick: bool
    rows: str
    seconds: float
    version: str
    picture: str = ""

    @classmethod
    def of(
        cls, paper: Paper, item: Item, measured: Measured, verdict: Verdict, run: Run, seconds: float, version: str
    ) -> ItemReport:
        """The report of what was measured."""
        quick = " --quick" if run.quick else ""
        seed = f" --seed {run.seed}" if run.seed else ""
        data = " --data DIR" if any(KNOWN_TABLES[name].terms is None for name in item.tables) else ""
        return cls(
            paper=paper.name, item=item.name, title=item.title, claim=item.claim, heading=item.heading, unit=item.unit,
            lines=tuple(_line(cell, item.unit) for cell in verdict.cells if cell.measurement is not None),
            claims=tuple(ClaimLine(one.claim, one.outcome, one.evidence) for one in verdict.findings),
            verdict=verdict.word, reason=verdict.reason, notes=measured.notes, choices=item.choices,
            command=f"fewest reproduce {paper.name} --item {item.name}{data}{quick}{seed}", seed=run.seed,
            is_quick=run.quick, rows=measured.rows, seconds=seconds, version=version,
            picture="" if item.picture is None else drawn(item.picture, item.title, verdict.cells),
        )  # fmt: skip

    def table(self) -> list[tuple[str, ...]]:
        """The header and the lines; columns without contents are left out."""
        rows = [astuple(line) for line in self.lines]
        columns = [at for at in range(len(COLUMNS)) if at == 0 or any(row[at] for row in rows)]
        return [tuple(row[at] for at in columns) for row in [(self.heading, *COLUMNS[1:]), *rows]]

    @property
    def provenance(self) -> str:
        """Command, seeds, rows and time."""
        extent = "quick run" if self.is_quick else "full run"
        seed = f"seed {self.seed}"
        return f"{self.command} · {extent} · {seed} · {self.rows} · {written_seconds(self.seconds)} · {self.version}"

    @property
    def picture_file(self) -> str:
        """The name of the file of its picture, next to the page."""
        return f"figures/{self.paper}-{self.item.lower()}.svg"

    def to_text(self) -> str:
        """The report for a terminal."""
        heading = f"{self.paper} {self.item}: {self.title}"
        parts = [heading, self.claim, ""]
        parts += _aligned(self.table())
        if self.claims:
            parts += [""] + [f"  {one.outcome:<6} {one.claim}: {one.evidence}" for one in self.claims]
        parts += ["", f"{self.verdict}: {self.reason}"]
        parts += [f"  {text}" for text in (*self.notes, *self.choices)]
        return "\n".join([*parts, f"  {self.provenance}"])

    def to_markdown(self) -> str:
        """The report as a section of a page."""
        header, *rows = self.table()
        parts = [
            f"## {self.item}. {self.title}",
            "",
            self.claim,
            "",
            f"**{_capital(self.verdict)}.** {self.reason}",
            "",
        ]
        if rows:
            parts += [_cells(header), "|---" + "|---:" * (len(header) - 1) + "|", *map(_cells, rows), ""]
        if self.claims:
            parts += ["| claim | | evidence |", "|---|---|---|"]
            parts += [_cells((one.claim, one.outcome, one.evidence)) for one in self.claims] + [""]
        parts += [f"- {text}" for text in (*self.choices, *self.notes)]
        if self.choices or self.notes:
            parts.append("")
        where, _, rest = self.provenance.partition(" · ")
        return "\n".join([*parts, f"`{where}` · {rest}", ""])


def _line(cell: CellVerdict, unit: str) -> Line:
    ours = cell.measurement
    assert ours is not None
    honest = "" if ours.honest is None else _signed(f"{ours.honest:.1f}")
    is_compared = cell.number is not None and cell.number.is_compared
    difference = _signed(f"{ours.mean - cell.number.value:+,.1f}") if cell.number is not None and is_compared else ""
    if len(ours.values) < 2:
        difference = difference.removesuffix(".0")
    return Line(named(cell.key), _paper_text(cell.number), _our_text(ours, unit), difference, cell.agrees or "", honest)


def _paper_text(number: Number | None) -> str:
    return "" if number is None else str(number)


def _our_text(ours: Measurement, unit: str) -> str:
    if len(ours.values) < 2:
        return _signed(f"{ours.mean:.2g}" if 0 < abs(ours.mean) < 1 else f"{ours.mean:,.1f}".removesuffix(".0"))
    form = ".2g" if unit == SECONDS else ".1f"
    return _signed(f"{ours.mean:{form}} ({ours.low:{form}} to {ours.high:{form}})")


def _signed(text: str) -> str:
    return text.replace("-", "−")


def _aligned(table: Sequence[tuple[str, ...]]) -> list[str]:
    widths = [max(len(row[column]) for row in table) for column in range(len(table[0]))]
    lines = []
    for first, *others in table:
        numbers = [f"{cell:>{width}}" for cell, width in zip(others, widths[1:], strict=True)]
        lines.append("  ".join([f"  {first:<{widths[0]}}", *numbers]).rstrip())
    return lines


def _cells(row: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
