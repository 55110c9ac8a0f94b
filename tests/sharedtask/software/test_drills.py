"""What goes wrong around an execution: lost workers, an absent engine or storage, stops, deadlines."""

from __future__ import annotations

import errno
import io
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from unittest.mock import Mock

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from airlock.engine import EngineFailure, EngineUnavailable, RunLost, RunSpec
from airlock.engine.preflight import ProbeResult
from sharedtask.accounts.models import User
from sharedtask.competition.models import Phase
from sharedtask.core import clock, storage
from sharedtask.core.errors import Refusal
from sharedtask.operations.sweep import sweep
from sharedtask.software import execute, notify, report
from sharedtask.software.kinds import RETRIES, RunSoftware
from sharedtask.software.management.commands import airlock
from sharedtask.software.models import Execution, SystemVersion
from sharedtask.software.replicate import request_replication
from sharedtask.software.request_execution import request_execution
from sharedtask.software.stop import TIME_FOR_A_WORKER, restart, stop_by_organiser, stop_by_team
from sharedtask.submissions.models import Run
from sharedtask.teams.models import Notice
from sharedtask.work.claim import claim
from sharedtask.work.lease import LEASE
from sharedtask.work.perform import perform
from sharedtask.work.targets import RUN_SOFTWARE
from tests.sharedtask.software.conftest import perfect
from tests.sharedtask.support.scripted_engine import Script, ScriptedEngine
from tests.sharedtask.support.sending import Sent
from tests.sharedtask.support.software import IMAGE_ID
from workers.airlock import remove_what_was_left

pytestmark = pytest.mark.django_db(transaction=True)

Finish = Callable[[Execution], Execution]


def request(version: SystemVersion, **values: Any) -> Execution:
    phase = version.system.team.task.phases.get()
    return request_execution(version=version, phase=phase, by=None, **values)


class Killed(BaseException):
    """As SIGKILL does, it leaves everything as it is."""


def test_a_worker_that_dies_leaves_its_container_to_the_next_one(
    version: SystemVersion, scripted: ScriptedEngine, finish: Finish, dispatched: list[Sent]
) -> None:
    execution = request(version)

    def die() -> None:
        raise Killed

    scripted.script.during = die
    with pytest.raises(Killed):
        perform(RunSoftware(), [execution.public_id])
    assert set(scripted.runs) == {execution.public_id}, "the container runs on"
    scripted.script.during = lambda: None
    assert perform(RunSoftware(), [execution.public_id]) == 0, "the lease of the dead worker has not expired"
    Execution.objects.update(claimed_by="another host:1")
    later = clock.database_now() + LEASE + timedelta(seconds=1)
    dispatched.clear()
    assert sweep(at=later).dispatched_to(RUN_SOFTWARE) == 1
    execution = finish(execution)
    assert (execution.state, execution.losses) == (Execution.State.DONE, 1)
    assert len(scripted.started) == 1, "it was taken up, not started again"
    assert Run.objects.count() == 1
    assert scripted.runs == {}


def test_two_workers_on_one_execution_give_one_result(
    version: SystemVersion, scripted: ScriptedEngine, finish: Finish
) -> None:
    """The first has lost its lease without noticing; what it reports afterwards has no effect."""
    execution = request(version)
    (first,) = claim(RunSoftware(), [execution.public_id])
    Execution.objects.update(claimed_by="another host:1")
    with pytest.raises(report.LeaseLost):
        execute.execute(first)
    assert set(scripted.runs) == {execution.public_id}, "it leaves the container to its owner"
    Execution.objects.update(claimed_by="", claimed_until=None)
    execution = finish(execution)
    assert execution.state == Execution.State.DONE
    assert Run.objects.count() == 1


@pytest.mark.parametrize(
    "error",
    [
        EngineUnavailable("No container engine answers."),
        EngineFailure("The engine was restarted."),
        ConnectionError("the storage is away"),
        OSError(errno.ENOSPC, "No space left on device"),
    ],
    ids=["engine gone", "engine restarted", "storage away", "disk full"],
)
def test_an_error_of_the_platform_is_retried_and_costs_nothing(
    version: SystemVersion,
    scripted: ScriptedEngine,
    finish: Finish,
    monkeypatch: pytest.MonkeyPatch,
    error: Exception,
) -> None:
    def fail(*args: object, **kwargs: object) -> None:
        raise error

    execution = request(version)
    with monkeypatch.context() as broken:
        broken.setattr(execute, "load_image", fail)
        perform(RunSoftware(), [execution.public_id])
    execution.refresh_from_db()
    assert (execution.attempts, execution.failure["kind"]) == (1, type(error).__name__)
    Execution.objects.update(claimed_until=None)
    assert finish(execution).state == Execution.State.DONE


