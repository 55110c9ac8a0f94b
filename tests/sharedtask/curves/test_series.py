"""Series of runs: declared at upload, kept out of rankings, analysed by workers, shown as breakdowns are."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import IntegrityError
from django.test import Client
from django.urls import reverse

from sharedtask.accounts.models import User
from sharedtask.competition.models import Phase, Task
from sharedtask.competition.release_gold import release_gold
from sharedtask.core import clock
from sharedtask.core.errors import Refusal
from sharedtask.curves.analyse import AnalyseSeries
from sharedtask.curves.models import SeriesAnalysis
from sharedtask.curves.visible import visible_series
from sharedtask.standings.rankings import runs_of
from sharedtask.submissions.mark_official import mark_by_team
from sharedtask.submissions.models import Run
from sharedtask.submissions.withdraw import withdraw_run
from sharedtask.teams.models import System, Team
from sharedtask.teams.register import register
from sharedtask.work import sweep
from tests.sharedtask.support.building import FIRST, SECOND, WRONG_HEAD, good_archive
from tests.sharedtask.support.sending import Sent
from tests.sharedtask.support.standing import close_now

pytestmark = pytest.mark.django_db(transaction=True)
Work = Callable[[], None]
Uploading = Callable[..., Run]

WORSE = SECOND.replace("1\tBirds\tbird\tNOUN\t_\t_\t2", "1\tBirds\tbird\tNOUN\t_\t_\t3")
OTHER_TOKENS = FIRST.replace("1\tDer", "1\tDe").replace("2\tHund", "2\trHund")


@pytest.fixture
def series(team: Team, upload: Uploading, work: Work) -> list[Run]:
    """Three sizes of the team's primary system, the second with two samples."""
    outputs = ((5, 1, WRONG_HEAD), (10, 1, WRONG_HEAD), (10, 2, WORSE), (20, 1, SECOND))
    runs = [
        upload(good_archive(en_two=text), training_size=size, training_sample=sample)
        for size, sample, text in outputs
    ]
    work()
    return runs


@pytest.fixture
def rival(task: Task, upload: Uploading, work: Work) -> Run:
    """A run of another team, to be placed on the curve."""
    team = register(task=task, name="Birch", members=[User.objects.create_user("rival")], confirmed=True)
    run = upload(good_archive(en_two=WRONG_HEAD), team=team)
    work()
    return run


def series_address(run: Run, *file: str) -> str:
    """Of the page, or of a file by its name and ending."""
    place = [run.task.slug, run.system.public_id, run.phase.code]
    return reverse("series-download" if file else "series", args=[*place, *file])


def test_a_run_is_declared_at_upload_and_says_so_on_its_page(team: Team, member: User, work: Work) -> None:
    client = Client()
    client.force_login(member)
    address = reverse("upload", args=[team.task.slug])
    assert b'name="training_size"' in client.get(address).content

    def post(**values: str) -> Any:
        archive = SimpleUploadedFile("run.zip", good_archive())
        return client.post(address, {"archive": archive, "phase": "open", **values})

    assert post(training_size="20").status_code == 302
    run = Run.objects.get()
    assert (run.training_size, run.training_sample) == (20, 1)
    assert b"trained on 20 sentences" in client.get(run.get_absolute_url()).content
    for values, id in (
        ({"training_size": "0"}, b"not-a-sample"),
        ({"training_size": "many"}, b"not-a-sample"),
        ({"training_sample": "2"}, b"sample-without-size"),
    ):
        answer = post(**values)
        assert answer.status_code == 400
        assert id in answer.content
    assert Run.objects.count() == 1


def test_size_and_sample_are_stored_together(team: Team, upload: Uploading) -> None:
    with pytest.raises(IntegrityError):
        upload(good_archive(), training_size=5)


def test_runs_of_a_series_are_neither_ranked_nor_official(
    phase: Phase, series: list[Run], upload: Uploading, work: Work
) -> None:
    assert runs_of(phase, "open") == []
    ranked = upload(good_archive())
    work()
    assert runs_of(phase, "open") == [ranked]
    Task.objects.update(open_policy=Task.OpenPolicy.MARKED)
    with pytest.raises(Refusal) as refused:
        mark_by_team(run=Run.objects.get(pk=series[0].pk), by=User.objects.get(username="member"))
    assert refused.value.id == "mark-in-series"


