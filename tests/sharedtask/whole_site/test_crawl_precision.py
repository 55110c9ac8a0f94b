"""While gold is sealed no answer tells a figure more precisely than it is printed: F1 × 100, two decimals.

An unrounded F1 tells the integer counts behind it (0.8247126436781609 is 287 of 348), and with them what gold
has. Two tests crawl all pages and files of published results. One compares the answers for two sets of
figures that print alike: they have to be the same, byte by byte. The other looks at the numbers themselves.
"""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest
from django.test import Client

from evaluation.ranking.details import Details
from sharedtask.accounts.models import User
from sharedtask.archive.models import Package
from sharedtask.archive.package.contents import contents_of
from sharedtask.archive.package.make import make
from sharedtask.archive.package.tables import tables
from sharedtask.competition.models import GoldVersion, Task
from sharedtask.competition.release_gold import release_gold
from sharedtask.core import clock
from sharedtask.standings.document import document_of
from sharedtask.standings.models import Figures, Publication, Standing
from sharedtask.standings.publish import publish_results
from sharedtask.standings.signature import signature_of
from sharedtask.submissions.models import Score
from sharedtask.teams.models import System
from tests.sharedtask.support.crawl import Answer, crawl, guesses
from tests.sharedtask.support.standing import close_now, compare, give_score, scored
from tests.sharedtask.support.worlds import Time, forget_other_worlds, known_to_the_tester, standing_clock

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("as_worker", "dispatched")]
GRID = 0.0008
"""Figures on this grid print without rounding, and so do means of two and quartiles of a few of them."""
TRIFLE = 2e-5
"""Twice as much, in a difference, still prints as nothing."""
NOT_F1 = ("p", "p_holm")


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> Iterator[Time]:
    with standing_clock(monkeypatch) as time:
        forget_other_worlds()
        yield time


@pytest.fixture
def organiser(blind_task: Task) -> User:
    user = User.objects.create_user("organiser")
    blind_task.organisers.add(user)
    return user


@pytest.fixture
def published(time: Time, blind_task: Task, organiser: User) -> Publication:
    """Results of five systems, published with gold still sealed; one system is a secondary one."""
    Task.objects.update(replicates=50)
    phase = blind_task.phases.select_related("task").get()
    runs = [scored(phase, name, 0.0) for name in ("Alder", "Birch", "Cedar")]
    second = System.objects.create(team=runs[0].team, name="other")
    runs += [scored(phase, "Alder", 0.0, system=second), scored(phase, "Dogwood", 0.0, baseline=True)]
    Score.objects.all().delete()
    for number, run in enumerate(runs):
        for file in run.files.all():
            give_score(file, [0.824713 - number / 70, 0.713471 - number / 90, 0.77])
    close_now(blind_task)
    compare(phase)
    publication = publish_results(task=phase.task, by=organiser, reason="The task is over.")
    make(publication.pk)
    blind_task.refresh_from_db()
    return publication


def everything(task: Task) -> dict[str, Answer]:
    """What a visitor gets, from nothing that was kept for another."""
    forget_other_worlds()
    return crawl(Client(), ["/", *guesses(known_to_the_tester(task))])


def on_the_grid(value: Any) -> Any:
    return np.round(np.asarray(value) / GRID) * GRID


def by_a_trifle(value: Any) -> Any:
    """Another one for each figure and the same for equal ones, so that ties stay ties."""
    return np.asarray(value) + TRIFLE * np.cos(9973 * np.asarray(value))


def change_standings(change: Callable[[Any], Any]) -> None:
    for figures in Figures.objects.select_related("standing"):
        details = Details.from_bytes(bytes(figures.stored))
        arrays = [
            field.name for field in fields(Details) if field.name.split("_")[-1] in ("f1", "low", "high")
        ]
        arrays = [name for name in arrays if "rank" not in name]
        changed = {name: change(getattr(details, name)) for name in arrays}
        figures.stored = replace(details, **changed).to_bytes()
        figures.save()


def change_scores(change: Callable[[int], int]) -> None:
    for score in Score.objects.all():
        score.counts = {
            metric: {**counts, "correct": change(counts["correct"])}
            for metric, counts in score.counts.items()
        }
        score.save()


def pack_again(publication: Publication) -> None:
    # This process keeps the figures that it has read.
    forget_other_worlds()
    Package.objects.all().delete()
    assert make(publication.pk) is not None


def without_tokens(answer: Answer) -> bytes:
    """Forms have a new token each time."""
    return re.sub(rb"csrf\w*(=|\" value=\")\w+", b"", answer.everything)


def test_figures_that_print_alike_give_the_same_answers(published: Publication) -> None:
    task = published.task
    # Three million are counted in each file: a step of 4,800 is two of the grid, and sixty print as nothing.
    change_scores(lambda correct: round(correct / 4800) * 4800)
    change_standings(on_the_grid)
    pack_again(published)
    before = everything(task)
    change_scores(lambda correct: correct + 60)
    change_standings(by_a_trifle)
    pack_again(published)
    after = everything(task)
    assert before.keys() == after.keys()
    assert len([url for url, answer in before.items() if answer.status == 200]) > 60
    assert any("/compare/" in url and url.count("with=") == 2 for url in before)
    assert [url for url in before if without_tokens(before[url]) != without_tokens(after[url])] == []