def test_an_engine_that_was_restarted_runs_the_system_again(
    version: SystemVersion, scripted: ScriptedEngine, finish: Finish, member: User
) -> None:
    """It has ended the container, which still has its name."""

    def lose() -> None:
        raise RunLost("The containers of the run are gone.")

    execution = request(version)
    scripted.script.during = lose
    perform(RunSoftware(), [execution.public_id])
    assert scripted.runs == {}
    client = Client()
    client.force_login(member)
    page = client.get(execution.get_absolute_url()).content.decode()
    assert "Waiting after a server error: the server will try again." in page
    scripted.script.during = lambda: None
    Execution.objects.update(claimed_until=None)
    execution = finish(execution)
    assert (execution.state, len(scripted.started)) == (Execution.State.DONE, 2)


def test_an_execution_waits_for_an_engine_that_is_away(
    version: SystemVersion, scripted: ScriptedEngine, finish: Finish, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(url: str, ulimit_shim: bool) -> None:
        raise EngineUnavailable("No container engine answers.")

    execution = request(version)
    with monkeypatch.context() as patch:
        patch.setattr(execute, "connect", refuse)
        for _ in range(3 * (RETRIES.max_attempts or 0)):
            perform(RunSoftware(), [execution.public_id])
            Execution.objects.update(claimed_until=None)
    execution.refresh_from_db()
    assert (execution.state, execution.attempts) == (Execution.State.STARTING, 12)
    assert finish(execution).state == Execution.State.DONE


def test_the_storage_is_away_when_outputs_are_stored(
    version: SystemVersion, scripted: ScriptedEngine, finish: Finish, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*args: object) -> str:
        raise ConnectionError("the storage is away")

    execution = request(version)
    with monkeypatch.context() as broken:
        broken.setattr(storage, "store", fail)
        perform(RunSoftware(), [execution.public_id])
    assert set(scripted.runs) == {execution.public_id}, "the outputs are still in the container"
    Execution.objects.update(claimed_until=None)
    assert finish(execution).state == Execution.State.DONE
    assert len(scripted.started) == 1, "nothing is computed twice"


def test_a_platform_that_keeps_failing_gives_up_notifies_both_and_charges_nothing(
    version: SystemVersion, scripted: ScriptedEngine, finish: Finish
) -> None:
    organiser = User.objects.create_user("organiser")
    version.system.team.task.organisers.add(organiser)
    scripted.script.platform_error = True
    execution = request(version)
    for _ in range(RETRIES.max_attempts or 0):
        perform(RunSoftware(), [execution.public_id])
        Execution.objects.update(claimed_until=None)
    execution = finish(execution)
    assert (execution.state, execution.uses_quota, execution.run) == (Execution.State.FAILED, False, None)
    assert Notice.objects.filter(event=f"execution-ended:{execution.public_id}").count() == 2
    assert scripted.runs == {}
    scripted.script.platform_error = False
    again = finish(restart(execution=execution, by=organiser, reason="the engine is back"))
    assert (again.state, again.uses_quota) == (Execution.State.DONE, False)


def test_an_execution_can_be_stopped_in_every_state_before_it_has_ended(
    version: SystemVersion, scripted: ScriptedEngine, finish: Finish, member: User
) -> None:
    queued = request(version)
    stop_by_team(execution=queued, by=member)
    assert finish(queued).state == Execution.State.STOPPED
    assert scripted.started == []

    starting = request(version)
    (claimed,) = claim(RunSoftware(), [starting.public_id])
    stop_by_organiser(execution=starting, by=member, reason="test")
    claimed.refresh_from_db()
    execute.execute(claimed)
    assert finish(starting).state == Execution.State.STOPPED
    assert scripted.started == []

    running = request(version)
    scripted.script = Script(write=perfect, observations=50)
    stops = iter([stop_by_team])

    def stop_once() -> None:
        for stop in stops:
            stop(execution=running, by=member)

    scripted.script.during = stop_once
    running = finish(running)
    assert (running.state, running.run, running.uses_quota) == (Execution.State.STOPPED, None, False)
    assert scripted.runs == {}

    done = finish(request(version))
    with pytest.raises(Refusal, match="already ended"):
        stop_by_team(execution=done, by=member)


def test_a_stopped_execution_without_a_worker_is_ended_by_the_sweep(
    version: SystemVersion,
    scripted: ScriptedEngine,
    member: User,
    dispatched: list[Sent],
    work: Callable[[], None],
) -> None:
    execution = request(version)
    claim(RunSoftware(), [execution.public_id])
    stop_by_team(execution=execution, by=member)
    Execution.objects.update(claimed_by="", claimed_until=None)
    dispatched.clear()
    sweep(at=clock.database_now() + TIME_FOR_A_WORKER / 2)
    assert (RUN_SOFTWARE, [execution.public_id]) in dispatched, "a worker has time to take it up"
    sweep(at=clock.database_now() + TIME_FOR_A_WORKER)
    work()
    execution.refresh_from_db()
    assert (execution.state, execution.uses_quota) == (Execution.State.STOPPED, False)
    notice = Notice.objects.get(event=f"execution-ended:{execution.public_id}")
    assert notice.text.endswith("was stopped.")


@pytest.mark.parametrize("has_engine", [True, False])
def test_the_container_of_a_lost_worker_is_removed_when_its_execution_is_stopped(
    version: SystemVersion,
    scripted: ScriptedEngine,
    finish: Finish,
    member: User,
    monkeypatch: pytest.MonkeyPatch,
    has_engine: bool,
) -> None:
    """It would go on, without a worker that enforces its time limit, until another execution begins."""

    def die() -> None:
        raise Killed

    def refuse(url: str, ulimit_shim: bool) -> None:
        raise EngineUnavailable("No container engine answers.")

    execution, other = request(version), request(version)
    scripted.start(RunSpec(run_id=other.public_id, image_id=IMAGE_ID, inputs={}))
    scripted.script.during = die
    with pytest.raises(Killed):
        perform(RunSoftware(), [execution.public_id])
    scripted.script.during = lambda: None
    stop_by_team(execution=execution, by=member)
    Execution.objects.update(claimed_by="", claimed_until=None)
    with monkeypatch.context() as patch:
        if not has_engine:
            patch.setattr(execute, "connect", refuse)
        perform(RunSoftware(), [execution.public_id])
    execution.refresh_from_db()
    assert (execution.state, execution.outcome["stopped"]) == (Execution.State.ENDED, True)
    left = {other.public_id} if has_engine else {other.public_id, execution.public_id}
    assert set(scripted.runs) == left
    finish(execution)


def test_a_stopped_replication_costs_the_team_nothing(
    blind_version: SystemVersion, scripted: ScriptedEngine, finish: Finish, member: User
) -> None:
    first = finish(request(blind_version))
    again = request_replication(execution=first, by=member, reason="test")
    scripted.script = Script(write=perfect, observations=50)
    stops = iter([stop_by_organiser])

    def stop_once() -> None:
        for stop in stops:
            stop(execution=again, by=member, reason="test")

    scripted.script.during = stop_once
    again = finish(again)
    assert (again.state, again.uses_quota) == (Execution.State.STOPPED, False)
    assert again.started_at is not None


def test_a_deadline_that_passes_meanwhile_does_not_matter(
    version: SystemVersion, scripted: ScriptedEngine, finish: Finish
) -> None:
    now = clock.database_now()
    Phase.objects.update(closes_at=now + timedelta(seconds=30))
    execution = request(version)
    Phase.objects.update(closes_at=now)
    execution = finish(execution)
    assert execution.run is not None
    execution.run.refresh_from_db()
    assert execution.run.state == Run.State.SCORED
    assert execution.run.received_at == execution.requested_at
    with pytest.raises(Refusal, match="has closed"):
        request(version)


def test_no_progress_is_reported_to_both_once(
    version: SystemVersion, scripted: ScriptedEngine, settings: Any, finish: Finish
) -> None:
    organiser = User.objects.create_user("organiser")
    version.system.team.task.organisers.add(organiser)
    settings.AIRLOCK_STALLED_SECONDS = 0
    execution = request(version)

    def look() -> None:
        notify.report_stalled(at=clock.database_now())

    scripted.script = Script(write=perfect, observations=4, during=look)
    finish(execution)
    texts = Notice.objects.filter(event=f"execution-stalled:{execution.public_id}")
    assert texts.count() == 2
    assert all("shows no progress" in notice.text for notice in texts)


def test_containers_of_executions_that_have_ended_are_removed(
    version: SystemVersion, scripted: ScriptedEngine, finish: Finish
) -> None:
    finish(request(version))
    orphan = scripted.start(RunSpec(run_id="ended", image_id=IMAGE_ID, inputs={}))
    assert orphan.run_id in scripted.runs
    finish(request(version))
    assert scripted.runs == {}


def test_a_worker_that_starts_removes_containers_of_executions_that_ended_without_it(
    version: SystemVersion, scripted: ScriptedEngine
) -> None:
    waiting = request(version)
    for run_id in ("ended", waiting.public_id):
        scripted.start(RunSpec(run_id=run_id, image_id=IMAGE_ID, inputs={}))
    remove_what_was_left()
    assert set(scripted.runs) == {waiting.public_id}


def test_a_check_of_a_slow_engine_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows that come too late are not waited for."""
    rows = [ProbeResult(attempt=f"attempt {number}", contained=True, finding="fine") for number in range(3)]
    monkeypatch.setattr(airlock, "connect", lambda url, ulimit_shim: Mock(description="an engine"))
    monkeypatch.setattr(airlock, "preflight", lambda engine: iter(rows))
    printed = io.StringIO()
    call_command("airlock", "check", stdout=printed)
    assert printed.getvalue().endswith("Everything was contained.\n")
    monkeypatch.setattr(airlock, "CHECK_SECONDS", -1)
    printed = io.StringIO()
    with pytest.raises(CommandError, match="did not end within"):
        call_command("airlock", "check", stdout=printed)
    assert "attempt 0" in printed.getvalue() and "attempt 1" not in printed.getvalue()
