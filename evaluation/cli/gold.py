"""`gold replace TASK CODE FILE`: send a corrected gold file; it is not in force at once."""

from __future__ import annotations

import argparse
from pathlib import Path

from .online import Commands, add_options, client_of
from .task import report


def add_parser(commands: Commands[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("gold", help="correct gold", description=__doc__)
    acts = parser.add_subparsers(title="acts", metavar="ACT", required=True)
    replace = acts.add_parser("replace", help="send a corrected file")
    replace.add_argument("task", metavar="TASK")
    replace.add_argument("code", metavar="CODE", help="code of the test set")
    replace.add_argument("file", metavar="FILE", type=Path)
    replace.add_argument("--reason", required=True, help="for the audit log")
    add_options(replace)
    replace.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    client = client_of(arguments)
    job = client.replace_gold(arguments.task, arguments.code, arguments.file, reason=arguments.reason)
    return report(arguments, job)
