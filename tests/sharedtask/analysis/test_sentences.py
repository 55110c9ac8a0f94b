"""The sentence browser: what it finds, what it shows, and to whom."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from html import unescape

import numpy as np
import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

import evaluation
from evaluation.showing.system_sentences import system_sentences
from sharedtask.accounts.models import User
from sharedtask.analysis import analyse, sentence
from sharedtask.analysis.export import with_source
from sharedtask.analysis.find import in_order
from sharedtask.analysis.models import Analysis
from sharedtask.analysis.query import SORT
from sharedtask.competition.models import Phase, Task
from sharedtask.competition.release_gold import release_gold
from sharedtask.competition.request_standings import request_standings
from sharedtask.core import clock, storage
from sharedtask.standings.publish import publish_results
from sharedtask.submissions.models import Run
from sharedtask.teams.models import Team
from sharedtask.teams.register import register
from tests.sharedtask.support.building import SECOND, WRONG_HEAD, good_archive
from tests.sharedtask.support.standing import close_now

pytestmark = pytest.mark.django_db(transaction=True)
Work = Callable[[], None]
LIST = "/tasks/tiny/sets/en_two/sentences/"
# Gold has one sentence; this system makes two of it, and another cuts a word.
PARTED = """\
1\tBirds\tcanarilemma\tNOUN\t_\t_\t0\troot\t_\t_

1\tsing\tsing\tVERB\t_\t_\t0\troot\t_\t_
2\tloud\tloud\tADV\t_\t_\t1\tadvmod\t_\t_
3\tly\tly\tADV\t_\t_\t2\tdep\t_\t_

