"""The small files of a package: tables and documents of what `Contents` names.

In: `Contents`. Out: text by the name of the file. Rows are sorted and numbers written in full, so that the
same contents are the same bytes: figures as they were computed where gold is released, else as printed.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import evaluation
from evaluation.ranking.spreadsheet import as_csv_text
from sharedtask.archive.package.contents import Contents
from sharedtask.archive.package.explain import place_of, readme
from sharedtask.folders.export import field_values, phase_values
from sharedtask.folders.fields import TASK, TEST_SET
from sharedtask.folders.write_yaml import write_yaml
from sharedtask.standings.figures import figures_of
from sharedtask.standings.models import Standing
from sharedtask.standings.precision import as_printed, document_as_printed
from sharedtask.submissions.models import RunFile, Score

COUNTS = ("gold", "system", "correct", "aligned")


def tables(contents: Contents) -> dict[str, str]:
    files = {
        "README.md": readme(contents),
        "task.yaml": task_yaml(contents),
        "gold.csv": as_csv(gold_rows(contents)),
        "systems.csv": as_csv(system_rows(contents)),
        "scores.csv": as_csv(score_rows(contents)),
    }
    for standing in contents.standings:
        place, data = place_of(standing), document_of(standing, contents)
        files[f"{standing.phase.code}/sets.tsv"] = sets_tsv(data)
        files[f"{place}.txt"] = "".join(f"{one['name']}\n" for one in data["systems"])
        files[f"{place}.json"] = json.dumps(data, ensure_ascii=False, indent=1, sort_keys=True) + "\n"
        files[f"{place}.csv"] = as_csv(figure_rows(standing, contents))
    return files


def whole(standing: Standing) -> dict[str, Any]:
    data: dict[str, Any] = Standing.objects.values_list("data", flat=True).get(pk=standing.pk)
    return data


def document_of(standing: Standing, contents: Contents) -> dict[str, Any]:
    data = whole(standing)
    return data if contents.is_exact(standing) else document_as_printed(data)


def as_csv(rows: Iterable[Sequence[object]]) -> str:
    """No figure in these tables is negative, so that whatever begins like a formula is a name."""
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    writer.writerows([as_csv_text(cell) if isinstance(cell, str) else cell for cell in row] for row in rows)
    return written.getvalue()


def sets_tsv(data: Mapping[str, Any]) -> str:
    rows = [f"{one['code']}\t{','.join(one['groups'])}\t{one['language']}\n" for one in data["test_sets"]]
    return "treebank\tgroup\tlanguage\n" + "".join(rows)


def gold_rows(contents: Contents) -> Iterator[Sequence[object]]:
    """Before its release a gold file's hash is told only under a key of the site."""
    yield "test_set", "language", "tag", "version", "released", "sha256", "keyed_hash"
    for code, one in contents.sets.items():
        gold, test_set = one.gold, one.test_set
        sha256 = gold.sha256 if one.is_out else ""
        released = gold.released_at.isoformat() if one.is_out and gold.released_at else ""
        yield code, test_set.language, test_set.language_tag, gold.number, released, sha256, gold.keyed_hash


def system_rows(contents: Contents) -> Iterator[Sequence[object]]:
    yield "id", "team", "system", "primary", "baseline", "withdrawn", "phase", "run", "received"
    withdrawn = {row["run"] for one in contents.standings for row in one.table["rows"] if row["withdrawn"]}
    for id, run in contents.runs.items():
        flags = [int(flag) for flag in (run.system.is_primary, run.team.is_baseline, id in withdrawn)]
        received = run.received_at.isoformat()
        yield id, contents.names[id], contents.system_names[id], *flags, run.phase.code, run.number, received


def score_rows(contents: Contents) -> Iterator[Sequence[object]]:
    """F1 of what is scored is public with the results; the counts, and F1 unrounded, only where gold is."""
    yield "id", "test_set", "state", "metric", "f1", *COUNTS
    metrics = evaluation.PROFILES[contents.task.profile].metrics
    versions = [one.gold for one in contents.sets.values()]
    scores = {
        (run, code): counts
        for run, code, counts in Score.objects.done()
        .filter(file__run__in=[run.pk for run in contents.runs.values()], gold__in=versions)
        .values_list("file__run__public_id", "file__test_set__code", "counts")
    }
    for run, code, state in files_of(contents):
        counts = scores.get((run, code))
        if counts is None:
            yield run, code, state, "", "", *[""] * len(COUNTS)
            continue
        shown = contents.sets[code].is_out and run in contents.open_runs
        for metric in metrics:
            told = counts[metric]
            numbers = [told[name] for name in COUNTS] if shown else [""] * len(COUNTS)
            figure = f1(told) if shown else as_printed(f1(told))
            yield run, code, state, metric, repr(figure), *numbers


def files_of(contents: Contents) -> Iterator[tuple[str, str, str]]:
    rows = RunFile.objects.filter(run__public_id__in=contents.runs, test_set__code__in=contents.sets)
    rows = rows.order_by("run__public_id", "test_set__code")
    yield from rows.values_list("run__public_id", "test_set__code", "state")


def f1(told: Mapping[str, int]) -> float:
    total = told["gold"] + told["system"]
    return 2 * told["correct"] / total if total else 0.0


def figure_rows(standing: Standing, contents: Contents) -> Iterator[Sequence[object]]:
    yield (
        "id",
        "team",
        "scope",
        "metric",
        "f1",
        "low",
        "high",
        "rank",
        "best_rank",
        "worst_rank",
        "line_below",
    )
    found, is_exact = figures_of(standing), contents.is_exact(standing)
    for row, id in enumerate(found.systems):
        for column, scope in enumerate(found.scopes):
            for place, metric in enumerate(found.metrics):
                at = (row, column, place)
                values = [float(array[at]) for array in (found.f1, found.low, found.high)]
                figures = [number(value if is_exact else as_printed(value)) for value in values]
                ranks = [int(array[at]) or "" for array in (found.rank, found.rank_low, found.rank_high)]
                line = int(found.line_below[at])
                yield id, contents.names.get(id, ""), scope, metric, *figures, *ranks, line


def number(figure: float) -> str:
    return "" if figure != figure else repr(figure)


def task_yaml(contents: Contents) -> str:
    """What of the task's folder is public; an import makes raw text of the released gold in it."""
    task = contents.task
    told = field_values(task, TASK)
    # The name of a group without a set would announce one that is still sealed.
    told["groups"] = [
        group for group in task.groups if any(group in one.test_set.groups for one in contents.sets.values())
    ]
    told["test_sets"] = [
        field_values(one.test_set, TEST_SET) | ({"public_gold": True} if one.is_out else {})
        for one in contents.sets.values()
    ]
    told["phases"] = [phase_values(phase, len(contents.sets)) for phase in contents.phases]
    for phase in told["phases"]:
        if "test_sets" in phase:
            phase["test_sets"] = [code for code in phase["test_sets"] if code in contents.sets]
    return write_yaml(told).decode()
