"""Which run of a team is its official one. No score is read here, and none may ever be.

In: a phase, with its teams. Out: for each team that has one a `Selection`, which says who chose: the
organisers by their mark, else the team by its own, else the clock (the last received before closing). A
candidate belongs to the team's primary system, was received in a test phase, and counts: it was neither
rejected nor withdrawn, and its archive was not refused.

A run that was withdrawn after the phase had closed for its team keeps its place among the candidates. If it
is the one to be chosen, the team has no official run: scores may be known by then, and withdrawing must not
be a way to choose another run. Organisers can restore it, or mark another one.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from django.db.models import Q

from sharedtask.competition.models import Phase
from sharedtask.submissions.models import Run
from sharedtask.submissions.models.run import RunQuerySet
from sharedtask.teams.models import System, Team


class ChosenBy(StrEnum):
    ORGANISERS = "marked by the organisers"
    TEAM = "marked by the team"
    CLOCK = "the last received before closing"


@dataclass(frozen=True, kw_only=True)
class Selection:
    run: Run
    chosen_by: ChosenBy


def official_runs(phase: Phase) -> dict[int, Selection]:
    """By the team's primary key; one query, and one for the phase's extensions."""
    if not phase.is_official:
        return {}
    by_team: dict[int, list[Run]] = {}
    for run in candidates(phase):
        by_team.setdefault(run.team_id, []).append(run)
    chosen = {team: choose(phase, runs) for team, runs in by_team.items()}
    return {team: selection for team, selection in chosen.items() if selection is not None}


def official_runs_of(team: Team, phases: Iterable[Phase]) -> dict[int, Selection]:
    """Of one team, by the phase's primary key, where it has one; one query for all phases."""
    of_tests = {phase.pk: phase for phase in phases if phase.is_official}
    by_phase: dict[int, list[Run]] = {}
    for run in candidates(*of_tests.values()).filter(team=team):
        by_phase.setdefault(run.phase_id, []).append(run)
    chosen = {pk: choose(of_tests[pk], runs) for pk, runs in by_phase.items()}
    return {pk: selection for pk, selection in chosen.items() if selection is not None}


def candidates(*phases: Phase) -> RunQuerySet:
    """Those that count, and those that were withdrawn too late to be left out.

    Our own failure to check a run leaves nothing to rank; one to score it does not unseat the run.
    """
    unusable = Q(state=Run.State.REFUSED) | Q(state=Run.State.FAILED, checked_at=None)
    there = Q(fate=Run.Fate.COUNTS) | Q(withdrawn_after_closing=True)
    runs = Run.objects.filter(there, phase__in=phases, system__is_primary=True, system__withdrawn_at=None)
    return runs.exclude(unusable).select_related("team", "system")


def candidates_of(team: Team, phase: Phase) -> list[Run]:
    return list(candidates(phase).filter(team=team)) if phase.is_official else []


def choose(phase: Phase, runs: Iterable[Run]) -> Selection | None:
    """Of the candidates of one team; None also where the chosen run was withdrawn after closing."""
    selection = first_choice(phase, runs)
    return selection if selection is not None and selection.run.fate == Run.Fate.COUNTS else None


def vacated(phase: Phase, runs: Iterable[Run]) -> Run | None:
    """Of the candidates of one team: the official run that was withdrawn after closing, if there is one."""
    selection = first_choice(phase, runs)
    return selection.run if selection is not None and selection.run.fate != Run.Fate.COUNTS else None


def first_choice(phase: Phase, runs: Iterable[Run]) -> Selection | None:
    """By marks and time alone, whatever has become of the run since.

    A combined run is made after closing: only a mark can choose it.
    """
    runs = sorted(runs, key=lambda run: (run.received_at, run.number))
    marked = [run for run in runs if run.marked_by_organiser]
    if marked:
        return Selection(run=marked[-1], chosen_by=ChosenBy.ORGANISERS)
    own = [run for run in runs if run.marked_official_at is not None]
    if own:
        latest = max(own, key=lambda run: (run.marked_official_at, run.number))
        return Selection(run=latest, chosen_by=ChosenBy.TEAM)
    in_time = [run for run in runs if run.origin != Run.Origin.COMBINED and was_in_time(phase, run)]
    return Selection(run=in_time[-1], chosen_by=ChosenBy.CLOCK) if in_time else None


def was_in_time(phase: Phase, run: Run) -> bool:
    return not has_closed(phase, run.team, at=run.received_at)


def has_closed(phase: Phase, team: Team, *, at: datetime) -> bool:
    closes_at = phase.closing_time(team)
    return closes_at is not None and at >= closes_at


def is_official(run: Run) -> bool:
    selection = official_runs_of(run.team, [run.phase]).get(run.phase_id)
    return selection is not None and selection.run.pk == run.pk


def phases_without_rank_after(system: System, *, at: datetime) -> list[Phase]:
    """The closed test phases in which withdrawing this system now would leave its team without a rank."""
    phases = system.team.task.phases.filter(kind=Phase.Kind.TEST).prefetch_related("extensions")
    closed = [phase for phase in phases if has_closed(phase, system.team, at=at)]
    official = official_runs_of(system.team, closed)
    return [phase for phase in closed if phase.pk in official and is_of(system, official[phase.pk])]


def is_of(system: System, selection: Selection) -> bool:
    return selection.run.system_id == system.pk