"""


@pytest.fixture
def runs(team: Team, upload: Callable[..., Run], work: Work) -> list[Run]:
    """Alder is right, Birch has a wrong head, Cedar cuts otherwise."""
    birch, cedar = (register(task=team.task, name=name, confirmed=True) for name in ("Birch", "Cedar"))
    items = [
        upload(good_archive()),
        upload(good_archive(en_two=WRONG_HEAD), team=birch),
        upload(good_archive(en_two=PARTED), team=cedar),
    ]
    work()
    return [Run.objects.get(pk=run.pk) for run in items]


def text_of(client: Client, url: str) -> str:
    answer = client.get(url)
    assert answer.status_code == 200, f"{url} {answer.status_code}"
    return unescape(answer.content.decode())


def count(client: Client, query: str = "") -> int:
    """How many sentences the list shows."""
    return len(re.findall(r'<tr>\s*<td class="figure">\d+</td>', text_of(client, LIST + query)))


def test_the_list_shows_sentences_with_errors_and_leads_to_them(client: Client, runs: list[Run]) -> None:
    page = text_of(client, f"{LIST}?system={runs[1].public_id}")
    assert "Birds sing loudly" in page
    assert "Birch" in page
    assert f'href="{LIST}1/?system={runs[1].public_id}"' in page
    assert text_of(client, LIST).count("of 3</span>") == 1, "two of three systems have errors in it"


def test_filters_find_what_they_say(client: Client, runs: list[Run]) -> None:
    right, wrong, parted = (f"&system={run.public_id}" for run in runs)
    values = {
        query: count(client, "?" + query)
        for query in (
            *("q=BIRDS", "q=bird", "q=brds", "min=3&max=3", "min=4", "max=2", "nonprojective=1"),
            *("relation=advmod&arc=gold", "relation=det&arc=gold", "relation=advmod", "show=everyone"),
            *("show=wrong" + right, "show=right" + right, "show=wrong" + wrong, "relation=advmod" + right),
            *("relation=advmod" + wrong, "segmentation=1" + wrong, "segmentation=1" + parted),
            *("error=Modifier attachment" + wrong, "error=Modifier attachment" + right, "error=Nothing"),
            *("show=disagree", "show=disagree" + right + wrong, "show=only" + parted, "show=only" + wrong),
        )
    }
    none = {query for query, number in values.items() if not number}
    assert none == {
        *("q=brds", "min=4", "max=2", "nonprojective=1", "relation=det&arc=gold", "show=everyone"),
        *("show=wrong" + right, "relation=advmod" + right, "segmentation=1" + wrong, "show=only" + wrong),
        *("error=Modifier attachment" + right, "error=Nothing"),
    }


def test_sentences_come_in_the_order_that_is_asked_for() -> None:
    numbers, errors, words = (np.array(item) for item in ([0, 1, 2, 3], [5, 2, 4, 0], [20, 2, 4, 3]))
    values = {sort: in_order(sort, numbers, errors, words).tolist() for sort in SORT}
    assert values == {
        "": [0, 2, 1, 3],
        "share": [2, 1, 0, 3],
        "errors": [3, 1, 2, 0],
        "order": [0, 1, 2, 3],
    }


def test_invalid_parameters_are_ignored_and_unknown_names_give_404(client: Client, runs: list[Run]) -> None:
    assert count(client, "?show=x&min=many&max=-3&sort=%00&page=999&arc=1&q=%00&nonprojective=0") == 0
    assert count(client, "?show=x&min=many&max=-3&sort=%00&page=999&arc=1&q=%00") == 1
    assert client.get(LIST + "?q=&show=").status_code == 302, "what was left open is not in the address"
    assert client.get(LIST + "?system=nobody").status_code == 404
    assert client.get(LIST + "2/").status_code == 404
    assert client.get(LIST + "0/").status_code == 404


def test_a_sentence_shows_all_trees_and_says_what_is_wrong(client: Client, runs: list[Run]) -> None:
    page = text_of(client, LIST + "1/?" + "&".join(f"system={run.public_id}" for run in runs))
    assert page.count('<g class="system">') >= 3
    assert page.count('<g class="gold">') >= 1
    assert 'class="arc wrong-head"' in page
    assert "advmod of Birds" in page
    assert "It splits this sentence into 2." in page
    assert '<bdi lang="en">loudly</bdi> → <bdi lang="en">loud | ly</bdi>' in " ".join(page.split())
    assert "style=" not in page
    assert "canarilemma" not in page, "trees are public, the files themselves are not yet"


def test_downloads_hold_what_the_page_shows(client: Client, runs: list[Run], member: User) -> None:
    query = "?" + "&".join(f"system={run.public_id}" for run in (runs[0], runs[2]))
    drawn = client.get(f"{LIST}1/trees.svg{query}")
    assert drawn["Content-Type"] == "image/svg+xml"
    assert drawn.content.startswith(b'<svg xmlns="http://www.w3.org/2000/svg"')
    assert b"<style>" in drawn.content
    # A visitor gets gold alone while the results of the others are not published; a member its own file too.
    lines = text_of(client, f"{LIST}1/lines.conllu{query}")
    assert (evaluation.read(lines.encode()).sentences, "canarilemma" in lines) == (1, False)
    assert "# not_public = Alder, Cedar\n" in lines
    client.force_login(member)
    lines = text_of(client, f"{LIST}1/lines.conllu{query}")
    assert evaluation.read(lines.encode()).sentences == 2
    assert "# source = Alder\n" in lines
    assert "canarilemma" not in lines


def test_a_downloaded_sentence_keeps_an_empty_last_column() -> None:
    line = "1\ta\t_\tX\t_\t_\t0\troot\t_\t\n\n"
    assert with_source(line, "gold") == f"# source = gold\n{line}"
    assert evaluation.read(with_source(line, "gold").encode()).words == 1


def test_published_outputs_can_be_downloaded_sentence_by_sentence(
    client: Client, task: Task, runs: list[Run]
) -> None:
    Task.objects.filter(pk=task.pk).update(results_published_at=runs[0].received_at)
    lines = text_of(client, f"{LIST}1/lines.conllu?system={runs[2].public_id}")
    assert evaluation.read(lines.encode()).sentences == 3
    assert "canarilemma" in lines


def test_sentences_of_blind_gold_are_not_shown_before_release_and_publication(
    client: Client, blind_task: Task, blind_team: Team, upload: Callable[..., Run], work: Work, member: User
) -> None:
    run = upload(good_archive(), team=blind_team)
    work()
    organiser = User.objects.create_user("organiser")
    blind_task.organisers.add(organiser)
    base = "/tasks/blind/sets/"
    not_there = client.get(base + "nonsense/sentences/").content

    def nothing_for(*people: User | None) -> bool:
        answers = []
        for person in people:
            client.logout()
            if person:
                client.force_login(person)
            for path in ("sentences/", "sentences/1/", "sentences/1/trees.svg", "sentences/1/lines.conllu"):
                for query in ("", f"?system={run.public_id}"):
                    answers.append(client.get(f"{base}en_two/{path}{query}"))
        client.logout()
        if not any(people):
            assert {answer.content for answer in answers} == {not_there}
        return {answer.status_code for answer in answers} == {404}

    assert nothing_for(None)
    assert nothing_for(member)
    close_now(blind_task)
    release_gold(task=blind_task, by=organiser, reason="It is over.", codes=["en_two"])
    work()
    assert "Birds sing loudly" in text_of(client, base + "en_two/sentences/"), "gold is out"
    assert client.get(f"{base}en_two/sentences/?system={run.public_id}").status_code == 404
    assert client.get(base + "de_one/sentences/").status_code == 404
    blind_task.phases.update(closes_at=clock.database_now())
    work()
    publish_results(task=blind_task, by=organiser, reason="All is checked.")
    assert "Alder" in text_of(client, f"{base}en_two/sentences/1/?system={run.public_id}")


def test_queries_do_not_grow_with_systems(
    client: Client, runs: list[Run], task: Task, upload: Callable[..., Run], work: Work
) -> None:
    def queries(url: str) -> int:
        client.get(url)
        with CaptureQueriesContext(
            connection,
        ) as counted:
            assert client.get(url).status_code == 200
        return len(counted)

    query = f"?system={runs[1].public_id}&show=disagree"
    before = queries(LIST + query), queries(f"{LIST}1/{query}")
    for name in ("Dogwood", "Elm", "Fir"):
        upload(good_archive(), team=register(task=task, name=name, confirmed=True))
    work()
    assert (queries(LIST + query), queries(f"{LIST}1/{query}")) == before


def test_a_page_reads_only_the_region_around_its_sentence(
    client: Client, runs: list[Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    parts: list[tuple[str, int]] = []
    real = storage.read_part

    def spied(name: str, begin: int, end: int) -> bytes:
        parts.append((name.split("/")[0], end - begin))
        return real(name, begin, end)

    monkeypatch.setattr(storage, "read_part", spied)
    monkeypatch.setattr(storage, "read", lambda name: pytest.fail("a whole file was read"))
    text_of(client, f"{LIST}1/?system={runs[2].public_id}")
    assert sorted(parts) == [("outputs", len(PARTED)), ("public", len(SECOND))]


def test_a_file_with_other_line_ends_is_cut_at_the_right_places(
    client: Client, runs: list[Run], upload: Callable[..., Run], work: Work
) -> None:
    odd = upload(good_archive(en_two=WRONG_HEAD.replace("\n", "\r\n")))
    work()
    page = text_of(client, f"{LIST}1/?system={odd.public_id}")
    assert "advmod of Birds" in page


def test_of_a_very_long_system_sentence_only_the_words_of_the_gold_sentence_are_shown(
    client: Client, runs: list[Run], work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = partial(system_sentences, large=10)
    monkeypatch.setattr(analyse, "system_sentences", small)
    Analysis.objects.all().delete()
    for version in analyse.released():
        analyse.analyse_gold(version.pk)
    page = text_of(client, f"{LIST}1/?system={runs[1].public_id}")
    assert "too long to show in full" in page
    assert "advmod of Birds" in page
    # This one ends a sentence within the gold sentence, and cannot be narrowed.
    page = text_of(client, f"{LIST}1/?system={runs[2].public_id}")
    assert "too long to compare here" in page
    assert '<g class="gold">' in page
    assert client.get(f"{LIST}1/lines.conllu?system={runs[1].public_id}").status_code == 200


def test_a_long_sentence_is_shown_in_pieces(
    client: Client, runs: list[Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sentence, "PIECE", 2)
    address = f"{LIST}1/?system={runs[1].public_id}"
    first, second = text_of(client, address), text_of(client, f"{address}&from=3")
    assert ">sing<" in first
    assert ">loudly</text>" not in first
    assert ">loudly</text>" in second
    assert f"{address.removeprefix(LIST + '1/')}&from=3" in first


def test_the_systems_of_each_ranking_can_be_chosen_from(client: Client, runs: list[Run], work: Work) -> None:
    """A phase with several rankings has links to each; one with a single ranking has none."""
    assert 'aria-label="Rankings"' not in text_of(client, LIST)
    phase = runs[0].phase
    late = Phase.objects.create(
        task=phase.task,
        code="late",
        kind="post-evaluation",
        title="Late",
        opens_at=phase.opens_at,
        feedback="scores",
    )
    late.test_sets.set(phase.test_sets.all())
    Run.objects.filter(pk=runs[1].pk).update(phase=late)
    for item in (phase, late):
        request_standings(item.pk)
    work()
    page = text_of(client, f"{LIST}?phase=late&ranking=unofficial")
    assert 'aria-label="Rankings"' in page
    assert f"system-{runs[1].public_id}" in page
    assert f"system-{runs[0].public_id}" not in page
