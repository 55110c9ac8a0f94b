"""What `arboretum` alone and `arboretum --help` print: the commands by purpose, in the order of their use."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence

from ..version import PROGRAM
from .usage import WrongUsage

TAKING_PART = (
    *("login", "tasks", "inputs", "check", "submit", "watch", "runs", "results", "official", "withdraw"),
    *("logs", "quota", "whoami", "logout"),
)
OFFLINE = ("validate", "score", "diff", "report", "errors", "campaign", "cascades", "curves", "judgements")
ORGANISING = ("teams", "task", "gold", "rescore", "publish")
OTHERS = ("try-image", "completion")
PURPOSES: Mapping[str, Sequence[str]] = {
    "take part in a task (in this order)": TAKING_PART,
    "work on files, without a site": OFFLINE,
    "organise a task (`quota` grants runs)": ORGANISING,
    "other": OTHERS,
}
COMMANDS = tuple(name for names in PURPOSES.values() for name in names)
FIRST_STEPS = f"""\
first steps:
  {PROGRAM} login https://SITE                      the address of the site; it also has /docs/
  {PROGRAM} tasks                                   which tasks there are, and their short names
  {PROGRAM} inputs TASK                             what your parser reads
  {PROGRAM} check outputs --task TASK               what the site would say of its outputs
  {PROGRAM} submit outputs --task TASK --wait       the scores

`{PROGRAM} COMMAND --help` lists the options of a command."""


def describe(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> str:
    """By purpose; only of commands that the parser has."""
    helps = {action.dest: action.help or "" for action in commands._choices_actions}
    blocks = []
    for purpose, names in PURPOSES.items():
        lines = [f"  {name:<12}{helps[name]}" for name in names if name in helps]
        blocks.append("\n".join([f"{purpose}:", *lines]))
    return "\n\n".join([*blocks, FIRST_STEPS])


def refuse_unknown(word: str) -> None:
    """Suggests what may have been meant, instead of listing everything."""
    if word.startswith("-") or word in COMMANDS:
        return
    # Only here, because every command waits for the imports of this module.
    from difflib import get_close_matches

    similar = get_close_matches(word, COMMANDS, n=3, cutoff=0.6)
    suggestion = f" Did you mean {' or '.join(similar)}?" if similar else ""
    raise WrongUsage(
        f"{PROGRAM}: There is no command {word!r}.{suggestion} `{PROGRAM} --help` lists all commands."
    )
