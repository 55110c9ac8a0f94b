"""`tasks`: the tasks of the site; `tasks TASK`: the phases of one, with its test sets, groups and metrics."""

from __future__ import annotations

import argparse
from typing import Any

from ..client.errors import OK
from .online import Commands, client_of, new_parser, show, table

COLUMNS = {"id": "task", "title": "title", "state": "state"}
PHASE_COLUMNS = {
    "code": "phase",
    "kind": "kind",
    "is_open": "open",
    "opens_at": "opens",
    "closes_at": "closes",
    "shows": "shows",
}


def add_parser(commands: Commands[argparse.ArgumentParser]) -> None:
    parser = new_parser(commands, "tasks", run, help="list tasks, or the phases of one", description=__doc__)
    parser.add_argument("task", metavar="TASK", nargs="?", default="", help="short name of a task")


def run(arguments: argparse.Namespace) -> int:
    client = client_of(arguments)
    if arguments.task:
        task, phases = client.task(arguments.task), client.phases(arguments.task)
        document = {**task, "phases": phases}
        show(arguments, document, lambda: describe(document), [phase["code"] for phase in phases])
        return OK
    tasks = client.tasks()
    rows = [{**task, "state": state_of(task)} for task in tasks]
    show(arguments, tasks, lambda: table(rows, COLUMNS), [task["id"] for task in tasks])
    return OK


def state_of(task: dict[str, Any]) -> str:
    if task["results_published_at"]:
        return "results published"
    return "over" if task["is_over"] else "running"


def describe(task: dict[str, Any]) -> str:
    rows = [{**phase, "shows": "validity" if phase["is_blind"] else "scores"} for phase in task["phases"]]
    codes = dict.fromkeys(code for phase in task["phases"] for code in phase["test_sets"])
    lines = [task["title"], task["url"], "", table(rows, PHASE_COLUMNS), ""]
    facts = {
        "test sets": codes,
        "groups": task["groups"],
        "tracks": [track["code"] for track in task["tracks"]],
        "metrics": task["metrics"],
    }
    lines += [f"{name}: {', '.join(values)}" for name, values in facts.items() if values]
    return "\n".join(lines)
