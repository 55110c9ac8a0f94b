"""Scores, breakdowns and confusions as HTML tables with small bars. Labels from files are escaped.

No inline style is used, so that the tables can be used on a page with a strict Content-Security-Policy.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape

from ..scoring.counts import Tally
from ..scoring.groups import NOTHING, Breakdown, Confusion, GroupTally
from .glyphs import display_text

_HEAT_STEPS = 5


def score_table(metrics: Mapping[str, Tally], main: Sequence[str]) -> str:
    """One row per metric; the main ones are highlighted."""
    head = ("Metric", "F1", "", "Precision", "Recall", "Aligned accuracy", "Gold", "System", "Correct")
    rows = []
    for name, tally in metrics.items():
        cells = [
            _number(_percent(tally.f1), "strong"),
            f'<td class="bar">{_bar(tally.f1)}</td>',
            *(_number(_percent(value)) for value in (tally.precision, tally.recall, tally.aligned_accuracy)),
            *(_number(f"{count:,}") for count in (tally.gold, tally.system, tally.correct)),
        ]
        rows.append((name, cells, "main" if name in main else ""))
    return _table(head, rows)


def breakdown_table(breakdown: Breakdown, title: str, metrics: Sequence[str], limit: int = 40) -> str:
    """One row per group: counts, the first metric in detail, F1 of the others."""
    first, *others = metrics
    f1_of_others = [f"{name} F1" for name in others]
    head = (title, "Gold", "System", f"{first} F1", "", "Precision", "Recall", *f1_of_others)
    tallies_of_others = [dict(breakdown.groups(name)) for name in others]
    groups = breakdown.groups(first)
    rows = []
    for label, tally in groups[:limit]:
        cells = _cells(tally, [tallies.get(label, NOTHING).f1 for tallies in tallies_of_others])
        rows.append((display_text(label), cells, ""))
    return _table(head, rows) + _omitted(len(groups) - limit, "less frequent ones")


def confusion_table(confusion: Confusion, limit: int = 16) -> str:
    """Gold relations down, system relations across, for the relations with the most confusions."""
    involved: dict[str, int] = {}
    for gold, system, count in confusion.confusions():
        involved[gold] = involved.get(gold, 0) + count
        involved[system] = involved.get(system, 0) + count
    if not involved:
        return "<p>All aligned words have the same relation as in gold.</p>"
    selected = sorted(involved, key=lambda label: (-involved[label], label))[:limit]
    most = max(count for _, _, count in confusion.confusions())
    rows = []
    for gold in selected:
        cells = []
        for system in selected:
            count = confusion.counts.get((gold, system), 0)
            heat = "same" if gold == system else f"heat-{round(count * _HEAT_STEPS / most)}"
            cells.append(f'<td class="{heat}">{count or ""}</td>')
        rows.append((display_text(gold), cells, ""))
    return _table(("gold ↓ system →", *map(display_text, selected)), rows, "confusion") + _omitted(
        len(involved) - limit, "relations with fewer confusions"
    )


def confusion_list(confusion: Confusion, limit: int = 12) -> str:
    """The most frequent confusions as a list."""
    items = "".join(
        f"<li><b>{escape(display_text(gold))}</b> labelled as <b>{escape(display_text(system))}</b> "
        f"<span>{count:,} time{'' if count == 1 else 's'}</span></li>"
        for gold, system, count in confusion.confusions()[:limit]
    )
    return f'<ol class="mistaken">{items}</ol>' if items else ""


def _cells(tally: GroupTally, f1_of_others: Sequence[float]) -> list[str]:
    return [
        _number(f"{tally.gold:,}"),
        _number(f"{tally.system:,}"),
        _number(_percent(tally.f1), "strong"),
        f'<td class="bar">{_bar(tally.f1)}</td>',
        _number(_percent(tally.precision)),
        _number(_percent(tally.recall)),
        *(_number(_percent(f1)) for f1 in f1_of_others),
    ]


def _table(head: Sequence[str], rows: Iterable[tuple[str, list[str], str]], name: str = "") -> str:
    titles = "".join(f'<th scope="col">{escape(title)}</th>' if title else "<td></td>" for title in head)
    body = "".join(
        f'<tr{_class(css_class)}><th scope="row"><bdi>{escape(label)}</bdi></th>{"".join(cells)}</tr>'
        for label, cells, css_class in rows
    )
    return (
        f'<div class="scroll" role="region" tabindex="0" aria-label="{escape(head[0])}"><table{_class(name)}>'
        f"<thead><tr>{titles}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _class(name: str) -> str:
    return f' class="{name}"' if name else ""


def _number(text: str, name: str = "") -> str:
    return f"<td{_class(name)}>{text}</td>"


def _bar(fraction: float) -> str:
    length = 100 * min(max(fraction, 0.0), 1.0)
    return (
        '<svg class="bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">'
        '<rect class="rail" width="100" height="8"/>'
        f'<rect class="fill" width="{length:.1f}" height="8"/></svg>'
    )


def _percent(fraction: float | None) -> str:
    return "–" if fraction is None else f"{100 * fraction:.2f}"


def _omitted(count: int, noun: str) -> str:
    return f'<p class="note">… and {count:,} {noun}.</p>' if count > 0 else ""
