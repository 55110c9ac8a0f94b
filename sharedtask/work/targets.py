"""The targets of messages: the name of a task and its queue.

All of them are here, so that every package can send messages to work of a package above it.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Target:
    task: str
    queue: str

    def __str__(self) -> str:
        return self.task.removeprefix("workers.").replace("_", " ")


RUN_SOFTWARE = Target("workers.run_software", "airlock")
CHECK_IMAGE = Target("workers.check_image", "score")
CHECK_SCORER = Target("workers.check_scorer", "score")
SCORE_BY_IMAGE = Target("workers.score_by_image", "scorer")
COLLECT_OUTPUTS = Target("workers.collect_outputs", "score")
CHECK_RUN = Target("workers.check_run", "score")
SCORE_FILES = Target("workers.score_files", "score")
INSPECT_RUN = Target("workers.inspect_run", "score")
INSPECT_PHASE = Target("workers.inspect_phase", "score")
PREPARE_GOLD = Target("workers.prepare_gold", "score")
MAKE_BASELINES = Target("workers.make_baselines", "score")
FOLDER_JOB = Target("workers.folder_job", "score")
COMPUTE_STANDINGS = Target("workers.compute_standings", "standings")
COMPUTE_PART = Target("workers.compute_part", "standings")
ANALYSE_GOLD = Target("workers.analyse_gold", "analyse")
ANALYSE_RUN = Target("workers.analyse_run", "analyse")
ANALYSE_SERIES = Target("workers.analyse_series", "analyse")
DRAW_ITEMS = Target("workers.draw_items", "analyse")
ANALYSE_CAMPAIGN = Target("workers.analyse_campaign", "analyse")
ADVANCE_EXPERIMENT = Target("workers.advance_experiment", "analyse")
CONTINUE_TRAINING = Target("workers.continue_training", "analyse")
EXPERIMENT_WORK = {"cascades": ADVANCE_EXPERIMENT, "training": CONTINUE_TRAINING}
"""By the purpose of an execution: the work that goes on when one of its experiment is final."""
PACK_RESULTS = Target("workers.pack_results", "analyse")
MAIL_NOTICES = Target("workers.mail_notices", "mail")
SEND_ACCOUNT_MAIL = Target("workers.send_account_mail", "mail")
DELIVER_WEBHOOKS = Target("workers.deliver_webhooks", "mail")
SWEEP = Target("workers.sweep", "sweep")
REMOVE_STRAYS = Target("workers.remove_strays", "sweep")
SWEEP_MAIL = Target("workers.sweep_mail", "mail")
