"""Experiments with constraints on the demo task: two that are done, one that runs, one that was stopped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta

from airlock.contract import METADATA, metadata_file
from sharedtask.cascades.analyse import record_counts
from sharedtask.cascades.models import Experiment, ExperimentSet
from sharedtask.cascades.parts import parts_of
from sharedtask.cascades.prepare import inputs_of, prepare
from sharedtask.competition.error_classes import class_file
from sharedtask.competition.models import Task
from sharedtask.core import clock, storage
from sharedtask.software.instructions import build_experiment_instructions
from sharedtask.software.models import Execution, StoredImage, SystemVersion
from sharedtask.software.request_execution import create_execution
from sharedtask.software.versions import create_version
from sharedtask.teams.models import Team
from tests.sharedtask.support.constrained_system import parse_all

CODES = ("de_garten", "ar_suq")
IGNORED = "de_garten: The system ignores constraints: with all arcs given, no further sentence is correct."


def add_experiments() -> dict[str, str]:
    """Ids of their pages. The first is public; all others are of Linden."""
    task = Task.objects.get(slug="demo")
    versions = [add_version(Team.objects.get(task=task, name=name)) for name in ("Hornbeam", "Linden")]
    public, own = (
        add_experiment(version, step=step) for version, step in zip(versions, (-1, 1), strict=True)
    )
    at = clock.database_now()
    Experiment.objects.filter(pk=public.pk).update(published_at=at)
    running = add_experiment(versions[1], runs=4, state=Experiment.State.RUNNING)
    stopped = add_experiment(versions[1], runs=3, state=Experiment.State.STOPPED, problem=IGNORED)
    return {
        "experiment": public.public_id,
        "own_experiment": own.public_id,
        "running_experiment": running.public_id,
        "stopped_experiment": stopped.public_id,
    }


def add_version(team: Team) -> SystemVersion:
    image = StoredImage.objects.create(
        team=team,
        filename="sapling.tar",
        state=StoredImage.State.READY,
        image_id="sha256:" + "c4" * 32,
        size_bytes=80 * 2**20,
        declares={"arboretum.constraints": "honoured", "arboretum.projective": "yes"},
    )
    return create_version(team.primary_system, image, by=None)


def add_experiment(
    version: SystemVersion,
    *,
    step: int = -1,
    runs: int | None = None,
    state: Experiment.State = Experiment.State.DONE,
    problem: str = "",
    codes: Sequence[str] = CODES,
) -> Experiment:
    """With as many runs as given, or all of them. A worker seems to hold it, so that no other takes it."""
    team, at = version.system.team, clock.database_now()
    experiment = Experiment.objects.create(
        task=team.task,
        team=team,
        version=version,
        classes=class_file(team.task),
        state=state,
        problem=problem,
        claimed_by="elsewhere:1",
        claimed_until=at + timedelta(days=1),
    )
    for test_set in team.task.test_sets.filter(code__in=codes):
        ExperimentSet.objects.create(experiment=experiment, test_set=test_set, gold=test_set.gold_in_force)
    sets = list(experiment.sets.select_related("test_set__task", "gold"))
    prepare(experiment, sets)
    for part in parts_of(experiment)[:runs]:
        add_execution(experiment, sets, part.run, part.title, step)
    if state == Experiment.State.DONE:
        record_counts(experiment, sets, parts_of(experiment))
    return experiment


def add_execution(
    experiment: Experiment, sets: list[ExperimentSet], run: str, title: str, step: int
) -> Execution:
    inputs = inputs_of(experiment, sets, run)
    instructions = build_experiment_instructions(experiment.version, inputs)
    files = {METADATA: metadata_file(entry["metadata"] for entry in instructions["test_sets"])}
    for entry in instructions["test_sets"]:
        files |= {name: storage.read(stored) for name, stored in entry["files"].items()}
    return create_execution(
        team=experiment.team,
        version=experiment.version,
        purpose=Execution.Purpose.CASCADES,
        experiment=experiment.public_id,
        part=title,
        instructions=instructions,
        requested_at=clock.database_now(),
        state=Execution.State.DONE,
        outputs=store_outputs(f"{experiment.public_id}-{run}", parse_all(files, step=step)),
    )


def store_outputs(folder: str, outputs: Mapping[str, bytes]) -> dict[str, dict[str, object]]:
    stored = {}
    for name, content in outputs.items():
        place = f"software/{folder}/{name}"
        sha256 = storage.store(place, [content])
        stored[name.removesuffix(".conllu")] = {"name": place, "size_bytes": len(content), "sha256": sha256}
    return stored
