"""Entries of the audit log cannot be changed, on either database, and read as text."""

from __future__ import annotations

import re
import sqlite3
from datetime import UTC, datetime
from pathlib import Path

import pytest
from django.db import DatabaseError, connection, transaction
from django.db.models import ProtectedError

from sharedtask.accounts.models import User
from sharedtask.competition import audit
from sharedtask.competition.audit_actions import LABELS, action_label
from sharedtask.competition.models import AuditEntry, Task
from sharedtask.core import clock


@pytest.fixture
def entry(task: Task, member: User) -> AuditEntry:
    return audit.write(task=task, who=member, action="extend", subject="a phase", reason="a power cut")


@pytest.mark.django_db
@pytest.mark.parametrize(
    "verb", ["UPDATE competition_auditentry SET reason = ''", "DELETE FROM competition_auditentry"]
)
def test_postgresql_refuses_to_change_an_entry(entry: AuditEntry, verb: str) -> None:
    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
        connection.cursor().execute(verb)
    assert AuditEntry.objects.get(action="extend").reason == "a power cut"


@pytest.mark.django_db
def test_django_refuses_too(entry: AuditEntry, task: Task) -> None:
    entry.reason = "no reason"
    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
        entry.save()
    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
        entry.delete()
    with pytest.raises(TypeError):
        AuditEntry.objects.all().delete()
    with pytest.raises(TypeError):
        AuditEntry.objects.update(reason="")
    with pytest.raises(ProtectedError):
        task.delete()


@pytest.mark.django_db
def test_an_entry_outlives_the_account_of_who_acted(entry: AuditEntry, member: User) -> None:
    member.delete()
    row = AuditEntry.objects.get(action="extend")
    assert (row.who_name, row.action, row.reason) == ("member", "extend", "a power cut")


def test_details_read_as_text() -> None:
    details = {
        "leaves_unranked": True,
        "note": "",
        "standings": {"test official": {"id": "a1", "signature": "arboretum|x"}},
        "changes": ["add phase test", "add phase post"],
        "closes_at": None,
    }
    assert dict(AuditEntry(details=details).labelled_details) == {
        "leaves unranked": ["yes"],
        "note": ["none"],
        "standings": ["test official: id: a1, signature: arboretum|x"],
        "changes": ["add phase test", "add phase post"],
        "closes at": ["none"],
    }


def test_every_action_that_is_written_has_a_label() -> None:
    package = Path(audit.__file__).parents[1]
    source = "\n".join(path.read_text(encoding="utf-8") for path in package.rglob("*.py"))
    written = set(re.findall(r'\baction(?:: str = |=)"([a-z-]+)"', source))
    written |= set(re.findall(r'\baction="[a-z-]+" if .* else "([a-z-]+)"', source))
    written |= set(re.findall(r'\b(?:write|write_audit_entry|record)\(\w+, (?:\w+, )+"([a-z-]+)"', source))
    written |= set(re.findall(r'\bwrite_audit_entry\("([a-z-]+)"', source))
    assert written == set(LABELS)
    assert action_label("an-old-action") == "An old action"


@pytest.mark.parametrize(
    "verb", ["UPDATE competition_auditentry SET reason = ''", "DELETE FROM competition_auditentry"]
)
def test_sqlite_refuses_to_change_an_entry(embedded: dict[str, str], verb: str) -> None:
    database = sqlite3.connect(Path(embedded["DATA_DIR"]) / "db.sqlite3")
    database.execute(
        "INSERT INTO competition_auditentry (at, who_name, action, subject, reason, details) "
        "VALUES ('2026-01-01', 'member', 'extend', 'a phase', 'a power cut', '{}')"
    )
    with pytest.raises(sqlite3.IntegrityError, match="append-only"):
        database.execute(verb)
    assert database.execute("SELECT reason FROM competition_auditentry").fetchall() == [("a power cut",)]
    database.close()


@pytest.mark.django_db
def test_the_clock_goes_on_inside_a_transaction() -> None:
    """PostgreSQL's own now() stands still in a transaction, and a late upload would seem to be in time."""
    first = clock.database_now()
    second = clock.database_now()
    assert first < second
    assert first.tzinfo is not None
    assert abs((datetime.now(UTC) - second).total_seconds()) < 60
