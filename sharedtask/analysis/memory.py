"""Stored sentences that this process has unpacked, the last used kept: what is stored never changes.

In: keys of rows. Out: `SystemSentences` by key, with one query for all that are not in memory.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection, Mapping
from functools import lru_cache
from threading import Lock

from evaluation.showing.gold_sentences import GoldSentences
from evaluation.showing.system_sentences import SystemSentences
from sharedtask.analysis.models import Analysis, GoldAnalysis

KEPT = 400
"""Outputs: each takes about 50 kB for a thousand sentences."""
KEPT_GOLD = 24

_kept: OrderedDict[str, SystemSentences] = OrderedDict()
_lock = Lock()


def system_sentences(analyses: Collection[str]) -> Mapping[str, SystemSentences]:
    """By the public id of the analysis, in the order that was asked for."""
    with _lock:
        known = {one: _kept[one] for one in analyses if one in _kept}
    absent = [one for one in analyses if one not in known]
    if absent:
        rows = Analysis.objects.filter(public_id__in=absent).values_list("public_id", "sentences")
        known |= {one: SystemSentences.from_bytes(bytes(stored)) for one, stored in rows}
    found = {one: known[one] for one in analyses if one in known}
    with _lock:
        for one, sentences in found.items():
            _kept[one] = sentences
            _kept.move_to_end(one)
        while len(_kept) > KEPT:
            _kept.popitem(last=False)
    return found


@lru_cache(maxsize=KEPT_GOLD)
def gold_sentences(sealed: str) -> GoldSentences:
    """By the name of the sealed file, which is random and used once."""
    stored = GoldAnalysis.objects.values_list("index", flat=True).get(gold__sealed=sealed)
    return GoldSentences.from_bytes(bytes(stored))
