"""Test sets that are released after a phase with them has opened: runs that arrive before have no such file.

In: a task and a time. Out: one `LateRelease` per phase and test set, for organisers only, because the names
of surprise sets are secret.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sharedtask.competition.models import Phase, Task, TestSet


@dataclass(frozen=True, kw_only=True)
class LateRelease:
    phase: Phase
    test_set: TestSet
    released_at: datetime

    @property
    def sentence(self) -> str:
        return late_release_sentence(
            self.test_set.code,
            self.phase.title,
            released_at=self.released_at,
            closes_at=self.phase.last_closing_time(),
            software=self.phase.software,
        )


def late_release_sentence(
    code: str, phase_title: str, *, released_at: datetime, closes_at: datetime | None, software: bool
) -> str:
    if closes_at is not None and closes_at <= released_at:
        if software:
            return (
                f"{code} is released after {phase_title} closes, so teams can submit software for it, but no "
                "files."
            )
        return f"{code} is released after {phase_title} closes, so no team can submit it."
    return (
        f"{code} is released after {phase_title} opens. Runs that arrive earlier have no file for it until "
        "they are amended."
    )


def late_releases(task: Task, *, at: datetime) -> list[LateRelease]:
    """In phases that are open or scheduled."""
    releases = []
    phases = task.phases.prefetch_related("extensions", "test_sets")
    for phase in phases:
        closes_at = phase.last_closing_time()
        if closes_at is not None and closes_at <= at:
            continue
        for test_set in phase.test_sets.all():
            released_at = test_set.released_at
            if released_at is not None and released_at > phase.opens_at:
                releases.append(LateRelease(phase=phase, test_set=test_set, released_at=released_at))
    return releases
