from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from sharedtask.submissions.sweep import sweep


class Command(BaseCommand):
    help = "Hand out again whatever waits without an owner, and remove files that belong to no run."

    def handle(self, *args: Any, **options: Any) -> None:
        swept = sweep()
        self.stdout.write(
            f"Handed out {swept.runs} runs and {swept.scores} scores again; removed {swept.strays} stray files."
        )
