"""The matrix of systems and test sets: its figures, its order, what it must not tell, and what it costs."""

from __future__ import annotations

import csv
import io
import re
from datetime import timedelta
from typing import Any

import numpy as np
import pytest
from django.contrib.auth.models import AnonymousUser
from django.test import Client
from django.utils import timezone

from sharedtask.accounts.models import User
from sharedtask.competition.models import GoldVersion, Phase, Task
from sharedtask.core import clock
from sharedtask.leaderboard.matrix.build import Matrix, MatrixCell, build
from sharedtask.leaderboard.matrix.cell_values import CellKind
from sharedtask.leaderboard.matrix.colours import colour_scale
from sharedtask.leaderboard.matrix.query import parse_query
from sharedtask.leaderboard.templatetags.cells import markup
from sharedtask.standings.standing_view import view_standing
from sharedtask.standings.visible_standings import visible_standings
from sharedtask.submissions.models import Run, Score
from sharedtask.teams.models import System
from tests.sharedtask.support.standing import assert_queries_do_not_grow, compare, give_score, scored

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("as_worker")]
PAGE = "/tasks/tiny/matrix/"


def on(phase: Phase, name: str, figures: dict[str, float], **values: Any) -> Run:
    """A run with an LAS for each test set; a text instead of a figure is the state of a file without one."""
    run = scored(phase, name, 0, **values)
    Score.objects.filter(file__run=run).delete()
    for file in run.files.select_related("test_set__gold_in_force", "run__task"):
        figure = figures[file.test_set.code]
        if isinstance(figure, str):
            run.files.filter(pk=file.pk).update(state=figure)
        else:
            give_score(file, [figure])
    return run


@pytest.fixture
def runs(phase: Phase) -> dict[str, Run]:
    """Two systems that take turns, a baseline between them, and one that failed in two ways."""
    values = {
        "Ash": on(phase, "Ash", {"de_one": 0.9, "en_two": 0.7}),
        "Birch": on(phase, "Birch", {"de_one": 0.8, "en_two": 0.6}),
        "Base": on(phase, "Base", {"de_one": 0.5, "en_two": 0.65}, baseline=True),
        "Cedar": on(phase, "Cedar", {"de_one": "invalid", "en_two": "missing"}),
    }
    compare(phase)
    return values


def matrix_of(phase: Phase, **asked: str) -> Matrix:
    at = clock.database_now()
    view = view_standing(AnonymousUser(), visible_standings(AnonymousUser(), phase.task, at=at)[0], at=at)
    return build(view, parse_query(asked, view), lambda test_set, who: f"/{test_set.code}/{who.id}")


def texts(matrix: Matrix) -> dict[str, list[str]]:
    return {row.entrant.name: [cell.text for cell in row.cells] for row in matrix.rows}


def test_cells_show_f1_ranks_and_distances(phase: Phase, runs: dict[str, Run]) -> None:
    assert texts(matrix_of(phase)) == {
        "Ash": ["90.00", "70.00"],
        "Birch": ["80.00", "60.00"],
        "Base": ["50.00", "65.00"],
        "Cedar": ["–", "–"],
    }
    assert texts(matrix_of(phase, show="rank"))["Birch"] == ["2", "3"]
    assert texts(matrix_of(phase, show="best"))["Base"] == ["−40.00", "−5.00"]
    assert texts(matrix_of(phase, show="baseline"))["Birch"] == ["+30.00", "−5.00"]
    assert texts(matrix_of(phase, metric="UPOS"))["Ash"] == ["50.00", "50.00"]


def test_distances_are_from_the_baseline_that_was_chosen(phase: Phase, runs: dict[str, Run]) -> None:
    other = on(phase, "Other base", {"de_one": 0.6, "en_two": 0.1}, baseline=True)
    compare(phase)
    result = matrix_of(phase, show="baseline", baseline=other.public_id)
    assert texts(result)["Ash"] == ["+30.00", "+60.00"]
    assert result.query.baseline is not None
    assert result.query.baseline.run == other


def test_without_a_baseline_there_is_no_distance_from_one(phase: Phase) -> None:
    scored(phase, "Ash", 0.9)
    compare(phase)
    assert matrix_of(phase, show="baseline").query.kind is CellKind.F1


