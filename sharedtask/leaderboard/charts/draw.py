"""From a Vega-Lite specification to an SVG element for the page.

In: a specification whose colours are written `var(--ink)`, a title, and a sentence that says what is to be
seen. Out: safe markup, which is kept in the cache by everything that it depends on.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any
from xml.etree import ElementTree

from django.core.cache import caches
from django.utils.safestring import SafeString, mark_safe

from sharedtask.leaderboard.charts.look import LOOK

Spec = Mapping[str, Any]

VERSION = "6.4"
"""Of Vega-Lite, among those that vl-convert carries; named so that a chart stays what it was."""
KEPT_SECONDS = 7 * 24 * 3600
NAMESPACE = "http://www.w3.org/2000/svg"
HERE = f"{{{NAMESPACE}}}"
# The picture is one image for those who hear the page; what Vega says of its parts would only be noise.
# Fonts come from the page's own stylesheet.
DROPPED = ("aria-label", "aria-hidden", "aria-roledescription", "role", "style", "font-family", "version")


def draw(spec: Spec, *, title: str, description: str) -> SafeString:
    """The same specification is drawn once, whichever process and whoever asks first."""
    told = json.dumps([VERSION, LOOK, spec, title, description], sort_keys=True)
    key = hashlib.sha256(told.encode()).hexdigest()
    drawn = kept(key)
    if drawn is None:
        drawn = labelled(rendered(spec), title, description, f"chart-{key[:10]}")
        keep(key, drawn)
    # Whatever people wrote in it was escaped when the element was written out.
    return mark_safe(drawn)


def rendered(spec: Spec) -> ElementTree.Element:
    # It starts a JavaScript engine, of 80 MB and a second: only processes that draw should have one.
    import vl_convert

    whole = {**spec, "config": LOOK}
    svg = vl_convert.vegalite_to_svg(whole, vl_version=VERSION, allowed_base_urls=[])
    return ElementTree.fromstring(svg)


def labelled(svg: ElementTree.Element, title: str, description: str, name: str) -> str:
    """As one image with a name and a description; what a mark stands for is shown under the pointer."""
    for element in svg.iter():
        # Prefixes of names are one table for the whole process, which other libraries write to as well. Plain
        # names need none.
        element.tag = element.tag.removeprefix(HERE)
        stands_for = element.get("aria-label")
        if stands_for and element.tag != "g":
            ElementTree.SubElement(element, "title").text = stands_for
        for attribute in DROPPED:
            element.attrib.pop(attribute, None)
    texts = [ElementTree.Element(tag, {"id": f"{name}-{tag}"}) for tag in ("title", "desc")]
    texts[0].text, texts[1].text = title, description
    svg[:0] = texts
    said = {"class": "chart", "role": "img", "aria-labelledby": f"{name}-title {name}-desc"}
    svg.attrib = {"xmlns": NAMESPACE, **svg.attrib, **said}
    return ElementTree.tostring(svg, encoding="unicode")


def kept(key: str) -> str | None:
    found: str | None = caches["charts"].get(key)
    return found


def keep(key: str, drawn: str) -> None:
    try:
        caches["charts"].set(key, drawn, KEPT_SECONDS)
    except OSError:
        # A full disk must not take the page away; the chart is drawn again the next time.
        return
