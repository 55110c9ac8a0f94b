"""Small campaigns defined by numbers, for the tests of standings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from evaluation.ranking.results import GoldSet, Outcome, Results
from evaluation.scoring.counts import Counts
from evaluation.scoring.profiles import PROFILES

# Gold, system and correct words of each sentence; None for a missing file, a message for an invalid one.
Sentences = Sequence[tuple[int, int, int]]
File = Sentences | str | None


def counts(sentences: Sentences, metrics: Sequence[str] = PROFILES["conll17"].metrics) -> Counts:
    """The same counts for every metric."""
    values = np.array(
        [[gold, system, correct, correct] for gold, system, correct in sentences], dtype=np.int32
    )
    return Counts(tuple(metrics), np.repeat(values[:, None, :], len(metrics), axis=1))


def outcome(file: File) -> Outcome:
    if file is None:
        return Outcome(status="missing")
    if isinstance(file, str):
        return Outcome(status="invalid", message=file)
    return Outcome.from_counts(counts(file))


def campaign(
    systems: Mapping[str, Mapping[str, File]], groups: Mapping[str, tuple[str, ...]] | None = None
) -> Results:
    codes = sorted({code for files in systems.values() for code in files})
    return Results(
        profile="conll17",
        sets=tuple(GoldSet(code=code, groups=(groups or {}).get(code, ())) for code in codes),
        systems={
            name: {code: outcome(file) for code, file in files.items() if file is not None}
            for name, files in systems.items()
        },
    )


def random_campaign(
    seed: int,
    systems: int = 4,
    sets: Mapping[str, int] | None = None,
    missing: Sequence[tuple[int, str]] = (),
) -> Results:
    """Systems that get better with their number; `missing` lists files that were not delivered."""
    source = np.random.default_rng(seed)
    values: dict[str, dict[str, File]] = {f"S{number}": {} for number in range(systems)}
    for code, size in (sets or {"en_a": 9, "en_b": 14, "kk": 1, "ug": 23}).items():
        gold = source.integers(1, 12, size)
        for number in range(systems):
            correct = source.binomial(gold, 0.4 + 0.1 * number)
            system = np.maximum(correct, gold + source.integers(-1, 2, size))
            rows = list(zip(gold.tolist(), system.tolist(), correct.tolist(), strict=True))
            values[f"S{number}"][code] = None if (number, code) in missing else rows
    return campaign(values, {"en_a": ("big",), "en_b": ("big", "pud"), "kk": ("small",)})
