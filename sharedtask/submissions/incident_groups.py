"""The incidents of a file grouped by kind, as the run's page shows them.

In: the incidents stored with the file, which are capped per kind, and the full number of each kind. Out:
`IncidentGroup`s in the order of the file. The first incidents of a kind are shown in full; for the others the
line numbers suffice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evaluation import KINDS
from sharedtask.submissions.excerpt import Incident

SHOWN_IN_FULL = 10


@dataclass(frozen=True, kw_only=True)
class IncidentGroup:
    id: str
    count: int
    stored: Sequence[Incident]

    @property
    def remedy(self) -> str:
        return KINDS[self.id].remedy if self.id in KINDS else ""

    @property
    def in_full(self) -> Sequence[Incident]:
        return self.stored[:SHOWN_IN_FULL]

    @property
    def other_lines(self) -> list[int]:
        return [incident["line"] for incident in self.stored[SHOWN_IN_FULL:] if incident["line"]]

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
