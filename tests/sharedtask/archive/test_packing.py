"""When a data package is packed: once per burst of changes, by one worker, without files left behind."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.test import Client

from sharedtask.accounts.models import User
from sharedtask.archive.models import Package
from sharedtask.archive.package import make as packing
from sharedtask.archive.package.find import package_of
from sharedtask.archive.package.make import QUIET_PERIOD, PackResults, make
from sharedtask.competition.models import AuditEntry, GoldVersion, Task
from sharedtask.competition.prepare_gold import prepare_gold
from sharedtask.competition.release_gold import release_gold
from sharedtask.core import clock
from sharedtask.operations.sweep import STRAY_AFTER, remove_strays
from sharedtask.standings.publish import publish_results
from sharedtask.submissions.models import Run
from sharedtask.submissions.reject import reject
from sharedtask.work.perform import perform
from sharedtask.work.sweep import sweep
from tests.sharedtask.support.concurrency import at_once
from tests.sharedtask.support.packages import ADDRESS, files_of, publish
from tests.sharedtask.support.sending import Sent
from tests.sharedtask.support.standing import close_now

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The hash of the contents of each packing."""
    hashes: list[str] = []
    write = packing.write

    def counted(contents: Any, incoming: Any) -> None:
        hashes.append(contents.sha256)
        write(contents, incoming)

    monkeypatch.setattr(packing, "write", counted)
    return hashes


def sweep_and_pack(dispatched: list[Sent], *, after: timedelta = timedelta()) -> None:
    """What beat and the workers do: sweep, then follow the messages."""
    at = clock.database_now() + after
    sweep(PackResults(), at=at)
    for target, keys in list(dispatched):
        if target == PackResults.target:
            dispatched.remove((target, keys))
            perform(PackResults(), keys, at=at)


def test_releasing_many_sets_packs_once(
    blind_task: Task,
    organiser: User,
    runs: dict[str, Run],
    work: Callable[[], None],
    dispatched: list[Sent],
    written: list[str],
    client: Client,
    as_worker: None,
) -> None:
    publish(blind_task, organiser)
    work()
    written.clear()
    release_gold(task=blind_task, by=organiser, reason="All is over.")
    dispatched.clear()
    released = GoldVersion.objects.filter(test_set__task=blind_task, public_copy="")
    assert len(released) == 2
    for version in released:
        # The sweep runs between the copies, which workers write one after another.
        sweep_and_pack(dispatched)
        prepare_gold(version.pk)
    sweep_and_pack(dispatched, after=QUIET_PERIOD)
    sweep_and_pack(dispatched, after=QUIET_PERIOD * 2)
    assert len(written) == 1
    assert len([name for name in files_of(client.get(ADDRESS)) if name.startswith("gold/")]) == 2


def test_a_copy_that_is_never_written_does_not_stop_the_packing(
    blind_task: Task,
    organiser: User,
    runs: dict[str, Run],
    work: Callable[[], None],
    dispatched: list[Sent],
    written: list[str],
) -> None:
    publish(blind_task, organiser)
    work()
    written.clear()
    release_gold(task=blind_task, by=organiser, reason="All is over.")
    reject(run=runs["Alder"], by=organiser, reason="It was trained on the test data.")
    dispatched.clear()
    sweep_and_pack(dispatched)
    assert written == []
    sweep_and_pack(dispatched, after=timedelta(minutes=16))
    assert len(written) == 1


