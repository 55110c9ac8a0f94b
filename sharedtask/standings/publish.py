"""Publishing results: an organiser's recorded act that makes the standings of a task public at once.

In: a task, which of its rankings are published, by whom and why. Out: a `Publication` with everything that is
public from then on: the chosen standings, and those that were public before and were not chosen again. It is
refused, with the reasons, while a chosen standing is out of date. Nothing is computed here, and earlier
publications do not change: their standings keep their addresses.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime

from django.db import transaction

from sharedtask.accounts.models import User
from sharedtask.competition import audit, reasons
from sharedtask.competition.models import Phase, StandingRequest, Task
from sharedtask.competition.request_standings import request_standings
from sharedtask.core import clock
from sharedtask.core.errors import Refusal
from sharedtask.standings.models import Publication, Standing
from sharedtask.standings.readiness import Readiness, readiness
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


def publish_results(
    *,
    task: Task,
    by: User,
    reason: str,
    note: str = "",
    rankings: Collection[str] | None = None,
    at: datetime | None = None,
) -> Publication:
    """`rankings` are chosen by their keys; by default those that the page has ticked."""
    reason = reasons.required(reason)
    # Before the transaction, so that a request for a standing outlives the refusal.
    request_missing(task, rankings, at=at or clock.database_now())
    with transaction.atomic():
        # One publication at a time, and no other change of the task meanwhile.
        task = Task.objects.select_for_update().get(pk=task.pk)
        at = at or clock.database_now()
        states = readiness(task, at=at)
        chosen = chosen_of(states, rankings)
        obstacles = [state.obstacle for state in chosen if state.obstacle]
        obstacles += separated_tracks(states, chosen)
        standings = [state.standing for state in chosen if state.standing is not None]
        if not obstacles and not standings:
            obstacles = ["There is nothing to publish: no phase of this task has results."]
        if obstacles:
            raise NotReady(obstacles)
        # A publication has everything that is public from now on.
        unchanged = [
            state.public for state in states if state not in chosen and state.public and state.has_runs
        ]
        publication = Publication.objects.create(task=task, at=at, by=by, note=note)
        publication.standings.set([*standings, *unchanged])
        withhold_others(states, public=[*standings, *unchanged])
        if task.results_published_at is None:
            task.results_published_at = at
            task.save(update_fields=["results_published_at"])
        audit.write(
            task=task,
            who=by,
            action="publish-results",
            subject=f"results of {task}",
            reason=reason,
            details={"note": note, "standings": ids_and_signatures(standings, at=at)},
            at=at,
        )
        dispatch.enqueue(PACK_RESULTS, publication.pk)
    return publication


def ids_and_signatures(standings: Sequence[Standing], *, at: datetime) -> dict[str, dict[str, str]]:
    """For the audit log, by phase, track and ranking."""
    return {
        " ".join(filter(None, (standing.phase.code, standing.track, standing.ranking))): {
            "id": standing.public_id,
            "signature": signature_of(standing, is_released=gold_is_released(standing, at=at)),
        }
        for standing in standings
    }


def chosen_of(states: Sequence[Readiness], rankings: Collection[str] | None) -> list[Readiness]:
    if rankings is None:
        return [state for state in states if state.is_default]
    return [state for state in states if state.key in rankings]


def separated_tracks(states: Sequence[Readiness], chosen: Sequence[Readiness]) -> list[str]:
    """A phase is public as a whole: without one of its tracks, teams would see scores of that one as well."""
    left_out = [
        state
        for state in states
        if state.track and state.is_default and state.has_runs and state not in chosen and not state.public
    ]
    public = {(state.phase.pk, state.track) for state in chosen}
    phases = {phase for phase, _ in public}
    return [
        f"{state.title}: results of all tracks of a phase are published together; please choose this one too."
        for state in left_out
        if state.phase.pk in phases and (state.phase.pk, state.track) not in public
    ]


def withhold_others(states: Sequence[Readiness], *, public: Sequence[Standing]) -> None:
    """A phase of which nothing is public stays blind, even if its first runs are still to come."""
    published = {standing.phase_id for standing in public}
    withheld = {state.phase.pk for state in states} - published
    Phase.objects.filter(pk__in=withheld).update(results_withheld=True)
    Phase.objects.filter(pk__in=published).update(results_withheld=False)


def request_missing(task: Task, rankings: Collection[str] | None, *, at: datetime) -> None:
    """Request the standings that publishing needs and that have not been requested yet."""
    chosen = chosen_of(readiness(task, at=at), rankings)
    missing = {state.phase.pk for state in chosen if state.is_missing}
    requested = StandingRequest.objects.filter(phase__in=missing).values_list("phase", flat=True)
    for phase_id in missing - set(requested):
        request_standings(phase_id, at=at)
