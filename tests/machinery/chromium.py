"""A Chromium for the browser tests, and how it is started."""

from pathlib import Path

from tests.machinery import debian

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
ARGUMENTS = (
    # Inside containers and as root the sandbox cannot be set up; the pages are our own.
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)


def find_or_install() -> Path:
    return debian.find_or_install(NAMES, package="chromium", variable="CHROMIUM")
