"""The languages of treebank codes: `pt_br` is Brazilian Portuguese, `grc_proiel` Ancient Greek.

In: a code of 2017 or 2018. Out: a `Language` with its English name and tag. An unknown code is used as the
name.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Language:
    name: str
    tag: str


# The complete code is looked up first, so that `no_nynorsk` is not just Norwegian.
NAMES = {
    "af": "Afrikaans",
    "ar": "Arabic",
    "bg": "Bulgarian",
    "br": "Breton",
    "bxr": "Buryat",
    "ca": "Catalan",
    "cs": "Czech",
    "cu": "Old Church Slavonic",
    "da": "Danish",
    "de": "German",
    "el": "Greek",
    "en": "English",
    "es": "Spanish",
    "et": "Estonian",
    "eu": "Basque",
    "fa": "Persian",
    "fi": "Finnish",
    "fo": "Faroese",
    "fr": "French",
    "fro": "Old French",
    "ga": "Irish",
    "gl": "Galician",
    "got": "Gothic",
    "grc": "Ancient Greek",
    "he": "Hebrew",
    "hi": "Hindi",
    "hr": "Croatian",
    "hsb": "Upper Sorbian",
    "hu": "Hungarian",
    "hy": "Armenian",
    "id": "Indonesian",
    "it": "Italian",
    "ja": "Japanese",
    "kk": "Kazakh",
    "kmr": "Kurmanji",
    "ko": "Korean",
    "la": "Latin",
    "lv": "Latvian",
    "nl": "Dutch",
    "no": "Norwegian",
    "no_bokmaal": "Norwegian Bokmål",
    "no_nynorsk": "Norwegian Nynorsk",
    "no_nynorsklia": "Norwegian Nynorsk",
    "pcm": "Naija",
    "pl": "Polish",
    "pt": "Portuguese",
    "pt_br": "Brazilian Portuguese",
    "ro": "Romanian",
    "ru": "Russian",
    "sk": "Slovak",
    "sl": "Slovenian",
    "sme": "North Sámi",
    "sr": "Serbian",
    "sv": "Swedish",
    "th": "Thai",
    "tr": "Turkish",
    "ug": "Uyghur",
    "uk": "Ukrainian",
    "ur": "Urdu",
    "vi": "Vietnamese",
    "zh": "Chinese",
}
# Exceptions: in all other cases the tag is the part before the underscore.
TAGS = {"no_bokmaal": "nb", "no_nynorsk": "nn", "no_nynorsklia": "nn", "pt_br": "pt-BR", "sme": "se"}
UNDETERMINED = "und"


def language_of(code: str) -> Language:
    prefix = re.split("[_-]", code, maxsplit=1)[0]
    for known in (code, prefix):
        if known in NAMES:
            return Language(NAMES[known], TAGS.get(known, known))
    return Language(code, prefix if re.fullmatch("[a-z]{2,8}", prefix) else UNDETERMINED)
