"""Which runs are in a ranking. They are chosen by marks and by time of receipt; only `best` looks at scores.

A task may choose that phases which show scores rank the best or the marked run of each system instead of the
last one (`Phase.open_policy`).

In a test, a run that was withdrawn after closing is not replaced by another: it is listed without a rank.

| phase                  | ranking    | runs                                                        |
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

from sharedtask.competition.models import Phase, Task
from sharedtask.competition.tracks import NO_TRACK, track_codes
from sharedtask.standings.models import Standing
from sharedtask.submissions.models import Run
from sharedtask.submissions.official import first_choice, official_runs
from sharedtask.submissions.ranked_run import choose_ranked

Ranking = Standing.Ranking

RANKING_ORDER = (Ranking.OFFICIAL, Ranking.UNOFFICIAL, Ranking.OPEN, Ranking.BEST)
"""On every page: the ranking of record first, and `best`, which is chosen by score, last."""


def rankings_of(phase: Phase) -> tuple[Ranking, ...]:
    if phase.kind == Phase.Kind.TEST:
        return Ranking.OFFICIAL, Ranking.UNOFFICIAL, Ranking.BEST
    if phase.kind == Phase.Kind.POST:
        return (Ranking.UNOFFICIAL,)
    return (Ranking.OPEN,)


def rankings_by_track(phase: Phase) -> list[tuple[str, Ranking]]:
    """Every ranking of every track of the phase; the tracks in the task's order."""
    return [(track, ranking) for track in track_codes(phase) for ranking in rankings_of(phase)]


def runs_of(phase: Phase, ranking: str, track: str = NO_TRACK) -> list[Run]:
    """At most one run of each system (but all where the best is chosen afterwards), with team and system."""
    if ranking == Ranking.OFFICIAL:
        return official_or_withdrawn(phase, track)
    if ranking == Ranking.BEST:
        return candidates_for_best(phase, track)
    if phase.kind == Phase.Kind.TEST:
        return last_of_secondary_systems(phase, track)
    scored = Run.objects.filter(phase=phase, state=Run.State.SCORED).in_track(track)
    runs = scored.counting().outside_series()
    in_order = list(runs.select_related("team", "system").order_by("received_at", "pk"))
    return in_order if ranks_best_of_each_system(phase) else choose_ranked(phase.open_policy, in_order)


def ranks_best_of_each_system(phase: Phase) -> bool:
    return not phase.is_official and phase.open_policy == Task.OpenPolicy.BEST


def candidates_for_best(phase: Phase, track: str) -> list[Run]:
    """If the phase shows its scores at once, no runs from phases that do not."""
    phases = Q(phase=phase) | Q(phase__task=phase.task_id, phase__kind=Phase.Kind.POST)
    if phase.feedback == Phase.Feedback.SCORES:
        phases &= Q(phase__feedback=Phase.Feedback.SCORES)
    runs = Run.objects.filter(phases, system__withdrawn_at=None).counting().outside_series()
    usable = runs.in_track(track).exclude(state__in=[Run.State.REFUSED, Run.State.FAILED])
    return list(usable.select_related("team", "system").order_by("received_at", "pk"))


def official_or_withdrawn(phase: Phase, track: str) -> list[Run]:
    """For a team that withdrew, the run that would have been official; it is listed without a rank."""
    chosen = {team: selection.run for team, selection in official_runs(phase, track).items()}
    is_withdrawn = Q(status=Run.Status.WITHDRAWN) | Q(system__withdrawn_at__isnull=False)
    withdrawn = Run.objects.filter(
        is_withdrawn, phase=phase, system__is_primary=True, state=Run.State.SCORED
    ).exclude(status=Run.Status.REJECTED)
    withdrawn = withdrawn.in_track(track).outside_series()
    by_team: dict[int, list[Run]] = {}
    for run in withdrawn.exclude(team__in=chosen).select_related("team", "system"):
        by_team.setdefault(run.team_id, []).append(run)
    unranked = [unranked_run(phase, runs) for runs in by_team.values()]
    return [*chosen.values(), *(run for run in unranked if run)]


def unranked_run(phase: Phase, withdrawn: Sequence[Run]) -> Run | None:
    """The run that was official when the phase closed; else the one that was before all were withdrawn."""
    late = [run for run in withdrawn if run.withdrawn_after_closing]
    selection = first_choice(phase, late) or first_choice(phase, withdrawn)
    return selection.run if selection else None


def last_of_secondary_systems(phase: Phase, track: str) -> list[Run]:
    """One run of each. A run that was withdrawn after closing is listed without a rank.

    It is not replaced by an earlier run of the system, because scores may be known by then.
    """
    eligible = Q(status=Run.Status.COUNTS) | Q(status=Run.Status.WITHDRAWN, withdrawn_after_closing=True)
    runs = Run.objects.filter(eligible, phase=phase, system__is_primary=False).exclude(
        state=Run.State.REFUSED
    )
    outside = runs.in_track(track).outside_series()
    in_order = outside.select_related("team", "system").order_by("received_at", "pk")
    last = {run.system_id: run for run in in_order}.values()
    return [run for run in last if run.status == Run.Status.COUNTS or run.state == Run.State.SCORED]
