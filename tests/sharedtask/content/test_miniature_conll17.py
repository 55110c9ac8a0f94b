"""CoNLL 2017 in miniature, from its announcement to its citable results, on a site with a moved clock.

Three teams, an organiser and visitors act through the pages, over HTTP, against PostgreSQL and real workers;
four months pass in a minute or two. Each act is a function, and what it must have led to stands in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.machinery.site import manage
from tests.sharedtask.support.miniature import (
    AFTER,
    ANNOUNCED,
    BLIND,
    CLOSING,
    CORRECTED,
    DAY,
    DEVELOPMENT,
    EXTENDED,
    GOLD,
    HOUR,
    ORGANISE,
    SECOND,
    SURPRISE,
    TASK,
    TEST,
    WORDS,
    Stage,
    folder,
    id_of,
    staged,
)
from tests.sharedtask.support.miniature_uploads import (
    a_hundred_uploads_at_once_meet_the_quota,
    uploads_race_the_closing,
)
from tests.sharedtask.support.signing_in import Upload
from tests.sharedtask.support.worlds import tree

pytestmark = pytest.mark.slow
MESSAGE = """
from sharedtask.submissions import messages
from sharedtask.submissions.models import Run
messages.write(run=Run.objects.get(public_id={run!r}), text="Gold has obl where you have advmod.")
"""


@pytest.fixture
def stage(on_postgres: dict[str, str], tmp_path: Path) -> Iterator[Stage]:
    with staged(on_postgres, tmp_path) as stage:
        yield stage


def test_conll_2017_in_miniature(stage: Stage) -> None:
    announcement(stage)
    registration(stage)
    development(stage)
    surprise_languages_come_out(stage)
    runs = blind_test(stage)
    a_baseline_is_entered(stage, runs)
    a_message_is_released(stage, runs)
    an_extension_for_one_team(stage)
    uploads_race_the_closing(stage, runs)
    closing_of_the_extension(stage, runs)
    moderation_after_closing(stage, runs)
    publication(stage, runs)
    gold_fix(stage, runs)
    late_runs_are_unofficial(stage)
    a_hundred_uploads_at_once_meet_the_quota(stage)
    gold_is_released(stage)
    the_log_tells_it_all(stage)


def announcement(stage: Stage) -> None:
    """The organiser uploads the task's folder, reads the plan, approves it, and writes to everybody."""
    stage.move(ANNOUNCED)
    imported(stage, "/organise/new/", folder())
    stage.organise("announce/", subject="A new task", text="Parse from raw text.")
    page = stage.page(TASK)
    assert "A new task" in stage.page(TASK + "announcements/")
    assert "en_ewt" in page
    for word in ("Buryat", "bxr_bdt", "surprise"):
        assert word not in page
    assert "No results yet" in stage.page(TASK + "leaderboard/")


def imported(stage: Stage, address: str, content: bytes) -> None:
    visit = stage.visit("organiser")
    visit.send(address, reason="spring", folder=Upload("mini17.zip", content))
    job = visit.location
    assert job, visit.page
    stage.work()
    assert "What would change" in stage.page(job, "organiser")
    assert stage.act("organiser", job, {}, to=job + "approve/") == job
    stage.work()
    assert "What changed" in stage.page(job, "organiser")


def registration(stage: Stage) -> None:
    stage.move(ANNOUNCED + DAY)
    for name in ("Alder", "Beech", "Cedar"):
        values = {
            "name": name,
            "accepted": "on",
            "rules_version": "1",
            "pseudonym": f"Tree {len(name)}{name[0]}",
        }
        assert stage.act(name, TASK + "team/new/", values) == TASK + "team/"
    for name in ("Alder", "Beech"):
        stage.organise(f"teams/{stage.team(name)}/", on="teams/", decision="confirm")
    # One person, one team a task: whoever has a team is led to it.
    stage.visit("Alder").get(TASK + "team/new/")
    assert stage.visit("Alder").location == TASK + "team/"
    assert "was confirmed" in stage.page("/notices/", "Alder")


