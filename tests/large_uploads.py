"""A gigabyte through five cuts of the connection, with both real clients: `make uploads`.

First one run after the other, then two images of two teams at the same time, which are checked afterwards.
Prints for each client how long it took, what was sent twice, and how much memory the server needed. The suite
does the same with 20 MB (`tests/sharedtask/uploads/test_clients.py`).
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import subprocess
import tarfile
import tempfile
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from tusclient.client import TusClient

from tests.machinery import node
from tests.machinery.cutting import cutting
from tests.machinery.site import Running, clean_environment, make_keys, manage, start_server
from tests.sharedtask.support import live_uploads
from tests.sharedtask.support.live_uploads import LiveSite, random_file
from tests.sharedtask.support.tus import RUN

MEGABYTE = 1_000_000
CUTS = 5
CHUNK = 64 * MEGABYTE
"""Of tuspy, which reads a chunk into memory before it sends it."""
SYSTEMS = """
SELECT system.public_id FROM teams_system system JOIN teams_team team ON team.id = system.team_id
WHERE team.name = ?
"""
IMAGES = """
SELECT image.state, image.refusal FROM software_storedimage image
JOIN teams_team team ON team.id = image.team_id WHERE team.name = ?
"""
CHECK_IMAGES = """
import hashlib
from sharedtask.core import storage
from sharedtask.software.kinds import CheckImage
from sharedtask.software.models import StoredImage
from sharedtask.work.perform import perform
for image in StoredImage.objects.select_related("team"):
    with storage.open_stream(image.upload) as stream:
        print("RECEIVED", image.team.name, hashlib.file_digest(stream, "sha256").hexdigest())
