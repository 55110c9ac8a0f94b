"""What a scorer outside of the evaluator declares and reports: what is used, and what is refused."""

from __future__ import annotations

import json
import random
from typing import Any

import numpy as np
import pytest

import evaluation
from evaluation import Presentation, Table
from evaluation.ranking.results import GoldSet, Outcome, Results
from evaluation.ranking.standings import Rules, compute_standings
from evaluation.scoring.profiles import find_profile
from evaluation.scoring.reported import (
    Declaration,
    add_reported,
    extend,
    read_declaration,
    read_report,
    reported_figures,
    reported_tallies,
    unit_sizes,
)

DECLARATION: dict[str, Any] = {
    "title": "Roots",
    "version": "1.0",
    "metrics": {
        "Roots": {"explanation": "roots that are the correct word"},
        "Missed": {"explanation": "roots that are missed", "kind": "share", "better": "lower", "digits": 1},
    },
    "main": ["Roots", "LAS"],
}
ROOTS = Declaration(title="Roots", version="1", metrics={"Roots": Presentation(explanation="x")})
UNITS = [[1, 1, 1], [2, 1, 0]]


def report(**changes: Any) -> bytes:
    entry = {"units": UNITS, "total": [3, 2, 1]} | changes
    return json.dumps({"metrics": {"Roots": entry}}).encode()


def test_a_profile_is_extended_by_what_is_declared() -> None:
    base = find_profile("conll18")
    profile = extend(base, read_declaration(json.dumps(DECLARATION)), version="scorer-1-0a0a0a0a")
    assert profile.main == ("Roots", "LAS") and profile.version == "scorer-1-0a0a0a0a"
    assert profile.secondary[:2] == ("MLAS", "BLEX") and profile.secondary[-1] == "Missed"
    assert list(profile.definitions) == [*base.definitions, "Roots", "Missed"]
    assert profile.presentations["Missed"].text(0.25) == "25.0"
    assert profile.presentations["Missed"].best([0.5, 0.25]) == 0.25
    assert base is find_profile("conll18") and "Roots" not in base.definitions


def test_reported_counts_are_counts_like_all_others() -> None:
    sentence = "1\tBees\tbee\tNOUN\t_\t_\t2\tnsubj\t_\t_\n2\thum\thum\tVERB\t_\t_\t0\troot\t_\t_\n\n"
    comparison = evaluation.compare((sentence * 2).encode(), (sentence * 2).encode(), "conll18")
    assert unit_sizes(comparison, "sentence") == [1, 1] and unit_sizes(comparison, "document") == [2]
    reported = read_report(report(), ROOTS, 2)
    counts = add_reported(evaluation.counts_by_unit(comparison), reported)
    stored = evaluation.Counts.from_bytes(counts.to_bytes())
    assert stored.metrics[-1] == "Roots" and stored.tally("LAS").correct == 4
    assert (stored.tally("Roots").gold, stored.tally("Roots").correct) == (3, 1)
    assert np.array_equal(stored.values[:, -1, :3], UNITS)
    assert reported_tallies(reported)["Roots"].f1 == 2 / 5


RULES = {"VM": "v-measure", "VI": "variation-of-information", "M-1": "many-to-one", "1-1": "one-to-one"}
CLASSES = read_declaration(
    json.dumps(
        {
            "title": "Classes",
            "version": "1",
            "metrics": {
                f"their {name}": {"explanation": "x", "table": "classes", "rule": rule}
                for name, rule in RULES.items()
            },
        }
    )
)


def drawn_tags(seed: int, tags: str) -> bytes:
    """30 sentences of 5 words."""
    draw = random.Random(seed)
    line = "{0}\tw\t_\t_\t_\t{1}\t_\t{2}\t_\n"
    sentences = (
        "".join(line.format(number, draw.choice(tags), number - 1) for number in range(1, 6))
        for _ in range(30)
    )
    return "".join(f"{sentence}\n" for sentence in sentences).encode()


def as_report(table: Table) -> dict[str, Any]:
    cells: list[list[list[int]]] = [[] for _ in range(table.units)]
    for unit, *cell in zip(table.unit, table.row, table.column, table.count, strict=True):
        cells[unit].append([int(number) for number in cell])
    total = [[*map(int, place), int(table.total()[place])] for place in np.ndindex(table.shape)]
    return {"rows": table.rows, "columns": table.columns, "units": cells, "total": total}


def test_reported_tables_have_the_figures_and_intervals_of_tables_of_profiles() -> None:
    """A scorer reports the tables that `pascal12` makes itself."""
    base = find_profile("pascal12")
    gold, systems = drawn_tags(1, "NV."), {str(seed): drawn_tags(seed, "abcd") for seed in (2, 3)}
    stored = {}
    for name, system in systems.items():
        counts = evaluation.counts_by_unit(evaluation.compare(gold, system, "pascal12"))
        written = {"tables": {"classes": as_report(counts.tables["universal"])}}
        reported = read_report(json.dumps(written).encode(), CLASSES, 30)
        own = evaluation.score(gold, system, "pascal12").figures
        assert reported_figures(reported, CLASSES) == {f"their {rule}": own[rule] for rule in RULES}
        stored[name] = {"xx": Outcome(status="valid", stored=add_reported(counts, reported).to_bytes())}
    profile = extend(base, CLASSES, version="1")
    assert profile.presentations["their VI"].better == "lower"
    results = Results(profile=profile, sets=(GoldSet(code="xx"),), systems=stored)
    standings = compute_standings(results, Rules(replicates=50))
    for rule in RULES:
        for system in systems:
            own_interval, theirs = (standings.interval(system, name) for name in (rule, f"their {rule}"))
            assert own_interval is not None and own_interval == theirs


