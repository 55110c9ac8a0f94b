"""URLs of software: of a team, of an execution, and for organisers."""

from __future__ import annotations

from django.urls import path, re_path

from sharedtask.software.pages import execution, guide, organise, team_software

TASK = "tasks/<slug:slug>/"
ORGANISE = TASK + "organise/"

urlpatterns = [
    path("software/", guide.guide, name="software-guide"),
    path(TASK + "team/software/", team_software.software, name="software"),
    path(TASK + "team/software/start/", team_software.start, name="software-start"),
    path(TASK + "team/images/<slug:public_id>/remove/", team_software.remove, name="image-remove"),
    path("executions/<slug:public_id>/", execution.execution, name="execution"),
    path("executions/<slug:public_id>/state/", execution.execution_state, name="execution-state"),
    re_path(
        r"^executions/(?P<public_id>[-\w]+)/(?P<act>stop|run-missing)/$",
        execution.team_act,
        name="execution-act",
    ),
    path(ORGANISE + "software/", organise.software, name="organise-software"),
    path(ORGANISE + "software/grant/", organise.grant, name="grant-resources"),
    path(ORGANISE + "software/start/", organise.start, name="start-for-team"),
    path(ORGANISE + "software/earlier/", organise.earlier, name="earlier-system"),
    path(ORGANISE + "executions/<slug:public_id>/<slug:act>/", organise.act_on, name="organise-execution"),
]
