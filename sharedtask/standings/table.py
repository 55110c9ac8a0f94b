"""What the leaderboard prints of a standing, taken out of the whole document when it is computed.

In: the document and what went into it. Out: a small dictionary: a row for each run with the figures of the
main metrics and of those beside them, its place by each main metric, and its averages over each group; which
test sets each scope has, and which version of gold they were scored against.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from evaluation.ranking.results import EVERYTHING, LANGUAGE
from sharedtask.competition.metrics import main_metrics, shown_metrics
from sharedtask.standings.inputs import Inputs


def table_of(data: Mapping[str, Any], inputs: Inputs) -> dict[str, Any]:
    task = inputs.phase.task
    main = main_metrics(task)
    first = (data["systems"] or data["withdrawn"])[0]
    columns = shown_metrics(task)
    used = [group for group in task.groups if group in first["macro"]]
    rows = [
        row(system, main, columns, used, withdrawn=withdrawn)
        for systems, withdrawn in ((data["systems"], False), (data["withdrawn"], True))
        for system in systems
    ]
    return {
        "metrics": main,
        "columns": columns,
        "groups": used,
        "rows": rows,
        "sets": len(inputs.test_sets),
        "scopes": scopes_of(data["test_sets"]),
        "languages": {one.language_tag: one.language for one in inputs.test_sets},
        "gold": {one.code: inputs.gold[one.pk].number for one in inputs.test_sets if one.pk in inputs.gold},
        "replicates": task.replicates,
        "failed": list(inputs.failed),
    }


def scopes_of(test_sets: Sequence[Mapping[str, Any]]) -> dict[str, list[str]]:
    """The codes that each scope is averaged over, under the scope's name in `Details`."""
    found: dict[str, list[str]] = {EVERYTHING: [one["code"] for one in test_sets]}
    for one in test_sets:
        for scope in (*one["groups"], LANGUAGE + one["language"]):
            found.setdefault(scope, []).append(one["code"])
    return found


def row(
    system: Mapping[str, Any], main: list[str], columns: list[str], groups: list[str], *, withdrawn: bool
) -> dict[str, Any]:
    everything = system["macro"][EVERYTHING]
    return {
        "run": system["name"],
        "baseline": system["baseline"],
        "withdrawn": withdrawn,
        "places": {
            metric: {"rank": None, "rank_range": None, "line_below": False}
            if withdrawn
            else system["rankings"][metric]
            for metric in main
        },
        "figures": {name: everything[name] for name in columns},
        "groups": {
            metric: {group: system["macro"][group][metric]["f1"] for group in groups} for metric in main
        },
        "not_scored": sum(file["status"] != "valid" for file in system["treebanks"].values()),
    }
