"""Links to the results of campaigns that the viewer may see, for pages of lower packages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import template

from sharedtask.competition.models import Task
from sharedtask.core import clock
from sharedtask.judgements.campaign_access import visible_campaigns

register = template.Library()


@register.inclusion_tag("judgements/_links.html", takes_context=True)
def judgement_links(context: Mapping[str, Any], task: Task) -> dict[str, Any]:
    at = context.get("at") or clock.database_now()
    return {"task": task, "campaigns": visible_campaigns(context["request"].user, task, at=at)}
