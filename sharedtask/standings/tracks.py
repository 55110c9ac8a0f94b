"""Which runs a ranking is about. Chosen by marks and by time of receipt; only `best` looks at scores.

In a test, no other run takes the place of one that was withdrawn after closing: it is shown without a rank.

| phase                  | track      | runs                                                        |
|------------------------|------------|-------------------------------------------------------------|
| development, trial     | open       | of each system the last received that was scored            |
| test                   | official   | of each team the official run of its primary system         |
| test                   | unofficial | of each secondary system the last received                  |
| test                   | best       | all that were scored, post-evaluation too (see `best.py`)   |
| post-evaluation        | unofficial | of each system the last received that was scored            |
"""

from __future__ import annotations

from collections.abc import Sequence

from django.db.models import Q

from sharedtask.competition.models import Phase
from sharedtask.standings.models import Standing
from sharedtask.submissions.models import Run
from sharedtask.submissions.official import first_choice, official_runs

Track = Standing.Track


def tracks_of(phase: Phase) -> tuple[Track, ...]:
    if phase.kind == Phase.Kind.TEST:
        return Track.OFFICIAL, Track.UNOFFICIAL, Track.BEST
    if phase.kind == Phase.Kind.POST:
        return (Track.UNOFFICIAL,)
    return (Track.OPEN,)


def runs_of(phase: Phase, track: str) -> list[Run]:
    """At most one run of each system (but all for `best`), with team and system at hand."""
    if track == Track.OFFICIAL:
        return official_or_withdrawn(phase)
    if track == Track.BEST:
        return candidates_for_best(phase)
    if phase.kind == Phase.Kind.TEST:
        return last_of_secondary_systems(phase)
    runs = Run.objects.filter(phase=phase, state=Run.State.SCORED).counting()
    in_order = runs.select_related("team", "system").order_by("received_at", "pk")
    return list({run.system_id: run for run in in_order}.values())


def candidates_for_best(phase: Phase) -> list[Run]:
    """Of a phase that shows its scores at once, nothing is mixed in from one that keeps them back."""
    phases = Q(phase=phase) | Q(phase__task=phase.task_id, phase__kind=Phase.Kind.POST)
    if phase.feedback == Phase.Feedback.SCORES:
        phases &= Q(phase__feedback=Phase.Feedback.SCORES)
    runs = Run.objects.filter(phases, system__withdrawn_at=None).counting()
    usable = runs.exclude(state__in=[Run.State.REFUSED, Run.State.FAILED])
    return list(usable.select_related("team", "system").order_by("received_at", "pk"))


def official_or_withdrawn(phase: Phase) -> list[Run]:
    """A team that withdrew keeps the run that would have been official, to be shown without a rank."""
    chosen = {team: selection.run for team, selection in official_runs(phase).items()}
    left = Q(status=Run.Status.WITHDRAWN) | Q(system__withdrawn_at__isnull=False)
    withdrawn = Run.objects.filter(
        left, phase=phase, system__is_primary=True, state=Run.State.SCORED
    ).exclude(status=Run.Status.REJECTED)
    by_team: dict[int, list[Run]] = {}
    for run in withdrawn.exclude(team__in=chosen).select_related("team", "system"):
        by_team.setdefault(run.team_id, []).append(run)
    beside = [shown_beside(phase, runs) for runs in by_team.values()]
    return [*chosen.values(), *(run for run in beside if run)]


def shown_beside(phase: Phase, withdrawn: Sequence[Run]) -> Run | None:
    """The run that was official when the phase closed; else the one that was before all were withdrawn."""
    late = [run for run in withdrawn if run.withdrawn_after_closing]
    selection = first_choice(phase, late) or first_choice(phase, withdrawn)
    return selection.run if selection else None


def last_of_secondary_systems(phase: Phase) -> list[Run]:
    """Of each, the last received. One that was withdrawn after closing is shown without a rank.

    No earlier run of the system takes its place: scores may be known by then.
    """
    there = Q(status=Run.Status.COUNTS) | Q(status=Run.Status.WITHDRAWN, withdrawn_after_closing=True)
    runs = Run.objects.filter(there, phase=phase, system__is_primary=False).exclude(state=Run.State.REFUSED)
    in_order = runs.select_related("team", "system").order_by("received_at", "pk")
    last = {run.system_id: run for run in in_order}.values()
    return [run for run in last if run.status == Run.Status.COUNTS or run.state == Run.State.SCORED]
