"""The container engine of scorers, which sees gold. It must not be one that runs software of teams.

In: the settings. Out: an engine, or `SharedEngine`. The addresses are compared, what the engine was used for
under any address, and what it has: an image that belongs to no scorer was loaded by the airlock.
"""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

from django.conf import settings

from airlock.engine import SCORERS, Engine, EngineUnavailable, OtherPurpose, connect
from sharedtask.core.errors import ServerFailure
from sharedtask.scorers.models import ScorerVersion


class SharedEngine(ServerFailure):
    """Gold must not get into an engine that runs software of teams."""


def connect_engine() -> Engine:
    """Raises `SharedEngine`, or `EngineUnavailable`. The caller closes it."""
    refuse_same_address()
    if not settings.SCORER_ENGINE:
        raise EngineUnavailable("No engine for scorers is set: SCORER_ENGINE is empty.")
    engine = connect(settings.SCORER_ENGINE)
    try:
        if engine.refusal is not None:
            raise EngineUnavailable(engine.refusal)
        refuse_foreign_images(engine)
        engine.claim(SCORERS)
    except OtherPurpose as error:
        engine.close()
        raise SharedEngine(str(error)) from error
    except Exception:
        engine.close()
        raise
    return engine


def refuse_same_address() -> None:
    """Does nothing where only one of the two is known, as it should be in production."""
    scorer, airlock = settings.SCORER_ENGINE, settings.AIRLOCK_ENGINE
    if scorer and airlock and resolved(scorer) == resolved(airlock):
        raise SharedEngine(
            "SCORER_ENGINE and AIRLOCK_ENGINE are the same; scorers need an engine of their own."
        )


def refuse_foreign_images(engine: Engine) -> None:
    loaded = engine.image_ids()
    own = set(ScorerVersion.objects.filter(image_id__in=loaded).values_list("image_id", flat=True))
    if loaded - own:
        raise SharedEngine(
            f"The engine at {settings.SCORER_ENGINE} has images of teams; scorers need one of their own."
        )


def resolved(address: str) -> str:
    """The same for two names of one socket."""
    parts = urlsplit(address)
    return str(Path(parts.path).resolve()) if parts.scheme == "unix" else address.rstrip("/")
