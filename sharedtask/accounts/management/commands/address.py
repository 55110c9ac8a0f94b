"""`manage.py address NAME ADDRESS`: give an account its e-mail address, from the server's terminal."""

from __future__ import annotations

from typing import Any

from allauth.account.models import EmailAddress
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.core.validators import validate_email
from django.db import transaction

from sharedtask.accounts.models import User


class Command(BaseCommand):
    help = "Give an account its primary e-mail address, say one that createsuperuser made without."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="the account's user name")
        parser.add_argument("address")
        parser.add_argument(
            "--confirmed",
            action="store_true",
            help="you vouch for it, and signing in sends no mail to confirm it",
        )

    def handle(self, *args: Any, name: str, address: str, confirmed: bool, **options: Any) -> None:
        try:
            validate_email(address)
        except ValidationError:
            raise CommandError(f"{address!r} is no e-mail address.") from None
        user = User.objects.filter(username=name).first()
        if user is None:
            raise CommandError(f"There is no account called {name!r}.")
        if EmailAddress.objects.filter(email__iexact=address).exclude(user=user).exists():
            raise CommandError(f"Another account has the address {address} already.")
        give(user, address.lower(), confirmed=confirmed)
        how = "and is confirmed" if confirmed else "which the next sign-in asks to confirm by a mail"
        self.stdout.write(f"{name} has the address {address}, {how}.")


@transaction.atomic
def give(user: User, address: str, *, confirmed: bool) -> None:
    EmailAddress.objects.filter(user=user).exclude(email=address).update(primary=False)
    EmailAddress.objects.update_or_create(
        user=user, email=address, defaults={"primary": True, "verified": confirmed}
    )
    User.objects.filter(pk=user.pk).update(email=address)