def test_a_series_is_analysed_and_other_systems_are_placed_on_its_curve(
    task: Task, series: list[Run], rival: Run, work: Work, client: Client
) -> None:
    sweep.sweep(AnalyseSeries(), at=clock.database_now())
    work()
    page = client.get(series_address(series[0])).content.decode()
    assert "Learning curves of <bdi>Alder</bdi>" in page
    assert "Birch" in page
    assert page.count("<svg") >= 2
    document = json.loads(client.get(series_address(series[0], "curves", "json") + "?set=en_two").content)
    assert document["sizes"] == [5, 10, 20]
    assert document["samples"] == [1, 2, 1]
    assert document["uas"] == pytest.approx([200 / 3, (200 / 3 + 200 / 3) / 2, 100])
    assert document["equivalents"]["Birch"]["overall"]["sentences"] == 5
    listing = client.get(reverse("curves", args=[task.slug])).content.decode()
    assert series_address(series[0]) in listing


def test_the_page_has_every_criterion_sorts_downloads_and_places_published_scores(
    series: list[Run], client: Client
) -> None:
    address = series_address(series[0])
    assert "No other system can be shown on these curves" in client.get(address).content.decode()
    for by in ("upos", "relation", "length", "depth", "upos-direction-relation", "nonsense"):
        assert client.get(f"{address}?by={by}").status_code == 200
    check_tables(series, client)
    check_published_scores(series, client)


def check_tables(series: list[Run], client: Client) -> None:
    """They sort and download."""
    address = series_address(series[0])
    table = client.get(series_address(series[0], "classes", "csv") + "?set=en_two")
    rows = list(csv.DictReader(io.StringIO(table.content.decode())))
    assert {row["Class"] for row in rows} == {"NOUN>", "VERB>", "ADV<"}
    latex = client.get(series_address(series[0], "curves", "tex"))
    assert r"\begin{tabular}" in latex.content.decode()
    drawing = client.get(series_address(series[0], "curves", "svg"))
    assert drawing.content.startswith(b"<svg")
    up, down = (
        client.get(f"{address}?set=en_two&sort={sort}").content.decode().partition('id="classes"')[2]
        for sort in ("classes:0", "-classes:0")
    )
    assert 'aria-sort="ascending"' in up and 'aria-sort="descending"' in down
    assert up.index(">ADV&lt;<") < up.index(">VERB&gt;<")
    assert down.index(">ADV&lt;<") > down.index(">VERB&gt;<")
    for missing in (("nothing", "csv"), ("classes", "exe"), ("curves", "html")):
        answer = client.get(series_address(series[0], *missing))
        assert answer.status_code == 404


def check_published_scores(series: list[Run], client: Client) -> None:
    """A score is placed on the curve, or refused in words."""
    address = series_address(series[0]) + "?set=en_two&name=KL-Beam&uas="
    page = client.get(address + "80,0").content.decode()
    assert "KL-Beam" in page
    document = json.loads(
        client.get(series_address(series[0], "curves", "json") + "?set=en_two&name=KL-Beam&uas=80").content
    )
    assert document["equivalents"]["KL-Beam"]["overall"]["uas"] == 80
    # 80 lies 2/5 of the way from 66.7 at 10 to 100 at 20 sentences.
    assert document["equivalents"]["KL-Beam"]["overall"]["sentences"] == pytest.approx(10 * 2**0.4)
    assert document["equivalents"]["KL-Beam"]["simple"]["uas"] is None
    for wrong in ("many", "101", "-1", "nan"):
        assert "from 0 to 100" in client.get(address + wrong).content.decode()


def test_the_page_of_a_system_says_what_it_is_worth(
    task: Task, series: list[Run], rival: Run, work: Work, client: Client
) -> None:
    sweep.sweep(AnalyseSeries(), at=clock.database_now())
    work()
    page = client.get(reverse("system", args=[task.slug, rival.system.public_id])).content.decode()
    assert "what Alder reaches with" in page
    assert series_address(series[0]) in page
    own = client.get(reverse("system", args=[task.slug, series[0].system.public_id]))
    assert "what Alder reaches with" not in own.content.decode()


def test_nothing_is_analysed_again_until_something_changes(
    series: list[Run], upload: Uploading, work: Work, dispatched: list[Sent]
) -> None:
    before = SeriesAnalysis.objects.get()
    assert sweep.sweep(AnalyseSeries(), at=clock.database_now()).dispatched == 0
    withdraw_run(run=Run.objects.get(pk=series[1].pk), by=User.objects.get(username="member"), reason="")
    sweep.sweep(AnalyseSeries(), at=clock.database_now())
    work()
    after = SeriesAnalysis.objects.get()
    assert after.analysed_at != before.analysed_at
    assert len(after.runs) == 3


