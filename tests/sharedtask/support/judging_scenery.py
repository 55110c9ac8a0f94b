"""Two campaigns of judgements on the demo task: one that is open, and one whose results are published."""

from __future__ import annotations

from sharedtask.accounts.models import User
from sharedtask.competition.models import Task
from sharedtask.core import clock
from sharedtask.judgements import annotators, judge, set_up
from sharedtask.judgements.analyse import AnalyseCampaign, request_analysis
from sharedtask.judgements.assign import assign_next
from sharedtask.judgements.draw import items_of, record
from sharedtask.judgements.models import Campaign, CampaignResult, Item
from sharedtask.submissions.models import Run

GUIDELINES = "Prefer the tree in which **fewer words** would have to be corrected."


def add_campaigns() -> dict[str, str]:
    """Ids of their pages. `juniper` judges in the open one."""
    task = Task.objects.get(slug="demo")
    organiser = User.objects.get(username="organiser")
    published = open_campaign(task, organiser, title="Two parsers")
    for name in ("juniper", "rowan"):
        judge_everything(published, organiser, User.objects.get(username=name))
    set_up.close_campaign(campaign=published, by=organiser)
    published.refresh_from_db()
    set_up.publish_campaign(campaign=published, by=organiser)
    request_analysis(published)
    AnalyseCampaign().process(CampaignResult.objects.get(campaign=published))
    current = open_campaign(task, organiser, title="Which tree is better?", allows_equal=True)
    annotator = join(current, organiser, User.objects.get(username="juniper"))
    assign_next(annotator, at=clock.database_now())
    return {
        "campaign": current.public_id,
        "judged": published.public_id,
        "judged_item": str(published.items.filter(kind=Item.Kind.PAIR).earliest("number").number),
    }


def open_campaign(task: Task, organiser: User, **values: object) -> Campaign:
    names = ("Hornbeam", "Linden")
    runs = [Run.objects.get(task=task, team__name=name) for name in names]
    campaign = set_up.create_campaign(
        task=task,
        by=organiser,
        runs=runs,
        test_sets=list(task.test_sets.filter(code__in=["de_garten", "ar_suq"])),
        items_per_pair=4,
        judgements_per_item=3,
        controls=1,
        repeats=1,
        guidelines=GUIDELINES,
        **values,
    )
    record(campaign, list(items_of(campaign)))
    campaign.refresh_from_db()
    set_up.open_campaign(campaign=campaign, by=organiser)
    campaign.refresh_from_db()
    return campaign


def join(campaign: Campaign, organiser: User, user: User) -> annotators.Annotator:
    languages = dict.fromkeys(campaign.test_sets.values_list("language", flat=True), "fluent")
    token = annotators.invite(campaign=campaign, by=organiser)
    return annotators.join(token=token, by=user, languages=languages, at=clock.database_now())


def judge_everything(campaign: Campaign, organiser: User, user: User) -> None:
    """The tree that is shown first, except now and then."""
    annotator = join(campaign, organiser, user)
    while assignment := assign_next(annotator, at=clock.database_now()):
        judge.judge(
            annotator=annotator,
            assignment=assignment.public_id,
            answer="2" if assignment.item.number % 3 == 0 else "1",
            seconds=4.0,
            at=clock.database_now(),
        )
