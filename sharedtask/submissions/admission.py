"""Whether a phase takes an upload of a team at a moment: a `Refusal` says why not.

Quota and flood have to be asked for inside the transaction that writes the run, with the team's row locked.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from sharedtask.competition.models import Phase
from sharedtask.core.errors import Refusal
from sharedtask.core.limits import upload_limits
from sharedtask.submissions.models import Run
from sharedtask.submissions.quota import Quota, quota_of
from sharedtask.teams.models import System, Team


def refuse_outside_the_phase(phase: Phase, team: Team, *, at: datetime) -> None:
    if at < phase.opens_at:
        raise Refusal(
            "phase-not-open",
            f"{phase.title} does not take uploads yet.",
            found=moment(at),
            expected=f"from {moment(phase.opens_at)} on",
        )
    closes_at = phase.closing_time(team)
    if closes_at is not None and at >= closes_at:
        raise Refusal(
            "phase-closed",
            f"{phase.title} has closed. The upload arrived whole at {moment(at)}.",
            found=moment(at),
            expected=f"before {moment(closes_at)}",
        )


def refuse_unregistered(phase: Phase, team: Team) -> None:
    if phase.needs_registration and not team.is_confirmed:
        raise Refusal(
            "team-not-confirmed",
            f"{phase.title} is for registered teams, and the organisers have not confirmed yours yet.",
            found=team.registration,
            expected="confirmed",
        )
    if phase.needs_registration and not team.is_baseline and not team.has_accepted_rules:
        raise Refusal(
            "rules-not-accepted",
            f"{phase.title} is for teams that accepted the rules as they are now; your team's page has them.",
            found=f"version {team.rules_version}",
            expected=f"version {team.task.rules_version}",
        )


def refuse_beyond_quota(phase: Phase, team: Team, *, at: datetime) -> None:
    """Says what was spent, what remains, and when the next unit comes, if one does."""
    quota = quota_of(phase, team, at=at)
    if quota.left_today != 0:
        return
    if quota.left_in_all == 0:
        most = (quota.runs_in_all or 0) + quota.extra_runs
        raise Refusal(
            "quota-of-the-phase",
            f"Your team has used its quota: {quota.in_all} of {most} runs in {phase.title}. No run remains, "
            "and no later day brings one; organisers can grant more.",
            found=f"{quota.in_all} runs in {phase.title}",
            expected=f"at most {most}",
        )
    remains = "" if quota.left_in_all is None else f" {quota.left_in_all} in all remain."
    raise Refusal(
        "quota-of-the-day",
        f"Your team has used its quota of today: {quota.today} of {quota.runs_a_day} runs (UTC day)."
        f"{remains} {when_the_next_comes(phase, team, quota)}",
        found=f"{quota.today} runs today (UTC)",
        expected=f"at most {quota.runs_a_day} a day",
    )


def refuse_a_flood(team: Team, *, at: datetime) -> None:
    """However the uploads ended: whoever sends rubbish without end fills a disk that others need."""
    most = upload_limits().uploads_a_day
    if team.runs.filter(received_at__gt=at - timedelta(days=1)).count() >= most:
        raise Refusal(
            "uploads-of-the-day",
            f"Your team has sent {most} uploads within 24 hours, the most this site takes of any team.",
            expected=f"at most {most} in 24 hours",
        )


def when_the_next_comes(phase: Phase, team: Team, quota: Quota) -> str:
    closes_at = phase.closing_time(team)
    if closes_at is not None and closes_at <= quota.next_day:
        return f"{phase.title} closes at {moment(closes_at)}, before a new day brings another."
    return f"The next can be uploaded from {moment(quota.next_day)} on."


def refuse_unfit_amendment(amends: Run | None, phase: Phase, system: System) -> None:
    """Only a run that has been checked has files to inherit; from a rejected one nothing is inherited."""
    if amends is None:
        return
    own = amends.system_id == system.pk and amends.phase_id == phase.pk
    if not own or not Run.objects.that_can_be_amended(team=system.team).filter(pk=amends.pk).exists():
        raise Refusal(
            "amends-unfit-run",
            "Only a run of your own team, of the same system and in the same phase, can be amended, after it "
            "has been checked and unless it was withdrawn or rejected.",
            expected="a checked run of this system and phase",
        )


def refuse_to_amend_before_its_check(run: Run) -> None:
    """What the archive does not have is inherited from files with a verdict, and there are none yet."""
    if run.state in (Run.State.RECEIVED, Run.State.CHECKING):
        raise Refusal(
            "amends-unchecked-run",
            f"Run {run.number} is still being checked. It can be amended when its files have a verdict, "
            "which takes seconds as a rule; please send this again then.",
            found=run.state,
            expected="a checked run",
        )


def refuse_withdrawn_system(system: System) -> None:
    if system.withdrawn_at is not None:
        raise Refusal(
            "system-withdrawn",
            f"The system {system.name} was withdrawn and takes no more runs. Choose another one.",
            found=system.name,
        )


def moment(at: datetime) -> str:
    return f"{at.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"
