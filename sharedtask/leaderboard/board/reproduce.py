"""The command that recomputes a leaderboard from the data package.

In: a `Board`. Out: a line for a shell, the same as in the package itself; empty as long as the
standing or its gold is not published, because then there is no package to recompute it from.
"""

from __future__ import annotations

import shlex

from sharedtask.competition.models import Phase
from sharedtask.leaderboard.board.build import Board
from sharedtask.standings.models import Standing


def reproduce_command(board: Board) -> str:
    view = board.view
    if view is None or view.source.published_at is None or not view.is_released:
        return ""
    return command(view.standing, view.phase)


def place_of(standing: Standing, phase: Phase) -> str:
    """The path of its files in the package, without an ending."""
    return "/".join(filter(None, (phase.code, standing.track, standing.ranking)))


def fields_of(signature: str) -> dict[str, str]:
    return dict(part.split(":", 1) for part in signature.split("|")[1:])


def command(standing: Standing, phase: Phase) -> str:
    fields = fields_of(standing.signature)
    words = ["arboretum", "campaign", "gold", "systems"]
    words += ["--sets", f"{phase.code}/sets.tsv", "--only", f"{place_of(standing, phase)}.txt"]
    words += ["--profile", fields["profile"]]
    if "reader" in fields:
        words += ["--reader", fields["reader"]]
    if "verbs" in fields:
        words += ["--verbs", fields["verbs"].replace("+", ",")]
    if phase.task.extra_metrics:
        words += ["--also", ",".join(phase.task.extra_metrics)]
    main = fields["metric"].split("+")
    for metric in main:
        words += ["--metric", metric]
    if standing.track:
        words += ["--track", standing.track]
        for metric in standing.table["columns"]:
            words += ["--beside", metric] if metric not in main else []
    for option in ("missing", "unit", "replicates", "seed", "test"):
        words += [f"--{option}", fields[option]]
    for row in standing.table["rows"]:
        if row["baseline"] and not row["withdrawn"]:
            words += ["--baseline", row["run"]]
    if fields["baselines"] == "unnumbered":
        words.append("--unnumbered")
    words += ["--format", "json", "--output", f"{standing.ranking}.json"]
    return shlex.join(words)
