"""The tables and documents of a data package.

In: `Contents`. Out: text by file name. Rows are sorted and formatting is fixed, so that the same contents
give the same bytes. Figures are unrounded where gold is released, otherwise in printed precision.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from evaluation.ranking.render import as_csv as table_as_csv
from evaluation.ranking.spreadsheet import as_csv_text
from sharedtask.archive.package.contents import Contents, PackagedExperiment, PackagedSet
from sharedtask.archive.package.explain import place_of, readme
from sharedtask.cascades.results import Query, as_json, rows_of, tables_of
from sharedtask.competition.metrics import metrics_of, presentations_of
from sharedtask.folders.export import field_values, phase_values
from sharedtask.folders.fields import TASK, TEST_SET
from sharedtask.folders.write_yaml import write_yaml
from sharedtask.standings.document import document_of
from sharedtask.standings.figures import figures_of
from sharedtask.standings.models import Standing
from sharedtask.standings.precision import as_printed, document_as_printed
from sharedtask.submissions.average import figure_of
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
        place, data = place_of(standing, standing.phase), published_document(standing, contents)
        files[f"{standing.phase.code}/sets.tsv"] = sets_tsv(data)
        files[f"{place}.txt"] = "".join(f"{system['name']}\n" for system in data["systems"])
        files[f"{place}.json"] = json.dumps(data, ensure_ascii=False, indent=1, sort_keys=True) + "\n"
        files[f"{place}.csv"] = as_csv(figure_rows(standing, contents))
    for id, item in contents.experiments.items():
        files |= {f"cascades/{id}/{name}": text for name, text in experiment_files(item).items()}
    return files


def experiment_files(item: PackagedExperiment) -> dict[str, str]:
    """What its page offers for all test sets together, and the figures of each test set."""
    codes = [each.test_set.code for each in item.experiment.sets.all()]
    files = {}
    for query in (Query(), *(Query(code=code) for code in codes)):
        systems = [(item.system, rows_of(item.experiment, query))]
        files[f"sets/{query.code}.json" if query.code else "all.json"] = as_json(systems, query)
        if not query.code:
            files |= {f"{table.name}.csv": table_as_csv(table) for table in tables_of(systems, query)}
    return files


def published_document(standing: Standing, contents: Contents) -> dict[str, Any]:
    data = document_of(standing)
    presentations = presentations_of(contents.task)
    data = data if contents.is_exact(standing) else document_as_printed(data, presentations)
    return {**data, "signature": contents.signature(standing)}


def as_csv(rows: Iterable[Sequence[object]]) -> str:
    """No figure in these tables is negative, so text that begins like a formula is always a name."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerows([as_csv_text(cell) if isinstance(cell, str) else cell for cell in row] for row in rows)
    return buffer.getvalue()


def sets_tsv(data: Mapping[str, Any]) -> str:
    rows = [f"{row['code']}\t{','.join(row['groups'])}\t{row['language']}\n" for row in data["test_sets"]]
    return "treebank\tgroup\tlanguage\n" + "".join(rows)


def gold_rows(contents: Contents) -> Iterator[Sequence[object]]:
    """Before release, only a keyed hash of a gold file is public."""
    yield "test_set", "language", "tag", "version", "released", "sha256", "keyed_hash"
    for code, item in contents.sets.items():
        gold, test_set = item.gold, item.test_set
        sha256 = gold.sha256 if item.gold_is_public else ""
        released = gold.released_at.isoformat() if item.gold_is_public and gold.released_at else ""
        yield code, test_set.language, test_set.language_tag, gold.number, released, sha256, gold.keyed_hash


def system_rows(contents: Contents) -> Iterator[Sequence[object]]:
    yield "id", "team", "system", "primary", "baseline", "withdrawn", "phase", "run", "received"
    withdrawn = {
        row["run"] for standing in contents.standings for row in standing.table["rows"] if row["withdrawn"]
    }
    for id, run in contents.runs.items():
        flags = [int(flag) for flag in (run.system.is_primary, run.team.is_baseline, id in withdrawn)]
        received = run.received_at.isoformat()
        yield id, contents.names[id], contents.system_names[id], *flags, run.phase.code, run.number, received


