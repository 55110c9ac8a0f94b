"""A task with one test set of which there are two references, in memory, and outputs for it."""

from __future__ import annotations

from typing import Any

import yaml

from sharedtask.folders.files import FilesInMemory
from tests.sharedtask.support.profiled import BEES, SENTENCES, WRONG, lines

GOLD = lines(*BEES, reader="nine") * SENTENCES
OTHER = lines(*WRONG, reader="nine") * SENTENCES
BOTH = (lines(*BEES, reader="nine") + lines(*WRONG, reader="nine")) * (SENTENCES // 2)
"""Half of its sentences are those of each reference."""
OUTPUTS = {"Ash": GOLD, "Birch": OTHER, "Cedar": BOTH}
"""By team."""
VALUES: dict[str, Any] = {
    "slug": "bees",
    "title": "Bees",
    "summary": "One test set.",
    "description": "Two references.",
    "profile": "pascal12",
    "main_metrics": ["Directed"],
    "missing": "exclude",
    "replicates": 50,
    "test_sets": [
        {
            "code": "xx_bees",
            "language": "Latin",
            "tag": "la",
            "gold": [
                {
                    "version": 1,
                    "file": "gold/xx_bees.conllu",
                    "references": [{"name": "adverbs", "file": "gold/xx_bees/adverbs.conllu"}],
                }
            ],
        }
    ],
    "phases": [
        {
            "code": "test",
            "kind": "test",
            "title": "Test phase",
            "feedback": "validity",
            "opens_at": "2026-01-01T00:00:00Z",
        }
    ],
}


def folder(reference: str = OTHER, **changed: Any) -> FilesInMemory:
    return FilesInMemory(
        {
            "task.yaml": yaml.safe_dump(VALUES | changed).encode(),
            "gold/xx_bees.conllu": GOLD.encode(),
            "gold/xx_bees/adverbs.conllu": reference.encode(),
        }
    )
