"""`manage.py address NAME ADDRESS`: set the e-mail address of an account on the command line."""

from __future__ import annotations

from typing import Any

from allauth.account.models import EmailAddress
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.core.validators import validate_email
from django.db import transaction

from sharedtask.accounts.models import User


class Command(BaseCommand):
    help = "Set the primary e-mail address of an account, for example one created by createsuperuser."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="the sign-in name of the account")
        parser.add_argument("address", help="the e-mail address")
        parser.add_argument(
            "--confirmed",
            action="store_true",
            help="mark the address as confirmed; signing in then sends no confirmation e-mail",
        )

    def handle(self, *args: Any, name: str, address: str, confirmed: bool, **options: Any) -> None:
        try:
            validate_email(address)
        except ValidationError:
            raise CommandError(f"{address!r} is not a valid e-mail address.") from None
        user = User.objects.filter(username=name).first()
        if user is None:
            raise CommandError(f"There is no account with the sign-in name {name!r}.")
        if EmailAddress.objects.filter(email__iexact=address).exclude(user=user).exists():
            raise CommandError(f"Another account already has the address {address}.")
        set_address(user, address.lower(), confirmed=confirmed)
        status = "It is confirmed." if confirmed else "The next sign-in sends an e-mail to confirm it."
        self.stdout.write(f"{name} now has the address {address}. {status}")


@transaction.atomic
def set_address(user: User, address: str, *, confirmed: bool) -> None:
    EmailAddress.objects.filter(user=user).exclude(email=address).update(primary=False)
    EmailAddress.objects.update_or_create(
        user=user, email=address, defaults={"primary": True, "verified": confirmed}
    )
    User.objects.filter(pk=user.pk).update(email=address)
