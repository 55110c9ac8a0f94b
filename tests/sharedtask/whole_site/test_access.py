"""Who sees what of real rows, through the functions and on the pages."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser
from django.test import Client

from sharedtask.accounts.models import User
from sharedtask.competition import task_access
from sharedtask.competition.models import Phase, Task
from sharedtask.standings import standing_access
from sharedtask.submissions import run_access
from sharedtask.submissions.models import Run
from sharedtask.teams import team_access
from sharedtask.teams.models import Team
from sharedtask.teams.register import register
from tests.sharedtask.support.building import SECOND, TWO_ROOTS, good_archive
from tests.sharedtask.support.working import check_run

pytestmark = pytest.mark.django_db(transaction=True)
ALL = frozenset({"exists", "receipt", "verdicts", "incidents", "scores", "failure"})
TEAM = ALL - {"failure"}
PUBLISHED = frozenset({"exists", "verdicts", "scores"})
NOTHING: frozenset[str] = frozenset()


@pytest.fixture
def people(member: User, team: Team, blind_team: Team, task: Task, blind_task: Task) -> dict[str, Any]:
    rival = User.objects.create_user("rival")
    for item in (task, blind_task):
        register(task=item, name="Beech", members=[rival], confirmed=True)
    organiser = User.objects.create_user("organiser")
    task.organisers.add(organiser)
    blind_task.organisers.add(organiser)
    return {"visitor": AnonymousUser(), "rival": rival, "member": member, "organiser": organiser}


@pytest.mark.parametrize("state", Run.State.values)
@pytest.mark.parametrize("blind", [False, True])
def test_what_each_person_sees_of_a_run(
    people: dict[str, Any], team: Team, blind_team: Team, upload: Callable[..., Run], blind: bool, state: str
) -> None:
    run = upload(good_archive(), team=blind_team if blind else team)
    run.state = state
    published = PUBLISHED if state == "scored" and not blind else NOTHING
    expected = {
        "visitor": published,
        "rival": published,
        "member": TEAM - {"scores"} if blind else TEAM,
        "organiser": ALL,
    }
    for name, person in people.items():
        permissions = run_access.run_permissions(person, run, at=run.received_at)
        seen = {field for field in ALL if getattr(permissions, field)}
        assert seen == expected[name], name


@pytest.mark.parametrize("published", [False, True])
def test_publishing_the_results_opens_a_blind_phase(
    people: dict[str, Any], blind_task: Task, blind_team: Team, upload: Callable[..., Run], published: bool
) -> None:
    run = upload(good_archive(), team=blind_team)
    run.state = "scored"
    run.phase.task.results_published_at = run.received_at if published else None
    assert run_access.run_permissions(people["visitor"], run, at=run.received_at).scores is published
    assert standing_access.standings(people["visitor"], run.phase, at=run.received_at) is published


def test_a_member_uploads_for_the_own_team_only(people: dict[str, Any], task: Task) -> None:
    teams = {name: team_access.team_of(person, task) for name, person in people.items()}
    names = {name: team.name if team else None for name, team in teams.items()}
    assert names == {"visitor": None, "rival": "Beech", "member": "Alder", "organiser": None}


def test_a_set_and_its_text_are_visible_from_their_own_times_on(
    people: dict[str, Any], task: Task, phase: Phase
) -> None:
    revealed, released = phase.opens_at + timedelta(days=1), phase.opens_at + timedelta(days=2)
    task.test_sets.filter(code="en_two").update(revealed_at=revealed, inputs_released_at=released)

    def seen(at: datetime) -> dict[str, bool]:
        sets = task_access.test_sets(people["visitor"], task, at=at)
        return {
            item.code: task_access.given_input(people["visitor"], item, at=at) is not None for item in sets
        }

    assert seen(revealed - timedelta(microseconds=1)) == {"de_one": True}
    assert seen(revealed) == {"de_one": True, "en_two": False}
    assert seen(released) == {"de_one": True, "en_two": True}


def test_the_list_of_phases_with_standings_agrees_with_each_phase(
    people: dict[str, Any], phase: Phase
) -> None:
    people["superuser"] = User.objects.create_superuser("root")
    published = {"results_published_at": phase.opens_at}
    for slug, values in {"nobodys": {}, "published": published}.items():
        task = Task.objects.create(slug=slug, title="Blind and without an organiser", **values)
        for code, opens_at in {"now": phase.opens_at, "later": phase.opens_at + timedelta(days=1)}.items():
            Phase.objects.create(task=task, code=code, kind="test", feedback="validity", opens_at=opens_at)
    at = phase.opens_at
    for name, person in people.items():
        one_by_one = {item for item in Phase.objects.all() if standing_access.standings(person, item, at=at)}
        assert one_by_one
        assert set(standing_access.phases_with_standings(person, at=at)) == one_by_one, name


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
    people: dict[str, Any], blind_team: Team, upload: Callable[..., Run], work: Callable[[], None]
) -> None:
    run = upload(good_archive(en_two=TWO_ROOTS), team=blind_team)
    client = sign_in(people["member"])

    def pages() -> list[str]:
        urls = [run.get_absolute_url(), run.get_absolute_url() + "state/", "/tasks/blind/", "/"]
        return [without_tokens(client.get(url).content.decode()) for url in urls]

    check_run(run.public_id)
    while_scoring = pages()
    work()
    run.refresh_from_db()
    assert run.state == "scored"
    assert pages() == while_scoring
    assert "several-roots" in while_scoring[0]
    assert "valid" in while_scoring[0]
    for name in ("visitor", "rival", "member"):
        answer = sign_in(people[name]).get("/tasks/blind/leaderboard/")
        assert "No results yet" in answer.content.decode() and "50.00" not in answer.content.decode()
        assert sign_in(people[name]).get("/tasks/blind/leaderboard.json").status_code == 404
    assert "50.00" in sign_in(people["organiser"]).get("/tasks/blind/leaderboard/").content.decode()


def without_tokens(page: str) -> str:
    import re

    return re.sub(r'name="csrfmiddlewaretoken" value="[^"]+"', "", page)


def test_a_server_error_is_an_apology_to_the_team_and_a_note_to_organisers(
    people: dict[str, Any], upload: Callable[..., Run]
) -> None:
    run = upload(good_archive())
    Run.objects.update(state="failed", failure={"note": "SecretTraceback"})
    page = sign_in(people["member"]).get(run.get_absolute_url()).content.decode()
    assert "A server error occurred while processing this run" in page
    assert "SecretTraceback" not in page
    assert "SecretTraceback" in sign_in(people["organiser"]).get(run.get_absolute_url()).content.decode()


def test_under_the_rule_of_2017_a_team_is_told_whether_a_file_is_above_zero(
    people: dict[str, Any],
    blind_task: Task,
    blind_team: Team,
    upload: Callable[..., Run],
    work: Callable[[], None],
) -> None:
    all_wrong = SECOND.replace("\troot", "\tdep").replace("\tnsubj", "\tdep").replace("\tadvmod", "\tdep")
    run = upload(good_archive(en_two=all_wrong), team=blind_team)
    work()
    assert "above zero" not in sign_in(people["member"]).get(run.get_absolute_url()).content.decode()
    Task.objects.filter(pk=blind_task.pk).update(reveals_above_zero=True)
    page = sign_in(people["member"]).get(run.get_absolute_url()).content.decode()
    assert page.count("above zero") == 2
    assert page.count("not above zero") == 1
    assert "100.00" not in page
    assert sign_in(people["rival"]).get(run.get_absolute_url()).status_code == 404
    blind_task.organisers.add(people["organiser"])
    warned = sign_in(people["organiser"]).get("/tasks/blind/visibility/").content.decode()
    assert "This is an oracle" in warned
