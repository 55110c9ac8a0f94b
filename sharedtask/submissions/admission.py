"""Whether a phase accepts an upload from a team at a given time; if not, a `Refusal` says why.

Check the quota and the number of uploads per day inside the transaction that writes the run, with the team's
row locked. `obstacles.py` asks the same questions for the upload form, before anything is sent.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from sharedtask.competition.models import Phase
from sharedtask.competition.tracks import track_codes, tracks_in
from sharedtask.core.clock import format_time
from sharedtask.core.errors import Refusal
from sharedtask.core.limits import upload_limits
from sharedtask.submissions.models import Run
from sharedtask.submissions.quota import Quota
from sharedtask.teams.models import System, Team


def refuse_outside_phase(phase: Phase, team: Team, *, at: datetime) -> None:
    if at < phase.opens_at:
        raise Refusal(
            "phase-not-open",
            f"{phase.title} is not open for uploads yet.",
            found=format_time(at),
            expected=f"not before {format_time(phase.opens_at)}",
        )
    closes_at = phase.closing_time(team)
    if closes_at is not None and at >= closes_at:
        raise Refusal(
            "phase-closed",
            f"{phase.title} has closed. Uploads had to be complete before {format_time(closes_at)}.",
            found=format_time(at),
            expected=f"before {format_time(closes_at)}",
        )


def refuse_unregistered(phase: Phase, team: Team) -> None:
    if phase.needs_registration and not team.is_confirmed:
        raise Refusal(
            "team-not-confirmed",
            f"{phase.title} is open to registered teams only. "
            "The organisers have not confirmed your registration yet.",
            found=team.registration,
            expected="confirmed",
        )
    if phase.needs_registration and not team.is_baseline and not team.has_accepted_rules:
        raise Refusal(
            "rules-not-accepted",
            f"{phase.title} is open only to teams that have accepted the current rules. "
            "You can accept them on your team's page.",
            found=f"version {team.rules_version}",
            expected=f"version {team.task.rules_version}",
        )


def refuse_beyond_quota(phase: Phase, quota: Quota) -> None:
    """The message says how many runs are used, how many remain, and when the next is possible."""
    if quota.left_today != 0:
        return
    if quota.left_total == 0:
        limit = (quota.runs_total or 0) + quota.extra_runs
        raise Refusal(
            "phase-quota-used",
            f"Your team has used its quota: {quota.total} of {limit} runs in {phase.title}. "
            "No runs remain; the organisers can grant more.",
            found=f"{quota.total} runs in {phase.title}",
            expected=f"at most {limit}",
        )
    left = quota.left_until_closing
    remaining = f" {left} remain in total." if left else ""
    raise Refusal(
        "daily-quota-used",
        f"Your team has used today's quota: {quota.today} of {quota.runs_per_day} runs (UTC day)."
        f"{remaining} {next_run_sentence(phase, quota)}",
        found=f"{quota.today} runs today (UTC)",
        expected=f"at most {quota.runs_per_day} per day",
    )


def uploads_within_a_day(team: Team, *, at: datetime) -> int:
    """Counts refused and failed uploads too: they also fill the disk that all teams share."""
    return team.runs.filter(received_at__gt=at - timedelta(days=1)).count()


def refuse_too_many_uploads(uploads: int) -> None:
    limit = upload_limits().uploads_per_day
    if uploads >= limit:
        raise Refusal(
            "too-many-uploads",
            f"Your team has uploaded {limit} times within 24 hours, which is the limit per team.",
            expected=f"at most {limit} in 24 hours",
        )


def next_run_sentence(phase: Phase, quota: Quota) -> str:
    if quota.closes_at is not None and quota.closes_before_next_day:
        return f"{phase.title} closes at {format_time(quota.closes_at)}, before the next day begins."
    return f"You can upload the next run from {format_time(quota.next_day)}."


def refuse_outside_track(phase: Phase, track: str) -> None:
    if track in track_codes(phase):
        return
    # Programs name a track by its code, people by its title.
    titles = ", ".join(f"{choice.title} ({choice.code})" for choice in tracks_in(phase))
    raise Refusal(
        "upload-without-track",
        f"Please choose a track of {phase.title}: {titles}." if titles else "This task has no tracks.",
        found=track or "none",
        expected=titles or "no track",
    )


def refuse_invalid_amendment(amends: Run | None, phase: Phase, system: System, track: str) -> None:
    """Only a checked run has files to inherit, and a rejected or withdrawn one passes none on."""
    if amends is None:
        return
    is_same = (amends.system_id, amends.phase_id, amends.track) == (system.pk, phase.pk, track)
    if not is_same or not Run.objects.amendable(team=system.team).filter(pk=amends.pk).exists():
        raise Refusal(
            "cannot-amend-run",
            f"You can amend only a run of the same system in the same phase{' and track' if track else ''} "
            "that has been checked and was neither withdrawn nor rejected.",
            expected="a checked run of this system and phase",
        )


def refuse_amending_unchecked(run: Run) -> None:
    """An amended run inherits files that have a verdict, and this run has none yet."""
    if run.state in (Run.State.RECEIVED, Run.State.CHECKING):
        raise Refusal(
            "cannot-amend-unchecked-run",
            f"Run {run.number} is still being checked, which usually takes seconds. Please upload again when "
            "the check has finished.",
            found=run.state,
            expected="a checked run",
        )


def refuse_withdrawn_system(system: System) -> None:
    if system.withdrawn_at is not None:
        raise Refusal(
            "system-withdrawn",
            f"The system {system.name} was withdrawn and accepts no more runs. Please choose another system.",
            found=system.name,
        )
