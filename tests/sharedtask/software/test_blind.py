"""What software reads, writes and prints on inputs that are not public reaches nobody but organisers.

The software copies a canary from its input into its outputs, file names, log, problems and invalid lines.
Here every address of the execution and its run is searched, as are mails; `whole_site/test_crawl.py` searches
everything else that the site answers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from math import ceil
from pathlib import Path
from typing import Any

import pytest
from django.core import mail
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from evaluation import Report
from sharedtask.accounts.models import User
from sharedtask.archive.site.write import ArchiveError, write_archive
from sharedtask.competition.models import Phase
from sharedtask.core import storage
from sharedtask.software import disclosure
from sharedtask.software.brief import brief_progress
from sharedtask.software.models import Execution, SystemVersion
from sharedtask.software.release_log import release_log
from sharedtask.software.request_execution import request_execution
from sharedtask.software.stop import restart, stop_by_team
from sharedtask.software.watch import coarse
from sharedtask.submissions import check
from sharedtask.submissions.alarms.inspection import inspect_run
from sharedtask.submissions.models import Run, RunFile
from sharedtask.teams.models import Notice
from tests.machinery.site import ROOT
from tests.sharedtask.support.building import zip_of
from tests.sharedtask.support.calling import Caller
from tests.sharedtask.support.crawl import Answer, ask, found_in
from tests.sharedtask.support.scripted_engine import Script, ScriptedEngine
from tests.sharedtask.support.software import copy_secrets, version_of
from tests.sharedtask.support.worlds import (
    LATE_INPUT,
    SURPRISE,
    TEST_OPENS,
    Time,
    Variant,
    World,
    archive,
    build,
    standing_clock,
)

pytestmark = pytest.mark.django_db(transaction=True)

CANARY = "kanarienhiddenword"
"""In the input of `fi_late`, which is not released before `LATE_INPUT`."""
GOLD = "canarigoldlemma"


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> Iterator[Time]:
    with standing_clock(monkeypatch) as time:
        yield time


@pytest.fixture
def world(time: Time, dispatched: Any) -> World:
    world = build(Variant())
    Phase.objects.update(software=True)
    time.move(TEST_OPENS + timedelta(minutes=1))
    return world


@pytest.fixture
def execution(world: World, scripted: ScriptedEngine, finish: Callable[[Execution], Execution]) -> Execution:
    scripted.script = Script(
        write=copy_secrets, exit_code=1, log=f"I have read {CANARY}\n".encode(), observations=2
    )
    version = version_of(world.teams["member"])
    phase = world.task.phases.get(code="test")
    member = world.people["member"]
    assert isinstance(member, User)
    return finish(request_execution(version=version, phase=phase, by=member))


def pages(world: World, name: str, execution: Execution) -> dict[str, Answer]:
    """Every address of the execution and its run, whether a page links to it or not."""
    client = world.client(name)
    assert execution.run is not None
    run = f"/runs/{execution.run.public_id}/"
    addresses = [f"/executions/{execution.public_id}/", f"/executions/{execution.public_id}/state/"]
    addresses += [run, f"{run}state/", "/tasks/mini/team/", "/tasks/mini/team/software/", "/notices/"]
    addresses += [f"{run}files/{code}.conllu" for code in execution.codes]
    addresses += [f"{run}files/{code}/" for code in execution.codes]
    return {address: ask(client, address) for address in addresses}


def test_a_surprise_set_is_not_run_before_it_is_revealed(execution: Execution) -> None:
    assert execution.codes == ["de_one", "en_two", "fi_late"]


def test_no_byte_of_a_blind_execution_reaches_its_team(world: World, execution: Execution) -> None:
    hashes = [file["sha256"] for file in execution.outputs.values()]
    for name in ("member", "rival", "stranger", "visitor"):
        answers = pages(world, name, execution)
        for secret in (CANARY, GOLD, *hashes):
            assert found_in(secret, answers) == [], name
    organiser = pages(world, "organiser", execution)
    assert found_in(CANARY, organiser), "the search finds what is there"
    sent = [message.subject + str(message.body) for message in mail.outbox]
    sent += Notice.objects.values_list("text", flat=True)
    assert sent and not any(CANARY in text.lower() for text in sent)


def test_the_api_has_nothing_of_a_blind_execution(world: World, execution: Execution) -> None:
    assert execution.run is not None
    run, image = f"/runs/{execution.run.public_id}", execution.version.image.public_id
    paths = [f"/images/{image}", f"/executions/{execution.public_id}", run, f"{run}/log", "/tasks/mini/runs"]
    hashes = [file["sha256"] for file in execution.outputs.values()]
    for name in ("member", "rival", "stranger"):
        user = world.people[name]
        assert isinstance(user, User)
        caller = Caller(user)
        answers = {path: ask(caller.client, f"/api/v1{path}", headers=caller.headers) for path in paths}
        statuses = {answers[path].status for path in paths[:2]}
        assert statuses == ({200} if name == "member" else {404})
        for secret in (CANARY, GOLD, *hashes):
            assert found_in(secret, answers) == [], name


def test_metrics_have_nothing_of_a_blind_execution_and_there_is_no_archive_yet(
    world: World, execution: Execution, settings: Any, tmp_path: Path
) -> None:
    """Metrics are for administrators, and may be sent elsewhere."""
    settings.METRICS_TOKEN = "a token of the administrator"
    token = {"Authorization": f"Bearer {settings.METRICS_TOKEN}"}
    metrics = world.client("visitor").get("/metrics", headers=token)
    assert metrics.status_code == 200
    hashes = [file["sha256"] for file in execution.outputs.values()]
    for secret in (CANARY, GOLD, execution.public_id, *hashes):
        assert secret.encode() not in metrics.content.lower(), secret
    with pytest.raises(ArchiveError, match="not been published"):
        write_archive(world.task, tmp_path, report=lambda line: None)


def test_the_team_sees_the_state_and_where_each_output_is_invalid(world: World, execution: Execution) -> None:
    client = world.client("member")
    page = client.get(f"/executions/{execution.public_id}/").content.decode()
    assert "Ended with exit code 1: an error of the submitted software." in page
    assert "tenths of the limit" in page
    assert "1.0 s" not in page, "no exact figures"
    assert execution.run is not None
    run = client.get(f"/runs/{execution.run.public_id}/").content.decode()
    assert "head-malformed" in run and "line 4" in run
    assert client.get(f"/runs/{execution.run.public_id}/files/en_two/").status_code == 404
    assert client.get(f"/runs/{execution.run.public_id}/files/de_one.conllu").status_code == 404


def test_everything_is_shown_once_the_input_is_released(
    world: World, time: Time, execution: Execution
) -> None:
    time.move(max(LATE_INPUT, SURPRISE) + timedelta(seconds=1))
    client = world.client("member")
    assert CANARY in client.get(f"/executions/{execution.public_id}/").content.decode().lower()
    assert execution.run is not None
    output = ask(client, f"/runs/{execution.run.public_id}/files/de_one.conllu")
    assert CANARY in output.body.decode().lower()


def test_what_software_used_is_on_the_page_of_its_system_once_the_input_is_released(
    world: World, time: Time, execution: Execution
) -> None:
    address = f"/tasks/mini/systems/{execution.version.system.public_id}/"
    used = "19.1 MiB of 4 GiB"
    assert used in world.client("organiser").get(address).content.decode()
    assert used not in world.client("member").get(address).content.decode()
    time.move(max(LATE_INPUT, SURPRISE) + timedelta(seconds=1))
    assert used in world.client("member").get(address).content.decode()
    for name in ("rival", "stranger", "visitor"):
        answer = ask(world.client(name), address)
        assert used not in answer.body.decode(), "the results of the phase are not public"


def test_organisers_release_a_log_redacted(world: World, execution: Execution) -> None:
    organiser = world.people["organiser"]
    assert isinstance(organiser, User)
    release_log(execution=execution, text="I have read [removed]", by=organiser, reason="they asked")
    page = world.client("member").get(f"/executions/{execution.public_id}/").content.decode()
    assert "I have read [removed]" in page
    assert CANARY not in page.lower()
    assert world.task.audit.filter(action="release-log", reason="they asked").exists()


def test_an_upload_that_amends_a_blind_run_is_as_secret(
    world: World, execution: Execution, work: Callable[[], None]
) -> None:
    """Its inherited files come from the container."""
    assert execution.run is not None
    file = SimpleUploadedFile("run.zip", archive("en_two", lemma="alder"))
    values = {"amends": execution.run.public_id, "phase": "test", "archive": file}
    answer = world.client("member").post("/tasks/mini/upload/", values)
    assert answer.status_code == 302
    work()
    amended = Run.objects.get(origin=Run.Origin.AMENDED)
    client = world.client("member")
    for code in ("de_one", "en_two"):
        assert client.get(f"/runs/{amended.public_id}/files/{code}.conllu").status_code == 404
    assert CANARY not in client.get(f"/runs/{amended.public_id}/").content.decode().lower()


def test_how_long_a_file_takes_to_check_is_not_seen(
    world: World, scripted: ScriptedEngine, finish: Callable[[Execution], Execution], monkeypatch: Any
) -> None:
    """That is up to the software: verdicts that appear one by one would carry far more than is counted."""
    seen: list[tuple[str, int]] = []
    check_file = check.check_file

    def look_and_check(file: RunFile) -> Report:
        page = world.client("member").get(f"/runs/{file.run.public_id}/").content.decode()
        seen.append((page, page.count('class="verdict waiting"')))
        return check_file(file)

    monkeypatch.setattr(check, "check_file", look_and_check)
    scripted.script = Script(write=copy_secrets)
    member = world.people["member"]
    assert isinstance(member, User)
    phase = world.task.phases.get(code="test")
    finish(request_execution(version=version_of(world.teams["member"]), phase=phase, by=member))
    assert [waiting for _, waiting in seen] == [3, 3, 3]
    assert all("Checking: 0 of 3 files." in page for page, _ in seen)


def test_an_upload_is_not_compared_with_what_software_wrote_on_secret_inputs(
    world: World, execution: Execution, work: Callable[[], None]
) -> None:
    """The team could upload guesses until the site says that one of them is the output."""
    assert execution.run is not None
    output = execution.run.files.get(test_set__code="de_one")
    file = SimpleUploadedFile("run.zip", zip_of({"de_one.conllu": storage.read(output.output)}))
    values = {"phase": "test", "archive": file}
    assert world.client("member").post("/tasks/mini/upload/", values).status_code == 302
    work()
    guess = Run.objects.get(origin=Run.Origin.NEW, files__sha256=output.sha256)
    inspect_run(guess.public_id)
    page = world.client("member").get(f"/runs/{guess.public_id}/").content.decode()
    assert "without changes" not in page


def test_a_stopped_blind_execution_costs_quota_and_a_queued_one_does_not(
    world: World, scripted: ScriptedEngine, finish: Callable[[Execution], Execution]
) -> None:
    version = version_of(world.teams["member"])
    phase = world.task.phases.get(code="test")
    member = world.people["member"]
    assert isinstance(member, User)
    queued = request_execution(version=version, phase=phase, by=member)
    stop_by_team(execution=queued, by=member)
    queued.refresh_from_db()
    assert (queued.state, queued.uses_quota) == (Execution.State.STOPPED, False)

    running = request_execution(version=version, phase=phase, by=member)
    scripted.script = Script(
        write=copy_secrets,
        observations=10,
        during=lambda: (
            (
                Execution.objects.filter(pk=running.pk).exists()
                and not Execution.objects.get(pk=running.pk).stop_requested_at
                and stop_by_team(execution=running, by=member)
            )
            or None
        ),
    )
    running = finish(running)
    assert (running.state, running.uses_quota, running.run) == (Execution.State.STOPPED, True, None)

    starting = request_execution(version=version, phase=phase, by=member)
    Execution.objects.filter(pk=starting.pk).update(
        state=Execution.State.STARTING, stop_requested_at=TEST_OPENS
    )
    starting = finish(starting)
    assert (starting.state, starting.uses_quota) == (Execution.State.STOPPED, False), "nothing was run"

    organiser = world.people["organiser"]
    assert isinstance(organiser, User)
    scripted.script = Script(write=copy_secrets)
    again = finish(restart(execution=running, by=organiser, reason="stopped by mistake"))
    assert (again.state, again.uses_quota) == (Execution.State.DONE, True)


def observe(execution: Execution, *, minutes: float, finished: int = 0, near: bool = False) -> None:
    """As a worker records it so long after the start."""
    assert execution.started_at is not None
    at = execution.started_at + timedelta(minutes=minutes)
    progress = {"finished": finished, "near": ["memory"] if near else [], "is_stalled": False}
    execution.coarse_progress = coarse(execution, progress, at=at)


def seen(execution: Execution, *, minutes: float) -> tuple[int, str]:
    assert execution.started_at is not None
    shown = brief_progress(execution, at=execution.started_at + timedelta(minutes=minutes))
    return shown["finished"], shown["status"]


@pytest.fixture
def running(blind_version: SystemVersion) -> Execution:
    phase = blind_version.system.team.task.phases.get()
    execution = request_execution(version=blind_version, phase=phase, by=None)
    execution.started_at = execution.requested_at
    return execution


def test_the_view_of_the_team_changes_once_a_minute(running: Execution) -> None:
    assert seen(running, minutes=0.1) == (0, "working")
    observe(running, minutes=0.2, finished=1)
    observe(running, minutes=0.9, finished=2, near=True)
    assert seen(running, minutes=0.99) == (0, "working")
    assert seen(running, minutes=1) == (2, "near a limit")
    observe(running, minutes=1.5, finished=3)
    assert seen(running, minutes=1.99) == (2, "near a limit")
    assert seen(running, minutes=2) == (3, "working")


def test_it_does_not_matter_when_within_a_minute_a_worker_looks(running: Execution) -> None:
    """Software can make it wait, and the team can look as often as it likes."""
    observe(running, minutes=0.2, finished=1)
    for moment in (1.0, 1.4, 1.99):
        before = seen(running, minutes=moment)
        observe(running, minutes=moment, finished=2)
        assert seen(running, minutes=moment) == before == (1, "working")


def test_the_number_of_finished_test_sets_never_falls(running: Execution) -> None:
    """Otherwise software could write with files that it removes again."""
    for minute, finished in enumerate([2, 0, 1, 0]):
        observe(running, minutes=minute, finished=finished)
        assert seen(running, minutes=minute + 1) == (2, "working")


def test_the_view_changes_at_most_so_often(running: Execution) -> None:
    """Even if the execution takes longer than its containers may, because the platform failed."""
    views = set()
    for minute in range(3 * disclosure.MAX_REFRESHES):
        observe(running, minutes=minute, finished=minute)
        views.add(seen(running, minutes=minute + 0.5))
    assert len(views) == disclosure.MAX_REFRESHES


@pytest.mark.parametrize("status", disclosure.STATUSES)
def test_the_page_says_once_how_a_blind_execution_is_doing(
    status: str, blind_version: SystemVersion, member: User
) -> None:
    phase = blind_version.system.team.task.phases.get()
    execution = request_execution(version=blind_version, phase=phase, by=None)
    recorded = {"period": 3, "finished": 1, "status": status, "before": {}}
    started_at = execution.requested_at - timedelta(minutes=4)
    Execution.objects.update(state=Execution.State.RUNNING, started_at=started_at, coarse_progress=recorded)
    client = Client()
    client.force_login(member)
    page = client.get(execution.get_absolute_url()).content.decode().lower()
    assert {words: page.count(words) for words in disclosure.STATUSES} == {
        words: int(words == status) for words in disclosure.STATUSES
    }


@pytest.mark.parametrize("test_sets", [1, 8, 81, 200])
def test_an_execution_carries_less_than_two_thousand_bits(test_sets: int) -> None:
    assert disclosure.most_bits(test_sets) < 2_000


def test_long_executions_are_refreshed_less_often() -> None:
    for minutes in (1, 240, 241, 1440, 81 * 1440):
        refreshes = minutes / disclosure.refresh_minutes(minutes)
        assert refreshes <= disclosure.MAX_REFRESHES


def test_the_guide_says_how_many_bits_an_execution_can_carry() -> None:
    guide = " ".join((ROOT / "docs" / "software.md").read_text(encoding="utf-8").split())
    many, few = (ceil(disclosure.most_bits(test_sets)) for test_sets in (81, 8))
    assert (
        f"on 81 test sets can carry at most {many:,} bits to its team, on 8 test sets at most {few}." in guide
    )
