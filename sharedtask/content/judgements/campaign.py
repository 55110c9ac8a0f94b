"""Create the campaign of loaded judgements: pairs, items, annotators and what they chose, already published.

In: the task, the folders and the runs of the systems. Out: a campaign. Items keep the numbers that an export
gave them; otherwise they are numbered in the order of the folders and sentences.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db import transaction

import evaluation
from evaluation.judgements.items import sentence_spans, texts_between
from evaluation.judgements.table import BadJudgements
from sharedtask.accounts.models import User
from sharedtask.competition import audit
from sharedtask.competition.models import Task, TestSet
from sharedtask.competition.treebanks import compare_files
from sharedtask.content.judgements.read import Detail, ItemFiles, JudgedData, JudgedFolder, Judgement
from sharedtask.content.judgements.task import Choices
from sharedtask.core import clock
from sharedtask.judgements.export import SETTINGS
from sharedtask.judgements.models import Annotator, Assignment, Campaign, Item, Pair
from sharedtask.submissions.models import Run

SKIPPED = "skipped"
MAX_NAME = 40


def create_campaign(
    task: Task, data: JudgedData, runs: Mapping[str, Run], *, by: User, title: str, choices: Choices
) -> Campaign:
    at = clock.database_now()
    settings = {name: data.settings[name] for name in SETTINGS if name in data.settings}
    settings |= {"title": title, "items_per_pair": settings.get("items_per_pair", most_items(data))}
    settings.setdefault("judgements_per_item", most_judgements(data))
    if choices.content:
        settings["content_tags"] = list(choices.content)
    if choices.function:
        settings["function_tags"] = list(choices.function)
    with transaction.atomic():
        campaign = Campaign.objects.create(
            task=task,
            created_by=by,
            dispatched_at=None,
            items_requested_at=at,
            drawn_at=at,
            opened_at=at,
            closed_at=at,
            published_at=at,
            **settings,
        )
        campaign.test_sets.set(task.test_sets.all())
        loader = CampaignLoader(campaign=campaign, at=at, separates_annotators=choices.separates_annotators)
        for folder in data.folders:
            loader.add_folder(folder, runs)
        for code, items in data.controls.items():
            loader.add_controls(task.test_sets.get(code=code), items)
        loader.record()
        audit.write(task=task, who=by, action="load-judgements", subject=campaign)
    return campaign


def most_items(data: JudgedData) -> int:
    return max(len({sentence for sentence, _, _ in folder.items.judgements}) for folder in data.folders)


def most_judgements(data: JudgedData) -> int:
    per_item = Counter(
        (folder.code, sentence) for folder in data.folders for sentence, _, _ in folder.items.judgements
    )
    return max(per_item.values(), default=1)


@dataclass(kw_only=True)
class CampaignLoader:
    """Collects items and assignments, and writes them at the end with a few queries."""

    campaign: Campaign
    at: datetime
    separates_annotators: bool
    items: list[Item] = field(default_factory=list)
    assignments: list[Assignment] = field(default_factory=list)
    annotators: dict[str, Annotator] = field(default_factory=dict)

    def add_folder(self, folder: JudgedFolder, runs: Mapping[str, Run]) -> None:
        first, second = (runs[name] for name in folder.systems)
        pair, _ = Pair.objects.get_or_create(campaign=self.campaign, first=first, second=second)
        test_set = self.campaign.task.test_sets.get(code=folder.code)
        places = sentence_places(self.campaign.task, folder)
        self.add_items(folder.items, test_set, pair=pair, places=places)
        if folder.without_gold is not None:
            self.add_items(folder.without_gold, test_set, pair=pair)

    def add_controls(self, test_set: TestSet, files: ItemFiles) -> None:
        self.add_items(files, test_set, kind=Item.Kind.CONTROL)

    def add_items(
        self,
        files: ItemFiles,
        test_set: TestSet,
        *,
        pair: Pair | None = None,
        kind: str = Item.Kind.PAIR,
        places: Sequence[tuple[int, int, str]] = (),
    ) -> None:
        """`places` has begin, end and text of each sentence; without gold, an item has no place in it."""
        item_of: dict[int, Item] = {}
        for sentence in judged_sentences(files):
            trees = [side[sentence - 1] for side in files.trees]
            begin, end, text = places[sentence - 1] if places else (0, 0, text_of(trees[0]))
            item_of[sentence] = Item(
                campaign=self.campaign,
                kind=kind,
                number=files.numbers.get(sentence, 0),
                pair=pair,
                test_set=test_set,
                begin=begin,
                end=end,
                words=sum(line.partition("\t")[0].isdigit() for line in trees[0].split("\n")),
                text=text,
                first_tree=trees[0],
                second_tree=trees[1],
                decided_by=list(files.decided_by.get(sentence, ())),
            )
        self.items.extend(item_of.values())
        self.decide(files, item_of, files.judgements, files.details)
        repeated = sorted({row[0] for row in files.repeats} | {d.sentence for d in files.repeat_details})
        copies = {sentence: repeat_of(item_of[sentence]) for sentence in repeated}
        self.items.extend(copies.values())
        self.decide(files, copies, files.repeats, files.repeat_details)

    def decide(
        self,
        files: ItemFiles,
        item_of: Mapping[int, Item],
        judgements: Sequence[Judgement],
        details: Sequence[Detail],
    ) -> None:
        seconds = {(detail.sentence, detail.annotator): detail.seconds for detail in details}
        for sentence, name, choice in judgements:
            self.assign(
                item_of[sentence],
                name,
                choice=choice_of(files, choice),
                seconds=seconds.get((sentence, name)),
            )
        for detail in details:
            if detail.skipped:
                self.assign(item_of[detail.sentence], detail.annotator, skip_reason=SKIPPED)

    def assign(self, item: Item, name: str, **values: Any) -> None:
        self.assignments.append(
            Assignment(
                item=item,
                annotator=self.annotator(name, item.test_set),
                swapped=False,
                assigned_at=self.at,
                decided_at=self.at,
                **values,
            )
        )

    def annotator(self, name: str, test_set: TestSet) -> Annotator:
        pseudonym = f"{test_set.code}-{name}" if self.separates_annotators else name
        if len(pseudonym) > MAX_NAME:
            raise BadJudgements(
                f"the name of an annotator has more than {MAX_NAME} characters: {name[:80]!r}"
            )
        if pseudonym not in self.annotators:
            self.annotators[pseudonym] = Annotator(campaign=self.campaign, user=None, pseudonym=pseudonym)
        return self.annotators[pseudonym]

    def record(self) -> None:
        Annotator.objects.bulk_create(self.annotators.values())
        self.number_items()
        originals = [item for item in self.items if item.kind != Item.Kind.REPEAT]
        Item.objects.bulk_create(originals)
        repeats = [item for item in self.items if item.kind == Item.Kind.REPEAT]
        for item in repeats:
            # Its original has a key only now.
            item.repeats = item.repeats
        Item.objects.bulk_create(repeats)
        positions: Counter[str] = Counter()
        for assignment in sorted(self.assignments, key=lambda assignment: assignment.item.number):
            pseudonym = assignment.annotator.pseudonym
            positions[pseudonym] += 1
            assignment.position = positions[pseudonym]
            assignment.item, assignment.annotator = assignment.item, assignment.annotator
        Assignment.objects.bulk_create(self.assignments)

    def number_items(self) -> None:
        """Those without a number come after the others."""
        last = max((item.number for item in self.items), default=0)
        for item in self.items:
            if item.number == 0:
                last += 1
                item.number = last


def judged_sentences(files: ItemFiles) -> list[int]:
    skipped = {detail.sentence for detail in (*files.details, *files.repeat_details)}
    judged = {sentence for sentence, _, _ in (*files.judgements, *files.repeats)}
    return sorted(judged | skipped | set(files.numbers))


def repeat_of(original: Item) -> Item:
    return Item(
        campaign=original.campaign,
        kind=Item.Kind.REPEAT,
        number=0,
        pair=original.pair,
        test_set=original.test_set,
        repeats=original,
        begin=original.begin,
        end=original.end,
        words=original.words,
        text=original.text,
        first_tree=original.first_tree,
        second_tree=original.second_tree,
    )


def choice_of(files: ItemFiles, choice: str) -> str:
    first, second = files.stems
    return {first: Assignment.Choice.FIRST, second: Assignment.Choice.SECOND}.get(
        choice, Assignment.Choice.EQUAL
    )


def sentence_places(task: Task, folder: JudgedFolder) -> list[tuple[int, int, str]]:
    """Begin, end and text of every sentence of gold; both outputs must delimit them alike."""
    spans: list[tuple[int, int]] = []
    for path in folder.outputs:
        comparison = compare_files(task, str(folder.gold), str(path))
        spans, other = sentence_spans(comparison)
        if spans != other:
            raise BadJudgements(f"{path}: expected the sentences of {folder.gold.name}, found others")
    texts = texts_between(evaluation.raw_text(comparison.gold), spans)
    return [(begin, end, text) for (begin, end), text in zip(spans, texts, strict=True)]


def text_of(tree: str) -> str:
    return " ".join(surface_forms(tree))


def surface_forms(tree: str) -> Iterator[str]:
    """The tokens of a sentence; words inside a multi-word token are not repeated."""
    inside = 0
    for line in tree.split("\n"):
        number, _, rest = line.partition("\t")
        first, _, last = number.partition("-")
        if last.isdigit():
            inside = int(last)
            yield rest.partition("\t")[0]
        elif first.isdigit() and int(first) > inside:
            yield rest.partition("\t")[0]
