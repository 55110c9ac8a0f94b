"""The documentation, from the files of `docs/`: a page that lists it and a page per document."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from sharedtask.core.documents import OWN_PAGES, document, page_of, sections


@dataclass(frozen=True, kw_only=True)
class Document:
    name: str
    title: str
    summary: str

    @property
    def address(self) -> str:
        return page_of(self.name)


@dataclass(frozen=True, kw_only=True)
class Part:
    title: str
    documents: Sequence[Document]


PARTS = (
    Part(
        title="For participants",
        documents=(
            Document(
                name="participants",
                title="Ten minutes to a scored run",
                summary="From nothing to a run on the leaderboard, in a browser or in a terminal.",
            ),
            Document(
                name="command",
                title="The command arboretum",
                summary="Check, submit, watch and compare from a terminal or a script.",
            ),
            Document(
                name="ci",
                title="Continuous integration",
                summary="Score every commit of your parser with GitHub Actions or GitLab CI.",
            ),
            Document(
                name="software",
                title="Software",
                summary="Submit a container image instead of files, and what it may expect.",
            ),
        ),
    ),
    Part(
        title="For organisers",
        documents=(
            Document(
                name="organisers",
                title="Running a shared task",
                summary="What organisers do, and where.",
            ),
            Document(
                name="calendar",
                title="The calendar of a task",
                summary="From the announcement to the overview paper, step by step.",
            ),
            Document(
                name="scorers",
                title="A scorer of your own",
                summary="A container image that measures what no profile does.",
            ),
            Document(
                name="tasks",
                title="Task folders",
                summary="The format of a task, with a folder to start from.",
            ),
        ),
    ),
    Part(
        title="Definitions",
        documents=(
            Document(
                name="metrics",
                title="Metrics",
                summary="How files are read, aligned, counted, averaged and compared.",
            ),
            Document(
                name="cascades",
                title="Which errors cause others",
                summary="Experiments with constraints: how to start one and how to read its figures.",
            ),
            Document(
                name="curves",
                title="Learning curves",
                summary="Scores by the size of the training sample, and what is computed from them.",
            ),
            Document(
                name="judgements",
                title="Human judgements",
                summary="How well metrics agree with people who compare two trees.",
            ),
        ),
    ),
    Part(
        title="For programs",
        documents=(
            Document(
                name="api",
                title="The HTTP API",
                summary="Addresses, tokens, limits, errors and webhooks; and the client for Python.",
            ),
            Document(
                name="json",
                title="JSON formats",
                summary="What the commands print with --json.",
            ),
            Document(
                name="uploads",
                title="Resumable uploads",
                summary="For authors of clients of tus 1.0.",
            ),
        ),
    ),
)
BY_NAME = {document.name: document for part in PARTS for document in part.documents}


@require_safe
def index(request: HttpRequest) -> HttpResponse:
    return render(request, "overview/docs.html", {"parts": PARTS})


@require_safe
def page(request: HttpRequest, name: str) -> HttpResponse:
    if name not in BY_NAME:
        raise Http404("there is no such document")
    if name in OWN_PAGES:
        return redirect(page_of(name), permanent=True)
    context = {
        "document": BY_NAME[name],
        "text": document(f"{name}.md"),
        "sections": sections(f"{name}.md"),
    }
    return render(request, "overview/docs_page.html", context)
