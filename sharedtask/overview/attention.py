"""What needs the attention of a team, most urgent first, and its next step.

In: the team's `Dashboard` and a time. Out: `AttentionItem`s. There are no database queries here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.urls import reverse

from sharedtask.overview.dashboard import Dashboard, PhaseSummary
from sharedtask.overview.latest_runs import RunSummary
from sharedtask.submissions.models import Run
from sharedtask.submissions.quota import Quota
from sharedtask.teams.models import Team

MESSAGE_AGE_LIMIT = timedelta(days=14)


@dataclass(frozen=True, kw_only=True)
class AttentionItem:
    sentence: str
    address: str = ""
    action: str = ""


def attention(dashboard: Dashboard, *, at: datetime) -> list[AttentionItem]:
    return [
        *registration_items(dashboard),
        *run_items(dashboard),
        *server_error_items(dashboard),
        *phase_items(dashboard),
        *message_items(dashboard, at=at),
        *system_items(dashboard),
    ]


def next_step(dashboard: Dashboard) -> AttentionItem:
    """What to do now, or that there is nothing to do."""
    upload = reverse("upload", args=[dashboard.task.slug])
    urgent = [*registration_items(dashboard), *run_items(dashboard)]
    if urgent:
        return urgent[0]
    usable = [phase for phase in dashboard.open_phases if phase.quota.left_today != 0]
    # An open phase with a deadline comes before one without.
    first = dashboard.deadline or next(iter(usable), None)
    if first is not None and first in usable and not has_run(dashboard, first):
        sentence = f"Upload your first run in {first.phase.title}."
        return AttentionItem(sentence=sentence, address=upload, action="Upload a run")
    if usable:
        sentence = "All done. You can upload more runs while a phase is open."
        return AttentionItem(sentence=sentence, address=upload, action="Upload another run")
    if dashboard.open_phases:
        quotas = [summary.quota for summary in dashboard.open_phases]
        return AttentionItem(sentence=f"Your quota is {used_up(quotas)}.")
    if dashboard.upcoming is not None:
        return AttentionItem(sentence=f"Nothing to do until {dashboard.upcoming.phase.title} opens.")
    return AttentionItem(sentence="No phase is open or scheduled. Thank you for taking part.")


def registration_items(dashboard: Dashboard) -> Iterator[AttentionItem]:
    team = dashboard.team
    if team.registration == Team.Registration.DECLINED:
        yield AttentionItem(sentence=f"The organisers declined your registration: {team.registration_reason}")
    if not team.has_accepted_rules:
        version = dashboard.task.rules_version
        yield AttentionItem(
            sentence=f"The rules have changed (version {version}). Please read and accept them."
        )
    blind = any(summary.phase.needs_registration for summary in dashboard.phases)
    if team.registration == Team.Registration.REQUESTED and blind:
        sentence = (
            "The organisers have not confirmed your registration yet. Blind phases require confirmation."
        )
        yield AttentionItem(sentence=sentence)


def run_items(dashboard: Dashboard) -> Iterator[AttentionItem]:
    for summary in latest_of_open_phases(dashboard):
        run, address = summary.run, summary.run.get_absolute_url()
        if summary.state == Run.State.REFUSED:
            sentence = f"Your latest run (run {run.number}) was refused. See its page for the reason."
            yield AttentionItem(sentence=sentence, address=address, action="See the reason")
        elif summary.invalid and run.status == Run.Status.COUNTS:
            count = summary.invalid
            files, them = ("file", "it") if count == 1 else ("files", "them")
            sentence = f"Run {run.number} has {count} invalid {files}. Correct {them} and amend the run."
            yield AttentionItem(sentence=sentence, address=address, action="See the errors")
        elif summary.expected_later and run.status == Run.Status.COUNTS:
            upload = reverse("upload", args=[dashboard.task.slug])
            yield AttentionItem(
                sentence=expected_later_sentence(run, summary.expected_later),
                address=f"{upload}?amends={run.public_id}",
                action="Amend the run",
            )


def expected_later_sentence(run: Run, number: int) -> str:
    subject, verb = ("1 test set was", "is") if number == 1 else (f"{number} test sets were", "are")
    return (
        f"{subject} not expected yet when run {run.number} arrived, and {verb} missing from it. "
        "Amend the run."
    )


def server_error_items(dashboard: Dashboard) -> Iterator[AttentionItem]:
    """For information; the team has nothing to do."""
    for summary in latest_of_open_phases(dashboard):
        if summary.state == Run.State.FAILED:
            sentence = (
                f"The check of run {summary.run.number} failed because of a server error. "
                "It does not count against your quota."
            )
            yield AttentionItem(
                sentence=sentence, address=summary.run.get_absolute_url(), action="View the run"
            )


def latest_of_open_phases(dashboard: Dashboard) -> Iterable[RunSummary]:
    """The latest run of each open phase; earlier runs are assumed to be superseded."""
    current = {summary.phase.pk for summary in dashboard.open_phases}
    latest = {
        summary.run.phase_id: summary
        for summary in reversed(dashboard.runs)
        if summary.run.phase_id in current
    }
    return latest.values()


def phase_items(dashboard: Dashboard) -> Iterator[AttentionItem]:
    # A team need not take part in every track.
    with_official = {summary.phase.pk for summary in dashboard.open_phases if summary.official}
    named: set[int] = set()
    for summary in dashboard.open_phases:
        phase = summary.phase
        if phase.is_official and phase.pk not in with_official | named:
            named.add(phase.pk)
            yield AttentionItem(
                sentence=f"You have no official run in {phase.title} yet.",
                address=reverse("upload", args=[dashboard.task.slug]),
                action="Upload a run",
            )
        if summary.quota.left_today == 0:
            yield AttentionItem(sentence=f"Your quota in {summary.title} is {used_up([summary.quota])}.")


def used_up(quotas: Iterable[Quota]) -> str:
    """“For now” only if the team can upload again before a phase closes."""
    return "used up for now" if any(quota.next_unit_at for quota in quotas) else "used up"


def message_items(dashboard: Dashboard, *, at: datetime) -> Iterator[AttentionItem]:
    for message in dashboard.messages:
        if message.released_at is not None and message.released_at > at - MESSAGE_AGE_LIMIT:
            yield AttentionItem(
                sentence=f"The organisers sent you a message about run {message.run.number}.",
                address=message.run.get_absolute_url(),
                action="Read the message",
            )


def system_items(dashboard: Dashboard) -> Iterator[AttentionItem]:
    for system in dashboard.systems:
        if not system.description and not system.questionnaire and system.withdrawn_at is None:
            yield AttentionItem(
                sentence=f"{system.name} has no description yet. Please describe it.",
                address=reverse("system-edit", args=[dashboard.task.slug, system.public_id]),
                action="Describe the system",
            )


def has_run(dashboard: Dashboard, phase: PhaseSummary) -> bool:
    return phase.quota.total > 0 or any(run.run.phase_id == phase.phase.pk for run in dashboard.runs)
