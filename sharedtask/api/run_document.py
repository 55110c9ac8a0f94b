"""A run as the API shows it: what its page shows to the same viewer, as values.

In: the context of the page of the run. Out: a dictionary for `RunOut`. Nothing is read here that the page
does not show: whatever the context leaves out is missing here too.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sharedtask.core.site_address import absolute
from sharedtask.standings.precision import NOTHING
from sharedtask.submissions.models import Run


def run_document(context: Mapping[str, Any]) -> dict[str, Any]:
    run: Run = context["run"]
    progress = context["progress"]
    return {
        "id": run.public_id,
        "number": run.number,
        "url": absolute(run.get_absolute_url()),
        "task": run.task.slug,
        "phase": run.phase.code,
        "track": run.track,
        "team": context["name"],
        "system": {"id": run.system.public_id, "name": context["system_name"]},
        "received_at": run.received_at,
        "state": progress.state,
        "sentence": progress.sentence,
        "is_final": progress.final,
        "done": progress.done,
        "total": progress.total,
        "version": progress.version,
        "status": shown_status(context),
        "training_size": run.training_size,
        "training_sample": run.training_sample,
        "rank": rank_document(context["rank"]),
        "averages": {name: figure(text) for name, text in context["averages"]},
        "files": [file_document(row, context) for row in context["files"]],
        "receipt": receipt_document(context) if context["permissions"].receipt else None,
    }


def shown_status(context: Mapping[str, Any]) -> str:
    """The page says to everybody that a run was withdrawn, and only to its team that it was rejected."""
    run: Run = context["run"]
    if run.status == Run.Status.REJECTED:
        return str(run.status) if context["permissions"].receipt else str(Run.Status.COUNTS)
    return str(Run.Status.WITHDRAWN if run.is_withdrawn else run.status)


def figure(text: str) -> float | None:
    """As printed, so that it has no more digits than on the page."""
    return None if text == NOTHING else float(text)


def rank_document(rank: Any) -> dict[str, Any] | None:
    if rank is None:
        return None
    return {"rank": rank.rank, "ranking": rank.ranking, "url": absolute(rank.address)}


def file_document(row: Mapping[str, Any], context: Mapping[str, Any]) -> dict[str, Any]:
    file = row["file"]
    is_readable = row["can_be_read"]
    first = row["first_incident"]
    return {
        "test_set": file.test_set.code,
        "language": file.test_set.language,
        "state": row["state"],
        "size": file.size_bytes if is_readable else None,
        "inherited_from": row["taken_from"].public_id if row["taken_from"] else None,
        "above_zero": row["above_zero"],
        "scores": {name: figure(text) for name, text in zip(context["columns"], row["scores"], strict=False)},
        "incident_count": row["incident_total"] if row["kinds"] else None,
        "incidents": [
            {
                "id": kind.id,
                "count": kind.count,
                "remedy": kind.remedy,
                "shown": [incident_document(incident) for incident in kind.stored],
            }
            for kind in row["kinds"]
        ],
        "first_incident": {"id": first.id, "title": first.title, "line": first.line} if first else None,
    }


def incident_document(incident: Mapping[str, Any]) -> dict[str, Any]:
    names = ("id", "title", "line", "found", "expected", "fatal")
    return {name: incident.get(name) for name in names}


def receipt_document(context: Mapping[str, Any]) -> dict[str, Any]:
    """For the team and the organisers."""
    run: Run = context["run"]
    return {
        "filename": run.filename,
        "size": run.size_bytes if run.archive else None,
        "sha256": run.sha256 or None,
        "note": run.note,
        "status_reason": run.status_reason,
        "amends": run.amends.public_id if run.amends else None,
        "is_official": context["is_official"],
        "can_mark": context["can_mark"],
        "can_withdraw": context["can_withdraw"],
        "refusal": run.refusal if run.state == Run.State.REFUSED else None,
        "messages": [message.released for message in context["messages_released"]],
        "alarms": [alarm.text for alarm in context["alarms"]],
    }
