"""Pages of annotators: join a campaign, judge items, skip one, take a decision back."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from functools import wraps

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from sharedtask.accounts.current_user import current_user
from sharedtask.core import clock
from sharedtask.core.errors import Refusal
from sharedtask.core.markdown import to_html
from sharedtask.judgements import annotators, judge
from sharedtask.judgements.assign import assign_next, item_to_give, most_left
from sharedtask.judgements.campaign_access import has_conflict, may_judge
from sharedtask.judgements.comparison import TreeComparison
from sharedtask.judgements.forms import AnswerForm, JoinForm, SkipForm
from sharedtask.judgements.models import Annotator, Campaign
from sharedtask.visibility.terms import CampaignStage

SKIP_REASONS = ("I do not understand the sentence", "The sentence is damaged", "Both trees are useless")


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def join(request: HttpRequest, token: str) -> HttpResponse:
    at = clock.database_now()
    invitation = annotators.find_invitation(token, at=at)
    if invitation is None:
        return render(request, "judgements/join.html", {"refusal": annotators.unusable()}, status=404)
    campaign = invitation.campaign
    languages = sorted(set(campaign.test_sets.values_list("language", flat=True)))
    form = JoinForm(request.POST if request.method == "POST" else None, languages=languages)
    context = {"campaign": campaign, "form": form, "consent": to_html(campaign.consent)}
    if request.method != "POST" or not form.is_valid():
        return render(
            request, "judgements/join.html", context, status=400 if request.method == "POST" else 200
        )
    try:
        annotator = annotators.join(token=token, by=current_user(request), languages=form.levels, at=at)
    except Refusal as refusal:
        return render(request, "judgements/join.html", context | {"refusal": refusal}, status=409)
    if may_judge(annotator, at=at):
        assign_next(annotator, at=at)
    return redirect("judge", annotator.campaign.public_id)


@login_required
@require_safe
def judging(request: HttpRequest, campaign: str) -> HttpResponse:
    """The item that lies open. Reading assigns nothing; that is what the buttons do."""
    return judging_page(request, own_annotator(request, campaign))


def judging_page(request: HttpRequest, annotator: Annotator, refusal: Refusal | None = None) -> HttpResponse:
    """After a refusal with status 409."""
    context = judging_context(annotator, at=clock.database_now()) | {"refusal": refusal}
    return render(request, "judgements/judge.html", context, status=409 if refusal else 200)


def judging_context(annotator: Annotator, *, at: datetime) -> dict[str, object]:
    campaign = annotator.campaign
    is_open = may_judge(annotator, at=at)
    context: dict[str, object] = {
        "campaign": campaign,
        "annotator": annotator,
        "is_open": is_open,
        "is_paused": not is_open and campaign.stage(at=at) == CampaignStage.OPEN,
        "has_conflict": has_conflict(annotator.user, campaign),
        "judged": annotator.assignments.judged().count(),
        "last_decided": judge.last_decided(annotator),
        "guidelines": to_html(campaign.guidelines),
        "skip_reasons": SKIP_REASONS,
    }
    assignment = (
        annotator.assignments.to_judge().select_related("item__test_set").first() if is_open else None
    )
    if assignment is not None:
        context |= {
            "assignment": assignment,
            "item": assignment.item,
            "comparison": TreeComparison(assignment.item, assignment.swapped, campaign.task.profile),
            "left": most_left(annotator),
        }
    elif is_open:
        # Nothing was given when the campaign was not open yet, or when all items were taken.
        context["is_waiting"] = item_to_give(annotator) is not None
    return context


def while_open(view: Callable[[HttpRequest, Annotator, str], HttpResponse]) -> Callable[..., HttpResponse]:
    """Give the view the annotator; a form that arrives too late gets the page with the reason."""

    @login_required
    @require_POST
    @wraps(view)
    def wrapped(request: HttpRequest, campaign: str, assignment: str = "") -> HttpResponse:
        annotator = own_annotator(request, campaign)
        try:
            if not may_judge(annotator, at=clock.database_now()):
                raise Refusal("campaign-not-open", "Nothing was saved: you cannot judge here at the moment.")
            return view(request, annotator, assignment)
        except Refusal as refusal:
            return judging_page(request, annotator, refusal)

    return wrapped


@while_open
def next_item(request: HttpRequest, annotator: Annotator, assignment: str) -> HttpResponse:
    assign_next(annotator, at=clock.database_now())
    return redirect("judge", annotator.campaign.public_id)


@while_open
def answer(request: HttpRequest, annotator: Annotator, assignment: str) -> HttpResponse:
    at = clock.database_now()
    form = AnswerForm(request.POST)
    if not form.is_valid():
        raise Refusal("answer-unknown", "Choose one of the two trees.")
    judge.judge(annotator=annotator, assignment=assignment, at=at, **form.cleaned_data)
    assign_next(annotator, at=at)
    return redirect("judge", annotator.campaign.public_id)


@while_open
def skip(request: HttpRequest, annotator: Annotator, assignment: str) -> HttpResponse:
    at = clock.database_now()
    form = SkipForm(request.POST)
    reason = form.cleaned_data["reason"] if form.is_valid() else ""
    judge.skip(annotator=annotator, assignment=assignment, reason=reason, at=at)
    assign_next(annotator, at=at)
    return redirect("judge", annotator.campaign.public_id)


@while_open
def undo(request: HttpRequest, annotator: Annotator, assignment: str) -> HttpResponse:
    judge.undo(annotator=annotator, assignment=request.POST.get("assignment", ""))
    return redirect("judge", annotator.campaign.public_id)


def own_annotator(request: HttpRequest, campaign: str) -> Annotator:
    """For everybody else the page does not exist."""
    annotators_of = Annotator.objects.select_related("campaign__task", "user")
    return get_object_or_404(annotators_of, campaign__public_id=campaign, user=current_user(request))


def preview_context(campaign: Campaign, number: int) -> dict[str, object]:
    """What an annotator would see of an item; nothing can be answered."""
    item = campaign.items.select_related("test_set").filter(number=number).first()
    if item is None:
        raise Http404("there is no such item")
    return {
        "campaign": campaign,
        "is_open": True,
        "is_preview": True,
        "item": item,
        "comparison": TreeComparison(item, False, campaign.task.profile),
        "guidelines": to_html(campaign.guidelines),
        "skip_reasons": SKIP_REASONS,
        "previous_number": number - 1 if number > 1 else None,
        "next_number": number + 1 if number < campaign.items.count() else None,
    }
