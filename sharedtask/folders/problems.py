"""Problems of a task folder, each with file, line and field."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

TASK_FILE = "task.yaml"


@dataclass(frozen=True, kw_only=True)
class Problem:
    file: str
    line: int | None
    field: str
    """Path of the field in task.yaml, such as `test_sets[2].code`; empty for the file as a whole."""
    message: str

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}, line {self.line}"
        return f"{place}, {self.field}: {self.message}" if self.field else f"{place}: {self.message}"

    def as_dict(self) -> dict[str, str | int | None]:
        return asdict(self)


class BadTaskFolder(Exception):
    """The folder cannot be imported, and nothing was changed. Carries all problems."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__("\n".join(map(str, problems)))
        self.problems = tuple(problems)
