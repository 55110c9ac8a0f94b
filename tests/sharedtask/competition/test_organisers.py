"""Organisers are found by their sign-in name or by an e-mail address that they have confirmed."""

from __future__ import annotations

import pytest
from allauth.account.models import EmailAddress

from sharedtask.accounts.models import User
from sharedtask.competition.models import AuditEntry, Task
from sharedtask.competition.organisers import add_organiser
from sharedtask.core.errors import Refusal

pytestmark = pytest.mark.django_db


def account(name: str, address: str, *, confirmed: bool, is_active: bool = True) -> User:
    user = User.objects.create_user(name, email=address, password="a long password", is_active=is_active)
    EmailAddress.objects.create(user=user, email=address, verified=confirmed, primary=True)
    return user


def test_an_organiser_is_added_by_a_confirmed_address_in_any_case(task: Task) -> None:
    elm = account("elm-7f3k", "Elm@example.org", confirmed=True)
    add_organiser(task=task, name=" elm@EXAMPLE.org ", by=None, reason="Help.")
    assert list(task.organisers.all()) == [elm]
    assert AuditEntry.objects.get(action="add-organiser").subject == "elm-7f3k"


@pytest.mark.parametrize(("confirmed", "is_active"), [(False, True), (True, False)])
def test_an_address_that_is_not_confirmed_or_of_a_closed_account_is_refused(
    task: Task, confirmed: bool, is_active: bool
) -> None:
    account("elm-7f3k", "elm@example.org", confirmed=confirmed, is_active=is_active)
    with pytest.raises(Refusal, match="or confirmed e-mail address"):
        add_organiser(task=task, name="elm@example.org", by=None, reason="Help.")
    assert not task.organisers.exists()
