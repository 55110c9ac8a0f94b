"""`task check|import|export`: task folders, for organisers."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from ..client.errors import INVALID, OK, SERVER
from .online import Commands, add_options, client_of, show

ENDS = {"refused": INVALID, "failed": SERVER}


def add_parser(commands: Commands[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("task", help="check, import and export task folders", description=__doc__)
    acts = parser.add_subparsers(title="acts", metavar="ACT", required=True)
    check = acts.add_parser("check", help="list the problems of a folder, and what an import would change")
    check.add_argument("folder", metavar="FOLDER", type=Path, help="task folder, or a zip of it")
    check.add_argument("--task", default="", help="the task to change (default: a new one)")
    check.set_defaults(run=run_check)
    import_ = acts.add_parser("import", help="create or update a task")
    import_.add_argument("folder", metavar="FOLDER", type=Path, help="task folder, or a zip of it")
    import_.add_argument("--task", default="", help="the task to change (default: a new one)")
    import_.add_argument("--reason", required=True, help="for the audit log")
    import_.set_defaults(run=run_import)
    export = acts.add_parser("export", help="save a task as a zip, with its gold")
    export.add_argument("task", metavar="TASK")
    export.add_argument("-o", "--output", metavar="ZIP", type=Path, help="(default: TASK.zip)")
    export.add_argument("--reason", required=True, help="for the audit log")
    export.set_defaults(run=run_export)
    for act in (check, import_, export):
        add_options(act)


def run_check(arguments: argparse.Namespace) -> int:
    return report(arguments, client_of(arguments).check_folder(arguments.folder, task=arguments.task))


def run_import(arguments: argparse.Namespace) -> int:
    client = client_of(arguments)
    job = client.import_folder(arguments.folder, task=arguments.task, reason=arguments.reason)
    return report(arguments, job)


def run_export(arguments: argparse.Namespace) -> int:
    target = arguments.output or Path(f"{arguments.task}.zip")
    file = client_of(arguments).export_folder(arguments.task, target, reason=arguments.reason)
    show(arguments, {"file": str(file)}, lambda: f"Saved as {file}; it contains gold.", [file])
    return OK


def report(arguments: argparse.Namespace, job: dict[str, Any]) -> int:
    show(arguments, job, lambda: describe(job), [job["id"]])
    return ENDS.get(job["state"], OK)


def describe(job: dict[str, Any]) -> str:
    lines = [describe_problem(problem) for problem in job["problems"]]
    lines += [str(line) for line in (*job["plan"], *job["notes"], *job["disclosures"])]
    if not job["task"] and any(problem["field"] == "slug" for problem in job["problems"]):
        lines.append("To change a task that exists, name it with --task.")
    if (job["kind"], job["state"]) == ("correction", "done"):
        lines.append("It is not in force yet: the page Gold of the task compares its scores first.")
    return "\n".join([*lines, f"{job['kind']}: {job['state']}"])


def describe_problem(problem: dict[str, Any]) -> str:
    line = f":{problem['line']}" if problem["line"] else ""
    field = f" {problem['field']}:" if problem["field"] else ""
    return f"{problem['file']}{line}:{field} {problem['message']}"
