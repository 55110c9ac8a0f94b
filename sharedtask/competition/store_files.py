"""Store the files of a test set, each version under its own name, and gold only encrypted.

In: a test set and checked content. Out: the row of the newest version; if the content has not changed, the
existing row. Names in storage are random, so that concurrent imports cannot overwrite each other's files.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime

from django.utils.crypto import salted_hmac

from evaluation.signature import combined_hash
from sharedtask.accounts.models import User
from sharedtask.competition.models import GoldVersion, InputFile, TestSet
from sharedtask.core import clock, sealing, storage
from sharedtask.core.public_ids import new_public_id


def store_input(
    test_set: TestSet, content: bytes, *, variant: str, suffix: str = ".txt", is_sample: bool = False
) -> InputFile:
    sha256 = hashlib.sha256(content).hexdigest()
    newest = test_set.inputs.filter(variant=variant).order_by("-version").first()
    if newest is not None and newest.sha256 == sha256:
        return newest
    stored = f"inputs/{new_public_id()}"
    storage.store(stored, [content])
    is_raw, is_tokens = variant == InputFile.RAW, variant == InputFile.TOKENS
    return InputFile.objects.create(
        test_set=test_set,
        variant=variant,
        version=newest.version + 1 if newest else 1,
        filename=f"{test_set.code}.txt" if is_raw else f"{test_set.code}.{variant}{suffix}",
        is_sample=is_sample,
        stored=stored,
        sha256=sha256,
        size_bytes=len(content),
        characters=count_characters(content, is_tokens=is_tokens) if is_raw or is_tokens else 0,
        created_at=clock.database_now(),
    )


def count_characters(content: bytes, *, is_tokens: bool) -> int:
    """Without white space: of a raw text, or of the forms of given tokens."""
    text = content.decode("utf-8-sig")
    if is_tokens:
        text = "".join(surface_forms(text.replace("\r", "").split("\n")))
    return sum(not character.isspace() for character in text)


def surface_forms(lines: Iterable[str]) -> Iterator[str]:
    """The form of every token: of a range, not of its words."""
    covered = 0
    for line in lines:
        if not line or line.startswith("#"):
            covered = 0
            continue
        id, form, *_ = line.split("\t")
        first, hyphen, last = id.partition("-")
        if "." in first:
            continue
        if hyphen or int(first) > covered:
            yield form
        if hyphen:
            covered = int(last)


def store_gold(
    test_set: TestSet,
    gold: bytes,
    *,
    released_at: datetime | None = None,
    note: str = "",
    by: User | None = None,
    in_force: bool = True,
    references: Mapping[str, bytes] | None = None,
) -> GoldVersion:
    """Seal a gold file with its further references. Public gold is also stored unencrypted."""
    sha256 = hashlib.sha256(gold).hexdigest()
    hashes = {name: hashlib.sha256(content).hexdigest() for name, content in (references or {}).items()}
    combined = combined_hash(sha256, hashes)
    newest = test_set.gold_versions.order_by("-number").first()
    if newest is not None and newest.combined_sha256 == combined:
        return newest
    is_public = released_at is not None
    sealed, public_copy = store_sealed(gold, is_public=is_public)
    version = GoldVersion.objects.create(
        test_set=test_set,
        number=newest.number + 1 if newest else 1,
        sealed=sealed,
        sha256=sha256,
        references_sha256=combined if references else "",
        keyed_hash=keyed_hash(combined),
        note=note,
        created_at=clock.database_now(),
        created_by=by,
        released_at=released_at,
        public_copy=public_copy,
    )
    for name, content in (references or {}).items():
        sealed, public_copy = store_sealed(content, is_public=is_public)
        version.references.create(name=name, sealed=sealed, sha256=hashes[name], public_copy=public_copy)
    if in_force:
        test_set.gold_in_force = version
        test_set.save(update_fields=["gold_in_force"])
    return version


def store_sealed(content: bytes, *, is_public: bool) -> tuple[str, str]:
    """The names of the encrypted file and, if it is public, of its plain copy."""
    sealed = f"gold/{new_public_id()}"
    storage.store(sealed, [sealing.seal(content)])
    public_copy = f"public/{new_public_id()}" if is_public else ""
    if public_copy:
        storage.store(public_copy, [content])
    return sealed, public_copy


def keyed_hash(sha256: str) -> str:
    """Unlike the plain hash, it does not let anyone verify a leaked file."""
    return salted_hmac("competition.gold", sha256, algorithm="sha256").hexdigest()
