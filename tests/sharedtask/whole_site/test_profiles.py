"""Tasks with every profile through the site: import, upload, check, scores, standings, pages, the package."""

from __future__ import annotations

import csv
import io
import re
import zipfile
from collections.abc import Callable
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from evaluation.ranking.results import EVERYTHING
from sharedtask.accounts.models import User
from sharedtask.competition.metrics import presentation_of
from sharedtask.competition.models import InputFile, Task
from sharedtask.competition.release_gold import release_gold
from sharedtask.core import storage
from sharedtask.folders.load_task import load_task
from sharedtask.folders.problems import BadTaskFolder
from sharedtask.standings.figures import figures_of
from sharedtask.standings.models import Standing
from sharedtask.standings.publish import publish_results
from sharedtask.submissions.models import Run, Score
from sharedtask.teams.register import register
from tests.sharedtask.support.profiled import (
    BEES,
    CONLL18,
    EVALATIN,
    IWPT21,
    MINIATURES,
    PASCAL12,
    PLANK15,
    SENTENCES,
    Miniature,
    lines,
)
from tests.sharedtask.support.standing import close_now

pytestmark = pytest.mark.django_db(transaction=True)
Work = Callable[[], None]

PAGES = (
    *("", "leaderboard/", "leaderboard.csv", "leaderboard.json", "matrix/", "matrix.csv", "systems/"),
    *("sets/", "sets/xx_one/", "sets/xx_one/sentences/", "tables/", "upload/", "team/"),
)


@pytest.fixture
def team(db: None) -> None:
    """The fixture `upload` takes a team of the small task, which is not needed here."""


@pytest.fixture
def stand(
    tmp_path: Path, member: User, upload: Callable[..., Run], work: Work
) -> Callable[[Miniature], Task]:
    """Ash submits gold, and Birch an output with errors."""

    def stand(mini: Miniature) -> Task:
        task = mini.load(tmp_path / mini.profile)
        for name, text in (("Ash", mini.gold), ("Birch", mini.wrong)):
            members = [member] if name == "Birch" else []
            team = register(task=task, name=name, members=members, confirmed=True)
            upload(mini.archive(text), team=team)
        work()
        return task

    return stand


def text_of(client: Client, address: str, status: int = 200) -> str:
    response = client.get(address)
    assert response.status_code == status, address
    content: Any = response.getvalue() if response.streaming else response.content
    return unescape(content.decode())


def figures(task: Task, metric: str) -> dict[str, tuple[float, float, float]]:
    """By team: the figure and its interval."""
    standing = Standing.objects.get(task=task)
    stored = figures_of(standing)
    runs = {run.public_id: run.team.name for run in task.runs.all()}
    cells = stored.scopes.index(EVERYTHING), stored.metrics.index(metric)
    return {
        runs[id]: tuple(round(float(array[row, *cells]), 4) for array in (stored.f1, stored.low, stored.high))
        for row, id in enumerate(stored.systems)
    }


@pytest.mark.parametrize("mini", MINIATURES.values(), ids=MINIATURES)
def test_a_task_of_every_profile_has_scores_standings_and_pages(
    mini: Miniature, stand: Callable[[Miniature], Task], member: User, client: Client
) -> None:
    task = stand(mini)
    assert {run.state for run in task.runs.all()} == {"scored"}, Score.objects.values_list("failure")
    client.force_login(member)
    birch = task.runs.get(team__name="Birch")
    pages = [f"/tasks/{task.slug}/{page}" for page in PAGES]
    pages += [f"/runs/{birch.public_id}/", f"/tasks/{task.slug}/systems/{birch.system.public_id}/"]
    sentence = f"/tasks/{task.slug}/sets/xx_one/sentences/2/"
    pages += [f"{sentence}?system={birch.public_id}", f"{sentence}trees.svg?system={birch.public_id}"]
    for address in pages:
        assert len(text_of(client, address)) > 100, address
    exported = text_of(client, f"{sentence}lines.conllu?system={birch.public_id}")
    assert exported.count("# source = ") == 2, "one sentence of gold, and one of the system"
    main = task.main_metrics[0]
    (ash, *interval), (wrong, low, high) = (figures(task, main)[name] for name in ("Ash", "Birch"))
    assert low < wrong < high, "resampling draws some of the sentences with errors"
    assert ash == interval[0] == interval[1]
    rows = list(csv.reader(io.StringIO(text_of(client, f"/tasks/{task.slug}/leaderboard.csv"))))
    assert any("Birch" in row for row in rows)


