"""`make serve`: refuses in one line, looks after its children, and leaves none behind."""

import contextlib
import os
import shutil
import signal
import socket
import sqlite3
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from serve import preflight
from tests.machinery.serving import Serving, get, processes_of, wait_until_gone
from tests.machinery.site import ROOT, clean_environment, manage

SERVE = [sys.executable, "-m", "serve"]


def environment_for(folder: Path, **values: str) -> dict[str, str]:
    given = {"DATA_DIR": str(folder), "PORT": "0"} | values
    return clean_environment("sharedtask.settings.embedded", given)


def refusal(environment: dict[str, str]) -> str:
    """The one line that is printed instead of a start."""
    done = subprocess.run(SERVE, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, ""), done.stdout + done.stderr
    line, *more = done.stderr.splitlines()
    assert more == []
    return line


def test_taken_port_is_refused_in_one_line(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert refusal(environment_for(tmp_path, PORT=str(port))).startswith(
            f"arboretum: Port {port} on 127.0.0.1 is in use; choose another"
        )


@pytest.mark.parametrize("port", ["http", "-1", "65536", "٨٠"])
def test_impossible_port_is_refused_in_one_line(tmp_path: Path, port: str) -> None:
    assert refusal(environment_for(tmp_path, PORT=port)).startswith("arboretum: PORT must be a number")


def test_foreign_host_is_refused_in_one_line(tmp_path: Path) -> None:
    assert "Cannot listen on HOST '192.0.2.1'" in refusal(environment_for(tmp_path, HOST="192.0.2.1"))


def test_data_dir_that_is_a_file_is_refused_in_one_line(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    assert f"DATA_DIR {file} cannot be written" in refusal(environment_for(file))
    assert f"DATA_DIR {file}/below cannot be written" in refusal(environment_for(file / "below"))


def test_data_dir_without_rights_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Root may write anywhere, so that the system's answer is played."""

    def refuse(*arguments: object, **more: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "mkdir", refuse)
    with pytest.raises(preflight.Refusal, match=r"cannot be written \(Permission denied\)"):
        preflight.open_data_dir(tmp_path)


def test_full_disk_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preflight, "NEEDED_BYTES", 2**60)
    with pytest.raises(preflight.Refusal, match=r"Not enough disk space: .* MiB free; \d+ MiB are needed"):
        preflight.open_data_dir(tmp_path)


def test_broker_that_does_not_answer_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    environment = environment_for(tmp_path, REDIS_URL="no-redis://")
    assert "Redis does not respond" in refusal(environment)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "tasks.example.org"])
def test_whoever_listens_to_a_network_is_warned(host: str) -> None:
    message = " ".join(preflight.network_warning(host, "http://127.0.0.1:8000"))
    assert message.startswith(f"WARNING: HOST={host} ")
    assert "without encryption" in message
    assert "a proxy that terminates TLS" in message and "deploy/README.md" in message
    assert "Links in e-mails use http://127.0.0.1:8000; set SITE_URL" in message


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.2", "::1", "localhost"])
def test_whoever_listens_to_this_machine_is_not(host: str) -> None:
    assert preflight.network_warning(host, "http://127.0.0.1:8000") == []


EARLIER = {
    "a migration that is gone": (
        "INSERT INTO django_migrations (app, name, applied) "
        "VALUES ('competition', '0002_initial', '2026-01-01')"
    ),
    "a column of another name": "ALTER TABLE teams_team RENAME COLUMN affiliation TO institute",
    "a table that is missing": "DROP TABLE standings_goldchange",
    "accounts of Django's own": "DELETE FROM django_migrations WHERE app = 'accounts'",
}


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("layout")
    manage("migrate", "--verbosity=0", environment=environment_for(folder))
    return folder / "db.sqlite3"


@pytest.mark.parametrize("difference", EARLIER)
def test_data_of_an_earlier_layout_are_refused_in_one_line_and_kept(
    tmp_path: Path, database: Path, difference: str
) -> None:
    copy = tmp_path / "db.sqlite3"
    shutil.copy(database, copy)
    with contextlib.closing(sqlite3.connect(copy)) as connection:
        connection.execute("PRAGMA foreign_keys=OFF")
        connection.execute(EARLIER[difference])
        connection.commit()
        before = list(connection.iterdump())
    line = refusal(environment_for(tmp_path))
    assert f"The data in {tmp_path} were written by another version" in line
    assert f"rm -r {tmp_path}" in line
    assert "DATA_DIR=" in line
    with contextlib.closing(sqlite3.connect(copy)) as connection:
        assert list(connection.iterdump()) == before


