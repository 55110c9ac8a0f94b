"""What goes wrong between the command and a site: one line, the right exit code, nothing lost or doubled.

The site has no worker, so that runs stay as they were received.
"""

from __future__ import annotations

import random
import re
import signal
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import yaml

from evaluation.cli import main
from evaluation.client.client import Client
from serve.wheel import build
from tests.machinery.command import Command, install
from tests.machinery.cutting import cutting
from tests.machinery.ports import free_port
from tests.machinery.site import ROOT, Running, manage, start_server
from tests.sharedtask.support.building import FIRST, GOLD, task_folder

PREPARE = """
from datetime import timedelta
from pathlib import Path
from sharedtask.accounts import tokens
from sharedtask.accounts.models import AccessToken
from sharedtask.core import clock
from sharedtask.folders.load_task import load_task
from sharedtask.teams.register import register
from tests.sharedtask.support.people import person
at = clock.database_now()
alder, beech = person("alder"), person("beech")
for folder in {folders!r}:
    task = load_task(Path(folder))
    register(task=task, name="Alder", members=[alder], confirmed=True)
    if task.slug == "blind":
        register(task=task, name="Beech", members=[beech], confirmed=False)
made = {{
    "good": (alder, ["read", "submit"]),
    "reading": (alder, ["read"]),
    "revoked": (alder, ["read", "submit"]),
    "expired": (alder, ["read", "submit"]),
    "unconfirmed": (beech, ["read", "submit"]),
}}
for name, (user, scopes) in made.items():
    new = tokens.create_token(user=user, name=name, scopes=scopes, days=1, at=at)
    print("TOKEN " + name + " " + new.secret)
tokens.revoke(AccessToken.objects.get(name="revoked"), at=at)
AccessToken.objects.filter(name="expired").update(expires_at=at - timedelta(seconds=1))
"""
MEBIBYTE = 1024 * 1024


@dataclass(frozen=True, kw_only=True)
class Site:
    url: str
    environment: Mapping[str, str]
    tokens: Mapping[str, str]
    wheel: Path

    def token(self, name: str) -> dict[str, str]:
        return {"ARBORETUM_SITE": self.url, "ARBORETUM_TOKEN": self.tokens[name]}


def changed(folder: Path, **values: Any) -> Path:
    """The task folder with other values of its phase."""
    task = yaml.safe_load((folder / "task.yaml").read_text(encoding="utf-8"))
    task["phases"][0].update(values)
    (folder / "task.yaml").write_text(yaml.safe_dump(task), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, redis_url: str, embedded_site: Any) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("failures")
    environment = embedded_site(folder / "data", REDIS_URL=redis_url)
    closed = datetime(2026, 2, 1, tzinfo=UTC)
    folders = [
        task_folder(folder / "tiny"),
        changed(task_folder(folder / "closed", slug="closed"), closes_at=closed),
        changed(task_folder(folder / "scarce", slug="scarce"), runs_total=1),
        task_folder(folder / "blind", slug="blind", blind=True),
    ]
    code = PREPARE.format(folders=[str(path) for path in folders])
    tokens = dict(re.findall(r"TOKEN (\w+) (\S+)", manage("shell", "-c", code, environment=environment)))
    server = start_server(environment, folder / "server.log")
    try:
        yield Site(
            url=server.url, environment=environment, tokens=tokens, wheel=build(ROOT, folder / "wheel")
        )
    finally:
        server.stop()


@pytest.fixture
def arboretum(site: Site, tmp_path: Path) -> Command:
    return install(site.wheel, tmp_path / "home")


@pytest.fixture
def outputs(tmp_path: Path) -> Path:
    folder = tmp_path / "outputs"
    folder.mkdir()
    for code, text in GOLD.items():
        (folder / f"{code}.conllu").write_text(text, encoding="utf-8")
    return folder


