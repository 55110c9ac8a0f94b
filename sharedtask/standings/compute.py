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

from evaluation.ranking.details import Details, build_details
from evaluation.ranking.pairs import Pairs
from evaluation.ranking.results import Outcome
from evaluation.ranking.single_set import SetFigures, set_figures
from evaluation.ranking.standings import Standings, compute_standings
from sharedtask.competition.metrics import main_metrics, profile_of
from sharedtask.competition.models import Phase
from sharedtask.competition.tracks import NO_TRACK
from sharedtask.standings.entries import FileInput, Inputs, RankingEntry
from sharedtask.standings.figures import ROWS_AT_ONCE, figures_of
from sharedtask.standings.inputs import gather
from sharedtask.standings.models import Figures, PairFigures, Standing
from sharedtask.standings.parts import request_missing
from sharedtask.standings.results import read_outcome, results_of, rules_for
from sharedtask.standings.set_parts import (
    PARALLEL_READS,
    SetInputs,
    StoredSumsStore,
    is_large,
    read_figures,
    set_inputs,
)
from sharedtask.standings.signature import gold_hash_key
from sharedtask.standings.table import gold_sets, table_of


@dataclass(frozen=True, kw_only=True)
class ComputedStanding:
    """A standing that is not stored yet."""

    inputs: Inputs
    figures: Details
    pairs: Iterable[tuple[str, bytes | memoryview]]
    """By column, packed."""
    signature: str


def compute(
    phase: Phase, ranking: str, track: str = NO_TRACK, *, at: datetime, split: bool = False
) -> Standing | None:
    """None while a run of the ranking waits for scores: its last score requests the standing again.

    If large standings are split, it may raise `PartsRequested`: the last part calls for it again.
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
        store(copied(inputs) or compute_figures(inputs, split=split), computed_at=at, in_force_since=at)
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


def compute_figures(inputs: Inputs, *, split: bool = False) -> ComputedStanding:
    """Large standings can be split into parts, which other workers compute: see `parts.py`."""
    task = inputs.phase.task
    main = main_metrics(task, inputs.track)
    if split and is_large(inputs):
        parts = [set_inputs(inputs, test_set.code) for test_set in inputs.test_sets]
        request_missing(inputs, [part for part in parts if part.files])
        standings = joined_standings(inputs, parts)
        figures_by_code = {part.code: part.name for part in parts if part.files}
    else:
        standings = standings_of(inputs, ranked_entries(inputs), replicates=task.replicates)
        figures_by_code = {}
    withdrawn = [entry for entry in inputs.entries if entry.is_withdrawn]
    # They are listed after the others and change nobody's rank or p-value.
    unranked = standings_of(inputs, withdrawn, replicates=0) if withdrawn else None
    pairs: dict[str, bytes] = {}

    def keep(column: str, compared: Pairs) -> None:
        pairs[column] = compared.to_bytes()

    def compute_set(code: str) -> SetFigures:
        stored = read_figures(figures_by_code[code]) if code in figures_by_code else None
        return stored or set_figures(standings.results, standings.rules, code, main, standings.sums)

    return ComputedStanding(
        inputs=inputs,
        figures=build_details(standings, main, unranked, keep=keep, compute_set=compute_set),
        pairs=pairs.items(),
        signature=standings.signature("+".join(main), None if inputs.is_public else gold_hash_key()),
    )


def ranked_entries(inputs: Inputs) -> list[RankingEntry]:
    return [entry for entry in inputs.entries if not entry.is_withdrawn]


def joined_standings(inputs: Inputs, parts: Sequence[SetInputs]) -> Standings:
    """From the kept sums of all test sets; counts are read only where averages need them."""
    task, ranked = inputs.phase.task, ranked_entries(inputs)
    has_figures = profile_of(task).averaging == "figures"
    read = status_alone if has_figures else outcomes
    systems = {entry.run.public_id: read(entry) for entry in ranked}
    results = results_of(task, inputs.track, gold_sets(inputs), systems)
    return compute_standings(
        results,
        rules_for(task, baselines_in(ranked), replicates=task.replicates),
        compared=main_metrics(task, inputs.track),
        store=StoredSumsStore({part.code: part for part in parts}, results),
    )


def standings_of(inputs: Inputs, entries: Sequence[RankingEntry], *, replicates: int) -> Standings:
    task = inputs.phase.task
    systems = {entry.run.public_id: outcomes(entry) for entry in entries}
    return compute_standings(
        results_of(task, inputs.track, gold_sets(inputs), systems),
        rules_for(task, baselines_in(entries), replicates=replicates),
        compared=main_metrics(task, inputs.track),
    )


def baselines_in(entries: Sequence[RankingEntry]) -> list[str]:
    return [entry.run.public_id for entry in entries if entry.run.team.is_baseline]


def outcomes(entry: RankingEntry) -> Mapping[str, Outcome]:
    with ThreadPoolExecutor(PARALLEL_READS) as pool:
        return dict(zip(entry.files, pool.map(outcome, entry.files.values()), strict=True))


def outcome(file: FileInput) -> Outcome:
    return read_outcome(file.state, file.units)


def status_alone(entry: RankingEntry) -> Mapping[str, Outcome]:
    """Without counts, where the figures are known."""
    return {
        code: Outcome(status="valid") if file.units else outcome(file) for code, file in entry.files.items()
    }
