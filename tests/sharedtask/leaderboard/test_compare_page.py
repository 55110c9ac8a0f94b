"""The comparison of systems: differences with their p, what decides them, and where they lie."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from html import unescape
from typing import Any

import pytest
from django.test import Client

from sharedtask.competition.models import Phase, Task
from sharedtask.standings.figures import pairs_of
from sharedtask.standings.models import Standing
from sharedtask.submissions.models import Run, Score
from sharedtask.teams.models import Team
from tests.sharedtask.support.standing import compare, give_score, scored

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("as_worker")]


def by_set(phase: Phase, name: str, **las: Sequence[float]) -> Run:
    """A run with these LAS on the sentences of each test set."""
    run = scored(phase, name, 0)
    Score.objects.filter(file__run=run).delete()
    for file in run.files.select_related("test_set__gold_in_force"):
        give_score(file, list(las[file.test_set.code]))
    return run


@pytest.fixture
def four(phase: Phase) -> list[Run]:
    """Ash leads by German alone; Birch and Cedar take turns; Dogwood is below all everywhere."""
    runs = [
        by_set(phase, "Ash", de_one=[0.90, 0.94] * 20, en_two=[0.60, 0.62] * 20),
        by_set(phase, "Birch", de_one=[0.70, 0.72] * 20, en_two=[0.70, 0.72] * 20),
        by_set(phase, "Cedar", de_one=[0.80, 0.61] * 20, en_two=[0.60, 0.80] * 20),
        by_set(phase, "Dogwood", de_one=[0.20, 0.21] * 20, en_two=[0.20, 0.21] * 20),
    ]
    compare(phase)
    return runs


def address(*runs: Run, query: str = "") -> str:
    return "/tasks/tiny/compare/?" + "&".join(f"with={run.public_id}" for run in runs) + query


def html_of(client: Client, *runs: Run, query: str = "") -> str:
    response = client.get(address(*runs, query=query))
    assert response.status_code == 200
    return response.content.decode()


def read(html: str) -> str:
    """What is read: no tags, and no space before a mark that follows a name in its own element."""
    words = " ".join(re.sub(r"<[^>]+>", " ", html).split())
    return unescape(re.sub(r" ([,.:;)])", r"\1", words))


def rows_of(html: str, section: str) -> list[str]:
    body = html.split(f'id="{section}"', 1)[1].split("<tbody>", 1)[1].split("</tbody>", 1)[0]
    return [read(row) for row in body.split("</tr>") if row.strip()]


@pytest.mark.parametrize("turned", [False, True])
def test_the_better_system_comes_first_in_any_order_of_the_parameters(
    client: Client, four: list[Run], turned: bool
) -> None:
    two = four[:2]
    page = read(html_of(client, *(reversed(two) if turned else two)))
    assert "Ash is 5.50 points ahead of Birch by LAS over 2 test sets: a significant difference" in page
    assert "By test set: 1 win, 0 ties and 1 loss; the difference is significant on 2." in page
    assert "Without de_one, Ash would be 10.00 points behind." in page


def test_differences_on_each_test_set_have_the_interval_and_p_that_workers_computed(
    client: Client, four: list[Run]
) -> None:
    rows = rows_of(html_of(client, *four[:2]), "sets")
    stored = pairs_of(Standing.objects.get(), "set:de_one")
    interval = stored.interval_of("LAS", *(run.public_id for run in four[:2]))
    assert interval is not None
    low, high = 100 * interval[0], 100 * interval[1]
    assert rows[0].startswith(f"de_one German +21.00 +{low:.2f} to +{high:.2f} 0.002 92.00 71.00")
    assert low < 21 < high
    # Behind there, and p is that of Birch above Ash, not the other way round.
    assert rows[1].startswith("en_two English −10.00 −")
    assert "0.002 61.00 71.00" in rows[1]
    assert [row.split()[0] for row in rows_of(html_of(client, *four[:2], query="&sort=set"), "sets")] == [
        "de_one",
        "en_two",
    ]


def test_what_is_not_significant_is_said_to_be_not(client: Client, four: list[Run]) -> None:
    page = read(html_of(client, *four[1:3]))
    assert "not a significant difference (p = 0." in page
    assert "the difference is significant on 0" in page


def test_who_is_ahead_everywhere_stays_ahead_whatever_is_left_out(client: Client, four: list[Run]) -> None:
    page = read(html_of(client, four[1], four[3]))
    assert "By test set: 2 wins, 0 ties and 0 losses" in page
    assert "The order stays the same whichever test sets are left out." in page


def test_two_systems_that_are_equal_as_printed_are_tied(client: Client, phase: Phase) -> None:
    runs = [scored(phase, "Ash", 0.800001), scored(phase, "Birch", 0.800002)]
    compare(phase)
    assert "Birch and Ash are tied by LAS over 2 test sets." in read(html_of(client, *runs))


def test_several_systems_are_shown_side_by_side_with_every_pair(client: Client, four: list[Run]) -> None:
    html = html_of(client, *four)
    pairs = rows_of(html, "pairs-title")
    assert [row.split("+")[0].strip() for row in pairs] == [
        "Ash and Birch",
        "Ash and Cedar",
        "Ash and Dogwood",
        "Birch and Cedar",
        "Birch and Dogwood",
        "Cedar and Dogwood",
    ]
    assert pairs[0].startswith("Ash and Birch +5.50 0.002")
    assert pairs[0].endswith("1 0 1 de_one")
    assert pairs[2].endswith("2 0 0 never")
    assert rows_of(html, "sets")[0].startswith("de_one German 92.00 71.00 70.50 20.50 71.50")
    assert rows_of(html, "scopes-title")[1].startswith("big 1 92.00 (1)")


def test_a_scope_restricts_the_comparison_and_may_turn_it_round(client: Client, four: list[Run]) -> None:
    page = read(html_of(client, *four[:2], query="&scope=small"))
    assert "Birch is 10.00 points ahead of Ash by LAS over 1 test set (small)" in page
    assert "by LAS over 2 test sets" in read(html_of(client, *four[:2], query="&scope=nonsense"))


def test_a_metric_that_is_not_a_main_one_has_differences_without_p(client: Client, four: list[Run]) -> None:
    page = read(html_of(client, *four[:2], query="&metric=UPOS"))
    assert "are tied by UPOS" in page
    assert "95% interval of the difference" not in page


def test_what_is_asked_for_wrongly_is_left_out(client: Client, four: list[Run]) -> None:
    assert "Choose two to 6 systems" in read(html_of(client))
    assert "Choose" not in read(html_of(client, four[0]))
    page = html_of(client, *four[:2], query="&with=nonsense&with=")
    assert "Ash is 5.50 points ahead of Birch" in read(page)
    assert client.get(address(query="&phase=nonsense")).status_code == 404


def test_at_most_six_are_compared_and_the_page_says_so(client: Client, phase: Phase) -> None:
    runs = [scored(phase, f"Team {number}", 0.9 - number / 100) for number in range(8)]
    compare(phase)
    html = html_of(client, *runs)
    assert "You can compare at most 6 systems at once" in html
    assert "Team 5</bdi>" in html
    assert "Team 6</bdi>" not in html


def lose_german(run: Run) -> None:
    """As if the run had no file for it."""
    file = run.files.get(test_set__code="de_one")
    Score.objects.filter(file=file).delete()
    file.state = "missing"
    file.save()
    compare(run.phase)


def test_a_missing_file_is_told_and_counts_as_nothing(client: Client, four: list[Run]) -> None:
    lose_german(four[1])
    html = html_of(client, *four[:2])
    assert "de_one German – – 92.00 missing" in rows_of(html, "sets")[-1]
    assert "Ash is 41.00 points ahead of Birch" in read(html)
    assert "By test set: 1 win, 0 ties and 1 loss" in read(html) and "Not compared" not in read(html)


def test_a_missing_file_that_is_excluded_is_no_loss(client: Client, four: list[Run]) -> None:
    Task.objects.update(missing_policy=Task.MissingPolicy.EXCLUDE)
    lose_german(four[1])
    page = read(html_of(client, *four[:2]))
    assert "By test set: 0 wins, 0 ties and 1 loss" in page
    assert "Not compared, because only one of the two or none has a score: de_one." in page
    several = read(html_of(client, *four[:3]))
    assert "Wins, ties and losses are on test sets for which both have a score." in several
    query = f"phase={four[0].phase.code}&a={four[0].public_id}&b={four[1].public_id}"
    answer = client.get(f"/api/v1/tasks/tiny/comparisons?{query}").json()
    assert (answer["wins"], answer["losses"], answer["not_compared"]) == (0, 1, ["de_one"])


def test_pseudonyms_hold_here_too(client: Client, four: list[Run]) -> None:
    Task.objects.update(pseudonymous=True)
    for number, team in enumerate(Team.objects.order_by("pk")):
        Team.objects.filter(pk=team.pk).update(pseudonym=f"Bird {number}")
    html = html_of(client, *four[:2])
    assert "Bird 0</bdi>" in html
    for name in ("Ash", "Birch", "Cedar", "Dogwood"):
        assert name not in html


def test_nothing_in_the_pages_needs_a_script_or_an_inline_style(
    client: Client, four: list[Run], django_assert_max_num_queries: Callable[[int], Any]
) -> None:
    system = f"/tasks/tiny/systems/{four[0].system.public_id}/"
    for url in (address(*four[:2]), address(*four), address(), system):
        html = client.get(url).content.decode()
        assert " style=" not in html
        assert not re.search(r"\son\w+=", html)
        with django_assert_max_num_queries(16):
            client.get(url)
