"""Text from files, safe to print."""

from __future__ import annotations


def printable(text: str) -> str:
    """The text with a replacement for each character that would break the line or steer the terminal."""
    return "".join(character if character.isprintable() else "�" for character in text)
