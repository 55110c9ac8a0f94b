"""Small competitions with secrets in them, and what makes two of them comparable byte by byte.

A world has a development phase and a blind test phase; a surprise set that is sealed until a moment; a set
whose name is known and whose input is not; two teams, a stranger and an organiser. Each secret is a word that
occurs nowhere else. The clock is moved by hand, and what is random comes from a seed.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy.random  # noqa: F401  It draws a number when it is first imported, which must not be in a play.
import pytest
import time_machine
from django.contrib.auth.models import AnonymousUser
from django.core.cache import caches
from django.test import Client

from sharedtask.accounts.models import User
from sharedtask.analysis import sentence_cache
from sharedtask.cascades.models import Experiment
from sharedtask.competition.models import Phase, Task, TestSet
from sharedtask.competition.store_files import store_gold
from sharedtask.core import clock
from sharedtask.leaderboard.system import breakdown_sums
from sharedtask.software.models import Execution, StoredImage
from sharedtask.standings import document, figures
from sharedtask.standings.models import Standing
from sharedtask.standings.page_cache import decorator, period
from sharedtask.submissions import gold_cache
from sharedtask.submissions.models import Run
from sharedtask.submissions.models.moderation import Alarm, Message
from sharedtask.teams.models import Invitation, System, Team
from sharedtask.teams.register import register
from tests.sharedtask.support.building import zip_of
from tests.sharedtask.support.calling import SCOPES, secret_of
from tests.sharedtask.support.crawl import Answer, ask, crawl, guesses
from tests.sharedtask.support.people import person
from tests.sharedtask.support.storing import store_raw_text

START = datetime(2027, 2, 1, tzinfo=UTC)
TEST_OPENS = START + timedelta(days=30)
SURPRISE = START + timedelta(days=35)
LATE_INPUT = START + timedelta(days=36)
TEST_CLOSES = START + timedelta(days=40)
SEALED = "xqz_canarisealed"
REFERENCE = "canarireference"
REFERENCE_FILE = f"/tasks/mini/gold/de_one/{REFERENCE}.conllu"
API = "/api/v1/"
ROLES = ("visitor", "stranger", "member", "rival", "organiser")


def tree(words: str, *, lemma: str = "lemma", head_of_last: int = 2) -> str:
    """A sentence of three words; the second is the root."""
    result, two, three = words.split()
    return (
        f"# text = {words}\n1\t{result}\t{lemma}\tNOUN\t_\t_\t2\tnsubj\t_\t_\n"
        f"2\t{two}\t{lemma}\tVERB\t_\t_\t0\troot\t_\t_\n"
        f"3\t{three}\t{lemma}\tADV\t_\t_\t{head_of_last}\tadvmod\t_\t_\n\n"
    )


TEXTS = {
    "de_dev": "Hunde bellen laut",
    "de_one": "Birken wachsen langsam",
    "en_two": "Birds sing loudly",
    "fi_late": "Kanarienhiddenword laulavat hyvin",
    SEALED: "Canarisealedtext chirps softly",
}
LANGUAGES = {
    "de_dev": "German",
    "de_one": "German",
    "en_two": "English",
    "fi_late": "Finnish",
    SEALED: "Canarisealedish",
}


@dataclass(frozen=True, kw_only=True)
class Variant:
    """How one world differs from the next."""

    sealed_set: bool = True
    gold: str = "canarigoldlemma"
    gold_heads: int = 2
    gold_cannot_be_scored: bool = False
    scoring_runs: bool = True
    text: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class World:
    task: Task
    people: dict[str, User | AnonymousUser]
    teams: dict[str, Team]

    def client(self, name: str) -> Client:
        client = Client()
        person = self.people[name]
        if isinstance(person, User):
            client.force_login(person)
        return client


def forget_other_worlds() -> None:
    """They have had the same ids and names, by which this process keeps gold, standings and pages."""
    gold_cache.clear()
    sentence_cache.GOLD.clear()
    sentence_cache.SYSTEMS.clear()
    figures.FIGURES.clear()
    figures.STANDINGS.clear()
    document.DOCUMENTS.clear()
    breakdown_sums.SUMS.clear()
    period.PERIODS.clear()
    decorator.RESPONSES.clear()
    caches["limits"].clear()


def build(variant: Variant, sow: Callable[[str], None] = lambda label: None) -> World:
    """`sow` is called before what outsiders may learn of, so that its ids do not depend on what is secret."""
    forget_other_worlds()
    task = Task.objects.create(
        slug="mini",
        title="A miniature",
        summary="A small task.",
        description="With secrets.",
        profile="conll17",
        main_metrics=["LAS"],
        groups=["big", *(["canarisealedgroup"] if variant.sealed_set else [])],
        pseudonymous=True,
        replicates=50,
    )
    development = Phase.objects.create(
        task=task, code="dev", kind="development", title="Development", opens_at=START, feedback="scores"
    )
    test = Phase.objects.create(
        task=task,
        code="test",
        kind="test",
        title="Test",
        opens_at=TEST_OPENS,
        closes_at=TEST_CLOSES,
        feedback="validity",
        runs_total=20,
    )
    for position, code in enumerate([SEALED, *(code for code in TEXTS if code != SEALED)]):
        if code == SEALED and not variant.sealed_set:
            continue
        test_set = TestSet.objects.create(
            task=task,
            code=code,
            language=LANGUAGES[code],
            language_tag="x-" + code[:2],
            groups=["canarisealedgroup"] if code == SEALED else ["big"],
            position=position,
            note="canarisealednote" if code == SEALED else "",
            revealed_at=SURPRISE if code == SEALED else None,
            inputs_released_at={SEALED: SURPRISE, "fi_late": LATE_INPUT}.get(code),
        )
        words = variant.text.get(code, TEXTS[code])
        store_raw_text(test_set, words + "\n")
        (development if code == "de_dev" else test).test_sets.add(test_set)
        if code == "de_dev":
            store_gold(test_set, tree(words).encode(), released_at=START)
        elif variant.gold_cannot_be_scored:
            store_gold(test_set, tree("Not those words", lemma=variant.gold).encode())
        else:
            gold = tree(words, lemma=variant.gold, head_of_last=variant.gold_heads)
            other = tree(words, lemma=f"{variant.gold}again", head_of_last=1).encode()
            store_gold(test_set, gold.encode(), references={REFERENCE: other} if code == "de_one" else None)
    sow("people")
    people: dict[str, User | AnonymousUser] = {"visitor": AnonymousUser()}
    for name in ROLES[1:]:
        people[name] = person(name)
    task.organisers.add(User.objects.get(username="organiser"))
    teams = {}
    for name, called, pseudonym in (
        ("member", "Alder", "Elmpseudonym"),
        ("rival", "Canaririvals", "Yewpseudonym"),
    ):
        members = [User.objects.get(username=name)]
        teams[name] = register(task=task, name=called, members=members, confirmed=True, pseudonym=pseudonym)
    return World(task=task, people=people, teams=teams)


def archive(codes: str, *, lemma: str, broken: str = "", head: int = 2) -> bytes:
    """A run with these treebanks; one of them may be broken so that its incident quotes what was sent."""
    files: dict[str, str | bytes] = {}
    for code in codes.split():
        text = tree(TEXTS.get(code, "Some other words"), lemma=lemma, head_of_last=head)
        files[f"{code}.conllu"] = (
            text.replace("\t2\tadvmod", f"\t{lemma}\tadvmod") if code == broken else text
        )
    return zip_of(files)


class Time:
    """The database's clock and this process's, both standing still until they are moved."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, traveller: Any) -> None:
        self.traveller = traveller
        self.now = START
        monkeypatch.setattr(clock, "now_and_snapshot", lambda: (clock._stopped_at.get() or self.now, None))

    def move(self, at: datetime) -> None:
        self.now = at
        self.traveller.move_to(at, tick=False)


