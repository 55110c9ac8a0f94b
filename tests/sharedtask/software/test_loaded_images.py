"""Images in the engine: what is not needed is removed before the disk is full, and what is needed stays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import pytest

from airlock.engine import Engine
from sharedtask.software.loaded_images import load_image, make_room, unused_images
from sharedtask.software.models import Execution, SystemVersion
from sharedtask.software.request_execution import request_execution
from tests.sharedtask.support.scripted_engine import ScriptedEngine
from tests.sharedtask.support.software import IMAGE_ID

pytestmark = pytest.mark.django_db(transaction=True)

Finish = Callable[[Execution], Execution]
OTHERS = [f"sha256:{digit * 64}" for digit in "abc"]


@pytest.fixture
def execution(version: SystemVersion, dispatched: Any) -> Execution:
    return request_execution(version=version, phase=version.system.team.task.phases.get(), by=None)


def execution_of(execution: Execution, image_id: str) -> Execution:
    """As if another version had been run."""
    instructions = execution.instructions | {"image": {"image_id": image_id, "stored": "images/gone.tar"}}
    return Execution.objects.create(
        task=execution.task,
        phase=execution.phase,
        team=execution.team,
        version=execution.version,
        number=Execution.objects.count() + 1,
        instructions=instructions,
        state=Execution.State.DONE,
    )


def test_a_disk_full_of_images_is_emptied_and_the_execution_goes_on(
    execution: Execution, scripted: ScriptedEngine, finish: Finish
) -> None:
    scripted.images |= set(OTHERS)
    scripted.most_images = 3
    assert finish(execution).state == Execution.State.DONE
    assert execution.attempts <= 1, "without another attempt"
    assert scripted.images == {IMAGE_ID}


def test_images_that_are_needed_stay_and_the_error_is_reported(
    execution: Execution, scripted: ScriptedEngine
) -> None:
    for image_id in OTHERS:
        Execution.objects.filter(pk=execution_of(execution, image_id).pk).update(state=Execution.State.QUEUED)
    scripted.images |= set(OTHERS)
    scripted.most_images = 3
    with pytest.raises(Exception, match="no space left on device"):
        load_image(cast(Engine, scripted), execution)
    assert scripted.images == set(OTHERS)


def test_the_least_recently_used_are_removed_until_the_rest_fit(
    execution: Execution, scripted: ScriptedEngine, settings: Any
) -> None:
    engine = cast(Engine, scripted)
    first, second, never = OTHERS
    for image_id in (second, first, second):
        execution_of(execution, image_id)
    scripted.images |= {*OTHERS, IMAGE_ID}
    assert unused_images(engine) == [never, first, second], "the waiting execution needs the fourth"
    settings.AIRLOCK_IMAGES_BYTES = 3 * scripted.image_bytes
    make_room(engine, scripted.image_bytes)
    assert scripted.images == {second, IMAGE_ID}
    make_room(engine, scripted.image_bytes)
    assert scripted.images == {second, IMAGE_ID}, "all fit"
