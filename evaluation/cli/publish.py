"""`publish TASK`: make results public, for organisers; without --reason, list what is ready."""

from __future__ import annotations

import argparse

from ..client.errors import OK
from .online import Commands, client_of, new_parser, show, table

COLUMNS = {"key": "ranking", "is_ready": "ready", "is_new": "new", "obstacle": "obstacle"}


def add_parser(commands: Commands[argparse.ArgumentParser]) -> None:
    parser = new_parser(commands, "publish", run, help="publish results", description=__doc__)
    parser.add_argument("task", metavar="TASK")
    parser.add_argument(
        "--reason", default="", help="reason, for the audit log; without it nothing is published"
    )
    parser.add_argument("--note", default="", help="what has changed, for readers")
    parser.add_argument(
        "--ranking", metavar="KEY", action="append", help="only this one; repeatable (default: all ready)"
    )


def run(arguments: argparse.Namespace) -> int:
    client = client_of(arguments)
    if not arguments.reason:
        items = client.readiness(arguments.task)
        show(arguments, items, lambda: table(items, COLUMNS), [item["key"] for item in items])
        return OK
    document = client.publish(
        arguments.task, reason=arguments.reason, note=arguments.note, rankings=arguments.ranking
    )
    standings = document["standings"]
    show(arguments, document, lambda: "Public now: " + ", ".join(standings) + ".", standings)
    return OK
