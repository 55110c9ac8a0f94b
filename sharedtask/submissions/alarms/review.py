"""Close alarms that no longer hold, with the reason, and open them again if they come to hold once more.

In: a phase, and what the detectors that rest on scores have found in it just now. Out: `Alarm` rows as they
should be, and an entry in the log for each that changed. What an organiser has settled is never touched.
That another team sent the same bytes stays so, whatever run came after it.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import Q

from sharedtask.competition import audit
from sharedtask.competition.models import Phase
from sharedtask.submissions.alarms.from_scores import below_development
from sharedtask.submissions.models import Alarm, Run
from sharedtask.submissions.official import official_runs

OTHER_SCORES = "With the scores as they are now it is no longer so."


@dataclass(frozen=True, kw_only=True)
class Field:
    """What the runs of a phase are judged by."""

    latest: dict[int, Run]
    """By the key of the system: its last scored run that counts."""
    official: Collection[int]
    outliers: Collection[str]
    """The events that were found just now, of the latest runs."""


def review(phase: Phase, *, outliers: Collection[str], at: datetime) -> None:
    ours = Q(settled_at=None) | ~Q(closed_because="")
    related = ("run__task", "run__phase", "run__system")
    alarms = list(Alarm.objects.filter(ours, run__phase=phase).select_related(*related))
    if not alarms:
        return
    latest = Run.objects.latest_scored_of_each_system(phase)
    official = {selection.run.pk for selection in official_runs(phase).values()}
    field = Field(latest={run.system_id: run for run in latest}, official=official, outliers=outliers)
    for alarm in alarms:
        because = why_closed(alarm, field)
        if bool(because) != bool(alarm.closed_because):
            change(alarm, because, at=at)


def why_closed(alarm: Alarm, field: Field) -> str:
    """Empty while it holds."""
    run = alarm.run
    if run.fate != Run.Fate.COUNTS:
        return f"Run {run.number} was {run.fate}."
    if run.system.withdrawn_at is not None:
        return "The system was withdrawn."
    latest = field.latest.get(run.system_id)
    if latest is None or alarm.kind == Alarm.Kind.IDENTICAL:
        return ""
    if latest.number > run.number and run.pk not in field.official:
        return f"Run {latest.number} of the system came after it."
    if latest.pk != run.pk:
        return ""
    if alarm.kind == Alarm.Kind.OUTLIER and alarm.event not in field.outliers:
        return OTHER_SCORES
    if alarm.kind == Alarm.Kind.BELOW_DEVELOPMENT and not list(below_development(run)):
        return OTHER_SCORES
    return ""


def change(alarm: Alarm, because: str, *, at: datetime) -> None:
    """Of two workers who come to the same end, one writes it down."""
    with transaction.atomic():
        as_it_was = Alarm.objects.filter(pk=alarm.pk, settled_at=alarm.settled_at)
        if not as_it_was.update(settled_at=at if because else None, closed_because=because):
            return
        audit.write(
            task=alarm.run.task,
            who=None,
            action="close-alarm" if because else "open-alarm-again",
            subject=alarm,
            reason=because or "It holds again.",
            details={"alarm": alarm.public_id, "run": alarm.run.public_id, "kind": alarm.kind},
            at=at,
        )
