"""What can go wrong, by whose error it is."""

from __future__ import annotations


class AirlockError(Exception):
    """Everything that this package raises. Unless it is a `SystemFailure`, it is an error of the platform."""


class EngineUnavailable(AirlockError):
    """No container engine answers; the message says why and how to get one, in one sentence."""


class EngineFailure(AirlockError):
    """The engine answered a request with an error, or not in time. Worth another attempt."""


class OtherPurpose(AirlockError):
    """The engine is for something else; see `airlock.engine.purpose`."""


class AlreadyStarted(AirlockError):
    """This run already has containers; `engine.find` returns it."""


class RunLost(AirlockError):
    """The engine was restarted or lost the containers of a run. The run has to be started again."""


class ImageNotAccepted(AirlockError):
    """The image is not the one it should be, or was not rewritten by `airlock.images`."""


class SystemFailure(AirlockError):
    """An error of the team's system: its command cannot be started or its output cannot be read."""
