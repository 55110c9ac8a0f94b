"""Run an untrusted image in a closed container. In: a `RunSpec`. Out: an `Outcome` and output files.

    engine = connect()                            # or EngineUnavailable, in one sentence
    engine.load(archive, image_id)                # an archive that airlock.images has rewritten
    running = engine.find(run_id) or engine.start(RunSpec(run_id=run_id, image_id=image_id, inputs=files))
    while (seen := running.observe()).state == "running":
        time.sleep(1)                             # observing also enforces the deadline and the log quota
    outcome = running.finish()
    for output in running.outputs():
        if output.problem is None:
            store(output.name, output.stream)
    running.remove()

Everything that belongs to a run carries its id as a label, so that another worker can take it up after a
crash. dockerd and `podman system service` are served by the same code. Errors are of two classes:
`SystemFailure` is the team's, every other `AirlockError` is the platform's and may be retried.
"""

from .connect import connect
from .engine import Engine
from .errors import (
    AirlockError,
    AlreadyStarted,
    EngineFailure,
    EngineUnavailable,
    ImageNotAccepted,
    OtherPurpose,
    RunLost,
    SystemFailure,
)
from .limits import Limits
from .outcome import LimitReached, Observation, Outcome, OutputFile, Usage
from .preflight import ProbeResult, preflight
from .purpose import SCORERS, TEAMS
from .running import Running
from .spec import RunSpec

__all__ = [
    "SCORERS",
    "TEAMS",
    "AirlockError",
    "AlreadyStarted",
    "Engine",
    "EngineFailure",
    "EngineUnavailable",
    "ImageNotAccepted",
    "LimitReached",
    "Limits",
    "Observation",
    "OtherPurpose",
    "Outcome",
    "OutputFile",
    "ProbeResult",
    "RunLost",
    "RunSpec",
    "Running",
    "SystemFailure",
    "Usage",
    "connect",
    "preflight",
]
