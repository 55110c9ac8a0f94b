"""`whoami`: the account, what the token may do and until when, your teams, and the sites that are known."""

from __future__ import annotations

import argparse
from typing import Any

from ..client import configuration
from ..client.errors import OK
from .online import Commands, client_of, new_parser, show, without_seconds


def add_parser(commands: Commands[argparse.ArgumentParser]) -> None:
    new_parser(commands, "whoami", run, help="show account, token and sites", description=__doc__)


def run(arguments: argparse.Namespace) -> int:
    client = client_of(arguments)
    account = client.whoami()
    sites = {site.name: site.url for site in configuration.load().sites.values()}
    document = {"site": client.site.url, **account, "sites": sites}
    show(arguments, document, lambda: describe(document), [account["username"]])
    return OK


def describe(document: dict[str, Any]) -> str:
    token = document["token"]
    until = without_seconds(token["expires_at"])
    lines = [
        f"{document['username']} at {document['site']}",
        f"token {token['name']!r}: {', '.join(token['scopes'])}, until {until}",
    ]
    for team in document["teams"]:
        lines.append(f"team {team['name']} ({team['id']}) of {team['task']}, {team['registration']}")
        lines += [f"  system {system['name']} ({system['id']})" for system in team["systems"]]
    if document["organised_tasks"]:
        lines.append(f"organises {', '.join(document['organised_tasks'])}")
    default = configuration.load().default
    for name, url in document["sites"].items():
        lines.append(f"site {name}: {url}" + (" (default)" if name == default else ""))
    return "\n".join(lines)
