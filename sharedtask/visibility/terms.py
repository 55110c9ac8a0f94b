"""The terms of the table: roles, things, and the states that an answer may depend on. No database."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class Role(StrEnum):
    VISITOR = "visitor"
    NO_TEAM = "signed in, without a team"
    OTHER_TEAM = "member of another team"
    MEMBER = "member of the team"
    ANNOTATOR = "annotator of a campaign"
    ORGANISER = "organiser"


class PhaseStage(StrEnum):
    """The stage of a phase. Results are published by an organiser, never automatically."""

    BEFORE = "before"
    OPEN = "open"
    CLOSED = "closed"
    PUBLISHED = "published"


class Feedback(StrEnum):
    SCORES = "scores"
    VALIDITY = "validity"


class SetState(StrEnum):
    SEALED = "sealed"
    REVEALED = "revealed"
    RELEASED = "input released"


class GoldState(StrEnum):
    SEALED = "sealed"
    RELEASED = "released"


class RunState(StrEnum):
    UNDER_WAY = "not yet checked"
    CHECKED = "checked, not yet scored"
    SCORED = "scored"
    REFUSED = "refused"
    FAILED = "server error"


class RunStatus(StrEnum):
    COUNTS = "counts"
    SHOWN_UNRANKED = "withdrawn, shown unranked"
    HIDDEN = "withdrawn, hidden"
    REJECTED = "rejected"


class NoteState(StrEnum):
    """A message or an alarm is for organisers only until one of them releases it to the team."""

    HELD = "held"
    RELEASED = "released to the team"


class CampaignStage(StrEnum):
    """The stage of a campaign of judgements."""

    DRAFT = "not open yet"
    OPEN = "open"
    CLOSED = "closed"
    PUBLISHED = "published"


class ExperimentStage(StrEnum):
    """An experiment belongs to its team until the team or an organiser publishes it."""

    PRIVATE = "not published"
    PUBLISHED = "published"


class Switch(StrEnum):
    """Whether a rule of the task is on."""

    OFF = "off"
    ON = "on"


@dataclass(frozen=True, kw_only=True)
class Facts:
    """Everything that an answer may depend on besides the role. A thing depends only on its own axes."""

    phase: PhaseStage = PhaseStage.BEFORE
    feedback: Feedback = Feedback.VALIDITY
    set: SetState = SetState.SEALED
    gold: GoldState = GoldState.SEALED
    run: RunState = RunState.UNDER_WAY
    status: RunStatus = RunStatus.HIDDEN
    note: NoteState = NoteState.HELD
    pseudonyms: Switch = Switch.ON
    above_zero: Switch = Switch.OFF
    campaign: CampaignStage = CampaignStage.DRAFT
    experiment: ExperimentStage = ExperimentStage.PRIVATE

    @property
    def blind(self) -> bool:
        return self.feedback == Feedback.VALIDITY and self.phase != PhaseStage.PUBLISHED

    @property
    def public_run(self) -> bool:
        is_listed = self.status in (RunStatus.COUNTS, RunStatus.SHOWN_UNRANKED)
        return not self.blind and self.run == RunState.SCORED and is_listed


AXES: Mapping[str, type[StrEnum]] = {
    "phase": PhaseStage,
    "feedback": Feedback,
    "set": SetState,
    "gold": GoldState,
    "run": RunState,
    "status": RunStatus,
    "note": NoteState,
    "pseudonyms": Switch,
    "above_zero": Switch,
    "campaign": CampaignStage,
    "experiment": ExperimentStage,
}


class Thing(StrEnum):
    TASK = "task"
    NAME = "test set name"
    SAMPLE = "sample"
    INPUT = "input"
    TEAM_NAME = "team name"
    RECEIPT = "receipt"
    VALIDITY = "validity"
    ABOVE_ZERO = "above zero"
    MESSAGE = "message"
    LOG = "log"
    SCORE = "score"
    COUNTS = "counts"
    BREAKDOWN = "breakdown"
    OUTPUT = "output"
    GOLD = "gold"
    RANKING = "ranking"
    ALARM = "alarm"
    QUEUE = "queue"
    RESOURCES = "resources"
    AUDIT = "audit"
    CONTAINER_STATE = "container state"
    CONTAINER_FIGURES = "container figures"
    CONTAINER_LOG = "container log"
    RELEASED_LOG = "released container log"
    CONTAINER_OUTPUT = "container output"
    JUDGED_TREES = "judged trees"
    JUDGEMENTS = "judgements"
    JUDGED_ITEMS = "judged items"
    CONTAINER_USE = "container use"
    GOLD_AS_INPUT = "gold as input"
    EXPERIMENT = "experiment"
