"""Uploading in a browser: the contents are shown before the upload, the progress during it."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.machinery.site import ROOT, Running, manage
from tests.sharedtask.support.building import tar_of, zip_of

pytestmark = [pytest.mark.browser, pytest.mark.slow]
DROP = """([name, content]) => {
  const bytes = Uint8Array.from(atob(content), (letter) => letter.charCodeAt(0));
  const carried = new DataTransfer();
  carried.items.add(new File([bytes], name));
  const zone = document.querySelector(".drop");
  zone.dispatchEvent(new DragEvent("dragover", { dataTransfer: carried, bubbles: true, cancelable: true }));
  zone.dispatchEvent(new DragEvent("drop", { dataTransfer: carried, bubbles: true, cancelable: true }));
}"""


@pytest.fixture
def url(embedded: Mapping[str, str], server: Callable[..., Running], page: Page) -> str:
    manage("load_demo", environment=embedded)
    lines = (Path(embedded["DATA_DIR"]) / "demo-accounts.txt").read_text().splitlines()
    url = server(embedded).url
    page.goto(f"{url}/sign-in/?next=/tasks/demo/upload/")
    page.get_by_label("Name or e-mail").fill("linden")
    page.get_by_label("Password").fill(dict(line.split() for line in lines)["linden"])
    page.get_by_role("main").get_by_role("button", name="Sign in").click()
    expect(page).to_have_url(f"{url}/tasks/demo/upload/")
    return url


def choose(page: Page, name: str, content: bytes) -> None:
    file = {"name": name, "mimeType": "application/octet-stream", "buffer": content}
    page.get_by_label("One archive").set_input_files(file)  # type: ignore[arg-type]


def gold() -> dict[str, str | bytes]:
    files = sorted((ROOT / "demo" / "gold").glob("*.conllu"))
    return {f"outputs/{file.name}": file.read_bytes() for file in files}


def test_the_contents_of_an_upload_are_shown_before_anything_is_sent(page: Page, url: str) -> None:
    posts: list[str] = []
    page.on("request", lambda request: posts.append(request.url) if request.method == "POST" else None)
    summary = page.locator("#upload-check")
    expect(summary).to_be_hidden()
    files = gold()

    choose(page, "run.zip", zip_of(files))
    expect(summary).to_contain_text("8 of 8 test sets included.")

    del files["outputs/vi_cho.conllu"]
    clutter: dict[str, str | bytes] = {"__MACOSX/outputs/._de_garten.conllu": b"x", "outputs/.DS_Store": b"x"}
    choose(page, "run.tar.gz", tar_of(files | clutter))
    expect(summary).to_contain_text("7 of 8 test sets included.")
    expect(summary.locator(".codes")).to_have_text("vi_cho")
    expect(summary.locator(".errors")).to_have_count(0)

    choose(page, "run.zip", zip_of(files | {"more/de_garten.conllu": b"x", "xx_none.conllu": b"y"}))
    errors = summary.locator(".errors")
    expect(errors).to_contain_text("There are two files for de_garten.")
    expect(errors).to_contain_text("xx_none.conllu does not belong to this task")

    choose(page, "run.zip", zip_of(files | {"De_Garten.conllu": b"x", "vi_chos.conllu": b"y"}))
    expect(errors).to_contain_text(
        "De_Garten.conllu (did you mean de_garten.conllu?) does not belong to this task"
    )
    expect(errors).to_contain_text(
        "vi_chos.conllu (did you mean vi_cho.conllu?) does not belong to this task"
    )

    for name in ("run.7z", "run.zip"):
        choose(page, name, b"7z\xbc\xaf\x27\x1c" + bytes(100))
        expect(errors).to_contain_text("This file is a 7z archive")
        expect(summary).not_to_contain_text("Your browser cannot read")

    choose(page, "run.tar.xz", tar_of(files, "xz"))
    expect(summary).to_contain_text("Your browser cannot read this archive")

    page.evaluate(DROP, ["en_par.conllu", base64.b64encode(bytes(gold()["outputs/en_par.conllu"])).decode()])
    expect(summary).to_contain_text("1 of 8 test sets included.")
    assert posts == [], "nothing is sent before the person has seen it"

    page.get_by_role("button", name="Upload", exact=True).click()
    expect(page).to_have_url(re.compile("/runs/[a-z0-9]{16}/$"))
    expect(page.locator(".receipt")).to_contain_text("en_par.conllu")
    assert len(posts) == 1


def test_a_refusal_is_shown_without_leaving_the_page(page: Page, url: str) -> None:
    texts: list[str] = []
    watch = "window.watched = []; new MutationObserver(() => window.watched.push(document.querySelector("
    watch += "'#upload-progress [role=status]').textContent)).observe(document.querySelector("
    watch += "'#upload-progress'), {subtree: true, childList: true, attributes: true})"
    page.evaluate(watch)
    both = [
        {"name": "run.zip", "mimeType": "application/zip", "buffer": zip_of(gold())},
        {"name": "en_par.conllu", "mimeType": "text/plain", "buffer": b"x"},
    ]
    page.get_by_label("One archive").set_input_files(both)  # type: ignore[arg-type]
    expect(page.locator(".errors")).to_contain_text("not both")
    page.get_by_role("button", name="Upload", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text("Nothing was uploaded.")
    expect(page.get_by_role("alert")).to_contain_text("upload-mixed")
    assert page.url == f"{url}/tasks/demo/upload/"
    texts = page.evaluate("window.watched")
    assert "Starting the upload." in texts
    assert "Upload complete. Waiting for the receipt." in texts
    expect(page.locator("#upload-progress")).to_be_hidden()
    expect(page.get_by_role("button", name="Upload", exact=True)).to_be_enabled()


def test_only_an_upload_outside_a_series_replaces_the_run_on_the_leaderboard(
    page: Page, url: str, embedded: Mapping[str, str]
) -> None:
    scored = "from sharedtask.submissions.models import Run; Run.objects.update(state='scored')"
    manage("shell", "-c", scored, environment=embedded)
    page.reload()
    sentence = page.get_by_text("This upload replaces run 1")
    expect(sentence).to_be_visible()
    page.get_by_text("Part of a series").click()
    size = page.get_by_label("Sentences in the training sample")
    size.fill("100")
    expect(sentence).to_be_hidden()
    size.fill("")
    expect(sentence).to_be_visible()
