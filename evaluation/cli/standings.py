"""Write standings in one of the formats, to standard output, a file, or a folder with one file per table."""

from __future__ import annotations

import html
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from ..ranking import render
from ..ranking.document import build_document
from ..ranking.folders import BadCampaign
from ..ranking.standings import Standings
from ..ranking.tables import Table, all_tables

# The file name extension of each format.
FORMATS: Mapping[str, str] = {
    "table": ".txt",
    "json": ".json",
    "csv": ".csv",
    "markdown": ".md",
    "latex": ".tex",
    "html": ".html",
}
_STYLE = (
    "body{font:1rem/1.4 sans-serif;margin:2rem}table{border-collapse:collapse;margin:2rem 0}"
    "caption{text-align:left;max-width:60rem;padding:.5rem 0}td,th{padding:.15rem .6rem;text-align:left}"
    ".number{text-align:right;font-variant-numeric:tabular-nums}thead tr,.line{border-bottom:1px solid}"
)


def write(
    standings: Standings,
    main: Sequence[str],
    format: str,
    *,
    tables: Sequence[str] | None = None,
    output: Path | None = None,
) -> None:
    """Write all tables or the named ones; JSON is always one document with all figures."""
    try:
        if format == "json":
            text = json.dumps(build_document(standings, main), ensure_ascii=False, indent=2, allow_nan=False)
            _write_text(text + "\n", output / "standings.json" if output and output.is_dir() else output)
            return
        selected = _select(all_tables(standings, main), tables)
        signature = standings.signature("+".join(main))
        if output is not None and output.is_dir():
            for table in selected:
                _write_text(
                    _render_file([table], format, signature), output / (_file_name(table) + FORMATS[format])
                )
        else:
            _write_text(_render_file(selected, format, signature), output)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise BadCampaign(f"{error.filename}: cannot be written: {error.strerror}") from error


def _write_text(text: str, path: Path | None) -> None:
    if path is None:
        sys.stdout.write(text)
    else:
        path.write_text(text, encoding="utf-8", newline="")


def _select(tables: Sequence[Table], names: Sequence[str] | None) -> Sequence[Table]:
    if names is None:
        return tables
    known = {table.name: table for table in tables}
    unknown = [name for name in names if name not in known]
    if unknown:
        raise BadCampaign(f"unknown table {', '.join(unknown)}; the tables are {', '.join(known)}")
    return [known[name] for name in names]


def _render_file(tables: Sequence[Table], format: str, signature: str) -> str:
    """Several tables as one file, with the signature except in CSV, which has no place for it."""
    rendered = [render.FORMATS[format](table) for table in tables]
    if format == "csv":
        return "\n".join(rendered)
    if format == "latex":
        return f"% Needs \\usepackage{{booktabs,graphicx}}.\n% {signature}\n" + "\n".join(rendered)
    if format == "html":
        head = f'<meta charset="utf-8"><title>Standings</title><style>{_STYLE}</style>'
        body = "\n".join(rendered) + f"<p><code>{html.escape(signature)}</code></p>"
        return f'<!DOCTYPE html>\n<html lang="en"><head>{head}</head>\n<body>\n{body}\n</body></html>\n'
    if format == "markdown":
        return "\n".join(rendered) + f"\n`{signature}`\n"
    return "\n\n".join(rendered) + f"\n{signature}\n"


def _file_name(table: Table) -> str:
    """The table name without characters that are unsafe in a file name: groups may have any name."""
    return "".join(c if c.isalnum() or c in "-_" else "_" for c in table.name)
