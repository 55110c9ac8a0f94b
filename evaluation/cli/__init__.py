"""The command line: one module a command, each with `add_parser` and `run`.

Exit codes: 0 done; 1 a file that was to be judged is invalid; 2 wrong usage or an invalid gold file.
"""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Sequence
from importlib import import_module

from ..version import VERSION

COMMANDS = ("score", "validate", "diff", "report", "campaign")


def parser(wanted: Sequence[str] = COMMANDS) -> argparse.ArgumentParser:
    """The parser of these commands; a command that is not wanted is not even imported."""
    top = argparse.ArgumentParser(
        prog="python -m evaluation",
        description="Check, score and compare CoNLL-U files. docs/metrics.md defines every number.",
    )
    top.add_argument("--version", action="version", version=f"arboretum evaluation {VERSION}")
    commands = top.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in wanted:
        import_module(f"{__name__}.{command}").add_parser(commands)
    return top


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; the exit code."""
    _prepare_streams()
    words = list(sys.argv[1:] if argv is None else argv)
    if not words:
        parser().print_help(sys.stderr)
        return 2
    named = [word for word in words[:1] if word in COMMANDS]
    arguments = parser(named or COMMANDS).parse_args(words)
    try:
        code = int(arguments.run(arguments))
        sys.stdout.flush()
        return code
    except OSError as error:
        # What cannot be read is an incident, so this is the output.
        return _without_output(error)
    except KeyboardInterrupt:
        return 130


def _prepare_streams() -> None:
    for name in ("stdin", "stdout", "stderr"):
        # Whoever started the program may have closed them.
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), "r+", encoding="utf-8"))
    # Quotation marks and forms must not bring the program down on a terminal that knows only ASCII.
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _without_output(error: OSError) -> int:
    """A reader who has seen enough is no fault, a full disk is; closing the output must not fail again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if isinstance(error, BrokenPipeError):
        return 0
    print(f"The output cannot be written: {error.strerror}", file=sys.stderr)
    return 2
