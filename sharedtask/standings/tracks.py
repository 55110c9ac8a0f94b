"""Which runs a ranking is about. Chosen by marks and by time of receipt; only `best` looks at scores.

| phase                  | track      | runs                                                        |
|------------------------|------------|-------------------------------------------------------------|
| development, trial     | open       | of each system the last received that was scored            |
| test                   | official   | of each team the official run of its primary system         |
| test                   | unofficial | of each secondary system the last received                  |
| test                   | best       | all that were scored, post-evaluation too (see `best.py`)   |
| post-evaluation        | unofficial | of each system the last received that was scored            |
"""

from __future__ import annotations

from django.db.models import Q

from sharedtask.competition.models import Phase
from sharedtask.standings.models import Standing
from sharedtask.submissions.models import Run
from sharedtask.submissions.official import choose, official_runs

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
    runs = Run.objects.filter(phase=phase).that_count().exclude(state=Run.State.REFUSED)
    if phase.kind == Phase.Kind.TEST:
        runs = runs.filter(system__is_primary=False)
    else:
        runs = runs.filter(state=Run.State.SCORED)
    in_order = runs.select_related("team", "system").order_by("received_at", "pk")
    return list({run.system_id: run for run in in_order}.values())


def candidates_for_best(phase: Phase) -> list[Run]:
    """Of a phase that shows its scores at once, nothing is mixed in from one that keeps them back."""
    phases = Q(phase=phase) | Q(phase__task=phase.task_id, phase__kind=Phase.Kind.POST)
    if phase.feedback == Phase.Feedback.SCORES:
        phases &= Q(phase__feedback=Phase.Feedback.SCORES)
    runs = Run.objects.filter(phases, system__withdrawn_at=None).that_count()
    usable = runs.exclude(state__in=[Run.State.REFUSED, Run.State.FAILED])
    return list(usable.select_related("team", "system").order_by("received_at", "pk"))


def official_or_withdrawn(phase: Phase) -> list[Run]:
    """A team that withdrew keeps the run that would have been official, to be shown without a rank."""
    chosen = {team: selection.run for team, selection in official_runs(phase).items()}
    left = Q(fate=Run.Fate.WITHDRAWN) | Q(system__withdrawn_at__isnull=False)
    withdrawn = Run.objects.filter(
        left, phase=phase, system__is_primary=True, state=Run.State.SCORED
    ).exclude(fate=Run.Fate.REJECTED)
    by_team: dict[int, list[Run]] = {}
    for run in withdrawn.exclude(team__in=chosen).select_related("team", "system"):
        by_team.setdefault(run.team_id, []).append(run)
    beside = [selection.run for runs in by_team.values() if (selection := choose(phase, runs))]
    return [*chosen.values(), *beside]
