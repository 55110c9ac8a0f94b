"""A site for schemathesis: a task with results, a participant, an organiser, and their tokens.

`build` runs in a process of the site (`manage.py shell`) and prints what the caller needs as JSON. `check`
runs schemathesis over the whole OpenAPI document, with names that exist, so that it reaches what is behind
them.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.machinery.site import ROOT, manage

CHECKS = (
    "not_a_server_error,status_code_conformance,content_type_conformance,response_headers_conformance,"
    "response_schema_conformance"
)
BUILD = "from tests.sharedtask.support.contract import build; build()"
# Others would end the tokens that the rest of the requests need.
EXCLUDED = ("revoke_own_token",)


def prepare(environment: Mapping[str, str], private_key: Path) -> dict[str, Any]:
    values = {**environment, "GOLD_PRIVATE_KEY_FILE": str(private_key), "LOG_LEVEL": "ERROR"}
    output = manage("shell", "--no-imports", "-c", BUILD, environment=values)
    prepared: dict[str, Any] = json.loads(output.strip().splitlines()[-1])
    return prepared


def build() -> None:
    from sharedtask.accounts.models import User
    from sharedtask.api.models import Webhook
    from sharedtask.api.webhooks.deliver import PURPOSE
    from sharedtask.api.webhooks.sign import new_secret
    from sharedtask.cascades.models import Experiment
    from sharedtask.competition.error_classes import class_file
    from sharedtask.competition.models import StandingRequest
    from sharedtask.core import clock, lockbox
    from sharedtask.core.storage import Incoming
    from sharedtask.folders.jobs import request_export
    from sharedtask.folders.load_task import load_task
    from sharedtask.software.models import Execution
    from sharedtask.standings import recompute
    from sharedtask.submissions.accept import Upload
    from sharedtask.submissions.workflow import accept_upload
    from sharedtask.teams.register import register
    from sharedtask.work import dispatch
    from tests.sharedtask.support.building import WRONG_HEAD, good_archive, task_folder
    from tests.sharedtask.support.calling import SCOPES, secret_of
    from tests.sharedtask.support.software import version_of
    from tests.sharedtask.support.software_scenery import add, outcome
    from workers import tasks

    messages: list[Any] = []
    dispatch.send = lambda target, keys: messages.append((target, list(keys)))
    task = load_task(task_folder(Path(tempfile.mkdtemp()) / "tiny"))
    member, organiser = (User.objects.create_user(name) for name in ("member", "organiser"))
    task.organisers.add(organiser)
    rival = User.objects.create_user("rival")
    runs = []
    for name, person, changed in (("Alder", member, {}), ("Beech", rival, {"en_two": WRONG_HEAD})):
        team = register(task=task, name=name, members=[person], confirmed=True, rules_version=1)
        incoming = Incoming()
        incoming.write(good_archive(**changed))
        runs.append(
            accept_upload(
                Upload(
                    incoming=incoming,
                    phase=task.phases.get(),
                    team=team,
                    system=team.primary_system,
                    uploaded_by=person,
                    filename="run.zip",
                )
            )
        )
    while messages:
        target, keys = messages.pop(0)
        tasks.TASKS[target](keys)
    for request in StandingRequest.objects.select_related("phase__task"):
        recompute.recompute_phase(request)
    at = clock.database_now()
    webhooks = {
        person: Webhook.objects.create(
            user=person,
            task=task,
            url="https://example.org/",
            events=["run.finished"],
            secret=lockbox.lock(new_secret(), purpose=PURPOSE),
            created_at=at,
        )
        for person in (member, organiser)
    }
    task.phases.update(software=True)
    version = version_of(runs[0].team)
    execution = add(version, state=Execution.State.DONE, outcome=outcome(None), run=runs[0])
    experiment = Experiment.objects.create(
        task=task,
        team=runs[0].team,
        version=version,
        classes=class_file(task),
        state=Experiment.State.RUNNING,
    )
    job = request_export(task=task, by=organiser, reason="a copy").job
    prepared = {
        "parameters": {
            "path.execution": execution.public_id,
            "path.experiment": experiment.public_id,
            "path.image": version.image.public_id,
            "path.job": job.public_id,
            "path.webhook": webhooks[member].public_id,
            "path.task": task.slug,
            "path.test_set": "en_two",
            "path.name": "en_two.txt",
            "path.run": runs[0].public_id,
            "path.system": runs[0].system.public_id,
            "path.team": runs[0].team.public_id,
            "query.a": runs[0].public_id,
            "query.b": runs[1].public_id,
        },
        "tokens": {
            "visitor": "",
            "participant": secret_of(member),
            "organiser": secret_of(organiser, SCOPES),
        },
    }
    print(json.dumps(prepared))


def check(
    url: str, prepared: Mapping[str, Any], role: str, *, examples: int, phases: str, folder: Path
) -> subprocess.CompletedProcess[str]:
    """One run of schemathesis, with a fixed seed."""
    parameters = "\n".join(f'"{name}" = "{value}"' for name, value in prepared["parameters"].items())
    configuration = folder / f"{role}.toml"
    configuration.write_text(f"[parameters]\n{parameters}\n", encoding="utf-8")
    command = [sys.executable, "-m", "schemathesis.cli", "--config-file", str(configuration)]
    command += ["run", f"{url}/api/v1/openapi.json", "--checks", CHECKS, "--phases", phases, "--seed", "1"]
    command += ["--max-examples", str(examples), "--no-color", "--generation-database", "none"]
    for operation in EXCLUDED:
        command += ["--exclude-operation-id", operation]
    if token := prepared["tokens"][role]:
        command += ["--header", f"Authorization: Bearer {token}"]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
