"""Publishing results: an organiser's recorded act, by which the public sees the standings of a task at once.

In: a task, who publishes and why. Out: a `Publication` that names the standings of every phase whose results
are not shown while it runs. It is refused, with the reasons, while a standing is not up to date. Nothing is
computed here, and nothing that was published before changes: it stays under its own address.
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
from sharedtask.work import dispatch
from sharedtask.work.targets import PACK_RESULTS


class NotReady(Refusal):
    """The standings are not what they should be yet; `reasons` say of which phase and why."""

    def __init__(self, reasons: Sequence[str]) -> None:
        # What keeps a phase back keeps back each of its rankings.
        self.reasons = list(dict.fromkeys(reasons))
        super().__init__("results-not-ready", " ".join(self.reasons))


@dataclass(frozen=True, kw_only=True)
class Readiness:
    """One phase and ranking: the standing that would be published, or what stands in the way of it."""

    phase: Phase
    ranking: Standing.Ranking
    standing: Standing | None
    obstacle: str
    failed: int
    """Runs without a place because we failed to score them."""
    is_missing: bool
    """No standing has been computed from what the phase has now."""

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
            obstacles = ["No phase of this task has anything to publish."]
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
                    f"{one.phase.code} {one.ranking}": {"id": one.public_id, "signature": one.signature}
                    for one in standings
                },
            },
            at=at,
        )
        dispatch.enqueue(PACK_RESULTS, publication.pk)
    return publication


def request_missing(task: Task, *, at: datetime) -> None:
    """Ask for the standings that publishing waits for, where nobody has asked yet."""
    missing = {state.phase.pk for state in readiness(task, at=at) if state.is_missing}
    requested = StandingRequest.objects.filter(phase__in=missing).values_list("phase", flat=True)
    for phase_id in missing - set(requested):
        request_standings(phase_id, at=at)


def readiness(task: Task, *, at: datetime) -> list[Readiness]:
    """Of every phase that has begun and does not show its standings while it runs."""
    phases = task.phases.begun(at=at).exclude(feedback=Phase.Feedback.SCORES).select_related("task")
    return [readiness_of(phase, ranking, at=at) for phase in phases for ranking in rankings_of(phase)]


def readiness_of(phase: Phase, ranking: Standing.Ranking, *, at: datetime) -> Readiness:
    inputs = gather(phase, ranking, at=at)
    held = Standing.objects.in_force(phase).filter(ranking=ranking).select_related("phase").first()
    obstacle, is_missing = "", False
    if phase.is_official and (until := phase.open_until(at=at)):
        # Published scores would tell those who can still upload about gold.
        obstacle = f"{phase.title}: a team can still upload {until}."
    elif inputs.under_way:
        number = len(inputs.under_way)
        obstacle = (
            f"{phase.title}, {ranking}: {number} run{'s are' if number > 1 else ' is'} still being scored."
        )
    elif inputs.entries and (held is None or held.inputs_sha256 != inputs.sha256):
        is_missing = True
        is_requested = StandingRequest.objects.filter(phase=phase).exists()
        when = "is being computed; try again in a moment" if is_requested else "is computed when you publish"
        obstacle = f"{phase.title}, {ranking}: the standing {when}."
    return Readiness(
        phase=phase,
        ranking=ranking,
        standing=held if inputs.entries and not obstacle else None,
        obstacle=obstacle,
        failed=len(inputs.failed),
        is_missing=is_missing,
    )
