"""The participants, with display names and times of submission, from the tables next to the data.

In: `Data`. Out: a `Participant` for every team with a file. File names are ASCII (`Koc-University`), names in
the ranking are as the teams write them (`Koç University (İstanbul)`); a team that is not in the ranking is
called by its file name.
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
    """The name of its files."""
    name: str
    affiliation: str
    is_baseline: bool
    submitted_at: datetime


def participants(data: Data, phase: Phase) -> list[Participant]:
    names = {key_of(row["team"]): row["team"] for row in data.ranking}
    runs = {team: [row["srun"] for row in rows] for team, rows in by_team(data.published).items()}
    teams = [participant(key, names, runs.get(key, []), phase) for key in data.teams]
    name_counts = Counter(team.name for team in teams)
    # Several baselines share one name in the ranking; their file names tell them apart.
    return [
        team if name_counts[team.name] == 1 else replace(team, name=team.key, affiliation="")
        for team in teams
    ]


def participant(key: str, names: Mapping[str, str], runs: list[str], phase: Phase) -> Participant:
    is_baseline = BASELINE in key.lower()
    name, affiliation = split_name(names.get(BASELINE if is_baseline else key, key))
    return Participant(
        key=key,
        name=name,
        affiliation=affiliation,
        is_baseline=is_baseline,
        submitted_at=submitted_at(runs, phase),
    )


def key_of(name: str) -> str:
    """The file name of a team: `UFAL-UDPipe-1-2` for `ÚFAL – UDPipe 1.2 (Praha)`, or `baseline`."""
    name, _ = split_name(name)
    if BASELINE in name.lower():
        return BASELINE
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    return re.sub(r"[^A-Za-z0-9]+", "-", plain).strip("-")


def split_name(name: str) -> tuple[str, str]:
    """The name, and the town in brackets after it."""
    match = re.fullmatch(r"(.+?) \(([^()]+)\)", name)
    return (match[1], match[2]) if match else (name, "")


def submitted_at(runs: list[str], phase: Phase) -> datetime:
    """The start of its last software run, limited to the phase."""
    assert phase.closes_at is not None
    latest = phase.opens_at
    for run in runs:
        if re.fullmatch(r"\d{4}(-\d\d){5}", run):
            latest = max(latest, datetime.strptime(run, "%Y-%m-%d-%H-%M-%S").replace(tzinfo=UTC))
    return min(latest, phase.closes_at - timedelta(seconds=1))
