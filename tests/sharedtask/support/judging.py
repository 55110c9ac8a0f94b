"""Annotators who judge everything there is, and a campaign whose results are published."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sharedtask.accounts.models import User
from sharedtask.competition.models import Task
from sharedtask.core import clock
from sharedtask.judgements import annotators, judge, set_up
from sharedtask.judgements.analyse import AnalyseCampaign, request_analysis
from sharedtask.judgements.assign import assign_next
from sharedtask.judgements.draw import items_of, record
from sharedtask.judgements.models import Annotator, Assignment, Campaign, CampaignResult
from sharedtask.submissions.models import Run
from sharedtask.work import sweep

Work = Callable[[], None]


def answer_all(annotator: Annotator, choose: Callable[[Assignment], str]) -> int:
    """Judge everything there is, by the choice about the item's trees; returns how many."""
    number = 0
    while assignment := assign_next(annotator, at=clock.database_now()):
        choice = choose(assignment)
        answer = "=" if choice == "equal" else "1" if (choice == "first") != assignment.swapped else "2"
        judge.judge(
            annotator=annotator,
            assignment=assignment.public_id,
            answer=answer,
            seconds=2.5,
            at=clock.database_now(),
        )
        number += 1
    return number


def right_tree(assignment: Assignment) -> str:
    """The first system is right in sentences with an even number."""
    return "second" if int(assignment.item.text[-1]) % 2 else "first"


def wrong_tree(assignment: Assignment) -> str:
    return "first" if right_tree(assignment) == "second" else "second"


def analyse(work: Work) -> None:
    sweep.sweep(AnalyseCampaign(), at=clock.database_now())
    work()


def published_campaign(task: Task, runs: Sequence[Run], organiser: User) -> Campaign:
    """Two annotators have judged up to four items per test set, and always prefer the second system."""
    campaign = set_up.create_campaign(
        task=task,
        by=organiser,
        runs=runs,
        test_sets=list(task.test_sets.all()),
        title="Which is better?",
        items_per_pair=4,
        judgements_per_item=2,
    )
    record(campaign, list(items_of(campaign)))
    campaign.refresh_from_db()
    set_up.open_campaign(campaign=campaign, by=organiser)
    campaign.refresh_from_db()
    languages = dict.fromkeys(task.test_sets.values_list("language", flat=True), "fluent")
    for number in (1, 2):
        token = annotators.invite(campaign=campaign, by=organiser)
        user = User.objects.create_user(f"annotator-{number}")
        person = annotators.join(token=token, by=user, languages=languages, at=clock.database_now())
        answer_all(person, lambda assignment: "second")
    set_up.close_campaign(campaign=campaign, by=organiser)
    campaign.refresh_from_db()
    set_up.publish_campaign(campaign=campaign, by=organiser)
    request_analysis(campaign)
    AnalyseCampaign().process(CampaignResult.objects.get(campaign=campaign))
    return campaign
