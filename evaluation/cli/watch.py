"""`watch RUN`: wait until a run is finished and print its result."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ..client.client import Client
from .describe_run import describe, exit_code
from .online import Commands, client_of, new_parser, show


def add_parser(commands: Commands[argparse.ArgumentParser]) -> None:
    parser = new_parser(commands, "watch", run, help="wait for the result of a run", description=__doc__)
    parser.add_argument("id", metavar="RUN")
    add_timeout(parser)
    parser.set_defaults(after_interruption="The run goes on; the same command waits again.")


def add_timeout(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--timeout", metavar="SECONDS", type=float, help="stop waiting after this time (default: never)"
    )


def run(arguments: argparse.Namespace) -> int:
    document = follow(client_of(arguments), arguments.id, arguments.timeout)
    show(arguments, document, lambda: describe(document), [document["id"]])
    return exit_code(document)


def follow(client: Client, run: str, timeout: float | None) -> dict[str, Any]:
    """Waits, and reports every change on a terminal."""
    with reporting() as report:
        return client.wait(run, timeout=timeout, on_change=report)


@contextmanager
def reporting() -> Iterator[Callable[[dict[str, Any]], None]]:
    """One line that changes."""

    def report(document: dict[str, Any]) -> None:
        if sys.stderr.isatty():
            print(f"\r\x1b[K{document['sentence']}", end="", file=sys.stderr, flush=True)

    try:
        yield report
    finally:
        if sys.stderr.isatty():
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
