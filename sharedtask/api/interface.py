"""The API as a whole: its operations, its OpenAPI document, and what becomes of errors.

django-ninja translates: it reads parameters, checks types and writes JSON. Everything else is in functions
that know nothing of it.
"""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from ninja import NinjaAPI
from ninja.errors import HttpError, ValidationError
from ninja.openapi.schema import OpenAPISchema

from sharedtask.api import problems
from sharedtask.api.idempotency import HEADER, MAX_LENGTH
from sharedtask.api.resources import (
    account,
    check_rules,
    comparisons,
    counts,
    device_authorizations,
    experiments,
    folders,
    inputs,
    organising,
    phases,
    quota,
    runs,
    site,
    software,
    standings,
    systems,
    tasks,
    teams,
    test_sets,
    trainings,
    webhooks,
)
from sharedtask.core.errors import Refusal

DESCRIPTION = """\
Everything that the pages show, for programs, and the same actions. Who sees what and when is decided in one
place for both.

Reading what is public needs no token. Create tokens under “Your account” and send them as
`Authorization: Bearer …`. Their scopes: `read`, `submit`, `organise`; a token without `organise` sees and
does what a participant can.

Errors are `application/problem+json`; `id` is stable, `detail` says what to do. Lists have `items` and
`next`, the cursor of the next page. Every write takes an `Idempotency-Key`: repeated with the same key, it is
carried out once and gets the same answer. The headers `RateLimit` and `RateLimit-Policy` say how many
requests are left; beyond that the status is 429 with `Retry-After`. Large uploads can be resumed (tus 1.0) at
`/uploads/`, with the same token.
"""
PROBLEM = {
    "title": "Problem",
    "type": "object",
    "required": ["type", "title", "status", "detail", "id"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string", "description": "What happened and what to do."},
        "id": {"type": "string", "description": "Stable, as on the pages of the site."},
        "found": {"type": "string"},
        "expected": {"type": "string"},
        "errors": {
            "type": "array",
            "items": {"type": "object"},
            "description": "Problems with single fields.",
        },
        "incidents": {"type": "array", "items": {"type": "object"}},
    },
}
TOO_LONG = {
    # The web server answers by itself, before the site has read anything.
    "description": "The address is too long",
    "content": {"text/html": {"schema": {"type": "string"}}},
}
WRITING = ("post", "put", "patch", "delete")
IDEMPOTENCY_KEY = {
    "name": HEADER,
    "in": "header",
    "required": False,
    "description": "Any text; repeated with the same key, the request is carried out once.",
    # Visible ASCII, so that every client can send it.
    "schema": {"type": "string", "maxLength": MAX_LENGTH, "pattern": "^[!-~]*$"},
}


class Interface(NinjaAPI):
    def get_openapi_schema(self, **kwargs: Any) -> OpenAPISchema:
        """With what the envelope adds to each operation."""
        schema = super().get_openapi_schema(**kwargs)
        schema["components"].setdefault("schemas", {})["Problem"] = PROBLEM
        content = {problems.CONTENT_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
        for operations in schema["paths"].values():
            for method, operation in operations.items():
                for status, description in (("4XX", "Refused"), ("503", "Temporarily unavailable")):
                    operation["responses"][status] = {"description": description, "content": content}
                operation["responses"]["414"] = TOO_LONG
                if method in WRITING:
                    operation.setdefault("parameters", []).append(IDEMPOTENCY_KEY)
        return schema

    def get_openapi_operation_id(self, operation: Any) -> str:
        """The name of the function, which is unique in the API."""
        return str(operation.view_func.__name__)


api = Interface(
    title="Arboretum",
    version="1",
    description=DESCRIPTION,
    urls_namespace="api",
    docs_url=None,
    openapi_url="/openapi.json",
)
for module, tag in (
    (site, "Site"),
    (account, "Account"),
    (device_authorizations, "Account"),
    (tasks, "Tasks"),
    (phases, "Tasks"),
    (test_sets, "Tasks"),
    (inputs, "Tasks"),
    (check_rules, "Tasks"),
    (standings, "Results"),
    (systems, "Results"),
    (comparisons, "Results"),
    (experiments, "Results"),
    (counts, "Results"),
    (runs, "Runs"),
    (quota, "Runs"),
    (software, "Software"),
    (trainings, "Software"),
    (webhooks, "Webhooks"),
    (folders, "Organising"),
    (teams, "Organising"),
    (organising, "Organising"),
):
    api.add_router("", module.router, tags=[tag])


@api.exception_handler(Refusal)
def refused(request: HttpRequest, refusal: Refusal) -> HttpResponse:
    return problems.refused(refusal)


@api.exception_handler(Http404)
def not_found(request: HttpRequest, error: Http404) -> HttpResponse:
    return problems.not_found()


@api.exception_handler(ValidationError)
def invalid(request: HttpRequest, error: ValidationError) -> HttpResponse:
    errors = [
        {"where": ".".join(str(part) for part in each["loc"]), "message": each["msg"]}
        for each in error.errors
    ]
    detail = "; ".join(f"{each['where']}: {each['message']}" for each in errors[:3])
    return problems.problem(422, "request-invalid", detail or "The request is not valid.", errors=errors)


@api.exception_handler(HttpError)
@api.exception_handler(Exception)
def unexpected(request: HttpRequest, error: Exception) -> HttpResponse:
    """For the envelope."""
    raise error
