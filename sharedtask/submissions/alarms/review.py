"""Close alarms that no longer hold, with the reason, and reopen them if they hold again.

In: a phase, and the events that the score detectors have just found in it. Out: updated `Alarm` rows, and an
entry in the audit log for each change. Alarms resolved by an organiser are never changed. An alarm about
output identical to another team's is not closed by a later run.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import Q

from sharedtask.competition import audit
from sharedtask.competition.models import Phase
from sharedtask.submissions.alarms.score_detectors import find_drop
from sharedtask.submissions.models import Alarm, Run
from sharedtask.submissions.official import all_official_runs

SCORES_CHANGED = "No longer applies with the current scores."


@dataclass(frozen=True, kw_only=True)
class PhaseFacts:
    """The facts about a phase on which its alarms depend."""

    latest: dict[int, Run]
    """By the primary key of the system: its last scored run that counts."""
    official: Collection[int]
    outliers: Collection[str]
    """The events just found in the latest runs."""


def review(phase: Phase, *, outliers: Collection[str], at: datetime) -> None:
    not_resolved_by_organiser = Q(resolved_at=None) | ~Q(closing_reason="")
    related = ("run__task", "run__phase", "run__system")
    alarms = list(Alarm.objects.filter(not_resolved_by_organiser, run__phase=phase).select_related(*related))
    if not alarms:
        return
    latest = Run.objects.latest_scored_of_each_system(phase)
    official = {selection.run.pk for selection in all_official_runs(phase)}
    facts = PhaseFacts(latest={run.system_id: run for run in latest}, official=official, outliers=outliers)
    for alarm in alarms:
        reason = closing_reason(alarm, facts)
        if bool(reason) != bool(alarm.closing_reason):
            close_or_reopen(alarm, reason, at=at)


def closing_reason(alarm: Alarm, facts: PhaseFacts) -> str:
    """Empty as long as the alarm holds."""
    run = alarm.run
    if run.status != Run.Status.COUNTS:
        return f"Run {run.number} was {run.status}."
    if run.system.withdrawn_at is not None:
        return "The system was withdrawn."
    latest = facts.latest.get(run.system_id)
    if latest is None or alarm.kind == Alarm.Kind.IDENTICAL:
        return ""
    if latest.number > run.number and run.pk not in facts.official:
        return f"Superseded by run {latest.number} of the system."
    if latest.pk != run.pk:
        return ""
    if alarm.kind == Alarm.Kind.OUTLIER and alarm.event not in facts.outliers:
        return SCORES_CHANGED
    if alarm.kind == Alarm.Kind.BELOW_DEVELOPMENT and not list(find_drop(run)):
        return SCORES_CHANGED
    return ""


def close_or_reopen(alarm: Alarm, reason: str, *, at: datetime) -> None:
    """Close with a reason, reopen without one. Of two workers that do the same, only one records it."""
    with transaction.atomic():
        unchanged = Alarm.objects.filter(pk=alarm.pk, resolved_at=alarm.resolved_at)
        if not unchanged.update(resolved_at=at if reason else None, closing_reason=reason):
            return
        audit.write(
            task=alarm.run.task,
            who=None,
            action="close-alarm" if reason else "reopen-alarm",
            subject=alarm,
            reason=reason or "The alarm applies again.",
            details={"alarm": alarm.public_id, "run": alarm.run.public_id, "kind": alarm.kind},
            at=at,
        )
