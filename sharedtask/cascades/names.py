"""How the system of an experiment is called for a viewer."""

from __future__ import annotations

from sharedtask.cascades.models import Experiment
from sharedtask.teams import team_access


def system_name(names: team_access.Names, experiment: Experiment) -> str:
    """The team and, unless it is the primary one, the system, with the version."""
    system = experiment.version.system
    team = names.team(experiment.team)
    name = team if system.is_primary else f"{team} ({names.system(system, experiment.team)})"
    return f"{name}, version {experiment.version.number}"
