"""Experiments with constraints: those that the reader may see, and the figures of each."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from django.http import Http404, HttpRequest
from ninja import Query, Router, Schema
from pydantic import Field

from evaluation.cascades.run_figures import RunFigures
from sharedtask.api.viewing import visible_task
from sharedtask.cascades.experiment_access import visible_experiments
from sharedtask.cascades.models import Experiment
from sharedtask.cascades.names import system_name
from sharedtask.cascades.parts import parts_of
from sharedtask.cascades.results import parse_query, rows_of
from sharedtask.competition.models import Task
from sharedtask.core import clock
from sharedtask.teams import team_access

router = Router()


class ExperimentOut(Schema):
    id: str
    system: str = Field(description="Team, system and version.")
    state: Literal["preparing", "running", "done", "stopped", "failed"]
    problem: str = Field(description="Why it was stopped or has failed; else empty.")
    test_sets: list[str]
    requested_at: datetime
    published_at: datetime | None


class ExperimentsOut(Schema):
    items: list[ExperimentOut]


class FiguresOut(ExperimentOut):
    parts: int = Field(description="Runs of the system that it needs.")
    parts_done: int
    about: str = Field(description="Over which sentences and words the counts are.")
    runs: list[RunFigures] = Field(description="Empty until it is done.")


class FiguresQuery(Schema):
    set: str = Field("", max_length=40, description="Code of a test set; all of them without it.")
    sentences: Literal["every", "own"] = Field(
        "every", description="Those that the runs of every class cover, or those that each run covers."
    )
    punctuation: Literal["no", "yes"] = "no"


@router.get(
    "/tasks/{task}/experiments",
    response=ExperimentsOut,
    auth=None,
    url_name="experiments",
    summary="Experiments with constraints",
)
def list_experiments(request: HttpRequest, task: str) -> dict[str, Any]:
    row = visible_task(request, task)
    names = names_for(request, row)
    experiments = visible_experiments(request.user, row, at=clock.database_now())
    return {"items": [describe(names, each) for each in experiments]}


@router.get(
    "/tasks/{task}/experiments/{experiment}",
    response=FiguresOut,
    auth=None,
    url_name="experiment",
    summary="The figures of an experiment",
)
def show_experiment(
    request: HttpRequest, task: str, experiment: str, query: Annotated[FiguresQuery, Query()]
) -> dict[str, Any]:
    row = find_experiment(request, visible_task(request, task), experiment)
    chosen = parse_query(query.dict(), [each.test_set.code for each in row.sets.all()])
    is_done = row.state == Experiment.State.DONE
    rows = rows_of(row, chosen) if is_done else []
    parts = parts_of(row)
    return describe(names_for(request, row.task), row) | {
        "parts": len(parts),
        "parts_done": sum(part.is_complete for part in parts),
        "about": chosen.about,
        "runs": rows,
    }


def find_experiment(request: HttpRequest, task: Task, experiment: str) -> Experiment:
    for row in visible_experiments(request.user, task, at=clock.database_now()):
        if row.public_id == experiment:
            return row
    raise Http404("no such experiment for this viewer")


def names_for(request: HttpRequest, task: Task) -> team_access.Names:
    return team_access.names(request.user, task, at=clock.database_now())


def describe(names: team_access.Names, row: Experiment) -> dict[str, Any]:
    return {
        "id": row.public_id,
        "system": system_name(names, row),
        "state": row.state,
        "problem": row.problem,
        "test_sets": [each.test_set.code for each in row.sets.all()],
        "requested_at": row.requested_at,
        "published_at": row.published_at,
    }
