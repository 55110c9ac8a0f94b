"""The groups of the 81 test sets of 2017, for data without the table of groups."""

from __future__ import annotations

from collections.abc import Mapping

SURPRISE = "surprise"
IN_ORDER = ("big", "small", "pud", SURPRISE)

_CODES = {
    "big": """
        ar bg ca cs cs_cac cs_cltt cu da de el en en_lines en_partut es es_ancora et eu fa fi fi_ftb fr
        fr_sequoia gl got grc grc_proiel he hi hr hu id it ja ko la_ittb la_proiel lv nl nl_lassysmall
        no_bokmaal no_nynorsk pl pt pt_br ro ru ru_syntagrus sk sl sv sv_lines tr ur vi zh
    """,
    "small": "fr_partut ga gl_treegal kk la sl_sst ug uk",
    "pud": """
        ar_pud cs_pud de_pud en_pud es_pud fi_pud fr_pud hi_pud it_pud ja_pud pt_pud ru_pud sv_pud tr_pud
    """,
    SURPRISE: "bxr hsb kmr sme",
}
GROUPS: Mapping[str, str] = {code: group for group, codes in _CODES.items() for code in codes.split()}
