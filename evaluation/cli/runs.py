"""`runs TASK`: the runs of your team, the latest first; for organisers those of all teams."""

from __future__ import annotations

import argparse

from ..client.errors import OK
from .online import Commands, client_of, new_parser, show, table, with_tracks

COLUMNS = {
    "id": "run",
    "team": "team",
    "system": "system",
    "phase": "phase",
    "received_at": "received",
    "state": "state",
    "status": "status",
}


def add_parser(commands: Commands[argparse.ArgumentParser]) -> None:
    parser = new_parser(commands, "runs", run, help="list runs", description=__doc__)
    parser.add_argument("task", metavar="TASK")


def run(arguments: argparse.Namespace) -> int:
    runs = client_of(arguments).runs(arguments.task)
    rows = [{**item, "system": item["system"]["name"]} for item in runs]
    show(arguments, runs, lambda: table(rows, with_tracks(rows, COLUMNS)), [item["id"] for item in runs])
    return OK
