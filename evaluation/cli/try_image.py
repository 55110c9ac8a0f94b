"""`try-image IMAGE DIR`: run a container image locally as the site would, in the same closed container.

Needs docker or podman, and the extra: pip install "arboretum[airlock] @ ADDRESS OF THE WHEEL".
"""

from __future__ import annotations

import argparse
import json
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

from ..client import configuration
from ..client.errors import INVALID, OK, BadRequest, InvalidUpload
from ..version import VERSION
from .online import Commands, paint, printable

LOG_LINES = 40


def add_parser(commands: Commands[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "try-image", help="run an image locally, as the site would", description=__doc__
    )
    parser.add_argument(
        "image", metavar="IMAGE", type=Path, help="archive of docker save or of the OCI layout"
    )
    parser.add_argument("inputs", metavar="DIR", type=Path, help="inputs, as `arboretum inputs` writes them")
    parser.add_argument(
        "-o",
        "--output",
        metavar="DIR",
        type=Path,
        default=Path("outputs"),
        help="new folder (default outputs)",
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("-q", "--quiet", action="store_true", help="print the names of outputs only")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    airlock = airlock_module()
    is_silent = arguments.quiet or arguments.json
    try:
        trial = airlock.try_image(
            arguments.image,
            arguments.inputs,
            arguments.output,
            on_event=lambda event: None if is_silent else report(event),
        )
    except airlock.EngineUnavailable as error:
        raise BadRequest("engine-unavailable", str(error)) from error
    except airlock.AirlockError as error:
        raise BadRequest("trial-impossible", str(error)) from error
    except import_module(f"{airlock.__package__}.images").ImageRefused as error:
        raise InvalidUpload(error.id, f"The site would refuse this image: {error}") from error
    show_trial(arguments, trial)
    is_good = trial.outcome.error_of is None and not trial.missing and not trial.problems
    return OK if is_good else INVALID


def report(event: Any) -> None:
    if event.step != "running" or sys.stderr.isatty():
        print(event, file=sys.stderr, flush=True)


def show_trial(arguments: argparse.Namespace, trial: Any) -> None:
    log = trial.outcome.log_tail.decode("utf-8", "replace")
    if arguments.json:
        document = {
            "image": trial.image.image_id,
            "outcome": trial.outcome.sentence,
            "written": list(trial.written),
            "missing": list(trial.missing),
            "problems": list(trial.problems),
            "log": log,
        }
        print(json.dumps(document, ensure_ascii=False, indent=2))
        return
    if not arguments.quiet:
        show_log(log)
    for name in trial.written:
        print(name)
    if not arguments.quiet:
        for name in trial.missing:
            print(f"{name}: {paint('missing', 'bad')}")
        for problem in trial.problems:
            print(problem)


def show_log(log: str) -> None:
    """Its end, where the reason of a failure is."""
    lines = printable(log).splitlines()
    if lines:
        left_out = f", the last {LOG_LINES} of {len(lines)} lines" * (len(lines) > LOG_LINES)
        print("\n".join([f"It has printed{left_out}:", *lines[-LOG_LINES:]]), file=sys.stderr)


def airlock_module() -> Any:
    """It is placed below this package in the wheel, and beside it in the repository."""
    top = __name__.split(".", 1)[0]
    try:
        try:
            return import_module(f"{top}.airlock.try_image")
        except ModuleNotFoundError as error:
            if error.name != f"{top}.airlock":
                raise
            return import_module("airlock.try_image")
    except ModuleNotFoundError as error:
        command = f'pip install "arboretum[airlock] @ {address_of_the_wheel()}"'
        raise BadRequest("extra-missing", f"This needs the extra airlock: {command}.") from error


def address_of_the_wheel() -> str:
    """Of the site that one uses, if there is one."""
    try:
        site = configuration.load().find().url
    except BadRequest:
        site = "https://SITE"
    return f"{site}/download/arboretum-{VERSION}-py3-none-any.whl"
