"""Which run of a team is its official one. No score is read here, and none may ever be.

In: a phase, with its teams. Out: for each team that has one a `Selection`, which says who chose: the
organisers by their mark, else the team by its own, else the clock (the last received before closing). A
candidate belongs to the team's primary system, was received in a test phase, and counts: it was neither
rejected nor withdrawn, and its archive was not refused.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from django.db.models import Q

from sharedtask.competition.models import Phase
from sharedtask.submissions.models import Run
from sharedtask.submissions.models.run import RunQuerySet
from sharedtask.teams.models import Team


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
    for run in candidates(phase).select_related("team", "system"):
        by_team.setdefault(run.team_id, []).append(run)
    chosen = {team: choose(phase, runs) for team, runs in by_team.items()}
    return {team: selection for team, selection in chosen.items() if selection is not None}


def official_runs_of(team: Team, phases: Iterable[Phase]) -> dict[int, Selection]:
    """Of one team, by the phase's primary key, where it has one; one query for all phases."""
    of_tests = {phase.pk: phase for phase in phases if phase.is_official}
    by_phase: dict[int, list[Run]] = {}
    for run in candidates(*of_tests.values()).filter(team=team).select_related("team", "system"):
        by_phase.setdefault(run.phase_id, []).append(run)
    chosen = {pk: choose(of_tests[pk], runs) for pk, runs in by_phase.items()}
    return {pk: selection for pk, selection in chosen.items() if selection is not None}


def candidates(*phases: Phase) -> RunQuerySet:
    """Our own failure to check a run leaves nothing to rank; one to score it does not unseat the run."""
    unusable = Q(state=Run.State.REFUSED) | Q(state=Run.State.FAILED, checked_at=None)
    runs = Run.objects.filter(phase__in=phases, system__is_primary=True, system__withdrawn_at=None)
    return runs.that_count().exclude(unusable)


def choose(phase: Phase, runs: Iterable[Run]) -> Selection | None:
    """Of the candidates of one team. A combined run is made after closing: only a mark can choose it."""
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
    closes_at = phase.closing_time(run.team)
    return closes_at is None or run.received_at < closes_at
