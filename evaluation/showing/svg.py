"""Texts in drawings: how wide they are, and the element that shows them."""

from __future__ import annotations

from html import escape

from .glyphs import display_text, em_width

FORM_PX, SMALL_PX = 15, 11


def text_width(text: str, size: int) -> float:
    return em_width(display_text(text)) * size


def text_element(
    name: str, x: float, y: float, text: str, size: int = SMALL_PX, *, anchor: str = "middle", more: str = ""
) -> str:
    # Runs of spaces would collapse, and Vietnamese forms may contain them.
    escaped = escape(text.replace(" ", "\u00a0"))
    css_class = f' class="{name}"' if name else ""
    position = f'x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}"'
    return f"<text{css_class} {position}{more}>{escaped}</text>"
