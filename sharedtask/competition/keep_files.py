"""Put the files of a test set into storage, each version under a name of its own, gold only sealed.

In: a test set and checked content. Out: the row of the newest version; the same content again gives the row
that is there. Names in storage are random, so that two imports at once cannot write over each other's file.
"""

from __future__ import annotations

import hashlib
from datetime import datetime

from django.utils.crypto import salted_hmac

from sharedtask import clock, sealing, storage
from sharedtask.competition.models import GoldVersion, InputFile, TestSet
from sharedtask.publicid import new_public_id


def keep_raw_text(test_set: TestSet, text: str) -> InputFile:
    content = text.encode()
    sha256 = hashlib.sha256(content).hexdigest()
    versions = test_set.inputs.filter(variant=InputFile.RAW).order_by("-version")
    newest = versions.first()
    if newest is not None and newest.sha256 == sha256:
        return newest
    stored = f"inputs/{new_public_id()}"
    storage.store(stored, [content])
    return InputFile.objects.create(
        test_set=test_set,
        variant=InputFile.RAW,
        version=newest.version + 1 if newest else 1,
        filename=f"{test_set.code}.txt",
        stored=stored,
        sha256=sha256,
        size_bytes=len(content),
        characters=sum(not character.isspace() for character in text),
        created_at=clock.database_now(),
    )


def keep_gold(test_set: TestSet, gold: bytes, *, released_at: datetime | None = None) -> GoldVersion:
    """Seal a gold file and put it in force. Gold that is public from the start is kept in plain as well."""
    sha256 = hashlib.sha256(gold).hexdigest()
    newest = test_set.gold_versions.order_by("-number").first()
    if newest is not None and newest.sha256 == sha256:
        return newest
    sealed = f"gold/{new_public_id()}"
    storage.store(sealed, [sealing.seal(gold)])
    public_copy = ""
    if released_at is not None:
        public_copy = f"public/{new_public_id()}"
        storage.store(public_copy, [gold])
    version = GoldVersion.objects.create(
        test_set=test_set,
        number=newest.number + 1 if newest else 1,
        sealed=sealed,
        sha256=sha256,
        keyed_hash=keyed_hash(sha256),
        created_at=clock.database_now(),
        released_at=released_at,
        public_copy=public_copy,
    )
    test_set.gold_in_force = version
    test_set.save(update_fields=["gold_in_force"])
    return version


def keyed_hash(sha256: str) -> str:
    """The plain hash would let anybody confirm a leaked file; this one, under the server's key, does not."""
    return salted_hmac("competition.gold", sha256, algorithm="sha256").hexdigest()
