"""The table: who may see which thing, and when. Data and a few one-line conditions, without queries.

One row per thing, one column per role, a `When` in each cell. The answer of a cell depends on the `Facts`
alone: the stage of the phase, its feedback, and the state of the thing itself. A page for organisers shows
`TABLE` as it is here, and the tests check every combination.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from sharedtask.visibility.terms import (
    AXES,
    CampaignStage,
    ExperimentStage,
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
    text: str
    holds: Callable[[Facts], bool]


ALWAYS = When(text="always", holds=lambda facts: True)
NEVER = When(text="never", holds=lambda facts: False)
NAME_REVEALED = When(text="once its name is revealed", holds=lambda facts: facts.set != SetState.SEALED)
INPUT_RELEASED = When(text="once its input is released", holds=lambda facts: facts.set == SetState.RELEASED)
GOLD_RELEASED = When(text="once gold is released", holds=lambda facts: facts.gold == GoldState.RELEASED)
NOT_BLIND = When(text="unless blind", holds=lambda facts: not facts.blind)
NOT_BLIND_GOLD_RELEASED = When(
    text="unless blind, and once gold is released",
    holds=lambda facts: not facts.blind and facts.gold == GoldState.RELEASED,
)
PUBLIC_RUN = When(text="once scored, unless blind or hidden", holds=lambda facts: facts.public_run)
PUBLIC_RUN_GOLD_RELEASED = When(
    text="once scored and gold is released, unless blind or hidden",
    holds=lambda facts: facts.public_run and facts.gold == GoldState.RELEASED,
)
PUBLIC_RUN_INPUT_RELEASED = When(
    text="once scored and its input is released, unless blind or hidden",
    holds=lambda facts: facts.public_run and facts.set == SetState.RELEASED,
)
PUBLISHED_RUN_GOLD_RELEASED = When(
    text="once results are published and gold is released, unless hidden",
    holds=lambda facts: (
        facts.phase == PhaseStage.PUBLISHED and facts.public_run and facts.gold == GoldState.RELEASED
    ),
)
BEGUN = When(text="once the phase has begun", holds=lambda facts: facts.phase != PhaseStage.BEFORE)
BEGUN_NOT_BLIND = When(
    text="once the phase has begun, unless blind",
    holds=lambda facts: facts.phase != PhaseStage.BEFORE and not facts.blind,
)
RELEASED_TO_TEAM = When(
    text="once released to the team", holds=lambda facts: facts.note == NoteState.RELEASED
)
NAMES_PUBLIC = When(
    text="once results are published; always if the task has no pseudonyms",
    holds=lambda facts: facts.pseudonyms == Switch.OFF or facts.phase == PhaseStage.PUBLISHED,
)
ORACLE = When(
    text="unless blind; under the 2017 rule, once checked",
    holds=lambda facts: (
        not facts.blind
        or (facts.above_zero == Switch.ON and facts.run in (RunState.CHECKED, RunState.SCORED))
    ),
)


CAMPAIGN_OPEN = When(
    text="while the campaign is open", holds=lambda facts: facts.campaign == CampaignStage.OPEN
)
CAMPAIGN_PUBLISHED = When(
    text="once its results are published", holds=lambda facts: facts.campaign == CampaignStage.PUBLISHED
)
CAMPAIGN_PUBLISHED_GOLD_RELEASED = When(
    text="once its results are published and gold is released, unless the phase of a run is blind",
    holds=lambda facts: (
        facts.campaign == CampaignStage.PUBLISHED and facts.gold == GoldState.RELEASED and not facts.blind
    ),
)

EXPERIMENT_PUBLISHED_GOLD_RELEASED = When(
    text="once it is published and gold is released",
    holds=lambda facts: facts.experiment == ExperimentStage.PUBLISHED and facts.gold == GoldState.RELEASED,
)


@dataclass(frozen=True, kw_only=True)
class VisibilityRow:
    about: str
    axes: tuple[str, ...]
    cells: Mapping[Role, When]

    def situations(self) -> Iterator[Facts]:
        """Every combination of the states that this row depends on."""
        for values in itertools.product(*(AXES[axis] for axis in self.axes)):
            yield Facts(**dict(zip(self.axes, values, strict=True)))  # type: ignore[arg-type]


def row(
    about: str,
    *axes: str,
    outside: When,
    team: When,
    organiser: When = ALWAYS,
    annotator: When | None = None,
) -> VisibilityRow:
    """Visitors, users without a team and other teams see the same: signing in alone gives no access.

    So do annotators, except of what they judge.
    """
    return VisibilityRow(
        about=about,
        axes=axes,
        cells={
            Role.VISITOR: outside,
            Role.NO_TEAM: outside,
            Role.OTHER_TEAM: outside,
            Role.MEMBER: team,
            Role.ANNOTATOR: annotator or outside,
            Role.ORGANISER: organiser,
        },
    )


RUN = ("phase", "feedback", "run", "status")

TABLE: Mapping[Thing, VisibilityRow] = {
    Thing.TASK: row("Description, rules, calendar, announcements", outside=ALWAYS, team=ALWAYS),
    Thing.NAME: row(
        "Existence of a test set: code, language, group, its place in counts and lists",
        "set",
        outside=NAME_REVEALED,
        team=NAME_REVEALED,
    ),
    Thing.SAMPLE: row("Sample files of a test set", "set", outside=NAME_REVEALED, team=NAME_REVEALED),
    Thing.INPUT: row(
        "Raw text and other inputs, and their sizes", "set", outside=INPUT_RELEASED, team=INPUT_RELEASED
    ),
    Thing.TEAM_NAME: row(
        "Real names of a team and its systems, instead of a pseudonym",
        "phase",
        "pseudonyms",
        outside=NAMES_PUBLIC,
        team=ALWAYS,
    ),
    Thing.RECEIPT: row(
        "File name, SHA-256, refusal, and incidents, which quote the upload",
        *RUN,
        outside=NEVER,
        team=ALWAYS,
    ),
    Thing.VALIDITY: row(
        "Existence of a run, and whether each file is valid", *RUN, outside=PUBLIC_RUN, team=ALWAYS
    ),
    Thing.ABOVE_ZERO: row(
        "Whether a file scored above zero (an oracle: gold labels can be inferred from the answers)",
        *RUN,
        "above_zero",
        outside=PUBLIC_RUN,
        team=ORACLE,
    ),
    Thing.MESSAGE: row(
        "A text about a run that may depend on gold", "note", outside=NEVER, team=RELEASED_TO_TEAM
    ),
    Thing.LOG: row("Details of server errors in a run, with tracebacks", *RUN, outside=NEVER, team=NEVER),
    Thing.SCORE: row("F1 of files and averages, as printed", *RUN, outside=PUBLIC_RUN, team=NOT_BLIND),
    Thing.COUNTS: row(
        "Integer counts, which reveal the size of gold, and unrounded F1, which reveals the counts",
        *RUN,
        "gold",
        outside=PUBLIC_RUN_GOLD_RELEASED,
        team=NOT_BLIND_GOLD_RELEASED,
    ),
    Thing.BREAKDOWN: row(
        "Scores by relation, length and sentence; learning curves; differences and trees",
        *RUN,
        "gold",
        outside=PUBLIC_RUN_GOLD_RELEASED,
        team=NOT_BLIND_GOLD_RELEASED,
    ),
    Thing.OUTPUT: row(
        "The uploaded files themselves", *RUN, "gold", outside=PUBLISHED_RUN_GOLD_RELEASED, team=ALWAYS
    ),
    Thing.GOLD: row(
        "Gold files, their plain hashes and statistics",
        "gold",
        outside=GOLD_RELEASED,
        team=GOLD_RELEASED,
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
    Thing.ALARM: row("Alarms about a run", "note", outside=NEVER, team=RELEASED_TO_TEAM),
    Thing.QUEUE: row(
        "Number of runs of a phase in progress; in a blind phase this reveals the progress of scoring",
        "phase",
        "feedback",
        outside=BEGUN_NOT_BLIND,
        team=BEGUN_NOT_BLIND,
    ),
    Thing.RESOURCES: row("Start, end and duration of scoring", *RUN, outside=NEVER, team=NOT_BLIND),
    Thing.AUDIT: row("What each organiser did, when and why", outside=NEVER, team=NEVER),
    Thing.CONTAINER_STATE: row(
        "State and minutes of software, number of finished test sets, exit code, limit hit, use in tenths",
        outside=NEVER,
        team=ALWAYS,
    ),
    Thing.CONTAINER_FIGURES: row(
        "Exact resource use of software, the current test set, number and size of outputs, while it runs",
        "set",
        outside=NEVER,
        team=INPUT_RELEASED,
    ),
    Thing.CONTAINER_LOG: row(
        "What software wrote to stdout and stderr", "set", outside=NEVER, team=INPUT_RELEASED
    ),
    Thing.RELEASED_LOG: row(
        "Log that organisers released, whole or redacted", "note", outside=NEVER, team=RELEASED_TO_TEAM
    ),
    Thing.CONTAINER_OUTPUT: row(
        "Files that software wrote, their sizes and hashes, and incidents that quote them",
        "set",
        outside=INPUT_RELEASED,
        team=INPUT_RELEASED,
    ),
    Thing.JUDGED_TREES: row(
        "Sentences of a campaign of judgements with two anonymous trees each",
        "campaign",
        outside=NEVER,
        team=NEVER,
        annotator=CAMPAIGN_OPEN,
    ),
    Thing.JUDGEMENTS: row(
        "Results of a campaign of judgements: agreement, competence, preference",
        "campaign",
        outside=CAMPAIGN_PUBLISHED,
        team=CAMPAIGN_PUBLISHED,
    ),
    Thing.JUDGED_ITEMS: row(
        "Judgements by item with their trees, and every comparison of judgements with a metric",
        "campaign",
        "gold",
        "phase",
        "feedback",
        outside=CAMPAIGN_PUBLISHED_GOLD_RELEASED,
        team=CAMPAIGN_PUBLISHED_GOLD_RELEASED,
        organiser=GOLD_RELEASED,
    ),
    Thing.CONTAINER_USE: row(
        "What the software of a run used in total: processor time, peak memory, time and bytes",
        *RUN,
        "set",
        outside=PUBLIC_RUN_INPUT_RELEASED,
        team=INPUT_RELEASED,
    ),
    Thing.GOLD_AS_INPUT: row(
        "Gold in the inputs of software: constraints, gold tags, sentences to train on; whoever starts it",
        "gold",
        outside=NEVER,
        team=GOLD_RELEASED,
        organiser=GOLD_RELEASED,
    ),
    Thing.EXPERIMENT: row(
        "Experiments with constraints: progress, figures, sentences with their trees",
        "experiment",
        "gold",
        outside=EXPERIMENT_PUBLISHED_GOLD_RELEASED,
        team=GOLD_RELEASED,
    ),
}


def allowed(thing: Thing, role: Role, facts: Facts) -> bool:
    """The only place where visibility is decided."""
    return TABLE[thing].cells[role].holds(facts)
