"""`Client`: everything that a person or a program can do with a site, one method per verb.

    from arboretum import Client

    client = Client("https://tasks.example.org")
    pandas.DataFrame(client.standings("demo"))

Methods return what the API returns (docs/api.md), as dictionaries and lists, and raise `ClientError`.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from ..archives.folder import pack
from . import configuration, inputs, organising, resumable, software, submissions
from .connection import Connection
from .errors import BadRequest, Refused, SiteUnavailable, TimedOut, of_problem
from .image_archives import is_image
from .rules import fetch_rules, limits_of
from .verdict import Rules, Verdict, check, is_archive

Document = dict[str, Any]
Progress = Callable[[int, int], None]
POLL_SECONDS = 25
"""How long one request waits for news of a run."""
SHORT_PAUSE_SECONDS = 1.0
NOT_FOUND = 404
RESTART_ATTEMPTS, RESTART_PAUSE_SECONDS = 6, 10.0


def no_progress(done: int, total: int) -> None:
    pass


class Client:
    """Of one site: by its name or address, or the site that one signed in to last."""

    def __init__(self, site: str = "", *, token: str = "") -> None:
        chosen = configuration.load().find(site)
        self.site = replace(chosen, token=token) if token else chosen
        self.connection = Connection(self.site)

    # What everybody may read.

    def about(self) -> Document:
        """Name, version and limits of the site."""
        return self._get("/site")

    def tasks(self) -> list[Document]:
        return self.connection.items("/tasks")

    def task(self, task: str) -> Document:
        return self._get(f"/tasks/{quote(task)}")

    def phases(self, task: str) -> list[Document]:
        """With the times that hold for your team."""
        return self.connection.items(f"/tasks/{quote(task)}/phases")

    def inputs(self, task: str) -> list[Document]:
        """The files that are released: test set, name, size, SHA-256 and address."""
        return self.connection.items(f"/tasks/{quote(task)}/inputs")

    def download_inputs(self, task: str, folder: Path | str, progress: Progress = no_progress) -> list[Path]:
        return inputs.download_all(self.connection, self.inputs(task), Path(folder), progress)

    def standings(
        self,
        task: str,
        *,
        phase: str = "",
        track: str = "",
        ranking: str = "",
        metric: str = "",
        group: str = "",
    ) -> list[Document]:
        """One flat record per system, best first; `pandas.DataFrame` takes the list as it is."""
        document = self.leaderboard(
            task, phase=phase, track=track, ranking=ranking, metric=metric, group=group
        )
        return [flat_record(item) for item in document["items"]]

    def leaderboard(
        self,
        task: str,
        *,
        phase: str = "",
        track: str = "",
        ranking: str = "",
        metric: str = "",
        group: str = "",
    ) -> Document:
        """The same with its signature and what was chosen."""
        query = {"phase": phase, "track": track, "ranking": ranking, "metric": metric, "group": group}
        try:
            return self._get(f"/tasks/{quote(task)}/standings", **query)
        except BadRequest as error:
            if error.status != NOT_FOUND:
                raise
        # Raises the error again if there is no such task.
        codes = [str(item["code"]) for item in self.phases(task)]
        if phase and phase not in codes:
            raise BadRequest("phase-unknown", f"The task has no phase {phase!r}, only {', '.join(codes)}.")
        there = "for this choice of phase, track and ranking" if phase or track or ranking else "yet"
        raise Refused("no-results", f"No results of this task are visible to you {there}.")

    # Before sending.

    def check(
        self,
        path: Path | str,
        task: str,
        *,
        phase: str = "",
        track: str = "",
        progress: Progress = no_progress,
    ) -> Verdict:
        """The verdict of the site on a folder, an archive or a .conllu file; nothing is sent."""
        existing = existing_path(path)
        return check(existing, self.rules(task, phase=phase, track=track), progress)

    def rules(self, task: str, *, phase: str = "", track: str = "") -> Rules:
        """What a verdict depends on; inputs are downloaded once and kept in the cache of this machine."""
        return fetch_rules(self.connection, task, phase=phase, track=track)

    # Sending.

    def submit(
        self,
        path: Path | str,
        task: str,
        *,
        phase: str = "",
        track: str = "",
        system: str = "",
        note: str = "",
        again: bool = False,
        progress: Progress = no_progress,
    ) -> Document:
        """Send a folder, an archive or a container image; continue if that was interrupted before.

        Returns `id` and `url` of what has become of it, and `is_new`: False if the same bytes had been
        submitted before, which are not sent again unless `again` is set.
        """
        existing = existing_path(path)
        purpose = "image" if is_image(existing) else "run"
        # Only an image has to name its system.
        id = self.system_id(task, system) if system or purpose == "image" else ""
        fields = {"phase": phase, "track": track, "system": id, "note": note}
        metadata = {"purpose": purpose, "task": task, **fields}
        with self._packed(existing) as (file, name):
            try:
                return self._send(file, {**metadata, "filename": name}, again=again, progress=progress)
            except BadRequest as error:
                if error.id != "upload-without-phase":
                    raise
                # Their codes, which the page of the site offers as choices.
                codes = {str(item["phase"]): None for item in self.quota(task) if item["is_open"]}
                raise error.with_advice(f"Open for you now: {', '.join(codes) or 'none'}.") from error

    def _send(self, file: Path, metadata: Mapping[str, str], *, again: bool, progress: Progress) -> Document:
        print_of = submissions.fingerprint(self.site, metadata, submissions.sha256_of(file))
        record = None if again else submissions.find(print_of)
        if record is not None and record.receipt:
            return self._receipt(record, metadata["purpose"], is_new=False)
        if record is None:
            record = submissions.begin(print_of)
        if record.upload and not self._upload_exists(record.upload):
            record = submissions.begin(print_of)
        if not record.upload:
            upload = resumable.create(self.connection, file, metadata, key=record.key)
            record = replace(record, upload=upload)
            submissions.remember(print_of, record)
        receipt = resumable.send(self.connection, record.upload, file, progress)
        record = replace(record, receipt=receipt)
        submissions.remember(print_of, record)
        return self._receipt(record, metadata["purpose"], is_new=True)

    def _upload_exists(self, upload: str) -> bool:
        """An upload that was begun too long ago has been removed."""
        try:
            resumable.where(self.connection, upload)
        except BadRequest:
            return False
        return True

    def _receipt(self, record: submissions.Record, purpose: str, *, is_new: bool) -> Document:
        """An image has the id of its upload, and no page of its own."""
        page = urlsplit(record.receipt).path
        path = urlsplit(record.upload).path if purpose == "image" else page
        id = path.rstrip("/").rsplit("/", 1)[-1]
        return {"id": id, "url": self.site.url + page, "purpose": purpose, "is_new": is_new}

    @contextmanager
    def _packed(self, path: Path) -> Iterator[tuple[Path, str]]:
        """A folder as a temporary archive, which is the same for the same files."""
        if is_archive(path):
            yield path, path.name
            return
        limits = limits_of(self._get("/site"))
        with tempfile.TemporaryDirectory(prefix="arboretum-") as folder:
            archive = Path(folder) / "run.zip"
            with archive.open("w+b") as output:
                pack(path, output, ratio=limits.ratio)
            yield archive, f"{path.resolve().name}.zip"

    # After sending.

    def image(self, image: str) -> Document:
        """An image of your team, and its executions."""
        return self._get(f"/images/{quote(image)}")

    def run_of_image(
        self,
        image: str,
        *,
        phase: str = "",
        track: str = "",
        timeout: float | None = None,
        on_change: Callable[[Document], None] = lambda document: None,
    ) -> str:
        """Wait until the image has been executed in the phase; the id of the run that has come of it."""
        return software.run_of_image(
            self.connection, image, phase=phase, track=track, timeout=timeout, on_change=on_change
        )

    def runs(self, task: str) -> list[Document]:
        """Of your team; organisers get those of all teams."""
        return self.connection.items(f"/tasks/{quote(task)}/runs")

    def run(self, run: str) -> Document:
        return self._get(f"/runs/{quote(run)}")

    def wait(
        self, run: str, *, timeout: float | None = None, on_change: Callable[[Document], None] | None = None
    ) -> Document:
        """Wait until the run is finished; `TimedOut` if that takes longer than `timeout` seconds."""
        end = None if timeout is None else time.monotonic() + timeout
        document = self.run(run)
        while True:
            if on_change is not None:
                on_change(document)
            if document["is_final"]:
                return document
            left = POLL_SECONDS if end is None else end - time.monotonic()
            if left <= 0:
                raise TimedOut(
                    "wait-timed-out",
                    f"Run {run} is not finished after {timeout:g} seconds; it continues on the site. "
                    f"`arboretum watch {run}` waits again.",
                )
            wait = max(1, min(POLL_SECONDS, int(left)))
            news = self._news(run, after=document["version"], wait=wait)
            document = news["run"]
            if not news["changed"]:
                # At once if too many are waiting at the site.
                time.sleep(SHORT_PAUSE_SECONDS)

    def _news(self, run: str, *, after: str, wait: int) -> Document:
        """Patient while the site restarts: the run goes on afterwards."""
        for _ in range(RESTART_ATTEMPTS):
            try:
                return self._get(f"/runs/{quote(run)}/events", after=after, wait=wait)
            except SiteUnavailable:
                time.sleep(RESTART_PAUSE_SECONDS)
        return self._get(f"/runs/{quote(run)}/events", after=after, wait=wait)

    def log(self, run: str) -> Document:
        """What a team may see of the log of its software."""
        return self._get(f"/runs/{quote(run)}/log")

    def mark_official(self, run: str) -> Document:
        return self._write("POST", f"/runs/{quote(run)}/official")

    def unmark_official(self, run: str) -> Document:
        return self._write("DELETE", f"/runs/{quote(run)}/official")

    def withdraw(self, run: str, *, reason: str = "") -> Document:
        return self._write("POST", f"/runs/{quote(run)}/withdraw", {"reason": reason} if reason else {})

    def annotate(self, run: str, note: str) -> Document:
        return self._write("PATCH", f"/runs/{quote(run)}", {"note": note})

    def quota(self, task: str) -> list[Document]:
        """Of your team, one record per phase."""
        return list(self._get(f"/tasks/{quote(task)}/quota")["items"])

    # Organisers.

    def teams(self, task: str) -> list[Document]:
        return self.connection.items(f"/tasks/{quote(task)}/teams")

    def confirm_team(self, task: str, team: str, *, reason: str = "") -> Document:
        document = {"reason": reason} if reason else {}
        return self._write("POST", f"/tasks/{quote(task)}/teams/{quote(team)}/confirm", document)

    def grant_quota(self, task: str, team: str, *, phase: str, runs: int, reason: str) -> Document:
        document = {"phase": phase, "runs": runs, "reason": reason}
        return self._write("POST", f"/tasks/{quote(task)}/teams/{quote(team)}/quota", document)

    def check_folder(self, folder: Path | str, *, task: str = "") -> Document:
        """What an import of the task folder would do, or its problems; nothing is changed."""
        return organising.send_folder(self.connection, existing_path(folder), task=task, check=True)

    def import_folder(self, folder: Path | str, *, reason: str, task: str = "") -> Document:
        """Plan the import and apply the plan; without `task`, a new task is created."""
        path = existing_path(folder)
        return organising.import_folder(self.connection, path, task=task, reason=reason)

    def export_folder(self, task: str, file: Path | str, *, reason: str) -> Path:
        """The task as a zip, with gold."""
        return organising.export_folder(self.connection, task, Path(file), reason=reason)

    def replace_gold(self, task: str, test_set: str, file: Path | str, *, reason: str) -> Document:
        """A corrected file becomes a version that is not in force; the page Gold compares its scores."""
        path = existing_path(file)
        return organising.replace_gold(self.connection, task, test_set, path, reason=reason)

    def rescore(self, task: str, *, reason: str) -> Document:
        """Retry runs that failed because of a server error."""
        return self._write("POST", f"/tasks/{quote(task)}/rescore", {"reason": reason})

    def readiness(self, task: str) -> list[Document]:
        """What can be published, and what is in the way."""
        return list(self._get(f"/tasks/{quote(task)}/readiness")["items"])

    def publish(
        self, task: str, *, reason: str, note: str = "", rankings: Sequence[str] | None = None
    ) -> Document:
        document = {"reason": reason, "note": note, "rankings": rankings}
        return self._write("POST", f"/tasks/{quote(task)}/publish", document)

    # Account.

    def whoami(self) -> Document:
        return self._get("/me")

    def system_id(self, task: str, system: str = "") -> str:
        """Of the system of your team with this name or id; by default the primary one."""
        systems = [
            item for team in self.whoami()["teams"] if team["task"] == task for item in team["systems"]
        ]
        if not systems:
            raise of_problem(403, "upload-without-team", "You are not on a team for this task.")
        for item in systems:
            if system in (item["id"], item["name"]) or (not system and item["is_primary"]):
                return str(item["id"])
        known = ", ".join(f"{item['name']} ({item['id']})" for item in systems)
        raise BadRequest("upload-without-system", f"Your team has no system {system!r}, only {known}.")

    def logout(self) -> None:
        """Revoke the token that is used."""
        self._write("DELETE", "/me/token")

    def _get(self, path: str, **query: Any) -> Document:
        document: Document = self.connection.get(path, **query)
        return document

    def _write(self, method: str, path: str, document: Document | None = None) -> Document:
        """With a new key each time, under which the connection may repeat the request."""
        answer: Document = self.connection.json(method, path, document, key=submissions.new_key())
        return answer


def flat_record(item: Document) -> Document:
    """The figures of a metric become columns: `LAS`, `LAS_low`, `LAS_high`."""
    record = {name: value for name, value in item.items() if not isinstance(value, Mapping)}
    for name, figure in item["figures"].items():
        record |= {name: figure["f1"], f"{name}_low": figure["low"], f"{name}_high": figure["high"]}
    return record


def existing_path(path: Path | str) -> Path:
    if not Path(path).exists():
        raise BadRequest("path-missing", f"There is no file or folder {str(path)!r}.")
    return Path(path)
