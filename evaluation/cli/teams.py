"""`teams TASK`: the teams of a task, for its organisers; --confirm accepts a registration."""

from __future__ import annotations

import argparse

from ..client.errors import OK
from .online import Commands, client_of, new_parser, show, table

COLUMNS = {"id": "team", "name": "name", "registration": "registration"}


def add_parser(commands: Commands[argparse.ArgumentParser]) -> None:
    parser = new_parser(commands, "teams", run, help="list and confirm teams", description=__doc__)
    parser.add_argument("task", metavar="TASK")
    parser.add_argument("--confirm", metavar="TEAM", action="append", default=[], help="id; repeatable")
    parser.add_argument("--reason", default="", help="for the audit log")


def run(arguments: argparse.Namespace) -> int:
    client = client_of(arguments)
    for team in arguments.confirm:
        client.confirm_team(arguments.task, team, reason=arguments.reason)
    teams = client.teams(arguments.task)
    show(arguments, teams, lambda: table(teams, COLUMNS), [team["id"] for team in teams])
    return OK
