"""What an engine is for: software of teams, or scorers, which see gold. It must never be both.

In: a client and a purpose. Out: nothing, or `OtherPurpose`. The engine remembers its purpose itself, in the
label of an empty volume, so that it is recognised under every address and from every host.
"""

from __future__ import annotations

import docker

from .calls import engine_call
from .errors import OtherPurpose

TEAMS, SCORERS = "software of teams", "scorers"
VOLUME = "arboretum-airlock-purpose"
PURPOSE_LABEL = "org.arboretum.airlock.purpose"


def claim(client: docker.APIClient, purpose: str, *, url: str) -> None:
    with engine_call("record what it is for"):
        # A volume that is there stays as it is, so that of two who ask at once one is refused.
        client.create_volume(VOLUME, labels={PURPOSE_LABEL: purpose})
        labels = client.inspect_volume(VOLUME).get("Labels") or {}
    if (recorded := labels.get(PURPOSE_LABEL)) != purpose:
        raise OtherPurpose(
            f"The engine at {url} runs {recorded or 'something else'}, and cannot run {purpose} "
            f"as well. If it no longer does, remove its volume {VOLUME}."
        )
