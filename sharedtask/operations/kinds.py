"""Every kind of work, in the order of the sweep. A new kind is one line here."""

from __future__ import annotations

from typing import Any

from sharedtask.accounts.mail_queue import SendQueuedMail
from sharedtask.analysis.analyse import ANALYSE_RUN_JOB, AnalyseGold
from sharedtask.api.webhooks.deliver import DeliverWebhooks
from sharedtask.archive.package.make import PackResults
from sharedtask.cascades.advance import AdvanceExperiment
from sharedtask.competition.prepare_gold import JOB as PREPARE_GOLD
from sharedtask.curves.analyse import AnalyseSeries
from sharedtask.curves.training.proceed import JOB as CONTINUE_TRAINING
from sharedtask.folders.jobs import FolderWork
from sharedtask.judgements.analyse import AnalyseCampaign
from sharedtask.judgements.draw import DrawItems
from sharedtask.scorers.kinds import CheckScorer
from sharedtask.software.kinds import CheckImage, CollectOutputs, RunSoftware
from sharedtask.standings.parts import ComputePart
from sharedtask.standings.recompute import ComputeStandings
from sharedtask.submissions.kinds import INSPECT_PHASE, INSPECT_RUN, CheckRun, ScoreByImage, ScoreFiles
from sharedtask.submissions.make_baselines import JOB as MAKE_BASELINES
from sharedtask.teams.notices.mail import MailNotices
from sharedtask.work.kinds import Job, WorkKind

AIRLOCK_KINDS: tuple[WorkKind[Any], ...] = (RunSoftware(),)
"""Done by the workers of the airlock alone; swept like the others."""
KINDS: tuple[WorkKind[Any], ...] = (
    *AIRLOCK_KINDS,
    CheckImage(),
    CheckScorer(),
    CollectOutputs(),
    FolderWork(),
    CheckRun(),
    ScoreFiles(),
    ScoreByImage(),
    ComputePart(),
    ComputeStandings(),
    AnalyseGold(),
    AnalyseSeries(),
    AdvanceExperiment(),
    DrawItems(),
    AnalyseCampaign(),
    PackResults(),
)
MAIL_KINDS: tuple[WorkKind[Any], ...] = (MailNotices(), SendQueuedMail(), DeliverWebhooks())
"""Swept by the workers of the queue `mail`, which may be separate ones."""
JOBS: tuple[Job, ...] = (
    PREPARE_GOLD,
    MAKE_BASELINES,
    INSPECT_RUN,
    INSPECT_PHASE,
    ANALYSE_RUN_JOB,
    CONTINUE_TRAINING,
)
