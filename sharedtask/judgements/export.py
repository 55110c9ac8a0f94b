"""A campaign as folders of plain files in a zip file, which `manage.py load_judgements` reads again.

There is a folder per test set and pair of systems, with `gold.conllu`, the outputs of the two systems and
`judgements.tsv`, as `python -m evaluation judgements` reads them. Beside these are `items.tsv` (the number of
each item, and what decided it), `repeats.tsv` (second judgements of the same sentences), `details.tsv` (times
and skipped items) and `without-gold/` (items whose sentence is not one of gold). `controls/` has control
items, and `campaign.json` the settings. Annotators are pseudonyms.
"""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from django.db.models import QuerySet

import evaluation
from evaluation.judgements.items import sentence_spans
from evaluation.judgements.table import COLUMNS, EQUAL
from sharedtask.competition.models import TestSet
from sharedtask.competition.treebanks import compare_files, read_file
from sharedtask.core import storage
from sharedtask.judgements.assign import TAKEN_BACK
from sharedtask.judgements.models import Assignment, Campaign, Item, Pair

SETTINGS_FILE = "campaign.json"
CONTROLS = "controls"
WITHOUT_GOLD = "without-gold"
INTACT, DAMAGED = "intact", "damaged"
ITEM_COLUMNS = ("sentence", "item", "decided_by")
DETAIL_COLUMNS = ("sentence", "annotator", "seconds", "skipped")
SETTINGS = (
    "title",
    "guidelines",
    "consent",
    "items_per_pair",
    "sampling",
    "judgements_per_item",
    "allows_equal",
    "controls",
    "repeats",
    "content_tags",
    "function_tags",
    "seed",
)


@dataclass(frozen=True, kw_only=True)
class ExportFolder:
    name: str
    pair: Pair
    test_set: TestSet
    systems: tuple[str, str]
    """As they are called on the site."""

    @property
    def stems(self) -> tuple[str, str]:
        return file_names(*self.systems)


def export_zip(campaign: Campaign, names: Mapping[int, str]) -> bytes:
    """Call it only for a viewer who may see the items of all test sets."""
    buffer = io.BytesIO()
    folders = list(folders_of(campaign, names))
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(SETTINGS_FILE, settings_file(campaign, folders))
        for folder in folders:
            for name, text in folder_files(folder, read_gold(folder.test_set)).items():
                archive.writestr(f"{folder.name}/{name}", text)
        for test_set in campaign.test_sets.order_by("position", "code"):
            for name, text in control_files(campaign, test_set).items():
                archive.writestr(f"{CONTROLS}/{test_set.code}/{name}", text)
    return buffer.getvalue()


def folders_of(campaign: Campaign, names: Mapping[int, str]) -> Iterator[ExportFolder]:
    """None for a pair that does not differ in a test set, and so has no items there."""
    pairs = list(campaign.pairs.counting())
    with_items = set(campaign.items.values_list("pair", "test_set").distinct().order_by())
    for test_set in campaign.test_sets.order_by("position", "code"):
        for number, pair in enumerate(pairs, start=1):
            if (pair.pk, test_set.pk) not in with_items:
                continue
            yield ExportFolder(
                name=test_set.code if len(pairs) == 1 else f"{test_set.code}-{number}",
                pair=pair,
                test_set=test_set,
                systems=(names[pair.first_id], names[pair.second_id]),
            )


def settings_file(campaign: Campaign, folders: Sequence[ExportFolder]) -> str:
    document = {name: getattr(campaign, name) for name in SETTINGS} | {
        "profile": campaign.task.profile,
        "verbs": campaign.task.verbs,
        "main_metrics": campaign.task.main_metrics,
        "folders": {
            folder.name: {
                "test_set": folder.test_set.code,
                "language": folder.test_set.language,
                "tag": folder.test_set.language_tag,
                "systems": dict(zip(folder.stems, folder.systems, strict=True)),
            }
            for folder in folders
        },
    }
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"


def read_gold(test_set: TestSet) -> evaluation.Treebank:
    version = test_set.gold_in_force
    assert version is not None
    return read_file(test_set.task, storage.read(version.public_copy), name=test_set.code)


