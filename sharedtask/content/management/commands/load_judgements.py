"""Load folders of human judgements as a finished campaign with published results; safe to repeat."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.urls import reverse

import evaluation
from evaluation.judgements.table import BadJudgements
from sharedtask.content.judgements.load import load
from sharedtask.content.judgements.task import Choices
from sharedtask.content.local_site import errors_of_the_site, find_organiser, use_local_key

SLUG = ACCOUNT = "judgements"


class Command(BaseCommand):
    help = (
        "Load human judgements: for each language a folder with gold.conll, the outputs of two systems and "
        "judgements.tsv, as in the data of Plank et al. (2015) or in the export of a campaign. Running it "
        "again changes nothing."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "folder", type=Path, metavar="DIR", help="folder with the folders, or an archive of it"
        )
        parser.add_argument("--slug", default=SLUG, help=f"the task's name in URLs (default: {SLUG})")
        parser.add_argument("--title", default="", help="title of the campaign and its task")
        parser.add_argument("--organiser", metavar="NAME", help="account of the organiser")
        for name, meaning in (
            ("verbs", "verbs"),
            ("content", "content words"),
            ("function", "function words"),
        ):
            parser.add_argument(
                f"--{name}",
                default="",
                metavar="TAGS",
                help=f"tags of {meaning} in all languages, separated by commas (default: the universal ones)",
            )
        parser.add_argument(
            "--separate-annotators",
            action="store_true",
            help="one name in two folders means two people, as in the data of Plank et al. (2015)",
        )

    def handle(self, *args: Any, folder: Path, **options: Any) -> None:
        use_local_key()
        if options["verbosity"] < 2:
            # A log line per checked or scored file would hide the progress.
            logging.getLogger("sharedtask").setLevel(logging.WARNING)
        choices = Choices(
            slug=options["slug"],
            title=options["title"],
            verbs=tags(options["verbs"]),
            content=tags(options["content"]),
            function=tags(options["function"]),
            separates_annotators=options["separate_annotators"],
        )
        with errors_of_the_site(BadJudgements, evaluation.InvalidFile):
            organiser = find_organiser(options["organiser"], default=ACCOUNT)
            campaign = load(folder, choices=choices, organiser=organiser, report=self.stdout.write)
        address = reverse("judgement-result", args=[campaign.task.slug, campaign.public_id])
        self.stdout.write(f"Loaded {campaign.title}: {address}")


def tags(text: str) -> tuple[str, ...]:
    return tuple(tag.strip() for tag in text.split(",") if tag.strip())
