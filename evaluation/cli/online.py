"""What the commands that talk to a site have in common: their options, and how they print."""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..client.client import Client

Commands = argparse._SubParsersAction
TIME = re.compile(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d):\d\d(?:\.\d+)?Z")
COLOURS = {"good": "32", "bad": "31", "dim": "2"}


def new_parser(
    commands: Commands[argparse.ArgumentParser],
    name: str,
    run: Callable[[argparse.Namespace], int],
    *,
    help: str,
    description: str | None,
) -> argparse.ArgumentParser:
    parser = commands.add_parser(
        name, help=help, description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add_options(parser)
    parser.set_defaults(run=run)
    return parser


def add_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("site and output")
    group.add_argument(
        "--site", default="", help="name or address (default: ARBORETUM_SITE, or where you signed in last)"
    )
    group.add_argument("--json", action="store_true", help="print JSON; docs/json.md describes its shape")
    group.add_argument("-q", "--quiet", action="store_true", help="print ids only")


def client_of(arguments: argparse.Namespace) -> Client:
    return Client(arguments.site)


def show(
    arguments: argparse.Namespace, document: Any, text: Callable[[], str], ids: Sequence[object] = ()
) -> None:
    """As JSON, as ids only, or as text for people."""
    if arguments.json:
        json.dump(document, sys.stdout, ensure_ascii=False, indent=2)
        print()
    elif arguments.quiet:
        for id in ids:
            print(id)
    else:
        print(text())


def paint(text: str, colour: str) -> str:
    """Colours only on a terminal, and not against NO_COLOR."""
    if not sys.stdout.isatty() or os.environ.get("NO_COLOR"):
        return text
    return f"\x1b[{COLOURS[colour]}m{text}\x1b[0m"


def printable(log: str) -> str:
    """What a program has printed, with nothing in it that a terminal would obey."""
    lines = log.replace("\r\n", "\n").replace("\r", "\n")
    return "".join(c if c.isprintable() or c in "\n\t" else f"\\u{ord(c):04x}" for c in lines)


def table(rows: Sequence[Mapping[str, object]], columns: Mapping[str, str]) -> str:
    """Aligned columns under their titles; numbers to the right."""
    cells = [[cell(row.get(name)) for name in columns] for row in rows]
    lines = [list(columns.values()), *cells]
    widths = [max(len(line[index]) for line in lines) for index in range(len(columns))]
    numeric = [
        bool(rows) and all(isinstance(row.get(name), int | float | None) for row in rows) for name in columns
    ]
    return "\n".join(
        "  ".join(
            text.rjust(width) if right else text.ljust(width)
            for text, width, right in zip(line, widths, numeric, strict=True)
        ).rstrip()
        for line in lines
    )


def with_tracks(rows: Sequence[Mapping[str, object]], columns: Mapping[str, str]) -> dict[str, str]:
    """The track after the phase, in a task that has tracks."""
    if not any(row["track"] for row in rows):
        return dict(columns)
    titles: dict[str, str] = {}
    for name, title in columns.items():
        titles |= {name: title, "track": "track"} if name == "phase" else {name: title}
    return titles


def cell(value: object) -> str:
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.2f}" if isinstance(value, float) else without_seconds(str(value))


def without_seconds(text: str) -> str:
    """A time of the API as people write it; any other text as it is."""
    return TIME.sub(r"\1 \2 UTC", text)
