"""Organisers' acts on runs: each works, needs a reason, is recorded, and is refused to everybody else."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from sharedtask.accounts.models import User
from sharedtask.competition.models import AuditEntry, Phase, Task
from sharedtask.core.errors import ConfidentialFailure
from sharedtask.submissions import messages, score
from sharedtask.submissions.models import Alarm, Message, Run, Score
from sharedtask.teams.models import ExtraRuns, Team
from sharedtask.teams.register import register
from tests.sharedtask.support.building import good_archive
from tests.sharedtask.support.moderating import ORGANISE, logged, moderate, refreshed

pytestmark = pytest.mark.django_db
with_a_worker = pytest.mark.django_db(transaction=True)
Upload = Callable[..., Run]
Work = Callable[[], None]
SECRET = "GoldenSecretWord"


def test_a_run_is_rejected_with_a_reason_that_its_team_sees(
    desk: Client, organiser: User, client: Client, member: User, blind_team: Team, upload: Upload
) -> None:
    run = upload(good_archive(), team=blind_team)
    assert "Please give a reason" in moderate(desk, run, "reject", reason=" ")
    assert refreshed(run).status == "counts"
    moderate(desk, run, "reject", reason="The training data was not allowed.")
    assert refreshed(run).status == "rejected"
    entry = logged("reject-run")
    assert (entry.who, entry.reason) == (organiser, "The training data was not allowed.")
    assert entry.details == {"run": run.public_id, "before": "counts", "after": "rejected"}
    client.force_login(member)
    page = client.get(run.get_absolute_url()).content.decode()
    assert "The organisers rejected this run." in page
    assert "The training data was not allowed." in page
    moderate(desk, run, "restore", reason="It was allowed after all.")
    assert refreshed(run).status == "counts"
    assert logged("restore-run").details["before"] == "rejected"


def test_an_organiser_withdraws_a_run_for_a_team_that_asked(
    desk: Client, organiser: User, client: Client, member: User, blind_team: Team, upload: Upload
) -> None:
    run = upload(good_archive(), team=blind_team)
    moderate(desk, run, "withdraw", reason="The team asked by mail.")
    assert refreshed(run).status == "withdrawn"
    entry = logged("withdraw-run-for-team")
    assert (entry.who, entry.reason) == (organiser, "The team asked by mail.")
    client.force_login(member)
    assert "This run was withdrawn." in client.get(run.get_absolute_url()).content.decode()
    assert client.post(f"{ORGANISE}runs/{run.public_id}/restore/", {"reason": "mine"}).status_code == 404


def test_marking_official_is_audited(desk: Client, blind_team: Team, upload: Upload) -> None:
    run = upload(good_archive(), team=blind_team)
    moderate(desk, run, "mark-official", reason="asked for by mail")
    assert refreshed(run).marked_by_organiser
    assert logged("mark-official-by-organiser").reason == "asked for by mail"
    moderate(desk, run, "unmark-official", reason="a mistake")
    assert not refreshed(run).marked_by_organiser


def test_the_list_shows_every_run_and_filters_it(desk: Client, blind_team: Team, upload: Upload) -> None:
    first, second = (upload(good_archive(), team=blind_team) for _ in range(2))
    Run.objects.filter(pk=second.pk).update(status="rejected")
    messages.write(run=first, text=SECRET)

    def listed(query: str) -> set[Run]:
        page = desk.get(f"{ORGANISE}runs/?{query}").content.decode()
        return {run for run in (first, second) if f"runs/{run.public_id}/" in page}

    assert listed("") == {first, second}
    assert listed("status=rejected") == {second}
    assert listed("waiting=messages") == {first}
    assert listed("waiting=alarms") == set()
    assert listed("state=received&phase=test") == {first, second}
    assert listed("state=scored") == set()
    assert listed(f"team={blind_team.public_id}&phase=nowhere%00") == set()


def test_the_list_needs_as_many_queries_for_many_runs_as_for_one(
    desk: Client, blind_team: Team, upload: Upload, django_assert_max_num_queries: Any
) -> None:
    counts = []
    for _ in range(2):
        upload(good_archive(), team=blind_team)
        upload(good_archive(), team=blind_team)
        with django_assert_max_num_queries(30) as asked:
            desk.get(f"{ORGANISE}runs/")
        counts.append(len(asked))
    assert counts[0] == counts[1]


@with_a_worker
def test_a_confidential_failure_becomes_a_message_for_organisers_until_it_is_released(
    desk: Client,
    organiser: User,
    client: Client,
    member: User,
    blind_team: Team,
    upload: Upload,
    work: Work,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def stumble(claimed: Score, output: Path) -> Any:
        raise ConfidentialFailure(f"gold has {SECRET} on line 3")

    monkeypatch.setattr(score, "score_file", stumble)
    run = upload(good_archive(), team=blind_team)
    work()
    message = Message.objects.get()
    assert message.run == run
    client.force_login(member)

    def read(who: Client, address: str) -> str:
        return who.get(address).content.decode()

    assert SECRET not in read(client, run.get_absolute_url())
    assert SECRET in read(desk, f"{ORGANISE}runs/{run.public_id}/")
    address = f"{ORGANISE}messages/{message.public_id}/"
    assert client.post(address, {"text": "x", "reason": "x"}).status_code == 404
    desk.post(address, {"text": "Look at line 3.", "reason": " "})
    assert Message.objects.get().released_at is None
    desk.post(address, {"text": "Look at line 3.", "reason": "no gold is left in it"})
    page = read(client, run.get_absolute_url())
    assert "Look at line 3." in page
    assert SECRET not in page
    entry = logged("release-message")
    assert (entry.who, entry.reason) == (organiser, "no gold is left in it")
    assert entry.details["released"] == "Look at line 3."
    desk.post(address, {"text": "Another text.", "reason": "again"})
    assert Message.objects.get().released == "Look at line 3."


def test_a_message_is_stored_once(blind_team: Team, upload: Upload) -> None:
    run = upload(good_archive(), team=blind_team)
    for _ in range(2):
        messages.write(run=run, text="the same")
    messages.write(run=run, text="another")
    assert Message.objects.count() == 2


def test_an_organiser_uploads_for_a_team(
    desk: Client, organiser: User, client: Client, member: User, blind_team: Team, dispatched: list[Any]
) -> None:
    address = f"{ORGANISE}teams/{blind_team.public_id}/upload/"

    def form(**words: str) -> dict[str, Any]:
        return {"archive": SimpleUploadedFile("run.zip", good_archive()), **words}

    client.force_login(member)
    assert client.get(address).status_code == 404
    assert client.post(address, form(reason="for us")).status_code == 404
    assert "reason-missing" in desk.post(address, form()).content.decode()
    assert not Run.objects.exists()
    assert desk.post(address, form(reason="their network is down")).status_code == 302
    run = Run.objects.get()
    assert (run.team, run.on_behalf, run.uploaded_by, run.uses_quota) == (blind_team, True, organiser, True)
    entry = logged("upload-on-behalf")
    assert (entry.who, entry.reason) == (organiser, "their network is down")
    assert entry.details["sha256"] == run.sha256


def test_an_upload_for_a_team_has_the_teams_deadline(desk: Client, blind_team: Team, stored: Any) -> None:
    Phase.objects.update(closes_at="2026-01-02T00:00Z")
    archive = SimpleUploadedFile("run.zip", good_archive())
    form = {"archive": archive, "reason": "too late", "phase": "test"}
    response = desk.post(f"{ORGANISE}teams/{blind_team.public_id}/upload/", form)
    assert "<code>phase-closed</code>" in response.content.decode()
    assert not AuditEntry.objects.filter(action="upload-on-behalf").exists()
    assert stored("uploads") == []


def test_a_baseline_is_added_and_marked_as_such(desk: Client, blind_task: Task) -> None:
    response = desk.post(f"{ORGANISE}baselines/", {"name": "UDPipe", "reason": "the usual one"})
    team = Team.objects.get(task=blind_task)
    assert (team.name, team.is_baseline, team.is_confirmed) == ("UDPipe", True, True)
    assert response.headers["Location"] == f"{ORGANISE}teams/{team.public_id}/upload/"
    assert logged("enter-baseline").reason == "the usual one"
    desk.post(f"{ORGANISE}baselines/", {"name": "UDPipe", "reason": "again"})
    assert Team.objects.count() == 1


@with_a_worker
def test_a_test_set_that_is_weak_for_everybody_is_one_alarm(
    desk: Client, blind_task: Task, upload: Upload, work: Work
) -> None:
    teams = [register(task=blind_task, name=f"Team {number}", confirmed=True) for number in range(4)]
    runs = [upload(good_archive(), team=team) for team in teams]
    work()
    Alarm.objects.all().delete()
    for run in runs[:3]:
        file = run.files.get(test_set__code="en_two")
        Alarm.objects.create(run=run, file=file, kind="outlier", text="en_two: low", event=f"a-{run.pk}")
    alone = runs[3].files.get(test_set__code="de_one")
    Alarm.objects.create(run=runs[3], file=alone, kind="outlier", text="de_one: low", event="alone")
    page = " ".join(desk.get(ORGANISE).content.decode().split())
    assert "<dt>Alarms</dt><dd>2</dd>" in page
    assert "is weak in 3 runs of 3 teams" in page
    (address,) = re.findall(r'action="([^"]+/resolve-all/)"', page)
    desk.post(address, {"reason": "a hard test set"})
    assert list(Alarm.objects.filter(resolved_at=None).values_list("event", flat=True)) == ["alone"]
    assert AuditEntry.objects.filter(action="resolve-alarm", reason="a hard test set").count() == 3


def extra_runs(team: Team) -> dict[str, int]:
    return dict(ExtraRuns.objects.filter(team=team).values_list("phase__code", "number"))


def test_quota_is_granted_on_the_page(desk: Client, blind_team: Team) -> None:
    address = f"{ORGANISE}teams/{blind_team.public_id}/quota/"
    for runs in ("many", "", "0", "9" * 30, "-1"):
        desk.post(address, {"phase": "test", "runs": runs, "reason": "x"})
    for phase in ("", "nowhere", "te\0st"):
        assert desk.post(address, {"phase": phase, "runs": "2", "reason": "x"}).status_code == 409
    assert extra_runs(blind_team) == {}
    page = desk.get(ORGANISE).content.decode()
    assert '<input type="hidden" name="phase" value="test"' in page
    desk.post(address, {"phase": "test", "runs": "2", "reason": "their disk broke"})
    assert extra_runs(blind_team) == {"test": 2}
    assert logged("grant-quota").reason == "their disk broke"
    assert "2 granted" in desk.get(ORGANISE).content.decode()


def test_runs_are_granted_to_several_teams_at_once(desk: Client, blind_task: Task, blind_team: Team) -> None:
    other = register(task=blind_task, name="Rowan", confirmed=True)
    address, teams = f"{ORGANISE}quota/", [blind_team.public_id, other.public_id]
    assert desk.post(address, {"phase": "test", "runs": "3", "reason": "x"}).status_code == 409
    desk.post(address, {"phase": "test", "teams": teams, "runs": "3", "reason": "the site was slow"})
    assert extra_runs(blind_team) == extra_runs(other) == {"test": 3}
    assert AuditEntry.objects.filter(action="grant-quota", reason="the site was slow").count() == 2


def test_registrations_are_confirmed_together(desk: Client, blind_task: Task) -> None:
    teams = [register(task=blind_task, name=f"Team {number}") for number in range(3)]
    Team.objects.exclude(pk=teams[2].pk).update(rules_version=1)
    page = desk.get(ORGANISE).content.decode()
    assert page.count('name="teams"') >= 2
    address = f"{ORGANISE}confirm/"
    assert desk.post(address, {}).status_code == 409
    desk.post(address, {"teams": [team.public_id for team in teams[:2]]})
    confirmed = Team.objects.filter(task=blind_task, registration="confirmed")
    assert set(confirmed) == set(teams[:2])
    assert AuditEntry.objects.filter(action="confirm-team").count() == 2
    refused = desk.post(address, {"teams": [teams[2].public_id]})
    assert refused.status_code == 409
    assert "has not accepted the rules" in refused.content.decode()


def test_only_organisers_can_open_the_moderation_pages(
    client: Client, member: User, blind_team: Team, upload: Upload
) -> None:
    run = upload(good_archive(), team=blind_team)
    message = messages.write(run=run, text=SECRET)
    team = blind_team.public_id
    pages = ["", "runs/", f"runs/{run.public_id}/", f"teams/{team}/upload/"]
    acts = [f"runs/{run.public_id}/reject/", f"messages/{message.public_id}/", "baselines/"]
    acts += [f"runs/{run.public_id}/combine/", f"overview/runs/{run.public_id}/retry/"]
    acts += [f"teams/{team}/quota/", f"teams/{team}/upload/"]
    rival = User.objects.create_user("rival")
    register(task=blind_team.task, name="Beech", members=[rival], confirmed=True)
    for person in (member, rival):
        client.force_login(person)
        assert {client.get(ORGANISE + page).status_code for page in pages} == {404}
        assert {client.post(ORGANISE + act, {"reason": "x"}).status_code for act in acts} == {404}
    client.logout()
    assert {client.get(ORGANISE + page).status_code for page in pages} == {302}
    assert AuditEntry.objects.filter(task=blind_team.task).exclude(who=None).count() == 0


def test_the_overview_shows_teams_without_a_valid_run_and_pending_work(
    desk: Client, blind_task: Task, blind_team: Team, upload: Upload
) -> None:
    register(task=blind_task, name="Waiting Willow")
    register(task=blind_task, name="Silent Spruce", confirmed=True)
    run = upload(good_archive(), team=blind_team)
    Run.objects.filter(pk=run.pk).update(state="failed", failure={"stage": "check", "kind": "OSError"})
    messages.write(run=run, text="read me")
    page = desk.get(ORGANISE).content.decode()
    assert page.index("Awaiting confirmation") < page.index("Waiting Willow") < page.index('<h2 id="teams')
    assert "OSError" in page
    assert "read me" in page
    assert page.count("not yet</span>") == 3


def test_the_overview_needs_as_many_queries_for_many_teams_as_for_one(
    desk: Client, blind_task: Task, upload: Upload, django_assert_max_num_queries: Any
) -> None:
    counts = []
    for name in ("Beech", "Cedar", "Elm"):
        team = register(task=blind_task, name=name, confirmed=True)
        run = upload(good_archive(), team=team)
        messages.write(run=run, text="x")
        with django_assert_max_num_queries(40) as asked:
            desk.get(ORGANISE)
        counts.append(len(asked))
    assert counts[0] == counts[2]


def test_the_overview_counts_more_alarms_than_it_lists(
    desk: Client, blind_team: Team, upload: Upload
) -> None:
    run = upload(good_archive(), team=blind_team)
    Alarm.objects.bulk_create(
        [Alarm(run=run, kind="outlier", text="far off", event=f"outlier:{number}") for number in range(25)]
    )
    page = desk.get(ORGANISE).content.decode()
    assert "<dt>Alarms</dt><dd>25</dd>" in page
    assert page.count("far off") == 20
