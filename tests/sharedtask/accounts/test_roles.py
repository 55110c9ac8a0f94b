"""What a person organises and belongs to is looked up once per page, and anew by whatever may change it."""

from __future__ import annotations

import pytest
from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory
from django.test.utils import CaptureQueriesContext

from sharedtask.accounts.models import User
from sharedtask.accounts.roles import affiliations_middleware, role_of
from sharedtask.competition.models import Task
from sharedtask.teams.models import Team
from sharedtask.visibility.terms import Role


@pytest.mark.parametrize("page", ["", "team/", "upload/", "leaderboard/", "sets/"])
def test_a_page_asks_once_what_its_reader_organises_and_belongs_to(
    page: str, task: Task, team: Team, member: User, client: Client
) -> None:
    client.force_login(member)
    address = f"{task.get_absolute_url()}{page}"
    assert client.get(address).status_code == 200
    with CaptureQueriesContext(connection) as queries:
        client.get(address)
    texts = [query["sql"] for query in queries.captured_queries]
    assert len([text for text in texts if 'FROM "teams_membership"' in text]) == 1
    assert len([text for text in texts if "competition_task_organisers" in text]) <= 2


@pytest.mark.parametrize(("method", "then"), [("get", Role.MEMBER), ("post", Role.ORGANISER)])
def test_only_a_request_that_reads_remembers_roles(
    method: str, then: Role, task: Task, team: Team, member: User
) -> None:
    roles = []

    def view(request: HttpRequest) -> HttpResponse:
        roles.append(role_of(request.user, task))
        task.organisers.add(member)
        roles.append(role_of(request.user, task))
        return HttpResponse()

    request = getattr(RequestFactory(), method)("/")
    request.user = member
    affiliations_middleware(view)(request)
    assert roles == [Role.MEMBER, then]
    assert role_of(User.objects.get(pk=member.pk), task) == Role.ORGANISER
