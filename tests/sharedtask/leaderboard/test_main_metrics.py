"""A task with three main metrics: each page shows all three as equals, as its profile says."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from django.contrib.auth.models import AnonymousUser
from django.test import Client

from evaluation import PROFILES
from sharedtask.competition.models import Phase, Task
from sharedtask.core import clock
from sharedtask.leaderboard.board.build import build_for_phase as board_of
from sharedtask.submissions.alarms import score_detectors
from sharedtask.submissions.models import Run
from sharedtask.submissions.run_access import above_zero, run_permissions
from sharedtask.teams.models import Membership
from sharedtask.teams.register import register
from tests.sharedtask.support import three_metrics
from tests.sharedtask.support.building import GOLD, good_archive
from tests.sharedtask.support.people import person
from tests.sharedtask.support.standing import compare, scored
from tests.sharedtask.support.three_metrics import MAIN, SHOWN

TASK = "/tasks/three/"


@pytest.fixture
def phase(db: None, tmp_path: Path) -> Phase:
    return three_metrics.load(tmp_path / "task").phases.get()


@pytest.fixture
def runs(phase: Phase, as_worker: None) -> dict[str, Run]:
    return three_metrics.stand(phase)


def read(html: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", html).split())


def get(client: Client, address: str) -> str:
    response = client.get(address)
    assert response.status_code == 200
    return response.content.decode()


def heads(html: str, table: str = "<table") -> list[str]:
    """The headings of the first table of this kind, in order."""
    thead = html.split(table, 1)[1].split("</thead>")[0]
    return [read(match) for match in re.findall(r"<th\b[^>]*>(.*?)</th>", thead, re.DOTALL)]


@pytest.mark.django_db(transaction=True)
def test_the_page_of_a_run_shows_every_main_metric(
    client: Client, phase: Phase, upload: Callable[..., Run], work: Callable[[], None]
) -> None:
    member = person("ash")
    team = register(task=phase.task, name="Ash", members=[member], confirmed=True)
    # Every lemma of the English file is wrong: heads and relations are right all the same.
    lemmas = (
        GOLD["en_two"]
        .replace("bird", "x")
        .replace("\tsing\tVERB", "\tx\tVERB")
        .replace("loudly\tADV", "x\tADV")
    )
    run = upload(good_archive(en_two=lemmas), team=team, phase=phase)
    work()
    client.force_login(member)
    html = get(client, run.get_absolute_url())
    figures = html.split('<dl class="figures"', 1)[1].split("</dl>")[0]
    main = re.findall(r'<div class="main">\s*<dt>(\w+)</dt>\s*<dd>([\d.]+)</dd>', figures)
    assert main == [("LAS", "100.00"), ("MLAS", "100.00"), ("BLEX", "50.00")]
    assert re.findall(r"<dt>(\w+)</dt>", figures) == list(SHOWN)
    assert heads(html, '<table class="files"')[-len(SHOWN) :] == list(SHOWN)
    for name in MAIN:
        assert f'<th scope="col" class="figure main">{name}</th>' in html
    assert "BLEX : content words with the correct head, relation and lemma" in read(html)


def test_the_board_has_a_ranking_for_each_main_metric(client: Client, runs: dict[str, Run]) -> None:
    orders = {}
    for name in MAIN:
        html = get(client, TASK + "leaderboard/" + ("" if name == "LAS" else f"?metric={name}"))
        orders[name] = re.findall(r'<th scope="row" class="team">\s*<a [^>]*>(\w+)</a>', html)
        result = heads(html, '<table class="leaderboard"')
        others = [entry for entry in SHOWN if entry != name]
        assert result[3:13] == [name, "95% interval", "Ranks", *others, f"{name} big"][:10]
        assert f'aria-current="page">{name}</a>' in html.split('aria-label="Ranked by"', 1)[1]
        assert html.count("also-main") == 2 * (len(runs) + 1), "the two others stand out as well"
        for item in MAIN:
            assert PROFILES["conll18"].presentations[item].explanation in read(html)
    assert orders == {
        "LAS": ["Ash", "Birch", "Cedar"],
        "MLAS": ["Birch", "Ash", "Cedar"],
        "BLEX": ["Cedar", "Ash", "Birch"],
    }


def test_the_front_page_shows_every_main_metric(client: Client, runs: dict[str, Run]) -> None:
    assert [head for head in heads(get(client, "/"), '<table class="leaderboard"') if head in SHOWN] == list(
        SHOWN
    )


@pytest.mark.parametrize("ending", ["csv", "tex", "md"])
def test_downloads_have_every_main_metric(client: Client, runs: dict[str, Run], ending: str) -> None:
    text = get(client, f"{TASK}leaderboard.{ending}?metric=MLAS")
    assert [name for name in MAIN if name in text] == list(MAIN)
    if ending == "csv":
        rows = list(csv.DictReader(io.StringIO(text)))
        assert [row["Team"] for row in rows] == ["Birch", "Ash", "Cedar"]
        assert set(MAIN) <= rows[0].keys()


def test_the_json_has_every_main_metric(client: Client, runs: dict[str, Run]) -> None:
    document = json.loads(get(client, f"{TASK}leaderboard.json"))
    assert list(document["systems"][0]["figures"]) == list(SHOWN)


def test_the_page_of_a_test_set_leads_to_each_ranking(client: Client, runs: dict[str, Run]) -> None:
    html = get(client, TASK + "sets/en_two/?metric=BLEX")
    assert "Ranking by BLEX" in read(html)
    assert "BLEX: content words with the correct head, relation and lemma" in read(html)
    figures = [
        heading
        for table in html.split('<table class="leaderboard set-ranking"')[1:]
        for heading in heads("<table" + table, "<table")
        if heading in PROFILES["conll18"].metrics
    ]
    assert figures[:3] == ["BLEX", "LAS", "MLAS"], "the main metrics come before the others"
    assert sorted(figures) == sorted(PROFILES["conll18"].metrics), "each metric has one column"
    links = html.split('id="ranking-title"', 1)[1].split("<table", 1)[0]
    assert [name for name in MAIN if f">{name}</a>" in links] == list(MAIN)
    rows = re.findall(r'<th scope="row" class="team">\s*<a [^>]*>(\w+)</a>', html)
    assert rows == 2 * ["Cedar", "Ash", "Birch"]


def test_the_page_of_a_system_has_its_place_by_each_main_metric(client: Client, runs: dict[str, Run]) -> None:
    html = get(client, f"{TASK}systems/{runs['Ash'].system.public_id}/")
    assert "Rank 1 of 3 by LAS, 2 by MLAS and 2 by BLEX" in read(html)
    table = html.split('aria-label="Rank by each main metric"', 1)[1].split("</table>")[0]
    assert re.findall(r'<th scope="row">\s*<a [^>]*>(\w+)</a>', table) == list(MAIN)
    assert [head for head in heads(html, '<table class="sets"') if head in MAIN] == list(MAIN)


def test_a_comparison_has_every_main_metric(client: Client, runs: dict[str, Run]) -> None:
    html = get(client, f"{TASK}compare/?with={runs['Ash'].public_id}&with={runs['Birch'].public_id}")
    assert "Ash is" in read(html) and "by LAS over 2 test sets" in read(html)
    table = html.split('aria-label="Main metrics"', 1)[1].split("</table>")[0]
    rows = table.split("<tbody>")[1].split("</tr>")[:-1]
    assert [re.search(r"<a [^>]*>(\w+)</a>", row).group(1) for row in rows] == list(MAIN)  # type: ignore[union-attr]
    signs = [re.search(r">\s*([+−])[\d.]+\s*</td>", row).group(1) for row in rows]  # type: ignore[union-attr]
    assert signs == ["+", "−", "+"]
    assert all(re.search(r"(< |&lt; )?0\.\d{3}", read(row)) for row in rows), "each has its p"


def test_the_menu_of_the_matrix_has_the_main_metrics_first(client: Client, runs: dict[str, Run]) -> None:
    html = get(client, TASK + "matrix/?metric=MLAS")
    menu = html.split('<optgroup label="Ranked by">')[1].split("</optgroup>")[0]
    assert re.findall(r">(\w+)</option>", menu) == list(MAIN)
    assert 'value="MLAS" selected' in menu
    assert get(client, TASK + "matrix.csv?metric=MLAS").splitlines()[1].split(",")[1] == "Birch"


def test_the_list_of_test_sets_offers_the_main_metrics_first(client: Client, runs: dict[str, Run]) -> None:
    menu = get(client, TASK + "sets/").split('aria-label="Metrics"')[1].split("</nav>")[0]
    assert re.findall(r'class="also-main"[^>]*>(\w+)</a>', menu) == list(MAIN)
    assert re.findall(r">(\w+)</a>", menu)[:3] == list(MAIN)


def result_pages(runs: dict[str, Run]) -> list[str]:
    system = runs["Ash"].system.public_id
    pair = f"with={runs['Ash'].public_id}&with={runs['Birch'].public_id}"
    return [
        "leaderboard/?",
        "matrix/?",
        "sets/?",
        "sets/en_two/?",
        f"systems/{system}/?",
        f"compare/?{pair}&",
    ]


def test_every_page_of_results_has_the_main_metrics_as_tabs(client: Client, runs: dict[str, Run]) -> None:
    for page in result_pages(runs):
        html = get(client, f"{TASK}{page}metric=MLAS")
        tabs = html.split('aria-label="Ranked by"', 1)[1].split("</nav>")[0]
        assert re.findall(r">(\w+)</a>", tabs) == list(MAIN), page
        assert re.findall(r'aria-current="page">(\w+)</a>', tabs) == ["MLAS"], page


def test_every_page_of_results_explains_the_chosen_metric(client: Client, runs: dict[str, Run]) -> None:
    for page in result_pages(runs):
        for name in ("BLEX", "UFeats"):
            explanation = PROFILES["conll18"].presentations[name].explanation
            assert explanation in read(get(client, f"{TASK}{page}metric={name}")), (page, name)


def test_the_leaderboard_explains_every_metric_of_the_profile(client: Client, runs: dict[str, Run]) -> None:
    for name, presentation in PROFILES["conll18"].presentations.items():
        if name in PROFILES["conll18"].metrics:
            text = read(get(client, f"{TASK}leaderboard/?metric={name}"))
            assert presentation.explanation in text, name


def test_errors_are_broken_down_by_each_main_metric(client: Client, runs: dict[str, Run]) -> None:
    three_metrics.break_down(runs)
    wrong = {
        "LAS": set[str](),
        "MLAS": {"advmod"},
        "BLEX": {"nsubj"},
        "UPOS": {"advmod"},
        "Lemmas": {"nsubj"},
    }
    pair = f"with={runs['Ash'].public_id}&with={runs['Birch'].public_id}"
    for page in (f"systems/{runs['Ash'].system.public_id}/?", f"compare/?{pair}&"):
        for metric, relations in wrong.items():
            html = get(client, f"{TASK}{page}metric={metric}")
            explanation = PROFILES["conll18"].presentations[metric].explanation
            assert f"{metric} ({explanation}), computed over the words" in read(html), page
            body = html.split('id="relation-title"', 1)[1].split("<tbody>", 1)[1].split("</tbody>")[0]
            rows = [read(row).split() for row in body.split("</tr>") if row.strip()]
            assert {row[0] for row in rows} == {"nsubj", "root", "advmod"}
            differing = {label for label, _, first, second, *_ in rows if first != second}
            assert differing == relations, (page, metric)
    html = get(client, f"{TASK}systems/{runs['Ash'].system.public_id}/?metric=BLEX")
    head = heads(html, 'class="division relation')
    assert [name for name in head if name in (*MAIN, "UAS")] == ["BLEX", "LAS", "MLAS", "UAS"]
    assert head[-1] == "Most BLEX errors in"


def test_the_chosen_metric_is_kept_from_page_to_page(client: Client, runs: dict[str, Run]) -> None:
    for page in result_pages(runs):
        html = get(client, f"{TASK}{page}metric=BLEX")
        menu = html.split('class="task-nav"', 1)[1].split("</nav>")[0]
        for other in ("leaderboard", "matrix", "sets", "compare"):
            assert f'href="{TASK}{other}/?metric=BLEX"' in menu, (page, other)
        menu = get(client, TASK + page).split('class="task-nav"', 1)[1].split("</nav>")[0]
        assert "metric=" not in menu


def test_the_page_of_the_task_names_them_as_equals(client: Client, phase: Phase) -> None:
    assert "ranked by LAS, MLAS and BLEX" in read(get(client, TASK))


def test_a_file_without_features_raises_an_alarm(phase: Phase, as_worker: None) -> None:
    """Its heads and relations are as good as those of the others."""
    for name in ("Ash", "Birch", "Cedar"):
        scored(phase, name, 0.7, others={"MLAS": 0.6, "BLEX": 0.6})
    run = scored(phase, "Elm", 0.7, others={"MLAS": 0.01, "BLEX": 0.6})
    (finding,) = score_detectors.find_outliers(run)
    assert "MLAS is near zero (below 5)" in finding.text
    assert finding.event.endswith(":nothing-in-2-MLAS")


def test_above_zero_is_asked_of_the_metrics_of_the_profile(phase: Phase, as_worker: None) -> None:
    Task.objects.update(main_metrics=[], reveals_above_zero=True)
    run = scored(phase, "Ash", 0.0, others={"MLAS": 0.0, "BLEX": 0.2})
    run = Run.objects.get(pk=run.pk)
    permissions = replace(run_permissions(AnonymousUser(), run, at=run.received_at), above_zero=True)
    assert above_zero(run, permissions) == {"de_one": True, "en_two": True}


def test_digits_and_direction_come_from_the_profile(
    client: Client, phase: Phase, runs: dict[str, Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As if MLAS were a distance, printed with three digits: then the lowest one is the best."""
    profile = PROFILES["conll18"]
    distance = replace(profile.presentations["MLAS"], better="lower", digits=3, kind="distance", factor=1)
    changed = replace(profile, presentations={**profile.presentations, "MLAS": distance})
    monkeypatch.setitem(PROFILES._own, "conll18", changed)
    board = board_of(AnonymousUser(), phase, at=clock.database_now(), metric="MLAS")
    assert [row.name for row in board.rows] == ["Cedar", "Ash", "Birch"]
    assert all(re.fullmatch(r"0\.\d{3}", row.score) for row in board.rows)
    sets = get(client, TASK + "sets/?metric=MLAS")
    assert "The hardest test set has the highest median." in read(sets)
    assert ">Cedar</a>" in sets and ">Birch</a>" not in sets, "the lowest is the best on each test set"
    ranking = get(client, TASK + "sets/en_two/?metric=MLAS")
    assert re.findall(r'<th scope="row" class="team">\s*<a [^>]*>(\w+)</a>', ranking)[-1] == "Birch"
    matrix = get(client, TASK + "matrix/?metric=MLAS")
    rows = {name: row for row in matrix.split("<tr")[1:] for name in runs if f">{name}</a>" in row}
    assert [name for name in rows if " best" in rows[name]] == ["Cedar"]