def test_the_other_answers_would_differ(published: Publication, organiser: User) -> None:
    """What may be told in full is: were the trifle lost on the way, the test above would pass on any site."""
    client = Client()
    client.force_login(organiser)
    standing = Standing.objects.get(ranking="official")
    addresses = (f"/standings/{standing.public_id}.json", "/tasks/blind/leaderboard.json")
    before = [client.get(address).content for address in addresses]
    change_standings(by_a_trifle)
    forget_other_worlds()
    assert all(old != client.get(new).content for old, new in zip(before, addresses, strict=True))


TOO_FINE_IN_TEXT = re.compile(r"\d\.\d{4,}")
"""P-values are printed with three decimals; nothing has more."""
SHOWN_ATTRIBUTES = re.compile(r'(?:title|aria-label|alt|value|content|data-[a-z-]+)="([^"]*)"')
FRACTION = re.compile(r"(?<![\w.-])[01]\.\d{5,}(?![\w.])")


def words_of(page: str) -> str:
    """What a page tells in words: its text, and what is shown under the pointer or read aloud."""
    page = re.sub(r"<(script|style)\b.*?</\1>", " ", page, flags=re.S)
    return re.sub(r"<[^>]+>", " ", page) + " ".join(SHOWN_ATTRIBUTES.findall(page))


def files_in(url: str, answer: Answer) -> dict[str, str]:
    if b"application/zip" not in answer.head:
        return {url: answer.body.decode("utf-8", "replace")}
    with zipfile.ZipFile(io.BytesIO(answer.body)) as archive:
        return {f"{url}/{name}": archive.read(name).decode("utf-8", "replace") for name in archive.namelist()}


def too_fine(answers: dict[str, Answer]) -> list[tuple[str, str]]:
    """Every figure with more decimals than are printed, by the address that tells it."""
    items = []
    for url, answer in answers.items():
        # The definitions calculate with small examples.
        if answer.status != 200 or url == "/definitions/":
            continue
        if b"text/html" in answer.head:
            items += [(url, match) for match in TOO_FINE_IN_TEXT.findall(words_of(answer.body.decode()))]
            continue
        for name, text in files_in(url, answer).items():
            if name.endswith(".json"):
                text = json.dumps(without_p(json.loads(text)))
            items += [(name, item) for item in FRACTION.findall(text)]
    return items


def without_p(document: Any) -> Any:
    if isinstance(document, dict):
        return {key: without_p(value) for key, value in document.items() if key not in NOT_F1}
    return [without_p(value) for value in document] if isinstance(document, list) else document


def test_no_number_has_more_decimals_than_are_printed(published: Publication) -> None:
    answers = everything(published.task)
    assert f"/standings/{Standing.objects.get(ranking='official').public_id}.json" in answers
    for address in ("leaderboard.json", "leaderboard.csv", "matrix.csv", "results.zip"):
        assert answers[f"/tasks/blind/{address}"].status == 200, address
    assert too_fine(answers) == []


def test_figures_are_told_in_full_once_gold_is_released(
    published: Publication, organiser: User, client: Client
) -> None:
    standing = Standing.objects.get(ranking="official")
    address = f"/standings/{standing.public_id}.json"
    system = document_of(standing)["systems"][0]
    figure = system["macro"]["all"]["LAS"]["f1"]
    assert figure != round(figure, 4)
    assert client.get(address).json()["systems"][0]["macro"]["all"]["LAS"]["f1"] == round(figure, 4)
    # One of two sets is not enough: the average would tell the figure of the other.
    release_gold(task=published.task, by=organiser, reason="over", codes=["de_one"])
    assert client.get(address).json()["systems"][0]["macro"]["all"]["LAS"]["f1"] == round(figure, 4)
    release_gold(task=published.task, by=organiser, reason="over")
    assert client.get(address).json()["systems"] == document_of(standing)["systems"]
    document = client.get("/tasks/blind/leaderboard.json").json()
    assert document["systems"][0]["figures"]["LAS"]["f1"] == figure


def test_a_package_tells_them_in_full_where_it_has_gold(published: Publication, organiser: User) -> None:
    release_gold(task=published.task, by=organiser, reason="over")
    GoldVersion.objects.update(public_copy="public/there")
    files = tables(contents_of(published, at=clock.database_now()))
    standing = Standing.objects.get(ranking="official")
    released = {"signature": signature_of(standing, is_released=True)}
    assert json.loads(files["test/official.json"]) == document_of(standing) | released
    assert str(document_of(standing)["systems"][0]["macro"]["all"]["LAS"]["f1"]) in files["test/official.csv"]
    assert FRACTION.search(files["scores.csv"])
