"""The entry point: subcommands are imported when they are called, errors become one line and an exit code."""

from __future__ import annotations

import gc
import io
import os
import shlex
import sys
from contextlib import suppress
from importlib import import_module
from typing import NoReturn

import click

from fewest.cli.interrupts import stop_code, stop_word, termination_as_interrupt
from fewest.cli.output import finish_standard_output, printable
from fewest.errors import FewestError, UnexpectedError, did_you_mean
from fewest.start_up import begin
from fewest.unexpected import explained

_COMMANDS = {
    "select": "Choose features of a table.",
    "compare": "Compare methods by nested cross-validation.",
    "check": "Say what is odd about a table.",
    "verify": "Recompute a selection from the data.",
    "methods": "List every method, or explain one.",
    "reproduce": "Run the tables and figures of the papers again.",
}


class _Commands(click.Group):
    """List the subcommands without importing them, so that --help does not wait for scikit-learn."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in _COMMANDS:
            return None
        command: click.Command = getattr(import_module(f"fewest.cli.{name}"), name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in _COMMANDS and not args[0].startswith("-"):
            ctx.fail(
                f"No such command {args[0]!r}{did_you_mean(args[0], _COMMANDS)}. There are {', '.join(_COMMANDS)}."
            )
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="fewest")
def commands() -> None:
    """The fewest features that still separate your classes, with proof of what can be proved."""


def main(arguments: list[str] | None = None) -> None:
    """Run the command.

    Exit codes: 0 done, 1 the input is wrong, 2 wrong usage, 130 interrupted, 141 standard output was closed, 143
    terminated. With FEWEST_TRACEBACK set, an unexpected error has its traceback.
    """
    if arguments is not None:
        begin()
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A terminal that lacks a character shows another one instead of failing.
        sys.stdout.reconfigure(errors="replace")
    with termination_as_interrupt():
        try:
            commands.main(args=arguments, prog_name="fewest", standalone_mode=False)
            finish_standard_output()
            if arguments is None:
                # A process that ends need not look at every object of every library once more.
                gc.freeze()
        except click.exceptions.Exit as stop:
            sys.exit(stop.exit_code)
        except click.ClickException as error:
            error.show()
            sys.exit(error.exit_code)
        except (KeyboardInterrupt, click.Abort) as stop:
            if isinstance(stop.__cause__, EOFError):
                _refuse(_unexpected(stop.__cause__, arguments))
            _say(f"{stop_word()}; no file is left half written.")
            sys.exit(stop_code())
        except FewestError as error:
            _refuse(error)
        except Exception as error:
            _refuse(_unexpected(error, arguments))


def _unexpected(error: Exception, arguments: list[str] | None) -> FewestError:
    found = explained("fewest", {"command": shlex.join(sys.argv[1:] if arguments is None else arguments)}, error)
    found.__cause__ = error
    return found


def _refuse(error: FewestError) -> NoReturn:
    """Say what is wrong in one line."""
    if isinstance(error, UnexpectedError) and os.environ.get("FEWEST_TRACEBACK"):
        raise error
    _say(printable(" ".join(str(error).splitlines())))
    sys.exit(1)


def _say(text: str) -> None:
    with suppress(OSError):  # standard error may be closed
        click.echo(f"fewest: {text}", err=True)
