"""Which run of a team is its official run. Scores are never read here, and never must be.

In: a phase with its teams. Out: for each team that has an official run a `Selection`, which says how it was
chosen: by the organisers' mark, else by the team's mark, else by default (the last run received before
closing). A candidate belongs to the team's primary system, was received in a test phase, and counts: it was
neither rejected nor withdrawn, its archive was not refused, and it is not part of a series.

A run that was withdrawn after the phase had closed for its team remains a candidate. If it is selected, the
team has no official run: scores may be known by then, and withdrawing must not be a way to choose another
run. Organisers can restore it or mark another.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from django.db.models import Q

from sharedtask.competition.models import Phase
from sharedtask.competition.tracks import NO_TRACK, track_codes
from sharedtask.submissions.models import Run
from sharedtask.submissions.models.run import RunQuerySet
from sharedtask.teams.models import System, Team


class ChosenBy(StrEnum):
    ORGANISERS = "marked by the organisers"
    TEAM = "marked by the team"
    DEFAULT = "last run received before closing"


@dataclass(frozen=True, kw_only=True)
class Selection:
    run: Run
    chosen_by: ChosenBy


def official_runs(phase: Phase, track: str = NO_TRACK) -> dict[int, Selection]:
    """In one track, by the team's primary key. One query, and one for the phase's extensions."""
    if not phase.is_official:
        return {}
    by_team: dict[int, list[Run]] = {}
    for run in candidates(phase).in_track(track):
        by_team.setdefault(run.team_id, []).append(run)
    selections = {team: choose(phase, runs) for team, runs in by_team.items()}
    return {team: selection for team, selection in selections.items() if selection is not None}


def official_runs_of(team: Team, phases: Iterable[Phase]) -> dict[tuple[int, str], Selection]:
    """The official runs of one team, by the phase's primary key and the track. At most one query for all."""
    test_phases = {phase.pk: phase for phase in phases if phase.is_official}
    if not test_phases:
        return {}
    by_track: dict[tuple[int, str], list[Run]] = {}
    for run in candidates(*test_phases.values()).filter(team=team):
        by_track.setdefault((run.phase_id, run.track), []).append(run)
    selections = {key: choose(test_phases[key[0]], runs) for key, runs in by_track.items()}
    return {key: selection for key, selection in selections.items() if selection is not None}


def all_official_runs(phase: Phase) -> list[Selection]:
    """Of every team in every track."""
    return [selection for track in track_codes(phase) for selection in official_runs(phase, track).values()]


def candidates(*phases: Phase) -> RunQuerySet:
    """Runs that count, and those withdrawn after closing.

    A run that could not be checked because of a server error has nothing to rank; one that could not be
    scored remains a candidate.
    """
    unusable = Q(state=Run.State.REFUSED) | Q(state=Run.State.FAILED, checked_at=None)
    eligible = Q(status=Run.Status.COUNTS) | Q(withdrawn_after_closing=True)
    runs = Run.objects.filter(eligible, phase__in=phases, system__is_primary=True, system__withdrawn_at=None)
    return runs.exclude(unusable).outside_series().select_related("team", "system")


def candidates_of(team: Team, phase: Phase, track: str = NO_TRACK) -> list[Run]:
    return list(candidates(phase).in_track(track).filter(team=team)) if phase.is_official else []


def choose(phase: Phase, runs: Iterable[Run]) -> Selection | None:
    """Among the candidates of one team; None also if the selected run was withdrawn after closing."""
    selection = first_choice(phase, runs)
    return selection if selection is not None and selection.run.status == Run.Status.COUNTS else None


def withdrawn_official(phase: Phase, runs: Iterable[Run]) -> Run | None:
    """The selected run among a team's candidates if it was withdrawn after closing, else None."""
    selection = first_choice(phase, runs)
    return selection.run if selection is not None and selection.run.status != Run.Status.COUNTS else None


def first_choice(phase: Phase, runs: Iterable[Run]) -> Selection | None:
    """By marks and time of receipt only, even if the run has been withdrawn since.

    A combined run is created after closing, so only a mark can select it.
    """
    runs = sorted(runs, key=lambda run: (run.received_at, run.number))
    marked_by_organisers = [run for run in runs if run.marked_by_organiser]
    if marked_by_organisers:
        return Selection(run=marked_by_organisers[-1], chosen_by=ChosenBy.ORGANISERS)
    marked_by_team = [run for run in runs if run.marked_official_at is not None]
    if marked_by_team:
        latest = max(marked_by_team, key=lambda run: (run.marked_official_at, run.number))
        return Selection(run=latest, chosen_by=ChosenBy.TEAM)
    in_time = [run for run in runs if run.origin != Run.Origin.COMBINED and was_in_time(phase, run)]
    return Selection(run=in_time[-1], chosen_by=ChosenBy.DEFAULT) if in_time else None


def was_in_time(phase: Phase, run: Run) -> bool:
    return not has_closed(phase, run.team, at=run.received_at)


def has_closed(phase: Phase, team: Team, *, at: datetime) -> bool:
    closes_at = phase.closing_time(team)
    return closes_at is not None and at >= closes_at


def is_official(run: Run) -> bool:
    selection = official_runs_of(run.team, [run.phase]).get((run.phase_id, run.track))
    return selection is not None and selection.run.pk == run.pk


def phases_without_rank_after(system: System, *, at: datetime) -> list[Phase]:
    """The closed test phases in which withdrawing this system now would leave its team without a rank."""
    phases = system.team.task.phases.filter(kind=Phase.Kind.TEST).prefetch_related("extensions")
    closed = [phase for phase in phases if has_closed(phase, system.team, at=at)]
    official = official_runs_of(system.team, closed)
    of_system = {phase for (phase, _), chosen in official.items() if chosen.run.system_id == system.pk}
    return [phase for phase in closed if phase.pk in of_system]
