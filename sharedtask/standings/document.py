"""A standing as one JSON document, for people to download.

In: a standing that `visibility` lets the reader see. Out: the document, made from the arrays of the standing,
which are the only place where figures are stored. A standing never changes, so each process caches the
documents that were used last.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from evaluation.ranking.document import build_document as build_json_document
from evaluation.ranking.results import GoldSet
from evaluation.ranking.standings import Rules
from evaluation.ranking.stored import StoredStandings, stored_standings
from sharedtask.competition.metrics import options_of
from sharedtask.core.cache import LRUCache
from sharedtask.standings.figures import figures_of, pairs_of
from sharedtask.standings.models import Standing

DOCUMENTS: LRUCache[str, dict[str, Any]] = LRUCache(max_size=8)
"""By the public id of the standing. With 33 systems and 81 test sets one takes some megabytes."""


def document_of(standing: Standing) -> dict[str, Any]:
    """Shared by everybody who asks for it: callers do not change it."""
    return DOCUMENTS.get_or_make(standing.public_id, lambda: build_document(standing))


def build_document(standing: Standing) -> dict[str, Any]:
    main = standing.table["metrics"]
    rows = standing.table["rows"]
    data = build_json_document(read_standings(standing, [row for row in rows if not row["withdrawn"]]), main)
    withdrawn = read_standings(standing, [row for row in rows if row["withdrawn"]])
    data["withdrawn"] = build_json_document(withdrawn, main)["systems"]
    return data


def read_standings(standing: Standing, rows: Sequence[Mapping[str, Any]]) -> StoredStandings:
    """Of the systems in these rows alone."""
    table = standing.table
    return stored_standings(
        figures_of(standing),
        [row["run"] for row in rows],
        partial(pairs_of, standing),
        profile=table["profile"],
        sets=[
            GoldSet(code=test_set["code"], language=test_set["language"], groups=tuple(test_set["groups"]))
            for test_set in table["test_sets"]
        ],
        rules=Rules(
            missing=table["missing"],
            baselines=frozenset(row["run"] for row in rows if row["baseline"]),
            replicates=table["replicates"],
            test=table["test"],
        ),
        signature=standing.signature,
        options=options_of(standing.task, standing.track),
    )
