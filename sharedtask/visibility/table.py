"""The table: who may see which thing, and when. Data and a few one-line conditions; it asks no database.

A row for each thing, a column for each role, a `When` in each cell. Whether a cell says yes depends on the
`Facts` alone: how the phase stands, what feedback it gives, and the state of the thing itself. The page
for organisers prints `TABLE` as it stands here, and the tests go through every combination.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from sharedtask.visibility.terms import (
    AXES,
    Facts,
    GoldState,
    NoteState,
    PhaseStage,
    Role,
    RunState,
    SetState,
    Switch,
    Thing,
)


@dataclass(frozen=True, kw_only=True)
class When:
    words: str
    holds: Callable[[Facts], bool]


ALWAYS = When(words="always", holds=lambda facts: True)
NEVER = When(words="never", holds=lambda facts: False)
NAME_OUT = When(words="once its name is out", holds=lambda facts: facts.set != SetState.SEALED)
INPUT_OUT = When(words="once its input is out", holds=lambda facts: facts.set == SetState.RELEASED)
GOLD_OUT = When(words="once gold is released", holds=lambda facts: facts.gold == GoldState.RELEASED)
NOT_BLIND = When(words="unless blind", holds=lambda facts: not facts.blind)
NOT_BLIND_GOLD_OUT = When(
    words="unless blind, and once gold is released",
    holds=lambda facts: not facts.blind and facts.gold == GoldState.RELEASED,
)
PUBLIC_RUN = When(words="once scored, unless blind or hidden", holds=lambda facts: facts.public_run)
PUBLIC_RUN_GOLD_OUT = When(
    words="once scored and gold is released, unless blind or hidden",
    holds=lambda facts: facts.public_run and facts.gold == GoldState.RELEASED,
)
PUBLISHED_RUN_GOLD_OUT = When(
    words="once results are published and gold is released, unless hidden",
    holds=lambda facts: (
        facts.phase == PhaseStage.PUBLISHED and facts.public_run and facts.gold == GoldState.RELEASED
    ),
)
BEGUN = When(words="once the phase has begun", holds=lambda facts: facts.phase != PhaseStage.BEFORE)
BEGUN_NOT_BLIND = When(
    words="once the phase has begun, unless blind",
    holds=lambda facts: facts.phase != PhaseStage.BEFORE and not facts.blind,
)
TOLD = When(words="once released to the team", holds=lambda facts: facts.note == NoteState.RELEASED)
NAMED = When(
    words="once results are published, at once where there are no pseudonyms",
    holds=lambda facts: facts.pseudonyms == Switch.OFF or facts.phase == PhaseStage.PUBLISHED,
)
ORACLE = When(
    words="unless blind; at once under the rule of 2017",
    holds=lambda facts: (
        not facts.blind
        or (facts.above_zero == Switch.ON and facts.run in (RunState.CHECKED, RunState.SCORED))
    ),
)


@dataclass(frozen=True, kw_only=True)
class Row:
    about: str
    axes: tuple[str, ...]
    cells: Mapping[Role, When]

    def situations(self) -> Iterator[Facts]:
        """Every combination of what this row looks at."""
        for values in itertools.product(*(AXES[axis] for axis in self.axes)):
            yield Facts(**dict(zip(self.axes, values, strict=True)))  # type: ignore[arg-type]


def row(about: str, *axes: str, outside: When, team: When, organiser: When = ALWAYS) -> Row:
    """Visitors, strangers and members of other teams see the same: signing in opens no door by itself."""
    return Row(
        about=about,
        axes=axes,
        cells={
            Role.VISITOR: outside,
            Role.STRANGER: outside,
            Role.RIVAL: outside,
            Role.MEMBER: team,
            Role.ORGANISER: organiser,
        },
    )


RUN = ("phase", "feedback", "run", "fate")

TABLE: Mapping[Thing, Row] = {
    Thing.TASK: row("Description, rules, calendar, announcements", outside=ALWAYS, team=ALWAYS),
    Thing.NAME: row(
        "That a test set exists: code, language, group, its place in any count or list",
        "set",
        outside=NAME_OUT,
        team=NAME_OUT,
    ),
    Thing.SAMPLE: row("Sample files of a test set", "set", outside=NAME_OUT, team=NAME_OUT),
    Thing.INPUT: row("Raw text and other inputs, and their sizes", "set", outside=INPUT_OUT, team=INPUT_OUT),
    Thing.TEAM_NAME: row(
        "The own names of a team and its systems instead of its pseudonym",
        "phase",
        "pseudonyms",
        outside=NAMED,
        team=ALWAYS,
    ),
    Thing.RECEIPT: row(
        "File name, SHA-256, refusal, and incidents, which quote the upload",
        *RUN,
        outside=NEVER,
        team=ALWAYS,
    ),
    Thing.VALIDITY: row(
        "That a run exists, and for each file whether it is valid", *RUN, outside=PUBLIC_RUN, team=ALWAYS
    ),
    Thing.ABOVE_ZERO: row(
        "Whether a file scored above zero (an oracle: gold labels can be read off the answers)",
        *RUN,
        "above_zero",
        outside=PUBLIC_RUN,
        team=ORACLE,
    ),
    Thing.MESSAGE: row("A text about a run that may depend on gold", "note", outside=NEVER, team=TOLD),
    Thing.LOG: row("Why a run failed on our side, with traces", *RUN, outside=NEVER, team=NEVER),
    Thing.SCORE: row("F1 of files and averages, as printed", *RUN, outside=PUBLIC_RUN, team=NOT_BLIND),
    Thing.COUNTS: row(
        "Integer counts, which tell gold's size, and unrounded F1, which tells the counts",
        *RUN,
        "gold",
        outside=PUBLIC_RUN_GOLD_OUT,
        team=NOT_BLIND_GOLD_OUT,
    ),
    Thing.BREAKDOWN: row(
        "Scores by relation, length, sentence; differences and trees",
        *RUN,
        "gold",
        outside=PUBLIC_RUN_GOLD_OUT,
        team=NOT_BLIND_GOLD_OUT,
    ),
    Thing.OUTPUT: row(
        "The uploaded files themselves", *RUN, "gold", outside=PUBLISHED_RUN_GOLD_OUT, team=ALWAYS
    ),
    Thing.GOLD: row(
        "Gold files, their plain hashes and statistics",
        "gold",
        outside=GOLD_OUT,
        team=GOLD_OUT,
        organiser=ALWAYS,
    ),
    Thing.RANKING: row(
        "The leaderboard of a phase",
        "phase",
        "feedback",
        outside=BEGUN_NOT_BLIND,
        team=BEGUN_NOT_BLIND,
        organiser=BEGUN,
    ),
    Thing.ALARM: row("Something odd about a run", "note", outside=NEVER, team=TOLD),
    Thing.QUEUE: row(
        "How many runs of a phase are under way; in a blind phase this is progress of scoring",
        "phase",
        "feedback",
        outside=BEGUN_NOT_BLIND,
        team=BEGUN_NOT_BLIND,
    ),
    Thing.RESOURCES: row(
        "When scoring began and ended, how long it took", *RUN, outside=NEVER, team=NOT_BLIND
    ),
    Thing.AUDIT: row("Who of the organisers did what, when and why", outside=NEVER, team=NEVER),
}


def allowed(thing: Thing, role: Role, facts: Facts) -> bool:
    """The one place where a question about visibility is answered."""
    return TABLE[thing].cells[role].holds(facts)
