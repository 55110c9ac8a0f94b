"""Annotators: invited by link or by address, they join with consent and languages, and may be excluded."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from datetime import datetime, timedelta

from allauth.account.models import EmailAddress
from django.core.mail import EmailMessage
from django.db import IntegrityError, transaction
from django.db.models import F
from django.urls import reverse

from sharedtask.accounts import mail_queue
from sharedtask.accounts.models import User
from sharedtask.competition import audit
from sharedtask.core import clock
from sharedtask.core.errors import Refusal
from sharedtask.core.site_address import absolute
from sharedtask.judgements.campaign_access import has_conflict
from sharedtask.judgements.models import Annotator, AnnotatorInvitation, Campaign
from sharedtask.teams.invite import hash_token
from sharedtask.work import dispatch
from sharedtask.work.targets import ANALYSE_CAMPAIGN

VALID_FOR = timedelta(days=60)


MAIL = """\
{by} invites you to judge trees in “{title}”. You will see sentences with two dependency trees each, and say
which is better:

{link}

The link works for the account with this e-mail address, until {until:%d %B %Y}.
"""


def invite(*, campaign: Campaign, by: User, email: str = "", max_uses: int = 1) -> str:
    """The token, which is shown once. A link for an address is also sent there, and works only for it."""
    token = secrets.token_urlsafe(32)
    at = clock.database_now()
    with transaction.atomic():
        AnnotatorInvitation.objects.create(
            campaign=campaign,
            token_sha256=hash_token(token),
            email=email,
            max_uses=1 if email else max_uses,
            created_at=at,
            expires_at=at + VALID_FOR,
        )
        if email:
            mail_queue.enqueue(
                invitation_mail(campaign, by, email, token), about="invitation to judge", at=at
            )
        audit.write(task=campaign.task, who=by, action="invite-annotators", subject=campaign)
    return token


def invitation_mail(campaign: Campaign, by: User, email: str, token: str) -> EmailMessage:
    title = " ".join(campaign.title.split())
    body = MAIL.format(
        by=by.full_name or "An organiser",
        title=title,
        link=absolute(reverse("judge-join", args=[token])),
        until=clock.database_now() + VALID_FOR,
    )
    return EmailMessage(subject=f"Invitation to judge trees: {title}", body=body, to=[email])


def revoke_invitations(*, campaign: Campaign, by: User) -> int:
    at = clock.database_now()
    with transaction.atomic():
        number = campaign.invitations.usable(at=at).update(revoked_at=at)
        audit.write(task=campaign.task, who=by, action="revoke-invitations", subject=campaign)
    return number


def find_invitation(token: str, *, at: datetime) -> AnnotatorInvitation | None:
    """None if it was used up or revoked, has expired or never existed; the reader does not learn which."""
    usable = AnnotatorInvitation.objects.usable(at=at).select_related("campaign__task")
    return usable.filter(token_sha256=hash_token(token)).first()


def join(*, token: str, by: User, languages: Mapping[str, str], at: datetime) -> Annotator:
    with transaction.atomic():
        invitation = find_invitation(token, at=at)
        if invitation is None or not may_use(invitation, by):
            raise unusable()
        campaign = invitation.campaign
        if existing := campaign.annotators.filter(user=by).first():
            return existing
        if has_conflict(by, campaign):
            raise Refusal(
                "annotator-takes-part",
                "A team of yours takes part in this campaign, so you cannot judge in it.",
            )
        if not (
            AnnotatorInvitation.objects.usable(at=at).filter(pk=invitation.pk).update(uses=F("uses") + 1)
        ):
            raise unusable()
        # The lock gives people who join at the same moment different numbers.
        Campaign.objects.select_for_update().get(pk=campaign.pk)
        try:
            return Annotator.objects.create(
                campaign=campaign,
                user=by,
                pseudonym=f"a{campaign.annotators.count() + 1}",
                languages=dict(languages),
                consented_at=at,
            )
        except IntegrityError:
            raise unusable() from None


def may_use(invitation: AnnotatorInvitation, user: User) -> bool:
    if not invitation.email:
        return True
    confirmed = EmailAddress.objects.filter(user=user, verified=True, email__iexact=invitation.email)
    return bool(confirmed.exists())


def unusable() -> Refusal:
    return Refusal(
        "invitation-unusable",
        "This invitation has been used or revoked, has expired, or is for another e-mail address. "
        "Ask the organisers for a new link.",
    )


def exclude(*, annotator: Annotator, by: User, reason: str) -> None:
    """The judgements stay and do not count; their items go to others."""
    set_excluded(annotator, by, reason, action="exclude-annotator", at=clock.database_now())


def include(*, annotator: Annotator, by: User, reason: str) -> None:
    set_excluded(annotator, by, reason, action="include-annotator", at=None)


def set_excluded(annotator: Annotator, by: User, reason: str, *, action: str, at: datetime | None) -> None:
    campaign = annotator.campaign
    with transaction.atomic():
        Annotator.objects.filter(pk=annotator.pk).update(
            excluded_at=at, exclusion_reason=reason if at else ""
        )
        audit.write(
            task=campaign.task,
            who=by,
            action=action,
            subject=f"{annotator.pseudonym} in {campaign}",
            reason=reason,
        )
        dispatch.enqueue(ANALYSE_CAMPAIGN, campaign.pk)
