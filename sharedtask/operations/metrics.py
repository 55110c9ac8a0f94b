"""Metrics for Prometheus: queue lengths, age of the oldest run, durations, failures by kind, latencies.

`/metrics` requires the token in the settings as a bearer token; without a configured token it returns 404.
The progress of scoring in a blind phase depends on gold, so only administrators may see it. Metrics about
runs are read from the database at each scrape and are therefore the same in every process. Only latencies
are counted by the processes themselves, in shared files (`PROMETHEUS_MULTIPROC_DIR`).
"""

from __future__ import annotations

import hmac
import os
import time
from collections.abc import Callable, Iterator

from django.conf import settings
from django.db.models import Count, Min, Q, QuerySet, Sum
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Histogram, generate_latest
from prometheus_client import multiprocess as shared
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector

from sharedtask.competition.models import StandingRequest
from sharedtask.core import clock
from sharedtask.submissions.models import Run, Score
from sharedtask.work import dispatch

QUEUES = ("score", "standings", "analyse", "mail", "sweep")
SCORE_BUCKETS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60)
LATENCY = Histogram(
    "arboretum_request_seconds",
    "Time to answer a request, by URL name",
    ["address", "method", "status"],
    buckets=(0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30),
)

GetResponse = Callable[[HttpRequest], HttpResponse]


def latency_middleware(get_response: GetResponse) -> GetResponse:
    def measure(request: HttpRequest) -> HttpResponse:
        began = time.perf_counter()
        response = get_response(request)
        match = request.resolver_match
        # The URL name and never the URL itself, which may contain ids.
        address = (match.url_name if match else None) or "none"
        LATENCY.labels(address, request.method or "", str(response.status_code)).observe(
            time.perf_counter() - began
        )
        return response

    return measure


@require_safe
@never_cache
def metrics(request: HttpRequest) -> HttpResponse:
    token = request.headers.get("Authorization", "").removeprefix("Bearer ")
    if not settings.METRICS_TOKEN or not hmac.compare_digest(token, settings.METRICS_TOKEN):
        raise Http404("missing or wrong token")
    registry = CollectorRegistry()
    registry.register(DatabaseCollector())
    if os.environ.get("PROMETHEUS_MULTIPROC_DIR"):
        shared.MultiProcessCollector(registry)
    else:
        registry.register(LATENCY)
    return HttpResponse(generate_latest(registry), content_type=CONTENT_TYPE_LATEST)


class DatabaseCollector(Collector):
    def collect(self) -> Iterator[Metric]:
        at = clock.database_now()
        depth = GaugeMetricFamily("arboretum_queue_messages", "Messages in the broker", labels=["queue"])
        for queue in QUEUES:
            depth.add_metric([queue], dispatch.messages_in(queue))
        yield depth

        yield count_by(Run.objects.all(), "state", "arboretum_runs", "Runs by state")
        yield count_by(Score.objects.all(), "state", "arboretum_scores", "Scores by state")
        yield GaugeMetricFamily(
            "arboretum_standings_requested",
            "Phases whose standings are waiting to be computed",
            StandingRequest.objects.count(),
        )

        unfinished = Run.objects.exclude(state__in=Run.FINAL).aggregate(first=Min("received_at"))["first"]
        waiting = Score.objects.filter(state=Score.State.WAITING).aggregate(first=Min("dispatched_at"))[
            "first"
        ]
        ages = GaugeMetricFamily(
            "arboretum_oldest_unfinished_seconds",
            "Age of the oldest unfinished run or score",
            labels=["what"],
        )
        for what, first in (("run", unfinished), ("score", waiting)):
            ages.add_metric([what], (at - first).total_seconds() if first else 0)
        yield ages

        yield score_seconds()

        failures = CounterMetricFamily(
            "arboretum_failures",
            "Server errors, by stage and kind of the last one",
            labels=["stage", "kind"],
        )
        for (stage, kind), number in failures_by_kind().items():
            failures.add_metric([stage, kind], number)
        yield failures


def count_by(rows: QuerySet[Run] | QuerySet[Score], field: str, name: str, text: str) -> GaugeMetricFamily:
    family = GaugeMetricFamily(name, text, labels=[field])
    for value, number in rows.order_by().values_list(field).annotate(Count("pk")):
        family.add_metric([value], number)
    return family


def score_seconds() -> HistogramMetricFamily:
    """A histogram of durations, with a single query for any number of scores."""
    within = {
        f"within_{index}": Count("pk", filter=Q(duration_seconds__lte=bound))
        for index, bound in enumerate(SCORE_BUCKETS)
    }
    done = Score.objects.filter(state=Score.State.SCORED).aggregate(
        **within, number=Count("pk"), seconds=Sum("duration_seconds")
    )
    buckets = [(f"{bound:g}", done[f"within_{index}"]) for index, bound in enumerate(SCORE_BUCKETS)]
    return HistogramMetricFamily(
        "arboretum_score_seconds",
        "Time to score a file",
        buckets=[*buckets, ("+Inf", done["number"])],
        sum_value=done["seconds"] or 0.0,
    )


def failures_by_kind() -> dict[tuple[str, str], int]:
    """Attempts and lost workers, by the kind of the last failure of each row."""
    counts: dict[tuple[str, str], int] = {}
    for model in (Run, Score):
        rows = model.objects.exclude(failure={}).values_list("failure", "attempts", "losses")
        for failure, attempts, losses in rows:
            key = (str(failure.get("stage", "")), str(failure.get("kind", "")))
            counts[key] = counts.get(key, 0) + max(attempts + losses, 1)
    return counts
