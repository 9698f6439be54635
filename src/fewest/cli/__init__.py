"""The command: one function per subcommand."""

from fewest.cli.main import main

__all__ = ["main"]
