"""Outputs on a file system of their own, on both engines: larger than memory, closed, and given up again."""

from __future__ import annotations

import errno
import hashlib
import os
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from airlock.engine import Engine, EngineFailure, loop
from airlock.engine.loop import FOLDER, MARGIN_BYTES, output_device
from tests.airlock.engine.systems import LIMITS, StartScript

MEBIBYTE = 2**20
LARGE = replace(LIMITS, memory_bytes=32 * MEBIBYTE, output_bytes=48 * MEBIBYTE, output_files=100)
WRITE = "dd if=/dev/zero of=/output/large bs=1M count={} 2> /dev/null || exit 1\n"


def devices(run_id: str) -> list[str]:
    """Other processes may have runs of their own."""
    listed = subprocess.run(
        ["losetup", "--list", "--noheadings", "--output", "BACK-FILE"],
        capture_output=True,
        text=True,
        check=True,
    )
    return [line for line in listed.stdout.splitlines() if f"{FOLDER}/{run_id}.ext4" in line]


@pytest.mark.parametrize("kind", ["docker_engine", "podman_engine"])
def test_an_output_larger_than_memory_is_kept_on_disk_and_read_back(
    kind: str, start: StartScript, request: pytest.FixtureRequest
) -> None:
    engine: Engine = request.getfixturevalue(kind)
    running = start(
        engine,
        WRITE.format(40) + "grep ' /output ' /proc/mounts; ls -A /output; cp /bin/busybox /output/b\n"
        "/output/b true 2> /dev/null || echo not executable",
        limits=LARGE,
    )
    outcome = running.finish()
    assert outcome.exit_code == 0, outcome
    mount, *lines = outcome.log_tail.decode().splitlines()
    assert mount.split()[2] == "ext4"
    assert {"nosuid", "nodev", "noexec"} <= set(mount.split()[3].split(","))
    assert lines == ["large", "not executable"], "and no folder of the file system's own"
    assert outcome.usage.output_files == 2
    assert 40 * MEBIBYTE <= outcome.usage.output_bytes < 43 * MEBIBYTE
    hashes = {output.name: hashlib.file_digest(output.stream, "sha256") for output in running.outputs()}
    assert hashes["large"].hexdigest() == hashlib.sha256(bytes(40 * MEBIBYTE)).hexdigest()
    running.remove()
    assert devices(running.run_id) == []
    assert not (FOLDER / f"{running.run_id}.ext4").exists()


@pytest.mark.parametrize("size", ["4k", "64k", "1024k", "3000k"])
def test_its_space_is_the_limit_and_a_margin_of_one_write(
    size: str, docker_engine: Engine, start: StartScript
) -> None:
    """In many files, none of which is limited itself. Whoever is refused has reached the limit."""
    write = (
        f"dd if=/dev/zero of=/output/$i bs={size} count=$(({4 * MEBIBYTE // 1024}/{size[:-1]})) 2> /dev/null"
    )
    outcome = start(docker_engine, f"i=0; while {write}; do i=$((i+1)); done; exit 1", limits=LARGE).finish()
    assert outcome.limit is not None and outcome.limit.name == "output bytes"
    assert LARGE.output_bytes <= outcome.usage.output_bytes <= LARGE.output_bytes + MARGIN_BYTES


def test_an_empty_one_is_empty(docker_engine: Engine, start: StartScript) -> None:
    usage = start(docker_engine, "true", limits=LARGE).finish().usage
    assert (usage.output_bytes, usage.output_files) == (0, 0)


@pytest.mark.parametrize("megabytes", [1, 10, 100, 500, 700, 790, 850, 1200, 5000, 40_000])
def test_every_size_has_exactly_this_space(
    megabytes: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a sparse file. Root and the kernel keep some of the free blocks for themselves."""
    monkeypatch.setattr(os, "posix_fallocate", lambda file, start, size: os.ftruncate(file, size))
    monkeypatch.setattr(loop, "FOLDER", tmp_path)
    file = tmp_path / "x.ext4"
    loop._make_file_system(file, replace(LARGE, output_bytes=megabytes * MEBIBYTE))
    names = ("Block count", "Free blocks", "Reserved block count")
    described = subprocess.run(
        ["debugfs", "-R", "stats -h", str(file)], capture_output=True, text=True, check=True
    )
    blocks, free, reserved = (
        int(line.split()[-1])
        for name in names
        for line in described.stdout.splitlines()
        if line.startswith(f"{name}:")
    )
    usable = free - reserved - min(blocks // 50, 4096)
    assert reserved > 0
    assert usable * 4096 == megabytes * MEBIBYTE + MARGIN_BYTES


@pytest.mark.parametrize(
    ("script", "limit"),
    [
        (WRITE.format(60), "output bytes"),
        ("for i in $(seq 200); do : > /output/$i || exit 1; done", "output files"),
    ],
)
def test_its_limits_are_named(docker_engine: Engine, start: StartScript, script: str, limit: str) -> None:
    outcome = start(docker_engine, script, limits=LARGE).finish()
    assert outcome.limit is not None and outcome.limit.name == limit


def test_what_a_killed_worker_left_is_removed_when_the_run_is_looked_for(docker_engine: Engine) -> None:
    left = output_device("killed", LARGE, docker_engine.facts)
    assert left.__enter__() is not None
    assert len(devices("killed")) == 1
    assert docker_engine.find("killed") is None
    assert devices("killed") == []
    assert not (FOLDER / "killed.ext4").exists()


def test_a_full_disk_is_an_error_of_the_platform(
    docker_engine: Engine, start: StartScript, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "posix_fallocate", refuse)
    with pytest.raises(EngineFailure, match="no space for the output of a run"):
        start(docker_engine, "true", limits=LARGE, run_id="full")
    assert docker_engine.run_ids() == set()
    assert devices("full") == []
    assert not (FOLDER / "full.ext4").exists()


def test_a_worker_that_is_not_root_keeps_outputs_in_memory(
    docker_engine: Engine, start: StartScript, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    outcome = start(docker_engine, "grep ' /output ' /proc/mounts", limits=LARGE).finish()
    assert outcome.log_tail.split()[2] == b"tmpfs"
