"""The command that recomputes a leaderboard from the data package.

In: a `Board` and its phase. Out: a line for a shell, the same as in the package itself; empty as long as the
standing or its gold is not published, because then there is no package to recompute it from.
"""

from __future__ import annotations

import shlex

from sharedtask.competition.models import Phase
from sharedtask.leaderboard.board.build import Board
from sharedtask.standings.models import Standing


def reproduce_command(board: Board, phase: Phase) -> str:
    standing = board.standing
    if standing is None or board.facts.published_at is None or not board.facts.gold_is_released:
        return ""
    standing.phase = phase
    return command(standing)


def place_of(standing: Standing) -> str:
    """The path of its files in the package, without an ending."""
    return f"{standing.phase.code}/{standing.ranking}"


def fields_of(signature: str) -> dict[str, str]:
    return dict(part.split(":", 1) for part in signature.split("|")[1:])


def command(standing: Standing) -> str:
    fields = fields_of(standing.signature)
    words = ["python", "-m", "evaluation", "campaign", "gold", "systems"]
    words += ["--sets", f"{standing.phase.code}/sets.tsv", "--only", f"{place_of(standing)}.txt"]
    words += ["--profile", fields["profile"]]
    for metric in fields["metric"].split("+"):
        words += ["--metric", metric]
    for option in ("missing", "unit", "replicates", "seed"):
        words += [f"--{option}", fields[option]]
    for row in standing.table["rows"]:
        if row["baseline"] and not row["withdrawn"]:
            words += ["--baseline", row["run"]]
    if fields["baselines"] == "unnumbered":
        words.append("--unnumbered")
    words += ["--format", "json", "--output", f"{standing.ranking}.json"]
    return shlex.join(words)
