"""Wrong usage of a command, discovered after its arguments were read."""

from __future__ import annotations


class WrongUsage(Exception):
    """The message says what is wrong with the arguments."""
