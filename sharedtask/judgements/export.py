"""A campaign as folders of plain files, one per pair of systems and test set, in a zip file.

Each folder has `gold.conllu`, the outputs of the two systems and `judgements.tsv`, as
`python -m evaluation judgements` reads them. Sentences are those of the items; annotators are pseudonyms.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Mapping

import evaluation
from evaluation.judgements.items import sentence_spans
from sharedtask.competition.models import TestSet
from sharedtask.competition.treebanks import compare_files, read_file
from sharedtask.core import storage
from sharedtask.judgements.models import Assignment, Campaign, Item, Pair

HEADER = "sentence\tannotator\tchoice\n"


def export_zip(campaign: Campaign, names: Mapping[int, str]) -> bytes:
    """Call it only for a viewer who may see the items of all test sets."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for test_set in campaign.test_sets.order_by("position", "code"):
            gold = read_gold(test_set)
            for pair in campaign.pairs.counting():
                systems = file_names(names[pair.first_id], names[pair.second_id])
                folder = f"{test_set.code}-{systems[0]}-{systems[1]}"
                for name, text in folder_files(pair, test_set, gold, systems).items():
                    archive.writestr(f"{folder}/{name}", text)
    return buffer.getvalue()


def read_gold(test_set: TestSet) -> evaluation.Treebank:
    version = test_set.gold_in_force
    assert version is not None
    return read_file(test_set.task, storage.read(version.public_copy), name=test_set.code)


def folder_files(
    pair: Pair, test_set: TestSet, gold: evaluation.Treebank, systems: tuple[str, str]
) -> dict[str, str]:
    comparison = compare_files(test_set.task, gold, gold)
    sentence_of = {span: number for number, span in enumerate(sentence_spans(comparison)[0])}
    every = pair.items.filter(test_set=test_set, kind=Item.Kind.PAIR).order_by("number")
    items = [item for item in every if (item.begin, item.end) in sentence_of]
    place = {item.pk: number for number, item in enumerate(items, start=1)}
    choice_names = {
        Assignment.Choice.FIRST: systems[0],
        Assignment.Choice.SECOND: systems[1],
        Assignment.Choice.EQUAL: "equal",
    }
    judged = Assignment.objects.filter(item__in=items, annotator__excluded_at=None).judged()
    lines = [
        f"{place[row.item_id]}\t{row.annotator.pseudonym}\t{choice_names[Assignment.Choice(row.choice)]}\n"
        for row in judged.select_related("annotator").order_by("item__number", "annotator_id")
    ]
    return {
        "gold.conllu": "".join(
            gold.sentence_source(sentence_of[item.begin, item.end]).rstrip("\n") + "\n\n" for item in items
        ),
        f"{systems[0]}.conllu": "".join(item.first_tree for item in items),
        f"{systems[1]}.conllu": "".join(item.second_tree for item in items),
        "judgements.tsv": HEADER + "".join(lines),
    }


def file_names(first: str, second: str) -> tuple[str, str]:
    """Safe names that differ from each other and from `gold`, and keep the order of the two systems."""
    safe = [re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-").lower() or "system" for name in (first, second)]
    return f"1-{safe[0]}", f"2-{safe[1]}"
