from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from sharedtask.accounts.models import User
from sharedtask.teams.models import Team
from tests.sharedtask.support.tus import Tus


@pytest.fixture
def tus(client: Client, member: User, team: Team, dispatched: list[Any]) -> Tus:
    """A member of a team, signed in."""
    client.force_login(member)
    return Tus(client)
