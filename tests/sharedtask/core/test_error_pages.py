"""Pages as a reader gets them: errors in plain words, nothing inline, everything labelled."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from allauth.account.models import EmailAddress
from django.template.loader import render_to_string
from django.test import Client, RequestFactory
from django.views.defaults import bad_request, page_not_found, permission_denied, server_error

from sharedtask.accounts.models import User
from sharedtask.competition.models import Task
from sharedtask.submissions.models import Run
from tests.sharedtask.support.building import TWO_ROOTS, good_archive

Upload = Callable[..., Run]


@pytest.mark.django_db
def test_every_error_has_its_own_page(client: Client) -> None:
    request = RequestFactory().get("/")
    request.user = User()
    pages = {
        400: bad_request(request, ValueError()),
        403: permission_denied(request, PermissionError()),
        404: page_not_found(request, ValueError()),
        500: server_error(request),
    }
    for status, response in pages.items():
        assert response.status_code == status
        assert f">{status}<" in response.content.decode()
    assert "too large" in render_to_string("413.html")
    assert client.get("/nowhere/").status_code == 404


@pytest.mark.django_db(transaction=True)
def test_no_page_has_inline_script_or_style_or_a_foreign_address(
    client: Client, member: User, upload: Upload, work: Callable[[], None]
) -> None:
    waiting = upload(good_archive())
    urls = ["/", "/sign-in/", "/nowhere/"]
    urls += [f"/tasks/tiny/{page}" for page in ("", "leaderboard/")]
    pages = [client.get(url).content.decode() for url in urls]
    client.force_login(member)
    pages += [client.get(url).content.decode() for url in ("/tasks/tiny/upload/", waiting.get_absolute_url())]
    done = upload(good_archive(en_two=TWO_ROOTS))
    refused = upload(b"no archive")
    work()
    pages += [client.get(run.get_absolute_url()).content.decode() for run in (done, refused)]
    assert "archive-format-unknown" in pages[-1]
    for page in pages:
        assert not re.search(r"<script(?![^>]*\bsrc=)", page)
        assert "<style" not in page
        assert not re.search(r"\sstyle=", page)
        assert not re.search(r"\son[a-z]+=", page)
        assert not re.search(r'(src|href)="(https?:)?//', page)
        for control in re.findall(r'<(?:input|select)[^>]*\bid="([^"]+)"', page):
            assert f'<label for="{control}"' in page


@pytest.mark.django_db(transaction=True)
def test_the_state_is_asked_for_until_it_is_final(
    client: Client, member: User, upload: Upload, work: Callable[[], None]
) -> None:
    run = upload(good_archive())
    client.force_login(member)
    page = client.get(run.get_absolute_url()).content.decode()
    poll = re.search(r'hx-get="([^"]+)"', page)
    assert poll is not None
    assert client.get(poll[1]).status_code == 204, "nothing has changed since the page was made"
    work()
    changed = client.get(poll[1])
    assert changed.status_code == 200
    fragment = changed.content.decode()
    assert 'data-state="scored"' in fragment
    assert "hx-get" not in fragment
    assert "hx-get" not in client.get(run.get_absolute_url()).content.decode()


@pytest.mark.django_db(transaction=True)
def test_file_names_and_quotations_are_escaped(
    client: Client, member: User, upload: Upload, work: Callable[[], None]
) -> None:
    run = upload(good_archive(en_two=TWO_ROOTS.replace("\t0\troot", "\t<b>\troot")))
    Run.objects.update(filename="<script>alert(1)</script>.zip")
    work()
    client.force_login(member)
    page = client.get(run.get_absolute_url()).content.decode()
    assert "<script>alert" not in page
    assert "&lt;b&gt;" in page


@pytest.mark.django_db
def test_the_raw_text_can_be_downloaded(client: Client, task: Task) -> None:
    response = client.get("/tasks/tiny/inputs/de_one.txt")
    assert b"".join(response.streaming_content) == "Der Hund schläft.\n".encode()  # type: ignore[attr-defined]
    assert response.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert client.get("/tasks/tiny/inputs/xx_none.txt").status_code == 404


@pytest.mark.django_db
def test_signing_in_and_out(client: Client, task: Task) -> None:
    user = User.objects.create_user("ash", password="a long password")
    EmailAddress.objects.create(user=user, email="ash@example.org", primary=True, verified=True)
    wrong = client.post("/sign-in/", {"login": "ash", "password": "another"})
    assert "Incorrect name or password" in wrong.content.decode()
    form = {"login": "ash", "password": "a long password", "next": "/tasks/tiny/upload/"}
    assert client.post("/sign-in/", form).headers["Location"] == "/tasks/tiny/upload/"
    assert client.get("/sign-out/").status_code == 405, "a link elsewhere must not sign anybody out"
    assert client.post("/sign-out/").status_code == 302
    assert "Sign in" in client.get("/").content.decode()


@pytest.mark.django_db
def test_the_first_page_without_any_task_is_a_page(client: Client) -> None:
    assert "No tasks yet" in client.get("/").content.decode()


@pytest.mark.django_db
def test_every_page_leads_to_the_definition_of_its_figures(client: Client) -> None:
    assert 'href="/definitions/"' in client.get("/").content.decode()
    page = client.get("/definitions/").content.decode()
    assert "What the numbers mean" in page
    # The document's own links have to find their headings on the page, as they do in the repository.
    anchors = re.findall(r'href="#([^"]+)"', page)
    assert len(anchors) > 5
    for anchor in anchors:
        assert f'id="{anchor}"' in page
