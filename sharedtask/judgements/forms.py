"""Forms of campaigns: setting one up, its acts, joining as an annotator, and judging."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from django import forms

from evaluation.judgements.measures import CONTENT, FUNCTION
from sharedtask.competition.acts import ActForm, ReasonField, TextField, UTCTimeField, set_choices
from sharedtask.competition.models import TestSet
from sharedtask.judgements.models import Annotator, Campaign, Pair
from sharedtask.submissions.models import Run

MAX_ITEMS = 5000
DO_NOT_KNOW = ""
DECIDERS = ("attachment", "label", "root")


class TagListField(TextField):
    """Tags of words, separated by commas."""

    def __init__(self, label: str, usual: Sequence[str]) -> None:
        super().__init__(
            label=label,
            required=False,
            max_length=500,
            help_text=f"Separated by commas. Empty: {', '.join(usual)}.",
        )

    def prepare_value(self, value: Any) -> Any:
        return ", ".join(value) if isinstance(value, list) else value

    def clean(self, value: Any) -> list[str]:
        return [tag.strip() for tag in str(super().clean(value)).split(",") if tag.strip()]


class CampaignForm(ActForm):
    """Systems are runs of the task; each is named with its phase."""

    title = TextField(
        label="Title", max_length=120, help_text="Annotators see it, so it must not name a system."
    )
    runs = forms.MultipleChoiceField(
        label="Systems",
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": "Choose at least two systems."},
    )
    test_sets = forms.MultipleChoiceField(
        label="Test sets",
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": "Choose at least one test set."},
    )
    items_per_pair = forms.IntegerField(
        label="Items per pair of systems and test set", min_value=1, max_value=MAX_ITEMS, initial=50
    )
    sampling = forms.ChoiceField(
        label="How sentences are drawn",
        choices=Campaign.Sampling.choices,
        help_text="Among the sentences in which the two systems differ, punctuation apart.",
    )
    judgements_per_item = forms.IntegerField(
        label="Judgements per item", min_value=1, max_value=100, initial=3
    )
    allows_equal = forms.BooleanField(label="Annotators may answer “equally good”", required=False)
    controls = forms.IntegerField(
        label="Control items per test set",
        min_value=0,
        max_value=MAX_ITEMS,
        initial=5,
        help_text="A tree against a copy with three words attached elsewhere. All annotators get them.",
    )
    repeats = forms.IntegerField(
        label="Repeated items per test set",
        min_value=0,
        max_value=MAX_ITEMS,
        initial=5,
        help_text="Shown to the same annotator again at the end, to measure consistency.",
    )
    guidelines = forms.CharField(
        label="Guidelines",
        widget=forms.Textarea,
        required=False,
        max_length=20_000,
        help_text="What makes a tree better. Markdown.",
    )
    consent = forms.CharField(
        label="Consent text",
        widget=forms.Textarea,
        required=False,
        max_length=20_000,
        help_text="What annotators agree to before they begin. Markdown.",
    )
    content_tags = TagListField("Tags of content words", CONTENT)
    function_tags = TagListField("Tags of function words", FUNCTION)
    seed = forms.IntegerField(label="Seed", min_value=0, max_value=2**31 - 1, initial=1)
    closes_at = UTCTimeField("Closes at (UTC)", required=False)

    def __init__(
        self, *args: Any, runs: Mapping[Run, str], test_sets: Sequence[TestSet], **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.run_of = {run.public_id: run for run in runs}
        self.test_set_of = {test_set.code: test_set for test_set in test_sets}
        set_choices(
            self, "runs", [(run.public_id, f"{name} ({run.phase.title})") for run, name in runs.items()]
        )
        set_choices(self, "test_sets", [(t.code, f"{t.language} ({t.code})") for t in test_sets])

    @property
    def arguments(self) -> dict[str, Any]:
        return self.cleaned_data | {
            "runs": [self.run_of[id] for id in self.cleaned_data["runs"]],
            "test_sets": [self.test_set_of[code] for code in self.cleaned_data["test_sets"]],
        }


class EditForm(CampaignForm):
    """What may still change of a campaign; its systems stay."""

    reason = ReasonField(required=False)

    def __init__(self, *args: Any, campaign: Campaign, editable: Collection[str], **kwargs: Any) -> None:
        initial = {name: getattr(campaign, name) for name in editable if name != "test_sets"}
        initial["test_sets"] = [test_set.code for test_set in campaign.test_sets.all()]
        super().__init__(*args, runs={}, initial=initial, **kwargs)
        for name in [name for name in self.fields if name not in (*editable, "reason")]:
            del self.fields[name]

    @property
    def arguments(self) -> dict[str, Any]:
        values = {name: value for name, value in self.cleaned_data.items() if name != "reason"}
        if "test_sets" in values:
            values["test_sets"] = [self.test_set_of[code] for code in values["test_sets"]]
        return {"values": values, "reason": self.cleaned_data["reason"]}


class PairsForm(ActForm):
    """Which pairs of systems are compared."""

    pairs = forms.MultipleChoiceField(
        label="Pairs of systems",
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": "Choose at least one pair of systems."},
    )

    def __init__(self, *args: Any, pairs: Mapping[Pair, str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        set_choices(self, "pairs", [(str(pair.pk), name) for pair, name in pairs.items()])
        self.initial.setdefault("pairs", [str(pair.pk) for pair in pairs])

    @property
    def arguments(self) -> dict[str, Any]:
        return {"pairs": [int(key) for key in self.cleaned_data["pairs"]]}


class StageForm(ActForm):
    """Open, close or publish; the reason is optional."""

    reason = ReasonField(required=False)


class InvitationForm(ActForm):
    email = forms.EmailField(
        label="E-mail address",
        required=False,
        help_text="The link is sent there, too. Leave it empty for a link that anyone can use.",
    )
    max_uses = forms.IntegerField(label="Number of people", min_value=1, max_value=500, initial=1)


class TagsForm(ActForm):
    """What decided an item, in the eyes of the organisers."""

    decided_by = forms.MultipleChoiceField(
        label="What decided",
        choices=[(name, name) for name in DECIDERS],
        widget=forms.CheckboxSelectMultiple,
        required=False,
    )


class JoinForm(forms.Form):
    """A level for each language of the campaign, and consent."""

    consent = forms.BooleanField(
        label="I agree", error_messages={"required": "Please agree before you begin."}
    )

    def __init__(self, *args: Any, languages: Sequence[str], **kwargs: Any) -> None:
        kwargs.setdefault("label_suffix", "")
        super().__init__(*args, **kwargs)
        levels = [(DO_NOT_KNOW, "I do not know this language"), *Annotator.Level.choices]
        self.languages = list(languages)
        for number, language in enumerate(self.languages):
            self.fields[f"language-{number}"] = forms.ChoiceField(
                label=language, choices=levels, required=False
            )
        self.order_fields([f"language-{number}" for number in range(len(languages))])

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if not self.levels:
            raise forms.ValidationError("Please choose at least one language that you know.")
        return cleaned

    @property
    def levels(self) -> dict[str, str]:
        chosen = {
            language: self.cleaned_data.get(f"language-{number}", "")
            for number, language in enumerate(self.languages)
        }
        return {language: level for language, level in chosen.items() if level}


class AnswerForm(forms.Form):
    answer = forms.CharField(max_length=1)
    seconds = forms.FloatField(required=False)


class SkipForm(forms.Form):
    reason = TextField(max_length=200, required=False)
