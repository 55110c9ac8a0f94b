"""Write tables as text for a terminal, Markdown, CSV, LaTeX (booktabs) or HTML.

Names of systems are untrusted. They are always written as text: they cannot become markup, TeX commands,
spreadsheet formulas or terminal control codes.
"""

from __future__ import annotations

import csv
import html
import io
import re
import unicodedata
from collections.abc import Callable, Mapping

from .spreadsheet import as_csv_text
from .tables.table import Column, Table

# TeX would read a bracket or a star at the start of a row as an argument of the preceding line end.
_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\char34{}",
    "`": r"\textasciigrave{}",
    "[": "{[}",
    "]": "{]}",
    "*": "{*}",
    **{special: "\\" + special for special in "&%$#_{}"},
    # Letters and signs of heads for which fonts of text have no glyph.
    **{"α": r"$\alpha$", "κ": r"$\kappa$", "ρ": r"$\rho$", "Δ": r"$\Delta$", "−": "$-$", "†": r"\dag{}"},
}
_MARKDOWN = re.compile(r"([\\`*_\[\]|~$])")
# Some Markdown readers turn bare addresses and mentions into links.
_LINKS = {"://": "&#58;//", "www.": "www&#46;", "@": "&#64;"}
_DIRECTION_MARKS = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_CONTROLS = ("Cc", "Cs", "Zl", "Zp")
_NARROW, _WIDE = 6, 8
"""Numbers of columns."""


def as_text(table: Table) -> str:
    """Columns of equal width; wide characters count as two."""
    cells = [[_plain(cell) for cell in row] for row in table.rows]
    heads = [column.head for column in table.columns]
    widths = [max(map(_width, column)) for column in zip(heads, *cells, strict=True)]
    numeric = [column.numeric for column in table.columns]

    def line(row: list[str]) -> str:
        filled = []
        for cell, width, right in zip(row, widths, numeric, strict=True):
            gap = " " * (width - _width(cell))
            filled.append(gap + cell if right else cell + gap)
        return "  ".join(filled).rstrip()

    rule = "-" * (sum(widths) + 2 * (len(widths) - 1))
    lines = [_plain(table.caption), "", line(heads), rule]
    for number, row in enumerate(cells):
        lines.append(line(row))
        if number in table.lines and number < len(cells) - 1:
            lines.append(rule)
    return "\n".join(lines) + "\n"


def as_markdown(table: Table) -> str:
    """A pipe table. Markdown has no lines within a table: an extra column marks them."""
    marked = bool(table.lines)
    heads = [_markdown(column.head) for column in table.columns] + (
        ["Significantly better than next"] if marked else []
    )
    ruler = ["---:" if column.numeric else ":---" for column in table.columns] + ([":---:"] if marked else [])
    lines = [f"**{_markdown(table.caption)}**", "", _piped(heads), _piped(ruler)]
    for number, row in enumerate(table.rows):
        mark = (["✓"] if number in table.lines else [""]) if marked else []
        lines.append(_piped([*map(_markdown, row), *mark]))
    return "\n".join(lines) + "\n"


def as_csv(table: Table) -> str:
    """Comma-separated values; the last column says where lines are."""
    output = io.StringIO()
    writer = csv.writer(output, lineterminator="\n")
    marked = bool(table.lines)
    heads = [as_csv_text(column.head) for column in table.columns]
    writer.writerow([*heads, *(["Significantly better than next"] if marked else [])])
    for number, row in enumerate(table.rows):
        cells = [
            cell if column.numeric else as_csv_text(cell)
            for cell, column in zip(row, table.columns, strict=True)
        ]
        writer.writerow([*cells, *(["yes" if number in table.lines else "no"] if marked else [])])
    return output.getvalue()


