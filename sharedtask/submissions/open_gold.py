"""Gold that this worker has opened: unsealed and read once, kept in its memory for the files to come.

In: a version of gold. Out: its treebank. A campaign compares hundreds of files with a few dozen versions, and
reading gold takes a third of comparing a file with it. A version never changes, and its name in storage is
used once, so that what is kept cannot be out of date. It is forgotten with the process, and what was not
used for longest when more than `GOLD_MEMORY_BYTES` of text are kept; a treebank takes four times its text.
"""

from __future__ import annotations

from collections import OrderedDict

from django.conf import settings

import evaluation
from sharedtask.competition.models import GoldVersion
from sharedtask.core import sealing, storage

_kept: OrderedDict[str, evaluation.Treebank] = OrderedDict()


def open_gold(version: GoldVersion) -> evaluation.Treebank:
    """Raises `evaluation.InvalidFile` where gold itself cannot be read."""
    name = version.sealed
    if name not in _kept:
        _kept[name] = evaluation.read(sealing.unseal(storage.read(name)))
    _kept.move_to_end(name)
    forget_the_oldest()
    return _kept[name]


def forget_the_oldest() -> None:
    """The one just used stays in any case."""
    while len(_kept) > 1 and sum(map(text_bytes, _kept.values())) > settings.GOLD_MEMORY_BYTES:
        _kept.popitem(last=False)


def forget_all() -> None:
    """Where memory is short, all of it is for the work at hand."""
    _kept.clear()


def text_bytes(gold: evaluation.Treebank) -> int:
    return gold.layout.data.nbytes
