"""CoNLL 2017 in miniature, played with a moved clock from its announcement to its citable results.

One task folder, three teams, four months in a few seconds. Participants act through the pages, organisers
through the same verbs as their pages. Each act is a function, and what it must have led to stands in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from sharedtask.competition.announce import announce
from sharedtask.competition.extend import extend
from sharedtask.competition.load_task import load_task
from sharedtask.competition.models import AuditEntry, Phase, Task
from sharedtask.competition.put_in_force import corrections, put_in_force
from sharedtask.competition.release_gold import release_gold
from sharedtask.faults import TeamFault
from sharedtask.leaderboard.models import Publication
from sharedtask.leaderboard.publish import publish_results
from sharedtask.submissions import messages
from sharedtask.submissions.combine import combine
from sharedtask.submissions.mark_official import mark_by_organiser
from sharedtask.submissions.models import Run, Score
from sharedtask.submissions.withdraw import withdraw_system
from sharedtask.teams.decide import confirm
from sharedtask.teams.models import Team
from sharedtask.teams.register import ask
from tests.site.building import zip_of
from tests.site.crawl import ask as ask_page
from tests.site.people import person
from tests.site.worlds import Time, standing_clock, tree

pytestmark = pytest.mark.django_db(transaction=True)

ANNOUNCED = datetime(2027, 2, 1, 12, tzinfo=UTC)
DEVELOPMENT = datetime(2027, 3, 1, 12, tzinfo=UTC)
SURPRISE = datetime(2027, 5, 1, 12, tzinfo=UTC)
TEST = SURPRISE + timedelta(days=7)
CLOSING = TEST + timedelta(days=6)
EXTENDED = CLOSING + timedelta(hours=2)
AFTER = CLOSING + timedelta(days=14)
MOMENT = timedelta(microseconds=1)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)

WORDS = {
    "de_dev": "Hunde bellen laut",
    "de_gsd": "Birken wachsen langsam",
    "en_ewt": "Birds sing loudly",
    "bxr_bdt": "Morin gansaaraa guinaa",
}
GOLD = {code: tree(words) for code, words in WORDS.items()}
# The third word of the German sentence hangs on the first: what the organisers correct after the test.
CORRECTED = tree(WORDS["de_gsd"], head_of_last=1)


def task_folder(folder: Path) -> Path:
    (folder / "gold").mkdir(parents=True)
    for code, text in GOLD.items():
        (folder / "gold" / f"{code}.conllu").write_text(text, encoding="utf-8")
    blind = {"inputs_released_at": TEST}
    told = {
        "slug": "mini17",
        "title": "Parsing from raw text, in miniature",
        "summary": "Four sentences.",
        "description": "One paragraph.",
        "rules": "Be fair.",
        "rules_version": 1,
        "profile": "conll17",
        "missing": "zero",
        "withdrawn": "unranked",
        "baselines_ranked": True,
        "pseudonymous": True,
        "replicates": 50,
        "groups": ["big", "surprise"],
        "test_sets": [
            {"code": "de_dev", "language": "German", "tag": "de", "groups": ["big"], "public_gold": True},
            {"code": "de_gsd", "language": "German", "tag": "de", "groups": ["big"], **blind},
            {"code": "en_ewt", "language": "English", "tag": "en", "groups": ["big"], **blind},
            {
                "code": "bxr_bdt",
                "language": "Buryat",
                "tag": "bxr",
                "groups": ["surprise"],
                "revealed_at": SURPRISE,
                **blind,
            },
        ],
        "phases": [
            phase("dev", "development", "scores", DEVELOPMENT, TEST, ["de_dev"]),
            phase("test", "test", "validity", TEST, CLOSING, list(WORDS)[1:])
            | {"runs_a_day": 2, "runs_in_all": 4},
            phase("post", "post-evaluation", "scores", AFTER, None, list(WORDS)[1:]),
        ],
    }
    (folder / "task.yaml").write_text(yaml.safe_dump(told), encoding="utf-8")
    return folder


def phase(
    code: str, kind: str, feedback: str, opens: datetime, closes: datetime | None, sets: list[str]
) -> dict[str, Any]:
    told = {"code": code, "kind": kind, "title": code.title(), "feedback": feedback, "opens_at": opens}
    return told | ({"closes_at": closes} if closes else {}) | {"test_sets": sets}


@dataclass
class Stage:
    """What all acts share: the clock, the folder, the people, a worker that works when it is told to."""

    time: Time
    folder: Path
    work: Callable[[], None]
    organiser: User
    people: dict[str, User] = field(default_factory=dict)

    @property
    def task(self) -> Task:
        return Task.objects.get(slug="mini17")

    def phase(self, code: str) -> Phase:
        return self.task.phases.get(code=code)

    def team(self, name: str) -> Team:
        return self.task.teams.get(name=name)

    def client(self, name: str = "") -> Client:
        client = Client()
        if name:
            client.force_login(self.people[name])
        return client

    def page(self, url: str, name: str = "", status: int = 200) -> str:
        answer = ask_page(self.client(name), url)
        assert answer.status == status, (url, answer.status)
        return answer.body.decode()

    def upload(self, name: str, phase: str, **files: str) -> str:
        """Upload through the page. Out: the address of the receipt, or the id of what was refused."""
        content = zip_of({f"{code}.conllu": text for code, text in files.items()})
        told = {"phase": phase, "archive": SimpleUploadedFile(f"{name}.zip", content)}
        response = self.client(name).post("/tasks/mini17/upload/", told)
        if response.status_code == 302:
            return str(response["Location"])
        page = response.content.decode()
        return page.split("<code>", 1)[1].split("</code>", 1)[0]

    def run(self, address: str) -> Run:
        return Run.objects.get(public_id=address.split("/")[-2])


@pytest.fixture
def stage(
    db: None,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    handed_out: list[tuple[str, str]],
    work: Callable[[], None],
) -> Iterator[Stage]:
    with standing_clock(monkeypatch) as time:
        organiser = person("organiser")
        stage = Stage(time=time, folder=tmp_path / "mini17", work=work, organiser=organiser)
        stage.people["organiser"] = organiser
        yield stage


def test_conll_2017_in_miniature(stage: Stage) -> None:
    announcement(stage)
    registration(stage)
    development(stage)
    surprise_languages_come_out(stage)
    runs = blind_test(stage)
    a_message_is_released(stage, runs)
    closing_to_the_second(stage, runs)
    moderation_after_closing(stage, runs)
    publication(stage, runs)
    gold_fix(stage, runs)
    late_runs_are_unofficial(stage)
    gold_is_released(stage)
    the_log_tells_it_all()


def announcement(stage: Stage) -> None:
    stage.time.move(ANNOUNCED)
    task = load_task(task_folder(stage.folder))
    task.organisers.add(stage.organiser)
    announce(task=task, by=stage.organiser, subject="A new task", text="Parse from raw text.")
    page = stage.page("/tasks/mini17/")
    assert "A new task" in page
    assert "en_ewt" in page
    assert "Buryat" not in page
    assert "bxr_bdt" not in page
    assert "surprise" not in page
    assert stage.page("/tasks/mini17/leaderboard/", status=404)


def registration(stage: Stage) -> None:
    stage.time.move(ANNOUNCED + DAY)
    for name in ("Alder", "Beech", "Cedar"):
        stage.people[name] = person(name.lower())
        ask(task=stage.task, name=name, by=stage.people[name], rules_version=1, at=stage.time.now)
    for name in ("Alder", "Beech"):
        confirm(team=stage.team(name), by=stage.organiser, at=stage.time.now)
    # One person, one team a task.
    with pytest.raises(TeamFault):
        ask(task=stage.task, name="Elm", by=stage.people["Alder"], rules_version=1, at=stage.time.now)


def development(stage: Stage) -> None:
    stage.time.move(DEVELOPMENT - MOMENT)
    assert not stage.upload("Alder", "dev", de_dev=GOLD["de_dev"]).startswith("/runs/")
    stage.time.move(DEVELOPMENT)
    run = stage.upload("Alder", "dev", de_dev=GOLD["de_dev"])
    # Development is open to teams that no organiser has confirmed yet.
    assert stage.upload("Cedar", "dev", de_dev=tree(WORDS["de_dev"], head_of_last=1)).startswith("/runs/")
    stage.work()
    assert "100.00" in stage.page(run, "Alder")
    ranking = stage.page("/tasks/mini17/leaderboard/?phase=dev")
    assert "100.00" in ranking
    assert "66.67" in ranking
    # Pseudonyms until the results are out.
    assert "Alder" not in ranking
    assert "Alder" in stage.page("/tasks/mini17/leaderboard/?phase=dev", "Alder")


def surprise_languages_come_out(stage: Stage) -> None:
    stage.time.move(SURPRISE - MOMENT)
    assert "bxr_bdt" not in stage.page("/tasks/mini17/", "Alder")
    stage.time.move(SURPRISE)
    page = stage.page("/tasks/mini17/")
    assert "Buryat" in page
    assert "surprise" in page
    stage.page("/tasks/mini17/inputs/bxr_bdt.txt", status=404)


def blind_test(stage: Stage) -> dict[str, str]:
    """Two days of uploads. Out: addresses of the runs."""
    good = {code: GOLD[code] for code in ("de_gsd", "en_ewt", "bxr_bdt")}
    stage.time.move(TEST - MOMENT)
    stage.page("/tasks/mini17/inputs/en_ewt.txt", status=404)
    stage.time.move(TEST)
    assert stage.page("/tasks/mini17/inputs/en_ewt.txt") == "Birds sing loudly\n"
    assert stage.upload("Cedar", "test", **good) == "team-not-confirmed"
    confirm(team=stage.team("Cedar"), by=stage.organiser, at=stage.time.now)

    runs = {"Alder 1": stage.upload("Alder", "test", **good)}
    broken = GOLD["en_ewt"].replace("\t2\tadvmod", "\t0\tadvmod")
    runs["Alder 2"] = stage.upload("Alder", "test", de_gsd=GOLD["de_gsd"], en_ewt=broken)
    assert stage.upload("Alder", "test", **good) == "quota-of-the-day"
    runs["Beech 1"] = stage.upload("Beech", "test", de_gsd=CORRECTED)
    runs["Cedar 1"] = stage.upload("Cedar", "test", **good)
    stage.work()
    page = stage.page(runs["Alder 2"], "Alder")
    for words in ("several-roots", "invalid", "missing", "Checked: 1 of 3 files are valid."):
        assert words in page
    assert "100.00" not in page
    assert Score.objects.filter(file__run__phase__code="test", state="scored").count() == 8
    for name in ("", "Alder", "Beech"):
        assert "Test</a>" not in stage.page("/tasks/mini17/leaderboard/", name)
        stage.page("/tasks/mini17/leaderboard/?phase=test", name, status=404)
    stage.page(runs["Alder 1"], "Beech", status=404)
    assert "100.00" in stage.page(runs["Alder 1"], "organiser")

    stage.time.move(TEST + DAY)
    runs["Beech 2"] = stage.upload("Beech", "test", en_ewt=GOLD["en_ewt"], bxr_bdt=GOLD["bxr_bdt"])
    runs["Alder 3"] = stage.upload("Alder", "test", **good)
    stage.work()
    return runs


def a_message_is_released(stage: Stage, runs: dict[str, str]) -> None:
    message = messages.write(run=stage.run(runs["Beech 2"]), text="Gold has obl where you have advmod.")
    assert "you have advmod" not in stage.page(runs["Beech 2"], "Beech")
    messages.release(
        message=message, text="One relation looks odd.", by=stage.organiser, reason="harmless without gold"
    )
    assert "One relation looks odd." in stage.page(runs["Beech 2"], "Beech")
    assert "you have advmod" not in stage.page(runs["Beech 2"], "Beech")


def closing_to_the_second(stage: Stage, runs: dict[str, str]) -> None:
    """Beech has two hours more than the others, for a reason that is kept."""
    files = {"de_gsd": GOLD["de_gsd"]}
    stage.time.move(CLOSING - HOUR)
    late = stage.team("Beech")
    extend(phase=stage.phase("test"), team=late, closes_at=EXTENDED, reason="power cut", by=stage.organiser)
    stage.time.move(CLOSING - MOMENT)
    runs["Alder 4"] = stage.upload("Alder", "test", **files)
    assert runs["Alder 4"].startswith("/runs/")
    stage.time.move(CLOSING)
    assert stage.upload("Cedar", "test", **files) == "phase-closed"
    stage.time.move(EXTENDED - MOMENT)
    runs["Beech 3"] = stage.upload("Beech", "test", **files)
    assert runs["Beech 3"].startswith("/runs/")
    stage.time.move(EXTENDED)
    assert stage.upload("Beech", "test", **files) == "phase-closed"
    stage.work()


def moderation_after_closing(stage: Stage, runs: dict[str, str]) -> None:
    stage.time.move(EXTENDED + HOUR)
    parts = [stage.run(runs["Beech 2"]), stage.run(runs["Beech 1"])]
    combined = combine(parts=parts, by=stage.organiser, reason="two halves of one system")
    stage.work()
    mark_by_organiser(run=combined, by=stage.organiser, reason="agreed with the team")
    runs["Beech combined"] = combined.get_absolute_url()
    # Alder's last run has one file only; the team may still say which one it means.
    marked = stage.client("Alder").post(f"{runs['Alder 3']}mark-official/")
    assert marked.status_code == 302
    cedar = stage.team("Cedar").primary_system
    withdraw_system(system=cedar, by=stage.people["Cedar"], reason="trained on the test set by mistake")
    stage.work()
    page = stage.page(runs["Beech combined"], "Beech")
    assert "Checked: 3 of 3 files are valid." in page
    assert "66.67" not in page


def publication(stage: Stage, runs: dict[str, str]) -> None:
    stage.time.move(EXTENDED + DAY)
    stage.page("/tasks/mini17/leaderboard/?phase=test", status=404)
    publish_results(task=stage.task, by=stage.organiser, reason="all is checked")
    page = stage.page("/tasks/mini17/leaderboard/?phase=test")
    # Names are out, Alder is first, the combined run second, the withdrawn system has no rank.
    assert page.index("Alder") < page.index("Beech") < page.index("Cedar")
    assert "withdrawn" in page
    assert "100.00" in page
    assert "88.89" in page, "a third of one of three files is wrong: (100 + 100 + 66.67) / 3"
    assert "88.89" in stage.page(runs["Beech combined"])
    assert "several-roots" not in stage.page(runs["Alder 2"])
    assert "One relation looks odd." not in stage.page(runs["Beech 2"])


def gold_fix(stage: Stage, runs: dict[str, str]) -> None:
    """The German gold was wrong and Beech right. What the public sees changes by publishing, not before."""
    stage.time.move(EXTENDED + 2 * DAY)
    before = stage.page("/tasks/mini17/leaderboard/?phase=test")
    files = Run.objects.count()
    (stage.folder / "gold" / "de_gsd.conllu").write_text(CORRECTED, encoding="utf-8")
    load_task(stage.folder)
    stage.work()
    compared = {one.test_set.code: one.number for one in corrections(stage.task)}
    assert compared == {"de_gsd": 2}
    put_in_force(task=stage.task, by=stage.organiser, reason="an arc was wrong", compared=compared)
    stage.work()
    assert Run.objects.count() == files, "nothing was run again"
    assert "88.89" in stage.page(runs["Beech combined"])
    assert stage.page("/tasks/mini17/leaderboard/?phase=test") == before
    stage.time.move(EXTENDED + 3 * DAY)
    publish_results(task=stage.task, by=stage.organiser, reason="corrected gold")
    page = stage.page("/tasks/mini17/leaderboard/?phase=test")
    assert page.index("Beech") < page.index("Alder")
    assert "100.00" in stage.page(runs["Beech combined"])
    signatures = [
        standing.signature
        for publication in Publication.objects.all()
        for standing in publication.standings.filter(track="official")
    ]
    assert len(set(signatures)) == 2, "both stay citable"


def late_runs_are_unofficial(stage: Stage) -> None:
    stage.time.move(AFTER)
    perfect = {"de_gsd": CORRECTED, "en_ewt": GOLD["en_ewt"], "bxr_bdt": GOLD["bxr_bdt"]}
    late = stage.upload("Alder", "post", **perfect)
    assert late.startswith("/runs/")
    before = stage.page("/tasks/mini17/leaderboard/?phase=test")
    stage.work()
    assert "100.00" in stage.page(late)
    assert stage.page("/tasks/mini17/leaderboard/?phase=test") == before
    assert "Alder" in stage.page("/tasks/mini17/leaderboard/?phase=post")


def gold_is_released(stage: Stage) -> None:
    stage.time.move(AFTER + DAY)
    assert "/gold/" not in stage.page("/tasks/mini17/").replace("/gold/de_dev", "")
    release_gold(task=stage.task, by=stage.organiser, reason="the workshop is over")
    stage.work()
    assert all(one.gold_in_force.public_copy for one in stage.task.test_sets.all())  # type: ignore[union-attr]


def the_log_tells_it_all() -> None:
    actions = list(AuditEntry.objects.order_by("at", "pk").values_list("action", flat=True))
    told = "announce extend-phase release-message combine-runs withdraw-system publish-results"
    told += " put-gold-in-force release-gold"
    assert set(told.split()) <= set(actions)
    assert actions.count("publish-results") == 2
    reasons = AuditEntry.objects.filter(action__in=told.split()).exclude(action="announce")
    assert all(entry.reason for entry in reasons)
