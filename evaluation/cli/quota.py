"""`quota TASK`: how many runs your team may still submit; organisers grant a team more with --team."""

from __future__ import annotations

import argparse

from ..client.errors import OK, BadRequest
from .online import Commands, client_of, new_parser, show, table, with_tracks

COLUMNS = {
    "phase": "phase",
    "is_open": "open",
    "used_today": "used today",
    "left_today": "left today",
    "used_total": "used",
    "left_total": "left",
    "closes_at": "closes",
}
LIMITS = ("left_today", "left_total")


def add_parser(commands: Commands[argparse.ArgumentParser]) -> None:
    parser = new_parser(commands, "quota", run, help="show or grant quota", description=__doc__)
    parser.add_argument("task", metavar="TASK")
    group = parser.add_argument_group("organisers")
    group.add_argument("--team", default="", help="id of the team that gets more runs")
    group.add_argument("--phase", default="", help="code of the phase")
    group.add_argument("--runs", type=int, default=0, help="how many more")
    group.add_argument("--reason", default="", help="for the audit log")


def run(arguments: argparse.Namespace) -> int:
    client = client_of(arguments)
    if not arguments.team:
        quotas = client.quota(arguments.task)
        rows = [{**item, **{name: "no limit" for name in LIMITS if item[name] is None}} for item in quotas]
        show(
            arguments,
            quotas,
            lambda: table(rows, with_tracks(rows, COLUMNS)),
            [item["phase"] for item in quotas],
        )
        return OK
    if not (arguments.phase and arguments.runs and arguments.reason):
        raise BadRequest("grant-incomplete", "To grant runs, give --team, --phase, --runs and --reason.")
    document = client.grant_quota(
        arguments.task, arguments.team, phase=arguments.phase, runs=arguments.runs, reason=arguments.reason
    )
    show(
        arguments, document, lambda: f"Runs granted to {arguments.team}: {arguments.runs}.", [arguments.team]
    )
    return OK
