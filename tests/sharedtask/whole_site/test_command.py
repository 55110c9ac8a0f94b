"""The command `arboretum` from the built wheel against a running site, as a participant uses it."""

from __future__ import annotations

import json
import re
import sqlite3
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from serve.wheel import build
from tests.machinery.command import Command, install
from tests.machinery.site import ROOT, start_server, start_worker
from tests.sharedtask.support.building import FIRST, GOLD, WRONG_HEAD, task_folder
from tests.sharedtask.support.live_command import confirm, prepare

CI = ROOT / "docs" / "ci.md"
PARSER = """#!/bin/sh
test -s "$1/de_one.txt" && mkdir "$2" && cp {gold}/*.conllu "$2"
"""


@dataclass(frozen=True, kw_only=True)
class Site:
    url: str
    data: Path
    tokens: dict[str, str]
    wheel: Path

    def select(self, query: str) -> list[tuple[Any, ...]]:
        with closing(sqlite3.connect(self.data / "db.sqlite3")) as database:
            return database.execute(query).fetchall()


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, redis_url: str, embedded_site: Any) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("command")
    environment = embedded_site(folder / "data", REDIS_URL=redis_url)
    wheel = build(ROOT, folder / "data" / "wheel")
    tokens = prepare(environment, task_folder(folder / "task"), "alder", "beech", "cedar")
    server = start_server(environment, folder / "server.log")
    worker = start_worker(environment, folder / "worker.log")
    try:
        yield Site(url=server.url, data=folder / "data", tokens=tokens, wheel=wheel)
    finally:
        worker.stop()
        server.stop()


@pytest.fixture
def arboretum(site: Site, tmp_path: Path) -> Command:
    return install(site.wheel, tmp_path / "home")


def write(folder: Path, files: dict[str, str]) -> Path:
    folder.mkdir(exist_ok=True)
    for code, text in files.items():
        (folder / f"{code}.conllu").write_text(text, encoding="utf-8")
    return folder


def read_line(process: subprocess.Popen[str], pattern: str) -> str:
    assert process.stderr is not None
    for line in process.stderr:
        if match := re.search(pattern, line):
            return match[1]
    raise AssertionError(f"no line matched {pattern}")


def test_from_nothing_to_the_standings(site: Site, arboretum: Command, tmp_path: Path) -> None:
    signing_in = arboretum.start("login", site.url, "--name", "here")
    code = read_line(signing_in, r"confirm the code (\S+)")
    assert "signed in" in confirm(site.url, "alder", code).page.lower()
    output, _ = signing_in.communicate(timeout=60)
    assert (signing_in.returncode, output) == (0, f"Signed in to {site.url} as alder.\n")
    assert json.loads(arboretum("whoami", "--json").stdout)["teams"][0]["name"] == "Alder"

    inputs = tmp_path / "inputs"
    assert arboretum("inputs", "tiny", "--output", inputs).returncode == 0
    assert (inputs / "de_one.txt").read_text(encoding="utf-8").split() == ["Der", "Hund", "schläft."]

    outputs = write(tmp_path / "outputs", {"de_one": FIRST, "en_two": WRONG_HEAD})
    checked = arboretum("check", outputs, "--task", "tiny")
    assert (checked.returncode, checked.stdout) == (0, "de_one.conllu: valid\nen_two.conllu: valid\n")

    submitted = arboretum("submit", outputs, "--task", "tiny", "--wait", "--note", "from a terminal")
    assert submitted.returncode == 0, submitted.stderr
    run = submitted.stdout.split()[0]
    assert f"{site.url}/runs/{run}/" in submitted.stdout and "83.33" in submitted.stdout
    document = json.loads(arboretum("watch", run, "--json").stdout)
    assert document["state"] == "scored" and document["receipt"]["note"] == "from a terminal"

    again = arboretum("submit", outputs, "--task", "tiny", "--quiet")
    assert (again.returncode, again.stdout) == (0, f"{run}\n") and "submitted before" in again.stderr
    once_more = arboretum("submit", outputs, "--task", "tiny", "--quiet", "--again").stdout.strip()
    assert arboretum("runs", "tiny", "--quiet").stdout.split() == [once_more, run]
    assert arboretum("withdraw", once_more, "--reason", "the same").returncode == 0

    results = wait_for_results(arboretum)
    assert results["items"][0]["team"] == "Alder" and results["metric"] == "LAS"
    table = arboretum("results", "tiny").stdout.splitlines()
    assert table[0].split()[:4] == ["rank", "team", "system", "LAS"] and table[-1] == results["signature"]
    assert arboretum("results", "tiny", "--format", "latex").stdout.startswith("% arboretum|")
    assert "LAS_low" in arboretum("results", "tiny", "--format", "csv").stdout.splitlines()[0]

    # The offline part of the same command gives the counts and the signature of the server.
    gold = write(tmp_path / "gold", GOLD)
    rows = site.select(
        "SELECT sets.code, score.counts, score.signature FROM submissions_score score"
        " JOIN submissions_runfile file ON file.id = score.file_id"
        " JOIN competition_testset sets ON sets.id = file.test_set_id"
        f" JOIN submissions_run run ON run.id = file.run_id WHERE run.public_id = '{run}'"
    )
    assert len(rows) == 2
    for test_set, counts, signature in rows:
        files = [folder / f"{test_set}.conllu" for folder in (gold, outputs)]
        scored = json.loads(arboretum("score", *files, "--profile", "conll17", "--json").stdout)
        assert scored["signature"] == signature
        for metric, numbers in json.loads(counts).items():
            assert {name: scored["metrics"][metric][name] for name in numbers} == numbers

    assert arboretum("logout").returncode == 0
    assert arboretum("runs", "tiny").returncode == 4


