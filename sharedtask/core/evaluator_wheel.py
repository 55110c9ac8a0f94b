"""The wheel of the evaluator that this site scores with, for everybody to install.

In: `settings.WHEEL_DIR`, filled when the site is built or started (`serve/wheel.py`, `deploy/Dockerfile`).
Out: its file, its address, and the command that installs it. A site that was started otherwise may have none;
its pages then do not mention it.
"""

from __future__ import annotations

from pathlib import Path

from django.conf import settings
from django.http import FileResponse, Http404, HttpRequest
from django.urls import reverse
from django.views.decorators.http import require_safe

import evaluation
from sharedtask.core.site_address import absolute

NAME = f"arboretum-{evaluation.VERSION}-py3-none-any.whl"
"""Of the version that this site runs; the wheel of another one is not handed out."""


def wheel_file() -> Path | None:
    file: Path = settings.WHEEL_DIR / NAME
    return file if file.is_file() else None


def wheel_address() -> str:
    """Empty if there is no wheel."""
    return absolute(reverse("wheel", args=[NAME])) if wheel_file() else ""


def install_command() -> str:
    address = wheel_address()
    return f"pip install {address}" if address else ""


@require_safe
def download_wheel(request: HttpRequest, name: str) -> FileResponse:
    file = wheel_file()
    if file is None or name != NAME:
        raise Http404("there is no such wheel")
    return FileResponse(file.open("rb"), as_attachment=True, filename=NAME, content_type="application/zip")
