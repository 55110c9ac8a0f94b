"""Resumable uploads in S3-compatible storage: parts are objects, and memory stays bounded."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import boto3
import pytest
from django.test import override_settings
from moto import mock_aws

from sharedtask.core import clock, storage
from sharedtask.operations import sweep
from sharedtask.submissions.models import Run
from sharedtask.uploads import append
from sharedtask.uploads.models import Part
from tests.sharedtask.support.building import good_archive
from tests.sharedtask.support.tus import Tus

pytestmark = pytest.mark.django_db
OPTIONS = {"bucket_name": "trees", "access_key": "key", "secret_key": "secret", "region_name": "us-east-1"}


@pytest.fixture
def bucket(settings: Any) -> Iterator[Any]:
    backend = {"BACKEND": "storages.backends.s3.S3Storage", "OPTIONS": OPTIONS | {"file_overwrite": True}}
    chosen = {"FILE_STORAGE": "sharedtask.core.object_store.ObjectStore"}
    chosen["STORAGES"] = settings.STORAGES | {"files": backend, "sealed": backend}
    with mock_aws(), override_settings(**chosen):
        client = boto3.client("s3", region_name="us-east-1")
        client.create_bucket(Bucket="trees")
        yield client


def names(bucket: Any) -> list[str]:
    return [item["Key"] for item in bucket.list_objects_v2(Bucket="trees").get("Contents", [])]


def test_an_upload_in_parts_is_put_together(bucket: Any, tus: Tus, monkeypatch: pytest.MonkeyPatch) -> None:
    before = set(names(bucket))
    monkeypatch.setattr(append, "SEGMENT_BYTES", 64 * 1024)
    archive = good_archive() + bytes(300_000)
    address = tus.begin(len(archive))
    assert tus.patch(address, 0, archive[:200_000]).status_code == 204
    parts = Part.objects.order_by("begin")
    assert [part.begin for part in parts] == [0, 65536, 131072, 196608]
    assert set(names(bucket)) - before == {part.stored for part in parts}
    assert tus.offset(address) == 200_000
    assert tus.patch(address, 200_000, archive[200_000:]).status_code == 204
    run = Run.objects.get()
    assert storage.read(run.archive) == archive
    assert set(names(bucket)) - before == {run.archive}


def test_what_is_cancelled_or_belongs_to_nobody_is_removed(bucket: Any, tus: Tus) -> None:
    before = set(names(bucket))
    cancelled, unfinished = tus.begin(100), tus.begin(100)
    for address in (cancelled, unfinished):
        tus.patch(address, 0, b"x" * 50)
    tus.send("DELETE", cancelled)
    bucket.put_object(Bucket="trees", Key="partial/nobodys/000-abc", Body=b"x")
    sweep.remove_strays(at=clock.database_now() + timedelta(hours=7))
    assert set(names(bucket)) - before == set(Part.objects.values_list("stored", flat=True))
    assert tus.offset(unfinished) == 50
