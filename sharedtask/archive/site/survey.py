"""Read a page: what it links to, and the forms by which a reader chooses what to see.

In: HTML. Out: `Survey`. A form that asks for nothing but choices becomes links to every choice, since an
archive answers no questions; `rewrite` puts them in its place.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser
from urllib.parse import urlencode

Attributes = list[tuple[str, str | None]]


@dataclass
class Choice:
    label: str
    name: str
    options: list[tuple[str, str, bool]] = field(default_factory=list)
    """Value, words, and whether it is chosen on this page."""

    def settle(self) -> None:
        """Where nothing is marked as chosen, a browser chooses the first."""
        if self.options and not any(chosen for _, _, chosen in self.options):
            value, words, _ = self.options[0]
            self.options[0] = (value, words, True)


@dataclass
class Form:
    action: str
    is_post: bool
    has_table: bool = False
    hidden: list[tuple[str, str]] = field(default_factory=list)
    choices: list[Choice] = field(default_factory=list)

    def address(self, choice: Choice, value: str) -> str:
        """Where the form leads with this choice and all others as they are."""
        told = list(self.hidden)
        for one in self.choices:
            chosen = [option for option, _, is_chosen in one.options if is_chosen]
            told.append((one.name, value if one is choice else (chosen or [""])[0]))
        asked = [(name, value) for name, value in told if value]
        path, mark, fragment = self.action.partition("#")
        return (f"{path}?{urlencode(asked)}" if asked else path) + mark + fragment


@dataclass
class Survey:
    links: list[str] = field(default_factory=list)
    anchors: list[str] = field(default_factory=list)
    """The words of each link, in the order of the page."""
    forms: list[Form] = field(default_factory=list)


class Surveyor(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.survey = Survey()
        self.form: Form | None = None
        self.choice: Choice | None = None
        self.labels: dict[str, str] = {}
        self.label_for: str | None = None
        self.in_anchor = self.in_option = False

    def handle_starttag(self, tag: str, attrs: Attributes) -> None:
        told = {name: value or "" for name, value in attrs}
        if tag in ("a", "link", "img"):
            self.survey.links.append(told.get("href") or told.get("src") or "")
        if tag == "a":
            self.survey.anchors.append("")
            self.in_anchor = True
        elif tag == "form":
            self.form = Form(told.get("action", ""), told.get("method", "get").lower() == "post")
            self.survey.forms.append(self.form)
        elif tag == "label":
            self.label_for = told.get("for", "")
        elif self.form is not None:
            self.in_form(tag, told)

    def in_form(self, tag: str, told: dict[str, str]) -> None:
        assert self.form is not None
        if tag == "table":
            self.form.has_table = True
        elif tag == "input" and told.get("type") == "hidden":
            self.form.hidden.append((told.get("name", ""), told.get("value", "")))
        elif tag == "select":
            self.choice = Choice(self.labels.get(told.get("id", ""), ""), told.get("name", ""))
            self.form.choices.append(self.choice)
        elif tag == "option" and self.choice is not None:
            self.choice.options.append((told.get("value", ""), "", "selected" in told))
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
            self.survey.anchors[-1] += data
        if self.label_for:
            self.labels[self.label_for] = self.labels.get(self.label_for, "") + data.strip()
        if self.in_option and self.choice is not None:
            value, words, chosen = self.choice.options[-1]
            self.choice.options[-1] = (value, words + data, chosen)


def survey(page: str) -> Survey:
    surveyor = Surveyor()
    surveyor.feed(page)
    surveyor.close()
    for form in surveyor.survey.forms:
        for choice in form.choices:
            choice.settle()
        surveyor.survey.links += [
            form.address(choice, value) for choice in form.choices for value, _, _ in choice.options
        ]
    return surveyor.survey
