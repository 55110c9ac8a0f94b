"""Which trainings can be requested, by whom, and what their pages show."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from sharedtask.accounts.models import User
from sharedtask.competition.models import AuditEntry, Phase, Task
from sharedtask.core.errors import Refusal
from sharedtask.curves.models import TrainedSample, Training
from sharedtask.curves.training.describe import describe
from sharedtask.curves.training.request import request_training
from sharedtask.curves.training.stop import stop_training
from sharedtask.software.models import StoredImage, SystemVersion
from tests.sharedtask.support.scripted_engine import ScriptedEngine
from tests.sharedtask.support.sending import Sent
from tests.sharedtask.support.trainings import SIZES, reload, signed_in

pytestmark = pytest.mark.django_db(transaction=True)
Work = Callable[[], None]


@pytest.mark.parametrize(
    ("sizes", "samples", "id"),
    [
        ([5, 10], 1, "not-a-series"),
        ([5, 20, 10], 1, "not-a-series"),
        ([5, 10, 31], 1, "not-a-series"),
        (list(range(1, 27)), 4, "too-many-samples"),
    ],
)
def test_impossible_series_are_refused_in_words(
    version: SystemVersion, phase: Phase, member: User, sizes: list[int], samples: int, id: str
) -> None:
    with pytest.raises(Refusal) as refused:
        request_training(version=version, phase=phase, sizes=sizes, samples=samples, by=member)
    assert refused.value.id == id
    assert not TrainedSample.objects.exists()


def test_without_the_label_without_training_data_or_twice_it_is_refused(
    version: SystemVersion, phase: Phase, member: User, dispatched: list[Sent]
) -> None:
    def refusal() -> str:
        fresh = SystemVersion.objects.get(pk=version.pk)
        with pytest.raises(Refusal) as refused:
            request_training(version=fresh, phase=phase, sizes=SIZES, samples=1, by=member)
        return refused.value.id

    StoredImage.objects.update(declares={})
    assert refusal() == "image-does-not-train"
    StoredImage.objects.update(declares={"arboretum.train": "yes"})
    request_training(version=SystemVersion.objects.get(), phase=phase, sizes=SIZES, samples=1, by=member)
    assert refusal() == "training-under-way"
    Training.objects.all().delete()
    for test_set in phase.test_sets.all():
        test_set.inputs.filter(variant="train").delete()
    assert refusal() == "training-without-data"


def test_nobody_trains_on_sealed_gold(
    version: SystemVersion,
    phase: Phase,
    member: User,
    dispatched: list[Sent],
    engine: ScriptedEngine,
    run_all: Work,
) -> None:
    """One test set is sealed: no container gets it. All are: it is refused."""
    sealed = phase.test_sets.get(code="de_one").gold_in_force
    assert sealed is not None
    type(sealed).objects.filter(pk=sealed.pk).update(released_at=None, public_copy="")
    training = request_training(version=version, phase=phase, sizes=SIZES, samples=1, by=member)
    assert training.codes == ["en_two"]
    stop_training(training=training, by=member)
    type(sealed).objects.update(released_at=None, public_copy="")
    with pytest.raises(Refusal) as refused:
        request_training(version=version, phase=phase, sizes=SIZES, samples=1, by=member)
    assert refused.value.id == "training-without-data"


def test_pages_are_for_the_team_and_organisers(
    training: Training, task: Task, member: User, organiser: User, client: Client
) -> None:
    addresses = [reverse("trainings", args=[task.slug]), training.get_absolute_url()]
    addresses.append(reverse("training-state", args=[training.public_id]))
    for address in addresses:
        assert client.get(address).status_code == 302
        assert signed_in(User.objects.create_user(address)).get(address).status_code == 404
        for user in (member, organiser):
            assert signed_in(user).get(address + "?version=under_way-").status_code == 200
    stranger = signed_in(User.objects.create_user("stranger"))
    assert stranger.post(reverse("training-act", args=[training.public_id, "stop"])).status_code == 404
    assert reload(training).is_under_way


def test_an_organiser_gives_a_reason(
    version: SystemVersion, task: Task, phase: Phase, organiser: User, dispatched: list[Sent]
) -> None:
    client = signed_in(organiser)
    fields = {"version": version.public_id, "phase": phase.code, "sizes": "5,10,20", "samples": "1"}
    assert client.post(reverse("train", args=[task.slug]), fields).status_code == 409
    fields["reason"] = "for the overview paper"
    assert client.post(reverse("train", args=[task.slug]), fields).status_code == 302
    training = Training.objects.get()
    assert training.on_behalf
    act = reverse("training-act", args=[training.public_id, "stop"])
    assert client.post(act).status_code == 409
    assert client.post(act, {"reason": "enough"}).status_code == 302
    assert set(AuditEntry.objects.values_list("action", flat=True)) >= {"train-software", "stop-training"}


def test_sizes_that_are_no_numbers_are_refused_on_the_page(
    version: SystemVersion, task: Task, phase: Phase, member: User
) -> None:
    fields = {"version": version.public_id, "phase": phase.code, "sizes": "five, ten", "samples": "1"}
    answer = signed_in(member).post(reverse("train", args=[task.slug]), fields)
    assert answer.status_code == 409
    assert b"whole numbers separated by commas" in answer.content


def test_the_state_is_sent_only_when_it_has_changed(
    training: Training, member: User, run_queued: Callable[[], int], work: Work
) -> None:
    client = signed_in(member)
    address = reverse("training-state", args=[training.public_id])
    shown = describe(training).version
    assert client.get(address, {"version": shown}).status_code == 204
    work()
    changed = client.get(address, {"version": shown})
    assert changed.status_code == 200 and b"queued" in changed.content
    stop_training(training=training, by=member)
    assert client.get(address, {"version": shown})["HX-Refresh"] == "true"
