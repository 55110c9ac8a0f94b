"""A team's page: one next step, what needs attention, what is left, and runs that are followed."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from sharedtask.accounts.models import User
from sharedtask.competition.models import Phase, Task
from sharedtask.core import clock
from sharedtask.overview.attention import attention, next_step
from sharedtask.overview.dashboard import Dashboard, build_dashboard
from sharedtask.submissions.models import Message, Run
from sharedtask.teams.models import Team
from tests.sharedtask.support.building import TWO_ROOTS, good_archive

pytestmark = pytest.mark.django_db(transaction=True)


def board(member: User, team: Team) -> Dashboard:
    team = Team.objects.select_related("task").get(pk=team.pk)
    return build_dashboard(member, team.task, team, at=clock.database_now())


def sentences(member: User, team: Team) -> str:
    return " ".join(item.sentence for item in attention(board(member, team), at=clock.database_now()))


def step(member: User, team: Team) -> str:
    return next_step(board(member, team)).sentence


def test_there_is_one_next_step_in_every_state(
    blind_task: Task, blind_team: Team, member: User, upload: Callable[..., Run], work: Callable[[], None]
) -> None:
    Phase.objects.update(closes_at=clock.database_now() + timedelta(days=1), runs_per_day=2)
    assert step(member, blind_team) == "Upload your first run in Test phase."
    assert "You have no official run in Test phase yet." in sentences(member, blind_team)
    Team.objects.update(registration="requested")
    assert "not confirmed your registration yet" in step(member, blind_team)
    Task.objects.update(rules_version=2)
    assert "Please read and accept" in step(member, blind_team), "what the team itself can do comes first"
    Team.objects.update(registration="confirmed", rules_version=2)

    upload(good_archive(en_two=TWO_ROOTS), team=blind_team)
    work()
    assert step(member, blind_team) == "Run 1 has 1 invalid file. Correct it and amend the run."
    assert "no official run" not in sentences(member, blind_team)
    Phase.objects.create(
        task=blind_task,
        code="dev",
        kind="development",
        title="Dev",
        feedback="scores",
        opens_at="2026-01-01T00:00Z",
    )
    upload(good_archive(), team=blind_team, phase=blind_task.phases.get(kind="test"))
    work()
    assert "All done. You can upload more runs" in step(member, blind_team), "Dev does not press"
    Phase.objects.filter(code="dev").delete()
    assert step(member, blind_team) == "Your quota is used up for now."
    assert "Your quota in Test phase is used up for now." in sentences(member, blind_team)
    Phase.objects.update(closes_at=clock.database_now())
    assert "No phase is open or scheduled" in step(member, blind_team)


def test_a_failure_of_ours_is_told_and_is_not_the_teams_next_step(
    team: Team, member: User, upload: Callable[..., Run]
) -> None:
    upload(good_archive())
    Run.objects.update(state="failed")
    assert "The check of run 1 failed because of a server error." in sentences(member, team)
    assert "failed" not in step(member, team)


def test_a_released_message_is_brought_to_attention_and_a_held_one_is_not(
    team: Team, member: User, upload: Callable[..., Run]
) -> None:
    message = Message.objects.create(run=upload(good_archive()), original="The gold says otherwise.")
    assert "sent you a message" not in sentences(member, team)
    message.released_at = clock.database_now()
    message.save()
    assert "The organisers sent you a message about run 1." in sentences(member, team)


def test_a_teams_page_asks_as_often_for_many_phases_and_runs(
    client: Client, team: Team, member: User, upload: Callable[..., Run]
) -> None:
    client.force_login(member)
    upload(good_archive())

    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            assert client.get("/tasks/tiny/team/").status_code == 200
        return len(captured)

    def more_phases(numbers: range) -> None:
        for number in numbers:
            phase = Phase.objects.create(
                task=team.task,
                code=f"more{number}",
                kind="test" if number % 2 else "trial",
                title=f"More {number}",
                feedback="validity",
                opens_at=clock.database_now() - timedelta(days=1),
                runs_per_day=3,
            )
            upload(good_archive(), phase=phase)

    more_phases(range(2))
    few = queries()
    more_phases(range(2, 6))
    assert queries() == few


def test_the_list_of_runs_follows_them_until_all_are_final(
    client: Client, team: Team, member: User, upload: Callable[..., Run], work: Callable[[], None]
) -> None:
    upload(good_archive(en_two=""))
    client.force_login(member)
    page = client.get("/tasks/tiny/team/").content.decode()
    poll = re.search(r'hx-get="(/tasks/tiny/team/runs/[^"]+)"', page)
    assert poll is not None
    assert client.get(poll[1]).status_code == 204, "nothing has changed since the page was made"
    work()
    changed: Any = client.get(poll[1])
    assert changed.status_code == 200
    fragment = changed.content.decode()
    assert "1 valid" in fragment
    assert "1 missing" in fragment
    assert "hx-get" not in fragment


def test_others_find_no_list_of_runs(client: Client, team: Team) -> None:
    client.force_login(User.objects.create_user("stranger", password="a long password"))
    assert client.get("/tasks/tiny/team/runs/").status_code == 404
