"""`check DIR --task TASK`: the verdict of the site on a folder, an archive or a file. Nothing is sent.

Names, sizes, format and raw text are judged as the site judges them, by the same code.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from ..client.errors import INVALID, OK
from .describe_run import describe_file, describe_refusal
from .online import Commands, client_of, new_parser, show
from .progress import Progress


def add_parser(commands: Commands[argparse.ArgumentParser]) -> None:
    parser = new_parser(
        commands, "check", run, help="check outputs locally, as the site would", description=__doc__
    )
    parser.add_argument("path", metavar="DIR", type=Path, help="folder, archive or .conllu file")
    parser.add_argument("--task", required=True, help="short name of the task")
    parser.add_argument("--phase", default="", help="code of the phase (default: all that are open)")
    parser.add_argument("--track", default="", help="code of the track, if the formats of tracks differ")


def run(arguments: argparse.Namespace) -> int:
    with Progress("Checking") as progress:
        verdict = client_of(arguments).check(
            arguments.path, arguments.task, phase=arguments.phase, track=arguments.track, progress=progress
        )
    document = verdict.as_dict()
    invalid = [file["test_set"] for file in document["files"] if file["state"] == "invalid"]
    show(arguments, document, lambda: describe(document), invalid)
    return OK if verdict.is_valid else INVALID


def describe(document: dict[str, Any]) -> str:
    if document["refusal"]:
        return "\n".join(describe_refusal(document["refusal"]))
    return "\n".join(describe_file(file) for file in document["files"])
