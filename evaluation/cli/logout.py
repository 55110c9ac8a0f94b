"""`logout`: revoke the token of this machine and forget it."""

from __future__ import annotations

import argparse
from contextlib import suppress

from ..client import configuration
from ..client.errors import OK, NotAuthenticated
from .online import Commands, client_of, new_parser, show


def add_parser(commands: Commands[argparse.ArgumentParser]) -> None:
    new_parser(commands, "logout", run, help="sign out", description=__doc__)


def run(arguments: argparse.Namespace) -> int:
    client = client_of(arguments)
    if client.site.token:
        # A token that was revoked or has expired is what was wanted.
        with suppress(NotAuthenticated):
            client.logout()
    configuration.load().forget_token(client.site.name)
    document = {"site": client.site.url, "name": client.site.name}
    show(arguments, document, lambda: f"Signed out of {client.site.url}.", [client.site.name])
    return OK
