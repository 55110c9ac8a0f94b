"""Software on every page: images, versions, and executions in every state that a page can show."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from sharedtask.competition.models import Phase, Task
from sharedtask.curves.models import TrainedSample, Training
from sharedtask.software.instructions import (
    ExperimentInput,
    build_experiment_instructions,
    build_instructions,
)
from sharedtask.software.models import Execution, ResourceGrant, StoredImage, SystemVersion
from sharedtask.software.request_execution import create_execution, test_sets_of
from sharedtask.software.versions import create_version
from sharedtask.teams.models import Team

MEBIBYTE = 2**20
LOG = "reading metadata.json\nde_garten: 20 sentences\nes_cocina: 21 sentences\n"
USAGE = {
    "wall_seconds": 431.0,
    "cpu_seconds": 402.5,
    "peak_memory_bytes": 812 * MEBIBYTE,
    "output_bytes": 3 * MEBIBYTE,
    "output_files": 8,
    "log_bytes": 73,
}


def add_software() -> dict[str, str]:
    """Ids of executions by the words that `every_page.py` uses for them."""
    Phase.objects.update(software=True, software_runs_total=12)
    blind, demo = (Team.objects.get(task__slug=slug, name="Linden") for slug in ("blind", "demo"))
    blind.task.test_sets.update(inputs_released_at=datetime.now(UTC) + timedelta(days=1))
    ResourceGrant.objects.create(team=blind, cpus=2, memory_megabytes=8192, reason="A large model.")
    versions = {team.task.slug: add_versions(team) for team in (blind, demo)}
    executions = {
        "queued": add(versions["blind"], state="queued"),
        "starting": add(versions["blind"], state="starting"),
        "running": add(
            versions["blind"], state="running", coarse_progress=coarse("no progress"), **live("de_one")
        ),
        "near": add(
            versions["blind"],
            state="running",
            coarse_progress=coarse("near a limit"),
            **live("de_one", near=["memory", "wall time"], is_stalled=False),
        ),
        "stopped": add(
            versions["blind"], state="stopped", stop_reason="stopped by the organisers", usage=USAGE
        ),
        "crashed": add(
            versions["blind"], state="done", outcome=outcome(memory_limit()), usage=USAGE, log=LOG
        ),
        "failed": add(
            versions["blind"],
            state="failed",
            uses_quota=False,
            failure={"stage": "run software", "kind": "OSError"},
        ),
        "live": add(versions["demo"], state="running", **live("es_cocina")),
        "ended": add(versions["demo"], state="done", outcome=outcome(None), usage=USAGE, log=LOG),
    }
    ids = {name: execution.public_id for name, execution in executions.items()}
    return ids | {"training": add_training(versions["demo"]).public_id}


def add_training(version: SystemVersion) -> Training:
    """Stopped, with a sample in every state that its page can show; the sweep leaves it alone."""
    StoredImage.objects.filter(pk=version.image_id).update(declares={"arboretum.train": "yes"})
    phase = version.system.team.task.phases.order_by("opens_at").first()
    assert phase is not None
    training = Training.objects.create(
        version=version,
        phase=phase,
        sizes=[5, 10, 20],
        samples=1,
        sampling="nested",
        seed=2017,
        inputs={"de_garten": {}},
        state=Training.State.STOPPED,
    )
    states: list[dict[str, Any]] = [
        {"state": "done", "outcome": outcome(memory_limit()), "usage": USAGE, "log": LOG},
        {"state": "running", **live("de_garten")},
    ]
    for size, values in zip(training.sizes, [*states, None], strict=True):
        sample = TrainedSample.objects.create(training=training, size=size, number=1, attempts=1)
        if values is not None:
            sample.execution = add_part(training, sample, values)
            sample.save()
    return training


def add_part(training: Training, sample: TrainedSample, values: dict[str, Any]) -> Execution:
    test_set = training.phase.test_sets.get(code="de_garten")
    given = ExperimentInput(test_set=test_set, files={"psegmor": "inputs/none", "train": "inputs/none"})
    now = datetime.now(UTC)
    execution = create_execution(
        team=training.version.system.team,
        version=training.version,
        purpose=Execution.Purpose.TRAINING,
        experiment=training.public_id,
        part=sample.part,
        instructions=build_experiment_instructions(training.version, [given]),
        requested_at=now - timedelta(minutes=15),
        started_at=now - timedelta(minutes=12),
        **values,
    )
    hold(execution, now)
    return execution


def add_versions(team: Team) -> SystemVersion:
    values = {"team": team, "size_bytes": 640 * MEBIBYTE, "layers": 7, "sha256": "5f" * 32}
    refusal = {
        "id": "wrong-architecture",
        "message": "The image is for arm64; it has to be for amd64.",
        "hint": "Use docker save --platform linux/amd64.",
    }
    refused = StoredImage.objects.create(
        filename="parser-arm.tar", state="refused", refusal=refusal, team=team
    )
    create_version(team.primary_system, refused, by=None)
    image = StoredImage.objects.create(
        filename="parser.tar.gz", state="ready", image_id="sha256:" + "a7" * 32, **values
    )
    return create_version(team.primary_system, image, by=None, note="with the larger model")


def add(version: SystemVersion, **values: Any) -> Execution:
    task: Task = version.system.team.task
    phase = task.phases.order_by("opens_at").first()
    assert phase is not None
    now = datetime.now(UTC)
    started = None if values["state"] in ("queued", "starting") else now - timedelta(minutes=12)
    execution = create_execution(
        team=version.system.team,
        version=version,
        phase=phase,
        instructions=build_instructions(version, test_sets_of(phase, at=now)),
        requested_at=now - timedelta(minutes=15),
        started_at=started,
        **values,
    )
    hold(execution, now)
    return execution


def hold(execution: Execution, now: datetime) -> None:
    """A worker holds what runs, so that the sweep of this site leaves it alone."""
    Execution.objects.filter(pk=execution.pk).update(
        claimed_by="airlock:1", claimed_until=now + timedelta(days=1)
    )


def live(current: str, **changes: object) -> dict[str, Any]:
    progress = {
        "at": datetime.now(UTC).isoformat(),
        "wall_seconds": 720.0,
        "seconds_left": 6480,
        "cpu_seconds": 702.3,
        "memory_bytes": 2210 * MEBIBYTE,
        "memory_limit": 4096 * MEBIBYTE,
        "output_bytes": 2 * MEBIBYTE,
        "output_files": 2,
        "log_bytes": len(LOG),
        "current": current,
        "finished": 1,
        "total": 2,
        "is_stalled": True,
        "near": [],
    }
    return {"progress": progress | changes, "log": LOG}


def coarse(status: str) -> dict[str, Any]:
    return {"period": 11, "finished": 1, "status": status, "before": {}}


def memory_limit() -> dict[str, Any]:
    return {"name": "memory", "value": 4096 * MEBIBYTE}


def outcome(limit: dict[str, Any] | None) -> dict[str, Any]:
    return {
        "exit_code": None if limit else 0,
        "signal": 9 if limit else None,
        "limit": limit,
        "stopped": False,
        "error_of": "system" if limit else None,
        "sentence": "",
        "problems": ["link.conllu: a symbolic link"] if limit else [],
    }
