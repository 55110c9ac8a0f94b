"""Task folders and gold, for organisers: a worker of the site checks them, in a job."""

from __future__ import annotations

import io
import secrets
import time
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

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
        raise BadRequest("export-failed", f"The export ended in the state “{job['state']}”. Try again.")
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
    body, content_type = multipart(reason, name, content)
    headers = {"Content-Type": content_type, "Idempotency-Key": new_key()}
    job: Job = connection.request("POST", API + path, headers=headers, body=body).json()
    return job


def multipart(reason: str, name: str, content: bytes) -> tuple[bytes, str]:
    """The body of a form with a file, and its type. Names are escaped as browsers do it."""
    boundary = secrets.token_hex(16)
    for character, escaped in (('"', "%22"), ("\r", "%0D"), ("\n", "%0A")):
        name = name.replace(character, escaped)
    start = (
        f'--{boundary}\r\nContent-Disposition: form-data; name="reason"\r\n\r\n{reason}\r\n'
        f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n'
        "Content-Type: application/octet-stream\r\n\r\n"
    )
    body = start.encode() + content + f"\r\n--{boundary}--\r\n".encode()
    return body, f"multipart/form-data; boundary={boundary}"


def finished(connection: Connection, job: Job) -> Job:
    end = time.monotonic() + WAIT_SECONDS
    while not job["is_final"]:
        if time.monotonic() > end:
            raise TimedOut("job-timed-out", f"The job {job['id']} is not finished; it continues on the site.")
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
