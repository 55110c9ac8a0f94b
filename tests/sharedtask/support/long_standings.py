"""Compute a standing in parts, as workers do, and compare it with one that is computed at once."""

from __future__ import annotations

from copy import copy
from datetime import timedelta
from typing import Any

from django.utils import timezone

from sharedtask.competition.models import Phase, StandingRequest
from sharedtask.core import clock, storage
from sharedtask.standings import compute, parts, recompute, set_parts
from sharedtask.standings.figures import read_figures
from sharedtask.standings.models import Standing, StandingPart
from sharedtask.standings.set_parts import SetInputs
from sharedtask.work.perform import perform


def request_of(phase: Phase) -> StandingRequest:
    request, _ = StandingRequest.objects.get_or_create(phase=phase)
    return request


def kept(prefix: str = "") -> list[str]:
    folder = storage.path_of("progress")
    names = (path.name for path in folder.iterdir()) if folder.is_dir() else ()
    return sorted(name for name in names if name.startswith(prefix))


def in_one_piece(phase: Phase) -> Any:
    """The same figures, computed at once and without anything that was kept."""
    inputs = compute.gather(phase, "official", at=clock.database_now())
    return compute.compute_figures(inputs)


def begin(phase: Phase) -> list[str]:
    """A worker takes the request and asks for parts: their names."""
    StandingRequest.objects.update_or_create(phase=phase, defaults={"since": timezone.now() - timedelta(1)})
    perform(recompute.ComputeStandings(), [phase.pk])
    return list(StandingPart.objects.order_by("pk").values_list("name", flat=True))


def finish(phase: Phase) -> Standing:
    """Workers take everything that is requested, until nothing is left."""
    for _ in range(20):
        for name in begin(phase):
            perform(parts.ComputePart(), [name])
        if not StandingRequest.objects.filter(phase=phase).exists():
            standing = Standing.objects.in_force(phase).filter(ranking="official").first()
            assert standing is not None
            return standing
    raise AssertionError("it never ends")


def assert_right(phase: Phase, standing: Standing) -> None:
    expected = in_one_piece(phase)
    assert read_figures(standing.public_id).to_bytes() == expected.figures.to_bytes()
    stored = standing.pair_figures.values_list("column", "stored")
    assert {column: bytes(pairs) for column, pairs in stored} == dict(expected.pairs)


def with_rules(phase: Phase, values: dict[str, Any]) -> Phase:
    other = copy(phase)
    other.task = copy(phase.task)
    for name, value in values.items():
        setattr(other.task, name, value)
    return other


def first_part(phase: Phase) -> SetInputs:
    inputs = compute.gather(phase, "official", at=clock.database_now())
    return set_parts.set_inputs(inputs, inputs.test_sets[0].code)
