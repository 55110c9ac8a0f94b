"""Publishing results: an organiser's recorded act that makes the standings of a task public at once.

In: a task, who publishes and why. Out: a `Publication` with the standings of every phase that does not show
its results while it is open. It is refused, with the reasons, while a standing is out of date. Nothing is
computed here, and earlier publications do not change: their standings keep their addresses.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from sharedtask.accounts.models import User
from sharedtask.competition import audit, reasons
from sharedtask.competition.models import Phase, StandingRequest, Task
from sharedtask.competition.request_standings import request_standings
from sharedtask.core import clock
from sharedtask.core.errors import Refusal
from sharedtask.standings.inputs import gather
from sharedtask.standings.models import Publication, Standing
from sharedtask.standings.rankings import rankings_of
from sharedtask.standings.signature import signature_of
from sharedtask.standings.standing_access import gold_is_released
from sharedtask.work import dispatch
from sharedtask.work.targets import PACK_RESULTS


class NotReady(Refusal):
    """Some standings are out of date, or a test is still open; `reasons` say which and why."""

    def __init__(self, reasons: Sequence[str]) -> None:
        # All rankings of a phase may have the same reason.
        self.reasons = list(dict.fromkeys(reasons))
        super().__init__("results-not-ready", " ".join(self.reasons))


@dataclass(frozen=True, kw_only=True)
class Readiness:
    """The standing of one phase and ranking that would be published, or why it cannot be."""

    phase: Phase
    ranking: Standing.Ranking
    standing: Standing | None
    obstacle: str
    failed: int
    """Runs that are not ranked because the server failed to score them."""
    is_missing: bool
    """The standing for the present runs and gold of the phase has not been computed."""

    @property
    def is_ready(self) -> bool:
        return not self.obstacle


def publish_results(
    *, task: Task, by: User, reason: str, note: str = "", at: datetime | None = None
) -> Publication:
    reason = reasons.required(reason)
    # Before the transaction, so that a request for a standing outlives the refusal.
    request_missing(task, at=at or clock.database_now())
    with transaction.atomic():
        # One publication at a time, and no other change of the task meanwhile.
        task = Task.objects.select_for_update().get(pk=task.pk)
        at = at or clock.database_now()
        states = readiness(task, at=at)
        obstacles = [state.obstacle for state in states if state.obstacle]
        standings = [state.standing for state in states if state.standing is not None]
        if not obstacles and not standings:
            obstacles = ["There is nothing to publish: no phase of this task has results."]
        if obstacles:
            raise NotReady(obstacles)
        publication = Publication.objects.create(task=task, at=at, by=by, note=note)
        publication.standings.set(standings)
        if task.results_published_at is None:
            task.results_published_at = at
            task.save(update_fields=["results_published_at"])
        audit.write(
            task=task,
            who=by,
            action="publish-results",
            subject=f"results of {task}",
            reason=reason,
            details={
                "note": note,
                "standings": {
                    f"{standing.phase.code} {standing.ranking}": {
                        "id": standing.public_id,
                        "signature": signature_of(standing, is_released=gold_is_released(standing, at=at)),
                    }
                    for standing in standings
                },
            },
            at=at,
        )
        dispatch.enqueue(PACK_RESULTS, publication.pk)
    return publication


def request_missing(task: Task, *, at: datetime) -> None:
    """Request the standings that publishing needs and that have not been requested yet."""
    missing = {state.phase.pk for state in readiness(task, at=at) if state.is_missing}
    requested = StandingRequest.objects.filter(phase__in=missing).values_list("phase", flat=True)
    for phase_id in missing - set(requested):
        request_standings(phase_id, at=at)


def readiness(task: Task, *, at: datetime) -> list[Readiness]:
    """Of every phase that has begun and does not show its results while it is open."""
    phases = task.phases.begun(at=at).exclude(feedback=Phase.Feedback.SCORES).select_related("task")
    return [readiness_of(phase, ranking, at=at) for phase in phases for ranking in rankings_of(phase)]


def readiness_of(phase: Phase, ranking: Standing.Ranking, *, at: datetime) -> Readiness:
    inputs = gather(phase, ranking, at=at)
    in_force = Standing.objects.in_force(phase).filter(ranking=ranking).select_related("phase").first()
    obstacle, is_missing = "", False
    if phase.is_official and (until := phase.open_until(at=at)):
        # Published scores would tell teams that can still upload something about gold.
        obstacle = f"{phase.title}: a team can still upload {until}."
    elif inputs.under_way:
        number = len(inputs.under_way)
        obstacle = (
            f"{phase.title}, {ranking}: {number} run{'s are' if number > 1 else ' is'} still being scored."
        )
    elif inputs.entries and (in_force is None or in_force.inputs_sha256 != inputs.sha256):
        is_missing = True
        is_requested = StandingRequest.objects.filter(phase=phase).exists()
        when = "is being computed; try again soon" if is_requested else "will be computed when you publish"
        obstacle = f"{phase.title}, {ranking}: the standing {when}."
    return Readiness(
        phase=phase,
        ranking=ranking,
        standing=in_force if inputs.entries and not obstacle else None,
        obstacle=obstacle,
        failed=len(inputs.failed),
        is_missing=is_missing,
    )
