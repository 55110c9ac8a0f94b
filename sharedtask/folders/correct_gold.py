"""A single corrected gold file, uploaded on the page Gold: checked and stored as the next version.

In: a job with the sealed file and its test set. Out: a version that is not in force; its effect is reviewed
on the page Gold. The folder stays the master format: an export contains the new version.
"""

from __future__ import annotations

from django.db import transaction

import evaluation
from evaluation.scoring.validate import decode_text
from sharedtask.accounts.models import User
from sharedtask.competition import audit
from sharedtask.competition.models import GoldVersion, TestSet
from sharedtask.competition.store_files import store_gold
from sharedtask.competition.treebanks import format_of
from sharedtask.core import clock, storage
from sharedtask.folders.checks import check_gold, check_tokens, in_file
from sharedtask.folders.parse import YamlEntry
from sharedtask.folders.problems import BadTaskFolder, Problem
from sharedtask.folders.read import FolderGold
from sharedtask.submissions import rescore
from sharedtask.work import dispatch
from sharedtask.work.targets import PREPARE_GOLD


def correct_gold(*, test_set: TestSet, content: bytes, by: User | None, note: str) -> GoldVersion:
    name = f"{test_set.code}.conllu"
    if problems := find_problems(test_set, name, content):
        raise BadTaskFolder(problems)
    at = clock.database_now()
    stored: list[str] = []
    try:
        with transaction.atomic():
            version = store_gold(test_set, content, released_at=None, note=note, by=by, in_force=False)
            stored.append(version.sealed)
            dispatch.enqueue(PREPARE_GOLD, version.pk)
            rescore.score_against(version, at=at)
            audit.write(
                task=test_set.task,
                who=by,
                action="upload-gold",
                subject=f"{test_set.code} version {version.number}",
                reason=note,
                at=at,
            )
    except BaseException:
        for sealed in stored:
            storage.remove(sealed)
        raise
    return version


def find_problems(test_set: TestSet, name: str, content: bytes) -> list[Problem]:
    """The same checks as for a folder: valid, with the characters of the raw text or with the tokens."""
    gold = FolderGold(YamlEntry(path="", line=1), name, None, content, "", False)
    for version in test_set.gold_versions.order_by("number"):
        if version.sha256 == gold.sha256:
            return [in_file(name, None, f"this is version {version.number} of {test_set.code}, unchanged")]
    newest = test_set.gold_versions.order_by("-number").first()
    if newest is not None and newest.has_references:
        message = (
            f"the gold of {test_set.code} has several references; import the folder with a new version of all"
        )
        return [in_file(name, None, message)]
    given, format = test_set.given_input, format_of(test_set.task)
    stored = storage.read(given.stored) if given else b""
    if given and not given.is_raw_text:
        tokens = evaluation.read(stored, format=format.without_trees)
        return list(check_tokens(name, content, format, tokens))
    texts = [decode_text(stored)] if given else []
    return list(check_gold(gold, texts, test_set.task.profile, format))
