"""A port of this machine for a server under test, and the moment at which the server listens there."""

import socket
import subprocess
import time
from pathlib import Path

START_SECONDS = 60


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def wait_until_open(port: int, process: "subprocess.Popen[str]", output: Path) -> None:
    """A server that does not come up shows what it said."""
    end = time.monotonic() + START_SECONDS
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=2).close()
            return
        except OSError:
            if process.poll() is not None or time.monotonic() > end:
                raise AssertionError(f"It did not start:\n{output.read_text()}") from None
            time.sleep(0.05)