def development(stage: Stage) -> None:
    stage.move(DEVELOPMENT - 20 * SECOND)
    assert stage.upload("Alder", "dev", de_dev=GOLD["de_dev"]) == "upload-without-phase"
    stage.move(DEVELOPMENT)
    run = stage.upload("Alder", "dev", de_dev=GOLD["de_dev"])
    # Development is open to teams that no organiser has confirmed yet.
    assert stage.upload("Cedar", "dev", de_dev=tree(WORDS["de_dev"], head_of_last=1)).startswith("/runs/")
    stage.work()
    assert "100.00" in stage.page(run, "Alder")
    ranking = stage.page(TASK + "leaderboard/?phase=dev")
    assert "100.00" in ranking
    assert "66.67" in ranking
    # Pseudonyms until the results are out.
    assert "Alder" not in ranking
    assert "Alder" in stage.page(TASK + "leaderboard/?phase=dev", "Alder")
    assert "Dev of Parsing from raw text, in miniature is open." in stage.page("/notices/", "Alder")


def surprise_languages_come_out(stage: Stage) -> None:
    stage.move(SURPRISE - 30 * SECOND)
    assert "bxr_bdt" not in stage.page(TASK, "Alder")
    stage.move(SURPRISE)
    page = stage.page(TASK)
    assert "Buryat" in page
    assert "surprise" in page
    stage.page(TASK + "inputs/bxr_bdt.txt", status=404)
    stage.work()
    assert "have been revealed: Buryat." in stage.page("/notices/", "Beech")


def blind_test(stage: Stage) -> dict[str, str]:
    """Two days of uploads. Out: addresses of the runs."""
    stage.move(TEST - 30 * SECOND)
    stage.page(TASK + "inputs/en_ewt.txt", status=404)
    stage.move(TEST)
    assert stage.page(TASK + "inputs/en_ewt.txt") == "Birds sing loudly\n"
    assert stage.upload("Cedar", "test", **BLIND) == "team-not-confirmed"
    stage.organise(f"teams/{stage.team('Cedar')}/", on="teams/", decision="confirm")

    runs = {"Alder 1": stage.upload("Alder", "test", **BLIND)}
    broken = GOLD["en_ewt"].replace("\t2\tadvmod", "\t0\tadvmod")
    runs["Alder 2"] = stage.upload("Alder", "test", de_gsd=GOLD["de_gsd"], en_ewt=broken)
    assert stage.upload("Alder", "test", **BLIND) == "daily-quota-used"
    runs["Beech 1"] = stage.upload("Beech", "test", de_gsd=CORRECTED)
    runs["Cedar 1"] = stage.upload("Cedar", "test", **BLIND)
    stage.work()
    page = stage.page(runs["Alder 2"], "Alder")
    for words in ("several-roots", "invalid", "missing", "Checked: 1 of 3 files are valid."):
        assert words in page
    assert "100.00" not in page
    for name in ("", "Alder", "Beech"):
        assert "No results yet" in stage.page(TASK + "leaderboard/?phase=test", name)
    stage.page(runs["Alder 1"], "Beech", status=404)
    assert "100.00" in stage.page(runs["Alder 1"], "organiser")

    stage.move(TEST + DAY)
    runs["Beech 2"] = stage.upload("Beech", "test", en_ewt=GOLD["en_ewt"], bxr_bdt=GOLD["bxr_bdt"])
    runs["Alder 3"] = stage.upload("Alder", "test", **BLIND)
    stage.work()
    return runs


def a_baseline_is_entered(stage: Stage, runs: dict[str, str]) -> None:
    where = stage.organise("baselines/", on="", name="Plain baseline", reason="a point of comparison")
    files = {code: tree(WORDS[code], head_of_last=1) for code in BLIND}
    runs["baseline"] = stage.upload("organiser", "test", to=where, reason="the plain model", **files)
    assert runs["baseline"].startswith("/runs/")
    stage.work()


