"""`submit DIR|ARCHIVE|IMAGE --task TASK`: send outputs, or a container image, and print the id of the run.

Called again after an interruption, it continues where it stopped. The same bytes are not submitted twice by
accident; `--again` does it on purpose.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from ..client.errors import OK
from .describe_run import describe, exit_code
from .online import Commands, client_of, new_parser, show
from .progress import Progress
from .watch import add_timeout, follow


def add_parser(commands: Commands[argparse.ArgumentParser]) -> None:
    parser = new_parser(commands, "submit", run, help="submit outputs or an image", description=__doc__)
    parser.add_argument("path", metavar="DIR|ARCHIVE|IMAGE", type=Path)
    parser.add_argument("--task", required=True, help="short name of the task")
    parser.add_argument("--phase", default="", help="code of the phase, if several are open")
    parser.add_argument("--system", default="", help="id of your system (default: the primary one)")
    parser.add_argument("--note", default="", help="for your team and the organisers")
    parser.add_argument("--again", action="store_true", help="submit even if the same bytes were submitted")
    parser.add_argument("--wait", action="store_true", help="wait for the scores")
    add_timeout(parser)


def run(arguments: argparse.Namespace) -> int:
    client = client_of(arguments)
    with Progress("Uploading", in_bytes=True) as progress:
        receipt = client.submit(
            arguments.path,
            arguments.task,
            phase=arguments.phase,
            system=arguments.system,
            note=arguments.note,
            again=arguments.again,
            progress=progress,
        )
    if not receipt["is_new"]:
        print(
            f"The same bytes were submitted before, as {receipt['id']}; --again submits them once more.",
            file=sys.stderr,
        )
    if not arguments.wait or receipt["purpose"] == "image":
        show(arguments, receipt, lambda: f"{receipt['id']}\n{receipt['url']}", [receipt["id"]])
        return OK
    if not arguments.json:
        # At once, so that it is known whatever happens while waiting.
        print(receipt["id"], flush=True)
    document = follow(client, receipt["id"], arguments.timeout)
    if arguments.json:
        json.dump(document, sys.stdout, ensure_ascii=False, indent=2)
        print()
    elif not arguments.quiet:
        print(describe(document))
    return exit_code(document)
