"""A preview shows an organiser the pages of a task as others will see them, and changes nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from sharedtask.accounts.models import User
from sharedtask.competition import task_access
from sharedtask.competition.models import AuditEntry, Task
from sharedtask.core import clock
from sharedtask.overview import preview
from sharedtask.standings.models import Publication
from sharedtask.submissions.models import Run
from sharedtask.teams.models import Team
from tests.sharedtask.support.building import good_archive
from tests.sharedtask.support.crawl import ask
from tests.sharedtask.support.worlds import (
    SEALED,
    SURPRISE,
    TEST_CLOSES,
    TEST_OPENS,
    Time,
    Variant,
    World,
    archive,
    build,
    standing_clock,
)

pytestmark = pytest.mark.django_db(transaction=True)
BANNER = "Preview."
SECOND = timedelta(seconds=1)


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> Iterator[Time]:
    with standing_clock(monkeypatch) as time:
        yield time


@pytest.fixture
def world(db: None, dispatched: Any) -> World:
    return build(Variant())


@pytest.fixture
def member(world: World) -> User:
    """The fixtures for uploads use the member that this world has already."""
    return User.objects.get(username="member")


@pytest.fixture
def organiser(world: World) -> Client:
    return world.client("organiser")


def begin(client: Client, view_as: str, at: datetime) -> None:
    form = {"view_as": view_as, "at": at.isoformat()}
    assert client.post("/tasks/mini/preview/begin/", form)["Location"] == "/tasks/mini/"


def read(client: Client, url: str = "/tasks/mini/") -> str:
    response = client.get(url)
    assert response.status_code == 200, url
    return response.content.decode()


def test_publishing_can_be_previewed_and_leaves_nothing_behind(
    world: World, time: Time, work: Callable[[], None]
) -> None:
    """Every page shows what it would show; a real visitor, and the database, know of nothing."""
    time.move(TEST_OPENS)
    organiser = world.client("organiser")
    file = SimpleUploadedFile("run.zip", archive("de_one en_two", lemma="right"))
    sent = world.client("member").post("/tasks/mini/upload/", {"phase": "test", "archive": file})
    work()
    ranking = "/tasks/mini/leaderboard/?phase=test"
    closed = TEST_CLOSES + SECOND
    for published in ("", "on"):
        form = {"view_as": "visitor", "at": closed.isoformat(), "published": published}
        assert organiser.post("/tasks/mini/preview/begin/", form).status_code == 302
        assert ("No results yet" in read(organiser, ranking)) is not bool(published)
    page = read(organiser, ranking)
    assert "as if the results were published" in page
    assert "over 2 test sets" in " ".join(page.split()), "the third set counts when it is revealed"
    assert "Alder" in page, "names are out with the results"
    assert "100.00" in read(organiser, sent["Location"]), "and so are the pages of runs"
    assert "signature" in page
    assert not Publication.objects.exists()
    assert Task.objects.get().results_published_at is None
    assert "No results yet" in read(Client(), ranking)
    assert organiser.post("/tasks/mini/publish/", {"reason": "now"}).status_code == 409, "nothing is written"
    assert not Publication.objects.exists()


def test_a_surprise_set_appears_at_its_second(organiser: Client, world: World) -> None:
    begin(organiser, "visitor", SURPRISE - SECOND)
    before = read(organiser)
    assert BANNER in before
    assert SEALED not in before
    begin(organiser, "visitor", SURPRISE)
    assert SEALED in read(organiser)
    assert b"Canarisealedtext" in ask(organiser, f"/tasks/mini/inputs/{SEALED}.txt").body
    assert world.client("visitor").get(f"/tasks/mini/inputs/{SEALED}.txt").status_code == 404


def test_outside_a_preview_the_organiser_sees_that_a_set_is_sealed(organiser: Client, world: World) -> None:
    assert read(organiser).count("hidden: organisers only") == 1
    assert "hidden: organisers only" not in read(world.client("member"))


def test_the_organisers_own_pages_are_closed_while_it_lasts(organiser: Client) -> None:
    assert organiser.get("/tasks/mini/visibility/").status_code == 200
    begin(organiser, "stranger", TEST_OPENS)
    assert organiser.get("/tasks/mini/visibility/").status_code == 404
    organiser.post("/tasks/mini/preview/end/")
    assert organiser.get("/tasks/mini/visibility/").status_code == 200
    assert BANNER not in read(organiser)


def test_through_the_eyes_of_a_team_its_runs_are_seen_and_no_other(
    organiser: Client, world: World, upload: Callable[..., Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = {}
    for name, team in world.teams.items():
        archive = good_archive(de_one=name)
        phase = world.task.phases.get(code="test")
        runs[name] = upload(archive, team=team, phase=phase, at=TEST_OPENS).get_absolute_url()
    begin(organiser, world.teams["member"].public_id, TEST_OPENS)
    page = read(organiser)
    assert "a member of Alder" in page
    assert runs["member"] in page
    assert organiser.get(runs["member"]).status_code == 200
    assert organiser.get(runs["rival"]).status_code == 404


@pytest.mark.parametrize("url", ["/tasks/mini/upload/", "/tasks/mini/preview/end/x/", "/sign-out/"])
def test_nothing_can_be_sent(organiser: Client, world: World, url: str) -> None:
    begin(organiser, world.teams["member"].public_id, TEST_OPENS)
    entries, runs = AuditEntry.objects.count(), Run.objects.count()
    assert organiser.post(url, {"phase": "test"}).status_code in (404, 409)
    assert (AuditEntry.objects.count(), Run.objects.count()) == (entries, runs)
    assert BANNER in read(organiser)


def test_a_page_that_writes_is_stopped_by_the_connection(
    organiser: Client, monkeypatch: pytest.MonkeyPatch
) -> None:

    def writes(viewer: Any) -> Any:
        Task.objects.update(title="Changed by reading")
        return Task.objects.all()

    begin(organiser, "visitor", TEST_OPENS)
    monkeypatch.setattr(task_access, "tasks", writes)
    response = organiser.get("/tasks/mini/")
    assert response.status_code == 409
    assert "a preview is read-only" in response.content.decode()
    assert not Task.objects.filter(title="Changed by reading").exists()


def test_the_future_of_another_task_is_not_shown(organiser: Client, world: World, blind_task: Task) -> None:
    blind_task.test_sets.filter(code="en_two").update(revealed_at=SURPRISE)
    begin(organiser, "visitor", SURPRISE)
    assert organiser.get("/tasks/blind/").status_code == 409
    assert "A blind task" not in read(organiser, "/")


def test_a_run_of_another_task_is_not_shown(
    organiser: Client, task: Task, team: Team, upload: Callable[..., Run], work: Callable[[], None]
) -> None:
    run = upload(good_archive(), team=team)
    work()
    assert organiser.get(run.get_absolute_url()).status_code == 200
    begin(organiser, "visitor", SURPRISE)
    assert organiser.get(run.get_absolute_url()).status_code == 404


def test_only_organisers_can_preview(world: World) -> None:
    for name in ("visitor", "stranger", "member", "rival"):
        client = world.client(name)
        assert client.get("/tasks/mini/preview/").status_code == 404
        form = {"view_as": "visitor", "at": SURPRISE.isoformat()}
        assert client.post("/tasks/mini/preview/begin/", form).status_code == 404
        assert SEALED not in read(client)


def test_a_former_organiser_has_no_preview(organiser: Client, world: World) -> None:
    begin(organiser, "visitor", SURPRISE)
    assert SEALED in read(organiser)
    world.task.organisers.clear()
    page = read(organiser)
    assert SEALED not in page
    assert BANNER not in page


@pytest.mark.parametrize(
    "form", [{"view_as": "visitor", "at": "soon"}, {"view_as": "nobody", "at": "2027-01-01"}]
)
def test_an_invalid_preview_is_refused_with_a_message(organiser: Client, form: dict[str, str]) -> None:
    response = organiser.post("/tasks/mini/preview/begin/", form)
    assert response.status_code == 409
    assert "Enter a time such as" in response.content.decode()


def test_the_clock_stands_only_inside(world: World) -> None:
    with clock.stopped_at(SURPRISE):
        assert clock.database_now() == SURPRISE
    assert clock.database_now() < SURPRISE


def test_a_stand_in_is_nobody(world: World) -> None:
    previewed = preview.Preview(task=world.task, team=world.teams["member"], signed_in=True, at=SURPRISE)
    viewer = previewed.stand_in()
    assert isinstance(viewer, User)
    assert not viewer.is_superuser
    assert not viewer.is_staff
    assert not User.objects.filter(pk=viewer.pk).exists()


def test_the_table_and_the_scheduled_events_are_on_their_pages(organiser: Client) -> None:
    table = read(organiser, "/tasks/mini/visibility/")
    for text in ("test set name", "once its name is revealed", "member of another team", "never"):
        assert text in table
    events = read(organiser, "/tasks/mini/preview/")
    assert f"{SEALED} is revealed" in events
