"""Who sees what: the table at the head of visibility.py, row by row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser, User
from django.test import Client

from sharedtask import visibility
from sharedtask.competition.models import Task
from sharedtask.submissions.models import Run
from sharedtask.teams.models import Membership, Team
from tests.site.building import TWO_ROOTS, good_archive

pytestmark = pytest.mark.django_db(transaction=True)
ALL = frozenset({"exists", "receipt", "verdicts", "incidents", "scores", "organisers_note"})
TEAM = ALL - {"organisers_note"}
PUBLISHED = frozenset({"exists", "verdicts", "scores"})
NOTHING: frozenset[str] = frozenset()


@pytest.fixture
def people(member: User, team: Team, task: Task, blind_task: Task) -> dict[str, Any]:
    rival = User.objects.create_user("rival")
    Membership.objects.create(user=rival, team=Team.objects.create(name="Beech"))
    organiser = User.objects.create_user("organiser")
    task.organisers.add(organiser)
    blind_task.organisers.add(organiser)
    return {"visitor": AnonymousUser(), "rival": rival, "member": member, "organiser": organiser}


@pytest.mark.parametrize("state", Run.State.values)
@pytest.mark.parametrize("blind", [False, True])
def test_what_each_person_sees_of_a_run(
    people: dict[str, Any], task: Task, blind_task: Task, upload: Callable[..., Run], blind: bool, state: str
) -> None:
    run = upload(good_archive(), task=blind_task if blind else task)
    run.state = state
    published = PUBLISHED if state == "scored" and not blind else NOTHING
    expected = {
        "visitor": published,
        "rival": published,
        "member": TEAM - {"scores"} if blind else TEAM,
        "organiser": ALL,
    }
    for name, person in people.items():
        sight = visibility.of_run(person, run)
        seen = {field for field in ALL if getattr(sight, field)}
        assert seen == expected[name], name


def test_a_member_may_upload_for_the_own_team_only(people: dict[str, Any], task: Task, team: Team) -> None:
    from django.utils import timezone

    may = {
        name: visibility.may_upload(person, task, team, at=timezone.now()) for name, person in people.items()
    }
    assert may == {"visitor": False, "rival": False, "member": True, "organiser": False}


def test_the_list_of_tasks_with_standings_agrees_with_each_task(people: dict[str, Any]) -> None:
    people["superuser"] = User.objects.create_superuser("root")
    Task.objects.create(slug="nobodys", title="Blind and without an organiser", blind=True)
    for name, person in people.items():
        one_by_one = {task for task in Task.objects.all() if visibility.standings(person, task)}
        assert set(visibility.tasks_with_standings(person)) == one_by_one, name


def sign_in(person: Any) -> Client:
    client = Client()
    if person.is_authenticated:
        client.force_login(person)
    return client


def test_pages_of_an_open_run_follow_the_table(
    people: dict[str, Any], upload: Callable[..., Run], work: Callable[[], None]
) -> None:
    run = upload(good_archive(en_two=TWO_ROOTS))
    for name, status in {"visitor": 404, "rival": 404, "member": 200, "organiser": 200}.items():
        assert sign_in(people[name]).get(run.get_absolute_url()).status_code == status
        assert sign_in(people[name]).get(run.get_absolute_url() + "state/").status_code == status
    work()
    for name, inside in {"visitor": False, "rival": False, "member": True, "organiser": True}.items():
        page = sign_in(people[name]).get(run.get_absolute_url()).content.decode()
        assert "invalid" in page
        assert "100.00" in page
        assert (run.sha256 in page) is inside
        assert ("several-roots" in page) is inside


def test_a_blind_run_shows_verdicts_but_nothing_of_scoring(
    people: dict[str, Any], blind_task: Task, upload: Callable[..., Run], work: Callable[[], None]
) -> None:
    run = upload(good_archive(en_two=TWO_ROOTS), task=blind_task)
    client = sign_in(people["member"])

    def pages() -> list[str]:
        urls = [run.get_absolute_url(), run.get_absolute_url() + "state/", "/tasks/blind/", "/"]
        return [without_tokens(client.get(url).content.decode()) for url in urls]

    from workers import tasks

    tasks.check_run(run.public_id)
    while_scoring = pages()
    work()
    run.refresh_from_db()
    assert run.state == "scored"
    assert pages() == while_scoring
    assert "several-roots" in while_scoring[0]
    assert "valid" in while_scoring[0]
    for name in ("visitor", "rival", "member"):
        assert sign_in(people[name]).get("/tasks/blind/leaderboard/").status_code == 404
    assert "50.00" in sign_in(people["organiser"]).get("/tasks/blind/leaderboard/").content.decode()


def without_tokens(page: str) -> str:
    import re

    return re.sub(r'name="csrfmiddlewaretoken" value="[^"]+"', "", page)


def test_a_failure_of_ours_is_an_apology_to_the_team_and_a_note_to_organisers(
    people: dict[str, Any], upload: Callable[..., Run]
) -> None:
    run = upload(good_archive())
    Run.objects.update(state="failed", organisers_note="SecretTraceback")
    page = sign_in(people["member"]).get(run.get_absolute_url()).content.decode()
    assert "went wrong on our side" in page
    assert "SecretTraceback" not in page
    assert "SecretTraceback" in sign_in(people["organiser"]).get(run.get_absolute_url()).content.decode()