def as_latex(table: Table) -> str:
    """A table environment for a paper that loads booktabs; a wide one spans both columns of the page.

    One with more than a few columns is scaled down if it does not fit, for which the paper loads graphicx.
    """
    is_wide = len(table.columns) > _WIDE
    environment = "table*" if is_wide else "table"
    tabular = _tabular(table, is_wide)
    if len(table.columns) > _NARROW:
        # How wide it is depends on what is in the cells, which only TeX can measure.
        width = r"\ifdim\width>\linewidth\linewidth\else\width\fi"
        tabular = [rf"\resizebox{{{width}}}{{!}}{{%", *tabular, "}"]
    lines = [
        rf"\begin{{{environment}}}",
        r"\centering",
        rf"\caption{{{latex_text(table.caption)}}}",
        rf"\label{{tab:{re.sub('[^a-z0-9-]', '-', table.name.lower())}}}",
        *_font_size(table),
        *tabular,
        rf"\end{{{environment}}}",
    ]
    return "\n".join(lines) + "\n"


def _tabular(table: Table, is_wide: bool) -> list[str]:
    layout = "".join("r" if column.numeric else "l" for column in table.columns)
    lines = [
        rf"\begin{{tabular}}{{{layout}}}",
        r"\toprule",
        " & ".join(_head(column, is_wide) for column in table.columns) + r" \\",
        r"\midrule",
    ]
    for number, row in enumerate(table.rows):
        lines.append(_row(row))
        if number in table.lines and number < len(table.rows) - 1:
            lines.append(r"\midrule")
    return [*lines, r"\bottomrule", r"\end{tabular}"]


def _font_size(table: Table) -> list[str]:
    """Long and wide tables need smaller type, and very wide ones narrower gaps, to fit on a page."""
    if len(table.columns) > _WIDE:
        return [r"\scriptsize", r"\setlength{\tabcolsep}{2pt}"]
    return [r"\footnotesize"] if len(table.rows) > 40 or len(table.columns) > _NARROW else []


def _head(column: Column, is_wide: bool) -> str:
    """In two lines in wide tables: figures are narrower than their column heads."""
    above, _, below = column.head.rpartition(" ")
    if not is_wide or not above:
        return latex_text(column.head)
    return rf"\shortstack[{'r' if column.numeric else 'l'}]{{{latex_text(above)}\\{latex_text(below)}}}"


def as_html(table: Table) -> str:
    """A table element; the class `line` marks rows with a line below."""
    classes = ["number" if column.numeric else "text" for column in table.columns]
    lines = [f'<table id="{html.escape(table.name)}">', f"<caption>{_html(table.caption)}</caption>"]
    lines.append("<thead><tr>")
    for column, kind in zip(table.columns, classes, strict=True):
        lines.append(f'<th scope="col" class="{kind}">{_html(column.head)}</th>')
    lines.append("</tr></thead>\n<tbody>")
    for number, row in enumerate(table.rows):
        cells = "".join(
            f'<td class="{kind}">{_html(cell)}</td>' for cell, kind in zip(row, classes, strict=True)
        )
        lines.append(f'<tr class="line">{cells}</tr>' if number in table.lines else f"<tr>{cells}</tr>")
    return "\n".join([*lines, "</tbody>", "</table>"]) + "\n"


FORMATS: Mapping[str, Callable[[Table], str]] = {
    "table": as_text,
    "markdown": as_markdown,
    "csv": as_csv,
    "latex": as_latex,
    "html": as_html,
}


def _plain(text: str) -> str:
    """Without control characters, line ends and marks that change the direction of writing."""
    return "".join("?" if c in _DIRECTION_MARKS or unicodedata.category(c) in _CONTROLS else c for c in text)


def _width(text: str) -> int:
    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in text)
    combining = sum(unicodedata.combining(character) > 0 for character in text)
    return len(text) + wide - combining


def _markdown(text: str) -> str:
    escaped = html.escape(_MARKDOWN.sub(r"\\\1", _plain(text)), quote=False)
    for link, harmless in _LINKS.items():
        escaped = escaped.replace(link, harmless)
    return escaped


def _piped(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def latex_text(text: str) -> str:
    """Any text as text in a LaTeX document."""
    escaped = "".join(_LATEX.get(character, character) for character in _plain(text))
    # TeX turns two hyphens into a dash; our dash is written as two hyphens.
    return re.sub("-(?=-)", "-{}", escaped).replace("–", "--")


def _row(cells: tuple[str, ...] | list[str]) -> str:
    return " & ".join(map(latex_text, cells)) + r" \\"


def _html(text: str) -> str:
    return html.escape(_plain(text))
