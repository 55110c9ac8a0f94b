"""The command line: one module per command, each with `add_parser` and `run`.

Exit codes: 0 success; 1 a file is invalid; 2 wrong usage or an invalid gold file; 3 the site refuses; 4
authentication; 5 the site failed; 6 a wait timed out; 130 interrupted. docs/command.md explains them.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import sys
from collections.abc import Sequence
from importlib import import_module

from ..client.errors import ClientError
from ..scoring.clusterings import MissingPackage
from ..scoring.profile import ProfileError
from ..version import PROGRAM, VERSION
from . import overview
from .overview import COMMANDS
from .usage import WrongUsage


def parser(names: Sequence[str] = COMMANDS) -> argparse.ArgumentParser:
    """The parser for these commands; no other command is imported, which keeps the start fast."""
    top = argparse.ArgumentParser(
        prog=PROGRAM,
        usage=f"{PROGRAM} COMMAND …",
        description="Check, score and compare CoNLL-U files, and take part in shared tasks.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("--version", action="version", version=f"arboretum {VERSION}")
    # The commands are listed by purpose instead.
    commands = top.add_subparsers(prog=PROGRAM, metavar="COMMAND", required=True, help=argparse.SUPPRESS)
    for name in names:
        import_module(f"{__name__}.{name.replace('-', '_')}").add_parser(commands)
    for command in commands.choices.values():
        _add_json(command)
    top.epilog = overview.describe(commands)
    return top


def _add_json(command: argparse.ArgumentParser) -> None:
    """`--json` is `--format json` wherever there is one."""
    for action in command._actions:
        if action.dest == "format" and "json" in (action.choices or ()) and not _has_json(command):
            command.add_argument(
                "--json", dest="format", action="store_const", const="json", help="the same as --format json"
            )
            return


def _has_json(command: argparse.ArgumentParser) -> bool:
    return any("--json" in action.option_strings for action in command._actions)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return the exit code."""
    _prepare_streams()
    words = list(sys.argv[1:] if argv is None else argv)
    if "_ARGCOMPLETE" in os.environ:
        import_module("argcomplete").autocomplete(parser())
    if not words:
        parser().print_help(sys.stderr)
        return 2
    arguments = argparse.Namespace()
    try:
        overview.refuse_unknown(words[0])
        parser(words[:1] if words[0] in COMMANDS else COMMANDS).parse_args(words, arguments)
        code = int(arguments.run(arguments))
        sys.stdout.flush()
        return code
    except (WrongUsage, ProfileError, MissingPackage) as error:
        print(error, file=sys.stderr)
        return 2
    except ClientError as error:
        return _report_client_error(error, as_json=_prints_json(arguments))
    except OSError as error:
        # A file that cannot be read is an incident, so this error is about the output.
        return _report_output_error(error)
    except KeyboardInterrupt:
        advice = getattr(arguments, "after_interruption", "")
        print(f"{PROGRAM}: Interrupted.{advice and ' '}{advice}", file=sys.stderr)
        return 130


def _prints_json(arguments: argparse.Namespace) -> bool:
    return getattr(arguments, "json", False) or getattr(arguments, "format", "") == "json"


def _report_client_error(error: ClientError, *, as_json: bool) -> int:
    """One line that carries the id."""
    if as_json:
        print(json.dumps({"error": error.as_dict()}, ensure_ascii=False, indent=2))
    print(f"arboretum: {error.message} [{error.id}]", file=sys.stderr)
    return error.exit_code


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
