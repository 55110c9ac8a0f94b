"""`official RUN`: let this run of your team count, where the task lets teams choose."""

from __future__ import annotations

import argparse

from ..client.errors import OK
from .online import Commands, client_of, new_parser, show


def add_parser(commands: Commands[argparse.ArgumentParser]) -> None:
    parser = new_parser(commands, "official", run, help="mark a run as official", description=__doc__)
    parser.add_argument("id", metavar="RUN")
    parser.add_argument("--remove", action="store_true", help="remove the mark")


def run(arguments: argparse.Namespace) -> int:
    client = client_of(arguments)
    document = (
        client.unmark_official(arguments.id) if arguments.remove else client.mark_official(arguments.id)
    )
    words = "is no longer marked" if arguments.remove else "is the official run"
    show(arguments, document, lambda: f"{arguments.id} {words}.", [arguments.id])
    return OK
