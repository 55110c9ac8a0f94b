"""Make a page of the archive of a page of the site.

In: HTML, and where links lead in the archive. Out: HTML without scripts, forms and ways to sign in. A link to
what does not come along loses its address and keeps its words, unless they only invite to go there.
"""

from __future__ import annotations

from html import escape
from html.parser import HTMLParser
from typing import Protocol

from sharedtask.archive.site.survey import Attributes, Form, survey

VOID = frozenset(
    {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "wbr"}
)
CONTROLS = frozenset({"script", "noscript", "button", "select", "textarea", "input", "dialog"})
"""What does nothing without a script or a server."""


class Links(Protocol):
    """What becomes of the links of one page."""

    def place(self, link: str) -> str | None:
        """The archive's own link, or None where nothing of it comes along."""

    def invites(self, link: str) -> bool:
        """Whether its words are only about opening it."""


class Rewriter(HTMLParser):
    def __init__(self, page: str, links: Links, colophon: str) -> None:
        super().__init__(convert_charrefs=False)
        self.links = links
        self.colophon = colophon
        found = survey(page)
        self.words = iter(found.anchors)
        self.forms = iter(found.forms)
        self.written: list[str] = []
        self.skipped: list[str] = []
        """Elements that are open inside one that is left out, the outermost first."""
        self.anchors: list[str] = []
        """What ends each open link: `a`, or `span` for one that leads nowhere."""
        self.navs = 0
        """Open lists of links: there, words alone are of no use."""

    def handle_starttag(self, tag: str, attrs: Attributes) -> None:
        words = next(self.words) if tag == "a" else ""
        form = next(self.forms) if tag == "form" else None
        told = {name: value or "" for name, value in attrs}
        if self.skipped:
            self.skip(tag)
        elif self.is_left_out(tag, told, form):
            if form is not None:
                self.written.append(self.choices(form))
            self.skip(tag)
        elif tag == "a":
            self.link(told, words)
        elif tag == "form":
            pass
        else:
            self.navs += tag == "nav"
            self.written.append(self.tag(tag, told))

    def skip(self, tag: str) -> None:
        if tag not in VOID:
            self.skipped.append(tag)

    def is_left_out(self, tag: str, told: dict[str, str], form: Form | None) -> bool:
        if tag == "nav" and told.get("aria-label") == "Site":
            return True
        if tag == "a" and "button" in told.get("class", "").split():
            return "href" in told and self.links.place(told["href"]) is None
        if form is not None:
            # A form around a table is a table with boxes to tick.
            return not form.has_table
        if "data-live" in told or "tick" in told.get("class", "").split():
            # What a template marks as being of use only on the site.
            return True
        return tag in CONTROLS or (tag == "meta" and told.get("name") == "htmx-config")

    def link(self, told: dict[str, str], words: str) -> None:
        href = told.pop("href", "")
        place = self.links.place(href)
        if place is not None:
            self.anchors.append("a")
            self.written.append(self.tag("a", told | {"href": place}))
        elif (self.navs and "aria-current" not in told) or self.is_bare_invitation(href, words):
            self.skip("a")
        else:
            self.anchors.append("span")
            kept = {name: value for name, value in told.items() if name in ("class", "aria-current")}
            self.written.append(self.tag("span", kept))

    def is_bare_invitation(self, href: str, words: str) -> bool:
        """`Sign in`, or `sentences`: words about the page behind the link. A figure is more than that."""
        return self.links.invites(href) and not any(letter.isdigit() for letter in words)

    def tag(self, tag: str, told: dict[str, str]) -> str:
        for name in ("href", "src"):
            if tag != "a" and told.get(name):
                told = told | {name: self.links.place(told[name]) or ""}
        shown = [(name, value) for name, value in told.items() if not name.startswith("hx-")]
        return f"<{tag}{''.join(attribute(name, value) for name, value in shown)}>"

    def choices(self, form: Form) -> str:
        """Every choice as a link; nothing for a form that would change something or wants words."""
        return (
            "" if form.is_post else "".join(self.choice(form, number) for number in range(len(form.choices)))
        )

    def choice(self, form: Form, number: int) -> str:
        one, links = form.choices[number], []
        for value, words, is_chosen in one.options:
            place = self.links.place(form.address(one, value))
            if is_chosen or place is not None:
                here = ' aria-current="page"' if is_chosen else ""
                links.append(f'<a href="{escape(place or "")}"{here}>{escape(words)}</a>')
        if len(links) < 2:
            return ""
        label = escape(one.label or one.name)
        shown = f"<strong>{label}</strong> {' '.join(links)}"
        return f'<nav class="links choices" aria-label="{label}">{shown}</nav>'

    def handle_startendtag(self, tag: str, attrs: Attributes) -> None:
        if not self.skipped:
            self.written.append(self.tag(tag, {name: value or "" for name, value in attrs})[:-1] + "/>")

    def handle_endtag(self, tag: str) -> None:
        if self.skipped:
            # Templates close what they open, so that the innermost element is the one that ends.
            if tag in self.skipped:
                del self.skipped[len(self.skipped) - 1 - self.skipped[::-1].index(tag) :]
        elif tag == "a" and self.anchors:
            self.written.append(f"</{self.anchors.pop()}>")
        elif tag == "footer":
            self.written.append(f"{self.colophon}</footer>")
        elif tag != "form":
            self.navs -= tag == "nav"
            self.written.append(f"</{tag}>")

    def handle_data(self, data: str) -> None:
        self.put(data)

    def handle_entityref(self, name: str) -> None:
        self.put(f"&{name};")

    def handle_charref(self, name: str) -> None:
        self.put(f"&#{name};")

    def handle_decl(self, decl: str) -> None:
        self.put(f"<!{decl}>")

    def put(self, text: str) -> None:
        if not self.skipped:
            self.written.append(text)


def attribute(name: str, value: str) -> str:
    return f' {name}="{escape(value)}"' if value or name in ("href", "alt", "class", "value") else f" {name}"


def rewrite(page: str, *, links: Links, colophon: str) -> str:
    rewriter = Rewriter(page, links, colophon)
    rewriter.feed(page)
    rewriter.close()
    return "".join(rewriter.written)
