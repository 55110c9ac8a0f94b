"""The figures of a large standing are read in parts, and once for all visitors who come at the same time."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from evaluation.ranking.details import Details
from sharedtask.competition.models import Phase, Task
from sharedtask.standings import figures
from sharedtask.standings.models import Figures, Standing
from tests.sharedtask.support.standing import close_now, compare, scored

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("as_worker")]


@pytest.fixture
def standing(blind_task: Task) -> Standing:
    close_now(blind_task)
    phase: Phase = blind_task.phases.select_related("task").get()
    scored(phase, "Ash", 0.9)
    scored(phase, "Birch", 0.8)
    return compare(phase)["official"]


def test_parts_of_any_size_give_the_same_figures(standing: Standing, monkeypatch: pytest.MonkeyPatch) -> None:
    stored = bytes(Figures.objects.get(standing=standing).stored)
    # After a part that ends where the figures end, the next one is empty.
    for size in (1000, len(stored), len(stored) + 1):
        monkeypatch.setattr(figures, "BYTES_AT_ONCE", size)
        assert figures.read_figures(standing.public_id).to_bytes() == Details.from_bytes(stored).to_bytes()


def test_visitors_who_come_at_once_do_not_each_read_the_figures(
    standing: Standing, monkeypatch: pytest.MonkeyPatch
) -> None:
    read, made = [], figures.read_figures(standing.public_id)

    def read_slowly(public_id: str) -> Details:
        read.append(public_id)
        time.sleep(0.2)
        return made

    monkeypatch.setattr(figures, "read_figures", read_slowly)
    figures.FIGURES.clear()
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(figures.figures_of, [standing] * 4))
    assert found == [made] * 4
    assert read == [standing.public_id]
    figures.FIGURES.clear()
