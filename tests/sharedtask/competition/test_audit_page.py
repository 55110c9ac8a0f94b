"""The page of the audit log."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from sharedtask.accounts.models import User
from sharedtask.competition import audit
from sharedtask.competition.models import Task


@pytest.fixture
def organiser(task: Task) -> User:
    user = User.objects.create_user("organiser", password="a long password")
    task.organisers.add(user)
    return user


@pytest.mark.django_db
def test_the_log_is_for_organisers_and_needs_no_more_queries_for_many_entries(
    client: Client, task: Task, member: User, organiser: User
) -> None:
    address = "/tasks/tiny/organise/log/"
    client.force_login(member)
    assert client.get(address).status_code == 404
    client.force_login(organiser)
    audit.write(task=task, who=organiser, action="extend", subject="<b>one</b>", reason="storm")
    with CaptureQueriesContext(
        connection,
    ) as few:
        page = client.get(address).content.decode()
    assert "storm" in page
    assert "&lt;b&gt;one" in page
    assert "Task folder imported" in page
    assert "add test set de_one" in page
    for number in range(60):
        audit.write(task=task, who=organiser, action="reject", subject=f"run {number}")
    with CaptureQueriesContext(connection) as many:
        page = client.get(address).content.decode()
    assert len(many) == len(few)
    assert "run 59" in page
    assert "storm" not in page, "it is on the second page"
    assert "storm" in client.get(address + "?page=2").content.decode()
    filtered = client.get(address + "?action=extend").content.decode()
    assert "storm" in filtered
    assert "run 59" not in filtered
