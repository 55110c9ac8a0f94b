"""Reading a page changes nothing: no row is written and no work is handed out, whoever looks."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from allauth.account.internal.flows.login import record_authentication
from django.core.management import call_command
from django.http import HttpRequest
from django.test import Client

from sharedtask.accounts.models import User
from sharedtask.competition.models import StandingRequest, Task
from tests.sharedtask.support import scenery
from tests.sharedtask.support.every_page import BY_ROLE, EXPECTED
from tests.sharedtask.support.reading import Written, nothing_written

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]


def test_no_page_writes_when_it_is_read(
    tmp_path: Path, dispatched: list[Any], work: Callable[[], None], settings: Any
) -> None:
    settings.ORGANISERS_NEED_SECOND_FACTOR = False
    call_command("load_demo")
    scenery.set_the_scene(tmp_path / "blind")
    work()
    scenery.finish_the_scene()
    ids = json.loads(scenery.addresses())
    dispatched.clear()
    wrong = {}
    for who, pages in BY_ROLE.items():
        client = Client()
        if who:
            user = User.objects.get(username=who)
            client.force_login(user)
            confirm_password(client, user)
        for name, address in pages.items():
            try:
                with nothing_written():
                    status = client.get(address.format(**ids)).status_code
            except Written as written:
                wrong[name] = str(written)
                continue
            assert status == EXPECTED.get(name, 200), name
            if dispatched:
                wrong[name] = str(dispatched)
                dispatched.clear()
    assert wrong == {}


def confirm_password(client: Client, user: User) -> None:
    """As if the person had just entered it, which some pages require."""
    request = HttpRequest()
    request.session = client.session
    record_authentication(request, user, "password", reauthenticated=True)
    request.session.save()


def test_the_guard_sees_a_write(task: Task) -> None:
    phase = task.phases.get()
    with pytest.raises(Written, match="competition_standingrequest"), nothing_written():
        StandingRequest.objects.create(phase=phase)
