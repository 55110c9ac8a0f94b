"""The database account of airlock workers can claim executions and report on them, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.db import ProgrammingError, connection

from sharedtask.software.models import Execution, SystemVersion
from sharedtask.software.request_execution import request_execution
from tests.machinery.site import ROOT
from tests.sharedtask.software.conftest import perfect
from tests.sharedtask.support.scripted_engine import Script
from tests.sharedtask.support.software import run_in_airlock

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def as_airlock(version: SystemVersion) -> Iterator[Execution]:
    """An execution waits; from then on this connection has the rights of the account."""
    execution = request_execution(version=version, phase=version.system.team.task.phases.get(), by=None)
    with connection.cursor() as cursor:
        cursor.execute((ROOT / "deploy" / "airlock.sql").read_text(encoding="utf-8"))
        cursor.execute("SET ROLE airlock")
    yield execution
    with connection.cursor() as cursor:
        cursor.execute("RESET ROLE")


def test_its_rights_are_enough_for_an_execution(as_airlock: Execution) -> None:
    run_in_airlock(as_airlock, Script(write=perfect, observations=2))
    as_airlock.refresh_from_db()
    assert as_airlock.state == Execution.State.ENDED
    assert set(as_airlock.outputs) == {"de_one", "en_two"}


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT * FROM accounts_user",
        "SELECT * FROM competition_goldversion",
        "SELECT * FROM submissions_run",
        "INSERT INTO software_execution (public_id) VALUES ('x')",
        "DELETE FROM software_execution",
        "UPDATE software_execution SET instructions = '{}'",
        "UPDATE software_execution SET uses_quota = false",
        "UPDATE software_execution SET released_log = 'x'",
    ],
)
def test_it_has_no_other_rights(as_airlock: Execution, statement: str) -> None:
    with pytest.raises(ProgrammingError, match="permission denied"), connection.cursor() as cursor:
        cursor.execute(statement)
