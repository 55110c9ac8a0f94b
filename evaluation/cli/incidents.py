"""Incidents as text, JSON and GitHub annotations."""

from __future__ import annotations

from typing import Any

from ..reading.incidents import Incident, Report
from ..reading.kinds import KINDS


def as_dicts(report: Report) -> list[dict[str, Any]]:
    return [{"file": report.name, **incident.as_dict()} for incident in report.incidents]


def as_text(report: Report) -> str:
    """All incidents; each kind is explained once, after its first incident."""
    lines = []
    explained = set()
    for incident in report.incidents:
        lines.append(f"{_place(report, incident)} [{incident.id}] {incident.message}")
        if incident.id not in explained:
            explained.add(incident.id)
            lines.append(f"    {KINDS[incident.id].remedy}")
    lines.extend(_count_omitted(report))
    return "\n".join(lines)


def as_annotations(report: Report) -> str:
    """GitHub workflow commands, which annotate the lines."""
    lines = []
    for incident in report.incidents:
        level = "error" if incident.fatal else "warning"
        place = f"file={_property(report.name)},line={incident.line or 1},title={incident.id}"
        lines.append(f"::{level} {place}::{_data(incident.message)}")
    return "\n".join(lines)


def _place(report: Report, incident: Incident) -> str:
    line = f":{incident.line}" if incident.line else ""
    sentence = f" (sentence {incident.sentence})" if incident.sentence else ""
    return f"{report.name}{line}{sentence}:"


def _count_omitted(report: Report) -> list[str]:
    """One line per kind with more incidents than are listed."""
    listed: dict[str, int] = {}
    for incident in report.incidents:
        listed[incident.id] = listed.get(incident.id, 0) + 1
    return [
        f"{report.name}: … and {count - listed.get(id, 0):,} more of [{id}], {count:,} in total."
        for id, count in report.counts.items()
        if count > listed.get(id, 0)
    ]


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
