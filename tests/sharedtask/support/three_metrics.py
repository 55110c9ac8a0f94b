"""A task with three main metrics of equal standing, by which three systems rank in three orders."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import yaml

import evaluation
from evaluation.scoring import breakdown
from sharedtask.analysis.models import FORMAT, Analysis
from sharedtask.competition.models import GoldVersion, Phase, Task
from sharedtask.folders.load_task import load_task
from sharedtask.submissions.models import Run, Score
from tests.sharedtask.support.building import SECOND, task_folder
from tests.sharedtask.support.standing import compare, give_score, scored

MAIN = ("LAS", "MLAS", "BLEX")
SHOWN = (*MAIN, "CLAS", "Tokens", "Words", "Sentences")
FIGURES = {
    "Ash": {"LAS": 0.81, "MLAS": 0.60, "BLEX": 0.66},
    "Birch": {"LAS": 0.78, "MLAS": 0.68, "BLEX": 0.64},
    "Cedar": {"LAS": 0.75, "MLAS": 0.52, "BLEX": 0.70},
}
UNITS = 30


def load(folder: Path, *, slug: str = "three") -> Task:
    """The task of two sentences, with the profile of 2018."""
    task_folder(folder, slug=slug)
    document = yaml.safe_load((folder / "task.yaml").read_text())
    document |= {"title": "Three rankings", "profile": "conll18", "replicates": 100}
    (folder / "task.yaml").write_text(yaml.safe_dump(document), encoding="utf-8")
    return load_task(folder)


def stand(phase: Phase) -> dict[str, Run]:
    """The three systems, scored on every test set and compared."""
    source = np.random.default_rng(18)
    runs = {}
    for name, figures in FIGURES.items():
        run = scored(phase, name, 0.5)
        for file in run.files.all():
            file.scores.all().delete()
            units = {
                metric: np.clip(figure + source.uniform(-0.1, 0.1, UNITS), 0, 1).tolist()
                for metric, figure in {**figures, "CLAS": figures["LAS"] - 0.05, "Words": 0.98}.items()
            }
            give_score(file, units.pop("LAS"), **units)
        runs[name] = run
    compare(phase)
    return runs


def break_down(runs: dict[str, Run]) -> None:
    """As workers do, on the English test set: Birch is right, Ash has a wrong tag and a wrong lemma.

    The tag is the adverb's, the lemma the subject's; all heads and relations are right.
    """
    GoldVersion.objects.update(released_at=runs["Ash"].received_at)
    wrong = SECOND.replace("\tADV\t", "\tX\t").replace("\tbird\t", "\tx\t")
    for name, output in {"Ash": wrong, "Birch": SECOND}.items():
        compared = evaluation.compare(SECOND.encode(), output.encode(), "conll18")
        Analysis.objects.create(
            score=Score.objects.get(file__run=runs[name], file__test_set__code="en_two"),
            format=FORMAT,
            breakdowns=breakdown.break_down(compared).to_bytes(),
        )
