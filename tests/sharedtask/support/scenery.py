"""A site with something on every page: what pictures are taken of, and what is looked through for barriers.

Run in `manage.py shell` on a site that has the demo: it adds a blind task three days before its
deadline, with teams in every state. What workers do is left to the workers of that site.
"""

from __future__ import annotations

import json
from copy import deepcopy
from datetime import UTC, datetime, timedelta
from pathlib import Path

import yaml

from sharedtask.accounts.models import User
from sharedtask.competition.announce import announce
from sharedtask.competition.models import Task
from sharedtask.core.storage import Incoming
from sharedtask.folders.apply import apply
from sharedtask.folders.checks import read_folder
from sharedtask.folders.load_task import load_task
from sharedtask.submissions.accept import Upload
from sharedtask.submissions.models import Alarm, Message, Run
from sharedtask.submissions.workflow import accept_upload
from sharedtask.teams.models import Team
from sharedtask.teams.register import register
from tests.sharedtask.support import references
from tests.sharedtask.support.building import TWO_ROOTS, good_archive, task_folder, zip_of
from tests.sharedtask.support.cascades_scenery import add_experiments
from tests.sharedtask.support.judging_scenery import add_campaigns
from tests.sharedtask.support.software_scenery import add_software

DEMO_GOLD = Path(__file__).parents[3] / "demo" / "gold"
BIBTEX = """\
Please cite the overview:

@inproceedings{arboretum2026,
  title = {Parsing from Raw Text, Once More},
  author = {Larch, Ada and Maple, Noam},
  year = {2026}
}
"""
RULES = "1. Use no gold of the test sets.\n2. One run a day is enough for everybody."


def set_the_scene(folder: Path) -> None:
    task = blind_task(folder)
    organiser, linden, rowan = (User.objects.get(username=name) for name in ("organiser", "linden", "rowan"))
    task.organisers.add(organiser)
    announce(task=task, by=organiser, subject="The test phase is open", text="Good luck to **everybody**.")
    team = register(task=task, name="Linden", members=[linden], confirmed=True)
    Team.objects.filter(pk=team.pk).update(rules_version=1, affiliation="University of the Avenue")
    register(task=task, name="Rowan", members=[rowan])
    upload(task, team, linden, good_archive(en_two=TWO_ROOTS))
    upload(task, team, linden, b"not an archive")
    upload_series(Task.objects.get(slug="demo"))
    task_with_references()


def task_with_references() -> None:
    """Three outputs, which are not all best by the same reference; gold is public from the beginning."""
    (test_set,) = deepcopy(references.VALUES["test_sets"])
    test_set["gold"][0]["public"] = True
    phase = references.VALUES["phases"][0] | {"kind": "development", "feedback": "scores"}
    task = apply(folder=read_folder(references.folder(test_sets=[test_set], phases=[phase])), by=None).task
    for name, text in references.OUTPUTS.items():
        team = register(task=task, name=name, members=[], confirmed=True)
        upload(task, team, None, zip_of({"xx_bees.conllu": text}))


def blind_task(folder: Path) -> Task:
    task_folder(folder, slug="blind", blind=True)
    document = yaml.safe_load((folder / "task.yaml").read_text())
    now = datetime.now(UTC).replace(microsecond=0)
    document |= {"title": "A blind task", "summary": "Two small treebanks, three days before the deadline."}
    document |= {"citation": BIBTEX, "rules": RULES, "rules_version": 1, "contact": "chairs@example.org"}
    document |= {"data_licence": "The texts are in the public domain."}
    document["phases"][0] |= {
        "opens_at": now - timedelta(days=4),
        "closes_at": now + timedelta(days=3, hours=4),
    }
    document["phases"][0] |= {"runs_per_day": 3, "runs_total": 9}
    late = {"code": "late", "kind": "post-evaluation", "title": "After the test", "feedback": "validity"}
    document["phases"].append(late | {"opens_at": now + timedelta(days=30)})
    document["test_sets"][0] |= {"licence": "CC BY-SA 4.0", "note": "short sentences"}
    (folder / "task.yaml").write_text(yaml.safe_dump(document), encoding="utf-8")
    return load_task(folder)


