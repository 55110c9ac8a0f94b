"""The incidents of a file grouped by kind, as the run's page shows them.

In: the incidents stored with the file, which are capped per kind, and the full number of each kind. Out:
`IncidentGroup`s in the order of the file. Incidents that say the same are one row with several lines. The
first rows of a kind are shown in full; for the others the line numbers suffice.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from evaluation import KINDS
from sharedtask.submissions.excerpt import Incident

SHOWN_IN_FULL = 10


@dataclass(frozen=True, kw_only=True)
class IncidentRow:
    incidents: Sequence[Incident]
    """At least one; alike in everything but the line."""

    @property
    def first(self) -> Incident:
        return self.incidents[0]

    @property
    def lines(self) -> list[int]:
        return [incident["line"] for incident in self.incidents if incident["line"]]

    @property
    def further_lines(self) -> list[int]:
        return self.lines[1:]


@dataclass(frozen=True, kw_only=True)
class IncidentGroup:
    id: str
    count: int
    stored: Sequence[Incident]

    @property
    def remedy(self) -> str:
        return KINDS[self.id].remedy if self.id in KINDS else ""

    @property
    def in_full(self) -> list[IncidentRow]:
        return self.rows[:SHOWN_IN_FULL]

    @property
    def other_lines(self) -> list[int]:
        return [line for row in self.rows[SHOWN_IN_FULL:] for line in row.lines]

    @cached_property
    def rows(self) -> list[IncidentRow]:
        """Incidents that differ in their line alone are one row, in the order of the first of them."""
        alike: dict[str, list[Incident]] = {}
        for incident in self.stored:
            text = json.dumps({**incident, "line": None}, sort_keys=True)
            alike.setdefault(text, []).append(incident)
        return [IncidentRow(incidents=tuple(incidents)) for incidents in alike.values()]

    @property
    def not_stored(self) -> int:
        return self.count - len(self.stored)


def group_incidents(incidents: Sequence[Incident], counts: Mapping[str, int]) -> list[IncidentGroup]:
    by_id: dict[str, list[Incident]] = {}
    for incident in incidents:
        by_id.setdefault(incident["id"], []).append(incident)
    return [
        IncidentGroup(id=id, count=counts.get(id, len(stored)), stored=stored) for id, stored in by_id.items()
    ]
