"""A task with twelve sentences, two teams of which each is right in every other sentence, and a campaign."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from django.test import Client

from sharedtask.accounts.models import User
from sharedtask.competition.models import Task
from sharedtask.core import clock
from sharedtask.folders.load_task import load_task
from sharedtask.judgements import annotators, set_up
from sharedtask.judgements.models import Annotator, Campaign
from sharedtask.submissions.models import Run
from sharedtask.teams.models import Team
from sharedtask.teams.register import register
from tests.sharedtask.support.building import SECOND, good_archive, task_folder

Work = Callable[[], None]
SENTENCES = 12


WRONG = SECOND.replace("3\tloudly\tloudly\tADV\t_\t_\t2", "3\tloudly\tloudly\tADV\t_\t_\t1")


def sentences(text_of: Callable[[int], str], *, comment: str = "") -> str:
    """Twelve sentences with different words; `text_of` gives the lines of each."""
    return "".join(
        f"# text = Birds sing loudly{n}\n{comment}"
        + text_of(n).split("\n", 1)[1].replace("loudly\tloudly", f"loudly{n}\tloudly")
        for n in range(SENTENCES)
    )


GOLD = sentences(lambda n: SECOND)
EVEN = sentences(lambda n: WRONG if n % 2 else SECOND)
ODD = sentences(lambda n: SECOND if n % 2 else WRONG, comment="# made by Birch\n")


@pytest.fixture
def task(db: None, tmp_path: Path) -> Task:
    folder = task_folder(tmp_path / "task")
    (folder / "gold" / "en_two.conllu").write_text(GOLD, encoding="utf-8")
    return load_task(folder)


@pytest.fixture
def runs(task: Task, team: Team, upload: Callable[..., Run], work: Work) -> tuple[Run, Run]:
    """Alder is right in even sentences, Birch in odd ones."""
    other = register(task=task, name="Birch", members=[User.objects.create_user("birch")], confirmed=True)
    pair = upload(good_archive(en_two=EVEN)), upload(good_archive(en_two=ODD), team=other)
    work()
    return pair


@pytest.fixture
def organiser(task: Task) -> User:
    user = User.objects.create_user("organiser", password="a long password")
    task.organisers.add(user)
    return user


@pytest.fixture
def campaign(task: Task, runs: tuple[Run, Run], organiser: User, work: Work) -> Campaign:
    """Open, with ten items, two controls and one repeated item."""
    campaign = set_up.create_campaign(
        task=task,
        by=organiser,
        runs=runs,
        test_sets=[task.test_sets.get(code="en_two")],
        title="Which is better?",
        items_per_pair=10,
        judgements_per_item=3,
        allows_equal=True,
        controls=0,
        repeats=1,
    )
    set_up.request_items(campaign=campaign, by=organiser, pairs=[campaign.pairs.get().pk])
    work()
    campaign.refresh_from_db()
    set_up.open_campaign(campaign=campaign, by=organiser)
    campaign.refresh_from_db()
    return campaign


@pytest.fixture
def join(campaign: Campaign, organiser: User) -> Callable[[str], Annotator]:
    def join(name: str) -> Annotator:
        user = User.objects.filter(username=name).first() or User.objects.create_user(name)
        token = annotators.invite(campaign=campaign, by=organiser)
        return annotators.join(token=token, by=user, languages={"English": "native"}, at=clock.database_now())

    return join


@pytest.fixture
def signed_in() -> Callable[[User], Client]:
    def signed_in(user: User) -> Client:
        client = Client()
        client.force_login(user)
        return client

    return signed_in
