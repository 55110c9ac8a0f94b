"""The command that installs this site's evaluator, and the commands that follow."""

from __future__ import annotations

from typing import Any

from django import template

from sharedtask.core.evaluator_wheel import install_command
from sharedtask.core.site_address import absolute

register = template.Library()

COMMANDS = {
    "help": ["arboretum --help"],
    "score": ["arboretum score gold.conllu system.conllu --format counts"],
    "prepare": ["arboretum inputs TASK --site SITE", "arboretum check outputs --task TASK --site SITE"],
    "submit": [
        "arboretum login SITE",
        "arboretum check outputs --task TASK",
        "arboretum submit outputs --task TASK --wait",
    ],
}
"""SITE and TASK stand for the address of this site and the short name of the task."""


@register.inclusion_tag("_commands.html")
def terminal_commands(name: str, slug: str = "") -> dict[str, Any]:
    """Nothing on a site without a wheel."""
    site = absolute("/").rstrip("/")
    lines = [command.replace("SITE", site).replace("TASK", slug) for command in COMMANDS[name]]
    return {"install": install_command(), "commands": lines}