def test_every_refusal_is_one_line_with_an_id_and_an_exit_code(
    site: Site,
    outputs: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("ARBORETUM_CONFIG", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    nobody = {"ARBORETUM_SITE": site.url}
    submit = ("submit", outputs, "--task")
    cases: list[tuple[tuple[object, ...], dict[str, str], int, str]] = [
        ((*submit, "tiny"), nobody, 4, "not-signed-in"),
        (("runs", "tiny"), nobody, 4, "token-missing"),
        ((*submit, "tiny"), {**nobody, "ARBORETUM_TOKEN": "arb_wrong"}, 4, "token-invalid"),
        ((*submit, "tiny"), site.token("revoked"), 4, "token-revoked"),
        (("runs", "tiny"), site.token("expired"), 4, "token-expired"),
        ((*submit, "tiny"), site.token("reading"), 4, "scope-missing"),
        ((*submit, "closed"), site.token("good"), 3, "phase-closed"),
        (("check", outputs, "--task", "closed"), site.token("good"), 3, "phase-closed"),
        ((*submit, "blind"), site.token("unconfirmed"), 3, "team-not-confirmed"),
        (("results", "tiny"), nobody, 3, "no-results"),
        (("results", "nothing"), nobody, 2, "not-found"),
        (("watch", "nothing"), site.token("good"), 2, "not-found"),
        (("check", outputs / "nothing", "--task", "tiny"), nobody, 2, "path-missing"),
        ((*submit, "tiny", "--phase", "nothing"), site.token("good"), 2, "upload-without-phase"),
        (("whoami", "--site", f"http://127.0.0.1:{free_port()}"), {}, 5, "site-unreachable"),
        (("whoami",), {}, 2, "site-missing"),
    ]
    expected = [(code, "", 1, f"[{id}]") for _, _, code, id in cases]
    given = []
    for words, environment, _, _ in cases:
        for name in ("ARBORETUM_SITE", "ARBORETUM_TOKEN"):
            monkeypatch.setenv(name, environment.get(name, ""))
        # In this process, where a command starts at once.
        code = main([str(word) for word in words])
        output = capsys.readouterr()
        assert output.err.startswith("arboretum: "), output.err
        lines = output.err.splitlines()
        given.append((code, output.out, len(lines), lines[-1].split()[-1]))
    assert given == expected
    monkeypatch.setenv("ARBORETUM_SITE", site.url)
    assert Client(token=site.tokens["good"]).runs("tiny") == []


def runs_of(site: Site, arboretum: Command, task: str) -> list[str]:
    return arboretum("runs", task, "--quiet", **site.token("good")).stdout.split()


def test_a_spent_quota_is_refused_and_the_same_bytes_do_not_spend_it(
    site: Site, arboretum: Command, outputs: Path
) -> None:
    first = arboretum("submit", outputs, "--task", "scarce", "--quiet", **site.token("good"))
    second = arboretum("submit", outputs, "--task", "scarce", "--quiet", **site.token("good"))
    assert (first.returncode, second.returncode) == (0, 0) and first.stdout == second.stdout
    (outputs / "de_one.conllu").write_text(FIRST.replace("det", "amod"), encoding="utf-8")
    third = arboretum("submit", outputs, "--task", "scarce", **site.token("good"))
    assert third.returncode == 3 and third.stderr.endswith("[phase-quota-used]\n")
    assert runs_of(site, arboretum, "scarce") == first.stdout.split()


def test_waiting_ends_in_time_or_by_an_interruption(site: Site, arboretum: Command, outputs: Path) -> None:
    words = ("submit", outputs, "--task", "tiny", "--wait", "--timeout", "0.5", "--json")
    timed_out = arboretum(*words, **site.token("good"))
    assert timed_out.returncode == 6 and timed_out.stderr.endswith("[wait-timed-out]\n")
    assert '"id": "wait-timed-out"' in timed_out.stdout
    (run,) = runs_of(site, arboretum, "tiny")
    assert run in timed_out.stderr
    watching = arboretum.start("watch", run, **site.token("good"))
    time.sleep(2)
    watching.send_signal(signal.SIGINT)
    output, errors = watching.communicate(timeout=60)
    advice = "arboretum: Interrupted. The run goes on; the same command waits again.\n"
    assert (watching.returncode, output, errors) == (130, "", advice)


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """Something that takes a while to send; without a worker nobody looks inside."""
    (tmp_path / "run.zip").write_bytes(random.Random(5).randbytes(6 * MEBIBYTE))
    return tmp_path / "run.zip"


def wait_until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_an_upload_survives_cuts_and_a_restart_of_the_server(
    site: Site, arboretum: Command, archive: Path, tmp_path: Path
) -> None:
    before = runs_of(site, arboretum, "tiny")
    first = start_server(site.environment, tmp_path / "first.log")
    second: Running | None = None
    with cutting(first.url, [1 * MEBIBYTE, 2 * MEBIBYTE, 4 * MEBIBYTE], away_after=2) as proxy:
        words = ("submit", archive, "--task", "tiny", "--quiet")
        sending = arboretum.start(*words, **site.token("good") | {"ARBORETUM_SITE": proxy.url})
        try:
            wait_until(lambda: proxy.is_away)
            first.stop()
            second = start_server(site.environment, tmp_path / "second.log")
            proxy.continue_at(second.url)
            output, errors = sending.communicate(timeout=240)
        finally:
            sending.kill()
            first.stop()
            if second is not None:
                second.stop()
        assert sending.returncode == 0, errors
        assert proxy.cuts == 3
        # What was acknowledged is not sent again: little more than the file itself.
        assert proxy.sent_bytes < archive.stat().st_size + 3 * MEBIBYTE
    assert runs_of(site, arboretum, "tiny") == [output.strip(), *before]


def test_a_client_that_was_killed_continues_where_it_stopped(
    site: Site, arboretum: Command, archive: Path
) -> None:
    archive.write_bytes(archive.read_bytes()[::-1])
    before = runs_of(site, arboretum, "tiny")
    with cutting(site.url, [3 * MEBIBYTE]) as proxy:
        words = ("submit", archive, "--task", "tiny", "--quiet")
        environment = site.token("good") | {"ARBORETUM_SITE": proxy.url}
        killed = arboretum.start(*words, **environment)
        wait_until(lambda: proxy.cuts == 1)
        killed.kill()
        killed.communicate()
        sent = proxy.sent_bytes
        done = arboretum(*words, **environment)
        assert done.returncode == 0, done.stderr
        assert proxy.sent_bytes - sent < 4 * MEBIBYTE
    assert runs_of(site, arboretum, "tiny") == [done.stdout.strip(), *before]
