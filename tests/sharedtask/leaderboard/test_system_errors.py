"""What a system gets wrong: breakdowns and errors on its page, and nothing before gold is released."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape
from typing import Any

import numpy as np
import pytest
from django.test import Client

import evaluation
from evaluation.errors.count import ErrorCounts
from evaluation.scoring.breakdown import Breakdowns, break_down
from sharedtask.accounts.models import User
from sharedtask.analysis.analyse import analyse_gold
from sharedtask.analysis.models import Analysis
from sharedtask.competition.models import GoldVersion, Phase
from sharedtask.competition.prepare_gold import prepare_gold
from sharedtask.leaderboard.system.breakdown_sums import sum_breakdowns
from sharedtask.submissions.models import Run
from sharedtask.teams.register import register
from tests.sharedtask.support.building import GOLD, WRONG_HEAD, good_archive
from tests.sharedtask.support.system_page import address, compared, page, rows_of, text_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("as_worker")]


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


def test_sums_of_breakdowns_are_those_of_the_evaluator(analysed: tuple[Run, Run]) -> None:
    result = Analysis.objects.filter(score__file__run=analysed[0]).order_by("pk")
    first, second = (Breakdowns.from_bytes(bytes(item.breakdowns)) for item in result)
    outcome = sum_breakdowns(tuple(entry.public_id for entry in result)).breakdowns
    expected = first + second
    assert outcome.relation == expected.relation
    assert outcome == expected


def test_errors_are_shown_by_class_and_downloaded(client: Client, analysed: tuple[Run, Run]) -> None:
    alder, birch = analysed
    html = page(client, alder)
    rows = {
        row.removesuffix(" en_two").rsplit(maxsplit=8)[0]: row for row in rows_of(html, "error-classes-title")
    }
    # Words; errors, % wrong, % of errors and displacement of Alder, then of Birch; where most of them are.
    assert rows["Modifier attachment 1"] == "Modifier attachment 1 1 100.0 100.0 1.00 0 0.0 0.0 – en_two"
    assert rows["All words 7"] == "All words 7 1 14.3 100.0 1.00 0 0.0 0.0 –"
    assert sum(int(row.rsplit(maxsplit=9)[1]) for name, row in rows.items() if "All words" not in name) == 7
    assert "error-classes-title" in client.get(compared(alder, birch)).content.decode()
    assert "all 2 systems combined" in client.get("/tasks/tiny/sets/en_two/").content.decode()
    table = client.get(f"{address(alder)}errors.csv").content.decode()
    assert "Class,System,Gold words,Eff.,Eff. %,% of errors,Disp." in table
    assert "Modifier attachment,Alder,1,1,100.0,100.0,1.00,1,0" in table
    latex = client.get(f"{address(alder)}errors.tex").content.decode()
    assert r"\begin{tabular}" in latex and "& Eff. &" in latex and "& Disp. &" in latex
    assert client.get(f"{address(alder)}errors.exe").status_code == 404
    GoldVersion.objects.update(released_at=None)
    assert client.get(f"{address(alder)}errors.csv").status_code == 404
    for url in (address(alder), compared(alder, birch), "/tasks/tiny/sets/en_two/"):
        assert "error-classes" not in client.get(url).content.decode()


def test_comparisons_test_sets_and_the_field_have_that_table_as_files(
    client: Client, analysed: tuple[Run, Run]
) -> None:
    """With links on their pages, and only while gold is released."""
    alder, birch = analysed
    pair = compared(alder, birch)
    pages = {
        pair: pair.replace("/compare/", "/compare/errors.csv"),
        "/tasks/tiny/sets/en_two/": "/tasks/tiny/sets/en_two/errors.csv",
        "/tasks/tiny/tables/": "/tasks/tiny/tables/errors.csv",
    }
    rows = {}
    for url, file in pages.items():
        html = client.get(url).content.decode()
        for download in (file, file.replace(".csv", ".tex")):
            assert download.partition("?")[0] in html, url
            assert client.get(download).status_code == 200, download
        lines = client.get(file).content.decode().splitlines()
        rows[url] = [line for line in lines if line.startswith(("Modifier", "All words"))]
    assert rows[pair] == [
        "Modifier attachment,Birch,1,0,0.0,0.0,–,0,0",
        "Modifier attachment,Alder,1,1,100.0,100.0,1.00,1,0",
        "All words,Birch,7,0,0.0,0.0,–,0,0",
        "All words,Alder,7,1,14.3,100.0,1.00,1,0",
    ]
    both = "all 2 systems combined"
    assert f"All words,{both},6,1,16.7,100.0,1.00,1,0" in rows["/tasks/tiny/sets/en_two/"]
    assert f"All words,{both},14,1,7.1,100.0,1.00,1,0" in rows["/tasks/tiny/tables/"]
    alone = pages[pair].replace(f"with={birch.public_id}", "")
    assert client.get(alone).status_code == 404, "nothing to compare with"
    GoldVersion.objects.update(released_at=None)
    for url, file in pages.items():
        assert client.get(file).status_code == 404
        assert "errors.csv" not in client.get(url).content.decode()


def test_the_field_has_no_row_while_its_outputs_are_counted_by_different_classes(
    client: Client, analysed: tuple[Run, Run]
) -> None:
    """After the classes of a task were changed, workers count one output after the other."""
    stored = Analysis.objects.order_by("pk").first()
    assert stored is not None
    of_old_classes = ErrorCounts(("Old",), np.zeros((1, 1, 5), dtype=np.int64)).to_bytes()
    Analysis.objects.filter(pk=stored.pk).update(errors=of_old_classes)
    assert client.get("/tasks/tiny/tables/errors.csv").status_code == 404
    code = stored.score.file.test_set.code
    assert "error-classes" not in client.get(f"/tasks/tiny/sets/{code}/").content.decode()


def test_an_error_class_leads_to_the_sentences_with_its_errors(
    client: Client, analysed: tuple[Run, Run]
) -> None:
    alder, birch = analysed
    for url in (address(alder), compared(alder, birch), "/tasks/tiny/sets/en_two/"):
        (link,) = re.findall(r'href="([^"]+error=[^"]+)"', client.get(url).content.decode())
        listed = client.get(unescape(link)).content.decode()
        assert "Birds sing loudly" in listed, url
        assert "Der Hund" not in listed, url
    other = unescape(link).replace("Modifier+attachment", "Root")
    assert "Birds sing loudly" not in client.get(other).content.decode()
    # Birch has no errors, and is not led to those of others.
    assert "error=" not in client.get(address(birch)).content.decode()


def test_the_team_reads_how_long_scoring_took_and_others_do_not(
    client: Client, analysed: tuple[Run, Run], member: User
) -> None:
    alder, _ = analysed
    assert "Scoring time" not in page(client, alder)
    client.force_login(member)
    assert "Scoring time" in page(client, alder)