def folder_files(folder: ExportFolder, gold: evaluation.Treebank) -> dict[str, str]:
    comparison = compare_files(folder.test_set.task, gold, gold)
    sentence_of = {span: number for number, span in enumerate(sentence_spans(comparison)[0])}
    items = list(folder.pair.items.filter(test_set=folder.test_set, kind=Item.Kind.PAIR).order_by("number"))
    known = [item for item in items if (item.begin, item.end) in sentence_of]
    unknown = [item for item in items if (item.begin, item.end) not in sentence_of]
    trees = "".join(
        gold.sentence_source(sentence_of[item.begin, item.end]).rstrip("\n") + "\n\n" for item in known
    )
    files = {"gold.conllu": trees} | item_files(folder, known)
    if unknown:
        files |= {f"{WITHOUT_GOLD}/{name}": text for name, text in item_files(folder, unknown).items()}
    return files


def item_files(folder: ExportFolder, items: Sequence[Item]) -> dict[str, str]:
    place = {item.pk: number for number, item in enumerate(items, start=1)}
    copies = Item.objects.filter(repeats__in=items).values_list("pk", "repeats")
    repeats = {key: place[original] for key, original in copies if original is not None}
    return tree_files(items, folder.stems) | {
        "judgements.tsv": judgement_lines(place, folder.stems),
        "items.tsv": lines_of(
            ITEM_COLUMNS,
            ((place[item.pk], item.number, ",".join(item.decided_by)) for item in items),
        ),
        "details.tsv": lines_of(DETAIL_COLUMNS, details(place)),
        "repeats.tsv": judgement_lines(repeats, folder.stems),
        "repeat-details.tsv": lines_of(DETAIL_COLUMNS, details(repeats)),
    }


def control_files(campaign: Campaign, test_set: TestSet) -> dict[str, str]:
    items = list(campaign.items.filter(test_set=test_set, kind=Item.Kind.CONTROL).order_by("number"))
    if not items:
        return {}
    place = {item.pk: number for number, item in enumerate(items, start=1)}
    files = tree_files(items, (INTACT, DAMAGED))
    return files | {
        "judgements.tsv": judgement_lines(place, (INTACT, DAMAGED)),
        "details.tsv": lines_of(DETAIL_COLUMNS, details(place)),
    }


def tree_files(items: Iterable[Item], stems: tuple[str, str]) -> dict[str, str]:
    items = list(items)
    return {
        f"{stems[0]}.conllu": "".join(item.first_tree for item in items),
        f"{stems[1]}.conllu": "".join(item.second_tree for item in items),
    }


def judgement_lines(place: Mapping[int, int], stems: tuple[str, str]) -> str:
    """`place` has the number of the sentence of each item, by its key."""
    names = dict(zip((Assignment.Choice.FIRST, Assignment.Choice.SECOND), stems, strict=True))
    judged = counting_assignments(place).exclude(choice="")
    return lines_of(
        COLUMNS,
        (
            (place[item], annotator, names.get(Assignment.Choice(choice), EQUAL))
            for item, annotator, choice in judged.values_list("item", "annotator__pseudonym", "choice")
        ),
    )


def details(place: Mapping[int, int]) -> Iterator[tuple[object, ...]]:
    """Times, and which items were skipped; reasons stay on the site, because they are people's own words."""
    decided = counting_assignments(place).filter(decided_at__isnull=False).exclude(skip_reason=TAKEN_BACK)
    for item, annotator, seconds, reason in decided.values_list(
        "item", "annotator__pseudonym", "seconds", "skip_reason"
    ):
        yield place[item], annotator, "" if seconds is None else seconds, "yes" if reason else "no"


def counting_assignments(place: Mapping[int, int]) -> QuerySet[Assignment]:
    counting = Assignment.objects.filter(item__in=list(place), annotator__excluded_at=None)
    return counting.order_by("item__number", "annotator_id")


def lines_of(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    return "".join("\t".join(map(str, row)) + "\n" for row in (columns, *rows))


def file_names(first: str, second: str) -> tuple[str, str]:
    """Safe names that differ from each other and from `gold`, and keep the order of the two systems."""
    safe = [re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-").lower() or "system" for name in (first, second)]
    return f"1-{safe[0]}", f"2-{safe[1]}"
