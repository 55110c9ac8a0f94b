"""Standings of any size with made-up figures, without scoring anything."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from django.utils import timezone

import evaluation
from evaluation.ranking.details import SET, Details
from evaluation.ranking.pairs import Pairs
from evaluation.ranking.results import EVERYTHING, LANGUAGE
from sharedtask.competition.models import Phase
from sharedtask.standings.models import Figures, PairFigures, Standing
from sharedtask.submissions.models import Run
from sharedtask.teams.models import Team
from sharedtask.teams.register import register

GROUPS = ("big", "small")
SIGNATURE = (
    "arboretum|profile:conll17|gold:0123|metric:LAS|missing:zero|unit:sentence|replicates:1000|seed:1"
    "|test:two-sided|baselines:none|version:1.0.0"
)


def runs_of(phase: Phase, names: Sequence[str]) -> list[Run]:
    """One run of each team, without any file."""
    items = []
    for name in names:
        team = Team.objects.filter(task=phase.task, name=name).first()
        team = team or register(task=phase.task, name=name, confirmed=True)
        items.append(
            Run.objects.create(
                task=phase.task,
                phase=phase,
                team=team,
                system=team.primary_system,
                number=1 + team.runs.count(),
                filename="run.zip",
                state="scored",
                checked_at=timezone.now(),
                received_at=timezone.now(),
            )
        )
    return items


def made_up(runs: Sequence[Run], sets: int, seed: int = 1) -> Details:
    """Figures that fall from the first run to the last, in every scope and by every metric."""
    source = np.random.default_rng(seed)
    metrics = evaluation.PROFILES["conll17"].metrics
    codes = tuple(f"xx_{number:02}" for number in range(sets))
    scopes = (EVERYTHING, *GROUPS, f"{LANGUAGE}xx")
    height = np.linspace(0.8, 0.4, len(runs))[:, None, None]

    def places(columns: int) -> dict[str, Any]:
        shape = (len(runs), columns, len(metrics))
        f1 = height + source.uniform(0, 0.4 / len(runs) / 2, shape)
        rank = np.broadcast_to(np.arange(1, len(runs) + 1)[:, None, None], shape).astype(np.int16)
        names = ("f1", "low", "high", "rank", "rank_low", "rank_high", "line_below")
        lines = np.broadcast_to(np.arange(len(runs))[:, None, None] % 2 == 0, shape)
        return dict(zip(names, (f1, f1 - 0.01, f1 + 0.01, rank, rank, rank, lines), strict=True))

    return Details(
        systems=tuple(run.public_id for run in runs),
        codes=codes,
        scopes=scopes,
        metrics=metrics,
        main=("LAS",),
        **places(len(scopes)),
        **{f"set_{name}": array for name, array in places(sets).items()},
        set_status=np.zeros((len(runs), sets), dtype=np.int8),
        set_too_small=np.zeros(sets, dtype=bool),
    )


def store_pairs(standing: Standing, figures: Details) -> None:
    """Every p and every bound of a difference is 0.04."""
    pairs = np.full((1, len(figures.systems) * (len(figures.systems) - 1) // 2), 0.04)
    stored = Pairs(
        systems=figures.systems,
        main=figures.main,
        p=pairs,
        p_holm=pairs,
        low=pairs.astype(np.float32),
        high=pairs.astype(np.float32),
    ).to_bytes()
    for column in (*figures.scopes, *(SET + code for code in figures.codes)):
        PairFigures.objects.create(standing=standing, column=column, stored=stored)


def table_of(figures: Details) -> dict[str, Any]:
    return {
        "metrics": ["LAS"],
        "columns": ["LAS", "CLAS", "Tokens", "Words", "Sentences"],
        "groups": list(GROUPS),
        "rows": [{"run": run, "baseline": False, "withdrawn": False} for run in figures.systems],
        "profile": "conll17",
        "missing": "zero",
        "test_sets": [
            {"code": code, "language": "xx", "groups": [GROUPS[number % 2]]}
            for number, code in enumerate(figures.codes)
        ],
        "languages": {"xx": "Ixish"},
        "gold": dict.fromkeys(figures.codes, 1),
        "gold_hashes": {
            scope: ["hmac-0123", "0123"]
            for scope in (*figures.scopes, *(f"set:{code}" for code in figures.codes))
        },
        "replicates": 1000,
        "test": "two-sided",
        "failed": [],
    }


def stand(
    phase: Phase, names: Sequence[str], sets: int = 2, *, ranking: str = "open", **table: Any
) -> Standing:
    """A standing that is in force, as if workers had computed it."""
    figures = made_up(runs_of(phase, names), sets)
    return keep(phase, figures, ranking=ranking, **table)


def keep(phase: Phase, figures: Details, *, ranking: str = "open", **table: Any) -> Standing:
    standing = Standing.objects.create(
        task=phase.task,
        phase=phase,
        ranking=ranking,
        signature=SIGNATURE,
        inputs_sha256=str(Standing.objects.count()),
        table=table_of(figures) | table,
    )
    Figures.objects.create(standing=standing, stored=figures.to_bytes())
    store_pairs(standing, figures)
    return standing
