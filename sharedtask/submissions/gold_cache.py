"""Gold opened by this worker process: decrypted and parsed once, then cached in memory.

In: a version of gold. Out: its treebank. A campaign compares hundreds of files with a few dozen versions, and
reading gold takes a third of the time of comparing a file with it. A version never changes and its name in
storage is used once, so an entry cannot be out of date. The least recently used entries are removed when the
cached texts exceed `GOLD_MEMORY_BYTES`; a treebank takes four times the size of its text.
"""

from __future__ import annotations

from functools import partial

from django.conf import settings

import evaluation
from evaluation.scoring.references import FIRST
from sharedtask.competition.models import GoldVersion, Task
from sharedtask.competition.treebanks import read_file
from sharedtask.core import sealing, storage
from sharedtask.core.cache import LRUCache


def text_bytes(gold: evaluation.Treebank) -> int:
    return gold.layout.data.nbytes


# The last one stays: files are scored in batches against the same gold.
GOLD: LRUCache[str, evaluation.Treebank] = LRUCache(
    lambda: settings.GOLD_MEMORY_BYTES, size_of=text_bytes, keep_last=True
)


def open_gold(version: GoldVersion) -> evaluation.Treebank:
    """Raises `evaluation.InvalidFile` if gold itself cannot be read."""
    return GOLD.get_or_make(
        version.sealed,
        lambda: read_file(version.test_set.task, read_gold(version)),
    )


def open_references(version: GoldVersion) -> dict[str, evaluation.Treebank]:
    """The file itself, called `gold`, and its further references by name."""
    golds = {FIRST: open_gold(version)}
    for reference in version.references.all() if version.has_references else ():
        golds[reference.name] = GOLD.get_or_make(
            reference.sealed, partial(read_reference, version.test_set.task, reference.sealed)
        )
    return golds


def read_reference(task: Task, sealed: str) -> evaluation.Treebank:
    return read_file(task, sealing.unseal(storage.read(sealed)))


def read_gold(version: GoldVersion, reference: str = "") -> bytes:
    """The file itself, or one of its further references, for a scorer that reads it in its own way."""
    sealed = version.sealed
    if reference not in ("", FIRST):
        sealed = version.references.get(name=reference).sealed
    return sealing.unseal(storage.read(sealed))


def clear() -> None:
    """Free the memory for the work at hand."""
    GOLD.clear()
