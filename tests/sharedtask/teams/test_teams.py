"""Teams: registering, joining by invitation, leaving, one per person, confirmation, deleted accounts."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client

from sharedtask.accounts.models import User
from sharedtask.competition.models import AuditEntry, Phase, Task
from sharedtask.core import clock
from sharedtask.core.errors import Refusal
from sharedtask.submissions.enter_baseline import enter_baseline
from sharedtask.submissions.models import Run, Score
from sharedtask.teams import describe, invite, register
from sharedtask.teams.delete_account import delete_account
from sharedtask.teams.leave import leave
from sharedtask.teams.models import Invitation, Membership, Notice, System, Team
from tests.sharedtask.support.building import good_archive
from tests.sharedtask.support.concurrency import at_once
from tests.sharedtask.support.people import PASSWORD, last_mail, link_in, password_again, person

pytestmark = pytest.mark.django_db(transaction=True)
Upload = Callable[..., Run]


@pytest.fixture(autouse=True)
def no_attempts_so_far() -> None:
    cache.clear()


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def create_team(client: Client, name: str, **changed: str) -> Any:
    form = {"name": name, "affiliation": "", "accepted": "on", "rules_version": "1"} | changed
    return client.post("/tasks/tiny/team/new/", form)


def invitation_of(client: Client) -> str:
    page = client.post("/tasks/tiny/team/invite/").content.decode()
    link = re.search(r'value="http://testserver(/join/[^"]+)"', page)
    assert link is not None, page
    return link[1]


def refusal_of(function: Callable[[], object]) -> str:
    try:
        function()
    except Refusal as error:
        return error.id
    return ""


def test_from_a_new_account_to_a_team_of_two(client: Client, task: Task, dispatched: list[Any]) -> None:
    organiser = person("oak")
    task.organisers.add(organiser)
    client.post("/account/new/", {"full_name": "Ash", "email": "ash@example.org", "password1": PASSWORD})
    client.post(link_in(last_mail().body))
    assert "You are not on a team for this task yet" in client.get("/tasks/tiny/team/").content.decode()
    assert create_team(client, "Alder").headers["Location"] == "/tasks/tiny/team/"
    team = Team.objects.get()
    assert (team.registration, team.rules_version, team.primary_system.name) == ("requested", 1, "main")
    assert Notice.objects.get(user=organiser).text == "Alder has requested registration for A tiny task."

    # The second person comes by the link, without an account, and lands in the team.
    path = invitation_of(client)
    assert path not in client.get("/tasks/tiny/team/").content.decode(), "the link is shown once"
    second = Client()
    to_sign_in = second.get(path).headers["Location"]
    assert to_sign_in == f"/sign-in/?next={path}"
    sign_up = re.search(r'href="(/account/new/[^"]*)"', second.get(to_sign_in).content.decode())
    assert sign_up is not None
    form = {"full_name": "Elm", "email": "elm@example.org", "password1": PASSWORD, "next": path}
    second.post(sign_up[1], form)
    confirmed = second.post(link_in(last_mail().body))
    assert confirmed.headers["Location"] == path, "confirming the address leads back to the invitation"
    assert "invited to <strong>Alder</strong>" in second.get(path).content.decode()
    assert second.post(path).headers["Location"] == "/tasks/tiny/team/"
    assert {user.full_name for user in team.members.all()} == {"Ash", "Elm"}
    page = client.get("/tasks/tiny/team/").content.decode()
    assert "Elm" in page

    confirming = signed_in(organiser)
    assert "ash@example.org" in confirming.get("/tasks/tiny/organise/teams/").content.decode()
    confirming.post(f"/tasks/tiny/organise/teams/{team.public_id}/", {"decision": "confirm"})
    team.refresh_from_db()
    assert team.is_confirmed
    assert AuditEntry.objects.get(action="confirm-team").who == organiser
    assert Notice.objects.filter(kind="registration", user__in=team.members.all()).count() == 2


def test_only_organisers_decide_and_declining_needs_a_reason_that_the_team_reads(task: Task) -> None:
    organiser, ash = person("oak"), person("ash")
    task.organisers.add(organiser)
    create_team(signed_in(ash), "Alder")
    team = Team.objects.get()
    decide = f"/tasks/tiny/organise/teams/{team.public_id}/"
    assert signed_in(ash).get("/tasks/tiny/organise/teams/").status_code == 404
    assert signed_in(ash).post(decide, {"decision": "confirm"}).status_code == 404
    client = signed_in(organiser)
    assert client.post(decide, {"decision": "decline", "reason": " "}).status_code == 400
    team.refresh_from_db()
    assert team.registration == "requested"
    client.post(decide, {"decision": "decline", "reason": "Please name your university."})
    assert AuditEntry.objects.get(action="decline-team").reason == "Please name your university."
    assert "Please name your university." in signed_in(ash).get("/tasks/tiny/team/").content.decode()
    signed_in(ash).post("/tasks/tiny/team/request-again/")
    team.refresh_from_db()
    assert team.registration == "requested"


def test_rules_are_accepted_in_the_version_that_was_read(task: Task) -> None:
    ash = signed_in(person("ash"))
    assert create_team(ash, "Alder", accepted="").status_code == 400
    Task.objects.update(rules_version=2)
    changed = create_team(ash, "Alder")
    assert "The rules have changed" in changed.content.decode()
    assert not Team.objects.exists()
    assert create_team(ash, "Alder", rules_version="2").status_code == 302
    Task.objects.update(rules_version=3)
    assert "The rules have changed (version 3)" in ash.get("/tasks/tiny/team/").content.decode()
    ash.post("/tasks/tiny/team/rules/", {"rules_version": "2"})
    assert Team.objects.get().rules_version == 2
    ash.post("/tasks/tiny/team/rules/", {"rules_version": "3"})
    assert Team.objects.get().rules_version == 3


def test_a_blind_phase_is_closed_to_a_team_that_has_not_accepted_the_rules(
    blind_team: Team, upload: Upload
) -> None:
    Task.objects.filter(pk=blind_team.task_id).update(rules_version=2)
    team = Team.objects.get(pk=blind_team.pk)
    assert refusal_of(lambda: upload(good_archive(), team=team)) == "rules-not-accepted"
    at = clock.database_now()
    member = team.members.get()
    register.accept_rules(team=team, by=member, rules_version=2, at=at)
    assert upload(good_archive(), team=Team.objects.get(pk=team.pk)).number == 1


@pytest.mark.parametrize(
    "name", ["=1", "+1", "-1", "@x", "＝1", "＋1", "－1", "＠x", "﹦1", " \t＝1", "\u3000＝1"]
)
def test_no_name_of_a_team_a_system_or_a_baseline_is_a_formula(team: Team, name: str) -> None:
    by = team.members.get()
    at = clock.database_now()
    asked = partial(
        register.request_registration, task=team.task, name=name, by=person("elm"), rules_version=1, at=at
    )
    described = partial(describe.describe, system=team.primary_system, name=name, by=by, at=at)
    entered = partial(enter_baseline, task=team.task, name=name, by=by, reason="a reason", at=at)
    for act in (asked, described, entered):
        assert refusal_of(act) == "name-as-formula"


def test_names_are_one_line_and_used_once_in_a_task(task: Task, settings: Any) -> None:
    settings.ACCOUNT_RATE_LIMITS = {"register_team": "6/d/user"}
    create_team(signed_in(person("ash")), "  Alder \n Group ")
    assert Team.objects.get().name == "Alder Group"
    elm = signed_in(person("elm"))
    assert "already has the name alder group" in create_team(elm, "alder group").content.decode()
    assert create_team(elm, "Al\u202eder").status_code == 400
    assert create_team(elm, "=HYPERLINK(0)").status_code == 400
    for alike in ("Аldеr Group", "Ａｌｄｅｒ-Group"):
        assert "or a similar one" in create_team(elm, alike).content.decode()
    assert Team.objects.count() == 1
    Task.objects.update(pseudonymous=True)
    Team.objects.update(pseudonym="Owl")
    assert "already has the pseudonym OWL" in create_team(elm, "Elm", pseudonym="OWL").content.decode()
    stopped = create_team(elm, "Elm")
    assert stopped.status_code == 429, "nobody tries out all names, or floods organisers with mails"
    assert "Please try again in 24 hours." in stopped.content.decode()
    assert Team.objects.count() == 1


def test_one_person_joins_one_team_even_through_two_links_at_once(task: Task) -> None:
    at = clock.database_now()
    for round in range(5):
        ash = person(f"ash{round}")
        teams = [register.register(task=task, name=f"Team {round} {n}") for n in range(4)]
        tokens = [invite.invite(team=team, by=ash, at=at) for team in teams]
        refusals = at_once(
            *[partial(refusal_of, partial(invite.join, token=token, by=ash, at=at)) for token in tokens]
        )
        assert sorted(refusals) == ["", *["already-in-a-team"] * 3]
        assert Membership.objects.filter(user=ash).count() == 1
        unused = Invitation.objects.filter(team__in=teams).usable(at=at)
        assert unused.count() == 3, "an invitation that did not lead anywhere can still be used"


def test_of_many_people_with_one_link_one_joins(task: Task) -> None:
    at = clock.database_now()
    people = [person(f"tree{number}") for number in range(6)]
    team = register.register(task=task, name="Alder")
    token = invite.invite(team=team, by=people[0], at=at)
    joins = [partial(refusal_of, partial(invite.join, token=token, by=item, at=at)) for item in people]
    assert sorted(at_once(*joins)) == ["", *["invitation-unusable"] * 5]
    assert team.members.count() == 1


def test_two_windows_cannot_found_two_teams(task: Task) -> None:
    at, ash = clock.database_now(), person("ash")
    ask = partial(register.request_registration, task=task, by=ash, rules_version=1, at=at)
    refusals = at_once(*[partial(refusal_of, partial(ask, name=f"Team {n}")) for n in range(4)])
    assert sorted(refusals) == ["", *["already-in-a-team"] * 3]
    assert Team.objects.count() == 1
    assert System.objects.count() == 1


def test_used_revoked_old_and_invented_invitations_open_nothing(task: Task) -> None:
    ash, elm = signed_in(person("ash")), signed_in(person("elm"))
    create_team(ash, "Alder")
    used, revoked, old = (invitation_of(ash) for _ in range(3))
    for path in (used, revoked, old):
        token = path.split("/")[2]
        assert not Invitation.objects.filter(token_sha256__contains=token).exists()
        assert len(token) >= 40
    hashes = [invite.hash_token(path.split("/")[2]) for path in (used, revoked, old)]
    assert signed_in(person("yew")).post(used).status_code == 302
    public_id = Invitation.objects.get(token_sha256=hashes[1]).public_id
    assert elm.post(f"/tasks/tiny/team/revoke/{public_id}/").status_code == 404, "a stranger cannot revoke"
    ash.post(f"/tasks/tiny/team/revoke/{public_id}/")
    Invitation.objects.filter(token_sha256=hashes[2]).update(expires_at=clock.database_now())
    answers = set()
    for path in (used, revoked, old, "/join/invented/"):
        assert elm.get(path).status_code == 404
        refused = elm.post(path)
        assert refused.status_code == 400
        page = re.sub(r'name="csrfmiddlewaretoken" value="\w+"', "", refused.content.decode())
        answers.add(page)
    assert len(answers) == 1, "the pages do not tell which it was"
    assert not Membership.objects.filter(user__username="elm").exists()


def test_opening_an_invitation_does_not_use_it(task: Task) -> None:
    ash = signed_in(person("ash"))
    create_team(ash, "Alder")
    path = invitation_of(ash)
    elm = signed_in(person("elm"))
    elm.get(path)
    elm.get(path)
    assert elm.post(path).status_code == 302


def test_the_number_of_open_invitations_is_limited(task: Task) -> None:
    at, ash = clock.database_now(), person("ash")
    team = register.register(task=task, name="Alder", members=[ash])
    for _ in range(invite.MAX_OPEN):
        invite.invite(team=team, by=ash, at=at)
    assert refusal_of(lambda: invite.invite(team=team, by=ash, at=at)) == "too-many-invitations"
    assert invite.invite(team=team, by=ash, at=at + invite.VALID_FOR + timedelta(seconds=1))


def test_leaving_revokes_own_invitations_and_keeps_results(team: Team, member: User, upload: Upload) -> None:
    at = clock.database_now()
    elm = person("elm")
    Membership.objects.create(user=elm, team=team, task=team.task)
    token = invite.invite(team=team, by=elm, at=at)
    client = signed_in(elm)
    assert "Leave Alder?" in client.get("/tasks/tiny/team/leave/").content.decode()
    client.post("/tasks/tiny/team/leave/")
    assert not Membership.objects.filter(user=elm).exists()
    assert invite.find_usable(token, at=at) is None
    upload(good_archive())
    leave(team=team, by=member, at=at)
    assert Team.objects.filter(pk=team.pk).exists(), "a team with runs stays"
    empty = register.register(task=team.task, name="Birch", members=[elm])
    leave(team=empty, by=elm, at=at)
    assert not Team.objects.filter(pk=empty.pk).exists(), "one without runs frees its name"


def test_deleting_an_account_keeps_scored_results(
    team: Team, member: User, upload: Upload, work: Callable[[], None]
) -> None:
    run = upload(good_archive())
    work()
    before = list(Score.objects.order_by("pk").values("counts", "signature", "state"))
    client = Client()
    client.force_login(member)
    assert client.get("/account/delete/").headers["Location"].startswith("/account/again/")
    client.post("/account/again/?next=/account/delete/", {"password": "a long password"})
    assert "cannot be undone" in client.get("/account/delete/").content.decode()
    assert "Your account has been deleted" in client.post("/account/delete/").content.decode()
    assert not User.objects.filter(pk=member.pk).exists()
    assert not Notice.objects.exists()
    run.refresh_from_db()
    assert (run.uploaded_by, run.state, run.team) == (None, "scored", team)
    assert list(Score.objects.order_by("pk").values("counts", "signature", "state")) == before
    assert "Alder" in Client().get(run.get_absolute_url()).content.decode()
    assert client.get("/account/").status_code == 302, "the session ended with the account"


def test_organisers_add_and_remove_others_but_never_the_last_one(task: Task, settings: Any) -> None:
    settings.ORGANISERS_NEED_SECOND_FACTOR = False
    oak, elm = person("oak"), person("elm")
    task.organisers.add(oak)
    client, page = signed_in(oak), "/tasks/tiny/organise/organisers/"
    password_again(client, "/account/")
    assert "only organiser of A tiny task" in client.post("/account/delete/").content.decode()

    def post_form(client: Client, **form: str) -> str:
        return client.post(page, {"reason": "help"} | form, follow=True).content.decode()

    assert signed_in(elm).post(page, {"name": "elm", "reason": "mine"}).status_code == 404
    assert "Please give a reason" in post_form(client, name="elm", reason="")
    assert "No account has this sign-in name" in post_form(client, name="el\0")
    assert "Add another one first" in post_form(client, name="oak", act="remove")
    assert "The organiser has been added" in post_form(client, name="elm")
    assert set(task.organisers.all()) == {oak, elm}
    assert "A tiny task" in post_form(client, name="oak", act="remove"), "who is out is led to the task"
    assert list(task.organisers.all()) == [elm]
    assert [entry.action for entry in task.audit.all()[:2]] == ["remove-organiser", "add-organiser"]
    delete_account(user=oak, at=clock.database_now())


def test_systems_are_described_and_one_is_primary(team: Team, member: User) -> None:
    client = signed_in(member)
    form = {
        "name": "Second",
        "description": "A *graph-based* parser. <script>alert(1)</script>",
        "paper_url": "https://example.org/paper.pdf",
        "about_parser": ["graph", "transition"],
        "about_extra_data": "none",
        "about_words": "joint",
    }
    created = client.post("/tasks/tiny/systems/new/", form)
    system = System.objects.get(name="Second")
    assert system.questionnaire == {
        "words": "joint",
        "parser": ["graph", "transition"],
        "extra_data": "none",
    }
    page = client.get(created.headers["Location"]).content.decode()
    assert "<em>graph-based</em>" in page
    assert "<script>alert" not in page
    assert "graph-based, transition-based" in page
    assert "our own, jointly with parsing" in page
    assert client.post("/tasks/tiny/systems/new/", form).status_code == 400, "a name is used once"
    assert (
        client.post("/tasks/tiny/systems/new/", form | {"name": "X", "code_url": "javascript:x"}).status_code
        == 400
    )
    edit = f"/tasks/tiny/systems/{system.public_id}/edit/"
    assert 'value="graph" id="id_about_parser_0" checked' in client.get(edit).content.decode()
    client.post(f"/tasks/tiny/systems/{system.public_id}/primary/")
    assert team.primary_system == system
    assert team.systems.filter(is_primary=True).count() == 1
    stranger = signed_in(person("elm"))
    for path in ("", "edit/"):
        assert stranger.get(f"/tasks/tiny/systems/{system.public_id}/{path}").status_code == 404
    assert stranger.post(f"/tasks/tiny/systems/{system.public_id}/primary/").status_code == 404
    Task.objects.update(results_published_at=clock.database_now())
    assert Client().get(f"/tasks/tiny/systems/{system.public_id}/").status_code == 200


def test_the_primary_system_is_fixed_when_the_test_closes(blind_team: Team, member: User) -> None:
    at = clock.database_now()
    second = describe.add_system(team=blind_team, by=member, at=at, name="Second")
    describe.make_primary(system=second, by=member, at=at)
    Phase.objects.filter(task=blind_team.task).update(closes_at=at)
    first = blind_team.systems.get(is_primary=False)
    error = refusal_of(lambda: describe.make_primary(system=first, by=member, at=at))
    assert error == "primary-cannot-change"
    assert blind_team.primary_system == second


def test_the_dashboard_says_what_needs_attention_with_few_queries(
    team: Team, member: User, upload: Upload, django_assert_max_num_queries: Any
) -> None:
    Phase.objects.update(runs_per_day=2, closes_at=clock.database_now() + timedelta(days=1))
    upload(good_archive())
    client = signed_in(member)
    page = client.get("/tasks/tiny/team/").content.decode()
    assert "1 today" in page
    assert "main has no description yet" in page
    upload(good_archive())
    Run.objects.update(state="refused")
    with django_assert_max_num_queries(25):
        page = client.get("/tasks/tiny/team/").content.decode()
    assert "quota in Open phase is used up" in page
    assert "Your latest run (run 2) was refused" in page
