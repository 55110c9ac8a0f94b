"""The command line: one module a command, each with `add_parser` and `run`.

Exit codes: 0 done; 1 a file that was to be judged is invalid; 2 wrong usage or an invalid gold file.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from evaluation.cli import score, validate
from evaluation.version import VERSION

COMMANDS = (score, validate)


def parser() -> argparse.ArgumentParser:
    """The parser of all commands."""
    top = argparse.ArgumentParser(
        prog="python -m evaluation",
        description="Check, score and compare CoNLL-U files. docs/metrics.md defines every number.",
    )
    top.add_argument("--version", action="version", version=f"arboretum evaluation {VERSION}")
    commands = top.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in COMMANDS:
        command.add_parser(commands)
    return top


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; the exit code."""
    arguments = parser().parse_args(argv)
    try:
        code = int(arguments.run(arguments))
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        # Whoever reads the output has seen enough; Python must not complain again when it closes the pipe.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return 130
