"""Series made by the server: requested by a click, trained sample by sample, resumed, shown as curves."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from sharedtask.accounts.models import User
from sharedtask.competition.models import Phase, Task
from sharedtask.core import clock
from sharedtask.core.errors import Refusal
from sharedtask.curves.models import TrainedSample, Training
from sharedtask.curves.training.describe import describe
from sharedtask.curves.training.proceed import JOB, MAX_ERRORS, proceed
from sharedtask.curves.training.request import request_training
from sharedtask.curves.training.stop import run_missing_samples, stop_training
from sharedtask.curves.visible import visible_series
from sharedtask.software.models import Execution, StoredImage, SystemVersion
from sharedtask.software.quota import MAX_OF_EXPERIMENTS_UNDER_WAY
from sharedtask.software.stop import restart
from sharedtask.standings.rankings import runs_of
from sharedtask.submissions.models import Run
from sharedtask.submissions.recount import recount_runs
from sharedtask.teams.models import Notice
from sharedtask.work import sweep
from sharedtask.work.targets import CONTINUE_TRAINING
from tests.sharedtask.support.building import GOLD
from tests.sharedtask.support.scripted_engine import Script, ScriptedEngine
from tests.sharedtask.support.sending import Sent
from tests.sharedtask.support.trainings import SIZES, reload, signed_in

pytestmark = pytest.mark.django_db(transaction=True)
Work = Callable[[], None]

AT_ONCE = MAX_OF_EXPERIMENTS_UNDER_WAY


def test_a_click_trains_every_sample_and_the_curves_are_those_of_a_declared_series(
    version: SystemVersion, task: Task, phase: Phase, member: User, engine: ScriptedEngine, run_all: Work
) -> None:
    client = signed_in(member)
    inputs = keep_inputs(engine)
    page = client.get(reverse("trainings", args=[task.slug])).content.decode()
    assert "de_one, en_two" in " ".join(page.split())
    fields = {"version": version.public_id, "phase": phase.code, "sizes": "5, 10 20", "samples": "2"}
    answer = client.post(reverse("train", args=[task.slug]), fields)
    training = Training.objects.get()
    assert answer["Location"] == training.get_absolute_url()
    run_all()
    check_inputs(inputs)
    training = reload(training)
    assert training.state == Training.State.ENDED
    page = client.get(training.get_absolute_url()).content.decode()
    assert "6 of 6 samples trained." in page
    execution = client.get(Execution.objects.earliest("number").get_absolute_url()).content.decode()
    assert training.get_absolute_url() in execution, "and the page of each execution leads back"
    runs = Run.objects.order_by("training_size", "training_sample")
    assert [(run.training_size, run.training_sample) for run in runs] == [
        (size, number) for size in SIZES for number in (1, 2)
    ]
    assert {run.state for run in runs} == {"scored"}
    assert runs_of(phase, "open") == [], "neither ranked nor official"
    place = [task.slug, version.system.public_id, phase.code]
    document = json.loads(
        Client().get(reverse("series-download", args=[*place, "curves", "json"]) + "?set=en_two").content
    )
    assert document["sizes"] == SIZES and document["samples"] == [2, 2, 2]
    # A chain has the first word as root: of “Birds sing loudly” only the last head is right.
    assert document["uas"] == pytest.approx([100 / 3, 100 / 3, 100])
    assert Client().get(reverse("series", args=place)).content.count(b"<svg") >= 2
    notices = Notice.objects.filter(user=member).values_list("text", flat=True)
    assert [text for text in notices if "6 of 6 samples trained" in text], "one notice at the end"
    assert not [text for text in notices if text.startswith(("Run", "Execution"))], "and none about each"


def keep_inputs(engine: ScriptedEngine) -> list[Mapping[str, bytes]]:
    """What the containers will get."""
    inputs: list[Mapping[str, bytes]] = []
    write = engine.script.write

    def keep(files: Mapping[str, bytes]) -> Mapping[str, bytes]:
        inputs.append(files)
        return write(files)

    engine.script = replace(engine.script, write=keep)
    return inputs


def check_inputs(inputs: Sequence[Mapping[str, bytes]]) -> None:
    """Every container gets its sample, and nothing of gold but tokens and tags."""
    assert [files["en_two.train.conllu"].count(b"\n\n") for files in inputs] == [5, 5, 10, 10, 20, 20]
    small, large = (set(inputs[n]["de_one.train.conllu"].split(b"\n\n")) for n in (0, 4))
    assert small < large, "samples are nested"
    other = set(inputs[1]["de_one.train.conllu"].split(b"\n\n"))
    assert other != small, "two samples of a size differ"
    assert inputs[0]["en_two.psegmor.conllu"].count(b"\t_\t_\t_\t_\n") == 3
    metadata = json.loads(inputs[0]["metadata.json"])[0]
    assert metadata["trainfile"] == "de_one.train.conllu"
    assert metadata["psegmorfile"] == "de_one.psegmor.conllu"


def test_outputs_of_which_no_run_is_made_yet_are_not_missing(
    training: Training, engine: ScriptedEngine, run_queued: Callable[..., int], work: Work
) -> None:
    """A worker may die between an execution and its run; the sample is not run again for that."""
    work()
    run_queued(1)
    work()
    Execution.objects.filter(run__isnull=False).update(run=None)
    view = describe(reload(training))
    assert view.missing == []
    assert view.sentence == "0 of 3 samples trained, 2 under way, 1 being scored."
    stop_training(training=training, by=training.requested_by)
    assert [each.sample.size for each in describe(reload(training)).missing] == [10, 20]


def test_only_a_few_executions_wait_at_a_time_and_asking_twice_changes_nothing(
    training: Training, dispatched: list[Sent]
) -> None:
    for _ in range(3):
        proceed(training.public_id)
    assert Execution.objects.count() == AT_ONCE
    assert reload(training).is_under_way


def test_lost_messages_and_dead_workers_are_found_by_the_sweep(
    training: Training,
    engine: ScriptedEngine,
    dispatched: list[Sent],
    run_queued: Callable[[], int],
    work: Work,
) -> None:
    dispatched.clear()
    swept = sweep.sweep_job(JOB, at=clock.database_now())
    assert (swept.dispatched, dispatched) == (1, [(CONTINUE_TRAINING, [training.public_id])])
    work()
    assert run_queued() == AT_ONCE
    assert sweep.sweep_job(JOB, at=clock.database_now()).dispatched == 0, "two executions are under way"
    work()
    dispatched.clear()
    Execution.objects.filter(state=Execution.State.QUEUED).update(state=Execution.State.STOPPED)
    assert sweep.sweep_job(JOB, at=clock.database_now()).dispatched == 1


def test_a_stopped_training_keeps_what_it_has_and_runs_only_the_rest_again(
    version: SystemVersion,
    phase: Phase,
    member: User,
    engine: ScriptedEngine,
    run_queued: Callable[..., int],
    work: Work,
    run_all: Work,
) -> None:
    training = request_training(version=version, phase=phase, sizes=[*SIZES, 30], samples=1, by=member)
    work()
    assert run_queued(1) == 1
    work()
    stop_training(training=training, by=member)
    assert reload(training).state == Training.State.STOPPED
    assert not Execution.objects.under_way().exists()
    view = describe(reload(training))
    assert view.sentence == "1 of 4 samples trained, 1 waiting, 2 missing."
    assert {each.reason for each in view.missing} == {"Stopped."}
    assert run_queued() == 0
    with pytest.raises(Refusal) as refused:
        stop_training(training=training, by=member)
    assert refused.value.id == "training-has-ended"
    trained = set(Run.objects.values_list("pk", flat=True))
    page = signed_in(member).get(training.get_absolute_url()).content.decode()
    assert "Run missing samples again" in page
    run_missing_samples(training=training, by=member)
    run_all()
    assert describe(reload(training)).sentence == "4 of 4 samples trained."
    assert Run.objects.count() == 4 and trained < set(Run.objects.values_list("pk", flat=True))
    with pytest.raises(Refusal) as refused:
        run_missing_samples(training=training, by=member)
    assert refused.value.id == "nothing-missing"


def crash_on_ten(inputs: Mapping[str, bytes]) -> Mapping[str, bytes]:
    if inputs["en_two.train.conllu"].count(b"\n\n") == 10:
        return {}
    return {f"{code}.conllu": text.encode() for code, text in GOLD.items()}


def test_a_training_that_crashes_is_reported_in_words_and_can_be_restarted_by_an_organiser(
    training: Training, member: User, organiser: User, engine: ScriptedEngine, run_all: Work
) -> None:
    """The others go on."""
    script = engine.script
    engine.script = Script(write=crash_on_ten, exit_code=3, log=b"secret words of the software")
    run_all()
    view = describe(reload(training))
    assert view.sentence == "2 of 3 samples trained, 1 missing."
    assert {each.reason for each in view.missing} == {
        "Ended with exit code 3: an error of the submitted software. It wrote no output."
    }
    page = signed_in(member).get(training.get_absolute_url()).content.decode()
    assert "Ended with exit code 3" in page and "secret words" not in page
    assert "at least 3 sizes of training data, found 5, 20" in page
    engine.script = script
    sample = TrainedSample.objects.get(size=10)
    assert sample.execution is not None
    again = restart(execution=sample.execution, by=organiser, reason="try again")
    run_all()
    sample.refresh_from_db()
    assert sample.execution == again
    assert describe(reload(training)).sentence == "3 of 3 samples trained."


def test_an_output_with_other_tokens_is_reported_and_costs_only_its_sample(
    version: SystemVersion, phase: Phase, member: User, engine: ScriptedEngine, run_all: Work
) -> None:
    training = request_training(version=version, phase=phase, sizes=[*SIZES, 30], samples=1, by=member)
    other = GOLD["de_one"].replace("1\tDer", "1\tDe").replace("2\tHund", "2\trHund")

    def write(inputs: Mapping[str, bytes]) -> Mapping[str, bytes]:
        first = engine.started and len(engine.started) == 1
        return {
            "de_one.conllu": (other if first else GOLD["de_one"]).encode(),
            "en_two.conllu": GOLD["en_two"].encode(),
        }

    engine.script = Script(write=write)
    run_all()
    page = signed_in(member).get(training.get_absolute_url()).content.decode()
    assert "the tokens differ" in page
    assert "4 of 4 samples trained" in page
    (series,) = visible_series(member, training.phase.task, at=clock.database_now())
    sizes = {analysis.name: analysis.sizes for analysis in series.by("upos")}
    assert sizes["de_one"] == (10, 20, 30), "the others are used"
    assert sizes["en_two"] == (5, 10, 20, 30)


def test_test_sets_without_training_data_are_no_gaps(
    version: SystemVersion, phase: Phase, member: User, engine: ScriptedEngine, run_all: Work
) -> None:
    """No run misses an output that its training could not give, whatever the sweep finds later."""
    phase.test_sets.get(code="de_one").inputs.filter(variant="train").delete()
    script = engine.script
    engine.script = replace(script, write=lambda files: {"en_two.conllu": GOLD["en_two"].encode()})
    training = request_training(version=version, phase=phase, sizes=SIZES, samples=1, by=member)
    run_all()
    assert recount_runs(at=clock.database_now()) == 0
    assert not Notice.objects.filter(text__contains="de_one").exists()
    assert training.codes == ["en_two"]
    assert describe(reload(training)).sentence == "3 of 3 samples trained."
    (series,) = visible_series(member, phase.task, at=clock.database_now())
    assert [analysis.name for analysis in series.by("upos")] == ["en_two"]


def test_a_refusal_that_will_not_pass_stops_the_training_with_its_reason(
    training: Training, member: User, engine: ScriptedEngine, run_queued: Callable[..., int], work: Work
) -> None:
    """Otherwise it would wait for ever."""
    work()
    StoredImage.objects.update(declares={})
    assert run_queued(1) == 1
    work()
    stopped = reload(training)
    assert (stopped.state, stopped.ended_at is None) == (Training.State.STOPPED, False)
    assert stopped.problem == "The image of version 1 does not have the label arboretum.train=yes."
    assert not Execution.objects.under_way().exists(), "the other one is stopped, too"
    page = signed_in(member).get(training.get_absolute_url()).content.decode()
    assert stopped.problem in page and "Run missing samples again" in page
    (notice,) = Notice.objects.filter(user=member, text__contains="was stopped")
    assert f"was stopped. {stopped.problem} So far: 0 of 3 samples trained, 1 being scored" in notice.text
    StoredImage.objects.update(declares={"arboretum.train": "yes"})
    run_missing_samples(training=training, by=member)
    assert reload(training).problem == ""


def test_a_training_waits_for_an_airlock_and_its_page_says_so(
    training: Training, member: User, settings: Any
) -> None:
    settings.AIRLOCK, settings.AIRLOCK_REASON = False, "it was switched off"
    proceed(training.public_id)
    assert reload(training).is_under_way and not Execution.objects.exists()
    page = signed_in(member).get(training.get_absolute_url()).content.decode()
    assert "Software cannot be run here because it was switched off" in page
    settings.AIRLOCK = True
    proceed(training.public_id)
    assert Execution.objects.count() == AT_ONCE


def test_server_errors_in_a_row_stop_a_training_and_a_step_between_them_does_not_count(
    training: Training, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(training: Training) -> None:
        raise OSError("the disk is gone")

    def fail_often(times: int) -> None:
        with monkeypatch.context() as patched:
            patched.setattr("sharedtask.curves.training.proceed.prepare", fail)
            for _ in range(times):
                with pytest.raises(OSError, match="the disk is gone"):
                    proceed(training.public_id)

    fail_often(MAX_ERRORS - 1)
    assert reload(training).is_under_way
    proceed(training.public_id)
    assert reload(training).errors == 0
    Execution.objects.update(state=Execution.State.STOPPED)
    fail_often(MAX_ERRORS)
    assert reload(training).state == Training.State.STOPPED
    assert "server error" in reload(training).problem