def wait_for_results(arboretum: Command) -> dict[str, Any]:
    """Standings are computed after the run is scored."""
    for _ in range(120):
        done = arboretum("results", "tiny", "--json")
        if done.returncode == 0:
            document: dict[str, Any] = json.loads(done.stdout)
            return document
        time.sleep(0.5)
    raise AssertionError(done.stderr)


def test_invalid_files_are_reported_in_the_words_of_the_server(
    site: Site, arboretum: Command, tmp_path: Path
) -> None:
    outputs = write(
        tmp_path / "outputs", {"de_one": FIRST.replace("\t3\tnsubj", "\t9\tnsubj"), "en_two": FIRST}
    )
    here = {"ARBORETUM_SITE": site.url, "ARBORETUM_TOKEN": site.tokens["beech"]}
    checked = arboretum("check", outputs, "--task", "tiny", "--json", **here)
    submitted = arboretum("submit", outputs, "--task", "tiny", "--wait", "--json", **here)
    assert (checked.returncode, submitted.returncode) == (1, 1)
    at_home = json.loads(checked.stdout)["files"]
    at_the_site = json.loads(submitted.stdout)["files"]
    assert [file["state"] for file in at_home] == ["invalid", "invalid"]
    assert [{name: file[name] for name in at_home[0]} for file in at_the_site] == at_home

    (outputs / "notes.txt").write_text("x")
    refused = json.loads(arboretum("check", outputs, "--task", "tiny", "--json", **here).stdout)["refusal"]
    submitted = arboretum("submit", outputs, "--task", "tiny", "--wait", "--json", **here)
    assert submitted.returncode == 1
    assert json.loads(submitted.stdout)["receipt"]["refusal"] == refused


def github_steps() -> list[str]:
    (snippet,) = re.findall(r"^```yaml\n(name:.*?)^```", CI.read_text(encoding="utf-8"), re.M | re.S)
    return [step["run"] for step in yaml.safe_load(snippet)["jobs"]["submit"]["steps"] if "run" in step]


def gitlab_steps() -> list[str]:
    (snippet,) = re.findall(r"^```yaml\n(submit:.*?)^```", CI.read_text(encoding="utf-8"), re.M | re.S)
    steps: list[str] = yaml.safe_load(snippet)["submit"]["script"]
    return steps


@pytest.mark.parametrize("steps", [github_steps(), gitlab_steps()], ids=["github", "gitlab"])
def test_the_steps_of_a_ci_job_run(site: Site, arboretum: Command, tmp_path: Path, steps: list[str]) -> None:
    install_step, *others = (step.replace(" demo", " tiny").replace("VERSION", "1.0.0") for step in steps)
    address = re.fullmatch(r'pip install "\$ARBORETUM_SITE(\S+)"', install_step)
    assert address is not None and address[1].endswith(site.wheel.name)
    # Installed already; what pip would get is the wheel.
    with urllib.request.urlopen(site.url + address[1], timeout=30) as answer:
        assert answer.read() == site.wheel.read_bytes()
    work = tmp_path / "work"
    work.mkdir()
    (work / "parse").write_text(PARSER.format(gold=write(tmp_path / "gold", GOLD)))
    (work / "parse").chmod(0o755)
    environment = {
        **arboretum.environment,
        "PATH": f"{arboretum.program.parent}:/usr/bin:/bin",
        "ARBORETUM_SITE": site.url,
        "ARBORETUM_TOKEN": site.tokens["cedar"],
        "GITHUB_SHA": "0123abc",
        "CI_COMMIT_SHA": "0123abc",
    }
    assert len(others) == 4
    for step in others:
        done = subprocess.run(
            ["sh", "-ec", step], cwd=work, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{step}: {done.stdout}{done.stderr}"
    assert "100.00" in done.stdout
