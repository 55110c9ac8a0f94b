"""`logs RUN`: what the software of a run has printed, as far as its team may see it."""

from __future__ import annotations

import argparse
import sys

from ..client.errors import OK
from .online import Commands, client_of, new_parser, printable, show


def add_parser(commands: Commands[argparse.ArgumentParser]) -> None:
    parser = new_parser(commands, "logs", run, help="print the log of a run of software", description=__doc__)
    parser.add_argument("id", metavar="RUN")


def run(arguments: argparse.Namespace) -> int:
    document = client_of(arguments).log(arguments.id)
    if not document["log"]:
        print("No log of this run is visible to you; only runs of software have one.", file=sys.stderr)
        if not arguments.json:
            return OK
    show(arguments, document, lambda: printable(document["log"]).rstrip("\n"), [arguments.id])
    return OK
