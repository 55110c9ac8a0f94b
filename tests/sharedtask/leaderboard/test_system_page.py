"""The page of a system: figures among its field, what it gets wrong, nothing that leaks, few queries."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

import evaluation
from evaluation.scoring.breakdown import Breakdowns, break_down
from sharedtask.accounts.models import User
from sharedtask.analysis.analyse import analyse_gold
from sharedtask.analysis.models import FORMAT, Analysis
from sharedtask.competition.models import GoldVersion, Phase, Task, TestSet
from sharedtask.competition.prepare_gold import prepare_gold
from sharedtask.competition.store_files import store_gold
from sharedtask.core import clock
from sharedtask.leaderboard.system.breakdown_sums import sum_breakdowns
from sharedtask.standings.publish import publish_results
from sharedtask.submissions.models import Run, Score
from sharedtask.teams.models import System, Team
from sharedtask.teams.register import register
from tests.sharedtask.support.building import GOLD, WRONG_HEAD, good_archive
from tests.sharedtask.support.people import person
from tests.sharedtask.support.standing import compare, give_score, scored
from tests.sharedtask.support.storing import store_raw_text

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("as_worker")]


def address(run: Run, query: str = "") -> str:
    return f"/tasks/{run.task.slug}/systems/{run.system.public_id}/{query}"


def text_of(html: str) -> str:
    """What is read: no tags, no white space that is not seen."""
    return " ".join(re.sub(r"<[^>]+>", " ", html).split())


def page(client: Client, run: Run, query: str = "") -> str:
    response = client.get(address(run, query))
    assert response.status_code == 200
    return response.content.decode()


def by_set(phase: Phase, name: str, **las: float) -> Run:
    """A run with another LAS on each test set."""
    run = scored(phase, name, 0)
    Score.objects.filter(file__run=run).delete()
    for file in run.files.select_related("test_set__gold_in_force"):
        give_score(file, [las[file.test_set.code]])
    return run


def rows_of(html: str, section: str) -> list[str]:
    """The rows of the table in the section with this id, as they are read."""
    body = html.split(f'id="{section}"', 1)[1].split("<tbody>", 1)[1].split("</tbody>", 1)[0]
    return [text_of(row) for row in body.split("</tr>") if row.strip()]


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


@pytest.fixture
def analysed(
    phase: Phase,
    upload: Callable[..., Run],
    work: Callable[[], None],
    dispatched: list[Any],
    django_capture_on_commit_callbacks: Callable[..., Any],
) -> tuple[Run, Run]:
    """Alder has one wrong head in English, Birch none; workers have broken both down."""
    with django_capture_on_commit_callbacks(execute=True):
        birch = upload(good_archive(), team=register(task=phase.task, name="Birch", confirmed=True))
        alder = upload(good_archive(en_two=WRONG_HEAD))
    while dispatched:
        with django_capture_on_commit_callbacks(execute=True):
            work()
    for version in GoldVersion.objects.all():
        prepare_gold(version.pk)
        analyse_gold(version.pk)
    assert Analysis.objects.filter(failure="").count() == 4
    return alder, birch


def test_errors_are_shown_by_relation_next_to_another_system(
    client: Client, analysed: tuple[Run, Run]
) -> None:
    alder, birch = analysed
    html = page(client, alder)
    rows = {row.split()[0]: row for row in rows_of(html, "relation-title")}
    assert rows["advmod"] == "advmod 1 0.00 100.00 −100.00 0.00 0.00 0.00 en_two 1"
    assert rows["nsubj"].startswith("nsubj 2 100.00 100.00 0.00")
    assert f"/tasks/tiny/sets/en_two/sentences/?system={alder.public_id}&amp;relation=advmod" in html
    assert [row.split()[:3] for row in rows_of(html, "sentence_length-title")] == [["1–5", "7", "85.71"]]
    assert "No aligned" not in html
    german = rows_of(page(client, alder, "?set=de_one"), "relation-title")
    assert [row.split()[0] for row in german] == ["det", "nsubj", "punct", "root"]
    assert f'value="{birch.public_id}" selected' in html


def test_breakdowns_follow_the_chosen_metric(client: Client, analysed: tuple[Run, Run]) -> None:
    addresses = [(address(analysed[0]), "?"), (compared(*analysed), "&")]
    for url, joint in addresses:
        html = client.get(f"{url}{joint}metric=UAS").content.decode()
        assert "UAS (words with the correct head), computed over" in text_of(html), url
        assert "has no breakdown" not in text_of(html)
        content = text_of(client.get(f"{url}{joint}metric=CLAS").content.decode())
        assert "CLAS (content words with the correct head and relation), computed over" in content, url
        tokens = text_of(client.get(f"{url}{joint}metric=Tokens").content.decode())
        assert "Tokens does not count words and has no breakdown. By LAS (words with" in tokens, url
    heads = page(client, analysed[0], "?metric=UAS").split('aria-labelledby="relation-title"')[1]
    heads = text_of(heads.split("</thead>")[0])
    assert (
        heads.index("UAS") < heads.index("Precision") < heads.index("LAS") < heads.index("Most UAS errors in")
    )


def test_a_breakdown_has_the_groups_that_the_metric_counts(client: Client, analysed: tuple[Run, Run]) -> None:
    alder, _ = analysed
    content = page(client, alder, "?metric=CLAS")
    by_content = {row.split()[0]: row for row in rows_of(content, "relation-title")}
    assert list(by_content) == ["nsubj", "root", "advmod"], "neither det nor punct are content words"
    assert by_content["advmod"].startswith("advmod 1 0.00 100.00 −100.00")
    tags = page(client, alder, "?metric=UPOS")
    by_tag = {row.split()[0]: row for row in rows_of(tags, "relation-title")}
    assert by_tag["advmod"].startswith("advmod 1 100.00 100.00 0.00"), "its head is wrong, its tag is not"
    assert "&amp;relation=" not in tags, "no tag is wrong"


def test_errors_that_are_no_arcs_lead_to_sentences_with_the_relation(
    client: Client, analysed: tuple[Run, Run]
) -> None:
    alder, _ = analysed
    stored = Analysis.objects.get(score__file__run=alder, score__file__test_set__code="en_two")
    wrong_tag = GOLD["en_two"].replace("ADV", "X").encode()
    compared = evaluation.compare(GOLD["en_two"].encode(), wrong_tag, "conll17")
    Analysis.objects.filter(pk=stored.pk).update(breakdowns=break_down(compared).to_bytes())
    link = f"/tasks/tiny/sets/en_two/sentences/?system={alder.public_id}&amp;relation=advmod&amp;arc=gold"
    html = page(client, alder, "?metric=UPOS")
    assert link in html and 'aria-label="Sentences of en_two with advmod in gold"' in html


def test_one_system_is_compared_with_all_systems_on_one_test_set(
    client: Client, analysed: tuple[Run, Run]
) -> None:
    alder, birch = analysed
    html = page(client, alder, "?set=en_two&compare_with=all")
    rows = {row.split()[0]: row for row in rows_of(html, "relation-title")}
    assert rows["advmod"].startswith("advmod 1 0.00 50.00 −50.00"), "of two systems one is right"
    assert "Compared with all 2 systems combined" in text_of(html)
    whole = page(client, alder, "?compare_with=all")
    assert f'value="{birch.public_id}" selected' in whole, "over all test sets it would be too many"


def test_without_released_gold_nothing_is_broken_down(client: Client, analysed: tuple[Run, Run]) -> None:
    GoldVersion.objects.update(released_at=None)
    for url in (address(analysed[0]), compared(*analysed)):
        html = client.get(url).content.decode()
        assert "advmod" not in html
        assert "/sentences/" not in html


def compared(*runs: Run) -> str:
    return "/tasks/tiny/compare/?" + "&".join(f"with={run.public_id}" for run in runs)


def test_sums_of_breakdowns_are_those_of_the_evaluator(analysed: tuple[Run, Run]) -> None:
    result = Analysis.objects.filter(score__file__run=analysed[0]).order_by("pk")
    first, second = (Breakdowns.from_bytes(bytes(item.breakdowns)) for item in result)
    outcome = sum_breakdowns(tuple(entry.public_id for entry in result)).breakdowns
    expected = first + second
    assert outcome.relation == expected.relation
    assert outcome == expected


def test_the_team_reads_how_long_scoring_took_and_others_do_not(
    client: Client, analysed: tuple[Run, Run], member: User
) -> None:
    alder, _ = analysed
    assert "Scoring time" not in page(client, alder)
    client.force_login(member)
    assert "Scoring time" in page(client, alder)


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
                with django_assert_max_num_queries(41) as queries:
                    assert "By relation" in client.get(url).content.decode()
                values[f"{name} {url.split('?')[0][-10:]}"] = len(queries)
        return values

    own = fill(phase, 3, 1, 1)
    small = measured()
    own = fill(phase, 9, 5, 4)
    assert measured() == small


def test_errors_are_shown_by_class_and_downloaded(client: Client, analysed: tuple[Run, Run]) -> None:
    alder, birch = analysed
    html = page(client, alder)
    rows = {row.rsplit(maxsplit=8)[0]: row for row in rows_of(html, "error-classes-title")}
    # Words; errors, % wrong, % of errors and displacement of Alder, then of Birch.
    assert rows["Modifier attachment 1"] == "Modifier attachment 1 1 100.0 100.0 1.00 0 0.0 0.0 –"
    assert rows["All words 7"] == "All words 7 1 14.3 100.0 1.00 0 0.0 0.0 –"
    assert sum(int(row.rsplit(maxsplit=9)[1]) for name, row in rows.items() if "All words" not in name) == 7
    assert "error-classes-title" in client.get(compared(alder, birch)).content.decode()
    assert "all 2 systems combined" in client.get("/tasks/tiny/sets/en_two/").content.decode()
    table = client.get(f"{address(alder)}errors.csv").content.decode()
    assert "Modifier attachment,Alder,1,1,100.0,100.0,1.00,1,0" in table
    assert r"\begin{tabular}" in client.get(f"{address(alder)}errors.tex").content.decode()
    assert client.get(f"{address(alder)}errors.exe").status_code == 404
    GoldVersion.objects.update(released_at=None)
    assert client.get(f"{address(alder)}errors.csv").status_code == 404
    for url in (address(alder), compared(alder, birch), "/tasks/tiny/sets/en_two/"):
        assert "error-classes" not in client.get(url).content.decode()