def test_figures_of_whole_trees_are_those_of_the_definitions(
    stand: Callable[[Miniature], Task], client: Client
) -> None:
    """In every other sentence one of three words (the full stop does not count) has the wrong head."""
    task = stand(PLANK15)
    assert figures(task, "LAS")["Birch"][0] == round(5 / 6, 4)
    assert figures(task, "UND")["Birch"][0] == round(5 / 6, 4)
    assert figures(task, "UCP")["Birch"][0] == 0.5, "the verb has lost a child in half of the sentences"
    # Of five nodes of a tree, three are spans of one word and two have others.
    assert figures(task, "TED")["Ash"][0] == 1.0 > figures(task, "TED")["Birch"][0] > 0.5
    page = text_of(client, f"/tasks/{task.slug}/leaderboard/")
    assert "TED" in page and "50.00" in page


def test_sentences_are_sorted_by_ted_and_filtered_by_complete_predicates(
    stand: Callable[[Miniature], Task], client: Client
) -> None:
    task = stand(PLANK15)
    birch = task.runs.get(team__name="Birch").public_id
    address = f"/tasks/{task.slug}/sets/xx_one/sentences/?system={birch}"

    def numbers(query: str) -> list[int]:
        found = re.findall(r"/sentences/(\d+)/\?", text_of(client, address + query))
        return [int(number) for number in dict.fromkeys(found)]

    wrong = list(range(2, SENTENCES + 1, 2))
    right = list(range(1, SENTENCES + 1, 2))
    assert numbers("&sort=TED") == [*wrong, *right]
    assert numbers("&sort=-TED") == [*right, *wrong]
    assert numbers("&full=UCP&sort=order") == right
    assert numbers("&full=-UCP&sort=order") == wrong
    assert numbers("&full=nonsense&sort=nonsense") == [*wrong, *right], "nonsense is the default"
    page = text_of(client, address + "&sort=TED")
    assert "worst TED first" in page and "every predicate complete (UCP)" in page
    single = text_of(client, f"/tasks/{task.slug}/sets/xx_one/sentences/2/?system={birch}")
    assert "Metrics on this sentence" in single


def test_metrics_of_whole_trees_are_options_of_other_profiles(
    stand: Callable[[Miniature], Task], client: Client, tmp_path: Path
) -> None:
    task = stand(CONLL18)
    assert figures(task, "UCP")["Birch"][0] == 0.5
    board = text_of(client, f"/tasks/{task.slug}/leaderboard/")
    assert "TED" in board and "UCP" in board
    changed = Miniature(
        profile="conll18", gold=CONLL18.gold, wrong="", values=CONLL18.values | {"extra_metrics": []}
    )
    with pytest.raises(BadTaskFolder, match="extra_metrics: found nothing, expected TED, UCP"):
        changed.load(tmp_path / "changed")


def test_enhanced_graphs_are_drawn_with_empty_nodes(
    stand: Callable[[Miniature], Task], client: Client
) -> None:
    task = stand(IWPT21)
    # Of gold's four edges (one through the empty node), the output has three.
    assert figures(task, "ELAS")["Birch"][0] == round((4 + 3) / 8, 4)
    birch = task.runs.get(team__name="Birch").public_id
    sentence = f"/tasks/{task.slug}/sets/xx_one/sentences/2/"
    page = text_of(client, f"{sentence}?system={birch}")
    assert "Enhanced graphs" in page
    assert page.count('class="word empty"') == 2, "the empty node of gold, and that of the system"
    graphs = text_of(client, f"{sentence}enhanced.svg?system={birch}")
    assert graphs.startswith("<svg xmlns=") and graphs.count('class="arc wrong-head"') == 2
    assert text_of(client, f"{sentence}enhanced.svg").count('class="arc wrong-head"') == 0


