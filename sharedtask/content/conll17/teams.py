"""Who took part: names for people, and when each delivered, from the tables beside the data.

In: `Data`. Out: a `Participant` for every team that has a file. Files are named in ASCII (`Koc-University`),
the ranking as the teams write themselves (`Koç University (İstanbul)`); a team that is not in the ranking
keeps its file's name.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from sharedtask.competition.models import Phase
from sharedtask.content.conll17.data import Data, by_team

BASELINE = "baseline"


@dataclass(frozen=True, kw_only=True)
class Participant:
    key: str
    """As its files are named."""
    name: str
    affiliation: str
    is_baseline: bool
    delivered_at: datetime


def participants(data: Data, phase: Phase) -> list[Participant]:
    names = {key_of(row["team"]): row["team"] for row in data.ranking}
    runs = {team: [row["srun"] for row in rows] for team, rows in by_team(data.published).items()}
    found = [participant(key, names, runs.get(key, []), phase) for key in data.teams]
    shared = Counter(one.name for one in found)
    # Two baselines, say, would be one team under the one name that the ranking has for them.
    return [one if shared[one.name] == 1 else replace(one, name=one.key, affiliation="") for one in found]


def participant(key: str, names: Mapping[str, str], runs: list[str], phase: Phase) -> Participant:
    is_baseline = BASELINE in key.lower()
    name, place = parted(names.get(BASELINE if is_baseline else key, key))
    return Participant(
        key=key,
        name=name,
        affiliation=place,
        is_baseline=is_baseline,
        delivered_at=delivered_at(runs, phase),
    )


def key_of(name: str) -> str:
    """`ÚFAL – UDPipe 1.2 (Praha)` has the files `UFAL-UDPipe-1-2`; the organisers' baseline is called so."""
    name, _ = parted(name)
    if BASELINE in name.lower():
        return BASELINE
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    return re.sub(r"[^A-Za-z0-9]+", "-", plain).strip("-")


def parted(name: str) -> tuple[str, str]:
    """The name, and the town in brackets after it."""
    found = re.fullmatch(r"(.+?) \(([^()]+)\)", name)
    return (found[1], found[2]) if found else (name, "")


def delivered_at(runs: list[str], phase: Phase) -> datetime:
    """When the last of its software runs began; within the phase, whatever the table says."""
    assert phase.closes_at is not None
    latest = phase.opens_at
    for run in runs:
        if re.fullmatch(r"\d{4}(-\d\d){5}", run):
            latest = max(latest, datetime.strptime(run, "%Y-%m-%d-%H-%M-%S").replace(tzinfo=UTC))
    return min(latest, phase.closes_at - timedelta(seconds=1))
