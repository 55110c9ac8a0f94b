"""What the kernel counted: cgroup v2 from files as the kernel writes them; v1 is part of the runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from airlock.engine.cgroup import Cgroup, Reading, Slice, path_of_process


def write(folder: Path, **files: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (folder / name.replace("_", ".", 1)).write_text(content)


def test_version_2_is_read_from_one_folder(tmp_path: Path) -> None:
    cgroup = Cgroup("/runs/1", version=2, root=tmp_path)
    assert cgroup.create(memory_bytes=1000)
    write(
        tmp_path / "runs/1",
        cpu_stat="usage_usec 2500000\nuser_usec 2000000\n",
        memory_current="400\n",
        memory_peak="900\n",
        memory_events="low 0\nhigh 0\nmax 12\noom 1\noom_kill 1\noom_group_kill 0\n",
        pids_peak="7\n",
    )
    assert cgroup.read() == Reading(
        cpu_seconds=2.5, memory_bytes=400, peak_bytes=900, out_of_memory=True, peak_processes=7
    )


def test_a_full_memory_without_a_kill_is_not_out_of_memory(tmp_path: Path) -> None:
    write(tmp_path / "x", cpu_stat="usage_usec 1\n", memory_events="max 12\noom 0\noom_kill 0\n")
    assert not Cgroup("/x", version=2, root=tmp_path).read().out_of_memory


def test_the_last_reading_outlives_the_cgroup(tmp_path: Path) -> None:
    folder = tmp_path / "x"
    write(folder, cpu_stat="usage_usec 1000000\n", memory_current="5")
    cgroup = Cgroup("/x", version=2, root=tmp_path)
    first = cgroup.read()
    for file in folder.iterdir():
        file.unlink()
    folder.rmdir()
    assert cgroup.read() == first == Reading(cpu_seconds=1.0, memory_bytes=5)


@pytest.mark.parametrize("version", [1, 2])
def test_a_cgroup_that_may_not_be_made_is_reported(
    version: int, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "file"
    file.write_text("")
    assert not Cgroup("/x", version=version, root=file).create(memory_bytes=1)
    assert "its cgroup cannot be made: [Errno 20] Not a directory" in caplog.text


def test_a_counter_that_cannot_be_read_is_reported_and_one_that_is_not_there_is_not(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder = tmp_path / "x"
    write(folder, cpu_stat="usage_usec 1000000\n")
    assert Cgroup("/x", version=2, root=tmp_path).read() == Reading(cpu_seconds=1.0)
    assert caplog.text == ""
    (folder / "memory.current").mkdir()
    assert Cgroup("/x", version=2, root=tmp_path).read() == Reading(cpu_seconds=1.0)
    assert "a counter of a run cannot be read" in caplog.text and "memory.current" in caplog.text


def test_a_process_that_is_gone_has_no_cgroup() -> None:
    assert path_of_process(2**30) is None


def test_a_slice_is_read_where_systemd_puts_it(tmp_path: Path) -> None:
    """Seen with docker and podman on Debian 12; a name with hyphens would be a slice in a slice."""
    host, user = Slice("a-1", user=None, root=tmp_path), Slice("a-1", user=1000, root=tmp_path)
    assert host.parent == user.parent
    assert host.parent.count("-") == 1 and host.parent.endswith(".slice")
    assert host.path == f"/arboretum.slice/{host.parent}"
    assert user.path == f"/user.slice/user-1000.slice/user@1000.service/arboretum.slice/{host.parent}"
    write(tmp_path / host.path.lstrip("/"), cpu_stat="usage_usec 1000000\n", memory_events="oom_kill 2\n")
    assert host.read() == Reading(cpu_seconds=1.0, out_of_memory=True)


def test_slices_of_two_runs_differ() -> None:
    assert Slice("a-1", user=None).parent != Slice("a_1", user=None).parent
