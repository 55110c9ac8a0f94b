"""One hostile case: for any bytes the evaluator gives the correct incidents or scores."""

from __future__ import annotations

import json
import random

import evaluation
from evaluation import KINDS, InvalidFile, Limits, Options, Report
from evaluation.cli.incidents import as_annotations, as_dicts, as_text
from tests.evaluation import oracle
from tests.evaluation.drawing import Choose, Shape, draw_pair
from tests.evaluation.mutate import mutated
from tests.evaluation.reference import Invalid, read

SMALL = Shape(characters=24)
LIMITS = Limits(max_incidents_per_kind=3)
PROFILES = ("conll17", "conll18")


def check_case(number: int) -> bool:
    """The case of this number; whether its file is valid."""
    chance = random.Random(number)
    gold, good = draw_pair(chance.randrange, SMALL)
    return check_bytes(gold, mutated(good, chance), PROFILES[number % 2])


def check_drawn(choose: Choose, spoiled: bytes) -> bool:
    """A drawn gold file against given bytes."""
    return check_bytes(draw_pair(choose, SMALL)[0], spoiled, PROFILES[choose(2)])


def check_bytes(gold: bytes, system: bytes, profile: str) -> bool:
    report = evaluation.validate(system, text="ab", profile=profile, limits=LIMITS)
    check_report(report, system)
    form_counts = report.counts.keys() - {"text-differs", "white-space-in-token"}
    is_valid = not any(KINDS[id].fatal for id in form_counts)
    assert is_valid == _is_valid(system, profile)

    options = Options(label_accuracy=True)
    expected = oracle.reference(gold, system, profile, options)
    result = oracle.ours(gold, system, profile, options)
    assert (result is None) == (expected is None)
    if result is not None and expected is not None:
        assert oracle.totals(result) == expected.totals
    check_at_home(gold, system, profile, is_comparable=result is not None)
    try:
        evaluation.score(system, gold, profile)
    except InvalidFile as refusal:
        check_report(refusal.report, system + gold)
    return is_valid


def check_at_home(gold: bytes, system: bytes, profile: str, *, is_comparable: bool) -> None:
    """Where a test set may be imported, the check against its text says what scoring will say."""
    treebank = evaluation.read(gold)
    surface = treebank.surface_ascii
    text = surface.data[: surface.size].tobytes().decode()
    if evaluation.check_test_set(treebank, text, profile).valid:
        assert evaluation.validate(system, text=text, profile=profile).valid == is_comparable


def check_report(report: Report, data: bytes) -> None:
    """What a report says can be shown: its lines exist, its numbers add up, its words are printable."""
    lines = data.count(b"\n") + data.count(b"\r") + 1
    for incident in report.incidents:
        assert incident.line is None or 1 <= incident.line <= lines
        assert incident.sentence is None or 1 <= incident.sentence <= lines
        assert incident.message.isprintable()
    for id, count in report.counts.items():
        result = sum(incident.id == id for incident in report.incidents)
        assert 1 <= result <= count
    assert {incident.id for incident in report.incidents} == set(report.counts)
    json.dumps(as_dicts(report))
    assert as_text(report).count("\n") >= len(report.incidents) - 1
    assert as_annotations(report).count("::error") <= len(report.incidents)


def _is_valid(data: bytes, profile: str) -> bool:
    try:
        read(data, profile)
    except Invalid:
        return False
    return True
