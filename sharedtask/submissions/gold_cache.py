"""Gold opened by this worker process: decrypted and parsed once, then cached in memory.

In: a version of gold. Out: its treebank. A campaign compares hundreds of files with a few dozen versions, and
reading gold takes a third of the time of comparing a file with it. A version never changes and its name in
storage is used once, so an entry cannot be out of date. The least recently used entries are removed when the
cached texts exceed `GOLD_MEMORY_BYTES`; a treebank takes four times the size of its text.
"""

from __future__ import annotations

from collections import OrderedDict

from django.conf import settings

import evaluation
from sharedtask.competition.models import GoldVersion
from sharedtask.core import sealing, storage

_cache: OrderedDict[str, evaluation.Treebank] = OrderedDict()


def open_gold(version: GoldVersion) -> evaluation.Treebank:
    """Raises `evaluation.InvalidFile` if gold itself cannot be read."""
    name = version.sealed
    if name not in _cache:
        _cache[name] = evaluation.read(sealing.unseal(storage.read(name)))
    _cache.move_to_end(name)
    evict()
    return _cache[name]


def evict() -> None:
    """Remove the least recently used entries, but never the last one used."""
    while len(_cache) > 1 and sum(map(text_bytes, _cache.values())) > settings.GOLD_MEMORY_BYTES:
        _cache.popitem(last=False)


def clear() -> None:
    """Free the memory for the work at hand."""
    _cache.clear()


def text_bytes(gold: evaluation.Treebank) -> int:
    return gold.layout.data.nbytes
