"""The table of who sees what: every combination of role, phase, thing and state, against a list by hand.

A pattern has one word for each axis of its thing, in the order of the table's row; `*` stands for any. What
no pattern allows must be refused.
"""

from __future__ import annotations

from fnmatch import fnmatchcase

import pytest

from sharedtask.visibility.table import TABLE, allowed
from sharedtask.visibility.terms import AXES, Facts, Feedback, PhaseStage, Role, RunStatus, Switch, Thing

OUTSIDE = (Role.VISITOR, Role.NO_TEAM, Role.OTHER_TEAM)
ANY = ("*",)
NONE: tuple[str, ...] = ()
NAME_OUT = ("revealed", "input released")
# Axes of things about a run: phase, feedback, run, status (and one more for some).
SHOWN = tuple(
    f"{situation}/scored/{status}"
    for situation in ("*/scores", "published/validity")
    for status in ("counts", "withdrawn, shown unranked")
)
OPEN_TO_THE_TEAM = ("*/scores/*", "published/*")
BEGUN_AND_OPEN = ("open/scores", "closed/scores", "published/*")

EXPECTED: dict[str, tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]] = {
    # thing: (visitors, strangers and other teams; the team itself; organisers)
    "task": (ANY, ANY, ANY),
    "test set name": (NAME_OUT, NAME_OUT, ANY),
    "sample": (NAME_OUT, NAME_OUT, ANY),
    "input": (("input released",), ("input released",), ANY),
    "team name": (("published/*", "*/off"), ANY, ANY),
    "receipt": (NONE, ANY, ANY),
    "validity": (SHOWN, ANY, ANY),
    "above zero": (
        tuple(f"{pattern}/*" for pattern in SHOWN),
        (*OPEN_TO_THE_TEAM, "*/validity/checked, not yet scored/*/on", "*/validity/scored/*/on"),
        ANY,
    ),
    "message": (NONE, ("released to the team",), ANY),
    "log": (NONE, NONE, ANY),
    "score": (SHOWN, OPEN_TO_THE_TEAM, ANY),
    "counts": (
        tuple(f"{pattern}/released" for pattern in SHOWN),
        ("*/scores/*/*/released", "published/*/released"),
        ANY,
    ),
    "breakdown": (
        tuple(f"{pattern}/released" for pattern in SHOWN),
        ("*/scores/*/*/released", "published/*/released"),
        ANY,
    ),
    "output": (
        ("published/*/scored/counts/released", "published/*/scored/withdrawn, shown unranked/released"),
        ANY,
        ANY,
    ),
    "gold": (("released",), ("released",), ANY),
    "ranking": (BEGUN_AND_OPEN, BEGUN_AND_OPEN, ("open/*", "closed/*", "published/*")),
    "alarm": (NONE, ("released to the team",), ANY),
    "queue": (BEGUN_AND_OPEN, BEGUN_AND_OPEN, ANY),
    "resources": (NONE, OPEN_TO_THE_TEAM, ANY),
    "audit": (NONE, NONE, ANY),
    "container state": (NONE, ANY, ANY),
    "container figures": (NONE, ("input released",), ANY),
    "container log": (NONE, ("input released",), ANY),
    "released container log": (NONE, ("released to the team",), ANY),
    "container output": (("input released",), ("input released",), ANY),
    "judged trees": (NONE, NONE, ANY),
    "judgements": (("published",), ("published",), ANY),
    "judged items": (
        ("published/released/*/scores", "published/released/published/validity"),
        ("published/released/*/scores", "published/released/published/validity"),
        ("*/released/*",),
    ),
    "experiment": (("published/released",), ("*/released",), ANY),
    "gold as input": (NONE, ("released",), ("released",)),
    "container use": (tuple(f"{pattern}/input released" for pattern in SHOWN), ("*/input released",), ANY),
}
ANNOTATORS = {"judged trees": ("open",)}
"""Everything else annotators see as visitors do."""
WORDS_OF_THE_ISSUE = (
    "task, test set name, input, validity, message, log, score, counts, breakdown, output, gold, ranking, "
    "alarm, queue, resources, audit"
)


