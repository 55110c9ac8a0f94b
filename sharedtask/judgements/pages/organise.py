"""Campaigns for organisers: the list, a new one, and the page of each with its acts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from functools import partial
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from evaluation.ranking.tables.table import Table
from sharedtask.competition.acts import ActForm, ReasonForm, act, render_act_page
from sharedtask.competition.models import Task
from sharedtask.competition.organised_task import organised_task
from sharedtask.core import clock
from sharedtask.core.site_address import absolute
from sharedtask.judgements import annotators, set_up
from sharedtask.judgements.assign import reassign_idle
from sharedtask.judgements.campaign_access import may_preview, people_taking_part
from sharedtask.judgements.edit import edit_campaign, editable_fields
from sharedtask.judgements.forms import (
    CampaignForm,
    EditForm,
    InvitationForm,
    PairsForm,
    StageForm,
    TagsForm,
)
from sharedtask.judgements.models import Annotator, Campaign, Item, Pair
from sharedtask.judgements.names import pair_names, run_names, runs_to_choose
from sharedtask.judgements.obstacles import obstacles
from sharedtask.judgements.pages.judge import preview_context
from sharedtask.judgements.paper_tables import ALL
from sharedtask.judgements.progress import progress_of, shortages
from sharedtask.judgements.tables import agreement_table
from sharedtask.judgements.tag_items import tag_item
from sharedtask.judgements.visible_results import visible_result
from sharedtask.visibility.terms import CampaignStage

STAGE_ACTS: Mapping[str, tuple[Callable[..., None], str]] = {
    "open": (set_up.open_campaign, "The campaign is open."),
    "close": (set_up.close_campaign, "The campaign is closed."),
    "publish": (set_up.publish_campaign, "The results are published."),
}
ANNOTATOR_ACTS: Mapping[str, tuple[Callable[..., None], str]] = {
    "exclude": (annotators.exclude, "The annotator is excluded, and the judgements do not count."),
    "include": (annotators.include, "The judgements of the annotator count again."),
}


@login_required
@require_safe
def campaigns(request: HttpRequest, slug: str) -> HttpResponse:
    task = organised_task(request, slug)
    at = clock.database_now()
    rows = [(campaign, campaign.stage(at=at)) for campaign in task.campaigns.prefetch_related("test_sets")]
    return render(request, "judgements/campaigns.html", {"task": task, "rows": rows})


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def new_campaign(request: HttpRequest, slug: str) -> HttpResponse:
    task = organised_task(request, slug)
    form = campaign_form(request, task)
    if request.method == "POST":
        result = act(request, form, partial(set_up.create_campaign, task=task))
        if result:
            return redirect("campaign", slug=slug, campaign=result.value.public_id)
    context = {"task": task, "form": form}
    refused = form if request.method == "POST" else None
    return render_act_page(request, "judgements/new_campaign.html", context, refused=refused)


def campaign_form(request: HttpRequest, task: Task) -> CampaignForm:
    runs = runs_to_choose(request.user, task, at=clock.database_now())
    return CampaignForm(
        request.POST if request.method == "POST" else None, runs=runs, test_sets=list(task.test_sets.all())
    )


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: HttpRequest, slug: str, campaign: str) -> HttpResponse:
    row = organised_campaign(request, slug, campaign)
    form = EditForm(
        request.POST if request.method == "POST" else None,
        campaign=row,
        editable=editable_fields(row, at=clock.database_now()),
        test_sets=list(row.task.test_sets.all()),
    )
    if request.method == "POST" and act(request, form, partial(edit_campaign, campaign=row), done="Saved."):
        return redirect("campaign", slug=slug, campaign=campaign)
    context = {"task": row.task, "campaign": row, "form": form}
    refused = form if request.method == "POST" else None
    return render_act_page(request, "judgements/edit_campaign.html", context, refused=refused)


@login_required
@require_safe
def campaign(request: HttpRequest, slug: str, campaign: str) -> HttpResponse:
    return campaign_page(request, organised_campaign(request, slug, campaign))


def campaign_page(
    request: HttpRequest, campaign: Campaign, *, refused: ActForm | None = None, link: str = ""
) -> HttpResponse:
    at = clock.database_now()
    progress = progress_of(campaign)
    stage = campaign.stage(at=at)
    names = named_pairs(request, campaign)
    # Afterwards nothing can be changed about it.
    missing = shortages(campaign) if stage in (CampaignStage.DRAFT, CampaignStage.OPEN) else []
    context = {
        "task": campaign.task,
        "campaign": campaign,
        "at": at,
        "stage": stage,
        "shortages": [(each, names[each.pair]) for each in missing],
        "obstacles": obstacles(campaign.task, campaign.test_sets.all(), at=at),
        "progress": progress,
        "taking_part": people_taking_part(campaign),
        "agreement": agreement_so_far(request, campaign, at=at),
        "rows": [
            (row, ReasonForm.refused_or_new(row.annotator.public_id, refused)) for row in progress.annotators
        ],
        "pairs_form": PairsForm.refused_or_new("pairs", refused, pairs=names),
        "stage_form": StageForm.refused_or_new("stage", refused),
        "invitation_form": InvitationForm.refused_or_new("invitation", refused),
        "link": link,
    }
    return render_act_page(request, "judgements/campaign.html", context, refused=refused)


def agreement_so_far(request: HttpRequest, campaign: Campaign, *, at: datetime) -> Table | None:
    """As of the last analysis, which follows a short time after the judgements."""
    analyses = visible_result(request.user, campaign, at=at).analyses
    return agreement_table([each for each in analyses if each.test_set == ALL]) if analyses else None


def named_pairs(request: HttpRequest, campaign: Campaign) -> dict[Pair, str]:
    names = run_names(request.user, campaign, at=clock.database_now())
    return {pair: " – ".join(pair_names(pair, names)) for pair in campaign.pairs.all()}


@login_required
@require_POST
def draw(request: HttpRequest, slug: str, campaign: str) -> HttpResponse:
    row = organised_campaign(request, slug, campaign)
    form = PairsForm(request.POST, key="pairs", pairs=named_pairs(request, row))
    # The page itself says that the items are being drawn.
    if act(request, form, partial(set_up.request_items, campaign=row)):
        return redirect("campaign", slug=slug, campaign=campaign)
    return campaign_page(request, row, refused=form)


@login_required
@require_POST
def change_stage(request: HttpRequest, slug: str, campaign: str, verb: str) -> HttpResponse:
    if verb not in STAGE_ACTS:
        raise Http404("no such act")
    row = organised_campaign(request, slug, campaign)
    form = StageForm(request.POST, key="stage")
    function, done = STAGE_ACTS[verb]
    if act(request, form, partial(function, campaign=row), done=done):
        return redirect("campaign", slug=slug, campaign=campaign)
    return campaign_page(request, row, refused=form)


@login_required
@require_POST
def invite(request: HttpRequest, slug: str, campaign: str) -> HttpResponse:
    row = organised_campaign(request, slug, campaign)
    form = InvitationForm(request.POST, key="invitation")
    result = act(request, form, partial(annotators.invite, campaign=row))
    if result is None:
        return campaign_page(request, row, refused=form)
    # The link is shown once and not stored, so that there is nothing to redirect to.
    link = absolute(reverse("judge-join", args=[result.value]))
    return campaign_page(request, row, link=link)


@login_required
@require_POST
def revoke(request: HttpRequest, slug: str, campaign: str) -> HttpResponse:
    row = organised_campaign(request, slug, campaign)
    act(
        request,
        ActForm(request.POST),
        partial(annotators.revoke_invitations, campaign=row),
        done="All open invitations are revoked.",
    )
    return redirect("campaign", slug=slug, campaign=campaign)


@login_required
@require_POST
def reassign(request: HttpRequest, slug: str, campaign: str) -> HttpResponse:
    row = organised_campaign(request, slug, campaign)
    result = act(request, ActForm(request.POST), partial(reassign_idle, campaign=row))
    if result:
        messages.success(request, f"Items reassigned: {result.value}.")
    return redirect("campaign", slug=slug, campaign=campaign)


@login_required
@require_POST
def change_annotator(
    request: HttpRequest, slug: str, campaign: str, annotator: str, verb: str
) -> HttpResponse:
    if verb not in ANNOTATOR_ACTS:
        raise Http404("no such act")
    row = organised_campaign(request, slug, campaign)
    person = get_object_or_404(
        Annotator.objects.select_related("campaign__task"), campaign=row, public_id=annotator
    )
    form = ReasonForm(request.POST, key=annotator)
    function, done = ANNOTATOR_ACTS[verb]
    if act(request, form, partial(function, annotator=person), done=done):
        return redirect("campaign", slug=slug, campaign=campaign)
    return campaign_page(request, row, refused=form)


@login_required
@require_safe
def preview(request: HttpRequest, slug: str, campaign: str, number: int) -> HttpResponse:
    row = organised_campaign(request, slug, campaign)
    if not may_preview(row, at=clock.database_now()):
        # The page of the campaign says why.
        return redirect("campaign", slug=slug, campaign=campaign)
    context: dict[str, Any] = {"task": row.task} | preview_context(row, number)
    return render(request, "judgements/judge.html", context)


@login_required
@require_POST
def tag(request: HttpRequest, slug: str, campaign: str, number: int) -> HttpResponse:
    row = organised_campaign(request, slug, campaign)
    item = get_object_or_404(Item, campaign=row, number=number)
    act(request, TagsForm(request.POST), partial(tag_item, item=item), done="Saved.")
    return redirect("judged-item", slug=slug, campaign=campaign, number=number)


def organised_campaign(request: HttpRequest, slug: str, campaign: str) -> Campaign:
    task = organised_task(request, slug)
    return get_object_or_404(Campaign.objects.select_related("task"), task=task, public_id=campaign)
