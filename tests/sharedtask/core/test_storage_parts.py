"""Parts of a stored file, and several files at once, on a disk and from S3-compatible storage."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import boto3
import pytest
from django.test import override_settings
from moto import mock_aws

from sharedtask.core import storage

OPTIONS = {
    "bucket_name": "trees",
    "access_key": "key",
    "secret_key": "secret",
    "region_name": "us-east-1",
    "default_acl": None,
    "file_overwrite": True,
}


@pytest.fixture(params=["disk", "objects"])
def place(request: pytest.FixtureRequest, settings: Any) -> Iterator[str]:
    if request.param == "disk":
        yield request.param
        return
    backend = {"BACKEND": "storages.backends.s3.S3Storage", "OPTIONS": OPTIONS}
    chosen = {"FILE_STORAGE": "sharedtask.core.object_store.ObjectStore"}
    chosen["STORAGES"] = settings.STORAGES | {"files": backend, "sealed": backend}
    with mock_aws(), override_settings(**chosen):
        boto3.client("s3", region_name="us-east-1").create_bucket(Bucket="trees")
        yield request.param


def test_a_part_is_the_bytes_from_begin_up_to_end(place: str) -> None:
    storage.store("outputs/one", [b"0123456789"])
    assert storage.read_part("outputs/one", 3, 7) == b"3456"
    assert storage.read_part("outputs/one", 8, 20) == b"89"
    assert storage.read_part("outputs/one", 5, 5) == b""
    with pytest.raises(FileNotFoundError):
        storage.read_part("outputs/none", 0, 1)


def test_a_missing_file_does_not_affect_other_prefetched_ones(place: str) -> None:
    storage.store("outputs/one", [b"1"])
    storage.store("outputs/two", [b"2"])
    with storage.prefetch(["outputs/one", "outputs/none", "outputs/two"]) as (result, none, two):
        assert (result().read_bytes(), two().read_bytes()) == (b"1", b"2")
        with pytest.raises(FileNotFoundError):
            none().read_bytes()