def a_message_is_released(stage: Stage, runs: dict[str, str]) -> None:
    """A worker wrote something that may depend on gold; the team reads what the organiser made of it."""
    run = id_of(runs["Beech 2"])
    manage("shell", "-c", MESSAGE.format(run=run), environment=stage.environment)
    assert "you have advmod" not in stage.page(runs["Beech 2"], "Beech")
    moderated = stage.page(f"{ORGANISE}runs/{run}/", "organiser")
    assert "you have advmod" in moderated
    match = re.search(rf'action="{ORGANISE}(messages/\w+/)"', moderated)
    assert match is not None
    stage.organise(
        match[1], on=f"runs/{run}/", text="One relation looks odd.", reason="harmless without gold"
    )
    page = stage.page(runs["Beech 2"], "Beech")
    assert "One relation looks odd." in page
    assert "you have advmod" not in page


def an_extension_for_one_team(stage: Stage) -> None:
    """Beech has two hours more than the others, for a reason that is kept; and all had been reminded."""
    stage.move(CLOSING - 20 * HOUR)
    stage.work()
    assert f"closes at {CLOSING:%Y-%m-%d %H:%M} UTC" in stage.page("/notices/", "Alder")
    until = f"{EXTENDED:%Y-%m-%dT%H:%M}"
    stage.organise("calendar/", phase="test", team=stage.team("Beech"), closes_at=until, reason="power cut")
    assert "power cut" in stage.page(ORGANISE + "calendar/", "organiser")
    stage.work()
    assert "is open for Beech until" in stage.page("/notices/", "Beech")


def closing_of_the_extension(stage: Stage, runs: dict[str, str]) -> None:
    files = {"de_gsd": GOLD["de_gsd"]}
    stage.move(EXTENDED - 20 * SECOND)
    assert stage.upload("Cedar", "test", **files) == "phase-closed"
    runs["Beech 3"] = stage.upload("Beech", "test", **files)
    assert runs["Beech 3"].startswith("/runs/")
    stage.move(EXTENDED)
    assert stage.upload("Beech", "test", **files) == "phase-closed"
    stage.work()


def moderation_after_closing(stage: Stage, runs: dict[str, str]) -> None:
    stage.move(EXTENDED + HOUR)
    part = id_of(runs["Beech 1"])
    combined = stage.organise(
        f"runs/{part}/combine/", on=f"runs/{part}/", order="2, 1", official="on", reason="two halves"
    )
    runs["Beech combined"] = f"/runs/{id_of(combined)}/"
    # Alder's last run has one file only; the team may still say which one it means.
    assert stage.act("Alder", runs["Alder 3"], {}, to=f"{runs['Alder 3']}mark-official/") == runs["Alder 3"]
    system = f"{TASK}systems/{stage.system('Cedar')}/"
    values = {"reason": "trained on the test set by mistake"}
    assert stage.act("Cedar", system, values, to=system + "withdraw/") == system
    stage.work()
    page = stage.page(runs["Beech combined"], "Beech")
    assert "Checked: 3 of 3 files are valid." in page
    assert "66.67" not in page
    assert "combined runs 2, 1 of Beech" in stage.page("/notices/", "Beech")


def publish(stage: Stage, reason: str) -> None:
    form = {"reason": reason, "rankings": "test/official"}
    assert stage.act("organiser", TASK + "publish/", form) == TASK + "leaderboard/"


