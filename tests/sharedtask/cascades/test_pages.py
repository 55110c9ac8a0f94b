"""The pages of experiments: who sees them, what they show, and that no request starts one on sealed gold."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from functools import partial

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from sharedtask.accounts.models import User
from sharedtask.cascades.models import Experiment
from sharedtask.competition.models import AuditEntry, GoldVersion, Task
from sharedtask.software.models import Execution, StoredImage, SystemVersion
from sharedtask.software.stop import restart
from sharedtask.software.versions import create_version
from sharedtask.teams.models import System, Team
from tests.sharedtask.support.constrained_system import parse_all
from tests.sharedtask.support.scripted_engine import ScriptedEngine

pytestmark = pytest.mark.django_db(transaction=True)

Start = Callable[..., Experiment]
RunAll = Callable[[Experiment], Experiment]


@pytest.fixture
def organiser(task: Task) -> Client:
    user = User.objects.create_user("organiser")
    task.organisers.add(user)
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture
def own(member: User) -> Client:
    client = Client()
    client.force_login(member)
    return client


def text(client: Client, address: str) -> str:
    response = client.get(address)
    assert response.status_code == 200, address
    return response.content.decode()


def experiments(task: Task) -> str:
    return reverse("experiments", args=[task.slug])


def test_a_team_starts_an_experiment_with_one_click_and_follows_it(
    own: Client, version: SystemVersion, task: Task, run_all: RunAll, work_once: Callable[[], None]
) -> None:
    page = text(own, experiments(task))
    assert "Only test sets with public gold can be chosen" in page
    assert len(re.findall(r'value="(?:de_one|en_two)"[^>]* checked', page)) == 2, "one click is enough"
    form = {"version": version.public_id, "test_sets": ["de_one", "en_two"]}
    response = own.post(reverse("start-experiment", args=[task.slug]), form)
    experiment = Experiment.objects.get()
    assert response["Location"] == experiment.get_absolute_url()
    assert "The inputs are being prepared." in text(own, experiment.get_absolute_url())
    work_once()
    assert "0 of 12 runs are done" in text(own, experiment.get_absolute_url())
    run_all(experiment)
    page = text(own, experiment.get_absolute_url())
    assert "2 of 2 sentences" in page and "Δu: all other words" in page
    # The page of one that runs is loaded again when it is done.
    assert (
        own.get(reverse("experiment-state", args=[task.slug, experiment.public_id]))["HX-Refresh"] == "true"
    )


def test_organisers_give_a_reason_that_is_in_the_log(
    organiser: Client, version: SystemVersion, task: Task
) -> None:
    form = {"version": version.public_id, "test_sets": ["de_one"]}
    address = reverse("start-experiment", args=[task.slug])
    assert organiser.post(address, form).status_code == 409
    assert not Experiment.objects.exists()
    organiser.post(address, form | {"reason": "For the overview paper."})
    assert Experiment.objects.get().on_behalf
    (entry,) = AuditEntry.objects.filter(action="start-experiment")
    assert entry.reason == "For the overview paper."


def test_only_its_team_and_the_organisers_see_it_until_it_is_published(
    own: Client, organiser: Client, start: Start, run_all: RunAll, task: Task
) -> None:
    experiment = run_all(start())
    visitor = Client()
    inside = [
        experiment.get_absolute_url(),
        *(
            reverse("experiment-download", args=[task.slug, experiment.public_id, *name])
            for name in (("effects", "csv"), ("repaired", "tex"), ("cascades", "json"))
        ),
        reverse("experiment-sentences", args=[task.slug, experiment.public_id, "de_one", "root"]),
        reverse("experiment-sentence", args=[task.slug, experiment.public_id, "de_one", "root", 1]),
    ]
    api = f"/api/v1/tasks/{task.slug}/experiments"
    assert visitor.get(api).json() == {"items": []}
    assert visitor.get(f"{api}/{experiment.public_id}").status_code == 404
    for address in inside:
        assert visitor.get(address).status_code == 404, address
        assert text(own, address) and text(organiser, address)
    assert "There are no experiments to show yet." in text(visitor, experiments(task))
    address = reverse("change-experiment", args=[task.slug, experiment.public_id, "publish"])
    assert visitor.post(address).status_code in (302, 404)
    own.post(address)
    for address in inside:
        assert text(visitor, address)
    assert [item["id"] for item in visitor.get(api).json()["items"]] == [experiment.public_id]
    document = visitor.get(f"{api}/{experiment.public_id}", {"set": "de_one"}).json()
    assert (document["parts"], document["parts_done"], len(document["runs"])) == (12, 12, 11)
    assert document["runs"][0]["sentences"] == 1
    System.objects.update(withdrawn_at=timezone.now())
    assert {visitor.get(address).status_code for address in inside} == {404}
    assert text(own, inside[0])
    GoldVersion.objects.update(released_at=None)
    for address in inside:
        assert visitor.get(address).status_code == own.get(address).status_code == 404, address


def test_tables_are_exported_with_the_figures_of_the_page(
    own: Client, start: Start, run_all: RunAll, task: Task
) -> None:
    experiment = run_all(start())
    address = partial(reverse, "experiment-download")
    table = text(own, address(args=[task.slug, experiment.public_id, "effects", "csv"]))
    rows = {row[0]: row for row in csv.reader(io.StringIO(table))}
    assert rows["Constraints on"][-5:] == ["ΔUAS", "Δc", "Δu", "Repaired", "Destroyed"]
    assert rows["All words"][6:8] == ["100.00", "100.00"]
    document = json.loads(text(own, address(args=[task.slug, experiment.public_id, "cascades", "json"])))
    runs = {row["run"]: row for row in document["systems"][0]["runs"]}
    assert rows["Root"][8] == f"{100 * runs['root']['delta_uas']:+.2f}"
    destroyed = text(own, address(args=[task.slug, experiment.public_id, "destroyed", "tex"]))
    assert "tabular" in destroyed and "punctuation included" in destroyed


def test_a_sentence_shows_what_was_given_repaired_and_newly_wrong(
    own: Client, start: Start, run_all: RunAll, task: Task
) -> None:
    experiment = run_all(start())
    address = reverse("experiment-sentence", args=[task.slug, experiment.public_id, "de_one", "root", 1])
    page = text(own, address)
    # “schläft” is given as the root; “Hund”, its subject, follows, and “.” stays right.
    assert "1 given as constraints" in page
    assert 'class="arc root constrained"' in page
    assert 'class="arc repaired"' in page or 'class="arc remaining"' in page
    assert own.get(address.replace("/1/", "/2/")).status_code == 404
    assert own.get(address.replace("root", "nothing")).status_code == 404
    part = Execution.objects.parts_of(experiment.public_id, Execution.Purpose.CASCADES).first()
    assert part is not None
    restart(execution=part, by=User.objects.get(username="member"), reason="Once more.")
    assert "1 given as constraints" in text(own, address), "of the outputs that the figures are of"


def test_lost_coverage_is_reported_with_its_sentences(
    own: Client, start: Start, run_all: RunAll, task: Task, system: ScriptedEngine
) -> None:
    """As by a beam that is too narrow: constraints on punctuation are not kept, and all others are."""

    def narrow(inputs: dict[str, bytes]) -> dict[str, bytes]:
        lines = inputs.get("de_one.constraints.conllu", b"").decode().split("\n")
        given = {line.split("\t")[7] for line in lines if "\t" in line} - {"_"}
        return parse_all(inputs, ignores=given == {"punct"})

    system.script.write = narrow  # type: ignore[assignment]
    experiment = run_all(start(test_sets=[task.test_sets.get(code="de_one")]))
    assert experiment.state == Experiment.State.DONE
    address = partial(reverse, "experiment-download")
    table = text(own, address(args=[task.slug, experiment.public_id, "effects", "csv"]))
    covered = {row[0]: row[1:3] for row in csv.reader(io.StringIO(table))}
    assert covered["Punctuation"] == ["0.0", "0"] and covered["Root"] == ["100.0", "0"]
    assert "0 of 1 sentences" in text(own, experiment.get_absolute_url())
    listed = reverse("experiment-sentences", args=[task.slug, experiment.public_id, "de_one", "punctuation"])
    assert "not covered first" in text(own, listed) and ">not covered<" in text(
        own, f"{listed}?order=uncovered"
    )
    for run, is_lost in (("punctuation", True), ("root", False)):
        listed = reverse("experiment-sentences", args=[task.slug, experiment.public_id, "de_one", run])
        assert (">not covered<" in text(own, listed)) is is_lost
        assert ("Not covered: the output does not keep" in text(own, f"{listed}1/")) is is_lost


def test_failed_controls_lead_to_a_new_version_and_not_to_the_same_outputs_again(
    own: Client, organiser: Client, start: Start, run_all: RunAll, system: ScriptedEngine
) -> None:
    system.script.write = partial(parse_all, ignores=True)
    experiment = run_all(start())
    page, resume = text(own, experiment.get_absolute_url()), ">Resume</button>"
    assert "Submit a corrected version of the system" in page and resume not in page
    # Organisers may have had an execution restarted.
    assert resume in text(organiser, experiment.get_absolute_url())
    Experiment.objects.update(stop_requested_at=timezone.now())
    assert resume in text(own, experiment.get_absolute_url()), "when it was stopped by somebody"
    part = Execution.objects.parts_of(experiment.public_id, Execution.Purpose.CASCADES).first()
    assert part is not None
    assert f'href="{experiment.get_absolute_url()}">Experiment with constraints</a>' in text(
        own, part.get_absolute_url()
    )


def test_two_systems_are_compared_over_the_sentences_that_both_cover(
    own: Client, start: Start, run_all: RunAll, task: Task, system: ScriptedEngine, version: SystemVersion
) -> None:
    first = run_all(start())
    system.script.write = partial(parse_all, step=1)
    other = create_version(version.system, version.image, by=None)
    second = run_all(start(version=other))
    assert (first.state, second.state) == (Experiment.State.DONE, Experiment.State.DONE)
    page = text(own, reverse("compare-experiments", args=[task.slug, first.public_id, second.public_id]))
    assert "those that both systems cover" in page
    assert "Alder, version 1" in page and "Alder, version 2" in page
    table = text(
        own,
        reverse(
            "compared-experiments-download",
            args=[task.slug, first.public_id, second.public_id, "effects", "csv"],
        ),
    )
    assert [row[1] for row in csv.reader(io.StringIO(table))][1:3] == ["Alder, version 1", "Alder, version 2"]
    assert text(own, first.get_absolute_url()).count("Alder, version 2") == 1


def test_no_request_starts_a_constrained_run_on_sealed_gold(
    own: Client, organiser: Client, version: SystemVersion, task: Task
) -> None:
    """Neither the form nor what it could be made to send; of the team and of organisers."""
    GoldVersion.objects.filter(test_set__code="en_two").update(released_at=None)
    assert "en_two" not in text(own, experiments(task))
    for client in (own, organiser):
        for test_sets in (["en_two"], ["de_one", "en_two"]):
            form = {"version": version.public_id, "test_sets": test_sets, "reason": "Please."}
            assert client.post(reverse("start-experiment", args=[task.slug]), form).status_code == 409
    GoldVersion.objects.update(released_at=None)
    for client in (own, organiser):
        assert "No test set has public gold yet." in text(client, experiments(task))
    assert not Experiment.objects.exists() and not Execution.objects.exists()


def test_a_system_without_the_label_is_not_offered(
    own: Client, version: SystemVersion, task: Task, team: Team
) -> None:
    StoredImage.objects.update(declares={})
    assert "No system can be used yet:" in text(own, experiments(task))
    form = {"version": version.public_id, "test_sets": ["de_one"]}
    assert own.post(reverse("start-experiment", args=[task.slug]), form).status_code == 409


def test_visitors_cannot_start_stop_or_resume(start: Start, task: Task, version: SystemVersion) -> None:
    experiment = start()
    stranger = Client()
    stranger.force_login(User.objects.create_user("stranger"))
    for verb in ("stop", "resume", "publish"):
        address = reverse("change-experiment", args=[task.slug, experiment.public_id, verb])
        assert stranger.post(address).status_code == 404
    form = {"version": version.public_id, "test_sets": ["de_one"]}
    assert stranger.post(reverse("start-experiment", args=[task.slug]), form).status_code == 404
