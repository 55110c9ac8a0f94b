"""Stored sentences that this process has unpacked. What is stored never changes, so nothing gets out of date.

In: keys of rows. Out: `GoldSentences`, or `SystemSentences` by key, with one query for all that are missing.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from evaluation.errors.count import ErrorCounts
from evaluation.showing.gold_sentences import GoldSentences
from evaluation.showing.system_sentences import SystemSentences
from sharedtask.analysis.models import Analysis, GoldAnalysis
from sharedtask.core.cache import LRUCache

GOLD: LRUCache[str, GoldSentences] = LRUCache(max_size=24)
"""By the name of the sealed file, which is random and used once."""
SYSTEMS: LRUCache[str, SystemSentences] = LRUCache(max_size=400)
"""By the public id of the analysis. Each takes about 50 kB for a thousand sentences."""


def system_sentences(analyses: Collection[str]) -> Mapping[str, SystemSentences]:
    """By the public id of the analysis, in the given order."""
    sentences = {id: cached for id in analyses if (cached := SYSTEMS.get(id)) is not None}
    missing = [id for id in analyses if id not in sentences]
    if missing:
        rows = Analysis.objects.filter(public_id__in=missing).values_list("public_id", "sentences")
        for id, stored in rows:
            sentences[id] = SystemSentences.from_bytes(bytes(stored))
            SYSTEMS.put(id, sentences[id])
    return {id: sentences[id] for id in analyses if id in sentences}


def class_errors(analyses: Collection[str]) -> list[ErrorCounts]:
    """By class and sentence, of those of these analyses that have them; not cached, as few ask for them."""
    rows = Analysis.objects.filter(public_id__in=analyses).exclude(errors=b"")
    return [ErrorCounts.from_bytes(bytes(stored)) for stored in rows.values_list("errors", flat=True)]


def gold_sentences(sealed: str) -> GoldSentences:
    return GOLD.get_or_make(sealed, lambda: read_gold_sentences(sealed))


def read_gold_sentences(sealed: str) -> GoldSentences:
    stored = GoldAnalysis.objects.values_list("index", flat=True).get(gold__sealed=sealed)
    return GoldSentences.from_bytes(bytes(stored))
