"""Forms with a row of fields for each entry of a list: data downloads and groups.

Empty rows are ignored; each form has some more of them than entries. An entry is removed by emptying its row.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from django import forms

from sharedtask.competition.acts import TextField
from sharedtask.competition.downloads import DownloadKind
from sharedtask.folders.editing.description import Values
from sharedtask.folders.editing.edit_form import EditForm, format_value
from sharedtask.folders.editing.form_fields import WHOLE_NUMBER, form_field
from sharedtask.folders.fields import DOWNLOAD

EMPTY_ROWS = 3
MAX_ROWS = 200
MAX_GROUP_LENGTH = 60
DOWNLOAD_LABELS = {
    "kind": "Kind",
    "title": "Title",
    "url": "Address",
    "licence": "Licence",
    "note": "Note",
}


class RowsForm(EditForm):
    """Fields are called `2-title`: the number of the row, from 0, and the name in the row."""

    names: tuple[str, ...]
    filled_in_if: tuple[str, ...]
    """A row is empty if all of these are."""
    noun: str
    hint: str
    row_fields: Callable[[], dict[str, forms.Field]]
    """New fields for a row, by their names in it."""
    read_entries: Callable[[dict[str, Any]], list[dict[str, Any]]]
    """What the rows show at first, from what the part has read."""

    def entries(self) -> list[dict[str, Any]]:
        return self.read_entries(self.current)

    def add_fields(self, values: Values) -> None:
        entries = self.entries()
        for row in self.row_numbers:
            for name, field in self.row_fields().items():
                # The parser of the folder says which fields a row needs; an empty row needs none.
                field.required = False
                self.fields[f"{row}-{name}"] = field
                if row < len(entries):
                    self.initial[f"{row}-{name}"] = entries[row].get(name)

    def initial_values(self, current: dict[str, Any]) -> dict[str, Any]:
        return {}

    @property
    def row_numbers(self) -> range:
        """Those that were sent too: another organiser may have removed entries meanwhile."""
        sent = [int(match[1]) for name in self.data if (match := re.match(r"(\d{1,3})-", name))]
        return range(max([len(self.entries()) + EMPTY_ROWS, *(row + 1 for row in sent if row < MAX_ROWS)]))

    @property
    def rows(self) -> Iterator[tuple[str, list[forms.BoundField]]]:
        """For the template: the heading of each row, and its fields."""
        number_of_entries = len(self.entries())
        for row in self.row_numbers:
            number = row + 1
            heading = f"{self.noun} {number}" if row < number_of_entries else f"New {self.noun.lower()}"
            yield heading, [self[f"{row}-{name}"] for name in self.names]

    def filled_rows(self) -> list[int]:
        return [
            row
            for row in self.row_numbers
            if any(self.cleaned_data.get(f"{row}-{name}") for name in self.filled_in_if)
        ]

    def row(self, row: int) -> dict[str, Any]:
        return {name: self.cleaned_data.get(f"{row}-{name}") for name in self.names}

    def field_name(self, path: str) -> str:
        """`downloads[2].url` is in the second row that is not empty."""
        match = re.fullmatch(r"\w+\[(\d+)\]\.(\w+)", path)
        return f"{self.filled_rows()[int(match[1]) - 1]}-{match[2]}" if match else path


class DownloadsForm(RowsForm):
    names = tuple(DOWNLOAD_LABELS)
    filled_in_if = ("title", "url", "licence", "note")
    noun = "Download"
    hint = "To remove an entry, clear its title, address, licence and note."

    @staticmethod
    def read_entries(current: dict[str, Any]) -> list[dict[str, Any]]:
        return list(current["downloads"])

    @staticmethod
    def row_fields() -> dict[str, forms.Field]:
        return {
            name: form_field(DOWNLOAD, name, label, choices=DownloadKind.choices)
            for name, label in DOWNLOAD_LABELS.items()
        }

    def filled_in(self) -> dict[str, Any]:
        return {"downloads": [self.row(row) for row in self.filled_rows()]}

    def differences(self, now: dict[str, Any]) -> list[tuple[str, str]]:
        return [(entry["title"], entry["url"]) for entry in now["downloads"]]


class GroupsForm(RowsForm):
    names = ("old", "name", "position")
    filled_in_if = ("name",)
    noun = "Group"
    hint = (
        "The positions give the order of columns. If you rename a group, its test sets stay in it. To remove "
        "a group, clear its name."
    )

    @staticmethod
    def read_entries(current: dict[str, Any]) -> list[dict[str, Any]]:
        return [
            {"old": group, "name": group, "position": number}
            for number, group in enumerate(current["groups"], start=1)
        ]

    @staticmethod
    def row_fields() -> dict[str, forms.Field]:
        return {
            # The name before the edit, so that test sets follow a new one.
            "old": TextField(widget=forms.HiddenInput),
            "name": TextField(label="Name", max_length=MAX_GROUP_LENGTH),
            "position": forms.IntegerField(
                label="Position", min_value=1, error_messages={"invalid": WHOLE_NUMBER}
            ),
        }

    def filled_in(self) -> dict[str, Any]:
        # A row without a position comes last.
        numbers = sorted(self.filled_rows(), key=lambda row: self.row(row)["position"] or MAX_ROWS + row)
        rows = [self.row(number) for number in numbers]
        return {"groups": [(row["old"] or None, row["name"]) for row in rows]}

    def differences(self, now: dict[str, Any]) -> list[tuple[str, str]]:
        return [("Groups", format_value(now["groups"]))]
