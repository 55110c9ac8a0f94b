"""The notice at the end of an experiment. Call it in a transaction."""

from __future__ import annotations

from datetime import datetime

from sharedtask.cascades.models import Experiment
from sharedtask.teams.models import Notice
from sharedtask.teams.notices.send import members_of, organisers_of, send_notices

SENTENCES = {
    Experiment.State.DONE: "has ended.",
    Experiment.State.STOPPED: "was stopped; its page says why.",
    Experiment.State.FAILED: "failed because of a server error.",
}


def send_finished(experiment: Experiment, *, at: datetime) -> None:
    """To the team; to the organisers if they have started it, or after a server error."""
    text = (
        f"The experiment with constraints of {experiment.team.name} "
        f"{SENTENCES[Experiment.State(experiment.state)]}"
    )
    people = [members_of(experiment.team)]
    if experiment.on_behalf or experiment.state == Experiment.State.FAILED:
        people.append(organisers_of(experiment.task))
    for each in people:
        send_notices(
            people=each,
            task=experiment.task,
            kind=Notice.Kind.SOFTWARE,
            # One that is resumed ends again.
            event=f"experiment-ended:{experiment.public_id}:{at.isoformat()}",
            text=text,
            path=experiment.get_absolute_url(),
            at=at,
        )