def test_a_task_without_enhanced_graphs_has_no_drawing_of_them(
    stand: Callable[[Miniature], Task], client: Client
) -> None:
    task = stand(CONLL18)
    assert "Enhanced graphs" not in text_of(client, f"/tasks/{task.slug}/sets/xx_one/sentences/2/")
    text_of(client, f"/tasks/{task.slug}/sets/xx_one/sentences/2/enhanced.svg", 404)


def test_given_tokens_have_every_hidden_column_empty(
    stand: Callable[[Miniature], Task], client: Client, member: User
) -> None:
    task = stand(EVALATIN)
    test_set = task.test_sets.get()
    given = test_set.given_input
    assert given is not None and given.variant == InputFile.TOKENS
    first = storage.read(given.stored).decode().split("\n\n")[0]
    assert first == (
        "1\tBees\t_\tNOUN\t_\t_\t_\t_\t_\t_\n2\thum\t_\tVERB\t_\t_\t_\t_\t_\t_\n"
        "3\tnow\t_\tADV\t_\t_\t_\t_\t_\t_\n4\t.\t_\tPUNCT\t_\t_\t_\t_\t_\t_"
    )
    address = f"/tasks/{task.slug}/inputs/xx_one/tokens"
    assert address in text_of(client, f"/tasks/{task.slug}/")
    text_of(client, f"/tasks/{task.slug}/inputs/xx_one.txt", 404)
    assert given.characters == len("Beeshumnow.") * SENTENCES


def test_an_output_with_other_tokens_is_invalid_and_quotes_the_input_only(
    stand: Callable[[Miniature], Task], client: Client, member: User, upload: Callable[..., Run], work: Work
) -> None:
    task = stand(EVALATIN)
    other = EVALATIN.gold.replace("Bees", "Wasps", 1)
    run = upload(EVALATIN.archive(other), team=task.teams.get(name="Birch"))
    work()
    file = run.files.get()
    assert file.state == "invalid"
    (incident,) = file.incidents
    assert incident["id"] == "tokens-differ"
    assert "“Wasps” as word 1 of sentence 1" in incident["found"]
    assert "“Bees” as word 1 of sentence 1" in incident["expected"]
    client.force_login(member)
    page = text_of(client, f"/runs/{run.public_id}/")
    assert "Wasps" in page


@pytest.mark.parametrize(
    ("mini", "text", "incident", "told"),
    [
        (PASCAL12, lines(*BEES), "wrong-columns", ("10 columns", "9 columns")),
        (PLANK15, lines(*BEES, reader="nine"), "wrong-columns", ("9 columns", "10 columns")),
        (
            PASCAL12,
            PASCAL12.gold.replace("\t2\tnsubj", "\t3\tnsubj", 1).replace("\t2\tadvmod", "\t1\tadvmod", 1),
            "cycle",
            ("1 → 3 → 1", "heads that lead to the root"),
        ),
    ],
)
def test_an_output_in_another_format_is_invalid(
    mini: Miniature,
    text: str,
    incident: str,
    told: tuple[str, ...],
    stand: Callable[[Miniature], Task],
    member: User,
    upload: Callable[..., Run],
    work: Work,
    client: Client,
) -> None:
    task = stand(mini)
    run = upload(mini.archive(text), team=task.teams.get(name="Birch"))
    work()
    file = run.files.get()
    assert file.state == "invalid"
    assert incident in file.incident_counts, file.incident_counts
    assert not file.scores.exists(), "nothing is scored"
    client.force_login(member)
    page = text_of(client, f"/runs/{run.public_id}/")
    assert all(words in page for words in ("line 1", *told))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"profile": "conll99"}, "profile: found 'conll99', expected one of conll17, conll18"),
        ({"extra_metrics": ["BLEU"]}, "BLEU cannot be added"),
        ({"main_metrics": ["BLEU"]}, "has no BLEU"),
        ({"reader": "xml"}, "reader: found 'xml', expected one of conllu, conllu-roots, conllx, nine"),
        ({"profile": "conll18", "given_columns": ["UPOS"]}, "gives participants raw text"),
        ({"given_columns": ["COLOUR"]}, "found 'COLOUR', expected columns of LEMMA"),
    ],
)
def test_a_folder_that_names_what_does_not_exist_is_refused(
    values: dict[str, Any], message: str, tmp_path: Path
) -> None:
    mini = Miniature(profile="evalatin", gold=EVALATIN.gold, wrong="", values=values)
    with pytest.raises(BadTaskFolder, match=re.escape(message)):
        mini.load(tmp_path)
    assert not Task.objects.exists()