def test_statistics_of_rows_and_columns(phase: Phase, runs: dict[str, Run]) -> None:
    result = matrix_of(phase)
    assert result.rows[0].statistics == ("80.00", "80.00", "90.00", "10.00")
    # Nothing was scored: the average is that of the leaderboard, and there is nothing else.
    assert result.rows[-1].statistics == ("0.00", "–", "–", "–")
    assert dict(result.foot) == {
        "Mean": ("73.33", "65.00"),
        "Median": ("80.00", "65.00"),
        "Best": ("90.00", "70.00"),
        "Spread": ("20.00", "5.00"),
    }
    assert dict(matrix_of(phase, show="rank").foot)["Best"] == ("1", "1")


def test_a_withdrawn_system_stands_last_and_is_no_part_of_the_statistics(
    phase: Phase, runs: dict[str, Run]
) -> None:
    System.objects.filter(pk=runs["Ash"].system_id).update(withdrawn_at=timezone.now())
    compare(phase)
    result = matrix_of(phase)
    assert (result.rows[-1].entrant.name, result.rows[-1].rank) == ("Ash", 0)
    assert dict(result.foot)["Best"] == ("80.00", "65.00")
    assert texts(matrix_of(phase, show="best"))["Birch"] == ["0.00", "−5.00"]


def test_columns_are_by_group_and_code_or_from_hard_to_easy(phase: Phase, runs: dict[str, Run]) -> None:
    Task.objects.update(groups=["small", "big"])
    phase.task.refresh_from_db()
    by_group = matrix_of(phase)
    assert [column.code for column in by_group.columns] == ["en_two", "de_one"]
    assert by_group.groups == (("small", 1), ("big", 1))
    by_difficulty = matrix_of(phase, columns="difficulty")
    assert [item.code for item in by_difficulty.columns] == ["en_two", "de_one"]
    assert by_difficulty.groups == ()
    Score.objects.filter(file__test_set__code="de_one", file__run=runs["Ash"]).delete()
    give_score(runs["Ash"].files.get(test_set__code="de_one"), [0.1])
    Score.objects.filter(file__test_set__code="de_one", file__run=runs["Birch"]).delete()
    give_score(runs["Birch"].files.get(test_set__code="de_one"), [0.2])
    compare(phase)
    assert [entry.code for entry in matrix_of(phase, columns="difficulty").columns] == ["de_one", "en_two"]


def test_rows_are_by_rank_by_name_or_by_one_test_set(phase: Phase, runs: dict[str, Run]) -> None:
    assert list(texts(matrix_of(phase))) == ["Ash", "Birch", "Base", "Cedar"]
    assert list(texts(matrix_of(phase, sort="name"))) == ["Ash", "Base", "Birch", "Cedar"]
    assert list(texts(matrix_of(phase, sort="en_two"))) == ["Ash", "Base", "Birch", "Cedar"]


def test_a_scope_has_only_its_test_sets_and_its_own_average(phase: Phase, runs: dict[str, Run]) -> None:
    result = matrix_of(phase, scope="small")
    assert [column.code for column in result.columns] == ["en_two"]
    assert [(row.entrant.name, row.rank, row.statistics[0]) for row in result.rows][:2] == [
        ("Ash", 1, "70.00"),
        ("Base", 2, "65.00"),
    ]


def test_what_an_address_cannot_mean_is_the_default(phase: Phase, runs: dict[str, Run]) -> None:
    strange = matrix_of(phase, metric="BLEU", show="x", scope="x", columns="x", sort="x", baseline="x")
    assert texts(strange) == texts(matrix_of(phase))


def test_invalid_and_missing_files_are_told_apart_in_words(
    client: Client, phase: Phase, runs: dict[str, Run]
) -> None:
    body = client.get(PAGE).content.decode()
    assert body.count('<span class="unseen">invalid</span>') == 1
    assert body.count('<span class="unseen">missing</span>') == 1


def test_the_page_has_every_figure_and_a_form_that_repeats_the_choice(
    client: Client, phase: Phase, runs: dict[str, Run]
) -> None:
    page = client.get(PAGE, {"metric": "UPOS", "show": "best", "columns": "difficulty", "sort": "name"})
    body = page.content.decode()
    for choice in ("UPOS", "best", "difficulty", "name"):
        assert f'<option value="{choice}" selected>' in body
    assert "/tasks/tiny/matrix.csv?metric=UPOS&amp;show=best" in body


def test_an_address_says_only_what_was_asked_for(client: Client, phase: Phase, runs: dict[str, Run]) -> None:
    response = client.get(PAGE, {"metric": "", "show": "rank", "scope": ""})
    assert (response.status_code, response["Location"]) == (302, PAGE + "?show=rank")


