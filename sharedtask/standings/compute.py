"""Compute: the counts of all runs of a ranking become a standing. Workers only: counts are sealed.

In: a phase, a ranking and a track. Out: a `Standing`, with macro-averages, intervals, ranges of ranks and
p-values as `evaluation` computes them; the existing one, if nothing that it depends on has changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from evaluation.ranking.checkpoint import Checkpoint
from evaluation.ranking.details import ALL_SETS, Details, build_details
from evaluation.ranking.pairs import Pairs
from evaluation.ranking.results import Outcome, Results
from evaluation.ranking.single_set import SetFigures, set_figures
from evaluation.ranking.standings import Rules, Standings, compute_standings
from sharedtask.competition.metrics import main_metrics, options_of, significance_test
from sharedtask.competition.models import Phase, Task
from sharedtask.competition.tracks import NO_TRACK, find_track
from sharedtask.core import sealing, storage
from sharedtask.standings import set_parts
from sharedtask.standings.entries import FileInput, Inputs, RankingEntry
from sharedtask.standings.figures import ROWS_AT_ONCE, figures_of
from sharedtask.standings.inputs import gather
from sharedtask.standings.models import Figures, PairFigures, Standing
from sharedtask.standings.progress import Deadline, Progress
from sharedtask.standings.signature import gold_hash_key
from sharedtask.standings.table import gold_sets, table_of

PARALLEL_READS = 4
"""Files that are read at the same time: object storage answers slowly, but many requests at once."""


@dataclass(frozen=True, kw_only=True)
class ComputedStanding:
    """A standing that is not stored yet."""

    inputs: Inputs
    figures: Details
    pairs: Iterable[tuple[str, bytes | memoryview]]
    """By column, packed."""
    signature: str


def compute(
    phase: Phase,
    ranking: str,
    track: str = NO_TRACK,
    *,
    at: datetime,
    deadline: Deadline | None = None,
) -> Standing | None:
    """None while a run of the ranking waits for scores: its last score requests the standing again.

    With a deadline it may raise `ToBeContinued`; what has been done is kept for the next call.
    """
    inputs = gather(phase, ranking, track, at=at)
    if inputs.under_way:
        return None
    standings = Standing.objects.filter(phase=phase, track=track, ranking=ranking)
    if not inputs.entries:
        standings.update(in_force_since=None)
        return None
    sha256 = inputs.sha256
    if not standings.filter(inputs_sha256=sha256).update(in_force_since=at):
        store(copied(inputs) or compute_figures(inputs, deadline), computed_at=at, in_force_since=at)
    return standings.get(inputs_sha256=sha256)


@transaction.atomic
def store(computed: ComputedStanding, *, computed_at: datetime, in_force_since: datetime | None) -> None:
    """The standing and its figures together; nothing where another worker was faster."""
    inputs = computed.inputs
    standing, created = Standing.objects.get_or_create(
        phase=inputs.phase,
        track=inputs.track,
        ranking=inputs.ranking,
        inputs_sha256=inputs.sha256,
        defaults={
            "task": inputs.phase.task,
            "signature": computed.signature,
            "table": table_of(inputs, computed.figures),
            "computed_at": computed_at,
            "in_force_since": in_force_since,
        },
    )
    if created:
        Figures.objects.create(standing=standing, stored=computed.figures.to_bytes())
        for column, stored in computed.pairs:
            PairFigures.objects.create(standing=standing, column=column, stored=stored)


def copied(inputs: Inputs) -> ComputedStanding | None:
    """The figures of another ranking with the same runs: `best`, where each official run is the best."""
    same = Standing.objects.filter(
        phase=inputs.phase, track=inputs.track, inputs_sha256=inputs.sha256
    ).first()
    if same is None:
        return None
    pairs = same.pair_figures.values_list("column", "stored").iterator(chunk_size=ROWS_AT_ONCE)
    return ComputedStanding(inputs=inputs, figures=figures_of(same), pairs=pairs, signature=same.signature)


def compute_figures(inputs: Inputs, deadline: Deadline | None = None) -> ComputedStanding:
    """Systems are called by the public ids of their runs, which never change."""
    task = inputs.phase.task
    main = main_metrics(task, inputs.track)
    ranked = [entry for entry in inputs.entries if not entry.is_withdrawn]
    progress = Progress(inputs, deadline) if deadline else None
    if progress:
        progress.span = (0.0, ALL_SETS)
    standings = standings_of(inputs, ranked, replicates=task.replicates, checkpoint=progress)
    withdrawn = [entry for entry in inputs.entries if entry.is_withdrawn]
    # They are listed after the others and change nobody's rank or p-value.
    unranked = standings_of(inputs, withdrawn, replicates=0) if withdrawn else None
    pairs: dict[str, bytes] = {}

    def keep(column: str, compared: Pairs) -> None:
        pairs[column] = compared.to_bytes()

    def compute_set(code: str) -> SetFigures:
        figures, is_new = set_parts.figures_on(
            inputs, code, lambda: set_figures(standings.results, standings.rules, code, main)
        )
        if progress and is_new:
            progress.finish_set()
        return figures

    is_large = set_parts.is_large(inputs)
    if progress and is_large:
        # What comes next is kept by test set and needs no checkpoint.
        progress.save()
    figures = build_details(
        standings, main, unranked, progress, keep=keep, compute_set=compute_set if is_large else None
    )
    if progress:
        progress.forget()
    return ComputedStanding(
        inputs=inputs,
        figures=figures,
        pairs=pairs.items(),
        signature=standings.signature("+".join(main), None if inputs.is_public else gold_hash_key()),
    )


def standings_of(
    inputs: Inputs, entries: Sequence[RankingEntry], *, replicates: int, checkpoint: Checkpoint | None = None
) -> Standings:
    task = inputs.phase.task
    track = find_track(task, inputs.track)
    baselines = frozenset(entry.run.public_id for entry in entries if entry.run.team.is_baseline)
    results = Results(
        profile=task.profile,
        sets=gold_sets(inputs),
        systems={entry.run.public_id: outcomes(entry) for entry in entries},
        options=options_of(task, inputs.track),
        unit=task.resampling_unit,  # type: ignore[arg-type]
        track=inputs.track,
        only=track.metrics if track else (),
    )
    rules = Rules(
        missing="zero" if task.missing_policy == Task.MissingPolicy.ZERO else "exclude",
        baselines=baselines,
        number_baselines=task.baselines_ranked,
        replicates=replicates,
        seed=task.seed,
        test=significance_test(task),
    )
    return compute_standings(results, rules, compared=main_metrics(task, inputs.track), checkpoint=checkpoint)


def outcomes(entry: RankingEntry) -> Mapping[str, Outcome]:
    with ThreadPoolExecutor(PARALLEL_READS) as pool:
        return dict(zip(entry.files, pool.map(outcome, entry.files.values()), strict=True))


def outcome(file: FileInput) -> Outcome:
    if not file.units:
        return Outcome(status="invalid" if file.state == "invalid" else "missing")
    return Outcome(status="valid", stored=sealing.unseal(storage.read(file.units)))
