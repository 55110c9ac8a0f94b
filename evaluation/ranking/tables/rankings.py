"""Tables of systems: rankings by one metric, and several metrics side by side."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...scoring.presentation import Presentation
from ..results import EVERYTHING, LANGUAGE
from ..standings import Place, Standings
from .table import NONE, Column, Table, text_column

AVERAGED = {
    "figures": "macro-averaged",
    "precision-recall": "from macro-averaged precision and recall,",
    "micro": "micro-averaged",
}


def ranking(standings: Standings, metric: str, scope: str = EVERYTHING) -> Table:
    """Systems ranked by one macro-average, with intervals, rank ranges and lines."""
    places = standings.ranking(metric, scope)
    presentation = standings.results.presentation(metric)
    resampled = standings.interval(places[0].system, metric, scope) is not None if places else False
    codes = standings.results.scopes[scope]
    valid = {
        place.system: sum(standings.results.outcome(place.system, code).status == "valid" for code in codes)
        for place in places
    }
    incomplete = any(count < len(codes) for count in valid.values())
    columns = [Column("Rank"), text_column("System"), Column(metric)]
    columns += [Column("95% interval"), Column("Ranks")] if resampled else []
    columns += [Column("Valid files")] if incomplete else []
    rows = []
    for place in places:
        row = [str(place.rank or NONE), _name(place), presentation.text(place.f1)]
        row += [_interval(place, presentation), _ranks(place)] if resampled else []
        row += [f"{valid[place.system]} of {len(codes)}"] if incomplete else []
        rows.append(tuple(row))
    return Table(
        _table_name(metric, scope),
        _caption(standings, metric, scope, resampled),
        tuple(columns),
        tuple(rows),
        frozenset(index for index, place in enumerate(places) if place.line_below),
    )


def side_by_side(standings: Standings, name: str, metrics: Sequence[str], by: str) -> Table:
    """Several macro-averages of each system, ranked by one of them."""
    columns = (Column("Rank"), text_column("System"), *(Column(metric) for metric in metrics))

    def text(metric: str) -> Callable[[float], str]:
        return standings.results.presentation(metric).text

    rows = tuple(
        (
            str(place.rank or NONE),
            _name(place),
            *(text(metric)(standings.averages(metric)[place.system]) for metric in metrics),
        )
        for place in standings.ranking(by)
    )
    names = ", ".join(metrics[:-1]) + " and " + metrics[-1] if len(metrics) > 1 else metrics[0]
    kinds = dict.fromkeys(standings.results.presentation(metric).kind for metric in metrics)
    averaged = AVERAGED[standings.results.rules.averaging]
    caption = f"{names}: {averaged} {' and '.join(kinds)}, systems ranked by {by}."
    return Table(name, caption, columns, rows)


def _name(place: Place) -> str:
    return f"{place.system} (baseline)" if place.baseline else place.system


def _interval(place: Place, presentation: Presentation) -> str:
    if place.low is None or place.high is None:
        return NONE
    return f"{presentation.text(place.low)}–{presentation.text(place.high)}"


def _ranks(place: Place) -> str:
    if place.rank_range is None:
        return NONE
    best, worst = place.rank_range
    return str(best) if best == worst else f"{best}–{worst}"


def _table_name(metric: str, scope: str) -> str:
    return "-".join(["ranking", metric, *([] if scope == EVERYTHING else scope.split(":"))]).lower()


def _caption(standings: Standings, metric: str, scope: str, resampled: bool) -> str:
    number = len(standings.results.scopes[scope])
    over = f"{number} test set" + ("" if number == 1 else "s")
    if scope.startswith(LANGUAGE):
        over += f" of language {scope.removeprefix(LANGUAGE)}"
    elif scope != EVERYTHING:
        over += f" of group {scope}"
    presentation = standings.results.presentation(metric)
    # The unit of a metric that is not a share (bits) is part of its scale, not of its name.
    name = f"{metric} {presentation.kind}" if presentation.factor != 1 else f"{metric} in {presentation.kind}"
    caption = f"Systems ranked by {name}, {AVERAGED[standings.results.rules.averaging]} over {over}."
    if presentation.better == "lower":
        caption += " Lower is better."
    if resampled:
        caption += (
            " A line separates neighbours that differ significantly (paired bootstrap, "
            f"{standings.rules.test} p < 0.05)."
        )
    elif reason := standings.reason(scope) if standings.rules.replicates else "":
        caption += f" Without intervals: {reason}."
    return caption