def score_rows(contents: Contents) -> Iterator[Sequence[object]]:
    """F1 is public with the results; counts and unrounded F1 only where gold is public."""
    # Which reference is best derives from gold, as the counts do.
    references = any(item.shows_references for item in contents.sets.values())
    yield "id", "test_set", "state", "metric", "f1", *COUNTS, *(["reference"] if references else [])
    versions = [item.gold for item in contents.sets.values()]
    profile_versions = {standing.table.get("profile_version", "") for standing in contents.standings}
    scores = {
        (run, code): (counts, reference)
        for run, code, counts, reference in Score.objects.done()
        .filter(
            file__run__in=[run.pk for run in contents.runs.values()],
            gold__in=versions,
            profile_version__in=profile_versions,
        )
        .order_by("pk")
        .values_list("file__run__public_id", "file__test_set__code", "counts", "reference")
    }
    presentations = presentations_of(contents.task)
    for run, code, state in files_of(contents):
        counts, best = scores.get((run, code), (None, ""))
        if counts is None:
            yield run, code, state, "", "", *[""] * (len(COUNTS) + references)
            continue
        is_exact = contents.sets[code].gold_is_public and run in contents.open_runs
        reference = [best if is_exact else ""] if references else []
        for metric in metrics_of(contents.task, contents.runs[run].track):
            if metric not in counts:
                continue
            sums = counts[metric]
            numbers = [sums.get(name, "") if is_exact else "" for name in COUNTS]
            figure = figure_of(sums) or 0.0
            figure = figure if is_exact else as_printed(figure, presentations[metric])
            yield run, code, state, metric, repr(figure), *numbers, *reference


def files_of(contents: Contents) -> Iterator[tuple[str, str, str]]:
    rows = RunFile.objects.filter(run__public_id__in=contents.runs, test_set__code__in=contents.sets)
    rows = rows.order_by("run__public_id", "test_set__code")
    yield from rows.values_list("run__public_id", "test_set__code", "state")


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
    figures, is_exact = figures_of(standing), contents.is_exact(standing)
    presentations = presentations_of(contents.task)
    for row, id in enumerate(figures.systems):
        for column, scope in enumerate(figures.scopes):
            for layer, metric in enumerate(figures.metrics):
                at = (row, column, layer)
                values = [float(array[at]) for array in (figures.f1, figures.low, figures.high)]
                cells = [
                    number(value if is_exact else as_printed(value, presentations[metric]))
                    for value in values
                ]
                ranks = [
                    int(array[at]) or "" for array in (figures.rank, figures.rank_low, figures.rank_high)
                ]
                line = int(figures.line_below[at])
                yield id, contents.names.get(id, ""), scope, metric, *cells, *ranks, line


def number(figure: float) -> str:
    return "" if figure != figure else repr(figure)


def gold_values(item: PackagedSet) -> dict[str, Any]:
    """Of a test set in the task.yaml of the package."""
    if not item.shows_references:
        return {"public_gold": True} if item.gold_is_public else {}
    code = item.test_set.code
    references = [
        {"name": reference.name, "file": f"gold/{code}/{reference.name}.conllu"}
        for reference in item.gold.references.all()
    ]
    return {"gold": [{"version": 1, "file": f"gold/{code}.conllu", "references": references, "public": True}]}


def task_yaml(contents: Contents) -> str:
    """The public part of the task folder; when it is imported, raw texts are made from released gold."""
    task = contents.task
    values = field_values(task, TASK)
    # A group without visible sets would reveal that there is a surprise set.
    values["groups"] = [
        group
        for group in task.groups
        if any(group in item.test_set.groups for item in contents.sets.values())
    ]
    values["test_sets"] = [
        field_values(item.test_set, TEST_SET) | gold_values(item) for item in contents.sets.values()
    ]
    values["phases"] = [phase_values(phase, len(contents.sets)) for phase in contents.phases]
    for phase in values["phases"]:
        if "test_sets" in phase:
            phase["test_sets"] = [code for code in phase["test_sets"] if code in contents.sets]
    return write_yaml(values).decode()
