"""Test sets: the list of them, the ranking on one, how hard it is, and what is told of it before release."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser
from django.test import Client
from django.utils import timezone

from sharedtask.accounts.models import User
from sharedtask.analysis.models import FORMAT, GoldAnalysis
from sharedtask.competition.models import GoldVersion, Phase, Task, TestSet
from sharedtask.core import clock
from sharedtask.leaderboard.test_set.difficulty import difficulties
from sharedtask.leaderboard.test_set.ranking import Ranking, ranking
from sharedtask.standings.standing_view import StandingView, view_standing
from sharedtask.standings.visible_standings import visible_standings
from sharedtask.submissions.models import Run, Score
from sharedtask.teams.models import System
from tests.sharedtask.support.standing import assert_queries_do_not_grow, compare, give_score, scored

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("as_worker")]
LIST, PAGE = "/tasks/tiny/sets/", "/tasks/tiny/sets/en_two/"
STATISTICS = {
    "sentences": 4711,
    "tokens": 1,
    "words": 81234,
    "multi_word_tokens": 5,
    "words_in_ranges": 10,
    "longest_sentence": 77,
    "nonprojective_sentences": 471,
    "relations": {"nsubj": 3, "root": 1},
    "upos": {"NOUN": 2, "VERB": 1},
}


def run_with(phase: Phase, name: str, las: list[float], **values: Any) -> Run:
    """A run with one unit of resampling for each of these figures, on each test set."""
    run = scored(phase, name, 0, **values)
    Score.objects.filter(file__run=run).delete()
    for file in run.files.select_related("test_set__gold_in_force", "run__task"):
        give_score(file, las)
    return run


def view(phase: Phase) -> StandingView:
    at = clock.database_now()
    return view_standing(AnonymousUser(), visible_standings(AnonymousUser(), phase.task, at=at)[0], at=at)


def ranked(phase: Phase) -> Ranking:
    compare(phase)
    return ranking(view(phase), "en_two", "LAS")


@pytest.fixture
def counted(phase: Phase) -> None:
    """What a worker has found out about the gold, released or not."""
    for version in GoldVersion.objects.filter(test_set__task=phase.task):
        GoldAnalysis.objects.update_or_create(
            gold=version, defaults={"format": FORMAT, "statistics": STATISTICS, "analysed_at": timezone.now()}
        )


def test_the_ranking_on_a_set_has_intervals_ranks_and_lines(phase: Phase) -> None:
    """Of forty sentences Ash is better in each; Birch and Cedar take turns."""
    for name, odd, even in (("Ash", 0.9, 0.8), ("Birch", 0.6, 0.5), ("Cedar", 0.5, 0.598)):
        run_with(phase, name, [odd, even] * 20)
    lines = ranked(phase).rows
    assert [(line.entrant.name, line.rank, line.ranks, line.line_below) for line in lines] == [
        ("Ash", 1, (1, 1), True),
        ("Birch", 2, (2, 3), False),
        ("Cedar", 3, (2, 3), False),
    ]
    assert lines[0].f1 == pytest.approx(0.85)
    assert lines[0].low is not None
    assert lines[0].high is not None
    assert lines[0].low < 0.85 < lines[0].high
    assert lines[0].metrics[view(phase).figures.metrics.index("UPOS")] == 0.5


def test_whoever_has_no_valid_file_is_named_and_takes_no_rank(client: Client, phase: Phase) -> None:
    for name, state in (("Ash", "valid"), ("Birch", "invalid"), ("Cedar", "missing")):
        run = scored(phase, name, 0.5)
        if state != "valid":
            run.files.filter(test_set__code="en_two").update(state=state)
            Score.objects.filter(file__run=run, file__test_set__code="en_two").delete()
    result = ranked(phase)
    assert [(line.entrant.name, line.rank) for line in result.rows] == [("Ash", 1)]
    assert [(who.name, status) for who, status in result.without] == [
        ("Birch", "invalid"),
        ("Cedar", "missing"),
    ]
    body = client.get(PAGE).content.decode()
    assert '<span class="verdict invalid">invalid</span>' in body
    assert '<span class="verdict missing">missing</span>' in body
    assert '<span class="tag warn">2</span>' in client.get(LIST).content.decode()


def test_a_withdrawn_system_comes_last_and_makes_nothing_harder(phase: Phase) -> None:
    run = scored(phase, "Ash", 0.9)
    scored(phase, "Birch", 0.5)
    System.objects.filter(pk=run.system_id).update(withdrawn_at=timezone.now())
    assert [(line.entrant.name, line.rank) for line in ranked(phase).rows] == [("Birch", 1), ("Ash", 0)]
    assert difficulties(view(phase), "LAS")["en_two"].high == 0.5


def test_the_hardest_set_is_the_one_with_the_lowest_median(phase: Phase) -> None:
    for name, las in (("Ash", 0.9), ("Birch", 0.5), ("Cedar", 0.1)):
        run = scored(phase, name, las)
        Score.objects.filter(file__run=run, file__test_set__code="de_one").delete()
        give_score(run.files.get(test_set__code="de_one"), [0.6])
    compare(phase)
    result = difficulties(view(phase), "LAS")
    assert list(result) == ["en_two", "de_one"]
    hard = result["en_two"]
    assert (hard.place, hard.low, hard.median, hard.high) == (1, 0.1, 0.5, 0.9)
    assert (hard.lower, hard.upper) == pytest.approx((0.3, 0.7))
    assert hard.winner.name == "Ash"


def test_the_page_has_all_metrics_both_charts_and_the_choice_of_segmentation(
    client: Client, phase: Phase
) -> None:
    for name, las in (("Ash", 0.9), ("Birch", 0.5), ("Base", 0.4)):
        scored(phase, name, las, baseline=name == "Base")
    compare(phase)
    body = client.get(PAGE, {"metric": "CLAS", "against": "Sentences"}).content.decode()
    assert "Ranking by CLAS" in body
    assert body.count("<svg xmlns") == 2
    assert "Sentences against CLAS" in body
    result = " ".join(body.split())
    assert "rank 1 of 2 test sets" in result or "rank 2 of 2 test sets" in result
    for metric in ("UPOS", "Tokens", "Words"):
        assert f"metric={metric}" in body
    # Segmentation against itself would be a straight line.
    assert "Words against LAS" in client.get(PAGE, {"metric": "Words"}).content.decode()


def test_statistics_of_gold_are_told_after_release_and_not_before(
    client: Client, phase: Phase, counted: None
) -> None:
    scored(phase, "Ash", 0.9)
    compare(phase)
    after = client.get(PAGE).content.decode()
    assert "81,234" in after
    assert "nsubj" in after
    assert "/tasks/tiny/sets/en_two/sentences/" in after
    assert "81,234" in client.get(LIST).content.decode()
    GoldVersion.objects.update(released_at=None)
    compare(phase)
    for address in (LIST, PAGE):
        body = client.get(address).content.decode()
        for secret in ("81,234", "4,711", "nsubj", "sentences/"):
            assert secret not in body
    # What may be told of the size of a blind set is the number of characters of its released input.
    assert "<dt>Characters</dt><dd>15</dd>" in client.get(PAGE).content.decode()


def test_a_set_has_a_page_before_there_are_results(client: Client, blind_task: Task) -> None:
    scored(blind_task.phases.get(), "Ash", 0.9)
    compare(blind_task.phases.get())
    for address in ("/tasks/blind/sets/", "/tasks/blind/sets/en_two/"):
        answer = client.get(address)
        assert answer.status_code == 200
        body = answer.content.decode()
        assert "English" in body
        assert "90.00" not in body
        assert "Ash" not in body
        # No way to pages that do not exist for this reader yet.
        assert "/matrix/" not in body
        assert "/leaderboard/" not in body


def test_a_set_that_is_not_revealed_does_not_exist_but_for_organisers(client: Client, phase: Phase) -> None:
    scored(phase, "Ash", 0.9)
    phase.test_sets.filter(code="en_two").update(revealed_at=timezone.now() + timedelta(days=1))
    compare(phase)
    assert client.get(PAGE).status_code == 404
    assert client.get(PAGE).content == client.get("/tasks/tiny/sets/never_was/").content
    assert "en_two" not in client.get(LIST).content.decode()
    assert "1 test set" in client.get(LIST).content.decode()
    assert "en_two" not in client.get("/tasks/tiny/sets/de_one/").content.decode()
    client.force_login(User.objects.create_superuser("organiser"))
    assert (
        "Visible to organisers only: this test set has not been revealed."
        in client.get(PAGE).content.decode()
    )
    assert "hidden: organisers only" in client.get(LIST).content.decode()


def test_the_list_is_sorted_by_any_of_its_columns(client: Client, phase: Phase) -> None:
    run = scored(phase, "Ash", 0.5)
    Score.objects.filter(file__run=run, file__test_set__code="de_one").delete()
    give_score(run.files.get(test_set__code="de_one"), [0.9])
    # A set on which nobody has a figure comes last, whichever way the others are sorted.
    TestSet.objects.create(task=phase.task, code="aa_none", language="Afar", position=9)
    compare(phase)

    def order(sort: str) -> list[str]:
        body = client.get(LIST, {"sort": sort}).content.decode()
        return re.findall(rf'<th scope="row">\s*<a href="{LIST}(\w+)/', body)

    assert order("code") == ["aa_none", "de_one", "en_two"]
    assert order("-code") == ["en_two", "de_one", "aa_none"]
    assert order("difficulty") == ["en_two", "de_one", "aa_none"]
    assert order("-best") == ["de_one", "en_two", "aa_none"]
    assert order("nonsense") == ["de_one", "en_two", "aa_none"]


def test_names_are_those_that_the_reader_may_know(client: Client, phase: Phase) -> None:
    Task.objects.update(pseudonymous=True)
    run = scored(phase, "Ash", 0.9)
    scored(phase, "Birch", 0.8)
    compare(phase)
    for address in (LIST, PAGE, "/tasks/tiny/matrix/", "/tasks/tiny/matrix.csv"):
        body = client.get(address).content.decode()
        assert "Ash" not in body
        assert f"Team {run.team.public_id[:4]}" in body


def test_the_number_of_queries_does_not_grow(client: Client, phase: Phase) -> None:
    assert_queries_do_not_grow(client, phase, (LIST, PAGE), most=25)