def test_a_withdrawn_run_hides_the_series_until_it_is_analysed_again(
    task: Task, series: list[Run], client: Client
) -> None:
    assert client.get(series_address(series[0])).status_code == 200
    Task.objects.update(withdrawn_policy=Task.WithdrawnPolicy.HIDDEN)
    withdraw_run(run=Run.objects.get(pk=series[1].pk), by=User.objects.get(username="member"), reason="")
    assert client.get(series_address(series[0])).status_code == 404


def test_two_sizes_have_no_curve_and_the_team_learns_why(
    team: Team, member: User, upload: Uploading, work: Work
) -> None:
    runs = [upload(good_archive(), training_size=size, training_sample=1) for size in (5, 10)]
    work()
    client = Client()
    client.force_login(member)
    page = client.get(series_address(runs[0])).content.decode()
    assert "at least 3 sizes of training data, found 5, 10" in page
    assert "There is no curve yet" in page
    assert "found 5, 10" not in Client().get(series_address(runs[0])).content.decode()


def test_outputs_with_other_tokens_are_left_out_with_the_reason(
    team: Team, member: User, upload: Uploading, work: Work
) -> None:
    runs = [
        upload(good_archive(de_one=OTHER_TOKENS), training_size=size, training_sample=1)
        for size in (5, 10, 20)
    ]
    work()
    (series,) = visible_series(member, team.task, at=clock.database_now())
    assert {analysis.name for analysis in series.analyses} == {"en_two"}
    assert any(
        "de_one: run 1, de_one.conllu:2: the tokens differ" in problem for problem in series.row.problems
    )
    assert len(runs) == 3


def test_a_blind_phase_shows_no_curves_before_gold_and_results_are_out(
    blind_task: Task, blind_team: Team, upload: Uploading, work: Work, member: User
) -> None:
    runs = [
        upload(good_archive(), team=blind_team, training_size=size, training_sample=1) for size in (5, 10, 20)
    ]
    work()
    sweep.sweep(AnalyseSeries(), at=clock.database_now())
    work()
    organiser = User.objects.create_user("organiser")
    blind_task.organisers.add(organiser)
    clients = {user: Client() for user in (member, organiser, None)}
    for user, client in clients.items():
        if user:
            client.force_login(user)
        assert b"<svg class" not in client.get(series_address(runs[0])).content
    assert bytes(SeriesAnalysis.objects.get().result) == b""
    close_now(blind_task)
    release_gold(task=blind_task, by=organiser, reason="It is over.", codes=["de_one", "en_two"])
    work()
    sweep.sweep(AnalyseSeries(), at=clock.database_now())
    work()
    assert bytes(SeriesAnalysis.objects.get().result) != b""
    statuses = {user: client.get(series_address(runs[0])).status_code for user, client in clients.items()}
    assert statuses == {member: 404, organiser: 200, None: 404}, "results are not published yet"


def test_names_are_pseudonyms_where_the_task_has_them(
    task: Task, series: list[Run], rival: Run, work: Work, client: Client
) -> None:
    sweep.sweep(AnalyseSeries(), at=clock.database_now())
    work()
    Task.objects.update(pseudonymous=True)
    page = client.get(series_address(series[0])).content.decode()
    assert "Alder" not in page and "Birch" not in page
    assert System.objects.count() >= 2


