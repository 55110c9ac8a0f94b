"""Checks before anything is started. In: the environment. Out: the checked values, or a ``Refusal``.

A refusal is one line that says what is wrong and what to do, instead of a traceback.
"""

import errno
import fcntl
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Mapping
from ipaddress import ip_address
from pathlib import Path
from typing import IO

NEEDED_BYTES = 200 * 1024 * 1024
ALL_INTERFACES = ("0.0.0.0", "::")
OTHER_VERSION = 3
"""Exit status of `manage.py layout` for a database of another version."""


class Refusal(Exception):
    """The server cannot start, for a reason that the user can fix."""


def open_data_dir(folder: Path) -> IO[str]:
    """Create the data directory, check its free space, and lock it.

    The returned file holds the lock; the system releases it when the process ends.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        claim = (folder / "serve.lock").open("a+", encoding="ascii")
    except OSError as error:
        raise Refusal(
            f"DATA_DIR {folder} cannot be written ({error.strerror}); choose another with DATA_DIR=..."
        ) from None
    try:
        _check_free_space(folder)
        _lock(claim, folder)
    except Refusal:
        claim.close()
        raise
    return claim


def _lock(claim: IO[str], folder: Path) -> None:
    try:
        fcntl.flock(claim, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        claim.seek(0)
        owner = claim.read().strip() or "unknown"
        raise Refusal(
            f"Another server (process {owner}) already uses DATA_DIR {folder}; stop it or choose another."
        ) from None
    claim.truncate(0)
    claim.write(str(os.getpid()))
    claim.flush()


def _check_free_space(folder: Path) -> None:
    free = shutil.disk_usage(folder).free
    if free < NEEDED_BYTES:
        raise Refusal(
            f"Not enough disk space: {folder} has {free // 2**20} MiB free; "
            f"{NEEDED_BYTES // 2**20} MiB are needed."
        )


def refuse_data_of_another_version(folder: Path, root: Path, environment: Mapping[str, str]) -> None:
    """Called before anything is started or migrated; changes nothing."""
    if not (folder / "db.sqlite3").exists():
        return
    command = [sys.executable, "manage.py", "layout"]
    done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=False)
    if done.returncode == OTHER_VERSION:
        raise Refusal(
            f"The data in {folder} were written by another version of Arboretum and cannot be used by this "
            f"one; start over with `rm -r {folder}`, or choose another directory with DATA_DIR=..."
        )
    if done.returncode != 0:
        reason = (done.stderr.splitlines() or ["unknown reason"])[-1]
        raise Refusal(f"The database in {folder} cannot be read: {reason}")


def port_number(value: str) -> int:
    if not value.isascii() or not value.isdigit() or int(value) > 65535:
        raise Refusal(f"PORT must be a number from 0 (any free port) to 65535, found {value!r}.")
    return int(value)


def url_host(host: str) -> str:
    """The host in a URL: the loopback address for all interfaces, brackets for IPv6."""
    if host in ALL_INTERFACES:
        return "127.0.0.1"
    return f"[{host}]" if ":" in host else host


def network_warning(host: str, site_url: str) -> list[str]:
    """A warning if other machines can reach the site; empty if only this one can."""
    if _is_loopback(host):
        return []
    return [
        f"WARNING: HOST={host} opens the site to a network without encryption: passwords and uploads can be",
        "intercepted. Use a proxy that terminates TLS, leave HOST at 127.0.0.1, and list the proxy in",
        "FORWARDED_ALLOW_IPS; or deploy the site as described in deploy/README.md.",
        f"Links in e-mails use {site_url}; set SITE_URL=https://... to the public address.",
    ]


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def listen(host: str, port: int) -> socket.socket:
    """Bind the port now, so that no other program can take it before the web server starts."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except OSError:
        raise Refusal(f"HOST {host!r} is not an address of this machine; try HOST=127.0.0.1.") from None
    listener = socket.socket(family, kind, protocol)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(address)
        listener.listen(128)
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRINUSE:
            raise Refusal(
                f"Port {port} on {host} is in use; choose another: PORT={port + 1} make serve"
            ) from None
        if error.errno == errno.EACCES:
            raise Refusal(f"You do not have permission to use port {port}; choose one above 1023.") from None
        raise Refusal(f"Cannot listen on HOST {host!r}: {error.strerror}.") from None
    return listener
