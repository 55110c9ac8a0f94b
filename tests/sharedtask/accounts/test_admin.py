"""Accounts on the command line and in the admin: the name in one field, for superusers only."""

from __future__ import annotations

import pytest
from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.test import Client

from sharedtask.accounts.models import User

pytestmark = pytest.mark.django_db
ADMIN = "/admin/accounts/user/"


@pytest.fixture
def root(monkeypatch: pytest.MonkeyPatch) -> User:
    monkeypatch.setenv("DJANGO_SUPERUSER_PASSWORD", "a long password")
    call_command("createsuperuser", "--no-input", username="root", email="root@example.org")
    return User.objects.get(username="root")


@pytest.fixture
def admin(root: User) -> Client:
    client = Client()
    client.force_login(root)
    return client


def test_the_account_is_the_sites_own_and_has_one_field_for_the_name(root: User) -> None:
    assert get_user_model() is User
    assert root.is_superuser
    root.full_name = "Gabriel José García Márquez"
    assert root.get_full_name() == root.get_short_name() == "Gabriel José García Márquez"
    names = {field.name for field in User._meta.get_fields()}
    assert "full_name" in names
    assert not names & {"first_name", "last_name"}


def test_a_superuser_finds_makes_and_changes_accounts(admin: Client) -> None:
    form = {"username": "ash", "full_name": "Ash Tree", "email": "ash@example.org"}
    form |= {"usable_password": "true", "password1": "a long password", "password2": "a long password"}
    assert admin.get(ADMIN + "add/").status_code == 200
    assert admin.post(ADMIN + "add/", form).status_code == 302
    ash = User.objects.get(username="ash")
    assert ash.full_name == "Ash Tree"
    assert ash.check_password("a long password")
    assert "Ash Tree" in admin.get(ADMIN + "?q=Tree").content.decode()
    page = admin.get(f"{ADMIN}{ash.pk}/change/").content.decode()
    assert 'value="Ash Tree"' in page
    changed = {
        "username": "ash",
        "full_name": "Ash Elm",
        "email": "ash@example.org",
        "is_active": "on",
        "date_joined_0": "2026-01-01",
        "date_joined_1": "12:00:00",
    }
    assert admin.post(f"{ADMIN}{ash.pk}/change/", changed).status_code == 302
    ash.refresh_from_db()
    assert ash.full_name == "Ash Elm"


def test_nobody_else_sees_accounts(client: Client, member: User) -> None:
    for is_staff in (False, True):
        User.objects.filter(pk=member.pk).update(is_staff=is_staff)
        client.force_login(User.objects.get(pk=member.pk))
        assert client.get(ADMIN).status_code in (302, 403, 404)
