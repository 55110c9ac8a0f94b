"""The page of a system: figures among its field, nothing that leaks, few queries."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

import evaluation
from evaluation.scoring.breakdown import break_down
from sharedtask.accounts.models import User
from sharedtask.analysis.models import FORMAT, Analysis
from sharedtask.competition.models import GoldVersion, Phase, Task, TestSet
from sharedtask.competition.store_files import store_gold
from sharedtask.core import clock
from sharedtask.standings.publish import publish_results
from sharedtask.submissions.models import Run, Score
from sharedtask.teams.models import System, Team
from tests.sharedtask.support.building import GOLD
from tests.sharedtask.support.people import person
from tests.sharedtask.support.standing import compare, give_score, scored
from tests.sharedtask.support.storing import store_raw_text
from tests.sharedtask.support.system_page import address, compared, page, rows_of, text_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("as_worker")]


def by_set(phase: Phase, name: str, **las: float) -> Run:
    """A run with another LAS on each test set."""
    run = scored(phase, name, 0)
    Score.objects.filter(file__run=run).delete()
    for file in run.files.select_related("test_set__gold_in_force"):
        give_score(file, [las[file.test_set.code]])
    return run


@pytest.fixture
def three(phase: Phase) -> list[Run]:
    """Birch is in the middle: above the median on German, below it on English."""
    runs = [
        by_set(phase, "Ash", de_one=0.80, en_two=0.90),
        by_set(phase, "Birch", de_one=0.85, en_two=0.70),
        by_set(phase, "Cedar", de_one=0.40, en_two=0.75),
    ]
    compare(phase)
    return runs


def test_its_rank_is_shown_over_all_test_sets_and_in_each_group(client: Client, three: list[Run]) -> None:
    html = page(client, three[1])
    assert "Rank 2 of 3 by LAS" in text_of(html)
    rows = rows_of(html, "places-title")
    assert [row.split()[-1] for row in rows] == ["0.00", "+5.00", "−5.00"], "from the median"
    assert rows[0].startswith("All test sets 2 77.50")
    assert "85.00 Ash −7.50" in rows[0]
    assert rows[1].startswith("big 1 85.00")
    assert "this system 0.00" in rows[1]
    assert "90.00 Ash −20.00" in rows[2]


def test_strengths_and_weaknesses_are_said_in_words(client: Client, three: list[Run]) -> None:
    text = text_of(page(client, three[1]))
    assert "strongest on de_one (+5.00) and weakest on en_two (−5.00)" in text
    assert [row.split()[0] for row in rows_of(page(client, three[1]), "character-title")] == [
        "de_one",
        "en_two",
    ]


@pytest.mark.parametrize(
    ("sort", "codes"),
    [
        ("", ["de_one", "en_two"]),
        ("-LAS", ["de_one", "en_two"]),
        ("LAS", ["en_two", "de_one"]),
        ("rank", ["de_one", "en_two"]),
        ("-rank", ["en_two", "de_one"]),
        ("median", ["en_two", "de_one"]),
        ("best", ["en_two", "de_one"]),
        ("-set", ["en_two", "de_one"]),
        ("nonsense", ["de_one", "en_two"]),
    ],
)
def test_the_table_of_test_sets_is_sorted_by_any_column(
    client: Client, three: list[Run], sort: str, codes: list[str]
) -> None:
    html = page(client, three[1], f"?sort={sort}" if sort else "")
    assert [row.split()[0] for row in rows_of(html, "sets")] == codes


def test_another_metric_is_shown_when_asked_for_and_nonsense_is_not(client: Client, three: list[Run]) -> None:
    assert "Rank 1 of 3 by UPOS" in text_of(page(client, three[1], "?metric=UPOS"))
    assert "by LAS" in text_of(page(client, three[1], "?metric=Nonsense&sort=nonsense"))


def test_what_a_form_sends_without_a_value_is_left_out_of_the_address(
    client: Client, three: list[Run]
) -> None:
    answer = client.get(address(three[1], "?set=&metric=UPOS"))
    assert answer.headers["Location"] == address(three[1], "?metric=UPOS")


def test_a_file_without_a_score_is_told(client: Client, phase: Phase) -> None:
    run = scored(phase, "Ash", 0.9)
    scored(phase, "Birch", 0.8)
    run.files.filter(test_set__code="en_two").update(state="invalid")
    Score.objects.filter(file__run=run, file__test_set__code="en_two").delete()
    compare(phase)
    text = text_of(page(client, run))
    assert "1 of its outputs has no score: en_two (invalid). Each counts as 0" in text


def test_who_ranks_first_is_not_compared_with_itself_and_alone_with_nobody(
    client: Client, phase: Phase
) -> None:
    run = scored(phase, "Ash", 0.9)
    compare(phase)
    text = page(client, run)
    assert "Rank 1 of 1" in text_of(text)
    assert text.count(run.public_id) == text.count(f"with={run.public_id}") + text.count(f"/{run.public_id}/")


def test_a_withdrawn_system_has_figures_and_no_rank(client: Client, blind_task: Task) -> None:
    phase = blind_task.phases.get()
    left, run = scored(phase, "Ash", 0.9, minutes=-9), scored(phase, "Birch", 0.8, minutes=-9)
    System.objects.filter(pk=left.system_id).update(withdrawn_at=timezone.now())
    publish(blind_task)
    text = text_of(page(client, left))
    assert "This system was withdrawn." in text
    assert "Rank withdrawn" in text
    assert "From best +10.00" in text
    assert "Rank 1 of 1" in text_of(page(client, run)), "the field is those that stayed"


def publish(task: Task) -> None:
    phase = task.phases.get()
    Phase.objects.filter(pk=phase.pk).update(closes_at=clock.database_now() - timedelta(seconds=1))
    compare(phase)
    organiser = person("organiser")
    task.organisers.add(organiser)
    publish_results(task=task, by=organiser, reason="the end", note="")


def test_before_publication_only_the_team_and_organisers_find_a_blind_system(
    client: Client, blind_task: Task, blind_team: Team, member: User
) -> None:
    run = scored(blind_task.phases.get(), "Alder", 0.9, minutes=-9)
    other = scored(blind_task.phases.get(), "Birch", 0.8, minutes=-9)
    System.objects.filter(pk=run.system_id).update(description="A *quiet* parser.")
    compare(blind_task.phases.get())
    for someone in (None, person("stranger")):
        if someone:
            client.force_login(someone)
        assert client.get(address(run)).status_code == 404
        assert client.get("/tasks/blind/compare/").status_code == 404
    client.force_login(member)
    own = page(client, run)
    assert "<em>quiet</em>" in own
    assert "90.00" not in own
    assert "checked" in own
    assert "scored" not in text_of(own)
    assert client.get(address(other)).status_code == 404
    publish(blind_task)
    client.logout()
    assert "<em>quiet</em>" in page(client, run)
    assert "90.00" in page(client, run)


def test_in_an_open_phase_figures_are_shown_and_what_the_team_says_is_not(
    client: Client, phase: Phase
) -> None:
    Task.objects.update(pseudonymous=True)
    run = scored(phase, "Ash", 0.9)
    Team.objects.update(pseudonym="Nightingale")
    System.objects.update(
        name="Ashen parser",
        description="Secretive words.",
        paper_url="https://example.org/paper",
        questionnaire={"effort": "weeks"},
    )
    compare(phase)
    text = page(client, run)
    assert "Nightingale" in text
    assert "90.00" in text
    for hidden in ("Ash", "Secretive", "example.org/paper", "weeks"):
        assert hidden not in text


def test_a_test_set_that_is_sealed_again_by_the_clock_is_not_on_the_page(
    client: Client, three: list[Run]
) -> None:
    """As in a preview of an earlier moment: the standing knows the set, the reader may not."""
    TestSet.objects.filter(code="en_two").update(revealed_at=timezone.now() + timedelta(days=1))
    two = "&".join(f"with={run.public_id}" for run in three[:2])
    for url in (address(three[1]), f"/tasks/tiny/compare/?{two}"):
        result = client.get(url).content.decode()
        assert "de_one" in result
        assert "en_two" not in result
        assert "small" not in re.sub(r'class="[^"]*"', "", result), "its group would announce it"


def fill(phase: Phase, teams: int, sets: int, runs: int) -> Run:
    """Many teams, test sets and runs of one system; gives the last of its runs."""
    for _ in range(sets):
        code = f"xx_{phase.test_sets.count()}"
        added = TestSet.objects.create(task=phase.task, code=code, language_tag="xx", groups=["big"])
        store_raw_text(added, "Birds sing loudly")
        store_gold(added, code.encode(), released_at=timezone.now())
        phase.test_sets.add(added)
    for number in range(teams):
        scored(phase, f"Team {number}", number / 100)
    for number in range(runs):
        run = scored(phase, "Alder", 0.9, minutes=number)
    for score in Score.objects.filter(analysis=None, gold__released_at__isnull=False):
        Analysis.objects.create(score=score, format=FORMAT, breakdowns=SOME)
    compare(phase)
    return run


SOME = break_down(evaluation.compare(GOLD["en_two"].encode(), GOLD["en_two"].encode(), "conll17")).to_bytes()


def test_the_number_of_queries_does_not_grow(
    client: Client,
    phase: Phase,
    team: Team,
    member: User,
    django_assert_max_num_queries: Callable[[int], Any],
) -> None:
    Task.objects.update(replicates=20)
    phase.task.refresh_from_db()
    GoldVersion.objects.update(released_at=timezone.now())

    def measured() -> dict[str, int]:
        others = [run for run in Run.objects.order_by("-pk") if run.system_id != own.system_id][:2]
        values = {}
        for name, reader in (("visitor", None), ("member", member)):
            client.logout()
            if reader:
                client.force_login(reader)
            for url in (address(own), compared(own, *others)):
                assert client.get(url).status_code == 200
                with django_assert_max_num_queries(24) as queries:
                    assert "By relation" in client.get(url).content.decode()
                values[f"{name} {url.split('?')[0][-10:]}"] = len(queries)
        return values

    own = fill(phase, 3, 1, 1)
    small = measured()
    own = fill(phase, 9, 5, 4)
    assert measured() == small
