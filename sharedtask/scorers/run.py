"""Run a scorer on one output. Gold goes from memory into a container that is closed like those of teams.

In: a version of a scorer, the files of the contract (docs/scorers.md). Out: what it wrote to `scores.json`,
not yet checked. Whatever happens, container, volumes and log are removed. An error of the scorer is a
`ScorerFailure` with the end of its log; everything else is an error of the platform, and is retried.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from contextlib import closing
from pathlib import Path

from django.conf import settings

from airlock.engine import Engine, EngineFailure, Limits, Running, RunSpec, SystemFailure
from sharedtask.core import storage
from sharedtask.core.errors import ScorerFailure
from sharedtask.scorers.engine import connect_engine
from sharedtask.scorers.models import ScorerVersion

METADATA, GOLD, SYSTEM, SCORES = "metadata.json", "gold.conllu", "system.conllu", "scores.json"
MEBIBYTE = 2**20
MAX_LOG_CHARACTERS = 16_000


def run_scorer(
    version: ScorerVersion, *, run_id: str, files: Mapping[str, bytes | Path], in_progress: Collection[str]
) -> bytes:
    """`in_progress` has the ids of runs that workers hold; what is left of all others is removed."""
    with closing(connect_engine()) as engine:
        engine.clean(keep=set(in_progress) - {run_id})
        load(engine, version)
        spec = RunSpec(run_id=run_id, image_id=version.image_id, inputs=files, limits=limits())
        try:
            running = engine.start(spec)
        except SystemFailure as failure:
            raise ScorerFailure(f"The scorer could not be started: {failure}") from failure
        try:
            return read_scores(running)
        finally:
            running.remove()


def read_scores(running: Running) -> bytes:
    outcome = running.finish()
    log = outcome.log_tail.decode("utf-8", "replace")[-MAX_LOG_CHARACTERS:]
    if outcome.error_of == "platform":
        raise EngineFailure(outcome.sentence)
    if outcome.error_of is not None:
        # The engine calls whatever it runs a system.
        sentence = outcome.sentence.replace("The system", "The scorer", 1)
        raise ScorerFailure(f"{sentence}\n\n{log}")
    try:
        # An engine does not remove a run whose outputs are neither read to the end nor closed.
        with closing(running.outputs()) as outputs:
            for file in outputs:
                if file.name == SCORES and file.problem is None:
                    return file.stream.read(file.size)
    except SystemFailure as failure:
        raise ScorerFailure(f"{failure}\n\n{log}") from failure
    raise ScorerFailure(f"It wrote no file {SCORES}.\n\n{log}")


def load(engine: Engine, version: ScorerVersion) -> None:
    """Images of scorers that are not in use any more make room for it."""
    if engine.has_image(version.image_id):
        return
    current = set(ScorerVersion.objects.ready().values_list("image_id", flat=True))
    for image_id in engine.image_ids() - current:
        engine.remove_image(image_id)
    with storage.local_copy(version.stored) as path, path.open("rb") as archive:
        engine.load(archive, version.image_id)


def limits() -> Limits:
    return Limits(
        memory_bytes=settings.SCORER_MEMORY_BYTES,
        output_bytes=16 * MEBIBYTE,
        output_files=16,
        log_bytes=MEBIBYTE,
        tmp_bytes=settings.SCORER_MEMORY_BYTES // 2,
        wall_seconds=settings.SCORER_SECONDS,
    )


def metadata(*, test_set: str, track: str, unit: str, sizes: Sequence[int], metrics: Sequence[str]) -> bytes:
    """What the scorer reads: where the files are, and how many sentences of gold each unit has."""
    values = {
        "test_set": test_set,
        "track": track,
        "gold": GOLD,
        "system": SYSTEM,
        "unit": unit,
        "sentences": list(sizes),
        "metrics": list(metrics),
    }
    return json.dumps(values, ensure_ascii=False).encode()
