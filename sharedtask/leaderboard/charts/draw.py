"""From a Vega-Lite specification to an SVG element for the page.

In: a specification whose colours are written `var(--ink)`, a title, and a sentence that describes the chart.
Out: safe markup. It is cached under a key of everything it depends on, in Django's cache and not in the
memory of the process: drawing starts a JavaScript engine, and one process of a machine should do it for all.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any
from xml.etree import ElementTree

from django.core.cache import caches
from django.utils.safestring import SafeString, mark_safe

from sharedtask.leaderboard.charts.theme import THEME

Spec = Mapping[str, Any]

VERSION = "6.4"
"""Of Vega-Lite, among those that vl-convert carries; pinned so that a chart stays the same."""
CACHE_SECONDS = 7 * 24 * 3600
NAMESPACE = "http://www.w3.org/2000/svg"
PREFIX = f"{{{NAMESPACE}}}"
# The chart is one image for screen readers; Vega's descriptions of its parts would only be noise. Fonts come
# from the page's own stylesheet.
DROPPED_ATTRIBUTES = (
    "aria-label",
    "aria-hidden",
    "aria-roledescription",
    "role",
    "style",
    "font-family",
    "version",
)


def draw(spec: Spec, *, title: str, description: str) -> SafeString:
    """The same specification is drawn once per machine."""
    content = json.dumps([VERSION, THEME, spec, title, description], sort_keys=True)
    key = hashlib.sha256(content.encode()).hexdigest()
    svg: str | None = caches["charts"].get(key)
    if svg is None:
        svg = add_labels(render(spec), title, description, f"chart-{key[:10]}")
        store(key, svg)
    # Names that people wrote were escaped when the element was serialised.
    return mark_safe(svg)


def render(spec: Spec) -> ElementTree.Element:
    # The import starts a JavaScript engine (80 MB, one second): only processes that draw should have one.
    import vl_convert

    svg = vl_convert.vegalite_to_svg({**spec, "config": THEME}, vl_version=VERSION, allowed_base_urls=[])
    return ElementTree.fromstring(svg)


def add_labels(svg: ElementTree.Element, title: str, description: str, name: str) -> str:
    """Make it one image with a name and a description, and give each mark a tooltip."""
    for element in svg.iter():
        # Namespace prefixes are one table for the whole process, which other libraries write to as well.
        # Plain names need none.
        element.tag = element.tag.removeprefix(PREFIX)
        tooltip = element.get("aria-label")
        if tooltip and element.tag != "g":
            ElementTree.SubElement(element, "title").text = tooltip
        for attribute in DROPPED_ATTRIBUTES:
            element.attrib.pop(attribute, None)
    texts = [ElementTree.Element(tag, {"id": f"{name}-{tag}"}) for tag in ("title", "desc")]
    texts[0].text, texts[1].text = title, description
    svg[:0] = texts
    attributes = {"class": "chart", "role": "img", "aria-labelledby": f"{name}-title {name}-desc"}
    svg.attrib = {"xmlns": NAMESPACE, **svg.attrib, **attributes}
    return ElementTree.tostring(svg, encoding="unicode")


def store(key: str, svg: str) -> None:
    try:
        caches["charts"].set(key, svg, CACHE_SECONDS)
    except OSError:
        # A full disk must not break the page; the chart is drawn again the next time.
        return
