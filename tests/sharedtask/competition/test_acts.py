"""All acts of organisers work the same: a refusal is shown on the page of the form, with the input."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db.transaction import TransactionManagementError
from django.test import Client

from sharedtask.accounts.models import User
from sharedtask.competition import audit
from sharedtask.competition.models import AuditEntry, Task
from sharedtask.submissions.models import Alarm, Message, Run
from sharedtask.teams.models import Team
from tests.sharedtask.support.building import good_archive

ORGANISE = "/tasks/blind/organise/"
TYPED = "typed by the organiser"


@pytest.fixture
def organiser(blind_task: Task) -> User:
    user = User.objects.create_user("organiser")
    blind_task.organisers.add(user)
    return user


@pytest.fixture
def desk(organiser: User, settings: Any) -> Client:
    settings.ORGANISERS_NEED_SECOND_FACTOR = False
    client = Client()
    client.force_login(organiser)
    return client


@pytest.fixture
def addresses(blind_team: Team, upload: Callable[..., Run]) -> dict[str, str]:
    run, _ = (upload(good_archive(), team=blind_team) for _ in range(2))
    alarm = Alarm.objects.create(run=run, kind="outlier", text="far below its siblings", event="an event")
    message = Message.objects.create(run=run, original="The root is word 2.")
    return {
        "run": run.public_id,
        "team": blind_team.public_id,
        "alarm": alarm.public_id,
        "message": message.public_id,
    }


# Each form is complete but for one thing, and has something else that must not be lost.
REFUSED = {
    "reject": (ORGANISE + "runs/{run}/reject/", {"reason": " "}, "Please give a reason", ""),
    "mark official": (ORGANISE + "runs/{run}/mark-official/", {"reason": ""}, "Please give a reason", ""),
    "restore": (ORGANISE + "runs/{run}/restore/", {"reason": TYPED}, "", ""),
    "notify the team": (ORGANISE + "alarms/{alarm}/notify/", {"text": TYPED}, "Please give a reason", TYPED),
    "resolve": (ORGANISE + "alarms/{alarm}/resolve/", {}, "Please give a reason", ""),
    "release a message": (ORGANISE + "messages/{message}/", {"text": TYPED}, "Please give a reason", TYPED),
    "combine": (
        ORGANISE + "runs/{run}/combine/",
        {"order": "1 9", "reason": TYPED},
        "has no run 9",
        f'value="{TYPED}"',
    ),
    "baseline": (ORGANISE + "baselines/", {"name": TYPED}, "Please give a reason", f'value="{TYPED}"'),
    "grant": (
        ORGANISE + "teams/{team}/quota/",
        {"runs": "many", "reason": TYPED},
        "a whole number",
        f'value="{TYPED}"',
    ),
    "retry on the overview": (
        ORGANISE + "overview/runs/{run}/retry/",
        {"reason": TYPED},
        "No part of this run has failed",
        "<h1>Organise</h1>",
    ),
    "resolve on the overview": (
        ORGANISE + "overview/alarms/{alarm}/resolve/",
        {},
        "Please give a reason",
        "<h1>Organise</h1>",
    ),
    "resolve a shared alarm": (
        ORGANISE + "overview/alarms/{alarm}/resolve-all/",
        {},
        "Please give a reason",
        "<h1>Organise</h1>",
    ),
    "preview": ("/tasks/blind/preview/begin/", {"view_as": "visitor", "at": "soon"}, "Enter a time", "soon"),
    "retry": (ORGANISE + "retry/", {"reason": " "}, "Please give a reason", ""),
    "extend": (
        ORGANISE + "calendar/",
        {"phase": "test", "closes_at": "soon", "reason": TYPED},
        "a time such as",
        f'value="{TYPED}"',
    ),
    "change times": (
        ORGANISE + "calendar/test/",
        {"opens_at": "never", "reason": TYPED},
        "a time such as",
        f'value="{TYPED}"',
    ),
    "announce": (ORGANISE + "announce/", {"subject": TYPED}, "needs a subject", f'value="{TYPED}"'),
    "organiser": (
        ORGANISE + "organisers/",
        {"name": "nobody", "reason": TYPED},
        "No account has this sign-in name",
        f'value="{TYPED}"',
    ),
    "publish": ("/tasks/blind/publish/", {"note": TYPED}, "Please give a reason", f'value="{TYPED}"'),
    "release gold": (
        ORGANISE + "gold/release/",
        {"code": ["nowhere"], "reason": TYPED},
        "nowhere has no gold to release",
        f'value="{TYPED}"',
    ),
    "put in force": (ORGANISE + "gold/put-in-force/", {"reason": TYPED}, "has changed since", ""),
    "export": (ORGANISE + "folder/export/", {"reason": " "}, "Please give a reason", ""),
    "edit": (
        ORGANISE + "settings/texts/",
        {"title": TYPED, "summary": "One sentence.", "description": "Some."},
        "Please give a reason",
        f'value="{TYPED}"',
    ),
    "import": (ORGANISE + "folder/", {"reason": TYPED}, "Please choose the zip", f'value="{TYPED}"'),
}


@pytest.mark.django_db
@pytest.mark.parametrize("act", REFUSED)
def test_a_refusal_is_shown_on_the_page_of_the_form_with_the_input(
    desk: Client, addresses: dict[str, str], act: str
) -> None:
    address, form, sentence, remaining = REFUSED[act]
    before = AuditEntry.objects.count()
    filled = {
        name: value.format(**addresses) if isinstance(value, str) else value for name, value in form.items()
    }
    answer = desk.post(address.format(**addresses), filled)
    page = answer.content.decode()
    assert answer.status_code == 409
    alert = page.partition('role="alert"')[2].partition("</div>")[0]
    assert alert
    assert sentence in alert
    assert remaining in page
    assert 'class="task-nav second"' in page
    assert AuditEntry.objects.count() == before


@pytest.mark.django_db(transaction=True)
def test_the_log_is_written_in_the_transaction_of_the_act_or_not_at_all(blind_task: Task) -> None:
    with pytest.raises(TransactionManagementError):
        audit.write(task=blind_task, who=None, action="reject-run", subject="a run")
    assert not AuditEntry.objects.filter(action="reject-run").exists()
