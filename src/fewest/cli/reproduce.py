"""fewest reproduce: the tables and figures of the papers, run again, with the paper's numbers beside ours."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fewest.cli.interrupts import stop_code, stop_word
from fewest.cli.output import Outputs, echo
from fewest.errors import InvalidInput, InvalidParameter
from fewest.start_up import import_scikit_learn

if TYPE_CHECKING:
    from fewest.papers.declarations import Item, Paper, Run
    from fewest.papers.reports import ItemReport


@click.command()
@click.argument("paper", required=False)
@click.option("--item", "items", multiple=True, metavar="NAME", help="A table or figure, such as T1; may be repeated.")
@click.option("--data", metavar="DIR", help="A folder of tables that are not in the repository.")
@click.option("--quick", is_flag=True, help="Fewer splits and draws: under a minute for most items.")
@click.option("--seed", default=0, show_default=True, help="The seed of all splits and draws.")
@click.option("--jobs", default=-1, show_default=True, help="Trials run in parallel; -1: one per processor.")
@click.option("--resume", metavar="FOLDER", help="Store every report and trial there, and use those stored.")
@click.option("--stored", is_flag=True, help="Run nothing: show what --resume holds, full runs before quick ones.")
@click.option("--report", metavar="FILE", help="Write one HTML page.")
@click.option("--markdown", metavar="FOLDER", help="Write a page a paper, and the front page where PAPER is all.")
@click.option("--force", is_flag=True, help="Overwrite output files that exist.")
@click.option("-q", "--quiet", is_flag=True, help="No progress.")
def reproduce(
    paper: str | None, items: tuple[str, ...], data: str | None, quick: bool, seed: int, jobs: int,
    resume: str | None, stored: bool, report: str | None, markdown: str | None, force: bool, quiet: bool,
) -> None:  # fmt: skip
    """Run the tables and figures of PAPER (or of all) again, and print the paper's numbers beside ours with a verdict
    that is computed from them. Without PAPER, list the papers and their items."""
    import_scikit_learn()
    from fewest.evaluation.run.jobs import check_n_jobs
    from fewest.papers import pages
    from fewest.papers.declarations import Run
    from fewest.papers.papers_by_name import all_papers, paper_by_name
    from fewest.parameters import check_count

    if paper is None:
        if items:
            raise InvalidParameter(
                "--item names an item of a paper. Name the paper too: fewest reproduce mkl --item T1."
            )
        echo(pages.listing(all_papers()))
        return
    if stored and resume is None:
        raise InvalidParameter("--stored shows what a folder holds. Name it with --resume FOLDER.")
    check_count("seed", seed, at_least=0)
    check_n_jobs(jobs)
    papers = all_papers() if paper == "all" else (paper_by_name(paper),)
    chosen = [(one, item) for one in papers for item in one.find(items)]
    outputs = Outputs([report], force)
    folder = None if resume is None else _folder(resume, "--resume")
    target = None if markdown is None else _folder(markdown, "--markdown")
    where = None if data is None else Path(data)
    if where is not None and not where.is_dir():
        raise InvalidInput(f"--data takes a folder, got {data!r}, which is none.")

    def advance(done: str) -> None:
        if not quiet:
            echo(f"fewest: {done}", err=True)

    run = Run(quick=quick, seed=seed, n_jobs=jobs, data=where, advance=advance)
    found = _run_all(chosen, run, folder, stored, outputs)
    if report:
        outputs.write(report, pages.html_page(list(found.values()), papers), "report")
    if target is not None:
        found = {**_stored(papers, run, folder), **found}
        for one in papers:
            _write(target / f"{one.name.replace('-', '_')}.md", pages.paper_page(one, found))
        if paper == "all":
            _write(target / "README.md", pages.front_page(papers, found))
        for made in found.values():
            if made.picture:
                _write(_folder(str(target / "figures"), "--markdown") / Path(made.picture_file).name, made.picture)
        outputs.say(f"pages written to {target}")


def _run_all(
    chosen: list[tuple[Paper, Item]], run: Run, folder: Path | None, stored: bool, outputs: Outputs
) -> dict[tuple[str, str], ItemReport]:
    """Run one item after the other, and print each when it is done; an item whose data are not there is passed over."""
    from fewest.papers.runner import absence, longest_stored, run_item, runnable

    found: dict[tuple[str, str], ItemReport] = {}
    for number, (paper, item) in enumerate(chosen):
        if stored and folder is not None:
            report = longest_stored(folder, paper, item, run)
            if report is None:
                continue
        else:
            if len(chosen) > 1 and not runnable(item, run):
                outputs.say(f"{paper.name} {item.name} is passed over: {absence(item, run)}\n")
                continue
            run.advance(f"{paper.name} {item.name}, {number + 1} of {len(chosen)}: {item.title}")
            try:
                report = run_item(paper, item, run, folder)
            except KeyboardInterrupt:
                kept = f" Continue with --resume {folder}." if folder else " --resume FOLDER would keep what is done."
                echo(f"fewest: {stop_word()} in {paper.name} {item.name}.{kept}", err=True)
                sys.exit(stop_code())
        found[paper.name, item.name] = report
        outputs.say(report.to_text() + "\n")
    return found


def _stored(papers: tuple[Paper, ...], run: Run, folder: Path | None) -> dict[tuple[str, str], ItemReport]:
    """What a folder holds of these papers, so that a page has more than what was run just now."""
    from fewest.papers.runner import longest_stored

    if folder is None:
        return {}
    held = {(one.name, item.name): longest_stored(folder, one, item, run) for one in papers for item in one.built}
    return {key: report for key, report in held.items() if report is not None}


def _folder(name: str, option: str) -> Path:
    """A folder, made where there is none."""
    path = Path(name)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidParameter(f"{option} takes a folder, and {name!r} cannot be one: {error.strerror}.") from None
    return path


def _write(path: Path, text: str) -> None:
    from fewest.atomic_files import write_atomically

    write_atomically(path, lambda temporary: temporary.write_text(text, "utf-8"))
