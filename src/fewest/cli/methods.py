"""fewest methods: every method in a line."""

from __future__ import annotations

import click


@click.command()
def methods() -> None:
    """List every method: what it does, what data it takes, what it proves, what it costs."""
    from fewest.selectors.registry import methods_by_name

    selectors = methods_by_name()
    width = max(map(len, selectors))
    for name, selector in selectors.items():
        click.echo(f"{name:<{width}}  {selector.summary}")
        click.echo(f"{'':<{width}}  takes {selector.takes}; proves {selector.proves}; costs {selector.cost}")
