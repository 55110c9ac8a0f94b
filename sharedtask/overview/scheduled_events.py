"""The scheduled events of a task: phases open and close, test sets are revealed, inputs are released.

In: a task, and its phases with their extensions. Out: `ScheduledEvent`s, past ones included, soonest first.
What organisers do themselves, such as publishing, has no scheduled time.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from sharedtask.competition.models import Phase, Task


@dataclass(frozen=True, order=True)
class ScheduledEvent:
    at: datetime
    text: str


def scheduled_events(task: Task, phases: Iterable[Phase]) -> list[ScheduledEvent]:
    events = []
    for phase in phases:
        events.append(ScheduledEvent(phase.opens_at, f"{phase.title} opens"))
        if (closes_at := phase.closing_time()) is not None:
            events.append(ScheduledEvent(closes_at, f"{phase.title} closes"))
    for test_set in task.test_sets.all():
        if test_set.revealed_at:
            events.append(ScheduledEvent(test_set.revealed_at, f"{test_set.code} is revealed"))
        if test_set.inputs_released_at:
            released = f"the input of {test_set.code} is released"
            events.append(ScheduledEvent(test_set.inputs_released_at, released))
    return sorted(events)
