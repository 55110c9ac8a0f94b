"""Task folders and gold, for organisers: a worker of the site checks them, in a job."""

from __future__ import annotations

import io
import time
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import urllib3

from ..archives.folder import folder_files, pack_files
from .connection import API, Connection
from .errors import BadRequest, TimedOut
from .submissions import new_key

Job = dict[str, Any]
RATIO = 100
WAIT_SECONDS = 1800
PAUSE_SECONDS = 1.0


def send_folder(
    connection: Connection, folder: Path, *, task: str, check: bool = False, reason: str = ""
) -> Job:
    """A job that is planned or refused."""
    query = urlencode({"task": task, "check": str(check).lower()})
    return finished(connection, send_file(connection, f"/task-folders?{query}", zip_of(folder), reason))


def import_folder(connection: Connection, folder: Path, *, task: str, reason: str) -> Job:
    job = send_folder(connection, folder, task=task, reason=reason)
    if job["state"] != "planned":
        return job
    approved: Job = connection.json("POST", f"/folder-jobs/{job['id']}/approve", key=new_key())
    return finished(connection, approved)


def export_folder(connection: Connection, task: str, file: Path, *, reason: str) -> Path:
    address = f"/tasks/{quote(task)}/folder-exports"
    # Without a key of ours: the answer has a secret, which the site must not store.
    export = connection.json("POST", address, {"reason": reason})
    job = finished(connection, export["job"])
    if job["state"] != "done":
        raise BadRequest("export-failed", f"The export ended as {job['state']}. Try again.")
    headers = {"X-Export-Key": export["key"]}
    response = connection.request("GET", f"{API}/folder-jobs/{job['id']}/zip", headers=headers, repeat=True)
    file.write_bytes(response.data)
    # It contains gold.
    file.chmod(0o600)
    return file


def replace_gold(connection: Connection, task: str, test_set: str, file: Path, *, reason: str) -> Job:
    address = f"/tasks/{quote(task)}/gold/{quote(test_set)}"
    return finished(connection, send_file(connection, address, file.read_bytes(), reason, name=file.name))


def send_file(
    connection: Connection, path: str, content: bytes, reason: str, *, name: str = "folder.zip"
) -> Job:
    fields: dict[str, str | bytes | tuple[str, str | bytes] | tuple[str, str | bytes, str]]
    fields = {"reason": reason, "file": (name, content)}
    body, content_type = urllib3.encode_multipart_formdata(fields)
    headers = {"Content-Type": content_type, "Idempotency-Key": new_key()}
    job: Job = connection.request("POST", API + path, headers=headers, body=body).json()
    return job


def finished(connection: Connection, job: Job) -> Job:
    end = time.monotonic() + WAIT_SECONDS
    while not job["is_final"]:
        if time.monotonic() > end:
            raise TimedOut("job-timed-out", f"The job {job['id']} is not finished; it goes on at the site.")
        time.sleep(PAUSE_SECONDS)
        job = connection.get(f"/folder-jobs/{job['id']}")
    return job


def zip_of(folder: Path) -> bytes:
    """Without hidden files and folders, such as those of version control; a zip is sent as it is."""
    if folder.is_file():
        return folder.read_bytes()
    files = [file for file in folder_files(folder) if not is_hidden(file.name)]
    output = io.BytesIO()
    pack_files(files, output, ratio=RATIO)
    return output.getvalue()


def is_hidden(name: str) -> bool:
    return any(part.startswith(".") for part in name.split("/"))
