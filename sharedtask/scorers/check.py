"""Check a scorer that was uploaded: its image as those of teams are checked, and what it declares.

In: a claimed version with its upload in storage. Out: the version ready or refused. A version that is ready
becomes the task's; scores by it are requested by the sweep, and it is in force once an organiser says so, or
at once in a task without scores.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from django.db import transaction

from airlock.images import ImageRefused, labels
from evaluation import ProfileError
from evaluation.scoring.reported import read_declaration
from sharedtask.competition.metrics import base_profile
from sharedtask.competition.models import Task
from sharedtask.competition.scorer import MAX_VERSION_LENGTH, scorer_entry, with_scorer
from sharedtask.core import storage
from sharedtask.core.images import rewritten_image
from sharedtask.scorers.models import ScorerVersion
from sharedtask.uploads.images import refusal_of
from sharedtask.work.failure import Failure
from sharedtask.work.lease import released

HINT = "“How to build one” on the page “Scorer” describes the label and has an example."


def check_scorer(version: ScorerVersion) -> None:
    upload = version.upload
    try:
        with rewritten_image(upload) as rewritten:
            values = {
                "declaration": read_label(version, rewritten.image.declares, rewritten.image.sha256),
                "stored": rewritten.store(),
                "sha256": rewritten.image.sha256,
                "image_id": rewritten.image.image_id,
                "size_bytes": rewritten.image.size_bytes,
            }
    except ImageRefused as refused:
        refuse(version, refused)
    else:
        finish(version, **values)
    storage.remove(upload)


def read_label(version: ScorerVersion, declares: Mapping[str, str], sha256: str) -> dict[str, Any]:
    """What the image declares; `ImageRefused` if the task cannot be scored by it."""
    text = declares.get(labels.SCORER)
    if text is None:
        raise ImageRefused("scorer-undeclared", f"The image has no label {labels.SCORER}.", HINT)
    try:
        read_declaration(text)
        declaration: dict[str, Any] = json.loads(text)
        entry = scorer_entry(number=version.number, sha256=sha256, declaration=declaration)
        extended = with_scorer(base_profile(version.task), entry)
    except ProfileError as error:
        raise ImageRefused(
            "scorer-declaration", f"The label {labels.SCORER} is wrong: {error}.", HINT
        ) from error
    if len(extended.version) > MAX_VERSION_LENGTH:
        raise ImageRefused(
            "scorer-version", "The version of the profile is too long.", "Ask its authors for a shorter one."
        )
    return declaration


def finish(version: ScorerVersion, **values: Any) -> None:
    with transaction.atomic():
        task = Task.objects.select_for_update().get(pk=version.task_id)
        waiting = ScorerVersion.objects.waiting_for_a_check().filter(pk=version.pk)
        if waiting.update(state=ScorerVersion.State.READY, upload="", **values, **released()):
            choose_newest(task)


def choose_newest(task: Task) -> None:
    """The newest version that is ready is the task's. Call it in a transaction that has locked the task."""
    newest = task.scorer_versions.ready().order_by("-number").first()
    task.newest_scorer = newest.entry if newest else {}
    task.save(update_fields=["newest_scorer"])


def refuse(version: ScorerVersion, refused: ImageRefused) -> None:
    waiting = ScorerVersion.objects.waiting_for_a_check().filter(pk=version.pk)
    waiting.update(
        state=ScorerVersion.State.REFUSED,
        refusal=refusal_of(refused),
        size_bytes=0,
        upload="",
        **released(),
    )


def give_up(version: ScorerVersion, failure: Failure) -> None:
    waiting = ScorerVersion.objects.waiting_for_a_check().filter(pk=version.pk)
    waiting.update(state=ScorerVersion.State.FAILED, failure=failure.as_json(), **released())