perform(CheckImage(), list(StoredImage.objects.values_list("public_id", flat=True)))
"""

Send = Callable[[str, dict[str, str], Path, Mapping[str, str]], None]


@dataclass(frozen=True, kw_only=True)
class Sent:
    seconds: float
    cuts: int
    surplus_bytes: int

    def __str__(self) -> str:
        return (
            f"{self.seconds:.0f} s, {self.cuts} cuts, "
            f"{self.surplus_bytes / 1000:.1f} kB sent beyond the file, headers included"
        )


def with_tuspy(url: str, headers: dict[str, str], file: Path, metadata: Mapping[str, str]) -> None:
    client = TusClient(f"{url}/uploads/", headers=headers)
    with file.open("rb") as stream:
        options = {"metadata": dict(metadata), "retries": CUTS, "retry_delay": 0, "chunk_size": CHUNK}
        client.uploader(file_stream=stream, **options).upload()


def with_tus_js_client(url: str, headers: dict[str, str], file: Path, metadata: Mapping[str, str]) -> None:
    command = [*node.tus_client(), f"{url}/uploads/", str(file), json.dumps(headers), json.dumps(metadata)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


SENDS: dict[str, Send] = {"tuspy": with_tuspy, "tus-js-client": with_tus_js_client}


def send_with_cuts(
    send: Send, server: Running, headers: dict[str, str], file: Path, metadata: Mapping[str, str]
) -> Sent:
    size = file.stat().st_size
    cuts = [size * (2 * number + 1) // (2 * CUTS) for number in range(CUTS)]
    began = time.monotonic()
    with cutting(server.url, cuts) as proxy:
        send(proxy.url, headers, file, metadata)
        return Sent(seconds=time.monotonic() - began, cuts=proxy.cuts, surplus_bytes=proxy.sent_bytes - size)


def peak_memory(running: Running) -> int:
    """Of the largest process of the server so far, in bytes."""
    peaks = []
    for status in Path("/proc").glob("[0-9]*/status"):
        with suppress(OSError):
            if os.getpgid(int(status.parent.name)) == running.process.pid:
                peaks += re.findall(r"VmHWM:\s+(\d+) kB", status.read_text())
    return max(int(kibibytes) for kibibytes in peaks) * 1024


def large_image(path: Path, size: int, seed: int) -> str:
    """An image with one file of random bytes, as `docker save` would write it. Returns its SHA-256."""
    content, layer = path.with_suffix(".content"), path.with_suffix(".layer")
    random_file(content, size, seed=seed)
    with tarfile.open(layer, "w") as tar:
        tar.add(content, "model")
    with layer.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    config = {
        "architecture": "amd64",
        "os": "linux",
        "config": {"Cmd": ["/model"]},
        "rootfs": {"type": "layers", "diff_ids": [f"sha256:{digest}"]},
    }
    documents = {
        "config.json": config,
        "manifest.json": [{"Config": "config.json", "RepoTags": ["x:1"], "Layers": ["layer.tar"]}],
    }
    with tarfile.open(path, "w") as tar:
        tar.add(layer, "layer.tar")
        for name, document in documents.items():
            file = path.with_suffix(".json")
            file.write_text(json.dumps(document))
            tar.add(file, name)
    for file in (content, layer, path.with_suffix(".json")):
        file.unlink()
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def send_runs(site: LiveSite, folder: Path, size: int) -> None:
    for seed, (client, send) in enumerate(SENDS.items()):
        file = folder / client
        sha256 = random_file(file, size, seed=seed)
        server = start_server(site.environment, folder / f"{client}.log")
        try:
            sent = send_with_cuts(send, server, site.headers("alder"), file, RUN)
            peak = peak_memory(server)
        finally:
            server.stop()
        received = site.runs()[-1].sha256
        assert received == sha256, f"{client}: the run has SHA-256 {received}, the file {sha256}"
        print(
            f"{client}: {size / MEGABYTE:.0f} MB in {sent}; largest process of the server "
            f"{peak / MEGABYTE:.0f} MB; SHA-256 as expected",
            flush=True,
        )
        file.unlink()


def send_images_at_once(site: LiveSite, folder: Path, size: int) -> None:
    """Alder with one client, Beech with the other."""
    files = {team: folder / team for team in ("Alder", "Beech")}
    hashes = {
        team: large_image(file, size, seed=10 + index) for index, (team, file) in enumerate(files.items())
    }
    server = start_server(site.environment, folder / "images.log")
    try:
        with ThreadPoolExecutor(len(files)) as pool:
            jobs = {
                (team, client): pool.submit(
                    send_with_cuts,
                    send,
                    server,
                    site.headers(team.lower()),
                    files[team],
                    image_of(site, team),
                )
                for team, (client, send) in zip(files, SENDS.items(), strict=True)
            }
        peak = peak_memory(server)
    finally:
        server.stop()
    began = time.monotonic()
    printed = manage("shell", "-c", CHECK_IMAGES, environment=site.environment)
    seconds = time.monotonic() - began
    received = dict(re.findall(r"RECEIVED (\w+) (\w+)", printed))
    assert received == hashes, f"received {received}, sent {hashes}"
    for (team, client), job in jobs.items():
        ((state, refusal),) = site.select(IMAGES, team)
        assert state == "ready", f"{team}: {state}, {refusal}"
        print(f"image of {team} ({client}), both at once: {size / MEGABYTE:.0f} MB in {job.result()}")
    print(
        f"largest process of the server {peak / MEGABYTE:.0f} MB; both SHA-256 as expected; "
        f"both images checked and stored in {seconds:.0f} s"
    )


def image_of(site: LiveSite, team: str) -> dict[str, str]:
    ((system,),) = site.select(SYSTEMS, team)
    return {"purpose": "image", "system": system, "filename": "image.tar"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=int, default=1000)
    size = parser.parse_args().megabytes * MEGABYTE
    with tempfile.TemporaryDirectory(prefix="arboretum-uploads-") as name:
        folder = Path(name)
        values = {"DATA_DIR": str(folder / "data"), "UPLOAD_MAX_BYTES": str(2 * size), "AIRLOCK": "on"}
        environment = clean_environment("sharedtask.settings.embedded", values)
        make_keys(environment)
        manage("migrate", "--verbosity=0", environment=environment)
        site = live_uploads.prepare(environment, folder / "task")
        send_runs(site, folder, size)
        send_images_at_once(site, folder, size)


if __name__ == "__main__":
    main()
