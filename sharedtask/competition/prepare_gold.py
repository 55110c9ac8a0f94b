"""A worker's job for a version of gold: compute its statistics and, once released, write its public copy.

In: the id of a version. Out: its statistics and, if it is released, the name of its decrypted copy. The
statistics are as secret as gold until release. The job is idempotent, because the name of the copy is derived
from that of the sealed file, and therefore needs no lease.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db.models import Q

from evaluation import Treebank
from evaluation.scoring.new_words import NewWords, new_words
from sharedtask.competition.models import GoldVersion, TestSet
from sharedtask.competition.treebanks import read_file
from sharedtask.core import sealing, storage
from sharedtask.work import dispatch
from sharedtask.work.kinds import Job
from sharedtask.work.targets import ANALYSE_GOLD, PREPARE_GOLD

UNPREPARED = Q(statistics={}) | Q(released_at__isnull=False, public_copy="")


def prepare_gold(version_id: int) -> None:
    waiting = GoldVersion.objects.filter(UNPREPARED, pk=version_id)
    version = waiting.select_related("test_set__task").first()
    if version is None:
        return
    plain = sealing.unseal(storage.read(version.sealed))
    row = GoldVersion.objects.filter(pk=version.pk)
    row.update(statistics=statistics(version.test_set, plain))
    if version.is_released and not version.public_copy:
        # The copy of the file itself comes last: with it, the version counts as public.
        for reference in version.references.all():
            content = sealing.unseal(storage.read(reference.sealed))
            reference.public_copy = store_copy(reference.sealed, content)
            reference.save(update_fields=["public_copy"])
        row.update(public_copy=store_copy(version.sealed, plain))
        dispatch.enqueue(ANALYSE_GOLD, version.pk)


def store_copy(sealed: str, plain: bytes) -> str:
    name = f"public/{sealed.rpartition('/')[2]}"
    storage.store(name, [plain])
    return name


def statistics(test_set: TestSet, gold: bytes) -> dict[str, int]:
    """With training data also the number of word types, and of those that are new."""
    treebank = read_file(test_set.task, gold)
    new = new_words_of(test_set, treebank)
    types = {"word_types": new.types, "new_word_types": new.new} if new else {}
    return {
        "sentences": treebank.sentences,
        "tokens": treebank.tokens,
        "words": treebank.words,
        "bytes": len(gold),
        **types,
    }


def new_words_of(test_set: TestSet, treebank: Treebank) -> NewWords | None:
    training = test_set.training_file
    if training is None:
        return None
    return new_words(treebank, read_file(test_set.task, storage.read(training.stored)))


def count_again(test_set: TestSet) -> None:
    """After a change of its training data. Call it in a transaction."""
    for version in test_set.gold_versions.all():
        GoldVersion.objects.filter(pk=version.pk).update(statistics={})
        dispatch.enqueue(PREPARE_GOLD, version.pk)


def unprepared(at: datetime, patience: timedelta) -> list[int]:
    """For the sweep: a message may have been lost, or no worker was running."""
    return list(GoldVersion.objects.filter(UNPREPARED).values_list("pk", flat=True))


JOB = Job(target=PREPARE_GOLD, run=prepare_gold, overdue=unprepared)
