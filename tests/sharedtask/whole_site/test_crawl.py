"""Canary words planted in gold, in sealed sets, in unreleased inputs and in other teams' files are not found.

A crawler signs in as each role, follows each link, asks for every address it can guess, and searches every
byte of each answer. Words that a role may see are found at the same time: the search is known to work.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from sharedtask.accounts.models import User
from sharedtask.cascades.models import Experiment
from sharedtask.competition.error_classes import class_file
from sharedtask.competition.models import GoldReference, GoldVersion, Phase
from sharedtask.competition.release_gold import release_gold
from sharedtask.software.models import Execution
from sharedtask.software.request_execution import request_execution
from sharedtask.submissions.models import Run, Score
from tests.sharedtask.support.crawl import Answer, answer_of, found_in
from tests.sharedtask.support.scripted_engine import Script
from tests.sharedtask.support.software import copy_secrets, run_in_airlock, version_of
from tests.sharedtask.support.worlds import (
    LATE_INPUT,
    REFERENCE,
    REFERENCE_FILE,
    SEALED,
    START,
    SURPRISE,
    TEST_CLOSES,
    TEST_OPENS,
    Time,
    Variant,
    World,
    archive,
    build,
    everything_for,
    standing_clock,
)

pytestmark = pytest.mark.django_db(transaction=True)
# Part of every word about the sealed set: its code, language, group, note and text.
SEALED_WORD = "canarisealed"
HIDDEN_INPUT = "kanarienhiddenword"
GOLD = "canarigoldlemma"
SECRET_EXPERIMENT = "canarisealedexperiment"
RIVAL = "canaririval"


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> Iterator[Time]:
    with standing_clock(monkeypatch) as time:
        yield time


@pytest.fixture
def world(db: None, time: Time, dispatched: Any, settings: Any, work: Callable[[], None]) -> World:
    """In the test phase both teams have uploaded; a file of the rival's is broken and quoted.

    The software of a team has copied an input that is not released into everything that it could write.
    """
    settings.AIRLOCK = True
    world = build(Variant())
    time.move(START)
    upload(world, "rival", "dev", archive("de_dev", lemma="canaririvalindev", broken="de_dev"))
    upload(world, "member", "dev", archive("de_dev", lemma="alderlemma"))
    time.move(TEST_OPENS)
    upload(world, "rival", "test", archive("de_one en_two", lemma="canaririvallemma", broken="en_two"))
    upload(world, "member", "test", archive("de_one en_two", lemma="alderlemma", broken="en_two"))
    hand_in_software(world)
    add_experiments(world)
    work()
    return world


def hand_in_software(world: World) -> None:
    phase = world.task.phases.get(code="test")
    Phase.objects.filter(pk=phase.pk).update(software=True)
    phase.refresh_from_db()
    version = version_of(world.teams["member"])
    execution = request_execution(version=version, phase=phase, by=None)
    log = f"I have read {HIDDEN_INPUT}\n".encode()
    run_in_airlock(execution, Script(write=copy_secrets, exit_code=1, log=log))
    execution.refresh_from_db()
    assert HIDDEN_INPUT in execution.log and len(execution.outputs) == 3


def add_experiments(world: World) -> None:
    """One of the rival on public gold, and one of the member on gold that has been sealed meanwhile."""
    for team, code, problem in (("rival", "de_dev", RIVAL), ("member", "de_one", SECRET_EXPERIMENT)):
        experiment = Experiment.objects.create(
            task=world.task,
            team=world.teams[team],
            version=world.teams["member"].primary_system.versions.get(),
            classes=class_file(world.task),
            state=Experiment.State.STOPPED,
            problem=f"It was stopped by {problem}.",
        )
        test_set = world.task.test_sets.get(code=code)
        experiment.sets.create(test_set=test_set, gold=test_set.gold_in_force)


def upload(world: World, name: str, phase: str, content: bytes) -> Answer:
    from django.core.files.uploadedfile import SimpleUploadedFile

    file = SimpleUploadedFile(f"{'canaririvals' if name == 'rival' else name}.zip", content)
    answer = answer_of(
        world.client(name).post("/tasks/mini/upload/", {"phase": phase, "archive": file}, follow=False)
    )
    assert answer.status == 302, answer.body.decode()
    return answer


def secrets_of_the_rival() -> list[str]:
    runs = Run.objects.filter(team__name="Canaririvals")
    assert runs
    hashes = [value for run in runs for value in (run.sha256, *run.files.values_list("sha256", flat=True))]
    return [RIVAL, *(value for value in hashes if value)]


def hashes_of_software() -> list[str]:
    (outputs,) = Execution.objects.values_list("outputs", flat=True)
    return [file["sha256"] for file in outputs.values()]


def test_while_the_test_is_blind_nobody_finds_a_canary(world: World) -> None:
    gold_hashes = list(GoldVersion.objects.filter(released_at=None).values_list("sha256", flat=True))
    assert len(gold_hashes) == 4
    gold_hashes += [reference.sha256 for reference in GoldReference.objects.all()]
    assert len(gold_hashes) == 5
    assert Score.objects.filter(state="scored").count() >= 2
    for name in ("visitor", "stranger", "member", "rival"):
        answers = everything_for(world, name)
        assert {200, 404} <= {answer.status for answer in answers.values()}
        assert all(answer.status < 500 for answer in answers.values()), name
        assert answers[REFERENCE_FILE].status == 404
        words = (SEALED_WORD, HIDDEN_INPUT, GOLD, REFERENCE, SECRET_EXPERIMENT)
        for word in (*words, *gold_hashes, *hashes_of_software()):
            assert found_in(word, answers) == [], f"{name} finds {word}"
        if name == "rival":
            assert found_in(RIVAL, answers)
            continue
        for word in secrets_of_the_rival():
            assert found_in(word, answers) == [], f"{name} finds {word}"


def test_the_organiser_finds_what_is_sealed_but_not_gold_itself(world: World) -> None:
    answers = everything_for(world, "organiser")
    assert all(answer.status < 500 for answer in answers.values())
    assert found_in(SEALED_WORD, answers)
    assert found_in(RIVAL, answers)
    assert found_in(SECRET_EXPERIMENT, answers)
    # The web process cannot open gold, whoever asks.
    assert found_in(GOLD, answers) == []


def test_names_and_inputs_are_everywhere_from_their_moment_on(world: World, time: Time) -> None:
    time.move(SURPRISE)
    for name in ("visitor", "member"):
        answers = everything_for(world, name)
        assert found_in(SEALED, answers), name
        assert f"/tasks/mini/inputs/{SEALED}.txt" in found_in("Canarisealedtext", answers), name
        assert found_in(HIDDEN_INPUT, answers) == [], name
        assert found_in(GOLD, answers) == [], name
    time.move(LATE_INPUT)
    assert "/tasks/mini/inputs/fi_late.txt" in found_in(HIDDEN_INPUT, everything_for(world, "visitor"))


def test_after_publication_names_are_known_and_files_and_gold_are_still_not(
    world: World, time: Time, work: Callable[[], None]
) -> None:
    time.move(TEST_CLOSES)
    work()
    world.task.results_published_at = TEST_CLOSES
    world.task.save()
    for name in ("visitor", "member"):
        answers = everything_for(world, name)
        assert found_in(GOLD, answers) == [], name
        assert found_in("canaririvallemma", answers) == [], name
        # Gold of the development set is out, and with the results so are the outputs that rest on it.
        files = found_in("canaririvalindev", answers)
        assert files and all(url.endswith("/files/de_dev.conllu") for url in files), name
        assert found_in("canaririvals.zip", answers) == [], name
        assert found_in("Canaririvals", answers), name
        assert found_in("Yewpseudonym", answers) == [], name


def test_released_gold_is_in_its_sentences_and_outputs_are_not_before_publication(
    world: World, time: Time, work: Callable[[], None]
) -> None:
    time.move(TEST_CLOSES)
    organiser = world.people["organiser"]
    assert isinstance(organiser, User)
    release_gold(task=world.task, by=organiser, reason="It is over.", codes=["de_one"])
    work()
    answers = everything_for(world, "visitor")
    result = found_in(GOLD, answers)
    assert "/tasks/mini/sets/de_one/sentences/1/" in result
    assert "/tasks/mini/sets/de_one/sentences/1/lines.conllu" in result
    assert REFERENCE_FILE in result and "/tasks/mini/sets/de_one/" in found_in(REFERENCE, answers)
    assert [url for url in result if "de_one" not in url] == []
    assert [url for url in answers if "/en_two/sentences/" in url and answers[url].status != 404] == []
    for word in (RIVAL, *secrets_of_the_rival()):
        assert found_in(word, answers) == [], word


def test_the_crawler_itself_finds_what_is_there(world: World) -> None:
    """Were it blind, the tests above would pass on any site."""
    answers = everything_for(world, "member")
    run = Run.objects.get(team__name="Alder", phase__code="test", origin=Run.Origin.NEW)
    assert found_in("alderlemma", answers)
    assert found_in(run.sha256, answers)
    assert "/tasks/mini/inputs/de_one.txt" in found_in("Birken wachsen", answers)
    assert f"/runs/{run.public_id}/" in answers
    assert f"/api/v1/runs/{run.public_id}" in found_in(run.sha256, answers)
    assert "/api/v1/tasks/mini/inputs/de_one/de_one.txt" in found_in("Birken wachsen", answers)
    assert any(url.startswith("/standings/") and answers[url].status == 200 for url in answers)
