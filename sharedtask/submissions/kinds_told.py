"""The incidents of a file as its run's page tells them: for each kind what to do, and where it is.

In: incidents as they are kept with the file, and how many of each kind there were. Out: `KindTold`, in the
order of the file. The first few of a kind are told in full; of the others the lines, for they say the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evaluation import KINDS
from sharedtask.submissions.excerpt import Incident

IN_FULL = 10


@dataclass(frozen=True, kw_only=True)
class KindTold:
    id: str
    count: int
    kept: Sequence[Incident]

    @property
    def remedy(self) -> str:
        return KINDS[self.id].remedy if self.id in KINDS else ""

    @property
    def in_full(self) -> Sequence[Incident]:
        return self.kept[:IN_FULL]

    @property
    def other_lines(self) -> list[int]:
        return [incident["line"] for incident in self.kept[IN_FULL:] if incident["line"]]

    @property
    def not_kept(self) -> int:
        return self.count - len(self.kept)


def kinds_told(incidents: Sequence[Incident], counts: Mapping[str, int]) -> list[KindTold]:
    kept: dict[str, list[Incident]] = {}
    for incident in incidents:
        kept.setdefault(incident["id"], []).append(incident)
    return [KindTold(id=id, count=counts.get(id, len(some)), kept=some) for id, some in kept.items()]
