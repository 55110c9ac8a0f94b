"""The command that computes a leaderboard again from the data package.

In: a `Board` and its phase. Out: a line for a shell, the same as in the package itself; nothing for what is
not published, or while its gold is not: then there is no package that one could compute it from.
"""

from __future__ import annotations

import shlex

from sharedtask.competition.models import Phase
from sharedtask.leaderboard.board.build import Board
from sharedtask.standings.models import Standing

HIDDEN = "|gold:hmac-"
"""So the signature of a standing begins to speak of gold that is not released."""


def command_again(board: Board, phase: Phase) -> str:
    standing = board.standing
    if standing is None or board.facts.published_at is None or HIDDEN in standing.signature:
        return ""
    standing.phase = phase
    return command(standing)


def place_of(standing: Standing) -> str:
    return f"{standing.phase.code}/{standing.ranking}"


def fields_of(signature: str) -> dict[str, str]:
    return dict(part.split(":", 1) for part in signature.split("|")[1:])


def command(standing: Standing) -> str:
    told = fields_of(standing.signature)
    words = ["python", "-m", "evaluation", "campaign", "gold", "systems"]
    words += ["--sets", f"{standing.phase.code}/sets.tsv", "--only", f"{place_of(standing)}.txt"]
    words += ["--profile", told["profile"]]
    for metric in told["metric"].split("+"):
        words += ["--metric", metric]
    for option in ("missing", "unit", "resamples", "seed"):
        words += [f"--{option}", told[option]]
    for row in standing.table["rows"]:
        if row["baseline"] and not row["withdrawn"]:
            words += ["--baseline", row["run"]]
    if told["baselines"] == "unnumbered":
        words.append("--unnumbered")
    words += ["--format", "json", "--output", f"{standing.ranking}.json"]
    return shlex.join(words)
