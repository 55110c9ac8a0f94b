"""Organisers retry, with a reason, what failed because of a server error."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from sharedtask.accounts.models import User
from sharedtask.competition.models import AuditEntry, Task
from sharedtask.core.errors import Refusal
from sharedtask.submissions import check, score
from sharedtask.submissions.kinds import RETRIES
from sharedtask.submissions.models import Run, Score
from sharedtask.submissions.retry_failed import retry_run
from sharedtask.work import targets
from tests.sharedtask.support.building import good_archive
from tests.sharedtask.support.sending import Sent

pytestmark = pytest.mark.django_db(transaction=True)
MAX_ATTEMPTS = RETRIES.max_attempts or 0
Upload = Callable[..., Run]
Work = Callable[[], None]
Messages = list[Sent]


@pytest.fixture
def organiser(task: Task) -> User:
    user = User.objects.create_user("organiser")
    task.organisers.add(user)
    return user


@pytest.fixture
def desk(organiser: User) -> Client:
    client = Client()
    client.force_login(organiser)
    return client


@pytest.fixture
def failed(upload: Upload, work: Work, dispatched: Messages) -> Callable[..., Run]:
    """A run that failed permanently at the given step."""

    def failed(monkeypatch: pytest.MonkeyPatch, module: Any, step: str) -> Run:
        run = upload(good_archive())
        with monkeypatch.context() as broken:
            broken.setattr(module, step, lambda work: 1 / 0)
            for _ in range(MAX_ATTEMPTS):
                work()
                Run.objects.update(claimed_until=None)
                Score.objects.update(claimed_until=None)
                dispatched.append((targets.CHECK_RUN, [run.public_id]))
                dispatched.extend((targets.SCORE_FILES, [score.public_id]) for score in Score.objects.all())
            work()
        run.refresh_from_db()
        assert run.state == "failed"
        return run

    return failed


@pytest.mark.parametrize(("module", "step"), [(check, "check_file"), (score, "score_file")])
def test_a_failed_run_is_finished_after_a_retry(
    failed: Callable[..., Run],
    work: Work,
    desk: Client,
    monkeypatch: pytest.MonkeyPatch,
    module: Any,
    step: str,
) -> None:
    run = failed(monkeypatch, module, step)
    address = f"/tasks/tiny/organise/runs/{run.public_id}/retry/"
    assert "Please give a reason" in desk.post(address, {"reason": " "}, follow=True).content.decode()
    run.refresh_from_db()
    assert run.state == "failed"
    desk.post(address, {"reason": "the disk was full"})
    work()
    run.refresh_from_db()
    assert (run.state, run.attempts, run.failure) == ("scored", 0, {})
    assert Score.objects.filter(file__run=run).done().count() == 2
    entry = AuditEntry.objects.get(action="retry-run")
    assert (entry.reason, entry.details["before"]) == ("the disk was full", "failed")


def test_everything_that_failed_in_a_task_is_retried_at_once(
    failed: Callable[..., Run], work: Work, desk: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = [failed(monkeypatch, check, "check_file") for _ in range(2)]
    page = desk.get("/tasks/tiny/organise/").content.decode()
    assert "Retry all" in page
    answer = desk.post("/tasks/tiny/organise/retry/", {"reason": "fixed"}, follow=True)
    assert "Retrying 2 runs and the analysis of 0 outputs." in answer.content.decode()
    work()
    assert set(Run.objects.filter(pk__in=[run.pk for run in runs]).values_list("state", flat=True)) == {
        "scored"
    }
    assert AuditEntry.objects.filter(action="retry-run").count() == 2


def test_a_failed_score_of_a_finished_run_is_retried(upload: Upload, work: Work, organiser: User) -> None:
    """As after a gold fix: the run has scores against the previous version."""
    run = upload(good_archive())
    work()
    Score.objects.filter(pk=Score.objects.earliest("pk").pk).update(state="failed", attempts=4)
    retry_run(run=run, by=organiser, reason="fixed")
    assert Run.objects.get(pk=run.pk).state == "scored"
    assert Score.objects.earliest("pk").state == "waiting"
    work()
    assert Score.objects.done().count() == 2


def test_a_run_that_has_not_failed_is_not_retried(upload: Upload, work: Work, organiser: User) -> None:
    run = upload(good_archive())
    work()
    with pytest.raises(Refusal, match="No part of this run has failed"):
        retry_run(run=run, by=organiser, reason="why not")
    assert not AuditEntry.objects.filter(action="retry-run").exists()


def test_only_an_organiser_can_retry(
    failed: Callable[..., Run], client: Client, member: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = failed(monkeypatch, check, "check_file")
    client.force_login(member)
    for address in (f"runs/{run.public_id}/retry/", "retry/"):
        assert client.post(f"/tasks/tiny/organise/{address}", {"reason": "please"}).status_code == 404
    run.refresh_from_db()
    assert run.state == "failed"