class Seed:
    """Ids, session keys and tokens that depend on a label alone, not on what was drawn before."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.source = random.Random(0)
        monkeypatch.setattr(random, "_urandom", lambda size: self.source.randbytes(size))

    def sow(self, label: str) -> None:
        self.source = random.Random(label)


@contextmanager
def standing_clock(monkeypatch: pytest.MonkeyPatch) -> Iterator[Time]:
    with time_machine.travel(START, tick=False) as traveller:
        yield Time(monkeypatch, traveller)


def everything_for(world: World, name: str) -> dict[str, Answer]:
    """Every answer that somebody gets who follows each link and guesses each address."""
    guessed = guesses(known_to_the_tester(world.task))
    beginnings = ["/", *(url for url in guessed if not url.startswith(API))]
    beginnings += [f"/tasks/mini/leaderboard/?phase={code}" for code in ("dev", "test")]
    beginnings.append(REFERENCE_FILE)
    return crawl(world.client(name), beginnings) | through_the_api(world, name, guessed)


def through_the_api(world: World, name: str, guessed: Iterable[str]) -> dict[str, Answer]:
    """Every answer that a program gets, with a token that may do all that its owner can."""
    person, client = world.people[name], Client()
    headers = {"Authorization": f"Bearer {secret_of(person, SCOPES)}"} if isinstance(person, User) else {}
    addresses = [url for url in guessed if url.startswith(API)]
    addresses += [f"{API}tasks/mini/standings?phase={code}" for code in ("dev", "test")]
    return {url: ask(client, url, headers=headers) for url in addresses}


def known_to_the_tester(task: Task) -> dict[str, list[str]]:
    """What fills the blanks of addresses: the ids of everything there is, whoever may know them."""
    models: dict[str, Any] = {
        "runs": Run,
        "systems": System,
        "teams": Team,
        "standings": Standing,
        "messages": Message,
        "alarms": Alarm,
        "revoke": Invitation,
        "executions": Execution,
        "images": StoredImage,
        "cascades": Experiment,
    }
    ids = {
        name: list(model.objects.order_by("pk").values_list("public_id", flat=True))
        for name, model in models.items()
    }
    codes = [*TEXTS, "nonsense"]
    return ids | {
        "slug": [task.slug],
        "code": codes,
        "act": ["reject", "resolve"],
        "variant": ["raw"],
        "ending": ["csv", "json", "tex", "md"],
        "sentences": ["1", "2"],
        "task": [task.slug],
        "test_set": codes,
        "name": ["de_one.txt", "fi_late.txt", f"{SEALED}.txt"],
        "run": ids["runs"],
        "image": ids["images"],
        "execution": ids["executions"],
    }
