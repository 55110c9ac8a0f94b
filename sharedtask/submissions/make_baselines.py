"""Baselines that the server makes: left branching, right branching, and random projective trees.

In: the key of a phase. Out: a run of each baseline in each track with trees, of a team that is marked as a
baseline; it is checked, scored and ranked like any other. Workers only: punctuation, which is not scored, is
known from gold. Doing it twice changes nothing: the same trees give the same public id of a run.
"""

from __future__ import annotations

import hashlib
import io
import logging
import zipfile
from collections.abc import Sequence
from datetime import datetime, timedelta

from django.db import IntegrityError

from evaluation.archives.unpack import SUFFIX
from evaluation.scoring.baselines import baseline
from sharedtask.competition.models import Phase, Task, TestSet
from sharedtask.competition.tracks import track_codes
from sharedtask.competition.treebanks import format_of
from sharedtask.core import clock
from sharedtask.core.storage import Incoming
from sharedtask.submissions.accept import Upload
from sharedtask.submissions.gold_cache import open_gold
from sharedtask.submissions.models import Run, RunFile
from sharedtask.submissions.workflow import accept_upload
from sharedtask.teams.models import Team
from sharedtask.teams.register import register
from sharedtask.work.kinds import Job
from sharedtask.work.targets import MAKE_BASELINES

NAMES = {"LB": "Left branching", "RB": "Right branching", "random": "Random trees"}
"""Of the teams, which are marked as baselines wherever they are listed."""
DATE = (2026, 1, 1, 0, 0, 0)

log = logging.getLogger(__name__)


def make_baselines(phase_id: int) -> None:
    at = clock.database_now()
    phase = Phase.objects.select_related("task").filter(pk=phase_id).first()
    if phase is None or not phase.is_open(at=at):
        return
    test_sets = test_sets_of(phase, at=at)
    for kind, track in missing_baselines(phase, test_sets):
        upload(phase, track, kind, test_sets, at=at)


def test_sets_of(phase: Phase, *, at: datetime) -> list[TestSet]:
    released = phase.test_sets.with_released_inputs(at=at).exclude(gold_in_force=None)
    return list(released.select_related("gold_in_force__test_set__task"))


def missing_baselines(phase: Phase, test_sets: Sequence[TestSet]) -> list[tuple[str, str]]:
    """Kinds and tracks without a run that has a file for each of these test sets."""
    task = phase.task
    expected = {test_set.pk for test_set in test_sets}
    sets_by_run: dict[tuple[str, str, int], set[int]] = {}
    files = RunFile.objects.filter(run__phase=phase, run__team__in=teams_of(task)).exclude(output="")
    for name, track, run, test_set in files.values_list("run__team__name", "run__track", "run", "test_set"):
        sets_by_run.setdefault((name, track, run), set()).add(test_set)
    under_way = (
        Run.objects.under_way(phase).filter(team__in=teams_of(task)).values_list("team__name", "track")
    )
    done = {(name, track) for (name, track, _), sets in sets_by_run.items() if sets >= expected} | set(
        under_way
    )
    tracks = [track for track in track_codes(phase) if format_of(task, track).trees]
    return [
        (kind, track)
        for track in tracks
        for kind in task.server_baselines
        if expected and (NAMES[kind], track) not in done
    ]


def teams_of(task: Task) -> Sequence[int]:
    names = [NAMES[kind] for kind in task.server_baselines]
    return list(task.teams.filter(is_baseline=True, name__in=names).values_list("pk", flat=True))


def upload(phase: Phase, track: str, kind: str, test_sets: Sequence[TestSet], *, at: datetime) -> None:
    task = phase.task
    team = team_of(task, NAMES[kind])
    content = archive_of(task, kind, test_sets)
    identity = f"{team.public_id}/{phase.code}/{track}/{hashlib.sha256(content).hexdigest()}"
    incoming = Incoming()
    incoming.write(content)
    try:
        accept_upload(
            Upload(
                incoming=incoming,
                phase=phase,
                team=team,
                system=team.primary_system,
                track=track,
                uploaded_by=None,
                filename=f"{kind}.zip",
                note="made by the server",
                at=at,
                public_id=hashlib.sha256(identity.encode()).hexdigest()[:16],
            )
        )
    except IntegrityError:
        log.info("%s of %s exists already", kind, phase)
    finally:
        incoming.discard()


def team_of(task: Task, name: str) -> Team:
    existing = task.teams.filter(name=name, is_baseline=True).first()
    if existing is not None:
        return existing
    return register(task=task, name=name, is_baseline=True, confirmed=True)


def archive_of(task: Task, kind: str, test_sets: Sequence[TestSet]) -> bytes:
    """A zip with a fixed date, so that the same trees give the same bytes."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for test_set in sorted(test_sets, key=lambda test_set: test_set.code):
            assert test_set.gold_in_force is not None
            gold = open_gold(test_set.gold_in_force)
            output = baseline(gold, kind, seed=task.seed, code=test_set.code, format=format_of(task))
            archive.writestr(zipfile.ZipInfo(f"{test_set.code}{SUFFIX}", date_time=DATE), output)
    return buffer.getvalue()


def overdue(at: datetime, patience: timedelta) -> list[int]:
    """For the sweep: a phase has opened or a test set was released, or a message was lost."""
    phases = Phase.objects.open(at=at).exclude(task__server_baselines=[]).select_related("task")
    return [phase.pk for phase in phases if missing_baselines(phase, test_sets_of(phase, at=at))]


JOB = Job(target=MAKE_BASELINES, run=make_baselines, overdue=overdue)
