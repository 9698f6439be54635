"""The entry point: subcommands are imported when they are called, errors become one line and an exit code."""

from __future__ import annotations

import io
import sys
from importlib import import_module

import click

from fewest.cli.output import printable
from fewest.errors import FewestError, did_you_mean

_COMMANDS = {
    "select": "Choose features of a table.",
    "compare": "Compare methods by nested cross-validation.",
    "check": "Say what is odd about a table.",
    "methods": "List every method, or explain one.",
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
    """Run the command. Exit codes: 0 done, 1 the input is wrong, 2 wrong usage, 130 interrupted."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A terminal that lacks a character shows another one instead of failing.
        sys.stdout.reconfigure(errors="replace")
    try:
        commands.main(args=arguments, prog_name="fewest", standalone_mode=False)
    except click.exceptions.Exit as stop:
        sys.exit(stop.exit_code)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except FewestError as error:
        click.echo(f"fewest: {printable(' '.join(str(error).splitlines()))}", err=True)
        sys.exit(1)
    except (KeyboardInterrupt, click.Abort):
        click.echo("fewest: interrupted; no file is left half written.", err=True)
        sys.exit(130)
