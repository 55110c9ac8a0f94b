"""`make sentences` finds what users read, wherever it is written, and nothing else."""

from __future__ import annotations

from tests.house import sentences


def test_scripts_are_read_as_well_as_templates_and_code() -> None:
    script = """
    "use strict";
    // A comment is for developers.
    const text = done ? "Upload complete." : `${number} of ${files.map((file) => `x ${file}`)} files sent.`;
    box.querySelector("main .notice.bad").textContent = 'Please wait for it.';
    """
    assert [text for _, text in sentences.sentences_of_script(script)] == [
        "Upload complete.",
        "… of … files sent.",
        "Please wait for it.",
    ]


def test_what_only_developers_and_programs_read_is_left_out() -> None:
    code = '''
    """A docstring."""
    log.warning("the broker is down: %s", error)
    match = re.search(r"signal (\\d+) of it", text)
    raise Http404("no such run here")
    HttpResponse(content_type="text/plain; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    STYLE = "table td{margin:1rem 0}"
    T = TypeVar("Value")
    layers = document["Root of layers"]["Layers"] or document.get("Layers of the image")
    TEMPLATE = "h.lemma h.upos direction"
    raise Refusal("too-late", f"The phase {phase} has closed.")
    forms.CharField(label="Reason", help_text="It is shown to the team.")
    state = "waiting"
    '''
    lines = "\n".join(line.removeprefix("    ") for line in code.splitlines())
    result = sorted(text for _, text in sentences.sentences_of_code(lines))
    assert result == ["It is shown to the team.", "Reason", "The phase … has closed."]


def test_texts_of_a_task_folder_are_read() -> None:
    folder = "slug: demo\nsummary: Eight small treebanks.\nphases:\n  - {code: open, title: Open phase}\n"
    assert [text for _, text in sentences.sentences_of_yaml(folder)] == [
        "Eight small treebanks.",
        "Open phase",
    ]


def test_every_kind_of_file_is_there() -> None:
    files = {line.split(":", 1)[0] for line in sentences.sentences()}
    assert {
        "sharedtask/static/upload.js",
        "sharedtask/templates/base.html",
        "sharedtask/content/conll17/task.yaml",
        "sharedtask/submissions/forms.py",
        "deploy/pages/away.html",
        "demo/task.yaml",
        "evaluation/reading/kinds.py",
        "serve/preflight.py",
    } <= files