def table_report(**changes: Any) -> bytes:
    table = {"rows": ["a"], "columns": ["N", "V"], "units": [[[0, 0, 1]], [[0, 1, 2]]]}
    table |= {"total": [[0, 0, 1], [0, 1, 2]]} | changes
    return json.dumps({"tables": {"classes": table}}).encode()


WRONG_TABLES: dict[str, tuple[bytes, str]] = {
    "no table": (b"{}", "tables: found none, expected those declared: classes"),
    "counts": (b'{"metrics": {"VM": {}}}', "metrics: found 'VM', expected those declared: none"),
    "too few units": (table_report(units=[[]]), "table classes: units: found 1, expected 2 lists of cells"),
    "no rows": (table_report(rows=[]), "table classes: rows: expected a list of names"),
    "a name twice": (table_report(columns=["N", "N"]), "table classes: columns: a name is listed twice"),
    "an unknown row": (
        table_report(units=[[[1, 0, 1]], []]),
        "units: number 1: expected cells",
    ),
    "a fraction": (table_report(units=[[], [[0, 0, 0.5]]]), "table classes: units: number 2: expected cells"),
    "negative": (table_report(total=[[0, 0, -1]]), "table classes: total: expected cells"),
    "another total": (table_report(total=[[0, 0, 3]]), "table classes: the units do not add up to total"),
    "too many cells": (
        table_report(rows=list(map(str, range(400))), columns=list(map(str, range(400)))),
        "table classes: expected at most 100000 cells",
    ),
}


@pytest.mark.parametrize("name", WRONG_TABLES)
def test_a_wrong_table_is_refused(name: str) -> None:
    written, expected = WRONG_TABLES[name]
    with pytest.raises(evaluation.ProfileError, match=expected):
        read_report(written, CLASSES, 2)


WRONG_REPORTS: dict[str, tuple[bytes, str]] = {
    "no JSON": (b"50 %", "the report is not JSON"),
    "deep JSON": (b"[" * 100_000, "the report is not JSON"),
    "a list": (b"[1]", "the report: expected an object"),
    "other metrics": (
        b'{"metrics": {"LAS": {"units": [], "total": [0, 0, 0]}}}',
        "metrics: found 'LAS', expected those declared: Roots",
    ),
    "too few units": (report(units=UNITS[:1]), "units: found 1, expected 2 rows"),
    "no units": (report(units=None), "units: found no list, expected 2 rows"),
    "fractions": (report(units=[[1, 1, 0.5], UNITS[1]]), "units: row 1: expected three whole numbers"),
    "negative": (report(units=[UNITS[0], [1, -1, 0]]), "units: row 2: expected three whole numbers"),
    "huge": (report(units=[[2**31, 1, 1], UNITS[1]]), "units: row 1: expected three whole numbers"),
    "truth values": (report(units=[[True, 1, 1], UNITS[1]]), "units: row 1: expected three whole numbers"),
    "another total": (report(total=[3, 2, 2]), r"add up to \[3, 2, 1\], and total is \[3, 2, 2\]"),
    "no total": (report(total=None), "total: expected three whole numbers"),
    "too many correct": (
        report(units=[[1, 1, 2], [0, 0, 0]], total=[1, 1, 2]),
        "there are more correct items than items",
    ),
}


@pytest.mark.parametrize("name", WRONG_REPORTS)
def test_a_wrong_report_is_refused(name: str) -> None:
    written, expected = WRONG_REPORTS[name]
    with pytest.raises(evaluation.ProfileError, match=expected):
        read_report(written, ROOTS, 2)


def metric(**values: Any) -> dict[str, Any]:
    return {"metrics": {"Roots": {"explanation": "x"} | values}, "main": []}


WRONG_DECLARATIONS: dict[str, tuple[Any, str]] = {
    "unknown key": ({"colour": "red"}, "the declaration: found 'colour', expected main, metrics, title"),
    "no title": ({"title": " "}, "title: expected a text of 1 to 120 characters"),
    "two lines": ({"title": "a\nb"}, "title: expected a text of 1 to 120 characters in one line"),
    "no metric": ({"metrics": {}}, "found 0 metrics, expected 1 to 20"),
    "a known name": ({"metrics": {"LAS": {"explanation": "x"}}}, "'LAS' cannot be used"),
    "markup": ({"metrics": {"<b>": {"explanation": "x"}}}, "'<b>' cannot be used as the name"),
    "a direction": (metric(better="up"), "Roots: better: expected higher or lower"),
    "a factor": (metric(factor=10), "Roots: factor: expected 1 or 100"),
    "digits": (metric(digits=9), "Roots: digits: expected 0 to 6"),
    "main twice": ({"main": ["Roots", "Roots"]}, "main: a metric is listed twice"),
    "main no list": ({"main": "Roots"}, "main: expected a list of metrics"),
    "a rule without a table": (metric(rule="v-measure"), "Roots: table: expected a name"),
    "a table without a rule": (
        metric(table="classes"),
        "Roots: rule: expected one of many-to-one",
    ),
    "an unknown rule": (metric(table="classes", rule=["f1"]), "Roots: rule: expected one of many-to-one"),
    "a table with markup": (metric(table="<b>", rule="v-measure"), "Roots: table: expected a name"),
    "unknown main": ({"main": ["Leaves"]}, "main: Leaves: neither the scorer nor conll18 has it"),
}


@pytest.mark.parametrize("name", WRONG_DECLARATIONS)
def test_a_wrong_declaration_is_refused(name: str) -> None:
    changes, expected = WRONG_DECLARATIONS[name]
    with pytest.raises(evaluation.ProfileError, match=expected):
        declaration = read_declaration(json.dumps(DECLARATION | changes))
        extend(find_profile("conll18"), declaration, version="scorer-1-0a0a0a0a")