def test_tokens_of_the_organisers_must_be_those_of_gold(tmp_path: Path) -> None:
    mini = Miniature(profile="evalatin", gold=EVALATIN.gold, wrong="")
    folder = mini.write(tmp_path)
    (folder / "tokens.conllu").write_text(EVALATIN.gold.replace("Bees", "Wasps", 1), encoding="utf-8")
    described = (folder / "task.yaml").read_text(encoding="utf-8")
    entry = "\n  inputs: [{variant: tokens, version: 1, file: tokens.conllu}]\n  language:"
    (folder / "task.yaml").write_text(described.replace("\n  language:", entry), encoding="utf-8")
    with pytest.raises(BadTaskFolder, match="tokens-differ"):
        load_task(folder)


@pytest.mark.parametrize("mini", MINIATURES.values(), ids=MINIATURES)
def test_results_of_every_profile_are_compared_packed_and_archived(
    mini: Miniature, stand: Callable[[Miniature], Task], work: Work, client: Client, tmp_path: Path
) -> None:
    task = stand(replace(mini, public=False, blind=True))
    organiser = User.objects.create_user("organiser")
    task.organisers.add(organiser)
    close_now(task)
    release_gold(task=task, by=organiser, reason="All is over.")
    work()
    publish_results(task=task, by=organiser, reason="The task is over.")
    work()
    main = task.main_metrics[0]
    runs = {run.team.name: run.public_id for run in task.runs.all()}
    printed = presentation_of(task, main).text(official_figures(task, main)[runs["Birch"]])
    compared = text_of(client, f"/tasks/{task.slug}/compare/?with={runs['Ash']}&with={runs['Birch']}")
    assert printed in compared and main in compared
    package = client.get(f"/tasks/{task.slug}/results.zip")
    assert package.status_code == 200
    with zipfile.ZipFile(io.BytesIO(b"".join(package.streaming_content))) as archive:  # type: ignore[arg-type]
        scores = archive.read(f"{task.slug}/scores.csv").decode()
    (packed,) = [
        row["f1"]
        for row in csv.DictReader(io.StringIO(scores))
        if row["id"] == runs["Birch"] and row["metric"] == main
    ]
    assert presentation_of(task, main).text(float(packed)) == printed
    call_command("archive", task.slug, str(tmp_path / "archive"))
    pages = [page.read_text(encoding="utf-8") for page in (tmp_path / "archive").rglob("*.html")]
    assert any(f">{printed}<" in page for page in pages)


def official_figures(task: Task, metric: str) -> dict[str, float]:
    """By the public id of the run."""
    figures = figures_of(Standing.objects.get(task=task, ranking="official"))
    cells = figures.scopes.index(EVERYTHING), figures.metrics.index(metric)
    return {id: float(figures.f1[row, *cells]) for row, id in enumerate(figures.systems)}