def test_series_are_compared_under_the_partition_of_a_named_reference(
    task: Task, series: list[Run], upload: Uploading, work: Work, client: Client
) -> None:
    address = reverse("series-comparison", args=[task.slug])
    assert b"nothing to compare yet" in client.get(address).content
    team = register(task=task, name="Birch", members=[User.objects.create_user("rival")], confirmed=True)
    for size, text in ((5, SECOND), (10, WRONG_HEAD), (20, SECOND)):
        archive = good_archive(en_two=text, de_one=OTHER_TOKENS)
        upload(archive, team=team, training_size=size, training_sample=1)
    work()
    page = client.get(f"{address}?set=en_two").content.decode()
    assert "The partition is that of Alder; no intervals" in page
    assert "Simple classes" in page and page.count("<svg") >= 6, "a chart per part, wide and narrow"
    page = client.get(f"{address}?set=de_one").content.decode()
    assert "<bdi>Birch</bdi> has no curves for de_one, so it is left out here." in page
    reference = team.primary_system.public_id
    page = client.get(f"{address}?set=en_two&reference={reference}&by=upos").content.decode()
    assert "The partition is that of Birch; no intervals" in page
    assert address in client.get(reverse("curves", args=[task.slug])).content.decode()
    download = reverse("series-comparison-download", args=[task.slug, "scores", "csv"])
    rows = list(csv.DictReader(io.StringIO(client.get(f"{download}?set=en_two").content.decode())))
    assert {(row["Series"], row["Sentences"]) for row in rows} == {
        (name, size) for name in ("Alder", "Birch") for size in ("5", "10", "20")
    }
    (birch,) = [row for row in rows if (row["Series"], row["Sentences"]) == ("Birch", "10")]
    assert birch["Overall"] == "66.67"
    document = reverse("series-comparison-download", args=[task.slug, "comparison", "json"])
    scores = json.loads(client.get(f"{document}?set=en_two").content)["scores"]
    assert [each["overall"]["uas"] for each in scores if each["series"] == "Birch"] == pytest.approx(
        [100, 200 / 3, 100]
    )
    differences = reverse("series-comparison-download", args=[task.slug, "differences", "csv"])
    rows = list(csv.DictReader(io.StringIO(client.get(f"{differences}?set=en_two").content.decode())))
    assert [(row["Series"], row["Sentences"], row["Overall"]) for row in rows] == [
        ("Birch", "5", "+33.33"),
        ("Birch", "10", "+0.00"),
        ("Birch", "20", "+0.00"),
    ]
    for missing in (("nothing", "csv"), ("scores", "exe")):
        answer = client.get(reverse("series-comparison-download", args=[task.slug, *missing]))
        assert answer.status_code == 404


def test_without_a_size_on_one_test_set_there_is_no_average_and_the_page_says_so(
    upload: Uploading, work: Work, client: Client
) -> None:
    for size in (5, 10, 20, 50):
        archive = good_archive(en_two="") if size == 10 else good_archive()
        run = upload(archive, training_size=size, training_sample=1)
    work()
    address = series_address(run)
    assert (
        "There is no average: the series does not have the same sizes" in client.get(address).content.decode()
    )
    document = series_address(run, "curves", "json")
    assert document + "?set=de_one" in client.get(f"{address}?set=average").content.decode()
    assert client.get(f"{document}?set=average").status_code == 404
    sizes = {
        code: json.loads(client.get(f"{document}?set={code}").content)["sizes"]
        for code in ("de_one", "en_two")
    }
    assert sizes == {"de_one": [5, 10, 20, 50], "en_two": [5, 20, 50]}


def test_a_series_without_an_average_is_left_out_of_a_comparison_of_averages(
    task: Task, series: list[Run], upload: Uploading, work: Work, client: Client
) -> None:
    team = register(task=task, name="Birch", members=[User.objects.create_user("rival")], confirmed=True)
    for size in (5, 10, 20, 50):
        archive = good_archive(en_two="") if size == 10 else good_archive()
        upload(archive, team=team, training_size=size, training_sample=1)
    work()
    address = reverse("series-comparison", args=[task.slug])
    page = " ".join(client.get(f"{address}?set=average").content.decode().split())
    assert "<bdi>Birch</bdi> has no average over its test sets, so it is left out here." in page
    assert "COMPLEXITY, Birch" not in page
    document = reverse("series-comparison-download", args=[task.slug, "comparison", "json"])
    series_of = {
        code: {each["series"] for each in json.loads(client.get(f"{document}?set={code}").content)["scores"]}
        for code in ("average", "de_one")
    }
    assert series_of == {"average": {"Alder"}, "de_one": {"Alder", "Birch"}}


def test_missing_samples_and_falling_curves_are_said_on_the_page(
    upload: Uploading, work: Work, client: Client
) -> None:
    outputs = ((5, 1, SECOND), (5, 2, WORSE), (10, 1, SECOND), (20, 1, WRONG_HEAD))
    runs = [
        upload(good_archive(en_two=text), training_size=size, training_sample=sample)
        for size, sample, text in outputs
    ]
    work()
    page = " ".join(client.get(series_address(runs[0]) + "?set=en_two").content.decode().split())
    assert "10-2 is missing: the score at 10 sentences is the average of 1 sample" in page
    assert "20-2 is missing" in page
    assert "The curve falls from 100.00 UAS at 10 sentences to 66.67 at 20." in page
    scored = client.get(series_address(runs[0]) + "?set=en_two&name=Earlier&uas=70").content.decode()
    assert "Earlier" in scored
    document = json.loads(
        client.get(series_address(runs[0], "curves", "json") + "?set=en_two&name=Low&uas=10").content
    )
    assert document["equivalents"]["Low"]["overall"]["sentences"] == "<5"
