"""`errors GOLD SYSTEM`: count errors by class: attachment of NPs, PPs, clauses, coordination, and so on."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from pathlib import Path

from ..errors.classes import ErrorClasses
from ..errors.count import ErrorTally, count_errors
from ..errors.parse import BUILT_IN, MAX_BYTES, InvalidClasses, built_in, parse_classes
from ..reading.incidents import InvalidFile
from ..scoring.profiles import PROFILES
from ..scoring.score import InvalidGold, compare
from .incidents import as_dicts, as_text
from .two_files import REFUSED, add_files, are_one_stream, print_invalid_gold


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "errors", help="count errors by class, with their displacement", description=__doc__
    )
    add_files(parser)
    parser.add_argument(
        "--classes",
        default=BUILT_IN[0],
        metavar="FILE",
        help=f"a file of error classes, or {' or '.join(BUILT_IN)} (default {BUILT_IN[0]})",
    )
    parser.add_argument(
        "--profile",
        choices=sorted(PROFILES),
        default="conll18",
        help="how words are aligned (default conll18)",
    )
    parser.add_argument("--format", choices=_WRITERS, default="table", help="output format (default table)")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    if are_one_stream(arguments):
        return REFUSED
    try:
        classes = read_classes(arguments.classes)
        comparison = compare(arguments.gold, arguments.system, arguments.profile)
    except InvalidClasses as error:
        print(f"The error classes cannot be read: {error}", file=sys.stderr)
        return 2
    except InvalidGold as refusal:
        print_invalid_gold(refusal)
        return REFUSED
    except InvalidFile as refusal:
        return _refuse(refusal, arguments.format)
    _WRITERS[arguments.format](count_errors(comparison, classes))
    return 0


def read_classes(name: str) -> ErrorClasses:
    """Built-in classes by their name, or those of a file."""
    if name in BUILT_IN:
        return built_in(name)
    try:
        with Path(name).open("rb") as file:
            return parse_classes(file.read(MAX_BYTES + 1), name)
    except OSError as error:
        raise InvalidClasses(
            f"{name}: {error.strerror}. Give a file of error classes, or {' or '.join(BUILT_IN)}."
        ) from error


def _refuse(refusal: InvalidFile, format: str) -> int:
    if format == "json":
        _write_document({"classes": None, "incidents": as_dicts(refusal.report)})
    else:
        print(as_text(refusal.report), file=sys.stderr)
    return 1


def _write_table(tallies: Mapping[str, ErrorTally]) -> None:
    total = sum(tallies.values(), ErrorTally())
    width = max(len("Error class"), *map(len, tallies))
    print(f"{'Error class':<{width}} |   Words |  Errors |  Rate % | Displacement | Unaligned | LAS errors")
    print(f"{'-' * width}-+---------+---------+---------+--------------+-----------+-----------")
    for name, tally in {**tallies, "All": total}.items():
        displacement = "–" if tally.displacement is None else f"{tally.displacement:.2f}"
        print(
            f"{name:<{width}} |{tally.words:8} |{tally.errors:8} |{100 * tally.rate:8.2f} "
            f"|{displacement:>13} |{tally.unaligned:10} |{tally.las_errors:11}"
        )


def _write_json(tallies: Mapping[str, ErrorTally]) -> None:
    _write_document({"classes": {name: tally.as_dict() for name, tally in tallies.items()}})


def _write_document(document: dict[str, object]) -> None:
    json.dump(document, sys.stdout, ensure_ascii=False, indent=2)
    print()


_WRITERS = {"table": _write_table, "json": _write_json}
