"""Write standings in one of the formats, to standard output, a file, or a folder with a file a table."""

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

# The ending of a file in each format.
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
    """Write all tables or some of them; as JSON, the one document with all figures."""
    try:
        if format == "json":
            told = json.dumps(build_document(standings, main), ensure_ascii=False, indent=2, allow_nan=False)
            _put(told + "\n", output / "standings.json" if output and output.is_dir() else output)
            return
        chosen = _chosen(all_tables(standings, main), tables)
        signature = standings.signature("+".join(main))
        if output is not None and output.is_dir():
            for table in chosen:
                _put(_file([table], format, signature), output / (_file_name(table) + FORMATS[format]))
        else:
            _put(_file(chosen, format, signature), output)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise BadCampaign(f"{error.filename}: cannot be written: {error.strerror}") from error


def _put(text: str, path: Path | None) -> None:
    if path is None:
        sys.stdout.write(text)
    else:
        path.write_text(text, encoding="utf-8", newline="")


def _chosen(tables: Sequence[Table], names: Sequence[str] | None) -> Sequence[Table]:
    if names is None:
        return tables
    known = {table.name: table for table in tables}
    unknown = [name for name in names if name not in known]
    if unknown:
        raise BadCampaign(f"unknown table {', '.join(unknown)}; the tables are {', '.join(known)}")
    return [known[name] for name in names]


def _file(tables: Sequence[Table], format: str, signature: str) -> str:
    """Tables of one format as one file, with the signature in every format but CSV, which has no place."""
    written = [render.FORMATS[format](table) for table in tables]
    if format == "csv":
        return "\n".join(written)
    if format == "latex":
        return f"% Needs \\usepackage{{booktabs}}.\n% {signature}\n" + "\n".join(written)
    if format == "html":
        head = f'<meta charset="utf-8"><title>Standings</title><style>{_STYLE}</style>'
        body = "\n".join(written) + f"<p><code>{html.escape(signature)}</code></p>"
        return f'<!DOCTYPE html>\n<html lang="en"><head>{head}</head>\n<body>\n{body}\n</body></html>\n'
    if format == "markdown":
        return "\n".join(written) + f"\n`{signature}`\n"
    return "\n\n".join(written) + f"\n{signature}\n"


def _file_name(table: Table) -> str:
    """A group may be called anything; the name of a file may not."""
    return "".join(c if c.isalnum() or c in "-_" else "_" for c in table.name)
