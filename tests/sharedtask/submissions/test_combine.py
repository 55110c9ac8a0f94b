"""Combining runs: one run with the first valid file of each test set."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client

from sharedtask.accounts.models import User
from sharedtask.competition.models import AuditEntry, Phase
from sharedtask.core.errors import Refusal
from sharedtask.submissions.combine import combine
from sharedtask.submissions.models import Run, Score
from sharedtask.teams.models import System, Team
from tests.sharedtask.support.building import TWO_ROOTS, WRONG_HEAD, good_archive
from tests.sharedtask.support.moderating import ORGANISE, refreshed

pytestmark = pytest.mark.django_db
with_a_worker = pytest.mark.django_db(transaction=True)
Upload = Callable[..., Run]
Work = Callable[[], None]


def combined(desk: Client, run: Run, order: str, **form: str) -> Run | None:
    before = set(Run.objects.values_list("pk", flat=True))
    form = {"order": order, "reason": "a crash in the middle", **form}
    desk.post(f"{ORGANISE}runs/{run.public_id}/combine/", form)
    return Run.objects.exclude(pk__in=before).first()


@with_a_worker
def test_combining_takes_the_first_valid_file_of_each_set(
    desk: Client, blind_team: Team, upload: Upload, work: Work
) -> None:
    broken = upload(good_archive(en_two=TWO_ROOTS), team=blind_team)
    poor = upload(good_archive(en_two=WRONG_HEAD), team=blind_team)
    good = upload(good_archive(de_one=""), team=blind_team)
    work()

    def made_of(order: str) -> dict[str, tuple[str, int | None]]:
        run = combined(desk, broken, order)
        assert run is not None
        rows = run.files.values_list("test_set__code", "state", "taken_from__run__number")
        return {code: (state, number) for code, state, number in rows}

    assert made_of("1, 2, 3") == {"de_one": ("valid", 1), "en_two": ("valid", 2)}
    assert made_of("3 1") == {"de_one": ("valid", 1), "en_two": ("valid", 3)}
    work()
    run = Run.objects.get(number=4)
    assert (run.origin, run.state, run.uses_quota, run.on_behalf) == ("combined", "scored", False, True)
    assert [part.part.number for part in run.parts.all()] == [1, 2, 3]
    of_poor = Score.objects.get(file__run=poor, file__test_set__code="en_two")
    of_combined = Score.objects.get(file__run=run, file__test_set__code="en_two")
    assert of_combined.counts == of_poor.counts
    entry = AuditEntry.objects.filter(action="combine-runs").earliest("pk")
    assert entry.details["parts"] == [broken.public_id, poor.public_id, good.public_id]
    assert entry.reason == "a crash in the middle"


@with_a_worker
def test_the_first_invalid_file_is_taken_if_no_run_has_a_valid_one(
    desk: Client, client: Client, member: User, blind_team: Team, upload: Upload, work: Work
) -> None:
    first = upload(good_archive(de_one="", en_two=TWO_ROOTS), team=blind_team)
    upload(good_archive(de_one="", en_two="no tree\n"), team=blind_team)
    work()
    run = combined(desk, first, "1 2", official="1")
    assert run is not None
    assert run.marked_by_organiser
    rows = {row.test_set.code: row for row in run.files.all()}
    assert rows["en_two"].state == "invalid"
    assert rows["en_two"].incident_counts == {"several-roots": 1}
    assert (rows["de_one"].state, rows["de_one"].taken_from) == ("missing", None)
    client.force_login(member)
    page = " ".join(client.get(run.get_absolute_url()).content.decode().split())
    assert "Combined from" in page
    assert f'from <a href="{first.get_absolute_url()}">run 1</a>' in page


@with_a_worker
def test_runs_that_cannot_be_combined_are_refused(
    desk: Client, organiser: User, blind_team: Team, upload: Upload, work: Work
) -> None:
    first, second = (upload(good_archive(), team=blind_team) for _ in range(2))
    work()
    unchecked = upload(good_archive(), team=blind_team)
    for order in ("1", "1 1", "1 9", "1 three", "", f"1 {unchecked.number}"):
        assert combined(desk, first, order) is None, order
    Run.objects.filter(pk=second.pk).update(status="rejected")
    assert combined(desk, first, "1 2") is None
    other = System.objects.create(team=blind_team, name="other")
    Run.objects.filter(pk=second.pk).update(status="counts", system=other)
    with pytest.raises(Refusal, match="of the same system"):
        combine(parts=[refreshed(first), refreshed(second)], by=organiser, reason="x")
    assert not Run.objects.filter(origin="combined").exists()


@with_a_worker
def test_a_combined_run_that_cannot_be_official_is_not_created(
    desk: Client, blind_team: Team, upload: Upload, work: Work
) -> None:
    first, _ = (upload(good_archive(), team=blind_team) for _ in range(2))
    work()
    Phase.objects.update(kind="trial")
    assert combined(desk, first, "1 2", official="1") is None
    assert not AuditEntry.objects.filter(action="combine-runs").exists()
    assert combined(desk, first, "1 2") is not None
