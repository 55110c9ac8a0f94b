"""The figures of single test sets of a large standing, kept in storage by everything that they depend on.

In: the inputs of a standing. Out: its `SetFigures`, read if any worker has computed them before: for this
standing, so that a worker that dies loses one test set, or for an earlier one with the same files for that
test set, after a gold fix of another one for example. They are sealed like the counts that they are made of.
The sweep removes the oldest of them beyond `KEPT_FIGURES_BYTES`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable

import numpy as np
from django.conf import settings

import evaluation
from evaluation.packing import pack, unpack
from evaluation.ranking.pairs import Pairs
from evaluation.ranking.places import Places
from evaluation.ranking.single_set import SetFigures
from sharedtask.core import sealing, storage
from sharedtask.standings.entries import Inputs, rules_of
from sharedtask.standings.progress import FOLDER, KEPT

FORMAT = "set figures 1"
RULES = ("profile", "main", "baselines_ranked", "unit", "replicates", "seed", "test")
"""The others are about averages."""
LARGE = 2e8
"""Comparisons from which a standing is large: 45 systems on 100 test sets with 1,000 replicates."""


def is_large(inputs: Inputs) -> bool:
    """Whether it takes so long that its parts are worth a file each."""
    systems = sum(not entry.is_withdrawn for entry in inputs.entries)
    return systems**2 * len(inputs.test_sets) * inputs.phase.task.replicates >= LARGE


def name_of(inputs: Inputs, code: str) -> str:
    """The name in storage: a hash of the rules, the gold and the files of the ranked systems for this set."""
    rules = rules_of(inputs.phase.task)
    (test_set,) = (test_set for test_set in inputs.test_sets if test_set.code == code)
    depends_on = {
        "evaluator": evaluation.VERSION,
        "formats": [Places.FORMAT, Pairs.FORMAT],
        "rules": [rules[name] for name in RULES],
        "code": code,
        "gold": inputs.sha256_of_gold(test_set),
        "files": sorted(
            [entry.run.public_id, entry.run.team.is_baseline, file.score, file.signature]
            for entry in inputs.entries
            if not entry.is_withdrawn and (file := entry.files.get(code)) and file.units
        ),
    }
    key = hashlib.sha256(json.dumps(depends_on, sort_keys=True).encode()).hexdigest()
    return f"{FOLDER}/{KEPT}{key}"


def figures_on(inputs: Inputs, code: str, compute: Callable[[], SetFigures]) -> tuple[SetFigures, bool]:
    """From storage, or computed and stored; and whether they are new."""
    name = name_of(inputs, code)
    known = read(name)
    if known is not None:
        return known, False
    figures = compute()
    store(name, figures)
    return figures, True


def read(name: str) -> SetFigures | None:
    """None if there is nothing, or if it was written by another version."""
    try:
        arrays, _ = unpack(FORMAT, sealing.unseal(storage.read(name)))
        return SetFigures(
            places=Places.from_bytes(arrays["places"].tobytes()),
            pairs=Pairs.from_bytes(arrays["pairs"].tobytes()),
        )
    except (FileNotFoundError, sealing.DamagedSeal, ValueError):
        return None


def store(name: str, figures: SetFigures) -> None:
    parts = {"places": figures.places.to_bytes(), "pairs": figures.pairs.to_bytes()}
    arrays = {part: np.frombuffer(content, dtype=np.uint8) for part, content in parts.items()}
    storage.store(name, [sealing.seal(pack(FORMAT, arrays, {}))])


def beyond_budget(entries: Iterable[storage.StoredEntry]) -> list[str]:
    """The names of the oldest kept figures, as many as exceed the budget."""
    kept = [entry for entry in entries if entry.name.startswith(f"{FOLDER}/{KEPT}")]
    left, names = settings.KEPT_FIGURES_BYTES, []
    for entry in sorted(kept, key=lambda entry: entry.modified_at, reverse=True):
        left -= entry.size
        if left < 0:
            names.append(entry.name)
    return names
