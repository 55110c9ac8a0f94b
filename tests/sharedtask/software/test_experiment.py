"""Executions of experiments: inputs made from gold, on public gold alone, whose outputs become no run."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from sharedtask.accounts.models import User
from sharedtask.competition.models import GoldVersion, Task
from sharedtask.competition.store_files import store_input
from sharedtask.core import storage
from sharedtask.core.errors import Refusal
from sharedtask.software import quota
from sharedtask.software.instructions import ExperimentInput
from sharedtask.software.models import Execution, StoredImage, SystemVersion
from sharedtask.software.replicate import request_replication
from sharedtask.software.request_execution import create_execution, request_execution
from sharedtask.software.request_experiment import request_experiment_execution
from sharedtask.software.stop import restart, stop_by_team
from sharedtask.submissions.models import Run
from sharedtask.teams.models import Notice, Team
from tests.sharedtask.support.scripted_engine import ScriptedEngine

pytestmark = pytest.mark.django_db(transaction=True)

Finish = Callable[[Execution], Execution]


@pytest.fixture
def public_gold(task: Task) -> datetime:
    at = timezone.now() - timedelta(hours=1)
    GoldVersion.objects.update(released_at=at)
    return at


@pytest.fixture
def able(version: SystemVersion) -> SystemVersion:
    """Its image declares that it honours constraints and can be trained."""
    StoredImage.objects.update(declares={"arboretum.constraints": "honoured", "arboretum.train": "yes"})
    version.image.refresh_from_db()
    return version


def inputs_of(task: Task, *keys: str) -> list[ExperimentInput]:
    test_set = task.test_sets.get(code="de_one")
    files = {key: f"experiments/x1/de_one.{key}.conllu" for key in keys}
    for name in files.values():
        storage.store(name, [name.encode()])
    return [ExperimentInput(test_set=test_set, files=files)]


def request(version: SystemVersion, **values: Any) -> Execution:
    given = {
        "purpose": Execution.Purpose.CASCADES,
        "experiment": "x1",
        "part": "constraints on Root",
        "inputs": inputs_of(version.system.team.task, "psegmor", "constraints"),
        "by": None,
    }
    return request_experiment_execution(version=version, **(given | values))


def echo(inputs: Mapping[str, bytes]) -> dict[str, bytes]:
    return {"de_one.conllu": inputs["de_one.constraints.conllu"], "unasked.conllu": b"x"}


def test_it_gets_what_was_made_for_it_and_its_outputs_become_no_run(
    able: SystemVersion, public_gold: datetime, scripted: ScriptedEngine, finish: Finish
) -> None:
    scripted.script.write = echo
    execution = finish(request(able))
    (spec,) = scripted.started
    assert sorted(spec.inputs) == ["de_one.constraints.conllu", "de_one.psegmor.conllu", "metadata.json"]
    (entry,) = json.loads(bytes(spec.inputs["metadata.json"]))
    assert entry == {
        "lcode": "de",
        "tcode": "one",
        "ltcode": "de_one",
        "psegmorfile": "de_one.psegmor.conllu",
        "constraintsfile": "de_one.constraints.conllu",
        "outfile": "de_one.conllu",
    }
    assert execution.state == Execution.State.DONE
    assert (execution.run, execution.phase, Run.objects.count()) == (None, None, 0)
    with storage.local_copy(execution.outputs["de_one"]["name"]) as path:
        assert path.read_bytes() == b"experiments/x1/de_one.constraints.conllu"
    assert not Notice.objects.exists(), "the experiment sends one at its own end"


def test_a_part_is_executed_once_unless_it_was_stopped_or_failed(
    able: SystemVersion, public_gold: datetime
) -> None:
    first = request(able)
    assert request(able) == first
    stop_by_team(execution=first, by=None)  # type: ignore[arg-type]
    assert request(able).number == first.number + 1


def test_sealed_gold_is_refused_by_every_way_to_an_execution(
    able: SystemVersion, public_gold: datetime, scripted: ScriptedEngine, finish: Finish, member: User
) -> None:
    """Asking again after gold was sealed: a new request, a restart, a replication, and the row itself."""
    scripted.script.write = echo
    done = finish(request(able))
    GoldVersion.objects.update(released_at=timezone.now() + timedelta(days=1))
    ways: list[Callable[[], object]] = [
        lambda: request(able, part="another"),
        lambda: request(able, part="another", by=member, on_behalf=True),
        lambda: restart(execution=done, by=member, reason="Again, please."),
        lambda: request_replication(execution=done, by=member, reason="Again, please."),
        lambda: create_execution(
            version=able, team=able.system.team, requested_at=timezone.now(), instructions=done.instructions
        ),
    ]
    for way in ways:
        with pytest.raises(Refusal, match="de_one is not public") as refusal:
            way()
        assert refusal.value.id == "gold-not-public"
    assert Execution.objects.count() == 1
    GoldVersion.objects.update(released_at=public_gold)
    assert restart(execution=done, by=member, reason="Again, please.").experiment == "x1"


def test_one_sealed_test_set_among_public_ones_is_enough(
    able: SystemVersion, public_gold: datetime, task: Task
) -> None:
    GoldVersion.objects.filter(test_set__code="en_two").update(released_at=None)
    both = [ExperimentInput(test_set=test_set, files={"psegmor": "x"}) for test_set in task.test_sets.all()]
    with pytest.raises(Refusal, match="en_two is not public"):
        request(able, inputs=both)


def test_an_input_of_organisers_never_reaches_a_system_as_constraints(
    able: SystemVersion, task: Task, scripted: ScriptedEngine, finish: Finish
) -> None:
    """In a phase, on sealed gold: whatever an input is called, only experiments give constraints."""
    for test_set in task.test_sets.all():
        store_input(test_set, b"gold arcs", variant="constraints", suffix=".conllu")
    finish(request_execution(version=able, phase=task.phases.get(), by=None))
    (spec,) = scripted.started
    assert sorted(spec.inputs) == ["de_one.txt", "en_two.txt", "metadata.json"]
    assert b"constraints" not in bytes(spec.inputs["metadata.json"])


def test_a_system_gets_only_what_its_image_declares(
    version: SystemVersion, public_gold: datetime, task: Task
) -> None:
    with pytest.raises(Refusal, match=r"arboretum\.constraints=honoured"):
        request(version)
    with pytest.raises(Refusal, match=r"arboretum\.train=yes"):
        request(version, purpose=Execution.Purpose.TRAINING, inputs=inputs_of(task, "psegmor", "train"))
    assert request(version, inputs=inputs_of(task, "psegmor")).state == Execution.State.QUEUED


def test_a_withdrawn_system_and_a_removed_image_are_refused(
    able: SystemVersion, public_gold: datetime
) -> None:
    able.system.withdrawn_at = timezone.now()
    with pytest.raises(Refusal, match="was withdrawn"):
        request(able)
    able.system.withdrawn_at, able.image.state = None, StoredImage.State.REMOVED
    with pytest.raises(Refusal, match="removed by the team"):
        request(able)


def test_parts_wait_so_that_runs_of_others_go_in_between(
    able: SystemVersion, public_gold: datetime, task: Task
) -> None:
    parts = [request(able, part=str(number)) for number in range(quota.MAX_OF_EXPERIMENTS_UNDER_WAY)]
    assert quota.room_for_experiments(able.system.team) == 0
    with pytest.raises(Refusal, match="when one of them has ended"):
        request(able, part="one more")
    # They do not keep the team from running its software in a phase.
    run = request_execution(version=able, phase=task.phases.get(), by=None)
    assert run.state == Execution.State.QUEUED
    stop_by_team(execution=parts[0], by=None)  # type: ignore[arg-type]
    assert quota.room_for_experiments(able.system.team) == 1
    assert request(able, part="one more").pk > run.pk, "it waits behind the run"


def test_experiments_have_a_quota_of_their_own(able: SystemVersion, public_gold: datetime) -> None:
    Task.objects.update(software_experiments_per_day=1)
    able.system.team.task.refresh_from_db()
    request(able)
    request(able, part="of the same experiment")
    Execution.objects.update(state=Execution.State.DONE)
    with pytest.raises(Refusal, match="1 of 1 experiments today"):
        request(able, experiment="x2")
    assert not request(able, experiment="x2", on_behalf=True).uses_quota
    Task.objects.update(software_experiments_per_day=0)
    with pytest.raises(Refusal, match="only organisers can start experiments"):
        request(able, experiment="x3")
    Team.objects.update(is_baseline=True)
    assert request(able, experiment="x3").uses_quota


def test_its_page_names_the_part_and_stops_it(
    able: SystemVersion, public_gold: datetime, client: Client, member: User
) -> None:
    execution = request(able)
    client.force_login(member)
    page = client.get(execution.get_absolute_url()).content.decode()
    assert "constraints on Root" in page
    assert (
        "constraints on Root"
        in client.get(reverse("software", args=[able.system.team.task.slug])).content.decode()
    )
    client.post(reverse("execution-act", args=[execution.public_id, "stop"]))
    execution.refresh_from_db()
    assert execution.state == Execution.State.STOPPED
    refused = client.post(reverse("execution-act", args=[execution.public_id, "run-missing"]))
    assert "Continue its experiment, which runs missing parts again." in refused.content.decode()
