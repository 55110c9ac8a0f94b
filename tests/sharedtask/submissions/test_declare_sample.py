"""The training sample of a run can be changed, as long as that confuses neither series nor ranking."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse
from django.utils.html import strip_tags

from sharedtask.accounts.models import User
from sharedtask.competition.models import AuditEntry, Phase, Task
from sharedtask.core.errors import Refusal
from sharedtask.curves.models import SeriesAnalysis
from sharedtask.standings.rankings import runs_of
from sharedtask.submissions.declare_sample import declare_by_organiser, declare_by_team
from sharedtask.submissions.models import Run
from sharedtask.teams.models import Team
from tests.sharedtask.support.building import good_archive
from tests.sharedtask.support.standing import close_now

pytestmark = pytest.mark.django_db(transaction=True)
Work = Callable[[], None]


@pytest.fixture
def series(team: Team, upload: Callable[..., Run], work: Work) -> list[Run]:
    runs = [upload(good_archive(), training_size=size, training_sample=1) for size in (5, 10, 20)]
    work()
    return runs


def text_of(client: Client, address: str) -> str:
    return " ".join(strip_tags(client.get(address).content.decode()).split())


def declare(run: Run, size: int | None, sample: int | None = None) -> str:
    """The id of the refusal, or nothing."""
    try:
        declare_by_team(
            run=Run.objects.get(pk=run.pk),
            by=User.objects.get(username="member"),
            training_size=size,
            training_sample=sample,
        )
    except Refusal as refusal:
        return refusal.id
    return ""


def declared(run: Run) -> tuple[int | None, int | None]:
    row = Run.objects.get(pk=run.pk)
    return row.training_size, row.training_sample


def test_two_runs_for_a_sample_say_which_of_them_counts(
    series: list[Run], upload: Callable[..., Run], work: Work, member: User
) -> None:
    client = Client()
    client.force_login(member)
    assert "for this sample" not in text_of(client, series[0].get_absolute_url()).lower()
    again = upload(good_archive(), training_size=5, training_sample=1)
    work()
    assert "It counts for this sample instead of run 1." in text_of(client, again.get_absolute_url())
    earlier = text_of(client, series[0].get_absolute_url())
    assert "For this sample run 4 counts, because it was received later." in earlier
    Run.objects.filter(pk=again.pk).update(status=Run.Status.WITHDRAWN)
    for run in (series[0], again):
        assert "for this sample" not in text_of(client, run.get_absolute_url()).lower()


def test_the_list_of_runs_says_which_sample_each_run_is_for(
    series: list[Run], upload: Callable[..., Run], member: User
) -> None:
    upload(good_archive())
    client = Client()
    client.force_login(member)
    page = text_of(client, "/tasks/tiny/team/")
    for size in (5, 10, 20):
        assert page.count(f"{size} sentences, sample 1") == 1


def test_a_team_corrects_a_size_on_the_page_and_the_curve_follows(
    series: list[Run], member: User, work: Work
) -> None:
    client = Client()
    client.force_login(member)
    assert b"Change the training sample" in client.get(series[2].get_absolute_url()).content
    address = reverse("run-act", args=[series[2].public_id, "declare"])
    answer = client.post(address, {"training_size": "50", "training_sample": ""})
    assert answer.status_code == 302
    assert declared(series[2]) == (50, 1)
    work()
    analysis = SeriesAnalysis.objects.get()
    assert analysis.inputs == analysis.analysed_inputs
    page = client.get(reverse("series", args=[series[0].task.slug, series[0].system.public_id, "open"]))
    assert "UAS 50" in page.content.decode() and "UAS 20" not in page.content.decode()
    entry = AuditEntry.objects.get(action="declare-sample")
    assert entry.details["before"] == "sample 1 with 20 sentences"
    assert entry.details["after"] == "sample 1 with 50 sentences"


def test_two_runs_cannot_be_the_same_sample(series: list[Run], member: User) -> None:
    assert declare(series[1], 5, 1) == "sample-taken"
    assert declared(series[1]) == (10, 1)
    assert declare(series[1], 5, 2) == ""
    client = Client()
    client.force_login(member)
    answer = client.post(
        reverse("run-act", args=[series[2].public_id, "declare"]), {"training_size": 5, "training_sample": 2}
    )
    assert answer.status_code == 409
    assert "is already sample 2 with 5 sentences" in answer.content.decode()


def test_a_run_leaves_its_series_and_is_ranked_while_the_phase_is_open(
    series: list[Run], phase: Phase, work: Work, client: Client
) -> None:
    for run in series:
        assert declare(run, None) == ""
    work()
    assert runs_of(phase, "open") != []
    address = reverse("series", args=[phase.task.slug, series[0].system.public_id, phase.code])
    assert client.get(address).status_code == 404, "no run declares a sample any more"


def test_after_closing_only_organisers_correct_and_nothing_enters_or_leaves(
    task: Task, series: list[Run], upload: Callable[..., Run], work: Work
) -> None:
    ordinary = upload(good_archive())
    work()
    close_now(task)
    organiser = User.objects.create_user("organiser")
    task.organisers.add(organiser)
    assert declare(series[0], 6) == "declared-too-late"

    def correct(run: Run, size: int | None) -> None:
        declare_by_organiser(
            run=Run.objects.get(pk=run.pk),
            by=organiser,
            training_size=size,
            training_sample=None,
            reason="a typing error",
        )

    correct(series[0], 6)
    assert declared(series[0]) == (6, 1)
    for run, size in ((series[0], None), (ordinary, 30)):
        with pytest.raises(Refusal) as refused:
            correct(run, size)
        assert refused.value.id == "declared-too-late"
    client = Client()
    client.force_login(organiser)
    act = reverse("moderate-act", args=[task.slug, series[0].public_id, "declare"])
    assert client.post(act, {"training_size": 7}).status_code == 409, "an organiser gives a reason"
    assert client.post(act, {"training_size": 7, "reason": "once more"}).status_code == 302
    assert declared(series[0]) == (7, 1)


def test_a_failure_that_a_blind_phase_hides_makes_no_difference(series: list[Run]) -> None:
    """Scoring fails because of gold or of the scorer; the team must not learn it by declaring another run."""
    Run.objects.filter(pk=series[0].pk).update(state=Run.State.FAILED)
    assert Run.objects.get(pk=series[0].pk).checked_at is not None
    assert declare(series[1], 5, 1) == "sample-taken"
    Run.objects.filter(pk=series[0].pk).update(checked_at=None)
    assert declare(series[1], 5, 1) == "", "its files could not be checked, which its team knows"


def test_what_the_server_trained_or_a_team_marked_cannot_be_declared(series: list[Run]) -> None:
    Run.objects.filter(pk=series[0].pk).update(origin=Run.Origin.SOFTWARE)
    assert declare(series[0], 6) == "trained-by-the-server"
    Run.objects.filter(pk=series[0].pk).update(training_size=None, training_sample=None)
    assert declare(series[0], 6) == "run-of-software", "it could not leave the series any more"
    Run.objects.filter(pk=series[1].pk).update(marked_official_at="2026-01-01T00:00:00Z")
    assert declare(series[1], 11) == "mark-in-series"
