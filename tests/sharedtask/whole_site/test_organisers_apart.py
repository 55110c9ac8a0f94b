"""The organiser of one task is a stranger in another: no page tells more, and nothing can be done there.

The admin, which asks no rule about visibility, is for superusers alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from sharedtask.accounts.models import User
from sharedtask.competition.models import AuditEntry, Task
from sharedtask.submissions.models import Run
from tests.sharedtask.support.crawl import Answer, crawl, guesses
from tests.sharedtask.support.people import person
from tests.sharedtask.support.worlds import (
    SEALED,
    TEST_OPENS,
    Time,
    Variant,
    World,
    archive,
    build,
    known_to_the_tester,
    standing_clock,
)

pytestmark = pytest.mark.django_db(transaction=True)
SECRETS = ("canarisealed", "kanarienhiddenword", "canarigoldlemma", "canaririval", "alderlemma")


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> Iterator[Time]:
    with standing_clock(monkeypatch) as time:
        yield time


@pytest.fixture
def world(db: None, time: Time, dispatched: Any, work: Callable[[], None]) -> World:
    """A task with secrets, runs and an alarm; and beside it another task with an organiser of its own."""
    world = build(Variant())
    other = Task.objects.create(slug="other", title="Another", profile="conll17", main_metrics=["LAS"])
    other.organisers.add(person("neighbour"))
    time.move(TEST_OPENS)
    for name in ("rival", "member"):
        lemma = "canaririvallemma" if name == "rival" else "alderlemma"
        file = SimpleUploadedFile(f"{name}.zip", archive("de_one en_two", lemma=lemma, broken="en_two"))
        world.client(name).post("/tasks/mini/upload/", {"phase": "test", "archive": file})
    work()
    assert Run.objects.count() == 2
    return world


def signed_in(name: str) -> Client:
    client = Client()
    client.force_login(User.objects.get(username=name))
    return client


def answers_for(name: str, world: World) -> dict[str, Answer]:
    return crawl(signed_in(name), ["/", *guesses(known_to_the_tester(world.task))])


def test_an_organiser_of_another_task_sees_what_a_stranger_sees(world: World) -> None:
    neighbours, strangers = answers_for("neighbour", world), answers_for("stranger", world)
    for url, answer in strangers.items():
        if "/mini/" in url or "/runs/" in url or "/organise/folders/" in url:
            assert neighbours[url].status == answer.status, url
    # Unlike a stranger the neighbour has pages of organisers, of the other task; none of them tells anything.
    assert neighbours["/tasks/other/organise/"].status == 200
    for word in SECRETS:
        urls = [url for url, answer in neighbours.items() if word.encode() in answer.body.lower()]
        assert [url for url in urls if SEALED not in url and "hidden" not in url] == [], word
    own = signed_in("organiser").get(Run.objects.get(team=world.teams["rival"]).get_absolute_url())
    assert b"canaririvallemma" in own.content, "the organiser of this task finds what was searched for"


def test_no_act_of_organisers_can_be_done_in_another_task(world: World) -> None:
    """Every address that takes a form, with whatever may stand in its blanks."""
    client = signed_in("neighbour")
    before = AuditEntry.objects.count(), list(Run.objects.values_list("status", flat=True))
    addresses = [url for url in guesses(known_to_the_tester(world.task)) if "/mini/organise/" in url]
    assert len(addresses) > 20
    for url in [*addresses, "/tasks/mini/publish/", "/tasks/mini/preview/begin/"]:
        values = {"reason": "mine", "view_as": "visitor", "at": "2027-03-05T12:00", "act": "reject"}
        assert client.post(url, values).status_code in (404, 405), url
    assert (AuditEntry.objects.count(), list(Run.objects.values_list("status", flat=True))) == before


def test_ids_of_another_task_do_not_work_under_the_own_one(world: World) -> None:
    """The neighbour organises `other`, and puts the ids of `mini` into its addresses."""
    client = signed_in("neighbour")
    known = known_to_the_tester(world.task) | {"slug": ["other"]}
    for url in guesses(known):
        if url.startswith("/tasks/other/") and any(id in url for id in [*known["runs"], *known["teams"]]):
            assert client.get(url).status_code in (404, 405), url
            assert client.post(url, {"reason": "mine"}).status_code in (404, 405), url


def admin_addresses() -> list[str]:
    """All of the admin's pages that need no id, and one of each kind that does."""
    admin = next(entry for entry in get_resolver().url_patterns if str(entry.pattern) == "admin/")
    assert isinstance(admin, URLResolver)
    names = [url_pattern.name for url_pattern in admin.url_patterns if isinstance(url_pattern, URLPattern)]
    models = [item for item in admin.url_patterns if isinstance(item, URLResolver)]
    return [reverse(f"admin:{name}") for name in ("index", "jsi18n") if name in names] + [
        f"/admin/{model.pattern}" for model in models
    ]


def test_the_admin_is_for_superusers_alone(world: World) -> None:
    staff = person("clerk")
    staff.is_staff = True
    staff.save()
    staff.user_permissions.set(Permission.objects.all())
    addresses = admin_addresses()
    assert len(addresses) > 5
    for name in ("clerk", "organiser", "neighbour", "member"):
        client = signed_in(name)
        for url in addresses:
            answer = client.get(url)
            assert answer.status_code in (302, 403), (name, url)
            assert b"changelist" not in answer.content
    User.objects.filter(username="clerk").update(is_superuser=True)
    client = signed_in("clerk")
    assert all(client.get(url).status_code == 200 for url in addresses)
