"""What the database says at the end: read with plain SQL, past all of the site's own code."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg

RUNS = "SELECT public_id, state, claimed_until, attempts, losses FROM submissions_run"
FILES = """SELECT r.public_id, t.code, f.state FROM submissions_runfile f
    JOIN submissions_run r ON r.id = f.run_id JOIN competition_testset t ON t.id = f.test_set_id"""
SCORES = """SELECT r.public_id, t.code, s.state, s.counts, s.claimed_until, s.attempts, s.losses
    FROM submissions_score s JOIN submissions_runfile f ON f.id = s.file_id
    JOIN submissions_run r ON r.id = f.run_id JOIN competition_testset t ON t.id = f.test_set_id"""
REQUESTED = "SELECT id, claimed_until FROM competition_standingrequest"
STANDING = """SELECT "table" FROM standings_standing WHERE in_force_since IS NOT NULL
    ORDER BY in_force_since DESC LIMIT 1"""


@dataclass(frozen=True, kw_only=True)
class Outcome:
    runs: dict[str, str]
    """State by public id."""
    results: dict[str, dict[str, Any]]
    """By run and test set: the counts, or the verdict on a file that has none."""
    scores: Counter[tuple[str, str]]
    claimed: int
    unfinished: int
    attempts: int
    losses: int
    table: dict[str, Any]
    requested: int


def read(environment: dict[str, str]) -> Outcome:
    texts = {"runs": RUNS, "files": FILES, "scores": SCORES, "requested": REQUESTED, "standing": STANDING}
    rows = {name: query(environment, text) for name, text in texts.items()}
    values: dict[str, dict[str, Any]] = {run: {} for run, *_ in rows["runs"]}
    for run, code, state in rows["files"]:
        values[run][code] = state
    scores: Counter[tuple[str, str]] = Counter()
    for run, code, state, counts, *_ in rows["scores"]:
        scores[run, code] += 1
        if state == "scored":
            values[run][code] = {
                name: [item["gold"], item["system"], item["correct"], item["aligned"]]
                for name, item in as_json(counts).items()
            }
    return Outcome(
        runs={run: state for run, state, *_ in rows["runs"]},
        results=values,
        scores=scores,
        claimed=sum(row[2] is not None for row in rows["runs"])
        + sum(row[4] is not None for row in rows["scores"])
        + sum(row[1] is not None for row in rows["requested"]),
        unfinished=sum(row[1] not in ("scored", "refused", "failed") for row in rows["runs"])
        + sum(row[2] == "waiting" for row in rows["scores"]),
        attempts=sum(row[3] for row in rows["runs"]) + sum(row[5] for row in rows["scores"]),
        losses=sum(row[4] for row in rows["runs"]) + sum(row[6] for row in rows["scores"]),
        table=as_json(rows["standing"][0][0]) if rows["standing"] else {},
        requested=len(rows["requested"]),
    )


def query(environment: dict[str, str], text: str) -> Sequence[Sequence[Any]]:
    if "DATABASE_URL" in environment:
        with psycopg.connect(environment["DATABASE_URL"]) as connection:
            return connection.execute(text).fetchall()
    file = Path(environment["DATA_DIR"]) / "db.sqlite3"
    with closing(sqlite3.connect(file, timeout=30)) as connection:
        return connection.execute(text).fetchall()


def as_json(value: Any) -> Any:
    return json.loads(value) if isinstance(value, str) else value
