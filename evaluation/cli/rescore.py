"""`rescore TASK`: process runs again that failed because of a server error, for organisers.

Scores against a corrected version of gold are computed by themselves.
"""

from __future__ import annotations

import argparse

from ..client.errors import OK
from .online import Commands, client_of, new_parser, show


def add_parser(commands: Commands[argparse.ArgumentParser]) -> None:
    parser = new_parser(commands, "rescore", run, help="retry failed runs", description=__doc__)
    parser.add_argument("task", metavar="TASK")
    parser.add_argument("--reason", required=True, help="for the audit log")


def run(arguments: argparse.Namespace) -> int:
    document = client_of(arguments).rescore(arguments.task, reason=arguments.reason)
    runs = document["runs"]
    show(arguments, document, lambda: f"{runs} runs are being processed again.", [runs])
    return OK
