"""Checks before anything is started. In: the environment. Out: what was found, or a ``Refusal``.

A refusal is one line that says what is wrong and what to do; nobody should have to read a traceback
because a port is taken.
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
EVERYWHERE = ("0.0.0.0", "::")
ANOTHER_VERSION = 3
"""How `manage.py layout` ends on a database with other tables than this version expects."""


class Refusal(Exception):
    """The server cannot start, for a reason that the person at the terminal can mend."""


def open_data_dir(folder: Path) -> IO[str]:
    """Make the data directory, see that it has room, and claim it.

    The returned file holds the claim; the system drops it with the process, however that ends.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        claim = (folder / "serve.lock").open("a+", encoding="ascii")
    except OSError as error:
        raise Refusal(
            f"DATA_DIR {folder} cannot be written ({error.strerror}); choose another with DATA_DIR=..."
        ) from None
    try:
        _find_room(folder)
        _claim(claim, folder)
    except Refusal:
        claim.close()
        raise
    return claim


def _claim(claim: IO[str], folder: Path) -> None:
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


def _find_room(folder: Path) -> None:
    free = shutil.disk_usage(folder).free
    if free < NEEDED_BYTES:
        raise Refusal(
            f"No disk space: {folder} has {free // 2**20} MiB free, {NEEDED_BYTES // 2**20} MiB are needed."
        )


def refuse_data_of_another_version(folder: Path, root: Path, environment: Mapping[str, str]) -> None:
    """Before anything is started or migrated, and without changing what is there."""
    if not (folder / "db.sqlite3").exists():
        return
    command = [sys.executable, "manage.py", "layout"]
    done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=False)
    if done.returncode == ANOTHER_VERSION:
        raise Refusal(
            f"The data in {folder} were written by another version of Arboretum and cannot be used by this "
            f"one; begin anew with `rm -r {folder}`, or keep them and choose another place with DATA_DIR=..."
        )
    if done.returncode != 0:
        why = (done.stderr.splitlines() or ["it gives no reason"])[-1]
        raise Refusal(f"The database in {folder} cannot be read: {why}")


def port_number(value: str) -> int:
    if not value.isascii() or not value.isdigit() or int(value) > 65535:
        raise Refusal(f"PORT must be a number from 0 (any free port) to 65535, found {value!r}.")
    return int(value)


def shown_host(host: str) -> str:
    """What stands in an address: all interfaces are reached by the loopback, IPv6 has brackets."""
    if host in EVERYWHERE:
        return "127.0.0.1"
    return f"[{host}]" if ":" in host else host


def network_warning(host: str, site_url: str) -> list[str]:
    """What has to be said to whoever lets others in; nothing where only this machine can reach the site."""
    if _is_loopback(host):
        return []
    return [
        f"WARNING: HOST={host} lets a network in without encryption: passwords and uploads can be read on",
        "their way. Put a proxy that ends TLS in front, leave HOST at 127.0.0.1, and name the proxy in",
        "FORWARDED_ALLOW_IPS; or set the site up as deploy/README.md says.",
        f"Links in mails lead to {site_url}; SITE_URL=https://... names the address that others use.",
    ]


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def listen(host: str, port: int) -> socket.socket:
    """Take the address now and keep it, so that nobody can snatch it before the web server starts."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except OSError:
        raise Refusal(f"HOST {host!r} is no address of this machine; try HOST=127.0.0.1.") from None
    listener = socket.socket(family, kind, protocol)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(address)
        listener.listen(128)
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRINUSE:
            raise Refusal(
                f"Port {port} on {host} is taken; choose another: PORT={port + 1} make serve"
            ) from None
        if error.errno == errno.EACCES:
            raise Refusal(f"Port {port} needs rights you do not have; choose one above 1023.") from None
        raise Refusal(f"HOST {host!r} cannot be listened on: {error.strerror}.") from None
    return listener
