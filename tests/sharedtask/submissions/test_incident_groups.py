"""Incidents as a run's page shows them: what says the same stands there once."""

from __future__ import annotations

from typing import Any

from sharedtask.submissions.incident_groups import group_incidents


def incident(line: int | None, found: str) -> Any:
    return {"id": "head-not-a-number", "line": line, "found": found, "expected": "a number", "title": "Head"}


def test_incidents_that_differ_in_their_line_alone_are_one_row() -> None:
    incidents = [incident(line, "x") for line in range(1, 11)] + [incident(11, "y"), incident(12, "x")]
    (group,) = group_incidents(incidents, {"head-not-a-number": 40})
    rows = [(row.first["found"], row.lines) for row in group.in_full]
    assert rows == [("x", [*range(1, 11), 12]), ("y", [11])]
    assert group.in_full[0].further_lines == [*range(2, 11), 12]
    assert (group.other_lines, group.not_stored) == ([], 28)


def test_rows_beyond_the_first_are_told_by_their_lines() -> None:
    incidents = [incident(line, str(line % 12)) for line in range(1, 25)] + [incident(None, "x")]
    (group,) = group_incidents(incidents, {})
    assert len(group.in_full) == 10
    assert group.other_lines == [11, 23, 12, 24]