def name_of(thing: Thing, facts: Facts) -> str:
    return "/".join(getattr(facts, axis) for axis in TABLE[thing].axes)


@pytest.mark.parametrize("thing", list(Thing))
def test_every_cell_in_every_situation(thing: Thing) -> None:
    outside, team, organiser = EXPECTED[thing]
    seen = 0
    for facts in TABLE[thing].situations():
        name = name_of(thing, facts)
        for role in Role:
            patterns = outside if role in OUTSIDE else team if role == Role.MEMBER else organiser
            if role == Role.ANNOTATOR:
                patterns = ANNOTATORS.get(thing, outside)
            expected = any(fnmatchcase(name, pattern) for pattern in patterns)
            assert allowed(thing, role, facts) is expected, f"{thing}: {role} when {name}"
            seen += 1
    expected_number = len(Role)
    for axis in TABLE[thing].axes:
        expected_number *= len(AXES[axis])
    assert seen == expected_number


def test_the_table_is_complete() -> None:
    assert set(TABLE) == set(Thing) == set(EXPECTED)
    assert set(WORDS_OF_THE_ISSUE.split(", ")) <= set(Thing)
    for thing, row in TABLE.items():
        assert set(row.cells) == set(Role), thing
        assert row.about


def every_situation() -> list[tuple[Thing, Facts]]:
    return [(thing, facts) for thing, row in TABLE.items() for facts in row.situations()]


def test_every_pattern_of_this_test_is_used() -> None:
    """A pattern that matches nothing would be a misspelling that hides a hole."""
    for thing, columns in EXPECTED.items():
        names = [name_of(Thing(thing), facts) for facts in TABLE[Thing(thing)].situations()]
        for pattern in {pattern for column in columns for pattern in column}:
            assert any(fnmatchcase(name, pattern) for name in names), f"{thing}: {pattern}"


def test_signing_in_alone_gives_no_access_and_nobody_sees_more_than_an_organiser() -> None:
    for thing, facts in every_situation():
        visitor, stranger, rival, member, annotator, organiser = (
            allowed(thing, role, facts) for role in Role
        )
        assert visitor == stranger == rival, thing
        assert rival <= member <= organiser, thing
        assert rival <= annotator <= organiser, thing


def test_a_blind_phase_tells_its_teams_nothing_that_depends_on_gold() -> None:
    depends_on_gold = {"score", "counts", "breakdown", "resources", "log", "ranking", "queue", "above zero"}
    for thing, facts in every_situation():
        if thing in depends_on_gold and facts.blind and facts.above_zero == Switch.OFF:
            assert not any(allowed(thing, role, facts) for role in Role if role != Role.ORGANISER), thing


def test_blind_means_validity_until_the_results_are_published() -> None:
    blind = {
        (moment, feedback)
        for moment in PhaseStage
        for feedback in Feedback
        if Facts(phase=moment, feedback=feedback).blind
    }
    assert blind == {("before", "validity"), ("open", "validity"), ("closed", "validity")}


def test_no_cell_tells_an_open_phase_from_a_closed_one() -> None:
    """`facts.stage_of_phase` rests on this: it does not ask for extensions."""
    for thing, row in TABLE.items():
        if "phase" not in row.axes:
            continue
        for facts in row.situations():
            if facts.phase == PhaseStage.OPEN:
                closed = Facts(**{axis: getattr(facts, axis) for axis in AXES} | {"phase": PhaseStage.CLOSED})
                for role in Role:
                    assert allowed(thing, role, facts) == allowed(thing, role, closed), thing


def test_default_facts_hide_everything() -> None:
    """A caller that omits facts must not reveal anything."""
    for thing in set(Thing) - {Thing.TASK}:
        assert not allowed(thing, Role.VISITOR, Facts()), thing
    assert Facts().status == RunStatus.HIDDEN
