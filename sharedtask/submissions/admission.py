"""Whether a phase takes an upload of a team at a moment: a `TeamFault` says why not.

The quota has to be asked for inside the transaction that writes the run, with the team's row locked.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from sharedtask.competition.models import Phase
from sharedtask.faults import TeamFault
from sharedtask.submissions.models import Run
from sharedtask.teams.models import Team


def refuse_outside_the_phase(phase: Phase, team: Team, *, at: datetime) -> None:
    if at < phase.opens_at:
        raise TeamFault(
            "phase-not-open",
            f"{phase.title} does not take uploads yet.",
            found=moment(at),
            expected=f"from {moment(phase.opens_at)} on",
        )
    closes_at = phase.closing_time(team)
    if closes_at is not None and at >= closes_at:
        raise TeamFault(
            "phase-closed",
            f"{phase.title} has closed. The upload arrived whole at {moment(at)}.",
            found=moment(at),
            expected=f"before {moment(closes_at)}",
        )


def refuse_unregistered(phase: Phase, team: Team) -> None:
    if phase.needs_registration and not team.is_confirmed:
        raise TeamFault(
            "team-not-confirmed",
            f"{phase.title} is for registered teams, and the organisers have not confirmed yours yet.",
            found=team.registration,
            expected="confirmed",
        )


def refuse_beyond_quota(phase: Phase, team: Team, *, at: datetime) -> None:
    spent = Run.objects.filter(phase=phase, team=team).spending_quota()
    day = at.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    if phase.runs_a_day is not None:
        today = spent.filter(received_at__gte=day, received_at__lt=day + timedelta(days=1)).count()
        if today >= phase.runs_a_day + team.extra_runs:
            raise beyond_quota("quota-of-the-day", f"{today} runs today (UTC)", phase.runs_a_day)
    if phase.runs_in_all is not None:
        in_all = spent.count()
        if in_all >= phase.runs_in_all + team.extra_runs:
            raise beyond_quota("quota-of-the-phase", f"{in_all} runs in {phase.title}", phase.runs_in_all)


def refuse_unfit_amendment(amends: Run | None, phase: Phase, team: Team) -> None:
    """Only a run that has been checked has files to inherit."""
    if amends is None:
        return
    if amends.team_id != team.pk or amends.phase_id != phase.pk or amends.checked_at is None:
        raise TeamFault(
            "amends-unfit-run",
            "Only a run of your own team in the same phase can be amended, after it has been checked.",
            expected="a checked run of this team and phase",
        )


def beyond_quota(id: str, found: str, most: int) -> TeamFault:
    return TeamFault(
        id,
        f"Your team has used its quota: {found}. Nothing was stored.",
        found=found,
        expected=f"at most {most}",
    )


def moment(at: datetime) -> str:
    return f"{at.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"
