"""GOLD and SYSTEM, the two files that `score`, `diff`, `report` and `errors` compare."""

from __future__ import annotations

import argparse
import sys

from ..scoring.score import InvalidGold
from .incidents import as_text

REFUSED = 2


def add_files(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("gold", metavar="GOLD", help=".conllu (also .gz, .xz, .bz2), or - for stdin")
    parser.add_argument("system", metavar="SYSTEM", help="same formats as GOLD")


def are_one_stream(arguments: argparse.Namespace) -> bool:
    """Print an error if both files are standard input."""
    if not arguments.gold == arguments.system == "-":
        return False
    print("GOLD and SYSTEM cannot both be standard input.", file=sys.stderr)
    return True


def print_invalid_gold(refusal: InvalidGold) -> None:
    print(f"The gold file is invalid.\n{as_text(refusal.report)}", file=sys.stderr)
