"""A team changes its name and affiliation on its page."""

from __future__ import annotations

import pytest
from django.test import Client
from django.utils import timezone

from sharedtask.accounts.models import User
from sharedtask.competition.models import Task
from sharedtask.teams.models import Notice, Team
from sharedtask.teams.register import register
from tests.sharedtask.support.people import person

pytestmark = pytest.mark.django_db
PAGE = "/tasks/tiny/team/edit/"


def test_a_member_changes_name_and_affiliation(client: Client, team: Team, member: User) -> None:
    team.task.organisers.add(person("organiser"))
    client.force_login(member)
    assert f'href="{PAGE}"' in client.get("/tasks/tiny/team/").content.decode()
    assert 'value="Alder"' in client.get(PAGE).content.decode()
    response = client.post(PAGE, {"name": "Alder  grove", "affiliation": "A university"})
    assert (response.status_code, response["Location"]) == (302, "/tasks/tiny/team/")
    team.refresh_from_db()
    assert (team.name, team.affiliation) == ("Alder grove", "A university")
    assert Notice.objects.get(user__username="organiser").text == "The team Alder is now called Alder grove."


def test_a_name_like_another_team_s_is_refused(client: Client, team: Team, member: User, task: Task) -> None:
    register(task=task, name="Birch", confirmed=True)
    client.force_login(member)
    response = client.post(PAGE, {"name": "BIRCH", "affiliation": ""})
    assert response.status_code == 400 and "already has the name BIRCH" in response.content.decode()
    assert client.post(PAGE, {"name": "ALDER", "affiliation": ""}).status_code == 302, "its own name may vary"


def test_a_published_name_is_fixed_and_the_affiliation_is_not(
    client: Client, team: Team, member: User
) -> None:
    Task.objects.update(results_published_at=timezone.now())
    client.force_login(member)
    response = client.post(PAGE, {"name": "Other", "affiliation": "A university"})
    assert response.status_code == 400 and "can no longer be changed" in response.content.decode()
    assert client.post(PAGE, {"name": "Alder", "affiliation": "A university"}).status_code == 302
    team.refresh_from_db()
    assert (team.name, team.affiliation) == ("Alder", "A university")


def test_nobody_else_finds_the_page(client: Client, team: Team) -> None:
    client.force_login(person("stranger"))
    assert client.get(PAGE).status_code == 404
