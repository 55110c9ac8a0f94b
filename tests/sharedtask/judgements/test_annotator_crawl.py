"""What annotators can get: in no byte of any page or file gold, a system, a team or a score."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import pytest
import yaml
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from sharedtask.accounts.models import User
from sharedtask.competition.models import Phase, Task
from sharedtask.core import clock
from sharedtask.folders.load_task import load_task
from sharedtask.judgements import judge, set_up
from sharedtask.judgements.assign import assign_next
from sharedtask.judgements.models import Annotator, Campaign, Item
from sharedtask.submissions.models import Run, Score
from sharedtask.teams.register import register
from tests.sharedtask.judgements.conftest import EVEN, GOLD, ODD, SENTENCES
from tests.sharedtask.support.building import good_archive, task_folder
from tests.sharedtask.support.calling import SCOPES, secret_of
from tests.sharedtask.support.crawl import Answer, answer_of, ask, crawl, found_in, guesses
from tests.sharedtask.support.judging import analyse
from tests.sharedtask.support.worlds import API, known_to_the_tester

pytestmark = pytest.mark.django_db(transaction=True)
Work = Callable[[], None]

TEAM_WORD, OTHER_TEAM_WORD, SYSTEM_WORD = "heronteam", "ibisteam", "kestrelsystem"
GOLD_WORDS = {
    "comment": "goldfinch",
    "lemma": "goldcrest",
    "xpos": "goldeneye",
    "feats": "goldenrod",
    "relation": "goldarc",
    "misc": "goldsmith",
}
"""Each is in one column of gold and nowhere else."""
TEXT = "\n".join(f"Birds sing loudly{number}" for number in range(12))


@pytest.fixture
def task(db: None, tmp_path: Path) -> Task:
    """Blind, with pseudonyms, and with words that are in gold alone."""
    folder = task_folder(tmp_path / "task", blind=True)
    (folder / "gold" / "en_two.conllu").write_text(marked_gold(), encoding="utf-8")
    (folder / "raw" / "en_two.txt").write_text(TEXT.replace("\n", " ") + "\n", encoding="utf-8")
    file = folder / "task.yaml"
    file.write_text(yaml.safe_dump(yaml.safe_load(file.read_text()) | {"pseudonymous": True}))
    return load_task(folder)


def marked_gold() -> str:
    words = GOLD_WORDS
    return GOLD.replace(
        "\tloudly\tADV\t_\t_\t2\tadvmod\t_\t_",
        f"\t{words['lemma']}\tADV\t{words['xpos']}\tName={words['feats']}\t2\tadvmod:{words['relation']}\t_"
        f"\tName={words['misc']}",
    ).replace("# text", f"# {words['comment']}\n# text")


def test_every_column_of_gold_is_marked() -> None:
    for word in GOLD_WORDS.values():
        assert marked_gold().count(word) == SENTENCES, word


@pytest.fixture
def runs(task: Task, upload: Callable[..., Run], work: Work) -> tuple[Run, Run]:
    """Their files name the systems wherever a file can: in comments, lemmas, tags, features and MISC."""
    outputs = []
    for name, text in ((TEAM_WORD, EVEN), (OTHER_TEAM_WORD, ODD)):
        team = register(task=task, name=name, members=[User.objects.create_user(name)], confirmed=True)
        team.systems.update(name=f"{SYSTEM_WORD} {name}")
        named = text.replace("# text", f"# {SYSTEM_WORD}\n# text").replace(
            "\tADV\t_\t_", f"\tADV\t{SYSTEM_WORD}\tName={SYSTEM_WORD}"
        )
        outputs.append(upload(good_archive(en_two=named), team=team))
    work()
    return outputs[0], outputs[1]


@pytest.fixture
def campaign(task: Task, runs: tuple[Run, Run], organiser: User, work: Work) -> Campaign:
    Phase.objects.filter(task=task).update(closes_at=timezone.now())
    campaign = set_up.create_campaign(
        task=task,
        by=organiser,
        runs=runs,
        test_sets=[task.test_sets.get(code="en_two")],
        title="Which is better?",
        items_per_pair=6,
        judgements_per_item=1,
    )
    set_up.request_items(campaign=campaign, by=organiser, pairs=[campaign.pairs.get().pk])
    work()
    campaign.refresh_from_db()
    set_up.open_campaign(campaign=campaign, by=organiser)
    campaign.refresh_from_db()
    return campaign


def everything_for(annotator: Annotator, client: Client, campaign: Campaign) -> dict[str, Answer]:
    """Every answer to links and guesses, and to what the forms of the page of judging send."""
    known = known_to_the_tester(campaign.task) | {
        "campaign": [campaign.public_id],
        "campaigns": [campaign.public_id],
        "judgements": [campaign.public_id],
        "judge": [campaign.public_id],
        "annotators": [annotator.public_id],
        "number": [str(campaign.items.earliest("number").number)],
        "items": [str(campaign.items.earliest("number").number)],
        "assignment": [annotator.assignments.earliest("position").public_id],
        "verb": ["open", "exclude"],
        "name": ["judgements", "metrics", "table-1", "table-4"],
        "ending": ["json", "zip", "csv"],
    }
    guessed = guesses(known)
    pages = crawl(client, ["/", *(url for url in guessed if not url.startswith(API))])
    return pages | through_the_api(annotator, [url for url in guessed if url.startswith(API)])


def through_the_api(annotator: Annotator, addresses: Sequence[str]) -> dict[str, Answer]:
    """With a token that may do all that its owner can."""
    assert annotator.user is not None
    headers = {"Authorization": f"Bearer {secret_of(annotator.user, SCOPES)}"}
    answers = {url: ask(Client(), url, headers=headers) for url in addresses}
    assert sum(answer.status == 200 for answer in answers.values()) > 5
    return answers


def pages_of_judgements(answers: Iterable[str]) -> list[str]:
    """What a campaign has; everything else is the same after it has closed."""
    return [url for url in answers if "judg" in url or "campaign" in url]


def judge_everything(annotator: Annotator, client: Client, *, crawls: bool = True) -> dict[str, Answer]:
    """Every page on the way: the item, a wrong answer to it, and once everything else there is."""
    campaign = annotator.campaign
    address = reverse("judge", args=[campaign.public_id])
    answers: dict[str, Answer] = {}
    while assignment := assign_next(annotator, at=clock.database_now()):
        answers |= {f"{address}#{assignment.position}": answer_of(client.get(address))}
        wrong = reverse("judge-answer", args=[campaign.public_id, assignment.public_id])
        answers |= {f"{wrong}#{assignment.position}": answer_of(client.post(wrong, {"answer": "9"}))}
        judge.judge(
            annotator=annotator,
            assignment=assignment.public_id,
            answer="1",
            seconds=1.0,
            at=clock.database_now(),
        )
        if crawls and assignment.position == 3:
            answers |= everything_for(annotator, client, campaign)
    trees = [url for url, answer in answers.items() if b"<svg" in answer.body and b"Tree 1" in answer.body]
    assert len(trees) > 6, "the annotator has seen no trees"
    return answers


@pytest.fixture
def annotator(join: Callable[[str], Annotator]) -> Annotator:
    return join("ann")


@pytest.fixture
def client(annotator: Annotator) -> Client:
    assert annotator.user is not None
    client = Client()
    client.force_login(annotator.user)
    return client


def test_annotators_get_no_gold_no_system_no_team_and_no_score(
    campaign: Campaign, annotator: Annotator, client: Client, work: Work
) -> None:
    answers = judge_everything(annotator, client)
    assert len(answers) > 100
    set_up.close_campaign(campaign=campaign, by=campaign.task.organisers.get())
    analyse(work)
    for url in pages_of_judgements([*answers]):
        answers[f"{url} after closing"] = ask(client, url.partition("#")[0])
    forbidden = (*GOLD_WORDS.values(), SYSTEM_WORD, TEAM_WORD, OTHER_TEAM_WORD, *scores_of(campaign.task))
    for word in forbidden:
        assert found_in(word, answers) == [], word
    for run in Run.objects.filter(task=campaign.task):
        assert found_in(run.public_id, answers) == []


def test_a_tree_of_gold_among_those_of_the_systems_would_be_found(
    campaign: Campaign, annotator: Annotator, client: Client
) -> None:
    """The same search finds the relations of gold if one item shows them."""
    leaking = campaign.items.earliest("number")
    sentence = next(text for text in marked_gold().split("\n\n") if f"# text = {leaking.text}\n" in text)
    Item.objects.filter(pk=leaking.pk).update(first_tree=sentence + "\n\n")
    answers = judge_everything(annotator, client, crawls=False)
    assert found_in(GOLD_WORDS["relation"], answers) != []


def test_any_column_of_gold_in_a_page_of_an_annotator_would_be_found(
    campaign: Campaign, annotator: Annotator, client: Client
) -> None:
    """As if the page of judging told something about the gold sentence of the item."""
    Campaign.objects.filter(pk=campaign.pk).update(guidelines=" ".join(GOLD_WORDS.values()))
    answers = judge_everything(annotator, client, crawls=False)
    for column, word in GOLD_WORDS.items():
        assert found_in(word, answers) != [], column


def scores_of(task: Task) -> list[str]:
    """LAS of every file, as pages print it; 100 is in many other places."""
    counts = [score.counts["LAS"] for score in Score.objects.filter(file__run__task=task).done()]
    printed = {f"{200 * c['correct'] / (c['gold'] + c['system']):.2f}" for c in counts} - {"100.00"}
    assert printed
    return sorted(printed)