def upload_series(task: Task) -> None:
    """Runs of a team without members, trained, so it says, on samples of growing size."""
    team = register(task=task, name="Yew", members=[], confirmed=True)
    gold = {
        code: (DEMO_GOLD / f"{code}.conllu").read_text(encoding="utf-8") for code in ("de_garten", "en_par")
    }
    for size, every in ((5, 1), (10, 2), (20, 4), (50, 8)):
        archive = zip_of({f"{code}.conllu": with_chains(text, every) for code, text in gold.items()})
        incoming = Incoming()
        incoming.write(archive)
        accept_upload(
            Upload(
                incoming=incoming,
                phase=task.phases.earliest("opens_at"),
                team=team,
                system=team.primary_system,
                uploaded_by=None,
                filename=f"{size}.zip",
                training_size=size,
                training_sample=1,
            )
        )


def with_chains(text: str, every: int) -> str:
    """In every n-th sentence each word depends on the one before it."""
    sentences = text.strip("\n").split("\n\n")
    return "".join(
        (as_chain(sentence) if number % every == 0 else sentence) + "\n\n"
        for number, sentence in enumerate(sentences)
    )


def as_chain(sentence: str) -> str:
    lines = [line.split("\t") for line in sentence.split("\n")]
    for columns in lines:
        if columns[0].isdigit():
            columns[6] = str(int(columns[0]) - 1)
    return "\n".join("\t".join(columns) for columns in lines)


def upload(task: Task, team: Team, by: User | None, archive: bytes) -> Run:
    incoming = Incoming()
    incoming.write(archive)
    return accept_upload(
        Upload(
            incoming=incoming,
            phase=task.phases.get(code="test"),
            team=team,
            system=team.primary_system,
            uploaded_by=by,
            filename="run.zip",
        )
    )


def finish_the_scene() -> None:
    """What is written about runs once workers have looked at them; and a failure of our own."""
    run = Run.objects.filter(task__slug="blind", state="scored").earliest("number")
    Alarm.objects.create(
        run=run, kind="outlier", text="en_two is far below its siblings.", event=f"scene-{run.public_id}"
    )
    Message.objects.create(run=run, original="The root of sentence 1 is word 2, yours is word 3.")
    Message.objects.create(
        run=run,
        original="Sentence 1 has two roots.",
        released="One of your sentences has two roots.",
        released_at=datetime.now(UTC),
    )
    failed = Run.objects.filter(task__slug="blind").latest("number")
    failed.pk = None
    failed.public_id = f"{run.public_id[:-4]}fail"
    failed.number += 1
    failed.state, failed.refusal = "failed", {}
    failed.failure = {"stage": "check", "kind": "MemoryError", "note": "The worker ran out of memory."}
    failed.save()


def addresses() -> str:
    """Ids that the pages of this site have in their addresses, as JSON. Adds software, which nobody runs."""
    blind = Run.objects.filter(task__slug="blind", state="scored").earliest("number")
    demo = Run.objects.get(task__slug="demo", team__name="Hornbeam")
    return json.dumps(
        {
            "blind_run": blind.public_id,
            "run": demo.public_id,
            "system": demo.system.public_id,
            "other": Run.objects.get(task__slug="demo", team__name="Linden").public_id,
            "series": Run.objects.filter(task__slug="demo", team__name="Yew")[0].system.public_id,
            "series_phase": Run.objects.filter(task__slug="demo", team__name="Yew")[0].phase.code,
            "refused": Run.objects.get(task__slug="blind", state="refused").public_id,
            "run_of_references": Run.objects.get(task__slug="bees", team__name="Birch").public_id,
            "team": blind.team.public_id,
            "blind_system": blind.system.public_id,
            **add_software(),
            **add_campaigns(),
            **add_experiments(),
        }
    )
