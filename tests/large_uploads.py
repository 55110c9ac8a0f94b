"""A gigabyte through five cuts of the connection, with both real clients: `make uploads`.

Prints for each client how long it took, what was sent twice, and how much memory the server needed. The suite
does the same with 20 MB (`tests/sharedtask/uploads/test_clients.py`).
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from tusclient.client import TusClient

from tests.machinery import node
from tests.machinery.cutting import cutting
from tests.machinery.site import Running, clean_environment, make_keys, manage, start_server
from tests.sharedtask.support import live_uploads
from tests.sharedtask.support.live_uploads import random_file
from tests.sharedtask.support.tus import RUN

MEGABYTE = 1_000_000
CUTS = 5
CHUNK = 64 * MEGABYTE
"""Of tuspy, which reads a chunk into memory before it sends it."""

Send = Callable[[str, dict[str, str], Path], None]


def with_tuspy(url: str, headers: dict[str, str], file: Path) -> None:
    client = TusClient(f"{url}/uploads/", headers=headers)
    with file.open("rb") as stream:
        options = {"metadata": RUN, "retries": CUTS, "retry_delay": 0, "chunk_size": CHUNK}
        client.uploader(file_stream=stream, **options).upload()


def with_tus_js_client(url: str, headers: dict[str, str], file: Path) -> None:
    command = [*node.tus_client(), f"{url}/uploads/", str(file), json.dumps(headers), json.dumps(RUN)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def peak_memory(running: Running) -> int:
    """Of the largest process of the server so far, in bytes."""
    peaks = []
    for status in Path("/proc").glob("[0-9]*/status"):
        with suppress(OSError):
            if os.getpgid(int(status.parent.name)) == running.process.pid:
                peaks += re.findall(r"VmHWM:\s+(\d+) kB", status.read_text())
    return max(int(kibibytes) for kibibytes in peaks) * 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=int, default=1000)
    size = parser.parse_args().megabytes * MEGABYTE
    with tempfile.TemporaryDirectory(prefix="arboretum-uploads-") as name:
        folder = Path(name)
        values = {"DATA_DIR": str(folder / "data"), "UPLOAD_MAX_BYTES": str(2 * size)}
        environment = clean_environment("sharedtask.settings.embedded", values)
        make_keys(environment)
        manage("migrate", "--verbosity=0", environment=environment)
        site = live_uploads.prepare(environment, folder / "task")
        sends: dict[str, Send] = {"tuspy": with_tuspy, "tus-js-client": with_tus_js_client}
        for seed, (client, send) in enumerate(sends.items()):
            file = folder / client
            sha256 = random_file(file, size, seed=seed)
            running = start_server(environment, folder / f"{client}.log")
            began = time.monotonic()
            cuts = [size * (2 * number + 1) // (2 * CUTS) for number in range(CUTS)]
            try:
                with cutting(running.url, cuts) as proxy:
                    send(proxy.url, site.headers("alder"), file)
                seconds, peak = time.monotonic() - began, peak_memory(running)
            finally:
                running.stop()
            received = site.runs()[-1].sha256
            assert received == sha256, f"{client}: the run has SHA-256 {received}, the file {sha256}"
            print(
                f"{client}: {size / MEGABYTE:.0f} MB in {seconds:.0f} s, "
                f"{proxy.cuts} cuts, {(proxy.sent_bytes - size) / 1000:.1f} kB sent beyond the file, headers "
                f"included; largest process of the server {peak / MEGABYTE:.0f} MB; SHA-256 as expected"
            )
            file.unlink()


if __name__ == "__main__":
    main()
