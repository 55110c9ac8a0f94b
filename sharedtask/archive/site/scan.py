"""Find the links of a page and the forms with which a reader selects what to see.

In: HTML. Out: `PageScan`. An archive cannot process forms, so a form that only has selections becomes links
to every option; `rewrite` puts them in its place.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser
from urllib.parse import urlencode

Attributes = list[tuple[str, str | None]]


@dataclass
class FormChoice:
    label: str
    name: str
    options: list[tuple[str, str, bool]] = field(default_factory=list)
    """Value, label, and whether it is selected on this page."""

    def select_default(self) -> None:
        """If no option is marked as selected, browsers select the first."""
        if self.options and not any(selected for _, _, selected in self.options):
            value, label, _ = self.options[0]
            self.options[0] = (value, label, True)


@dataclass
class Form:
    action: str
    is_post: bool
    has_table: bool = False
    hidden: list[tuple[str, str]] = field(default_factory=list)
    choices: list[FormChoice] = field(default_factory=list)

    def address(self, choice: FormChoice, value: str) -> str:
        """The address of the form with this value and the current values of all other selections."""
        parameters = list(self.hidden)
        for other in self.choices:
            selected = [option for option, _, is_selected in other.options if is_selected]
            parameters.append((other.name, value if other is choice else (selected or [""])[0]))
        query = [(name, value) for name, value in parameters if value]
        path, mark, fragment = self.action.partition("#")
        return (f"{path}?{urlencode(query)}" if query else path) + mark + fragment


@dataclass
class PageScan:
    links: list[str] = field(default_factory=list)
    anchors: list[str] = field(default_factory=list)
    """The text of each `<a>`, in the order of the page."""
    forms: list[Form] = field(default_factory=list)


class PageScanner(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.scan = PageScan()
        self.form: Form | None = None
        self.choice: FormChoice | None = None
        self.labels: dict[str, str] = {}
        self.label_for: str | None = None
        self.in_anchor = self.in_option = False

    def handle_starttag(self, tag: str, attrs: Attributes) -> None:
        attributes = {name: value or "" for name, value in attrs}
        if tag in ("a", "link", "img"):
            self.scan.links.append(attributes.get("href") or attributes.get("src") or "")
        if tag == "a":
            self.scan.anchors.append("")
            self.in_anchor = True
        elif tag == "form":
            self.form = Form(attributes.get("action", ""), attributes.get("method", "get").lower() == "post")
            self.scan.forms.append(self.form)
        elif tag == "label":
            self.label_for = attributes.get("for", "")
        elif self.form is not None:
            self.in_form(tag, attributes)

    def in_form(self, tag: str, attributes: dict[str, str]) -> None:
        assert self.form is not None
        if tag == "table":
            self.form.has_table = True
        elif tag == "input" and attributes.get("type") == "hidden":
            self.form.hidden.append((attributes.get("name", ""), attributes.get("value", "")))
        elif tag == "select":
            self.choice = FormChoice(
                self.labels.get(attributes.get("id", ""), ""), attributes.get("name", "")
            )
            self.form.choices.append(self.choice)
        elif tag == "option" and self.choice is not None:
            self.choice.options.append((attributes.get("value", ""), "", "selected" in attributes))
            self.in_option = True

    def handle_endtag(self, tag: str) -> None:
        if tag == "a":
            self.in_anchor = False
        elif tag == "form":
            self.form = None
        elif tag == "select":
            self.choice = None
        elif tag == "option":
            self.in_option = False
        elif tag == "label":
            self.label_for = None

    def handle_data(self, data: str) -> None:
        if self.in_anchor:
            self.scan.anchors[-1] += data
        if self.label_for:
            self.labels[self.label_for] = self.labels.get(self.label_for, "") + data.strip()
        if self.in_option and self.choice is not None:
            value, label, selected = self.choice.options[-1]
            self.choice.options[-1] = (value, label + data, selected)


def scan_page(page: str) -> PageScan:
    scanner = PageScanner()
    scanner.feed(page)
    scanner.close()
    for form in scanner.scan.forms:
        for choice in form.choices:
            choice.select_default()
        scanner.scan.links += [
            form.address(choice, value) for choice in form.choices for value, _, _ in choice.options
        ]
    return scanner.scan
