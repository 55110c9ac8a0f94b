"""Write task.yaml as people would: fields in order, long texts as blocks, times in UTC."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import yaml

HEADER = "# A task of Arboretum. docs/tasks.md explains every field.\n"


class Dumper(yaml.SafeDumper):
    def ignore_aliases(self, data: Any) -> bool:
        return True

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        """Indent the entries of a list below its name."""
        super().increase_indent(flow, False)


def represent_text(dumper: Dumper, value: str) -> yaml.Node:
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style="|" if "\n" in value else None)


def represent_time(dumper: Dumper, value: datetime) -> yaml.Node:
    formatted = value.astimezone(UTC).isoformat().replace("+00:00", "Z")
    return dumper.represent_scalar("tag:yaml.org,2002:timestamp", formatted)


def represent_list(dumper: Dumper, value: list[Any]) -> yaml.Node:
    flow = all(isinstance(item, str) for item in value)
    return dumper.represent_sequence("tag:yaml.org,2002:seq", value, flow_style=flow)


Dumper.add_representer(str, represent_text)
Dumper.add_representer(datetime, represent_time)
Dumper.add_representer(list, represent_list)


def write_yaml(values: dict[str, Any]) -> bytes:
    body = yaml.dump(values, Dumper=Dumper, sort_keys=False, allow_unicode=True, width=120)
    return (HEADER + body).encode()
