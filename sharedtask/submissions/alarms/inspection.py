"""Inspect a run and raise alarms about it, each once.

In: the public id of a checked run. Out: `Alarm` rows. It runs in a worker, after the check and again after
scoring, and may run any number of times: an alarm that was raised or resolved before is not raised again.
When scores of other systems have changed, the whole phase is inspected again, and alarms that no longer hold
are closed (`review.py`).
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta

from django.db.models import Q

from sharedtask.competition.models import Phase
from sharedtask.core import clock
from sharedtask.submissions.alarms import (
    duplicate_detector,
    expectation_detector,
    score_detectors,
    upload_detectors,
)
from sharedtask.submissions.alarms.finding import Finding
from sharedtask.submissions.alarms.review import review
from sharedtask.submissions.models import Alarm, Run

AFTER_THE_CHECK: tuple[Callable[[Run], Iterator[Finding]], ...] = (
    upload_detectors.find_unchanged_files,
    upload_detectors.find_single_model,
    duplicate_detector.find_identical_output,
)
AFTER_SCORING: tuple[Callable[[Run], Iterator[Finding]], ...] = (
    score_detectors.find_drop,
    score_detectors.find_outliers,
    expectation_detector.find_unexpected_score,
)

log = logging.getLogger(__name__)


def inspect_run(public_id: str, *, at: datetime | None = None) -> int:
    """Returns the number of new alarms."""
    # Taken before the inspection, so that a run that finishes meanwhile is inspected again.
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
    """For the sweep: runs that should have been inspected by now but were not."""
    late = at - patience
    runs = Run.objects.to_inspect().filter(
        Q(finished_at__lte=late) | Q(finished_at=None, checked_at__lte=late)
    )
    return list(runs.values_list("public_id", flat=True))


def inspect_phase(phase_id: int, *, at: datetime | None = None) -> int:
    """Inspect all compared runs of a phase after a burst of changes. Returns the number of new alarms."""
    at = at or clock.database_now()
    phase = Phase.objects.select_related("task").get(pk=phase_id)
    findings = list(score_detectors.find_outliers_in_phase(phase))
    raised = store_alarms(findings, at=at)
    review(phase, outliers={finding.event for finding in findings}, at=at)
    return raised


def raise_alarms(run: Run, detector: Callable[[Run], Iterator[Finding]], *, at: datetime) -> int:
    try:
        findings = list(detector(run))
    except Exception:
        # Alarms are optional. A detector that fails must not prevent the others from running, nor make the
        # sweep retry this run for ever.
        log.exception("run %s could not be inspected by %s", run.public_id, detector.__name__)
        return 0
    return store_alarms(findings, at=at)


def store_alarms(findings: list[Finding], *, at: datetime) -> int:
    """Returns the number of new alarms."""
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
