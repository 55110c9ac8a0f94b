"""A series trained by the server with a real engine: a tiny system learns in which direction heads are."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from airlock.engine import Engine
from airlock.engine.archive import build_archive
from sharedtask.accounts.models import User
from sharedtask.competition.models import InputFile, Phase
from sharedtask.competition.store_files import store_input
from sharedtask.core import clock
from sharedtask.curves.models import Training
from sharedtask.curves.training.describe import describe
from sharedtask.curves.training.proceed import JOB
from sharedtask.curves.training.request import request_training
from sharedtask.curves.visible import visible_series
from sharedtask.software import execute
from sharedtask.software.kinds import CheckImage, RunSoftware
from sharedtask.software.models import Execution, StoredImage
from sharedtask.teams.models import Notice, Team
from sharedtask.work import sweep
from sharedtask.work.perform import perform
from tests.machinery.engines import find_busybox
from tests.sharedtask.support.sending import Sent
from tests.sharedtask.support.tus import Tus

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

LEARNER = r"""
# Chains to the right if most heads of the training file are to the right, else to the left.
BEGIN {
    RS = "}"; FS = "\""; input = ARGV[1]; output = ARGV[2]; ARGC = 2; ARGV[1] = input "/metadata.json"
}
/"trainfile"/ {
    for (i = 2; i < NF; i++) if ($(i + 1) ~ /:/) entry[$i] = $(i + 2)
    RS = "\n"; FS = "\t"; right = 0
    while ((getline line < (input "/" entry["trainfile"])) > 0)
        if (split(line, c, "\t") == 10 && c[7] > 0) right += c[7] > c[1] ? 1 : -1
    words = 0; outfile = output "/" entry["outfile"]; printf "" > outfile
    while ((getline line < (input "/" entry["psegmorfile"])) > 0) {
        if (split(line, c, "\t") == 10) sentence[++words] = line
        else if (line == "") {
            for (i = 1; i <= words; i++) {
                split(sentence[i], c, "\t")
                head = right > 0 ? (i == words ? 0 : i + 1) : i - 1
                printf "%s\t%s\t%s\t%s\t%s\t%s\t%d\t%s\t_\t%s\n", c[1], c[2], c[3], c[4], c[5], c[6],
                    head, head ? "dep" : "root", c[10] > outfile
            }
            print "" > outfile; words = 0
        }
    }
    close(outfile); RS = "}"; FS = "\""
}
"""
TO_THE_RIGHT = b"1\ta\ta\tDET\t_\t_\t2\tdet\t_\t_\n2\tb\tb\tNOUN\t_\t_\t0\troot\t_\t_\n\n"


def learner() -> bytes:
    built = build_archive(
        {"bin/busybox": find_busybox().read_bytes(), "learner.awk": LEARNER.encode()},
        name="learner",
        command=["/bin/busybox", "awk", "-f", "/learner.awk"],
        config={"Labels": {"arboretum.train": "only"}},
    )
    return built.content


@pytest.fixture
def image(team: Team, member: User, phase: Phase, dispatched: list[Sent]) -> StoredImage:
    Phase.objects.update(software=True)
    for test_set in phase.test_sets.all():
        store_input(test_set, TO_THE_RIGHT * 30, variant=InputFile.TRAINING, suffix=".conllu", is_sample=True)
    client = Client()
    client.force_login(member)
    content = learner()
    tus = Tus(client)
    system = team.primary_system.public_id
    address = tus.begin(len(content), purpose="image", system=system, filename="learner.tar")
    assert tus.patch(address, 0, content).status_code == 204
    perform(CheckImage(), list(StoredImage.objects.values_list("public_id", flat=True)))
    image = StoredImage.objects.get()
    assert image.state == StoredImage.State.READY, image.refusal
    assert not Execution.objects.exists(), "it has no model, so it is not run on development data"
    assert Notice.objects.filter(user=member, text__contains="has to be trained before it parses").exists()
    return image


def test_a_system_is_trained_in_containers_and_resumed_after_everything_was_lost(
    docker_engine: Engine,
    image: StoredImage,
    monkeypatch: pytest.MonkeyPatch,
    team: Team,
    member: User,
    phase: Phase,
    dispatched: list[Sent],
    work: Callable[[], None],
) -> None:
    monkeypatch.setattr(execute, "connect", lambda url, ulimit_shim: docker_engine)
    version = team.primary_system.versions.get()
    training = request_training(version=version, phase=phase, sizes=[5, 10, 20], samples=1, by=member)
    run_until_nothing_waits(work, rounds=1)
    assert describe(Training.objects.get()).trained == 2
    # As if broker and workers had died: nothing but the database is left.
    dispatched.clear()
    assert sweep.sweep_job(JOB, at=clock.database_now()).dispatched <= 1
    run_until_nothing_waits(work, rounds=5)
    training.refresh_from_db()
    assert training.state == Training.State.ENDED
    assert describe(training).sentence == "3 of 3 samples trained."
    (series,) = visible_series(member, phase.task, at=clock.database_now())
    (english,) = [analysis for analysis in series.by("upos") if analysis.name == "en_two"]
    # “Birds sing loudly” as a chain to the right: only the head of the first word is right.
    assert english.parts["overall"] is not None
    assert english.parts["overall"].uas == pytest.approx([100 / 3] * 3)
    page = Client().get(reverse("series", args=[phase.task.slug, version.system.public_id, phase.code]))
    assert page.content.count(b"<svg") >= 4
    assert docker_engine.run_ids() == set(), "no container is left"


def run_until_nothing_waits(work: Callable[[], None], *, rounds: int) -> None:
    work()
    for _ in range(rounds):
        queued = Execution.objects.filter(state=Execution.State.QUEUED).order_by("pk")
        for id in list(queued.values_list("public_id", flat=True)):
            perform(RunSoftware(), [id])
        work()