def test_changes_during_a_packing_are_packed_together_after_it(
    blind_task: Task,
    organiser: User,
    runs: dict[str, Run],
    work: Callable[[], None],
    dispatched: list[Sent],
    written: list[str],
    stored: Callable[[str], list[str]],
    client: Client,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Another worker sweeps and packs while this one writes."""
    publish(blind_task, organiser)
    (publication,) = blind_task.publications.all()
    before = stored("public")
    write, names = packing.write, iter(["Alder", "Cedar"])

    def interrupted(contents: Any, incoming: Any) -> None:
        write(contents, incoming)
        for name in names:
            reject(run=runs[name], by=organiser, reason="It was trained on the test data.")
            PackResults().discover(at=clock.database_now())
            PackResults().discover(at=clock.database_now())
            make(publication.pk)

    monkeypatch.setattr(packing, "write", interrupted)
    make(publication.pk)
    assert stored("public") == before
    sweep_and_pack(dispatched, after=QUIET_PERIOD)
    assert len(written) == 2
    (package,) = Package.objects.all()
    assert stored("public") == sorted([*before, package.stored.removeprefix("public/")])
    assert len(files_of(client.get(ADDRESS))) > 5


def test_of_packings_at_once_one_writes_and_none_fails(
    blind_task: Task,
    organiser: User,
    runs: dict[str, Run],
    written: list[str],
    stored: Callable[[str], list[str]],
    client: Client,
) -> None:
    publish(blind_task, organiser)
    publication = blind_task.publications.get()
    before = stored("public")
    results = at_once(*[partial(make, publication.pk)] * 4)
    assert sorted(results) == [False, False, False, True]
    assert len(written) == 1
    (package,) = Package.objects.all()
    assert stored("public") == sorted([*before, package.stored.removeprefix("public/")])
    assert len(files_of(client.get(ADDRESS))) > 5


def give_up_packing(dispatched: list[Sent]) -> None:
    for _ in range(PackResults.retries.max_attempts or 0):
        Package.objects.update(claimed_until=None, dispatched_at=None)
        sweep_and_pack(dispatched)


def test_a_package_that_fails_again_and_again_waits_for_an_organiser(
    blind_task: Task,
    organiser: User,
    member: User,
    runs: dict[str, Run],
    dispatched: list[Sent],
    client: Client,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    publish(blind_task, organiser)
    page, attempts = ADDRESS.removesuffix(".zip") + "/", []

    def fail(*args: object) -> None:
        attempts.append(args)
        raise RuntimeError("a table cannot be written")

    with monkeypatch.context() as failing:
        failing.setattr(packing, "write", fail)
        give_up_packing(dispatched)
        assert len(attempts) == PackResults.retries.max_attempts
        give_up_packing(dispatched)
        assert len(attempts) == PackResults.retries.max_attempts, "the sweep leaves it alone"
    result = client.get(page).content.decode()
    assert "could not be written" in result and "being written" not in result
    assert "RuntimeError" not in result and "<form" not in result[result.index("<main") :]
    client.force_login(member)
    assert client.post(page + "retry/", {"reason": "The bug is fixed."}).status_code == 404
    client.force_login(organiser)
    assert "RuntimeError" in client.get(page).content.decode()
    assert client.post(page + "retry/", {"reason": ""}).status_code == 409
    assert client.post(page + "retry/", {"reason": "The bug is fixed."}).status_code == 302
    assert AuditEntry.objects.get(action="retry-package").reason == "The bug is fixed."
    assert "being written" in client.get(page).content.decode()
    sweep_and_pack(dispatched)
    assert len(files_of(client.get(ADDRESS))) > 5
    assert client.post(page + "retry/", {"reason": "Once more."}).status_code == 409


def test_new_contents_are_packed_after_a_failure(
    blind_task: Task,
    organiser: User,
    runs: dict[str, Run],
    dispatched: list[Sent],
    client: Client,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    publish(blind_task, organiser)
    with monkeypatch.context() as failing:
        failing.setattr(packing, "write", lambda *args: 1 / 0)
        give_up_packing(dispatched)
    assert Package.objects.failed().exists()
    reject(run=runs["Alder"], by=organiser, reason="It was trained on the test data.")
    sweep_and_pack(dispatched)
    sweep_and_pack(dispatched, after=QUIET_PERIOD)
    assert len(files_of(client.get(ADDRESS))) > 5


def test_a_package_that_kills_workers_is_given_up(
    blind_task: Task, organiser: User, runs: dict[str, Run], dispatched: list[Sent]
) -> None:
    publish(blind_task, organiser)
    sweep(PackResults(), at=clock.database_now())
    for _ in range(PackResults.retries.max_losses or 0):
        at = clock.database_now()
        Package.objects.update(claimed_by="host:1", claimed_until=at - timedelta(seconds=1))
        sweep(PackResults(), at=at)
    assert Package.objects.failed().get().failure["kind"] == "LostWorker"


def test_a_package_that_cannot_be_recorded_leaves_no_file(
    blind_task: Task,
    organiser: User,
    runs: dict[str, Run],
    work: Callable[[], None],
    stored: Callable[[str], list[str]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    publish(blind_task, organiser)

    before = stored("public")

    def fail(*args: object) -> None:
        raise RuntimeError("the database refuses")

    monkeypatch.setattr(packing, "record", fail)
    make(blind_task.publications.get().pk)
    assert stored("public") == before


def test_a_second_publication_has_its_own_package(
    blind_task: Task, organiser: User, runs: dict[str, Run], work: Callable[[], None], client: Client
) -> None:
    publish(blind_task, organiser)
    work()
    reject(run=runs["Alder"], by=organiser, reason="It was trained on the test data.")
    work()
    publish_results(task=blind_task, by=organiser, reason="Without the rejected run.")
    work()
    assert len(files_of(client.get(ADDRESS))) > 5


def test_the_previous_package_is_served_while_more_becomes_public(
    blind_task: Task,
    organiser: User,
    runs: dict[str, Run],
    work: Callable[[], None],
    dispatched: list[Sent],
    client: Client,
    as_worker: None,
) -> None:
    publish(blind_task, organiser)
    assert client.get(ADDRESS).status_code == 503, "the first package is being written"
    work()
    before = Package.objects.get()
    release_gold(task=blind_task, by=organiser, reason="All is over.")
    for version in GoldVersion.objects.filter(test_set__task=blind_task, public_copy=""):
        prepare_gold(version.pk)
    response = client.get(ADDRESS)
    assert response.headers["ETag"] == f'"{before.sha256}"'
    assert not [name for name in files_of(response) if name.startswith("gold/")]
    page = client.get("/tasks/blind/results/").content.decode()
    assert "The previous package can be downloaded" in page
    assert before.sha256 in page
    work()
    sweep_and_pack(dispatched, after=QUIET_PERIOD)
    assert [name for name in files_of(client.get(ADDRESS)) if name.startswith("gold/")]


def test_the_package_of_the_previous_publication_is_served_until_the_next_is_written(
    blind_task: Task, organiser: User, runs: dict[str, Run], work: Callable[[], None], client: Client
) -> None:
    publish(blind_task, organiser)
    work()
    before = Package.objects.get()
    publish_results(task=blind_task, by=organiser, reason="With another note.", note="Once more.")
    assert etag(client) == f'"{before.sha256}"'
    work()
    # Two publications within a minute have the same bytes, so the rows tell them apart.
    after = package_of(blind_task, at=clock.database_now())
    assert after is not None and after.pk != before.pk
    assert etag(client) == f'"{after.sha256}"'


def etag(client: Client) -> str:
    with closing(client.get(ADDRESS)) as response:
        return str(response.headers["ETag"])


def test_a_package_with_names_that_are_hidden_since_is_not_served(
    blind_task: Task, organiser: User, runs: dict[str, Run], work: Callable[[], None], client: Client
) -> None:
    publish(blind_task, organiser)
    work()
    run = runs["Alder"]
    run.team.name = "Renamed"
    run.team.save(update_fields=["name"])
    assert client.get(ADDRESS).status_code == 503


def test_files_that_a_killed_worker_left_are_removed(
    blind_task: Task,
    organiser: User,
    runs: dict[str, Run],
    work: Callable[[], None],
    stored: Callable[[str], list[str]],
) -> None:
    close_now(blind_task)
    release_gold(task=blind_task, by=organiser, reason="All is over.")
    work()
    publish(blind_task, organiser)
    work()
    remaining = stored("public")
    names = {package.stored.removeprefix("public/") for package in Package.objects.all()}
    assert names and names < set(remaining)
    packing.storage.store("public/abandoned", [b"PK"])
    assert remove_strays(at=clock.database_now()) == 0
    remove_strays(at=clock.database_now() + STRAY_AFTER + timedelta(hours=1))
    assert stored("public") == remaining