def publication(stage: Stage, runs: dict[str, str]) -> None:
    stage.move(EXTENDED + DAY)
    stage.work()
    assert "No results yet" in stage.page(TASK + "leaderboard/?phase=test")
    publish(stage, "all is checked")
    page = stage.page(TASK + "leaderboard/?phase=test")
    # Names are out, Alder is first, the combined run second, the withdrawn system has no rank.
    table = page[page.index("<tbody") :]
    assert table.index("Alder") < table.index("Beech") < table.index("Plain baseline") < table.index("Cedar")
    assert "withdrawn" in page
    assert "100.00" in page
    assert "88.89" in page, "a third of one of three files is wrong: (100 + 100 + 66.67) / 3"
    assert "88.89" in stage.page(runs["Beech combined"])
    assert "several-roots" not in stage.page(runs["Alder 2"])
    assert "One relation looks odd." not in stage.page(runs["Beech 2"])


def gold_fix(stage: Stage, runs: dict[str, str]) -> None:
    """The German gold was wrong and Beech right. What the public sees changes by publishing, not before."""
    stage.move(EXTENDED + 2 * DAY)
    before = ranking(stage)
    number = len(stage.rows("SELECT 1 FROM submissions_run"))
    imported(stage, ORGANISE + "folder/", folder(de_gsd=CORRECTED))
    waiting = stage.page(ORGANISE + "gold/", "organiser")
    assert "de_gsd</code> version 2" in waiting
    stage.organise("gold/put-in-force/", on="gold/", compared="de_gsd:2", reason="an arc was wrong")
    stage.work()
    assert len(stage.rows("SELECT 1 FROM submissions_run")) == number, "nothing was run again"
    assert "88.89" in stage.page(runs["Beech combined"])
    assert ranking(stage) == before
    stage.move(EXTENDED + 3 * DAY)
    publish(stage, "corrected gold")
    page = stage.page(TASK + "leaderboard/?phase=test")
    table = page[page.index("<tbody") :]
    assert table.index("Beech") < table.index("Alder")
    assert "100.00" in stage.page(runs["Beech combined"])
    sql = "SELECT DISTINCT s.signature FROM standings_standing s JOIN standings_publication_standings p"
    assert len(stage.rows(sql + " ON p.standing_id = s.id WHERE s.ranking = 'official'")) == 2, (
        "both stay citable"
    )


def ranking(stage: Stage) -> str:
    """The table that everybody sees, without the tokens and times around it."""
    page = stage.page(TASK + "leaderboard/?phase=test")
    return page[page.index("<tbody") : page.index("</tbody>")]


def late_runs_are_unofficial(stage: Stage) -> None:
    stage.move(AFTER)
    late = stage.upload("Alder", "post", **BLIND | {"de_gsd": CORRECTED})
    assert late.startswith("/runs/")
    before = ranking(stage)
    stage.work()
    assert "100.00" in stage.page(late)
    assert ranking(stage) == before
    assert "Alder" in stage.page(TASK + "leaderboard/?phase=post")


def gold_is_released(stage: Stage) -> None:
    stage.move(AFTER + DAY)
    stage.page(TASK + "gold/en_ewt.conllu", status=404)
    stage.organise("gold/release/", on="gold/", code="en_ewt", reason="the workshop is over")
    stage.work()
    assert stage.page(TASK + "gold/en_ewt.conllu") == GOLD["en_ewt"]
    stage.page(TASK + "gold/de_gsd.conllu", status=404)


def the_log_tells_it_all(stage: Stage) -> None:
    entries = stage.rows("SELECT action, reason FROM competition_auditentry ORDER BY at, id")
    result = (
        "announce extend-phase release-message combine-runs withdraw-system publish-results enter-baseline"
    )
    result += " put-gold-in-force release-gold import-folder confirm-team grant-quota"
    assert set(result.split()) <= {action for action, _ in entries}
    assert [action for action, _ in entries].count("publish-results") == 2
    free = {"announce", "confirm-team", "mark-official"}
    assert all(reason for action, reason in entries if action in set(result.split()) - free)
    log = stage.page(ORGANISE + "log/", "organiser")
    assert "the workshop is over" in log
    stage.page(ORGANISE + "log/", "Alder", status=404)
