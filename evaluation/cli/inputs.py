"""`inputs TASK`: download what is released of a task. Files that are there already are not loaded again."""

from __future__ import annotations

import argparse
from pathlib import Path

from ..client.errors import OK
from .online import Commands, client_of, new_parser, show
from .progress import Progress


def add_parser(commands: Commands[argparse.ArgumentParser]) -> None:
    parser = new_parser(commands, "inputs", run, help="download the inputs of a task", description=__doc__)
    parser.add_argument("task", metavar="TASK", help="short name of the task, as in its address")
    parser.add_argument("-o", "--output", metavar="DIR", type=Path, help="folder (default: TASK)")
    parser.set_defaults(after_interruption="The same command downloads what is missing.")


def run(arguments: argparse.Namespace) -> int:
    folder = arguments.output or Path(arguments.task)
    with Progress("Downloading") as progress:
        files = client_of(arguments).download_inputs(arguments.task, folder, progress)
    paths = [str(file) for file in files]
    show(arguments, {"files": paths}, lambda: f"{len(paths)} files in {folder}", paths)
    return OK