def test_the_csv_has_what_the_page_shows_and_no_formulas(client: Client, phase: Phase) -> None:
    on(phase, "=1+1", {"de_one": 0.9, "en_two": "invalid"})
    on(phase, "Base", {"de_one": 0.95, "en_two": 0.5}, baseline=True)
    compare(phase)
    response = client.get("/tasks/tiny/matrix.csv", {"show": "baseline"})
    assert response["Content-Type"].startswith("text/csv")
    rows = list(csv.reader(io.StringIO(response.content.decode())))
    assert rows[0] == ["Rank", "System", "Mean", "Median", "Best", "Spread", "de_one", "en_two"]
    by_name = {row[1]: row[6:] for row in rows[1:]}
    assert by_name["'=1+1"] == ["-5.00", "invalid"]
    assert by_name["Base"] == ["0.00", "0.00"]
    assert by_name["Median"] == ["-2.50", "0.00"]


@pytest.mark.parametrize(("policy", "consequence"), [("zero", "counted as 0"), ("exclude", "not counted")])
def test_the_csv_says_why_a_file_has_no_score_and_what_it_counts_as(
    client: Client, phase: Phase, runs: dict[str, Run], policy: str, consequence: str
) -> None:
    Task.objects.update(missing_policy=policy)
    phase.task.refresh_from_db()
    on(phase, "Zero", {"de_one": 0.0, "en_two": 0.0})
    compare(phase)
    rows = list(csv.reader(io.StringIO(client.get("/tasks/tiny/matrix.csv").content.decode())))
    by_name = {row[1]: row[6:] for row in rows[1:]}
    assert by_name["Cedar"] == [f"invalid ({consequence})", f"missing ({consequence})"]
    assert by_name["Zero"] == ["0.00", "0.00"]
    # Ranks are among scored outputs: here nothing is counted in place of a figure.
    ranks = csv.reader(io.StringIO(client.get("/tasks/tiny/matrix.csv", {"show": "rank"}).content.decode()))
    assert {row[1]: row[6:] for row in ranks}["Cedar"] == ["invalid", "missing"]


def test_a_cell_leads_to_the_test_set_until_gold_is_released(
    client: Client, phase: Phase, runs: dict[str, Run]
) -> None:
    before = f"/tasks/tiny/sets/de_one/sentences/?system={runs['Ash'].public_id}"
    assert before in client.get(PAGE).content.decode()
    GoldVersion.objects.update(released_at=None)
    compare(phase)
    body = client.get(PAGE).content.decode()
    assert "sentences" not in body.split("<tbody>")[1].split("</tbody>")[0]
    assert '<td class="h20 best"><a href="/tasks/tiny/sets/de_one/"' in body


def test_a_set_that_is_not_revealed_leaves_no_trace(client: Client, phase: Phase) -> None:
    scored(phase, "Ash", 0.9)
    phase.test_sets.filter(code="en_two").update(revealed_at=timezone.now() + timedelta(days=1))
    compare(phase)
    for address in (PAGE, "/tasks/tiny/matrix.csv", PAGE + "?sort=en_two"):
        body = client.get(address).content.decode()
        assert "de_one" in body
        assert "English" not in body
        assert "small" not in body.replace('class="small', "")
        assert "en_two" not in body.replace("sort=en_two", "")


def test_a_blind_phase_has_no_matrix(client: Client, blind_task: Task) -> None:
    scored(blind_task.phases.get(), "Ash", 0.9)
    compare(blind_task.phases.get())
    assert client.get("/tasks/blind/matrix/").status_code == 404
    assert client.get("/tasks/blind/matrix.csv").status_code == 404


@pytest.mark.parametrize("page", ["leaderboard/", "matrix/", "compare/"])
def test_pages_without_results_say_why(client: Client, blind_task: Task, page: str) -> None:
    scored(blind_task.phases.get(), "Ash", 0.9)
    compare(blind_task.phases.get())
    response = client.get(f"/tasks/blind/{page}")
    body = " ".join(response.content.decode().split())
    assert response.status_code == (200 if page == "leaderboard/" else 404), "a leaderboard comes later"
    assert f"{blind_task.phases.get().title} is blind: teams learn whether their files are valid" in body
    assert "Ash" not in body and "90.00" not in body
    menu = body.split('class="task-nav"')[1].split("</nav>")[0]
    assert "Leaderboard" not in menu and "Matrix" not in menu
    assert "is blind" not in client.get(f"/tasks/none/{page}").content.decode()


