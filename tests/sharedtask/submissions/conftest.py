"""What tests of organisers' acts on runs share."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from sharedtask.accounts.models import User
from sharedtask.competition.models import Task


@pytest.fixture
def organiser(blind_task: Task) -> User:
    user = User.objects.create_user("organiser")
    blind_task.organisers.add(user)
    return user


@pytest.fixture
def desk(organiser: User, settings: Any) -> Client:
    """The organiser's browser; the second factor is tested elsewhere."""
    settings.ORGANISERS_NEED_SECOND_FACTOR = False
    client = Client()
    client.force_login(organiser)
    return client
