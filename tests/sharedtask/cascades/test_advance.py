"""An experiment from its start to its figures, and everything that can end it before."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from functools import partial

import pytest
from django.utils import timezone

from evaluation.cascades.constraints import run_name
from evaluation.errors.parse import built_in
from sharedtask.accounts.models import User
from sharedtask.cascades import advance
from sharedtask.cascades.advance import AdvanceExperiment
from sharedtask.cascades.models import Experiment
from sharedtask.cascades.parts import parts_of
from sharedtask.cascades.prepare import FOLDER
from sharedtask.cascades.results import Query, rows_of
from sharedtask.cascades.start import resume_experiment, stop_experiment
from sharedtask.competition.models import GoldVersion, Task
from sharedtask.core import storage
from sharedtask.core.errors import Refusal
from sharedtask.operations.sweep import sweep
from sharedtask.software import quota
from sharedtask.software.models import Execution, SystemVersion
from sharedtask.software.stop import stop_by_team
from sharedtask.submissions.models import Run
from sharedtask.teams.models import Notice, System
from sharedtask.work.perform import perform
from tests.sharedtask.support.constrained_system import parse_all
from tests.sharedtask.support.scripted_engine import ScriptedEngine
from tests.sharedtask.support.sending import Sent

pytestmark = pytest.mark.django_db(transaction=True)

Start = Callable[..., Experiment]
RunAll = Callable[[Experiment], Experiment]
CLASSES = built_in("universal").names


def test_an_experiment_runs_all_classes_and_controls_and_its_gains_add_up(
    start: Start, run_all: RunAll, system: ScriptedEngine
) -> None:
    experiment = run_all(start())
    assert (experiment.state, experiment.problem) == (Experiment.State.DONE, "")
    assert len(system.started) == len(CLASSES) + 3
    assert sorted(system.started[0].inputs) == [
        "de_one.psegmor.conllu",
        "en_two.psegmor.conllu",
        "metadata.json",
    ]
    assert "de_one.constraints.conllu" in system.started[1].inputs
    rows = {row.run: row for row in rows_of(experiment, Query())}
    assert list(rows) == [*map(run_name, CLASSES), "all", "none"]
    for row in rows.values():
        assert row.constrained_gain + row.unconstrained_gain == row.gain
        assert row.covered == row.sentences == 2
    # Without constraints, the first word is the root; with the root given, the other arcs follow it.
    assert rows["all"].uas == 1.0
    assert rows["none"].gain == 0
    assert (rows["root"].effective, rows["root"].words) == (2, 6)
    assert not Run.objects.exists()
    assert [notice.text for notice in Notice.objects.all()] == [
        "The experiment with constraints of Alder has ended."
    ]


def test_a_system_that_ignores_constraints_is_told_so_before_the_classes_are_run(
    start: Start, run_all: RunAll, system: ScriptedEngine
) -> None:
    system.script.write = partial(parse_all, ignores=True)
    experiment = run_all(start())
    assert experiment.state == Experiment.State.STOPPED
    assert experiment.problem == (
        "de_one, en_two: The system ignores constraints: with all arcs given, no further sentence is correct."
    )
    assert len(system.started) == 3


def test_an_empty_file_of_constraints_must_change_nothing(
    start: Start, run_all: RunAll, system: ScriptedEngine
) -> None:
    system.script.write = partial(parse_all, careless=True)
    experiment = run_all(start())
    assert experiment.state == Experiment.State.STOPPED
    assert experiment.problem.startswith(
        "de_one, en_two: The output with an empty file of constraints differs from the plain output."
    )


def test_an_output_that_cannot_be_compared_ends_it_with_the_name_of_the_run(
    start: Start, run_all: RunAll, system: ScriptedEngine
) -> None:
    def broken(inputs: dict[str, bytes]) -> dict[str, bytes]:
        outputs = parse_all(inputs)
        is_plain = not any("constraints" in name for name in inputs)
        return outputs if is_plain else outputs | {"de_one.conllu": b"1\tDer\n\n"}

    system.script.write = broken  # type: ignore[assignment]
    experiment = run_all(start())
    assert experiment.state == Experiment.State.STOPPED
    assert "“none” is invalid" in experiment.problem


def test_a_missing_output_ends_it_and_says_how_the_software_ended(
    start: Start, run_all: RunAll, system: ScriptedEngine
) -> None:
    system.script.write = lambda inputs: {}
    system.script.exit_code = 3
    experiment = run_all(start())
    assert experiment.state == Experiment.State.STOPPED
    assert "has no output for de_one, en_two. Ended with exit code 3" in experiment.problem


def test_a_stopped_experiment_goes_on_with_what_is_missing(
    start: Start,
    run_all: RunAll,
    system: ScriptedEngine,
    member: User,
    work_once: Callable[[], None],
) -> None:
    experiment = start()
    work_once()
    work_once()
    work_once()
    stop_experiment(experiment=experiment, by=member)
    run_all(experiment)
    assert (experiment.state, experiment.problem) == (Experiment.State.STOPPED, "It was stopped by the team.")
    assert not Execution.objects.under_way().exists()
    before = len(system.started)
    assert before < len(CLASSES) + 3
    resume_experiment(experiment=experiment, by=member)
    run_all(experiment)
    assert experiment.state == Experiment.State.DONE
    assert len(system.started) == len(CLASSES) + 3, "what was done is not run again"


def test_an_execution_that_is_stopped_ends_its_experiment(
    start: Start, run_all: RunAll, work_once: Callable[[], None], member: User
) -> None:
    experiment = start()
    work_once()
    stop_by_team(execution=Execution.objects.earliest("pk"), by=member)
    run_all(experiment)
    assert experiment.problem == "Execution 1 (without constraints) was stopped by the team."


def test_a_server_error_is_retried_and_nothing_is_run_twice(
    start: Start,
    run_all: RunAll,
    system: ScriptedEngine,
    monkeypatch: pytest.MonkeyPatch,
    dispatched: list[Sent],
    work_once: Callable[[], None],
) -> None:
    """As after a worker that was killed while it computed the figures: the sweep finds the experiment."""
    compute = advance.record_counts

    def fail(*args: object) -> None:
        monkeypatch.setattr(advance, "record_counts", compute)
        raise RuntimeError("the machine is on fire")

    monkeypatch.setattr(advance, "record_counts", fail)
    experiment = start()
    run_all(experiment)
    assert (experiment.state, experiment.attempts) == (Experiment.State.RUNNING, 1)
    sweep(at=timezone.now() + timedelta(minutes=10), patience=timedelta(0), strays=False)
    Experiment.objects.update(claimed_until=None)
    run_all(experiment)
    assert experiment.state == Experiment.State.DONE
    assert len(system.started) == len(CLASSES) + 3


def test_lost_messages_are_found_by_the_sweep(
    start: Start,
    run_all: RunAll,
    dispatched: list[Sent],
    work_once: Callable[[], None],
) -> None:
    experiment = start()
    dispatched.clear()
    for _ in range(60):
        sweep(at=timezone.now() + timedelta(hours=1), patience=timedelta(0), strays=False)
        work_once()
        dispatched.clear()
    experiment.refresh_from_db()
    assert experiment.state == Experiment.State.DONE


def test_a_system_that_is_withdrawn_meanwhile_ends_it(
    start: Start, run_all: RunAll, work_once: Callable[[], None]
) -> None:
    experiment = start()
    System.objects.update(withdrawn_at=timezone.now())
    run_all(experiment)
    assert "was withdrawn" in experiment.problem


def test_gold_that_is_sealed_again_ends_it(start: Start, run_all: RunAll) -> None:
    experiment = start()
    GoldVersion.objects.update(released_at=timezone.now() + timedelta(days=1))
    run_all(experiment)
    assert "is not public" in experiment.problem
    assert not Execution.objects.exists()
    assert not (storage.root() / FOLDER / experiment.public_id).exists(), "no constraints are written"


def test_gold_that_is_sealed_while_executions_wait_stops_them(
    start: Start, work_once: Callable[[], None], run_all: RunAll, system: ScriptedEngine
) -> None:
    """The version that the inputs were made from counts, though another one is in force and public."""
    experiment = start()
    work_once()
    assert Execution.objects.filter(state=Execution.State.QUEUED).count() == 2
    used = GoldVersion.objects.get(test_set__code="en_two")
    GoldVersion.objects.filter(pk=used.pk).update(released_at=None)
    other = GoldVersion.objects.get(pk=used.pk)
    other.pk, other.number, other.released_at = None, 2, timezone.now() - timedelta(hours=1)
    other.save()
    used.test_set.gold_in_force = other
    used.test_set.save()
    perform(AdvanceExperiment(), [experiment.public_id])
    run_all(experiment)
    assert experiment.state == Experiment.State.STOPPED
    assert "The gold of en_two is not public." in experiment.problem
    assert system.started == [], "nothing is run"


def test_sealed_gold_starts_no_experiment(start: Start, member: User, task: Task) -> None:
    GoldVersion.objects.filter(test_set__code="en_two").update(released_at=None)
    with pytest.raises(Refusal, match="whose gold is public"):
        start()
    with pytest.raises(Refusal, match="whose gold is public"):
        start(reason="An organiser may not do it either.")
    assert not Experiment.objects.exists()
    assert start(test_sets=[task.test_sets.get(code="de_one")]).state == Experiment.State.PREPARING


def test_one_experiment_at_a_time_and_few_of_its_executions_in_the_queue(
    start: Start, work_once: Callable[[], None], version: SystemVersion
) -> None:
    start()
    with pytest.raises(Refusal, match="is under way"):
        start()
    work_once()
    assert Execution.objects.count() == quota.MAX_OF_EXPERIMENTS_UNDER_WAY


def test_the_quota_is_that_of_experiments(
    start: Start, run_all: RunAll, task: Task, version: SystemVersion
) -> None:
    Task.objects.update(software_experiments_per_day=1)
    version.system.team.task.refresh_from_db()
    run_all(start())
    with pytest.raises(Refusal, match="1 of 1 experiments today"):
        start()
    assert start(reason="It is for the overview paper.").on_behalf


def test_parts_wait_in_the_order_in_which_they_are_run(start: Start) -> None:
    titles = [part.title for part in parts_of(start())]
    assert titles[:3] == [
        "without constraints",
        "control: an empty file of constraints",
        "control: all arcs given",
    ]
    assert titles[3:] == [f"constraints on {name}" for name in CLASSES]
