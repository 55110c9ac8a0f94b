"""Inspect a run and raise what is odd about it, once.

In: the public id of a checked run. Out: `Alarm` rows. It runs in a worker, after the check and again after
scoring, and may run any number of times: an alarm that was raised or settled before is not raised again.
What rests on other systems' scores is inspected again with the whole phase when those have changed, and
what no longer holds is closed then (`review.py`).
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta

from django.db.models import Q

from sharedtask.competition.models import Phase
from sharedtask.core import clock
from sharedtask.submissions.alarms import from_others, from_scores, from_upload
from sharedtask.submissions.alarms.finding import Finding
from sharedtask.submissions.alarms.review import review
from sharedtask.submissions.models import Alarm, Run

AFTER_THE_CHECK: tuple[Callable[[Run], Iterator[Finding]], ...] = (
    from_upload.unchanged,
    from_upload.one_language,
    from_others.identical,
)
AFTER_SCORING: tuple[Callable[[Run], Iterator[Finding]], ...] = (
    from_scores.below_development,
    from_scores.outliers,
)

log = logging.getLogger(__name__)


def inspect_run(public_id: str, *, at: datetime | None = None) -> int:
    """How many alarms were new."""
    # The moment before looking: a run that finishes meanwhile will be inspected again.
    at = at or clock.database_now()
    runs = Run.objects.to_inspect().select_related("task", "phase", "team", "system")
    run = runs.filter(public_id=public_id).first()
    if run is None:
        return 0
    detectors = AFTER_THE_CHECK + (AFTER_SCORING if run.state == Run.State.SCORED else ())
    raised = sum(raise_alarms(run, detector, at=at) for detector in detectors)
    Run.objects.filter(pk=run.pk).update(inspected_at=at)
    return raised


def overdue(at: datetime, patience: timedelta) -> list[str]:
    """For the sweep: the runs that should have been inspected by now, and were not."""
    late = at - patience
    runs = Run.objects.to_inspect().filter(
        Q(finished_at__lte=late) | Q(finished_at=None, checked_at__lte=late)
    )
    return list(runs.values_list("public_id", flat=True))


def inspect_phase(phase_id: int, *, at: datetime | None = None) -> int:
    """All runs that are compared, against each other: once for a burst of changes. How many were new."""
    at = at or clock.database_now()
    phase = Phase.objects.select_related("task").get(pk=phase_id)
    findings = list(from_scores.outliers_of(phase))
    raised = keep(findings, at=at)
    review(phase, outliers={finding.event for finding in findings}, at=at)
    return raised


def raise_alarms(run: Run, detector: Callable[[Run], Iterator[Finding]], *, at: datetime) -> int:
    try:
        findings = list(detector(run))
    except Exception:
        # An alarm is a courtesy. A detector that stumbles must not keep the others from being asked, nor the
        # sweep from ever letting go of this run.
        log.exception("run %s could not be inspected by %s", run.public_id, detector.__name__)
        return 0
    return keep(findings, at=at)


def keep(findings: list[Finding], *, at: datetime) -> int:
    events = [finding.event for finding in findings]
    known = set(Alarm.objects.filter(event__in=events).values_list("event", flat=True))
    alarms = [
        Alarm(
            run=finding.run,
            file=finding.file,
            kind=finding.kind,
            text=finding.text,
            event=finding.event,
            raised_at=at,
        )
        for finding in findings
        if finding.event not in known
    ]
    Alarm.objects.bulk_create(alarms, ignore_conflicts=True)
    return len(alarms)
