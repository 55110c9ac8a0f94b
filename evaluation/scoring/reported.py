"""Metrics whose sums a scorer outside of the evaluator reports: what it declares, and what it writes.

In: the declaration of a scorer (JSON), and for every output its report (JSON). Out: a profile with the
metrics of another one and those of the scorer, and counts and tables by unit like those of any other metric.
Whatever is wrong with either is a `ProfileError`: an error of the organisers' side. docs/scorers.md has the
contract.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

import numpy as np

from ..reading.fields import Ints
from .compare import Comparison
from .counts import Counts
from .metric import CountMetric, Metric, TableMetric, Units
from .presentation import PLAIN, PRESENTATIONS, Presentation
from .profile import Profile, ProfileError
from .reported_tables import MAX_COUNT, USUAL, TableRule, find_rule, read_table
from .table import Table
from .tally import Tally
from .units import Unit

MAX_METRICS = 20
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9 ._()+-]{0,29}")
_DECLARED = {"title", "version", "metrics", "main"}
_PRESENTED = {"explanation", "better", "kind", "factor", "digits", "table", "rule"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Declaration:
    """What a scorer says about itself. Without main metrics, those of the task stay the main ones."""

    title: str
    version: str
    metrics: Mapping[str, Presentation]
    rules: Mapping[str, TableRule] = field(default_factory=dict)
    """Of the metrics whose figures follow from a table; those of all others follow from counts."""
    main: tuple[str, ...] = ()

    @property
    def counted(self) -> list[str]:
        return [name for name in self.metrics if name not in self.rules]

    @property
    def tables(self) -> list[str]:
        return list(dict.fromkeys(rule.table for rule in self.rules.values()))


@dataclass(frozen=True, slots=True, kw_only=True)
class Reported:
    """The sums of one output by unit: gold, system and correct by metric, and tables by name."""

    counts: Mapping[str, Ints]
    tables: Mapping[str, Table] = field(default_factory=dict)


def read_declaration(text: str) -> Declaration:
    """Raises `ProfileError`, which says what is wrong."""
    value = _object(_parse(text, "the declaration"), "the declaration")
    _refuse_unknown(value, _DECLARED, "the declaration")
    metrics = _object(value.get("metrics"), "metrics")
    if not 1 <= len(metrics) <= MAX_METRICS:
        raise ProfileError(f"metrics: found {len(metrics)} metrics, expected 1 to {MAX_METRICS}")
    presentations = {name: _presentation(name, entry) for name, entry in metrics.items()}
    main = value.get("main", [])
    if not isinstance(main, list) or not all(isinstance(name, str) for name in main):
        raise ProfileError("main: expected a list of metrics")
    if len(set(main)) != len(main):
        raise ProfileError("main: a metric is listed twice")
    return Declaration(
        title=_text(value, "title", longest=120),
        version=_text(value, "version", longest=40),
        metrics=presentations,
        rules={
            name: find_rule(name, entry.get("table"), entry.get("rule"))
            for name, entry in metrics.items()
            if _has_table(entry)
        },
        main=tuple(main),
    )


def extend(profile: Profile, declaration: Declaration, *, version: str) -> Profile:
    """The profile with the metrics of the scorer after its own. Raises `ProfileError` if they collide."""
    taken = sorted(set(declaration.metrics) & (set(profile.definitions) | set(profile.optional)))
    if taken:
        raise ProfileError(f"metrics: the profile {profile.name} already has {', '.join(taken)}")
    colliding = sorted(set(declaration.tables) & set(profile.tables))
    if colliding:
        raise ProfileError(f"table: the profile {profile.name} already has {', '.join(colliding)}")
    definitions = {
        **profile.definitions,
        **{name: _metric(declaration, name) for name in declaration.metrics},
    }
    unknown = [name for name in declaration.main if name not in definitions]
    if unknown:
        raise ProfileError(f"main: {', '.join(unknown)}: neither the scorer nor {profile.name} has it")
    main = declaration.main or profile.main
    others = [*profile.main, *profile.secondary, *declaration.metrics]
    return replace(
        profile,
        version=version,
        definitions=definitions,
        tables={**profile.tables, **dict.fromkeys(declaration.tables, _not_computed_table)},
        main=main,
        secondary=tuple(name for name in dict.fromkeys(others) if name not in main),
        presentations={**profile.presentations, **declaration.metrics},
    )


def unit_sizes(comparison: Comparison, unit: Unit) -> list[int]:
    """The number of gold sentences of each unit, in the order of the file."""
    gold = comparison.gold
    if unit == "sentence":
        return [1] * gold.sentences
    return cast(list[int], np.bincount(gold.documents).tolist())


def read_report(report: bytes, declaration: Declaration, units: int) -> Reported:
    """Checked like the sums of profiles of third parties; counts are units × (gold, system, correct)."""
    entries = _object(_parse(report, "the report"), "the report")
    counts = _declared(entries, "metrics", declaration.counted)
    tables = _declared(entries, "tables", declaration.tables)
    return Reported(
        counts={name: _counts(name, _object(counts[name], name), units) for name in declaration.counted},
        tables={name: read_table(name, _object(tables[name], name), units) for name in declaration.tables},
    )


def add_reported(counts: Counts, reported: Reported) -> Counts:
    """The sums of a file with those that the scorer has reported about it."""
    columns = [array[:, None, [0, 1, 2, 2]] for array in reported.counts.values()]
    return Counts(
        (*counts.metrics, *reported.counts),
        np.concatenate([counts.values, *columns], axis=1).astype(np.int32),
        {**counts.tables, **reported.tables},
    )


def reported_tallies(reported: Reported) -> dict[str, Tally]:
    """Of the whole file."""
    return {name: Tally(*array.sum(axis=0).tolist()) for name, array in reported.counts.items()}


def reported_figures(reported: Reported, declaration: Declaration) -> dict[str, float]:
    """Those that follow from tables, for the whole file."""
    totals = {name: table.total().astype(np.float64) for name, table in reported.tables.items()}
    return {name: float(rule.rule(totals[rule.table])) for name, rule in declaration.rules.items()}


def _declared(report: Mapping[str, Any], part: str, names: Sequence[str]) -> Mapping[str, Any]:
    """What the report has under these names, and under no others."""
    entries = _object(report.get(part, {}), part)
    if set(entries) != set(names):
        raise ProfileError(
            f"{part}: found {', '.join(map(_quote, sorted(entries))) or 'none'}, expected those declared: "
            f"{', '.join(names) or 'none'}"
        )
    return entries


def _counts(name: str, entry: Mapping[str, Any], units: int) -> Ints:
    rows = entry.get("units")
    if not isinstance(rows, list) or len(rows) != units:
        number = len(rows) if isinstance(rows, list) else "no list"
        raise ProfileError(
            f"{name}: units: found {number}, expected {units} rows of gold, system and correct"
        )
    for number, row in enumerate([*rows, entry.get("total")], start=1):
        if not _is_row(row):
            place = f"units: row {number}" if number <= units else "total"
            raise ProfileError(f"{name}: {place}: expected three whole numbers: gold, system, correct")
    array = np.array(rows, dtype=np.int64).reshape(units, 3)
    total = array.sum(axis=0).tolist()
    if total != entry["total"]:
        raise ProfileError(f"{name}: the units add up to {total}, and total is {entry['total']}")
    if total[2] > min(total[:2]):
        raise ProfileError(f"{name}: there are more correct items than items")
    return array


def _is_row(row: object) -> bool:
    return (
        isinstance(row, list)
        and len(row) == 3
        and all(type(number) is int and 0 <= number <= MAX_COUNT for number in row)
    )


def _presentation(name: str, entry: object) -> Presentation:
    values = _object(entry, name)
    if not _NAME.fullmatch(name) or name in PRESENTATIONS:
        raise ProfileError(f"metrics: {_quote(name)} cannot be used as the name of a metric")
    _refuse_unknown(values, _PRESENTED, name)
    usual = USUAL.get(str(values.get("rule")), PLAIN)
    better, factor, digits = (values.get(key, getattr(usual, key)) for key in ("better", "factor", "digits"))
    if better not in ("higher", "lower"):
        raise ProfileError(f"{name}: better: expected higher or lower")
    if factor not in (1, 100) or type(factor) is not int:
        raise ProfileError(f"{name}: factor: expected 1 or 100")
    if type(digits) is not int or not 0 <= digits <= 6:
        raise ProfileError(f"{name}: digits: expected 0 to 6")
    kind = _text(values, "kind", longest=20) if "kind" in values else usual.kind
    return Presentation(
        explanation=_text(values, "explanation", longest=200),
        better=better,
        factor=factor,
        digits=digits,
        kind=kind,
    )


def _has_table(entry: Mapping[str, Any]) -> bool:
    return "table" in entry or "rule" in entry


def _metric(declaration: Declaration, name: str) -> Metric:
    rule = declaration.rules.get(name)
    return TableMetric(rule.table, rule.rule) if rule else CountMetric(_not_computed)


def _text(values: Mapping[str, Any], key: str, *, longest: int) -> str:
    text = values.get(key)
    if not isinstance(text, str) or not text.strip() or len(text) > longest or not text.isprintable():
        raise ProfileError(f"{key}: expected a text of 1 to {longest} characters in one line")
    return text.strip()


def _parse(text: str | bytes, what: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ProfileError(f"{what} is not JSON: {error}") from error


def _object(value: Any, what: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise ProfileError(f"{what}: expected an object")
    return value


def _refuse_unknown(values: Mapping[str, Any], known: set[str], what: str) -> None:
    unknown = sorted(set(values) - known)
    if unknown:
        found, expected = ", ".join(map(_quote, unknown)), ", ".join(sorted(known))
        raise ProfileError(f"{what}: found {found}, expected {expected}")


def _quote(text: str) -> str:
    return repr(text[:40])


def _not_computed(comparison: Comparison, units: Units) -> Ints:
    raise ProfileError("only the scorer can compute this metric")


def _not_computed_table(comparison: Comparison, units: Units) -> Table:
    raise ProfileError("only the scorer can compute this table")
