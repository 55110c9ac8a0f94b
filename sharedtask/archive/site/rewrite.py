"""Turn a page of the site into a page of the archive.

In: HTML, and the targets of links in the archive. Out: HTML without scripts, forms and sign-in links. A link
to a page that is not archived becomes plain text, or is removed if it is only a call to action.
"""

from __future__ import annotations

from html import escape
from html.parser import HTMLParser
from typing import Protocol

from sharedtask.archive.site.scan import Attributes, Form, scan_page

VOID = frozenset(
    {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "wbr"}
)
CONTROLS = frozenset({"script", "noscript", "button", "select", "textarea", "input", "dialog"})
"""Elements that have no function without scripts or a server."""


class Links(Protocol):
    """Resolves the links of one page."""

    def target(self, link: str) -> str | None:
        """The link inside the archive, or None if its target is not archived."""

    def is_call_to_action(self, link: str) -> bool:
        """Whether the text of the link only invites to open it."""


class Rewriter(HTMLParser):
    def __init__(self, page: str, links: Links, colophon: str) -> None:
        super().__init__(convert_charrefs=False)
        self.links = links
        self.colophon = colophon
        scan = scan_page(page)
        self.texts = iter(scan.anchors)
        self.forms = iter(scan.forms)
        self.output: list[str] = []
        self.skipped: list[str] = []
        """Open elements inside a removed one, the outermost first."""
        self.anchors: list[str] = []
        """The closing tag of each open link: `a`, or `span` if it has no target."""
        self.navs = 0
        """Number of open `<nav>` elements, in which text without a link is useless."""

    def handle_starttag(self, tag: str, attrs: Attributes) -> None:
        text = next(self.texts) if tag == "a" else ""
        form = next(self.forms) if tag == "form" else None
        attributes = {name: value or "" for name, value in attrs}
        if self.skipped:
            self.skip(tag)
        elif self.is_removed(tag, attributes, form):
            if form is not None:
                self.output.append(self.choices(form))
            self.skip(tag)
        elif tag == "a":
            self.link(attributes, text)
        elif tag == "form":
            pass
        else:
            self.navs += tag == "nav"
            self.output.append(self.tag(tag, attributes))

    def skip(self, tag: str) -> None:
        if tag not in VOID:
            self.skipped.append(tag)

    def is_removed(self, tag: str, attributes: dict[str, str], form: Form | None) -> bool:
        if tag == "nav" and attributes.get("aria-label") == "Site":
            return True
        if tag == "a" and "button" in attributes.get("class", "").split():
            return "href" in attributes and self.links.target(attributes["href"]) is None
        if form is not None:
            # A form around a table is a table with checkboxes.
            return not form.has_table
        if "data-live" in attributes or "tick" in attributes.get("class", "").split():
            # Marked in the template as useful only on the site.
            return True
        return tag in CONTROLS or (tag == "meta" and attributes.get("name") == "htmx-config")

    def link(self, attributes: dict[str, str], text: str) -> None:
        href = attributes.pop("href", "")
        target = self.links.target(href)
        if target is not None:
            self.anchors.append("a")
            self.output.append(self.tag("a", attributes | {"href": target}))
        elif (self.navs and "aria-current" not in attributes) or self.is_removable(href, text):
            self.skip("a")
        else:
            self.anchors.append("span")
            remaining = {
                name: value for name, value in attributes.items() if name in ("class", "aria-current")
            }
            self.output.append(self.tag("span", remaining))

    def is_removable(self, href: str, text: str) -> bool:
        """Calls to action such as “Sign in” are removed; a link text with a figure is kept."""
        return self.links.is_call_to_action(href) and not any(letter.isdigit() for letter in text)

    def tag(self, tag: str, attributes: dict[str, str]) -> str:
        for name in ("href", "src"):
            if tag != "a" and attributes.get(name):
                attributes = attributes | {name: self.links.target(attributes[name]) or ""}
        written = [attribute(name, value) for name, value in attributes.items() if not name.startswith("hx-")]
        return f"<{tag}{''.join(written)}>"

    def choices(self, form: Form) -> str:
        """Every option as a link; nothing for a form that posts or needs typed input."""
        return (
            "" if form.is_post else "".join(self.choice(form, number) for number in range(len(form.choices)))
        )

    def choice(self, form: Form, number: int) -> str:
        choice, links = form.choices[number], []
        for value, text, is_selected in choice.options:
            target = self.links.target(form.address(choice, value))
            if is_selected or target is not None:
                current = ' aria-current="page"' if is_selected else ""
                links.append(f'<a href="{escape(target or "")}"{current}>{escape(text)}</a>')
        if len(links) < 2:
            return ""
        label = escape(choice.label or choice.name)
        content = f"<strong>{label}</strong> {' '.join(links)}"
        return f'<nav class="links choices" aria-label="{label}">{content}</nav>'

    def handle_startendtag(self, tag: str, attrs: Attributes) -> None:
        if not self.skipped:
            self.output.append(self.tag(tag, {name: value or "" for name, value in attrs})[:-1] + "/>")

    def handle_endtag(self, tag: str) -> None:
        if self.skipped:
            # Templates close all elements, so the innermost open one is closed.
            if tag in self.skipped:
                del self.skipped[len(self.skipped) - 1 - self.skipped[::-1].index(tag) :]
        elif tag == "a" and self.anchors:
            self.output.append(f"</{self.anchors.pop()}>")
        elif tag == "footer":
            self.output.append(f"{self.colophon}</footer>")
        elif tag != "form":
            self.navs -= tag == "nav"
            self.output.append(f"</{tag}>")

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
            self.output.append(text)


def attribute(name: str, value: str) -> str:
    return f' {name}="{escape(value)}"' if value or name in ("href", "alt", "class", "value") else f" {name}"


def rewrite(page: str, *, links: Links, colophon: str) -> str:
    rewriter = Rewriter(page, links, colophon)
    rewriter.feed(page)
    rewriter.close()
    return "".join(rewriter.output)
