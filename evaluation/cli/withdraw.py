"""`withdraw RUN`: withdraw a run of your team. It stays on record, and its quota is not given back."""

from __future__ import annotations

import argparse

from ..client.errors import OK
from .online import Commands, client_of, new_parser, show


def add_parser(commands: Commands[argparse.ArgumentParser]) -> None:
    parser = new_parser(commands, "withdraw", run, help="withdraw a run", description=__doc__)
    parser.add_argument("id", metavar="RUN")
    parser.add_argument("--reason", default="", help="for the organisers")


def run(arguments: argparse.Namespace) -> int:
    document = client_of(arguments).withdraw(arguments.id, reason=arguments.reason)
    show(arguments, document, lambda: f"{arguments.id} is withdrawn.", [arguments.id])
    return OK
