"""The command line: one module per command, each with `add_parser` and `run`.

Exit codes: 0 success; 1 a checked or scored file is invalid; 2 wrong usage or an invalid gold file.
"""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Sequence
from importlib import import_module

from ..scoring.clusterings import MissingPackage
from ..scoring.profile import ProfileError
from ..version import PROGRAM, VERSION
from .usage import WrongUsage

COMMANDS = ("score", "validate", "diff", "report", "errors", "cascades", "curves", "judgements", "campaign")


def parser(names: Sequence[str] = COMMANDS) -> argparse.ArgumentParser:
    """The parser for these commands; no other command is imported, which keeps the start fast."""
    top = argparse.ArgumentParser(
        prog=PROGRAM,
        description="Check, score and compare CoNLL-U files. docs/metrics.md defines every number.",
    )
    top.add_argument("--version", action="version", version=f"arboretum evaluation {VERSION}")
    commands = top.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for name in names:
        import_module(f"{__name__}.{name}").add_parser(commands)
    return top


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return the exit code."""
    _prepare_streams()
    words = list(sys.argv[1:] if argv is None else argv)
    if not words:
        parser().print_help(sys.stderr)
        return 2
    command = [word for word in words[:1] if word in COMMANDS]
    arguments = parser(command or COMMANDS).parse_args(words)
    try:
        code = int(arguments.run(arguments))
        sys.stdout.flush()
        return code
    except (WrongUsage, ProfileError, MissingPackage) as error:
        print(error, file=sys.stderr)
        return 2
    except OSError as error:
        # A file that cannot be read is an incident, so this error is about the output.
        return _report_output_error(error)
    except KeyboardInterrupt:
        return 130


def _prepare_streams() -> None:
    for name in ("stdin", "stdout", "stderr"):
        # The parent process may have closed them.
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), "r+", encoding="utf-8"))
    # Quotation marks and forms must not cause an error on an ASCII-only terminal.
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _report_output_error(error: OSError) -> int:
    """A closed pipe is not an error, a full disk is. Closing the output must not fail again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if isinstance(error, BrokenPipeError):
        return 0
    print(f"The output cannot be written: {error.strerror}", file=sys.stderr)
    return 2
