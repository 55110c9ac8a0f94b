"""The theme of all charts: quiet axes, no frame, and colours defined by the page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

INK = "var(--ink)"
SOFT = "var(--soft)"
LINE = "var(--line)"
GREEN = "var(--green)"
OCHRE = "var(--ochre)"

THEME: Mapping[str, Any] = {
    "background": None,
    # Wide enough for fonts that are wider than those that Vega measures with.
    "padding": {"left": 6, "right": 14, "top": 8, "bottom": 18},
    "view": {"stroke": None},
    "axis": {
        "domainColor": LINE,
        "gridColor": LINE,
        "labelColor": SOFT,
        "labelFontSize": 11.5,
        "tickColor": LINE,
        "titleColor": INK,
        "titleFontSize": 13,
        "titleFontWeight": 600,
        "titlePadding": 10,
    },
    "text": {"fontSize": 12, "color": INK},
}
