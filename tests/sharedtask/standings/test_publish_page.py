"""The page for publishing: tables of what becomes public, ticks for each ranking, and what would change."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.contrib.auth.models import AnonymousUser
from django.test import Client

from sharedtask.accounts.models import User
from sharedtask.competition.models import AuditEntry, Phase, Task
from sharedtask.competition.task_access import is_published
from sharedtask.core import clock
from sharedtask.standings import standing_access
from sharedtask.standings.models import Publication
from sharedtask.standings.publish import NotReady, publish_results
from sharedtask.submissions.models import Run, Score
from tests.sharedtask.support.standing import close_now, compare, scored

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("as_worker", "dispatched")]

PAGE = "/tasks/blind/publish/"
VISITOR = AnonymousUser()


@pytest.fixture
def organiser(blind_task: Task, client: Client) -> User:
    user = User.objects.create_user("organiser", password="a long password")
    blind_task.organisers.add(user)
    client.force_login(user)
    return user


@pytest.fixture
def phase(blind_task: Task) -> Phase:
    """A test that has closed, after a dry run; both are blind."""
    test = blind_task.phases.get()
    dry = Phase.objects.create(
        task=blind_task,
        code="dry",
        kind="trial",
        title="Dry run",
        feedback="validity",
        opens_at=test.opens_at - timedelta(days=10),
    )
    dry.test_sets.set(test.test_sets.all())
    close_now(blind_task)
    return Phase.objects.select_related("task").get(pk=test.pk)


@pytest.fixture
def dry_run(phase: Phase) -> Phase:
    return Phase.objects.select_related("task").get(code="dry")


def content(client: Client) -> str:
    return client.get(PAGE).content.decode()


def ticks(page: str) -> dict[str, bool]:
    inputs = re.findall(r'<input type="checkbox" name="rankings" value="([^"]+)"([^>]*)>', page)
    return {value: "checked" in rest for value, rest in inputs}


def published(task: Task) -> set[tuple[str, str]]:
    return set(task.publications.first().standings.values_list("phase__code", "ranking"))  # type: ignore[union-attr]


def test_the_page_shows_tables_and_no_signatures(phase: Phase, organiser: User, client: Client) -> None:
    scored(phase, "Ash", 0.9)
    scored(phase, "Birch", 0.8)
    compare(phase)
    page = content(client)
    table = page[page.index("<tbody") : page.index("</tbody")]
    assert table.index("Ash") < table.index("90.00") < table.index("Birch") < table.index("80.00")
    assert "arboretum|" not in page


def test_a_ranking_is_named_only_where_a_phase_has_several(
    phase: Phase, dry_run: Phase, organiser: User, client: Client
) -> None:
    scored(phase, "Ash", 0.9)
    compare(phase)
    page = " ".join(content(client).split())
    assert re.findall(r"<h2 id=\"[^\"]*\">([^<]*)</h2>", page) == [
        *("Dry run", "Test phase, official", "Test phase, unofficial", "Test phase, best")
    ]
    assert page.count("No runs.") == 2
    assert page.count("No team has several runs to choose from.") == 1


def test_the_dry_run_and_the_best_runs_are_not_ticked(
    phase: Phase, dry_run: Phase, organiser: User, client: Client
) -> None:
    scored(dry_run, "Ash", 0.5)
    scored(phase, "Ash", 0.9, minutes=1)
    scored(phase, "Ash", 0.7, minutes=2)
    for each in (phase, dry_run):
        compare(each)
    assert ticks(content(client)) == {"test/official": True, "test/best": False, "dry/open": False}
    publish_results(task=phase.task, by=organiser, reason="now")
    assert published(phase.task) == {("test", "official")}


def test_what_is_not_chosen_stays_secret_and_what_is_public_stays_ticked(
    phase: Phase, dry_run: Phase, organiser: User, client: Client
) -> None:
    run = scored(dry_run, "Ash", 0.5)
    scored(phase, "Birch", 0.9)
    for each in (phase, dry_run):
        compare(each)
    answer = client.post(PAGE, {"reason": "now", "rankings": ["test/official"]})
    assert answer.status_code == 302
    at = clock.database_now()
    dry_run = Phase.objects.select_related("task").get(pk=dry_run.pk)
    assert not is_published(dry_run, at=at)
    assert not standing_access.standings(VISITOR, dry_run, at=at)
    assert set(standing_access.phases_with_standings(VISITOR, phase.task, at=at)) == {phase}
    visitor = Client()
    assert "50.00" not in visitor.get(run.get_absolute_url()).content.decode()
    assert "Ash" not in visitor.get("/tasks/blind/leaderboard/?phase=dry").content.decode()
    assert ticks(content(client)) == {"test/official": True, "dry/open": False}
    assert client.post(PAGE, {"reason": "all", "rankings": ["test/official", "dry/open"]}).status_code == 302
    assert "Ash" in visitor.get("/tasks/blind/leaderboard/?phase=dry").content.decode()


def test_a_test_without_runs_stays_blind_when_a_dry_run_is_published(
    phase: Phase, dry_run: Phase, organiser: User
) -> None:
    scored(dry_run, "Ash", 0.5)
    compare(dry_run)
    Phase.objects.filter(pk=phase.pk).update(closes_at=None)
    publish_results(task=phase.task, by=organiser, reason="The dry run is over.", rankings=["dry/open"])
    test = Phase.objects.select_related("task").get(pk=phase.pk)
    assert not is_published(test, at=clock.database_now())


def test_a_ranking_that_is_not_chosen_keeps_its_published_figures(
    phase: Phase, dry_run: Phase, organiser: User, client: Client
) -> None:
    scored(dry_run, "Ash", 0.5)
    scored(phase, "Birch", 0.9)
    first = compare(phase)["official"]
    compare(dry_run)
    publish_results(task=phase.task, by=organiser, reason="first")
    scored(phase, "Cedar", 0.8)
    compare(phase)
    publish_results(task=phase.task, by=organiser, reason="the dry run", rankings=["dry/open"])
    assert published(phase.task) == {("test", "official"), ("dry", "open")}
    assert first in phase.task.publications.first().standings.all()  # type: ignore[union-attr]


def test_the_page_names_the_differences_from_what_is_public(
    phase: Phase, organiser: User, client: Client
) -> None:
    ash = scored(phase, "Ash", 0.9)
    scored(phase, "Birch", 0.8)
    compare(phase)
    assert "Not public yet" in content(client)
    publish_results(task=phase.task, by=organiser, reason="first")
    assert "The same as the public results" in content(client)
    scored(phase, "Cedar", 0.85)
    Run.objects.filter(pk=ash.pk).update(status="rejected")
    compare(phase)
    page = content(client)
    table = page[page.index("<tbody") : page.index("</tbody")]
    assert "new" in table[table.index("Cedar") : table.index("Birch")]
    assert "rank 2, 80.00" not in table[table.index("Birch") :], "neither its rank nor its figure has changed"
    assert re.search(r"no longer in this ranking:\s+Ash", page)


def test_without_anything_to_publish_there_is_no_button(
    phase: Phase, organiser: User, client: Client
) -> None:
    assert "<button" not in form_of(content(client)), "no runs"
    scored(phase, "Ash", 0.9)
    compare(phase)
    assert "<button" in form_of(content(client))
    publish_results(task=phase.task, by=organiser, reason="first")
    page = content(client)
    assert "<button" not in form_of(page)
    assert "There is nothing new to publish" in page
    Phase.objects.filter(pk=phase.pk).update(closes_at=clock.database_now() + timedelta(hours=1))
    scored(phase, "Birch", 0.8)
    compare(phase)
    assert "<button" not in form_of(content(client)), "the test is open again"


def test_only_rankings_that_are_ready_have_a_tick_and_a_button(
    phase: Phase, dry_run: Phase, organiser: User, client: Client
) -> None:
    scored(phase, "Ash", 0.9)
    page = content(client)
    assert "the standing will be computed within a minute" in page
    assert ticks(page) == {}
    assert "<button" not in form_of(page)
    assert "Nothing can be published yet" in page
    compare(phase)
    scored(dry_run, "Birch", 0.8)
    page = content(client)
    assert ticks(page) == {"test/official": True}, "the standing of the dry run is missing"
    assert "<button" in form_of(page)


def test_a_form_from_before_a_change_is_refused_with_the_obstacle(
    phase: Phase, organiser: User, client: Client
) -> None:
    scored(phase, "Ash", 0.9)
    compare(phase)
    scored(phase, "Birch", 0.8)
    sent = {"reason": "now", "note": "The first.", "rankings": ["test/official"]}
    refused = client.post(PAGE, sent)
    assert refused.status_code == 409
    page = refused.content.decode()
    assert "is being computed" in page
    assert 'value="The first."' in page, "what was typed is not lost"
    assert ticks(page) == {}
    assert '<button class="button" disabled>' in form_of(page)


def form_of(page: str) -> str:
    """The part of the page with the form, which is missing where nothing can be published."""
    return page[page.index("<h1>Publish") :].split("<h2>Previous publications")[0].split("</main>")[0]


def test_an_obstacle_of_a_ranking_that_is_not_chosen_is_no_obstacle(
    phase: Phase, dry_run: Phase, organiser: User
) -> None:
    scored(phase, "Ash", 0.9)
    compare(phase)
    late = scored(dry_run, "Birch", 0.8)
    Score.objects.filter(file__run=late).update(state="waiting")
    with pytest.raises(NotReady, match="1 run is still being scored"):
        publish_results(task=phase.task, by=organiser, reason="now", rankings=["test/official", "dry/open"])
    publish_results(task=phase.task, by=organiser, reason="now", rankings=["test/official"])
    assert Publication.objects.count() == 1
    entry = AuditEntry.objects.get(action="publish-results")
    assert list(entry.details["standings"]) == ["test official"]


def test_unknown_rankings_are_refused(phase: Phase, organiser: User, client: Client) -> None:
    scored(phase, "Ash", 0.9)
    compare(phase)
    refused = client.post(PAGE, {"reason": "now", "rankings": ["test/open"]})
    assert refused.status_code == 409
    assert not Publication.objects.exists()