def test_a_database_that_lacks_a_later_migration_is_not_refused(tmp_path: Path, database: Path) -> None:
    shutil.copy(database, tmp_path / "db.sqlite3")
    environment = environment_for(tmp_path)
    with contextlib.closing(sqlite3.connect(tmp_path / "db.sqlite3")) as connection:
        gone = "DELETE FROM django_migrations WHERE name = '0002_audit_log_is_append_only'"
        connection.execute(gone)
        connection.commit()
    preflight.refuse_data_of_another_version(tmp_path, ROOT, environment)


@contextlib.contextmanager
def serving(folder: Path, **values: str) -> Iterator[Serving]:
    running = Serving(SERVE, folder=ROOT, environment=environment_for(folder, **values))
    try:
        yield running
    finally:
        running.stop()


def child(running: Serving, data_dir: Path, word: str) -> int:
    """The child of the supervisor whose command has this word in it."""
    for number, command in processes_of(data_dir).items():
        with contextlib.suppress(FileNotFoundError):
            parent = int(Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[1])
            if word in command and parent == running.process.pid:
                return number
    raise AssertionError(f"no child with {word!r} in its command")


def test_it_serves_survives_and_stops_without_a_trace(tmp_path: Path) -> None:
    data_dir = tmp_path / "data"
    with serving(data_dir) as running:
        address = running.address(seconds=120)
        assert get(address)
        # Accounts and address come last, and what the processes log goes to a file.
        results = [line.partition(" | ")[2] for line in running.lines]
        assert results[-2:] == [f"Arboretum is at  {address}", "Press Ctrl-C to stop."]
        heading = f"Demo accounts (name, password), also in {data_dir}/demo-accounts.txt:"
        assert heading in results and "organiser" in results[results.index(heading) + 1]
        assert not any(" web " in line or " worker " in line for line in running.lines)
        log = data_dir / "serve.log"
        assert " web " in log.read_text() and stat.S_IMODE(log.stat().st_mode) == 0o600
        # Commands in another terminal find the broker.
        assert (data_dir / "broker.url").read_text().startswith("redis://:")
        # A second one on the same data would be two masters of one Redis log.
        assert f"(process {running.process.pid}) already uses DATA_DIR" in refusal(environment_for(data_dir))
        # Nobody else on the machine may read what teams upload.
        assert stat.S_IMODE(data_dir.stat().st_mode) == 0o700
        assert stat.S_IMODE((data_dir / "db.sqlite3").stat().st_mode) == 0o600
        # Killed children come back, and the site with them.
        for word, name in (("gunicorn", "web"), ("redis-server", "redis")):
            os.kill(child(running, data_dir, word), signal.SIGKILL)
            running.wait_for(f"{name} exited with status -9, restarting in 1 s", seconds=60)
        deadline = time.monotonic() + 30
        while len(processes_of(data_dir)) < 5:
            assert time.monotonic() < deadline, processes_of(data_dir)
            time.sleep(0.1)
        assert get(address)
        assert running.interrupt() == 0
        assert processes_of(data_dir) == {}
        assert not (data_dir / "broker.url").exists()


def test_killed_supervisor_takes_its_children_along(tmp_path: Path) -> None:
    data_dir = tmp_path / "data"
    with serving(data_dir) as running:
        running.address(seconds=120)
        assert len(processes_of(data_dir)) >= 5
        running.process.kill()
        assert wait_until_gone(data_dir, seconds=60) == {}


def test_it_can_be_stopped_while_it_prepares(tmp_path: Path) -> None:
    with serving(tmp_path) as running:
        running.wait_for("redis +|", seconds=60)
        running.process.send_signal(signal.SIGTERM)
        assert running.process.wait(40) == 1
        assert wait_until_gone(tmp_path, seconds=60) == {}


def test_on_all_interfaces_it_warns_and_names_an_address_that_can_be_opened(tmp_path: Path) -> None:
    with serving(tmp_path, HOST="0.0.0.0") as running:
        address = running.address(seconds=120)
        assert address.startswith("http://127.0.0.1:")
        message = "\n".join(running.lines)
        assert "WARNING: HOST=0.0.0.0 " in message
        assert f"Links in e-mails use {address.rstrip('/')}" in message
        assert get(address)
