"""python -m fewest is the command."""

from fewest.cli import main

main()
