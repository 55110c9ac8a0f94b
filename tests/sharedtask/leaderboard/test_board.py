"""The leaderboard page: every metric and scope, order, filters, addresses, lines, and the plot."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from django.contrib.auth.models import AnonymousUser
from django.http import QueryDict
from django.test import Client

from evaluation.ranking.details import Details
from sharedtask.competition.models import Phase
from sharedtask.core import clock
from sharedtask.leaderboard.board.build import Board, build
from sharedtask.leaderboard.board.forest import forest
from sharedtask.leaderboard.board.gather import choose_phase, gather_facts
from sharedtask.leaderboard.board.menus import menus
from sharedtask.leaderboard.board.query import parse_query
from sharedtask.standings.figures import STANDINGS
from sharedtask.standings.models import Standing
from sharedtask.standings.visible_standings import result_phases
from sharedtask.teams.models import Team
from tests.sharedtask.support.boards import keep, made_up, runs_of, stand

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("dispatched")]

NAMES = ("Ash", "Birch", "Cedar", "Dogwood")
PAGE = "/tasks/tiny/leaderboard/"


def board(address: str = "") -> Board:
    query = parse_query(QueryDict(address))
    at = clock.database_now()
    phases = result_phases(AnonymousUser(), "tiny", at=at)
    phase = choose_phase(phases, query)
    assert phase is not None
    return build(gather_facts(AnonymousUser(), phase, phases, query, at=at), query)


def names(address: str = "") -> list[str]:
    return [row.name for row in board(address).rows]


def figures_with(phase: Phase, **arrays: Any) -> Details:
    return replace(made_up(runs_of(phase, NAMES), 2), **arrays)


def test_any_metric_of_any_scope_is_shown_as_it_was_computed(phase: Phase) -> None:
    figures = made_up(runs_of(phase, NAMES), 2)
    keep(phase, figures)
    for metric in figures.metrics:
        for scope, address in (("all", ""), ("small", "small"), ("language:xx", "lang:xx")):
            result = board(f"metric={metric}&scope={address}")
            at = figures.scopes.index(scope), figures.metrics.index(metric)
            assert [row.score for row in result.rows] == [f"{100 * f1:.2f}" for f1 in figures.f1[:, *at]]
            assert [row.low for row in result.rows] == [f"{100 * low:.2f}" for low in figures.low[:, *at]]
            assert [row.rank for row in result.rows] == [1, 2, 3, 4]
            assert (result.metric, result.scope) == (metric, scope)


def test_groups_have_columns_only_if_the_scope_is_all_test_sets(phase: Phase) -> None:
    stand(phase, NAMES)
    heads = [column.head for column in board("metric=CLAS").columns]
    assert heads == [
        *("Rank", "Team", "CLAS", "95% interval", "Ranks"),
        *("LAS", "Tokens", "Words", "Sentences", "big", "small"),
    ]
    assert "big" not in [column.head for column in board("scope=small").columns]


@pytest.mark.parametrize(
    ("sort", "expected"),
    [
        ("", "ABCD"),
        ("rank", "ABCD"),
        ("-rank", "DCBA"),
        ("team", "ABCD"),
        ("-team", "DCBA"),
        ("Words", "BADC"),
        ("-Words", "CDAB"),
        ("-group:big", "DABC"),
        ("interval", "BCDA"),
        ("ranks", "CABD"),
        ("-no-such-column", "ABCD"),
    ],
)
def test_rows_are_sorted_by_any_column(phase: Phase, sort: str, expected: str) -> None:
    figures = figures_with(phase)
    everything, words = figures.scopes.index("all"), figures.metrics.index("Words")
    las = figures.metrics.index("LAS")
    f1, low, rank_low = figures.f1.copy(), figures.low.copy(), figures.rank_low.copy()
    f1[:, everything, words] = 0.2, 0.1, 0.4, 0.3
    f1[:, figures.scopes.index("big"), las] = 0.7, 0.6, 0.5, 0.8
    low[:, everything, las] = 0.4, 0.1, 0.2, 0.3
    rank_low[:, everything, las] = 2, 3, 1, 4
    keep(phase, replace(figures, f1=f1, low=low, rank_low=rank_low))
    assert "".join(name[0] for name in names(f"sort={sort}")) == expected


def test_what_has_no_figure_comes_last_whichever_way(phase: Phase) -> None:
    figures = figures_with(phase)
    f1 = figures.f1.copy()
    f1[1, :, figures.metrics.index("Words")] = np.nan
    keep(phase, replace(figures, f1=f1))
    assert names("sort=Words")[-1] == names("sort=-Words")[-1] == "Birch"


def test_a_second_click_on_a_heading_turns_the_order_round(phase: Phase) -> None:
    stand(phase, NAMES)

    def click(address: str, column: str) -> str:
        heading = next(item for item in menus(board(address)).headings if item.column.id == column)
        return heading.address.removeprefix("?")

    assert click("", "Words") == "sort=-Words"
    assert click("sort=-Words", "Words") == "sort=Words"
    assert click("sort=Words", "team") == "sort=team"
    assert click("", "rank") == "sort=-rank"
    assert click("sort=-rank", "rank") == "", "the order of ranks goes without saying"


def test_baselines_and_incomplete_systems_can_be_left_out_and_names_searched(phase: Phase) -> None:
    figures = figures_with(phase)
    status = figures.set_status.copy()
    status[2, 1] = 2
    keep(phase, replace(figures, set_status=status))
    Team.objects.filter(name="Birch").update(is_baseline=True)
    assert names("hide=baselines") == ["Ash", "Cedar", "Dogwood"]
    assert names("hide=baselines&hide=incomplete") == ["Ash", "Dogwood"]
    assert names("q=DOG") == ["Dogwood"] and names("q=no+such+team") == []
    result = board("hide=incomplete")
    assert (result.hidden, [row.rank for row in result.rows]) == (1, [1, 2, 4])
    assert [row.not_scored for row in board("scope=small").rows] == [0, 0, 1, 0]
    assert [row.not_scored for row in board("scope=big").rows] == [0, 0, 0, 0], "files of the scope alone"


def test_lines_are_drawn_between_neighbours_in_the_order_of_ranks_only(phase: Phase) -> None:
    stand(phase, NAMES)

    def lines(address: str) -> list[str]:
        return [row.name for row in board(address).rows if row.line_below]

    assert lines("") == ["Ash", "Cedar"]
    assert lines("sort=-LAS") == [], "the caption says why"
    assert lines("q=r") == [], "Birch and Cedar are left, and there is no line between them"
    Team.objects.filter(name="Birch").update(is_baseline=True)
    assert lines("hide=baselines") == ["Cedar"], "the next after Ash is not shown"


def test_of_equal_figures_the_line_is_below_the_last_name(phase: Phase) -> None:
    """In the standing Birch comes before Ash, in the table Ash before Birch; Cedar is below both."""
    runs = runs_of(phase, ("Birch", "Ash", "Cedar"))
    figures = made_up(runs, 2)
    f1, line_below = figures.f1.copy(), np.zeros_like(figures.line_below)
    f1[1], line_below[1] = f1[0], True
    keep(phase, replace(figures, f1=f1, line_below=line_below))
    assert [(row.name, row.line_below) for row in board().rows] == [
        ("Ash", False),
        ("Birch", True),
        ("Cedar", False),
    ]


def test_withdrawn_systems_stand_below_all_others(phase: Phase) -> None:
    figures = figures_with(phase)
    rank = figures.rank.copy()
    rank[3] = 0
    f1 = figures.f1.copy()
    f1[3] = 0.99
    standing = keep(phase, replace(figures, f1=f1, rank=rank))
    table = standing.table
    table["rows"][3]["withdrawn"] = True
    Standing.objects.filter(pk=standing.pk).update(table=table)
    for address in ("", "sort=-LAS", "sort=LAS"):
        last = board(address).rows[-1]
        assert (last.name, last.rank, last.withdrawn) == ("Dogwood", None, True)


def test_every_state_has_one_address_and_defaults_are_left_out(client: Client, phase: Phase) -> None:
    stand(phase, NAMES)
    boosted = {"HX-Request": "true", "HX-Boosted": "true"}
    message = "?phase=open&ranking=open&metric=LAS&scope=&sort=rank&q=++&hide=nothing"
    assert client.get(PAGE + message, headers=boosted)["HX-Push-Url"] == PAGE
    message = "?q=as&hide=incomplete&metric=CLAS&scope=lang:xx&sort=-Words"
    pushed = client.get(PAGE + message, headers=boosted)["HX-Push-Url"]
    assert pushed == f"{PAGE}?metric=CLAS&scope=lang%3Axx&sort=-Words&q=as&hide=incomplete"
    assert client.get(pushed).content == client.get(PAGE + message).content
    assert "HX-Push-Url" not in client.get(PAGE, headers={"HX-Request": "true"}), "nobody went anywhere"


def test_htmx_gets_what_changes(client: Client, phase: Phase) -> None:
    stand(phase, NAMES)
    whole, part = client.get(PAGE), client.get(PAGE, headers={"HX-Request": "true"})
    assert b"<html" in whole.content
    assert part.content.strip().startswith(b'<div class="board"') and part.content.strip() in whole.content
    assert {"HX-Request", "Cookie"} <= set(whole["Vary"].split(", "))


def test_the_selection_survives_another_order(client: Client, phase: Phase) -> None:
    stand(phase, NAMES)
    run = board().rows[2].run
    text = client.get(f"{PAGE}?sort=-Words&with={run}").content.decode()
    assert re.findall(r'value="(\w+)"[^>]* checked', text) == [run]
    form = text[text.index('<form id="compare"') :]
    assert 'action="/tasks/tiny/compare/"' in form[:200]


def test_phases_and_rankings_that_do_not_exist_are_not_found(client: Client, phase: Phase) -> None:
    stand(phase, NAMES)
    for address in ("?phase=other", "?ranking=official"):
        assert client.get(PAGE + address).status_code == 404
    assert client.get("/tasks/none/leaderboard/").status_code == 404


def test_the_ranking_of_the_best_says_that_it_was_chosen_by_score(client: Client, phase: Phase) -> None:
    stand(phase, NAMES, ranking="best")
    assert b"Selected by score" in client.get(PAGE).content
    Standing.objects.update(ranking="open")
    STANDINGS.clear()
    assert b"Selected by score" not in client.get(PAGE).content


def test_names_are_escaped(client: Client, phase: Phase) -> None:
    stand(phase, ("<script>alert(1)</script>", "Ash & Elm"))
    text = client.get(PAGE).content.decode()
    assert "<script>alert" not in text and "Ash &amp; Elm" in text


def places(marks: Sequence[Any]) -> list[float]:
    return [float(mark.point) for mark in marks]


def test_the_plot_puts_figures_on_one_scale(phase: Phase) -> None:
    figures = figures_with(phase)
    f1 = figures.f1.copy()
    f1[:, 0, figures.metrics.index("LAS")] = 0.8, 0.75, 0.7, 0.65
    keep(phase, replace(figures, f1=f1, low=f1 - 0.01, high=f1 + 0.01))
    plot = forest(board())
    assert plot is not None
    assert [tick.label for tick in plot.ticks] == ["60", "65", "70", "75", "80", "85"]
    assert places(plot.marks) == [80, 60, 40, 20]
    assert (plot.marks[0].low, plot.marks[0].high) == (76, 84)
    assert not plot.has_far and len(plot.lines) == 2


def test_systems_far_below_do_not_squeeze_the_others(phase: Phase) -> None:
    figures = made_up(runs_of(phase, [*NAMES, "Elm", "Fir"]), 2)
    f1 = figures.f1.copy()
    f1[:, 0, figures.metrics.index("LAS")] = 0.8, 0.79, 0.78, 0.77, 0.76, 0.1
    keep(phase, replace(figures, f1=f1, low=f1 - 0.001, high=f1 + 0.001))
    plot = forest(board())
    assert plot is not None
    assert [mark.is_far for mark in plot.marks] == [False] * 5 + [True]
    assert places(plot.marks)[0] - places(plot.marks)[4] > 50


def test_equal_figures_and_a_single_system_make_no_trouble_for_the_plot(phase: Phase) -> None:
    figures = figures_with(phase)
    f1 = np.full_like(figures.f1, 0.5)
    keep(phase, replace(figures, f1=f1, low=f1 * np.nan, high=f1 * np.nan))
    plot = forest(board())
    assert plot is not None and not any(mark.has_interval for mark in plot.marks)
    assert forest(board("q=ash")) is None
