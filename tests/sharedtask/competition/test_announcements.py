"""Announcements: for everybody, from their time on, in safe Markdown."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client

from sharedtask.accounts.models import User
from sharedtask.competition.announce import announce
from sharedtask.competition.models import AuditEntry, Task
from sharedtask.core import clock


@pytest.fixture
def organiser(task: Task) -> User:
    user = User.objects.create_user("organiser", password="a long password")
    task.organisers.add(user)
    return user


@pytest.mark.django_db
def test_an_announcement_is_for_everybody_in_safe_markdown(
    client: Client, task: Task, member: User, organiser: User
) -> None:
    address = "/tasks/tiny/organise/announce/"
    form = {"subject": "Test data  are out", "text": "Read *this*.\n\n<script>alert(1)</script>"}
    client.force_login(member)
    assert client.post(address, form).status_code == 404
    client.force_login(organiser)
    assert "needs a subject" in client.post(address, {"subject": " ", "text": "x"}).content.decode()
    assert client.post(address, form).status_code == 302
    client.logout()
    for page in ("/tasks/tiny/announcements/", "/tasks/tiny/"):
        result = client.get(page).content.decode()
        assert "<h3>Test data are out</h3>" in result
        assert "<em>this</em>" in result
        assert "<script>alert" not in result
    assert AuditEntry.objects.get(action="announce").who == organiser


@pytest.mark.django_db
def test_an_announcement_of_the_future_is_not_shown(client: Client, task: Task) -> None:
    announce(task=task, by=None, subject="Later", text="x", at=clock.database_now() + timedelta(days=1))
    assert "Later" not in client.get("/tasks/tiny/announcements/").content.decode()
