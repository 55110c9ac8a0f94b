"""Tracks of a task: what one gives is kept from another, and each has its own runs, quotas and rankings."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable
from copy import deepcopy
from datetime import UTC, datetime
from functools import partial
from html import unescape
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from sharedtask.accounts.models import User
from sharedtask.analysis.analyse import analyse_gold
from sharedtask.archive.package.contents import contents_of
from sharedtask.archive.package.tables import tables
from sharedtask.archive.site.addresses import Addresses
from sharedtask.competition.models import GoldVersion, Phase, StandingRequest, Task
from sharedtask.competition.prepare_gold import prepare_gold
from sharedtask.competition.tracks import find_track
from sharedtask.competition.withheld_inputs import withheld_variants
from sharedtask.core import clock, storage
from sharedtask.core.errors import Refusal
from sharedtask.core.storage import Incoming
from sharedtask.folders.checks import read_folder
from sharedtask.folders.problems import BadTaskFolder
from sharedtask.software.instructions import entry_of
from sharedtask.standings.entries import rules_of
from sharedtask.standings.models import Standing
from sharedtask.standings.publish import NotReady, publish_results
from sharedtask.standings.recompute import recompute_phase
from sharedtask.submissions.accept import Upload
from sharedtask.submissions.alarms.upload_detectors import find_unchanged_files
from sharedtask.submissions.combine import combine
from sharedtask.submissions.mark_official import mark_by_team
from sharedtask.submissions.models import Run, RunFile, Score
from sharedtask.submissions.official import official_runs, official_runs_of
from sharedtask.submissions.workflow import accept_upload
from sharedtask.teams.extend import extend
from sharedtask.teams.models import Team
from sharedtask.teams.register import register
from tests.sharedtask.support.building import zip_of
from tests.sharedtask.support.induction import (
    CLASSES,
    COLUMNS,
    GOLD,
    TAGGED,
    TOKENS,
    TREES,
    VALUES,
    induction_files,
    induction_task,
    induction_values,
)
from tests.sharedtask.support.sending import Sent
from tests.sharedtask.support.working import check_run, score_files

OPEN = [
    {
        "code": "open",
        "kind": "development",
        "title": "Open",
        "feedback": "scores",
        "opens_at": "2026-01-01T00:00:00Z",
    }
]
ANYTIME = [{key: value for key, value in track.items() if key != "phases"} for track in VALUES["tracks"]]
PUBLIC = [{"code": "en_birds", "language": "English", "tag": "en", "public_gold": True}]


pytestmark = pytest.mark.usefixtures("as_worker")


@pytest.fixture
def little(db: None) -> Task:
    return induction_task()


@pytest.fixture
def tracks_team(little: Task, member: User) -> Team:
    return register(task=little, name="Ash", members=[member], confirmed=True)


Send = Callable[..., Run]


@pytest.fixture
def send(member: User, dispatched: list[Sent]) -> Send:
    def send(team: Team, track: str, content: str = TREES, *, phase: str = "first", **more: Any) -> Run:
        incoming = Incoming()
        incoming.write(zip_of({"en_birds.conllu": content}))
        return accept_upload(
            Upload(
                incoming=incoming,
                phase=team.task.phases.get(code=phase),
                team=team,
                system=team.primary_system,
                track=track,
                uploaded_by=member,
                filename="run.zip",
                **more,
            )
        )

    return send


def process(*runs: Run) -> None:
    """What workers do with them, and then the standings."""
    for run in runs:
        check_run(run.public_id)
        score_files(*Score.objects.filter(file__run=run).values_list("public_id", flat=True))
    for request in StandingRequest.objects.select_related("phase__task"):
        recompute_phase(request)


def body_of(response: Any) -> bytes:
    return b"".join(response.streaming_content)


def problems_of(values: dict[str, Any], gold: str = GOLD) -> str:
    with pytest.raises(BadTaskFolder) as refused:
        read_folder(induction_files(values, gold))
    return " ".join(str(problem) for problem in refused.value.problems)


def test_a_track_that_gives_hidden_gold_too_early_is_refused() -> None:
    values = induction_values()
    values["phases"][1]["opens_at"] = "2029-12-31T00:00:00Z"
    problem = problems_of(values)
    assert "tracks[3].given_columns" in problem and "hidden gold of the track tags" in problem
    values["phases"][1]["opens_at"] = "2030-01-01T00:00:00Z"
    read_folder(induction_files(values))


def test_a_blind_track_that_never_closes_refuses_all_others_that_give_its_gold() -> None:
    values = induction_values()
    values["phases"][0]["closes_at"] = None
    assert "hidden gold of the track joint" in problems_of(values)


def test_tracks_may_be_open_together_if_gold_is_public() -> None:
    values = induction_values(tracks=ANYTIME, test_sets=PUBLIC)
    assert read_folder(induction_files(values)).slug == "little"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"main_metrics": ["LAS"]}, "pascal12 has no LAS"),
        ({"other_metrics": ["VM"]}, "VM is already a main metric of this track"),
        ({"phases": ["third"]}, "there is no phase third"),
        ({"reader": "conllu"}, "expected a reader with the columns of nine"),
        ({"input": "tokens", "given_columns": ["UPOSTAG"]}, "give the input with these columns a name"),
        ({"input": "mine", "given_columns": ["COLOUR"]}, "found 'COLOUR', expected columns of LEMMA"),
        ({"code": "joint"}, "joint is already used in line"),
    ],
)
def test_a_track_that_makes_no_sense_is_refused(change: dict[str, Any], message: str) -> None:
    values = induction_values()
    values["tracks"][0] |= change
    assert message in problems_of(values)


def test_every_phase_belongs_to_a_track() -> None:
    values = induction_values(tracks=induction_values()["tracks"][:2])
    assert "no track accepts runs in second" in problems_of(values)


def test_an_input_of_the_organisers_with_gold_tags_must_be_that_of_a_track() -> None:
    values = induction_values()
    values["test_sets"][0]["inputs"] = [{"variant": "extra", "version": 1, "file": "extra.conllu"}]
    files = induction_files(values)
    files = type(files)({**files.files, "extra.conllu": TAGGED.encode()})
    with pytest.raises(BadTaskFolder, match="name it as `input` of the track that gives them"):
        read_folder(files)


def test_the_server_makes_the_inputs_with_every_hidden_column_empty(little: Task) -> None:
    inputs = {file.variant: file for file in little.test_sets.get().inputs.all()}
    assert storage.read(inputs["tokens"].stored).decode() == TOKENS
    assert storage.read(inputs["tagged"].stored).decode() == TAGGED


def test_software_is_given_the_input_of_its_track_alone(little: Task) -> None:
    test_set = little.test_sets.prefetch_related("inputs").get()
    for track, filename in (("tags", "en_birds.tokens.conllu"), ("dependencies", "en_birds.tagged.conllu")):
        entry = entry_of(test_set, find_track(little, track))
        assert list(entry["files"]) == [filename]


@pytest.mark.django_db
def test_gold_of_a_blind_track_is_withheld_until_it_has_closed_for_every_team(
    little: Task, tracks_team: Team, client: Client, member: User
) -> None:
    def withheld(at: datetime) -> bool:
        return "tagged" in withheld_variants(little, at=at)

    assert withheld(clock.database_now()) and not withheld(datetime(2030, 1, 1, tzinfo=UTC))
    input_of = partial(reverse, "input")
    assert client.get(input_of(args=["little", "en_birds", "tagged"])).status_code == 404
    assert body_of(client.get(input_of(args=["little", "en_birds", "tokens"]))).decode() == TOKENS
    page = client.get("/tasks/little/").content.decode()
    assert input_of(args=["little", "en_birds", "tokens"]) in page
    assert input_of(args=["little", "en_birds", "tagged"]) not in page
    with zipfile.ZipFile(io.BytesIO(body_of(client.get(reverse("inputs", args=["little"]))))) as archive:
        assert archive.namelist() == ["little/tokens/en_birds.conllu"]
    extend(
        phase=little.phases.get(code="first"),
        team=tracks_team,
        closes_at=datetime(2030, 3, 1, tzinfo=UTC),
        by=member,
        reason="a power cut",
    )
    assert withheld(datetime(2030, 2, 1, tzinfo=UTC)), "one team can still upload"
    assert not withheld(datetime(2030, 3, 1, tzinfo=UTC))


def test_an_upload_names_a_track_of_its_phase(tracks_team: Team, send: Send) -> None:
    for track in ("", "dependencies", "unknown"):
        with pytest.raises(
            Refusal, match=r"choose a track of First: Tags \(tags\), Joint \(joint\)"
        ) as refused:
            send(tracks_team, track)
        assert refused.value.id == "upload-without-track"
    assert not Run.objects.exists()


def test_quotas_and_official_runs_are_per_track(tracks_team: Team, little: Task, send: Send) -> None:
    tags, joint = send(tracks_team, "tags", CLASSES), send(tracks_team, "joint")
    with pytest.raises(Refusal, match="has used its quota"):
        send(tracks_team, "tags", CLASSES)
    phase = Phase.objects.select_related("task").get(task=little, code="first")
    assert official_runs(phase, "tags")[tracks_team.pk].run == tags
    assert official_runs(phase, "joint")[tracks_team.pk].run == joint
    assert {track: chosen.run for (_, track), chosen in official_runs_of(tracks_team, [phase]).items()} == {
        "tags": tags,
        "joint": joint,
    }


def test_a_mark_in_one_track_leaves_the_other_alone(tracks_team: Team, send: Send, member: User) -> None:
    tags, joint = send(tracks_team, "tags", CLASSES), send(tracks_team, "joint")
    mark_by_team(run=tags, by=member)
    mark_by_team(run=joint, by=member)
    assert Run.objects.exclude(marked_official_at=None).count() == 2


def test_runs_of_different_tracks_cannot_be_amended_or_combined(
    tracks_team: Team, send: Send, member: User
) -> None:
    tags, joint = send(tracks_team, "tags", CLASSES), send(tracks_team, "joint")
    process(*Run.objects.all())
    runs = [Run.objects.get(pk=run.pk) for run in (tags, joint)]
    with pytest.raises(Refusal, match="same phase and track"):
        send(tracks_team, "joint", amends=runs[0])
    with pytest.raises(Refusal, match="same system, track and phase"):
        combine(parts=runs, by=member, reason="late files")


@pytest.mark.parametrize(
    ("track", "content", "incident", "told"),
    [
        (
            "tags",
            CLASSES.replace("sing", "sang"),
            "tokens-differ",
            ("line 2", "“sang” as word 2 of sentence 1", "“sing” as word 2 of sentence 1"),
        ),
        (
            "joint",
            TREES.replace("2\tsing\t_\t_\t_\t_\t_\t0", "2\tsing\t_\t_\t_\t_\t_\t1"),
            "cycle",
            ("line 1", "1 → 2 → 1", "heads that lead to the root"),
        ),
        (
            "joint",
            TREES.replace("1\tBirds\t_\t_\t_\t_\t_\t2", "1\tBirds\t_\t_\t_\t_\t_\t3").replace(
                "3\tloudly\t_\t_\t_\t_\t_\t2", "3\tloudly\t_\t_\t_\t_\t_\t1"
            ),
            "cycle",
            ("line 1", "1 → 3 → 1", "heads that lead to the root"),
        ),
        (
            "joint",
            TREES.replace("\tsing\t", "\tsing\t_\t"),
            "wrong-columns",
            ("line 2", "10 columns", "9 columns"),
        ),
        ("joint", CLASSES, "head-malformed", ("line 1", "“_”", "a decimal number")),
    ],
    ids=["other tokens", "no root", "a cycle", "ten columns", "no heads"],
)
def test_a_bad_file_is_reported_with_its_incident(
    tracks_team: Team,
    send: Send,
    track: str,
    content: str,
    incident: str,
    told: tuple[str, ...],
    member: User,
    client: Client,
    stored: Callable[[str], list[str]],
) -> None:
    """The team reads the line, what was found and what was expected; nothing is half-stored."""
    run = send(tracks_team, track, content)
    process(run)
    file = RunFile.objects.get()
    assert file.state == "invalid" and incident in file.incident_counts
    assert not file.scores.exists() and stored("counts") == []
    client.force_login(member)
    page = unescape(client.get(f"/runs/{run.public_id}/").content.decode())
    assert all(words in page for words in told)


def test_a_file_of_the_tags_track_needs_no_heads_and_is_scored_by_its_metrics_alone(
    tracks_team: Team, send: Send
) -> None:
    send(tracks_team, "tags", CLASSES)
    process(*Run.objects.all())
    file = RunFile.objects.get()
    assert file.state == "valid"
    assert set(file.scores.get().counts) == {"VM", "VI", "M-1", "1-1"}
    standing = Standing.objects.get(track="tags", ranking="official")
    assert standing.table["metrics"] == ["VM", "VI", "M-1", "1-1"]
    assert "|track:tags|" in standing.signature and "|reader:nine-tags|" in standing.signature


def test_results_of_all_tracks_of_a_phase_are_published_together(
    little: Task, tracks_team: Team, send: Send, member: User
) -> None:
    send(tracks_team, "tags", CLASSES)
    send(tracks_team, "joint")
    process(*Run.objects.all())
    Phase.objects.filter(task=little, code="first").update(closes_at=clock.database_now())
    little.organisers.add(member)
    with pytest.raises(NotReady, match="First, Joint, official: results of all tracks"):
        publish_results(task=little, by=member, reason="done", rankings=["first/tags/official"])
    publication = publish_results(
        task=little, by=member, reason="done", rankings=["first/tags/official", "first/joint/official"]
    )
    assert {standing.track for standing in publication.standings.all()} == {"tags", "joint"}
    files = tables(contents_of(publication, at=clock.database_now()))
    assert {"first/tags/official.json", "first/joint/official.csv", "first/sets.tsv"} <= set(files)
    assert "Standings of a track are in `<phase>/<track>/`" in files["README.md"]
    assert {row.split(",")[3] for row in files["scores.csv"].splitlines()[1:]} == {
        *("VM", "VI", "M-1", "1-1"),
        *("Directed", "Undirected", "NED"),
    }
    assert "tracks:" in files["task.yaml"]


def test_the_archive_has_a_page_for_each_track() -> None:
    defaults = {("metric", "VM"), ("phase", "first"), ("track", "tags"), ("ranking", "official")}
    addresses = Addresses("little", frozenset(defaults))
    board, page = "/tasks/little/leaderboard/", "/tasks/little/"
    assert addresses.archived_address(f"{board}?track=tags&metric=VM", page) == board
    other = addresses.archived_address(f"{board}?track=joint&metric=VM", page)
    assert other == f"{board}?track=joint&metric=VM", "the default metric of another track is another one"
    assert str(addresses.file_of(other)) == "leaderboard/track-joint.metric-VM.html"


def test_a_track_with_runs_cannot_be_removed(little: Task, tracks_team: Team, send: Send) -> None:
    send(tracks_team, "tags", CLASSES)
    values = deepcopy(VALUES)
    del values["tracks"][0]
    with pytest.raises(BadTaskFolder, match="tags is not in the folder, but it has runs"):
        induction_task(**values)


def test_a_task_without_tracks_has_rules_and_signatures_as_before(task: Task) -> None:
    assert task.tracks == [] and "track" not in rules_of(task)


def test_an_open_phase_ranks_the_last_run_of_each_track(db: None, member: User, send: Send) -> None:
    task = induction_task(tracks=ANYTIME, test_sets=PUBLIC, phases=OPEN)
    team = register(task=task, name="Elm", members=[member], confirmed=True)
    for track, content in (("tags", CLASSES), ("joint", TREES), ("dependencies", TREES)):
        send(team, track, content, phase="open")
        send(team, track, content, phase="open")
    process(*Run.objects.all())
    assert {(standing.track, len(standing.table["rows"])) for standing in Standing.objects.all()} == {
        (track, 1) for track in ("tags", "joint", "dependencies")
    }
    assert list(find_track(task, "dependencies").given_columns) == COLUMNS  # type: ignore[union-attr]


def test_results_link_to_sentences_only_in_tracks_with_trees_and_keep_the_track(
    member: User, send: Send, client: Client
) -> None:
    task = induction_task(tracks=ANYTIME, test_sets=PUBLIC, phases=OPEN)
    team = register(task=task, name="Elm", members=[member], confirmed=True)
    for track, content in (("tags", CLASSES), ("dependencies", TREES)):
        send(team, track, content, phase="open")
    process(*Run.objects.all())
    for version in GoldVersion.objects.all():
        prepare_gold(version.pk)
        analyse_gold(version.pk)
    for page in ("/tasks/little/matrix/", "/tasks/little/sets/en_birds/"):
        for track, links in (("tags", 0), ("dependencies", 1)):
            text = client.get(page, {"track": track}).content.decode()
            addresses = re.findall(r'href="(/tasks/little/sets/en_birds/sentences/\?system=[^"]+)"', text)
            assert len(set(addresses)) == links, (page, track)
            assert all(client.get(unescape(address)).status_code == 200 for address in addresses)
            assert f'href="/tasks/little/systems/{team.primary_system.public_id}/?track={track}"' in text
            assert f'href="/tasks/little/leaderboard/?track={track}"' in text


def test_the_same_files_in_another_track_are_no_alarm(member: User, send: Send) -> None:
    task = induction_task(tracks=ANYTIME, test_sets=PUBLIC, phases=OPEN)
    team = register(task=task, name="Elm", members=[member], confirmed=True)
    tags, joint, again = (send(team, track, TREES, phase="open") for track in ("tags", "joint", "joint"))
    for run in (tags, joint, again):
        check_run(run.public_id)
    assert not list(find_unchanged_files(joint))
    (finding,) = find_unchanged_files(again)
    assert f"run {joint.number}: en_birds" in finding.text and f"run {tags.number}:" not in finding.text
