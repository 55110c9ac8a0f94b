"""The runs that a campaign can compare, and the names of its systems for a viewer. Never for annotators."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from sharedtask.accounts.roles import Viewer
from sharedtask.competition.models import Task
from sharedtask.core.errors import Refusal
from sharedtask.judgements.models import Campaign, Pair
from sharedtask.standings.standing_view import unique_names
from sharedtask.submissions.models import Run
from sharedtask.submissions.official import all_official_runs
from sharedtask.teams import team_access

SHOWN_TO_ANNOTATORS = ("title", "guidelines", "consent")
SHORTEST = 3
USUAL_SYSTEM = "main"
"""The name of a team's first system unless the team changes it."""


def runs_to_choose(viewer: Viewer, task: Task, *, at: datetime) -> dict[Run, str]:
    """The official run of each team and the latest of each system, in every phase."""
    keys: set[int] = set()
    for phase in task.phases.select_related("task"):
        keys |= {selection.run.pk for selection in all_official_runs(phase)}
        keys |= set(Run.objects.latest_scored_of_each_system(phase).values_list("pk", flat=True))
    runs = Run.objects.filter(pk__in=keys).select_related("phase", "team", "system", "task")
    return named(viewer, task, runs.order_by("phase__opens_at", "team__name", "number"), at=at)


def run_names(viewer: Viewer, campaign: Campaign, *, at: datetime) -> dict[int, str]:
    """By the keys of the runs of a campaign."""
    keys = {key for pair in campaign.pairs.all() for key in (pair.first_id, pair.second_id)}
    runs = Run.objects.filter(pk__in=keys).select_related("phase", "team", "system", "task")
    return {run.pk: name for run, name in named(viewer, campaign.task, runs, at=at).items()}


def named(viewer: Viewer, task: Task, runs: Iterable[Run], *, at: datetime) -> dict[Run, str]:
    runs = list(runs)
    names = unique_names(team_access.names(viewer, task, at=at), runs)
    return {run: names[run.public_id] for run in runs}


def refuse_names(runs: Iterable[Run], texts: Mapping[str, Any]) -> None:
    """Annotators read these texts, which must not name a team or system whose trees they judge."""
    words = {name for run in runs for name in (run.team.name, run.system.name) if len(name) >= SHORTEST}
    for name in sorted(words - {USUAL_SYSTEM}):
        for field in SHOWN_TO_ANNOTATORS:
            if re.search(rf"\b{re.escape(name)}\b", str(texts.get(field, "")), re.IGNORECASE):
                raise Refusal(
                    "names-a-system", f"Annotators see the {field}: please remove the name {name} from it."
                )


def pair_names(pair: Pair, names: Mapping[int, str]) -> tuple[str, str]:
    return names[pair.first_id], names[pair.second_id]
