"""Alarms on synthetic data: each is raised once and shown only to those who may see it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.test import Client

from sharedtask.accounts.models import User
from sharedtask.competition.models import AuditEntry, GoldVersion, Phase, StandingRequest, Task, TestSet
from sharedtask.core import clock, storage
from sharedtask.core.errors import Refusal
from sharedtask.operations.sweep import sweep
from sharedtask.standings.recompute import ComputeStandings
from sharedtask.submissions import mark_official, reject
from sharedtask.submissions.alarms import inspection, resolve, review, score_detectors, upload_detectors
from sharedtask.submissions.models import Alarm, Message, Run, RunFile, Score
from sharedtask.teams.models import Team
from sharedtask.teams.register import register
from sharedtask.work import targets
from sharedtask.work.perform import perform
from tests.sharedtask.support.building import SECOND, WRONG_HEAD, good_archive
from tests.sharedtask.support.sending import Sent

pytestmark = pytest.mark.django_db
with_a_worker = pytest.mark.django_db(transaction=True)
Upload = Callable[..., Run]
Work = Callable[[], None]
LANGUAGES = ("Arabic", "Basque", "Czech", "Danish", "Estonian", "Finnish")
NOON = datetime(2026, 3, 5, 12, tzinfo=UTC)


@pytest.fixture
def garden(blind_task: Task) -> Task:
    """A blind task with six languages, and a development phase with the same languages."""
    blind_task.test_sets.update(inputs_released_at="2099-01-01T00:00Z")
    development = Phase.objects.create(
        task=blind_task, code="dev", kind="development", title="Dev", feedback="scores", opens_at=NOON
    )
    for phase in (blind_task.phases.get(kind="test"), development):
        for position, language in enumerate(LANGUAGES, start=10):
            code = f"{language[:2].lower()}_{phase.code}"
            test_set = TestSet.objects.create(
                task=blind_task, code=code, language=language, language_tag="x", position=position
            )
            test_set.gold_in_force = GoldVersion.objects.create(test_set=test_set, number=1, sealed="gold/x")
            test_set.save()
            phase.test_sets.add(test_set)
    return blind_task


def scored(team: Team, values: list[int], *, kind: str = "test") -> Run:
    """A run of which the files have these LAS, in percent, in the order of the languages."""
    phase = team.task.phases.get(kind=kind)
    run = Run.objects.create(
        task=team.task,
        phase=phase,
        team=team,
        system=team.primary_system,
        number=team.runs.count() + 1,
        filename="x",
        state="scored",
        received_at=NOON + timedelta(minutes=Run.objects.count()),
        checked_at=NOON,
        finished_at=NOON,
    )
    for value, language in zip(values, LANGUAGES, strict=True):
        test_set = phase.test_sets.get(language=language)
        file = RunFile.objects.create(
            run=run, test_set=test_set, state="valid", sha256=f"{run.pk}-{language}"
        )
        assert test_set.gold_in_force is not None
        counts = {"LAS": {"gold": 100, "system": 100, "correct": value, "aligned": 100}}
        Score.objects.create(file=file, gold=test_set.gold_in_force, state="scored", counts=counts)
    return run


def texts(detector: Callable[[Run], Any], run: Run) -> list[str]:
    return [finding.text for finding in detector(run)]


def test_a_run_far_below_its_development_score_raises_an_alarm(garden: Task) -> None:
    team = register(task=garden, name="Alder", confirmed=True)
    scored(team, [80] * 6, kind="development")
    assert texts(score_detectors.find_drop, scored(team, [75, 70, 72, 71, 74, 73])) == []
    (text,) = texts(score_detectors.find_drop, scored(team, [80, 80, 60, 60, 60, 20]))
    assert "LAS is 20.0 points below run 1 of the development phase, averaged over 6 shared languages" in text
    assert "the largest drop is in Finnish (80.0 before, 20.0 now)" in text
    assert texts(score_detectors.find_drop, scored(team, [10] * 6, kind="development")) == []


def test_another_systems_development_score_does_not_matter(garden: Task) -> None:
    scored(register(task=garden, name="Alder", confirmed=True), [80] * 6, kind="development")
    assert texts(score_detectors.find_drop, scored(register(task=garden, name="Elm"), [10] * 6)) == []


def test_an_outlier_among_the_files_of_a_run_raises_an_alarm(garden: Task) -> None:
    team = register(task=garden, name="Alder", confirmed=True)
    assert texts(score_detectors.find_outliers, scored(team, [80, 82, 78, 81, 79, 60])) == []
    (finding,) = score_detectors.find_outliers(scored(team, [80, 82, 78, 81, 79, 30]))
    assert finding.file is not None
    assert finding.file.test_set.code == "fi_test"
    assert "fi_test: LAS is 30.0" in finding.text


def test_a_treebank_that_is_hard_for_all_systems_is_no_outlier(garden: Task) -> None:
    for name in ("Beech", "Cedar", "Elm"):
        scored(register(task=garden, name=name, confirmed=True), [81, 82, 80, 79, 80, 31])
    team = register(task=garden, name="Alder", confirmed=True)
    assert texts(score_detectors.find_outliers, scored(team, [80, 82, 78, 81, 79, 30])) == []
    (text,) = texts(score_detectors.find_outliers, scored(team, [80, 60, 78, 81, 79, 30]))
    assert "ba_test: LAS is 60.0" in text


def test_runs_are_inspected_again_when_other_teams_scores_change(
    garden: Task, django_assert_num_queries: Any
) -> None:
    """Alder's Basque file is an outlier only in comparison with others' scores."""
    phase = garden.phases.get(kind="test")
    alder = scored(register(task=garden, name="Alder", confirmed=True), [80, 58, 78, 81, 79, 80])
    assert inspection.inspect_run(alder.public_id) == 0
    assert inspection.inspect_phase(phase.pk) == 0
    for number, name in enumerate(("Beech", "Cedar", "Elm")):
        scored(register(task=garden, name=name, confirmed=True), [81, 82, 80, 79, 80, 80 + number])
    with django_assert_num_queries(9):
        assert inspection.inspect_phase(phase.pk) == 1
    assert inspection.inspect_phase(phase.pk) == 0, "the same thing is noticed once"
    alarm = Alarm.objects.get()
    assert (alarm.run, alarm.kind) == (alder, "outlier")
    assert "ba_test: LAS is 58.0" in alarm.text
    for name in ("Fir", "Gum", "Hazel"):
        scored(register(task=garden, name=name, confirmed=True), [81, 82, 80, 79, 80, 80])
    with django_assert_num_queries(8):
        inspection.inspect_phase(phase.pk)


@with_a_worker
def test_new_standings_cause_an_inspection_of_the_phase(
    upload: Upload, work: Work, phase: Phase, dispatched: list[Sent]
) -> None:
    upload(good_archive())
    work()
    dispatched.clear()
    StandingRequest.objects.create(phase=phase, changed_at=NOON, since=NOON)
    perform(ComputeStandings(), [phase.pk])
    assert dispatched == [(targets.INSPECT_PHASE, [phase.pk])]


def test_a_run_that_failed_altogether_has_one_alarm(garden: Task) -> None:
    """If all scores are zero, none of them is an outlier."""
    for name in ("Beech", "Cedar", "Elm"):
        scored(register(task=garden, name=name, confirmed=True), [81, 82, 80, 79, 10, 31])
    run = scored(register(task=garden, name="Alder", confirmed=True), [0, 2, 0, 1, 0, 1])
    (finding,) = score_detectors.find_outliers(run)
    assert finding.text == (
        "LAS is near zero (below 5) although most other systems score much higher: "
        "ar_test, ba_test, cz_test, da_test, fi_test."
    )


def test_few_files_have_no_outlier(garden: Task) -> None:
    run = scored(register(task=garden, name="Alder"), [80, 80, 80, 80, 80, 0])
    run.files.filter(test_set__language__in=LANGUAGES[:2]).delete()
    assert texts(score_detectors.find_outliers, run) == []


def output(run: Run, language: str, lines: list[str]) -> None:
    """Sixty words with these XPOS, FEATS and DEPREL, in this order."""
    name = f"outputs/{run.public_id}/{language}.conllu"
    rows = (lines * 60)[:60]
    text = "".join(
        f"{number}\tw\t_\tX\t{labels[0]}\t{labels[1]}\t0\t{labels[2]}\t_\t_\n"
        for number, labels in enumerate((row.split() for row in rows), start=1)
    )
    storage.store(name, [text.encode()])
    run.files.filter(test_set__language=language).update(output=name)


def test_one_model_for_all_languages_is_detected_from_the_upload_alone(garden: Task) -> None:
    team = register(task=garden, name="Alder", confirmed=True)
    honest, fallen = scored(team, [80] * 6), scored(team, [80] * 6)
    for number, language in enumerate(LANGUAGES):
        output(honest, language, [f"N{number} Case={language} nsubj", f"V{number} _ root", "P _ punct"])
        english = ["NN Number=Sing nsubj"] * 5 + ["VBZ _ root"] * 4 + [f"NN _ dep{number % 2}"]
        output(fallen, language, english)
    assert texts(upload_detectors.find_single_model, honest) == []
    Score.objects.all().delete()
    (text,) = texts(upload_detectors.find_single_model, fallen)
    assert "The files of 6 languages have nearly the same labels" in text
    # Two languages may be alike by chance; so may files of the same language be.
    fallen.files.exclude(test_set__language__in=LANGUAGES[:2]).delete()
    assert texts(upload_detectors.find_single_model, fallen) == []


@with_a_worker
def test_unchanged_files_raise_an_alarm_that_the_team_sees(
    upload: Upload, work: Work, team: Team, member: User, client: Client
) -> None:
    first = upload(good_archive())
    second = upload(good_archive(en_two=WRONG_HEAD))
    work()
    third = upload(good_archive(de_one=""), amends=Run.objects.get(pk=second.pk))
    work()
    alarms = {alarm.run: alarm for alarm in Alarm.objects.filter(kind="unchanged")}
    # Inherited files are not uploaded again.
    assert alarms.keys() == {second, third}
    assert "run 1: de_one." in alarms[second].text
    assert "run 1: en_two." in alarms[third].text
    client.force_login(member)
    assert "Uploaded again without changes" in client.get(second.get_absolute_url()).content.decode()
    assert "Please check:" not in client.get(first.get_absolute_url()).content.decode()


@with_a_worker
def test_only_organisers_see_that_output_is_identical_to_another_teams(
    upload: Upload, work: Work, task: Task, team: Team, member: User, client: Client, settings: Any
) -> None:
    settings.ORGANISERS_NEED_SECOND_FACTOR = False
    rival = User.objects.create_user("rival")
    beech = register(task=task, name="Beech", members=[rival], confirmed=True)
    upload(good_archive(), team=beech)
    work()
    run = upload(good_archive(en_two=WRONG_HEAD))
    work()
    alarm = Alarm.objects.get(kind="identical")
    assert (alarm.run, alarm.text) == (run, "Identical to the output of Beech (run 1): de_one.")
    pages = [run.get_absolute_url(), f"{run.get_absolute_url()}state/", "/tasks/tiny/", "/tasks/tiny/upload/"]

    def sees(person: User) -> bool:
        client.force_login(person)
        return any("dentical to the output" in client.get(page).content.decode() for page in pages)

    assert not sees(member)
    assert not sees(rival)
    organiser = User.objects.create_user("organiser")
    task.organisers.add(organiser)
    client.force_login(organiser)
    address = f"/tasks/tiny/organise/runs/{run.public_id}/"
    assert "Identical to the output of Beech" in client.get(address).content.decode()
    assert "Identical to the output of Beech" in client.get("/tasks/tiny/organise/").content.decode()
    # Notifying the team is an act with a reason; the text names no other team.
    act = f"/tasks/tiny/organise/alarms/{alarm.public_id}/notify/"
    client.post(act, {"text": "Is this your own output?", "reason": ""})
    assert Alarm.objects.get(pk=alarm.pk).team_notified_at is None
    client.post(act, {"text": "Is this your own output?", "reason": "both teams agreed"})
    client.force_login(member)
    page = client.get(run.get_absolute_url()).content.decode()
    assert "Is this your own output?" in page
    assert "Beech" not in page
    assert not sees(member)
    entry = AuditEntry.objects.get(action="notify-team-of-alarm")
    assert (entry.who, entry.reason) == (organiser, "both teams agreed")


def test_alarms_that_depend_on_scores_are_never_shown_to_the_team(
    garden: Task, member: User, client: Client
) -> None:
    team = register(task=garden, name="Alder", members=[member], confirmed=True)
    scored(team, [80] * 6, kind="development")
    run = scored(team, [50, 50, 50, 50, 50, 0])
    assert inspection.inspect_run(run.public_id) >= 2
    assert set(run.alarms.values_list("kind", flat=True)) == {"below-development", "outlier"}
    client.force_login(member)
    before = client.get(run.get_absolute_url()).content
    for word in (b"points", b"larm", b"Please check:", b"outlier"):
        assert word not in before
    run.alarms.all().delete()
    assert len(client.get(run.get_absolute_url()).content) == len(before)


def test_an_alarm_is_raised_once_and_not_again_after_it_was_resolved(garden: Task, member: User) -> None:
    run = scored(register(task=garden, name="Alder", confirmed=True), [80, 80, 80, 80, 80, 0])
    assert inspection.inspect_run(run.public_id) == 1
    assert inspection.inspect_run(run.public_id) == 0
    alarm = Alarm.objects.get()
    with pytest.raises(Refusal, match="reason"):
        resolve.resolve(alarm=alarm, by=member, reason="")
    resolve.resolve(alarm=alarm, by=member, reason="the treebank is tiny")
    Run.objects.update(inspected_at=None)
    assert inspection.inspect_run(run.public_id) == 0
    assert Alarm.objects.get().resolved_at is not None
    assert AuditEntry.objects.get(action="resolve-alarm").reason == "the treebank is tiny"
    with pytest.raises(Refusal, match="already been resolved"):
        resolve.resolve(alarm=alarm, by=member, reason="again")


def test_an_alarm_that_no_longer_holds_is_closed_with_a_reason_and_reopened_if_it_holds_again(
    garden: Task, member: User
) -> None:
    phase = garden.phases.get(kind="test")
    team = register(task=garden, name="Alder", confirmed=True)
    scored(team, [80] * 6, kind="development")
    odd = scored(team, [80, 80, 80, 80, 20, 0])
    inspection.inspect_run(odd.public_id)

    def closed() -> dict[str, str]:
        inspection.inspect_phase(phase.pk)
        settled = odd.alarms.exclude(resolved_at=None)
        return {alarm.kind: alarm.closing_reason for alarm in settled}

    assert closed() == {}
    reject.reject(run=odd, by=member, reason="a test")
    assert set(closed().values()) == {"Run 2 was rejected."}
    reject.restore(run=odd, by=member, reason="a mistake")
    assert closed() == {}, "it counts again, and so do its alarms"
    Score.objects.filter(file__run=odd).update(
        counts={"LAS": {"gold": 100, "system": 100, "correct": 80, "aligned": 100}}
    )
    assert set(closed().values()) == {review.SCORES_CHANGED}
    Score.objects.filter(file__run=odd).update(
        counts={"LAS": {"gold": 100, "system": 100, "correct": 60, "aligned": 100}}
    )
    assert closed().keys() == {"outlier"}, "all files are equally bad, and below those of development"
    better = scored(team, [80] * 6)
    assert closed()["below-development"] == "Superseded by run 3 of the system."
    mark_official.mark_by_organiser(run=odd, by=member, reason="they asked for it")
    assert "below-development" not in closed(), "it counts whatever came after it"
    reject.reject(run=better, by=member, reason="a test")
    resolve.resolve(alarm=odd.alarms.get(kind="below-development"), by=member, reason="they know")
    reject.reject(run=odd, by=member, reason="a test")
    assert closed()["below-development"] == "", "what an organiser settled stays as it is"
    closed_entries = AuditEntry.objects.filter(action="close-alarm", details__kind="below-development")
    assert {entry.who_name for entry in closed_entries} == {"the server"}
    assert (
        closed_entries.count()
        == AuditEntry.objects.filter(action="reopen-alarm", details__kind="below-development").count()
    )


def test_notifying_the_team_twice_is_refused_and_leaves_one_message(garden: Task, member: User) -> None:
    run = scored(register(task=garden, name="Alder", confirmed=True), [80, 80, 80, 80, 80, 0])
    inspection.inspect_run(run.public_id)
    alarm = Alarm.objects.get()
    for _ in range(2):
        try:
            resolve.notify_team(alarm=alarm, text="Check Finnish.", by=member, reason="obvious")
        except Refusal as refusal:
            assert refusal.id == "alarm-already-notified"
    assert [message.released for message in Message.objects.all()] == ["Check Finnish."]


def test_a_detector_that_fails_stops_neither_the_others_nor_the_sweep(
    garden: Task, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stumble(run: Run) -> Any:
        raise RuntimeError("a bug")

    run = scored(register(task=garden, name="Alder", confirmed=True), [80, 80, 80, 80, 80, 0])
    monkeypatch.setattr(inspection, "AFTER_THE_CHECK", (stumble,))
    assert inspection.inspect_run(run.public_id) == 1
    assert not Run.objects.to_inspect().exists()


@with_a_worker
def test_the_sweep_dispatches_runs_that_were_not_inspected(
    upload: Upload, work: Work, dispatched: list[Sent]
) -> None:
    run = upload(good_archive(en_two=SECOND))
    work()
    run.refresh_from_db()
    assert run.inspected_at is not None
    later = clock.database_now() + timedelta(hours=1)
    sweep(at=later)
    assert (targets.INSPECT_RUN, [run.public_id]) not in dispatched
    Run.objects.update(inspected_at=None)
    sweep(at=later)
    assert (targets.INSPECT_RUN, [run.public_id]) in dispatched
