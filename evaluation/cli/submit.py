"""`submit DIR|ARCHIVE|IMAGE --task TASK`: send outputs, or a container image, and print the id of the run.

An image is checked and executed before there is a run; `--wait` waits for both, and starts the execution
where the site does not do it by itself.

Called again after an interruption, it continues where it stopped. The same bytes are not submitted twice by
accident; `--again` does it on purpose.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..client.client import Client
from ..client.errors import OK
from .describe_run import describe, exit_code
from .online import Commands, client_of, new_parser, show
from .progress import Progress
from .watch import add_timeout, follow, reporting


def add_parser(commands: Commands[argparse.ArgumentParser]) -> None:
    parser = new_parser(commands, "submit", run, help="submit outputs or an image", description=__doc__)
    parser.add_argument("path", metavar="DIR|ARCHIVE|IMAGE", type=Path)
    parser.add_argument("--task", required=True, help="short name of the task")
    parser.add_argument("--phase", default="", help="code of the phase, if several are open")
    parser.add_argument("--track", default="", help="code of the track, if the phase has several")
    parser.add_argument("--system", default="", help="your system, by name or id (default: the primary one)")
    parser.add_argument("--note", default="", help="for your team and the organisers")
    parser.add_argument("--again", action="store_true", help="submit even if the same bytes were submitted")
    parser.add_argument("--wait", action="store_true", help="wait for the scores")
    add_timeout(parser)
    parser.set_defaults(after_interruption="The same command continues where it stopped.")


def run(arguments: argparse.Namespace) -> int:
    client = client_of(arguments)
    with Progress("Uploading", in_bytes=True) as progress:
        receipt = client.submit(
            arguments.path,
            arguments.task,
            phase=arguments.phase,
            track=arguments.track,
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
    if not arguments.wait:
        show(arguments, receipt, lambda: f"{receipt['id']}\n{receipt['url']}", [receipt["id"]])
        return OK
    document = wait(client, receipt, arguments)
    if arguments.json:
        json.dump(document, sys.stdout, ensure_ascii=False, indent=2)
        print()
    elif not arguments.quiet:
        print(describe(document))
    return exit_code(document)


def wait(client: Client, receipt: Mapping[str, Any], arguments: argparse.Namespace) -> dict[str, Any]:
    """For the run; of an image, for the one that comes of its execution."""
    run, timeout = str(receipt["id"]), arguments.timeout
    if receipt["purpose"] == "image":
        begin = time.monotonic()
        with reporting() as report:
            run = client.run_of_image(
                run, phase=arguments.phase, track=arguments.track, timeout=timeout, on_change=report
            )
        timeout = None if timeout is None else max(0.0, timeout - (time.monotonic() - begin))
    if not arguments.json:
        # At once, so that it is known whatever happens while waiting.
        print(run, flush=True)
    return follow(client, run, timeout)
