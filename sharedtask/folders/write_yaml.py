"""task.yaml as people would write it: fields in their order, long texts as blocks, times in UTC."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import yaml

HEAD = "# A task of Arboretum. docs/tasks.md explains every field.\n"


class Dumper(yaml.SafeDumper):
    def ignore_aliases(self, data: Any) -> bool:
        return True

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        """Entries of a list stand further in than the name of the list."""
        super().increase_indent(flow, False)


def text(dumper: Dumper, value: str) -> yaml.Node:
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style="|" if "\n" in value else None)


def moment(dumper: Dumper, value: datetime) -> yaml.Node:
    written = value.astimezone(UTC).isoformat().replace("+00:00", "Z")
    return dumper.represent_scalar("tag:yaml.org,2002:timestamp", written)


def names(dumper: Dumper, value: list[Any]) -> yaml.Node:
    flow = all(isinstance(one, str) for one in value)
    return dumper.represent_sequence("tag:yaml.org,2002:seq", value, flow_style=flow)


Dumper.add_representer(str, text)
Dumper.add_representer(datetime, moment)
Dumper.add_representer(list, names)


def write_yaml(told: dict[str, Any]) -> bytes:
    body = yaml.dump(told, Dumper=Dumper, sort_keys=False, allow_unicode=True, width=120)
    return (HEAD + body).encode()
