"""Step 7, compare: the counts of all runs of a track become a standing. Workers only: counts are sealed.

In: a phase and a track. Out: a `Standing`, with macro-averages, intervals, ranges of ranks and p-values as
`evaluation` computes them; the one that is there already, if nothing that it depends on has changed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils.crypto import salted_hmac

from evaluation.ranking.details import Details, build_details
from evaluation.ranking.document import build_document
from evaluation.ranking.results import GoldSet, Outcome, Results
from evaluation.ranking.standings import Rules, Standings, compute_standings
from sharedtask.competition.metrics import main_metrics
from sharedtask.competition.models import Phase, Task
from sharedtask.core import sealing, storage
from sharedtask.standings.inputs import Entry, FileInput, Inputs, gather
from sharedtask.standings.models import Figures, Standing
from sharedtask.standings.table import table_of

FETCHING = 4
"""Files that are fetched at the same time: object storage answers slowly, but many at once."""


def compute(phase: Phase, track: str, *, at: datetime) -> Standing | None:
    """Nothing while a run of the track waits for scores: its last score asks for the standing again."""
    inputs = gather(phase, track, at=at)
    if inputs.under_way:
        return None
    standings = Standing.objects.filter(phase=phase, track=track)
    if not inputs.entries:
        standings.update(in_force_since=None)
        return None
    sha256 = inputs.sha256
    if not standings.filter(inputs_sha256=sha256).update(in_force_since=at):
        keep(inputs, *computed(inputs), at=at)
    return standings.defer("data").get(inputs_sha256=sha256)


@transaction.atomic
def keep(
    inputs: Inputs, data: dict[str, Any], figures: Details, *, at: datetime, in_force: bool = True
) -> None:
    """The standing and its figures together; nothing where another worker was faster."""
    standing, created = Standing.objects.get_or_create(
        phase=inputs.phase,
        track=inputs.track,
        inputs_sha256=inputs.sha256,
        defaults={
            "task": inputs.phase.task,
            "signature": data["signature"],
            "data": data,
            "table": table_of(data, inputs),
            "computed_at": at,
            "in_force_since": at if in_force else None,
        },
    )
    if created:
        Figures.objects.create(standing=standing, stored=figures.to_bytes())


def computed(inputs: Inputs) -> tuple[dict[str, Any], Details]:
    """The whole document, and every figure as arrays.

    Systems are called by the public ids of their runs, which never change.
    """
    task = inputs.phase.task
    main = main_metrics(task)
    withdrawn = [entry for entry in inputs.entries if entry.is_withdrawn]
    key = None if inputs.is_public else hiding_key()
    ranked = [entry for entry in inputs.entries if not entry.is_withdrawn]
    standings = standings_of(inputs, ranked, resamples=task.replicates)
    # They stand beside the others without having a part in anybody's rank or p-value.
    beside = standings_of(inputs, withdrawn, resamples=0) if withdrawn else None
    data = build_document(standings, main, key)
    data["withdrawn"] = build_document(beside, main, key)["systems"] if beside else []
    return data, build_details(standings, main, beside)


def standings_of(inputs: Inputs, entries: Sequence[Entry], *, resamples: int) -> Standings:
    task = inputs.phase.task
    baselines = frozenset(entry.run.public_id for entry in entries if entry.run.team.is_baseline)
    results = Results(
        profile=task.profile,
        sets=tuple(
            GoldSet(
                code=one.code,
                groups=tuple(one.groups),
                language=one.language_tag,
                sha256=inputs.sha256_of_gold(one),
            )
            for one in inputs.test_sets
        ),
        systems={entry.run.public_id: outcomes(entry) for entry in entries},
        unit=task.resampling_unit,  # type: ignore[arg-type]
    )
    rules = Rules(
        missing="zero" if task.missing_policy == Task.MissingPolicy.ZERO else "exclude",
        baselines=baselines,
        number_baselines=task.baselines_ranked,
        resamples=resamples,
        seed=task.seed,
    )
    return compute_standings(results, rules)


def outcomes(entry: Entry) -> Mapping[str, Outcome]:
    with ThreadPoolExecutor(FETCHING) as pool:
        return dict(zip(entry.files, pool.map(outcome, entry.files.values()), strict=True))


def outcome(file: FileInput) -> Outcome:
    if not file.units:
        return Outcome(status="invalid" if file.state == "invalid" else "missing")
    return Outcome(status="valid", stored=sealing.unseal(storage.read(file.units)))


def hiding_key() -> bytes:
    """Before gold is released its hash is shown only as an HMAC under a key of this server."""
    return salted_hmac("competition.gold", "standings", algorithm="sha256").digest()