def test_all_pages_stay_as_they_are_for_one_main_metric(
    client: Client, phase: Phase, as_worker: None
) -> None:
    Task.objects.update(main_metrics=["LAS"])
    phase = Phase.objects.get(pk=phase.pk)
    ash, birch = (scored(phase, name, las) for name, las in (("Ash", 0.7), ("Birch", 0.6)))
    compare(phase)
    board = get(client, TASK + "leaderboard/")
    assert 'aria-label="Ranked by"' not in board
    assert "also-main" not in board
    assert "Rank by each main metric" not in get(client, f"{TASK}systems/{ash.system.public_id}/")
    pair = get(client, f"{TASK}compare/?with={ash.public_id}&with={birch.public_id}")
    assert "Main metrics" not in pair


def test_the_page_of_a_team_has_the_averages_of_its_runs(
    client: Client, phase: Phase, as_worker: None
) -> None:
    run = scored(phase, "Ash", 0.7, others={"MLAS": 0.61, "BLEX": 0.52})
    member = person("ash")
    Membership.objects.create(team=run.team, task=run.task, user=member)
    client.force_login(member)
    html = get(client, TASK + "team/")
    table = html.split('aria-label="Latest runs"', 1)[1].split("</table>")[0]
    assert re.findall(r'class="figure main">(\w+)</th>', table) == list(MAIN)
    assert re.findall(r'<td class="figure main">([\d.]+)</td>', table) == ["70.00", "61.00", "52.00"]


def test_the_page_of_a_team_tells_no_score_of_a_blind_phase(
    client: Client, phase: Phase, as_worker: None
) -> None:
    Phase.objects.update(feedback="validity", kind="test")
    phase = Phase.objects.get(pk=phase.pk)
    run = scored(phase, "Ash", 0.7)
    member = person("ash")
    Membership.objects.create(team=run.team, task=run.task, user=member)
    client.force_login(member)
    html = get(client, TASK + "team/")
    assert "Latest runs" in html
    assert not re.search(
        r"\b(LAS|MLAS|BLEX|70\.00)\b", html.split('id="runs-title"', 1)[1].split("</section>")[0]
    )
