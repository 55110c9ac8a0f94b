"""A version of a system is run, and its outputs become a run with scores."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from airlock.engine import LimitReached
from sharedtask.accounts.models import User
from sharedtask.competition.models import Phase, Task
from sharedtask.software.models import Execution, SystemVersion
from sharedtask.software.request_execution import request_execution
from sharedtask.submissions.models import Run, RunFile, Score
from tests.sharedtask.software.conftest import perfect
from tests.sharedtask.support.scripted_engine import ScriptedEngine
from tests.sharedtask.support.software import IMAGE_ID

pytestmark = pytest.mark.django_db(transaction=True)

Finish = Callable[[Execution], Execution]


def request(version: SystemVersion, **values: Any) -> Execution:
    phase = version.system.team.task.phases.get()
    return request_execution(version=version, phase=phase, by=None, **values)


def test_outputs_become_a_run_with_scores(
    version: SystemVersion, scripted: ScriptedEngine, finish: Finish
) -> None:
    execution = finish(request(version))
    assert execution.state == Execution.State.DONE
    run = execution.run
    assert run is not None
    run.refresh_from_db()
    assert run.state == Run.State.SCORED
    assert run.origin == Run.Origin.SOFTWARE
    assert run.received_at == execution.requested_at
    assert list(run.files.values_list("state", flat=True)) == ["valid", "valid"]
    correct = [counts["LAS"]["correct"] for counts in Score.objects.values_list("counts", flat=True)]
    assert correct == [4, 3]
    assert scripted.runs == {}, "nothing is left behind"
    assert execution.usage["cpu_seconds"] == 1.0


def test_a_container_gets_inputs_and_metadata_and_never_gold(
    version: SystemVersion, scripted: ScriptedEngine, finish: Finish
) -> None:
    received: dict[str, bytes] = {}

    def look(inputs: Mapping[str, bytes]) -> dict[str, bytes]:
        received.update(inputs)
        return perfect(inputs)

    scripted.script.write = look
    finish(request(version))
    assert sorted(received) == ["de_one.txt", "en_two.txt", "metadata.json"]
    assert json.loads(received["metadata.json"]) == [
        {
            "lcode": "de",
            "tcode": "one",
            "ltcode": "de_one",
            "rawfile": "de_one.txt",
            "outfile": "de_one.conllu",
        },
        {
            "lcode": "en",
            "tcode": "two",
            "ltcode": "en_two",
            "rawfile": "en_two.txt",
            "outfile": "en_two.conllu",
        },
    ]
    (spec,) = scripted.started
    assert spec.image_id == IMAGE_ID
    assert (spec.limits.cpus, spec.limits.memory_bytes) == (1.0, 4096 * 2**20)


def test_a_task_may_ask_for_a_container_per_test_set(
    task: Task, version: SystemVersion, scripted: ScriptedEngine, finish: Finish
) -> None:
    Task.objects.update(software_per_test_set=True)
    version.refresh_from_db()
    execution = finish(request(version))
    assert [sorted(spec.inputs) for spec in scripted.started] == [
        ["de_one.txt", "metadata.json"],
        ["en_two.txt", "metadata.json"],
    ]
    assert execution.run is not None
    assert set(execution.outputs) == {"de_one", "en_two"}
    assert execution.usage["cpu_seconds"] == 2.0


def test_a_crash_keeps_what_was_written_and_names_the_limit(
    version: SystemVersion, scripted: ScriptedEngine, finish: Finish, member: User
) -> None:
    scripted.script.write = lambda inputs: {"de_one.conllu": perfect(inputs)["de_one.conllu"]}
    scripted.script.exit_code, scripted.script.signal = None, 9
    scripted.script.limit = LimitReached(name="memory", value=2**30)
    execution = finish(request(version))
    assert execution.outcome["limit"] == {"name": "memory", "value": 2**30}
    assert execution.uses_quota
    assert execution.run is not None
    states = dict(execution.run.files.values_list("test_set__code", "state"))
    assert states == {"de_one": "valid", "en_two": "missing"}

    # Only the missing test set is run again; the other output is inherited.
    scripted.script.write, scripted.script.exit_code = perfect, 0
    scripted.script.signal = scripted.script.limit = None
    again = finish(request(version, amends=execution.run))
    assert sorted(scripted.started[-1].inputs) == ["en_two.txt", "metadata.json"]
    assert again.run is not None
    files = again.run.files.order_by("test_set__code")
    assert [file.state for file in files] == [RunFile.State.VALID, RunFile.State.VALID]
    assert [file.taken_from is not None for file in files] == [True, False]


def test_software_that_writes_nothing_gives_no_run(
    version: SystemVersion, scripted: ScriptedEngine, finish: Finish
) -> None:
    scripted.script.write = lambda inputs: {"notes.txt": b"nothing to see"}
    scripted.script.exit_code = 3
    execution = finish(request(version))
    assert (execution.state, execution.run) == (Execution.State.DONE, None)
    assert execution.outcome["exit_code"] == 3


def test_software_uses_a_quota_of_its_own(
    version: SystemVersion, scripted: ScriptedEngine, finish: Finish, phase: Phase
) -> None:
    Phase.objects.update(software_runs_total=1)
    execution = finish(request(version))
    assert execution.run is not None and not execution.run.uses_quota
    with pytest.raises(Exception, match="used its quota"):
        request(version)
