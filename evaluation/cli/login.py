"""`login [SITE]`: sign in. A page of the site opens; confirm there the code that is shown here.

With --token, or without a terminal, the token is read from standard input or from ARBORETUM_TOKEN. Tokens
are made on the site under “Your account”.
"""

from __future__ import annotations

import argparse
import os
import sys
import webbrowser
from dataclasses import replace
from typing import Any

from ..client import configuration
from ..client.errors import OK, BadRequest
from ..client.login import sign_in, site_to_sign_in_to, verify
from .online import Commands, add_options, show

SCOPES = ("read", "submit", "organise")


def add_parser(commands: Commands[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("login", help="sign in to a site", description=__doc__)
    parser.add_argument("address", metavar="SITE", nargs="?", default="", help="address or known name")
    parser.add_argument("--name", default="", help="a short name for the site (default: its host)")
    parser.add_argument(
        "--scope", choices=SCOPES, action="append", help="what the token may do (default: read and submit)"
    )
    parser.add_argument("--token", action="store_true", help="read a token from standard input")
    parser.add_argument("--no-browser", action="store_true", help="only print the address of the page")
    add_options(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    site = site_to_sign_in_to(arguments.address or arguments.site, arguments.name)
    if arguments.token:
        site = replace(site, token=read_token())
    else:
        scopes = arguments.scope or ["read", "submit"]
        site = sign_in(site, scopes, lambda found: invite(found, browser=not arguments.no_browser))
    account = verify(site)
    configuration.load().remember(site)
    document = {"site": site.url, "name": site.name, "username": account["username"]}
    show(arguments, document, lambda: f"Signed in to {site.url} as {account['username']}.", [site.name])
    return OK


def read_token() -> str:
    token = os.environ.get("ARBORETUM_TOKEN", "") or sys.stdin.readline().strip()
    if not token:
        raise BadRequest("token-missing", "There is no token on standard input.")
    return token


def invite(authorization: dict[str, Any], *, browser: bool) -> None:
    address = authorization["verification_uri_complete"]
    print(f"Open {address}\nand confirm the code {authorization['user_code']}", file=sys.stderr, flush=True)
    if browser and sys.stderr.isatty():
        webbrowser.open(address)
    if sys.stderr.isatty():
        print("Waiting for your confirmation …", file=sys.stderr, flush=True)