def test_organisers_see_it_before_publication_and_are_told_so(client: Client, blind_task: Task) -> None:
    scored(blind_task.phases.get(), "Ash", 0.9)
    compare(blind_task.phases.get())
    client.force_login(User.objects.create_superuser("organiser"))
    for address in ("matrix/", "matrix/?preview=", "sets/en_two/"):
        body = client.get(f"/tasks/blind/{address}").content.decode()
        assert "90.00" in body
        assert "Visible to organisers only" in body


def test_before_anything_is_scored_the_page_says_so(client: Client, phase: Phase) -> None:
    assert "The matrix appears once" in client.get(PAGE).content.decode()
    assert client.get("/tasks/tiny/matrix.csv").status_code == 404


def test_tones_follow_the_figures_and_one_failure_does_not_flatten_them() -> None:
    figures = np.array([[0.0, *np.linspace(0.6, 0.9, 40)]])
    scale = colour_scale(figures, CellKind.F1)
    assert scale is not None
    tones = [int(scale.tone(value).removeprefix("h")) for value in figures[0].tolist()]
    assert tones == sorted(tones)
    assert (tones[0], tones[-1]) == (0, 20)
    assert len(set(tones)) == 21
    assert scale.tone(float("nan")) == ""


def test_the_best_rank_and_the_best_distance_have_the_strongest_tone() -> None:
    ranks = colour_scale(np.array([[1.0, 2.0, 3.0]]), CellKind.RANK)
    distances = colour_scale(np.array([[-0.2, 0.0, 0.1]]), CellKind.BASELINE)
    assert ranks is not None
    assert distances is not None
    assert [ranks.tone(rank) for rank in (1.0, 3.0)] == ["h20", "h0"]
    assert [distances.tone(value) for value in (-0.2, 0.0, 0.2)] == ["h0", "h10", "h20"]
    assert [words for _, words in ranks.legend()] == ["3", "2", "2", "2", "1"]
    assert colour_scale(np.array([[np.nan]]), CellKind.F1) is None


def test_the_number_of_queries_does_not_grow(client: Client, phase: Phase) -> None:
    assert_queries_do_not_grow(client, phase, (PAGE, "/tasks/tiny/matrix.csv"), most=20)


def test_a_test_set_in_two_groups_has_a_column_in_each(client: Client, phase: Phase) -> None:
    phase.test_sets.filter(code="en_two").update(groups=["big", "small"])
    scored(phase, "Ash", 0.9)
    scored(phase, "Birch", 0.8)
    compare(phase)
    page = client.get("/tasks/tiny/matrix/").content.decode()
    head = page[page.index("<thead") : page.index("</thead")]
    groups = re.findall(r'<th scope="colgroup" colspan="(\d)"><span>(\w+)</span>', head)
    assert groups == [("2", "big"), ("1", "small")]
    assert re.findall(r'class="code"><a[^>]*>(\w+)</a>', head) == ["de_one", "en_two", "en_two"]
    caption = page[page.index('id="matrix-caption"') :].split("</p>")[0]
    assert "on 2 test sets" in " ".join(caption.split())
    row = page[page.index("<tbody") : page.index("</tbody")].split("</tr>")[0]
    assert row.count("90.00") == 3 + 3, "a cell for each column; mean, median and best"
    narrow = client.get("/tasks/tiny/matrix/?scope=small").content.decode()
    assert re.findall(r'<th scope="colgroup" colspan="(\d)"><span>(\w+)</span>', narrow) == [("1", "small")]
    table = client.get("/tasks/tiny/matrix.csv").content.decode().splitlines()
    assert table[0].split(",").count("en_two") == 1, "a spreadsheet has no groups"


def test_cells_are_made_when_they_are_shown(
    phase: Phase, runs: dict[str, Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A matrix of 200 systems and 300 test sets would have 60,000 of them at once."""
    made: list[str] = []

    def count(**values: Any) -> MatrixCell:
        made.append(values["text"])
        return MatrixCell(**values)

    monkeypatch.setattr("sharedtask.leaderboard.matrix.build.MatrixCell", count)
    first, *_ = matrix_of(phase).rows
    assert not made
    assert [cell.text for cell in first.cells] == made and len(made) == 2
    assert [cell.text for cell in first.cells] == made[:2], "a row can be shown again"


def test_what_stands_in_a_cell_is_escaped(phase: Phase) -> None:
    cell = MatrixCell(
        test_set=phase.test_sets.all()[0],
        status="valid",
        consequence="",
        text="<90.00>",
        tone="h20",
        is_best=True,
        address='/?a="&b',
    )
    assert markup(cell) == (
        '<td class="h20 best"><a href="/?a=&quot;&amp;b" tabindex="-1">&lt;90.00&gt;</a></td>'
    )
