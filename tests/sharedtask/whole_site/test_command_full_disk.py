"""A full disk while the command submits: one clear line, the right exit code, nothing lost or doubled."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from evaluation.cli import main
from evaluation.client import resumable
from evaluation.client.client import Client
from tests.machinery.cutting import cutting
from tests.machinery.site import start_server
from tests.pipeline.small_disk import SmallDisk
from tests.pipeline.workforce import children_of
from tests.sharedtask.support.building import task_folder
from tests.sharedtask.support.live_command import prepare

MEBIBYTE = 1024 * 1024
SAYS_FULL = ("[server-disk-full]", "[server-unavailable]")
"""The database is on the same disk, and may be the first to notice."""


@dataclass(frozen=True, kw_only=True)
class Site:
    url: str
    token: str
    disk: SmallDisk


@pytest.fixture(scope="module")
def full_site(tmp_path_factory: pytest.TempPathFactory, redis_url: str, embedded_site: Any) -> Iterator[Site]:
    """It has all its data on a small disk, and no worker."""
    folder = tmp_path_factory.mktemp("disk")
    disk = SmallDisk(folder / "disk")
    try:
        environment = embedded_site(disk.folder / "data", REDIS_URL=redis_url)
        token = prepare(environment, task_folder(folder / "task"), "alder")["alder"]
        server = start_server(environment, folder / "server.log")
        disk.writers = lambda: children_of(server.process.pid)
        try:
            yield Site(url=server.url, token=token, disk=disk)
        finally:
            server.stop()
    finally:
        disk.close()


@pytest.fixture
def site(full_site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    monkeypatch.setenv("ARBORETUM_CONFIG", str(tmp_path / "config"))
    monkeypatch.setenv("ARBORETUM_SITE", full_site.url)
    monkeypatch.setenv("ARBORETUM_TOKEN", full_site.token)
    yield full_site
    full_site.disk.empty()


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """Something that takes several parts to send; without a worker nobody looks inside."""
    (tmp_path / "run.zip").write_bytes(os.urandom(6 * MEBIBYTE))
    return tmp_path / "run.zip"


class Submitting:
    """`submit` in this process, where it starts at once and does not repeat itself for a minute."""

    def __init__(self, archive: Path, output: pytest.CaptureFixture[str]) -> None:
        self._words = ["submit", str(archive), "--task", "tiny", "--quiet"]
        self._output = output

    def __call__(self) -> tuple[int, list[str], list[str]]:
        code = main(self._words)
        printed = self._output.readouterr()
        return code, printed.out.split(), printed.err.splitlines()


@pytest.fixture
def submit(archive: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Submitting:
    monkeypatch.setattr(resumable, "ATTEMPTS", 2)
    return Submitting(archive, capsys)


def runs() -> list[str]:
    return [run["id"] for run in Client().runs("tiny")]


def test_a_submission_to_a_full_disk_is_one_line_and_succeeds_afterwards(
    site: Site, submit: Submitting
) -> None:
    before = runs()
    site.disk.fill()
    code, printed, (line,) = submit()
    assert (code, printed) == (5, []) and line.endswith(SAYS_FULL), site.disk.said
    site.disk.empty()
    assert runs() == before
    code, printed, said = submit()
    assert (code, said) == (0, [])
    assert runs() == [*printed, *before] and len(printed) == 1


def test_half_an_upload_survives_a_full_disk(
    site: Site, submit: Submitting, archive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = runs()
    with cutting(site.url, [3 * MEBIBYTE], away_after=1) as proxy:
        monkeypatch.setenv("ARBORETUM_SITE", proxy.url)
        code, printed, (line,) = submit()
        assert (code, printed) == (5, []) and line.endswith("[site-unreachable]")
        site.disk.fill()
        proxy.continue_at(site.url)
        code, printed, (line,) = submit()
        assert (code, printed) == (5, []) and line.endswith(SAYS_FULL), site.disk.said
        site.disk.empty()
        assert runs() == before
        sent = proxy.sent_bytes
        code, printed, said = submit()
        assert (code, said) == (0, [])
        # It goes on after what had been acknowledged.
        assert proxy.sent_bytes - sent < 4 * MEBIBYTE < archive.stat().st_size
    assert runs() == [*printed, *before] and len(printed) == 1


def test_what_cannot_be_remembered_at_home_is_not_sent(
    site: Site, submit: Submitting, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise an interrupted submission could be sent twice."""
    before = runs()
    monkeypatch.setattr(os, "fsync", no_space)
    code, printed, (line,) = submit()
    assert (code, printed) == (2, [])
    assert "No space left on device" in line and line.endswith("[configuration-unwritable]")
    assert runs() == before


def no_space(descriptor: int) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
