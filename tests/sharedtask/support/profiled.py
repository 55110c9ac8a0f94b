"""Tiny tasks with profiles other than those of CoNLL 2017 and 2018: their folders, and outputs for them."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import yaml

from evaluation import PROFILES
from sharedtask.competition.models import Task
from sharedtask.folders.load_task import load_task
from tests.sharedtask.support.building import zip_of

COLUMNS = {"conllu": 10, "conllx": 10, "nine": 9}
SENTENCES = 24


def lines(*words: str, reader: str = "conllu", empty: str = "") -> str:
    """A sentence from words such as `Bees NOUN 2 nsubj 2:nsubj`, in the columns of a format."""
    rows = []
    for number, word in enumerate(words, start=1):
        form, tag, head, relation, *deps = word.split()
        tree = [head, relation]
        if reader == "nine":
            rows.append([str(number), form, "_", tag, tag, tag, "_", *tree])
        else:
            rows.append([str(number), form, form.lower(), tag, "_", "_", *tree, *(deps or ["_"]), "_"])
    after = [empty.split()] if empty else []
    return "".join("\t".join(row) + "\n" for row in [*rows, *after]) + "\n"


@dataclass(frozen=True, kw_only=True)
class Miniature:
    """Gold, and an output with an error in every other sentence."""

    profile: str
    gold: str
    wrong: str
    values: dict[str, Any] = field(default_factory=dict)
    public: bool = True
    blind: bool = False
    """Whether the phase is a blind test."""

    def write(self, folder: Path, *, slug: str = "") -> Path:
        (folder / "gold").mkdir(parents=True, exist_ok=True)
        (folder / "gold" / "xx_one.conllu").write_text(self.gold, encoding="utf-8")
        if not self.public and not PROFILES[self.profile].tokens_given:
            (folder / "raw").mkdir(exist_ok=True)
            (folder / "raw" / "xx_one.txt").write_text(self.raw_text(), encoding="utf-8")
        values = {
            "slug": slug or self.profile,
            "title": f"A task with {self.profile}",
            "summary": "One test set.",
            "description": "One paragraph.",
            "profile": self.profile,
            "replicates": 100,
            "phases": [
                {
                    "code": "test" if self.blind else "open",
                    "kind": "test" if self.blind else "development",
                    "title": "Test phase" if self.blind else "Open phase",
                    "feedback": "validity" if self.blind else "scores",
                    "opens_at": datetime(2026, 1, 1, tzinfo=UTC),
                }
            ],
            "test_sets": [{"code": "xx_one", "language": "Latin", "tag": "la", "public_gold": self.public}],
        }
        (folder / "task.yaml").write_text(yaml.safe_dump(values | self.values), encoding="utf-8")
        return folder

    def raw_text(self) -> str:
        """The forms of all sentences, in one paragraph: gold that is not public needs a text of its own."""
        words = [line.split("\t") for line in self.gold.splitlines() if line]
        return " ".join(columns[1] for columns in words if columns[0].isdecimal()) + "\n"

    def load(self, folder: Path) -> Task:
        return load_task(self.write(folder))

    def load_as(self, folder: Path, *, slug: str) -> Task:
        return load_task(self.write(folder, slug=slug))

    def archive(self, text: str) -> bytes:
        return zip_of({"xx_one.conllu": text})


def repeated(sentence: str, other: str) -> tuple[str, str]:
    """Gold, and an output in which every other sentence is the other one."""
    half = SENTENCES // 2
    return sentence * SENTENCES, (sentence + other) * half


BEES = ("Bees NOUN 2 nsubj", "hum VERB 0 root", "now ADV 2 advmod", ". PUNCT 2 punct")
WRONG = ("Bees NOUN 2 nsubj", "hum VERB 0 root", "now ADV 1 advmod", ". PUNCT 2 punct")

_x_gold, _x_wrong = repeated(lines(*BEES, reader="conllx"), lines(*WRONG, reader="conllx"))
PLANK15 = Miniature(profile="plank15", gold=_x_gold, wrong=_x_wrong, values={"reader": "conllx"})

_gold, _wrong = repeated(lines(*BEES), lines(*WRONG))
EVALATIN = Miniature(profile="evalatin", gold=_gold, wrong=_wrong, values={"given_columns": ["UPOS"]})
CONLL18 = Miniature(
    profile="conll18", gold=_gold, wrong=_wrong, values={"extra_metrics": ["TED", "UCP"], "verbs": ["VERB"]}
)

_nine_gold, _nine_wrong = repeated(lines(*BEES, reader="nine"), lines(*WRONG, reader="nine"))
PASCAL12 = Miniature(profile="pascal12", gold=_nine_gold, wrong=_nine_wrong, values={"missing": "exclude"})

# Mary came and Bill <came>: the empty node 4.1 is a verb that is not there.
_graph = (
    "Mary PROPN 2 nsubj 2:nsubj",
    "came VERB 0 root 0:root",
    "and CCONJ 4 cc 4.1:cc",
    "Bill PROPN 2 conj 4.1:nsubj",
)
_EMPTY = "4.1 came come VERB _ _ _ _ 2:conj _"
_poor = (*_graph[:3], "Bill PROPN 2 conj 2:conj:and")
_iw_gold, _iw_wrong = repeated(lines(*_graph, empty=_EMPTY), lines(*_poor, empty=_EMPTY))
IWPT21 = Miniature(profile="iwpt21", gold=_iw_gold, wrong=_iw_wrong)

MINIATURES = {mini.profile: mini for mini in (PLANK15, EVALATIN, IWPT21, PASCAL12, CONLL18)}
