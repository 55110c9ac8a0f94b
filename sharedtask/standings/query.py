"""The query parameters that all result pages have in common; and a redirect to a tidy address.

In: the parameters of a request. Out: a `ResultsQuery`, in which an empty value means the default. Pages with
parameters of their own have a subclass.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect

PREVIEW = "preview"
"""With this parameter, which needs no value, organisers see the standings in force."""
MAX_LENGTH = 60
"""Longer values are cut; no name and no column has more characters."""


@dataclass(frozen=True, kw_only=True)
class ResultsQuery:
    phase: str = ""
    track: str = ""
    ranking: str = ""
    metric: str = ""
    scope: str = ""
    """A group by its name, or a language as `lang:en`."""
    sort: str = ""
    """A column; descending with a minus in front."""
    preview: bool = False
    """Organisers see the current results instead of the published ones."""


def parse_results_query(parameters: QueryDict) -> ResultsQuery:
    return ResultsQuery(**common_parameters(parameters))


def common_parameters(parameters: QueryDict) -> dict[str, Any]:
    """The fields of a `ResultsQuery`, also for its subclasses."""
    names = ("phase", "track", "ranking", "metric", "scope", "sort")
    return {name: value_of(parameters, name) for name in names} | {"preview": PREVIEW in parameters}


def value_of(parameters: QueryDict, name: str) -> str:
    return " ".join(parameters.get(name, "").split())[:MAX_LENGTH]


def redirect_to_tidy_address(request: HttpRequest) -> HttpResponse | None:
    """A form also sends the fields that were left empty; the address should not contain them."""
    parameters = request.GET.copy()
    for name in [name for name, value in request.GET.items() if not value and name != PREVIEW]:
        del parameters[name]
    if len(parameters) == len(request.GET):
        return None
    return redirect(f"{request.path}?{parameters.urlencode()}" if parameters else request.path)
