"""The pages about software: what is on them, for whom, and what their forms do."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from sharedtask.accounts.models import User
from sharedtask.competition.models import AuditEntry, Phase, Task
from sharedtask.software.describe import outcome_sentence, tenths
from sharedtask.software.models import Execution, ResourceGrant, StoredImage, SystemVersion
from sharedtask.software.request_execution import request_execution
from sharedtask.software.stop import restart
from sharedtask.software.versions import create_version
from sharedtask.standings.models import Standing
from sharedtask.submissions.models import Run
from sharedtask.teams.models import Team
from sharedtask.teams.register import register
from tests.sharedtask.support.building import good_archive
from tests.sharedtask.support.scripted_engine import ScriptedEngine
from tests.sharedtask.support.software import version_of

pytestmark = pytest.mark.django_db(transaction=True)

Finish = Callable[[Execution], Execution]


@pytest.fixture
def client(member: User) -> Client:
    client = Client()
    client.force_login(member)
    return client


@pytest.fixture
def organiser(task: Task) -> Client:
    user = User.objects.create_user("organiser")
    task.organisers.add(user)
    client = Client()
    client.force_login(user)
    return client


def start(client: Client, task: Task, version: SystemVersion, **values: str) -> Any:
    values = {"version": version.public_id, "phase": "open"} | values
    return client.post(f"/tasks/{task.slug}/team/software/start/", values)


def test_a_team_starts_an_execution_and_follows_it(
    client: Client, task: Task, version: SystemVersion, scripted: ScriptedEngine, finish: Finish
) -> None:
    assert b"Start an execution" in client.get(f"/tasks/{task.slug}/team/software/").content
    answer = start(client, task, version)
    execution = Execution.objects.get()
    assert answer["Location"] == execution.get_absolute_url()
    page = client.get(answer["Location"]).content.decode()
    assert "Queued: position 1." in page
    scripted.script.log = b"hello from the system"
    finish(execution)
    state = client.get(f"{answer['Location']}state/?version=old").content.decode()
    assert "Ended with exit code 0." in state
    assert "hello from the system" in state, "the input is public, so the log is the team's"
    assert "20,000,000" not in state and "MiB of 4 GiB" in state


def test_the_forms_of_an_execution_change_with_its_state_and_not_while_somebody_types(
    client: Client, task: Task, version: SystemVersion, scripted: ScriptedEngine, finish: Finish
) -> None:
    execution = request_execution(version=version, phase=task.phases.get(), by=None)
    address = f"{execution.get_absolute_url()}state/"
    page = client.get(execution.get_absolute_url()).content.decode()
    assert ">Stop</button>" in page
    assert "execution-acts" not in client.get(f"{address}?version=queued-9-").content.decode()
    finish(execution)
    state = client.get(f"{address}?version=queued-0-").content.decode()
    assert 'id="execution-acts"' in state and ">Stop</button>" not in state
    assert 'id="execution-quota" hx-swap-oob="true"' in state


def test_an_execution_that_is_being_stopped_cannot_be_stopped_again(
    client: Client, organiser: Client, task: Task, version: SystemVersion
) -> None:
    execution = request_execution(version=version, phase=task.phases.get(), by=None)
    Execution.objects.update(
        state=Execution.State.RUNNING,
        started_at=execution.requested_at,
        stop_requested_at=execution.requested_at,
        stop_reason="stopped by the team",
    )
    for viewer in (client, organiser):
        page = viewer.get(execution.get_absolute_url()).content.decode()
        assert "It is being stopped by the team." in page and ">Stop<" not in page


@pytest.mark.parametrize(
    ("outcome", "sentence"),
    [
        ({"exit_code": 0}, "Ended with exit code 0."),
        ({"exit_code": 3}, "Ended with exit code 3: an error of the submitted software."),
        ({"signal": 11}, "Ended by signal 11: an error of the submitted software."),
        (
            {"signal": 9, "limit": {"name": "memory", "value": 2**30}},
            "Ended by a limit (memory, 1 GiB): an error of the submitted software.",
        ),
        (
            {"exit_code": 0, "limit": {"name": "memory", "value": 2**30}},
            "Ended with exit code 0, but a process was killed by a limit (memory, 1 GiB): "
            "an error of the submitted software.",
        ),
        (
            {"exit_code": 0, "limit": {"name": "log bytes", "value": 2**20}},
            "Ended by a limit (log, 1 MiB): an error of the submitted software.",
        ),
    ],
)
def test_an_execution_says_how_it_ended(outcome: dict[str, Any], sentence: str) -> None:
    assert outcome_sentence(Execution(outcome=outcome)) == sentence


@pytest.mark.parametrize(
    ("used", "words"),
    [(4, "0 tenths of the limit"), (10, "1 tenth of the limit"), (1000, "10 tenths of the limit")],
)
def test_use_on_blind_data_is_given_in_tenths(used: float, words: str) -> None:
    assert tenths(used, 100) == words


def test_sizes_on_pages_have_the_units_of_the_limits(
    client: Client, task: Task, version: SystemVersion
) -> None:
    page = client.get(f"/tasks/{task.slug}/team/software/").content.decode()
    assert "at most 4 GiB" in page and "4 GiB of memory" in page and "of 20 GiB are used" in page


def test_the_organisers_page_takes_no_query_per_execution(
    organiser: Client,
    task: Task,
    version: SystemVersion,
    django_assert_max_num_queries: Any,
) -> None:
    address = f"/tasks/{task.slug}/organise/software/"
    request_execution(version=version, phase=task.phases.get(), by=None)
    with CaptureQueriesContext(connection) as one:
        organiser.get(address)
    request_execution(version=version, phase=task.phases.get(), by=None)
    with django_assert_max_num_queries(len(one)):
        page = organiser.get(address).content.decode()
    assert "Queued: position 1." in page and "Queued: position 2." in page


def test_what_software_used_is_public_with_the_scores_and_takes_no_query_per_run(
    task: Task,
    team: Team,
    version: SystemVersion,
    scripted: ScriptedEngine,
    finish: Finish,
) -> None:
    address = f"/tasks/{task.slug}/systems/{team.primary_system.public_id}/"
    visitor = Client()
    counted = []
    for _ in range(2):
        finish(request_execution(version=version, phase=task.phases.get(), by=None))
        with CaptureQueriesContext(connection) as queries:
            page = visitor.get(address).content.decode()
        counted.append(len(queries))
    assert page.count("19.1 MiB of 4 GiB") == 2 and "software, version 1" in page
    assert counted[1] <= counted[0]


def test_without_an_engine_pages_say_why_and_how_to_get_one(
    client: Client, task: Task, version: SystemVersion, settings: Any
) -> None:
    settings.AIRLOCK = False
    settings.AIRLOCK_REASON = "no engine answers"
    page = client.get(f"/tasks/{task.slug}/team/software/").content.decode()
    assert "Software cannot be run here because no engine answers." in page
    assert "deploy/README.md" in page
    assert "cannot be run here" in client.get("/software/").content.decode()
    answer = start(client, task, version)
    assert answer.status_code == 409
    assert not Execution.objects.exists()


def test_strangers_find_no_execution(task: Task, version: SystemVersion) -> None:
    execution = request_execution(version=version, phase=task.phases.get(), by=None)
    for address in ("", "state/"):
        assert Client().get(f"{execution.get_absolute_url()}{address}").status_code == 404


def test_organisers_grant_resources_with_a_reason(
    organiser: Client,
    task: Task,
    team: Team,
    version: SystemVersion,
    scripted: ScriptedEngine,
    finish: Finish,
) -> None:
    address = f"/tasks/{task.slug}/organise/software/grant/"
    values = {"team": team.public_id, "cpus": "2", "memory_megabytes": "8192"}
    assert organiser.post(address, values).status_code == 409, "without a reason"
    assert organiser.post(address, values | {"reason": "a large model"}).status_code == 302
    assert ResourceGrant.objects.get().cpus == 2
    assert AuditEntry.objects.filter(action="grant-resources").exists()
    finish(request_execution(version=version, phase=task.phases.get(), by=None))
    limits = scripted.started[0].limits
    assert (limits.cpus, limits.memory_bytes, limits.wall_seconds) == (2.0, 8192 * 2**20, 120 * 60)


def test_a_restart_has_what_was_granted_meanwhile_and_the_team_sees_what_it_has(
    client: Client,
    organiser: Client,
    task: Task,
    team: Team,
    version: SystemVersion,
    scripted: ScriptedEngine,
    finish: Finish,
) -> None:
    """As after a run that needed more memory than there was."""
    page = f"/tasks/{task.slug}/team/software/"
    assert "1 CPU, 4 GiB of memory and 120 minutes." in " ".join(client.get(page).content.decode().split())
    execution = finish(request_execution(version=version, phase=task.phases.get(), by=None))
    granted = {
        "team": team.public_id,
        "cpus": "2",
        "memory_megabytes": "8192",
        "minutes": "600",
        "reason": "x",
    }
    assert organiser.post(f"/tasks/{task.slug}/organise/software/grant/", granted).status_code == 302
    acts = f"/tasks/{task.slug}/organise/executions/{execution.public_id}/"
    for act in ("restart", "replicate"):
        assert organiser.post(f"{acts}{act}/", {"reason": "more memory"}).status_code == 302
        finish(Execution.objects.latest("pk"))
    limits = [(spec.limits.memory_bytes // 2**20, spec.limits.wall_minutes) for spec in scripted.started]
    assert limits == [(4096, 120), (8192, 600), (4096, 120)], "a replication has the limits of the first"
    assert "2 CPUs, 8 GiB of memory and 600 minutes." in " ".join(client.get(page).content.decode().split())


@pytest.mark.parametrize(("kind", "is_said"), [(Phase.Kind.DEVELOPMENT, True), (Phase.Kind.TEST, False)])
def test_only_where_a_version_is_run_at_once_it_is_said(
    kind: str, is_said: bool, client: Client, task: Task, version: SystemVersion
) -> None:
    task.phases.update(kind=kind)
    page = " ".join(client.get(f"/tasks/{task.slug}/team/software/").content.decode().split())
    assert ("A new version is run on the development data at once." in page) is is_said


@pytest.mark.parametrize(
    ("change", "verdict"),
    [
        (None, "replicated"),
        (("# text", "# another comment\n# text"), "same score, different bytes"),
        (("\tnsubj\t", "\tobj\t"), "differs"),
    ],
)
def test_an_organiser_replicates_an_execution_and_its_team_does_not_learn_the_verdict(
    organiser: Client,
    client: Client,
    task: Task,
    version: SystemVersion,
    scripted: ScriptedEngine,
    finish: Finish,
    change: tuple[str, str] | None,
    verdict: str,
) -> None:
    first = finish(request_execution(version=version, phase=task.phases.get(), by=None))
    write = scripted.script.write
    if change is not None:
        scripted.script.write = lambda inputs: {
            name: text.replace(change[0].encode(), change[1].encode()) for name, text in write(inputs).items()
        }
    address = f"/tasks/{task.slug}/organise/executions/{first.public_id}/replicate/"
    assert organiser.post(address, {"reason": "a check"}).status_code == 302
    again = finish(Execution.objects.get(repeats=first))
    assert again.comparison["verdict"] == verdict
    assert (again.run, again.uses_quota) == (None, False)
    assert verdict in organiser.get(again.get_absolute_url()).content.decode()
    page = client.get(again.get_absolute_url())
    assert page.status_code == 200
    assert verdict not in page.content.decode(), "it is computed from gold"
    restarted = finish(restart(execution=again, by=User.objects.get(username="organiser"), reason="again"))
    assert (restarted.run, restarted.repeats) == (None, first), "not a second run of the team"


def test_organisers_can_tell_apart_versions_of_several_teams(
    organiser: Client, task: Task, version: SystemVersion
) -> None:
    rival = register(task=task, name="Rowan", system=version.system.name, confirmed=True)
    version_of(rival)
    create_version(rival.primary_system, rival.images.get(), by=None)
    page = organiser.get(f"/tasks/{task.slug}/organise/software/").content.decode()
    names = re.findall(r"<option[^>]*>\s*(.*, version \d+)\s*</option>", page)
    assert sorted(names) == ["Alder: main, version 1", "Rowan: main, version 1", "Rowan: main, version 2"]


def test_a_system_of_an_earlier_task_is_on_the_board_of_both(
    organiser: Client,
    task: Task,
    blind_task: Task,
    version: SystemVersion,
    scripted: ScriptedEngine,
    finish: Finish,
) -> None:
    """The image of the one task is run on the test sets of the other."""
    user = User.objects.get(username="organiser")
    blind_task.organisers.add(user)
    Phase.objects.update(software=True)
    values = {"version": version.public_id, "reason": "for comparison"}
    address = f"/tasks/{blind_task.slug}/organise/software/earlier/"
    assert organiser.post(address, values).status_code == 302
    entered = SystemVersion.objects.get(earlier=version)
    assert entered.system.team.name == f"{version.system.team.name} ({task.title})"
    execution = finish(request_execution(version=entered, phase=blind_task.phases.get(), by=user))
    assert execution.run is not None
    board = organiser.get(f"/tasks/{blind_task.slug}/leaderboard/").content.decode()
    assert entered.system.team.name in board


def test_an_image_is_kept_once_it_was_run_and_removed_otherwise(
    client: Client, task: Task, team: Team, version: SystemVersion, stored: Callable[[str], list[str]]
) -> None:
    address = f"/tasks/{task.slug}/team/images/{version.image.public_id}/remove/"
    page = f"/tasks/{task.slug}/team/software/"
    assert address in client.get(page).content.decode()
    execution = request_execution(version=version, phase=task.phases.get(), by=None)
    assert address not in client.get(page).content.decode()
    client.post(address)
    assert len(stored("images")) == 1
    execution.delete()
    client.post(address)
    assert stored("images") == []
    assert StoredImage.objects.get().state == StoredImage.State.REMOVED


def test_a_dry_run_that_scores_otherwise_than_expected_is_an_alarm_to_both(
    client: Client,
    organiser: Client,
    task: Task,
    version: SystemVersion,
    scripted: ScriptedEngine,
    finish: Finish,
    upload: Callable[..., Run],
    work: Callable[[], None],
) -> None:
    upload(good_archive())
    work()
    execution = finish(
        request_execution(version=version, phase=task.phases.get(), by=None, declared_score=1.0)
    )
    assert execution.run is not None
    assert not execution.run.alarms.filter(kind="unexpected").exists(), "as declared, and as uploaded"

    write = scripted.script.write
    scripted.script.write = lambda inputs: {
        name: text.replace(b"\tdet\t", b"\tobj\t")
        .replace(b"\tnsubj\t", b"\tobj\t")
        .replace(b"\troot\t", b"\tobj\t")
        for name, text in write(inputs).items()
    }
    worse = finish(request_execution(version=version, phase=task.phases.get(), by=None, declared_score=1.0))
    assert worse.run is not None
    texts = sorted(alarm.text for alarm in worse.run.alarms.filter(kind="unexpected"))
    assert len(texts) == 2
    assert "but declared by the team is 100.00." in texts[0]
    assert "but uploaded run 1 is 100.00." in texts[1]
    assert texts[0] in html.unescape(client.get(worse.run.get_absolute_url()).content.decode())
    assert "does not score as expected" in organiser.get(f"/tasks/{task.slug}/organise/").content.decode()


def test_the_organisers_board_has_blind_software_on_inputs_that_are_not_released(
    blind_version: SystemVersion, scripted: ScriptedEngine, finish: Finish
) -> None:
    task = blind_version.system.team.task
    execution = finish(request_execution(version=blind_version, phase=task.phases.get(), by=None))
    standing = Standing.objects.get(phase__task=task)
    assert execution.run is not None
    assert [row["run"] for row in standing.table["rows"]] == [execution.run.public_id]
    assert set(standing.table["gold"]) == {"de_one", "en_two"}
