"""A run that has been started: observe it, stop it, read what it wrote."""

from __future__ import annotations

from collections.abc import Iterator

from .outcome import Observation, Outcome, OutputFile


class Running:
    run_id: str

    def observe(self) -> Observation:
        """Look once. Ends the run if its deadline has passed or its log is too long."""
        raise NotImplementedError

    def stop(self) -> None:
        """Kill it at once; `finish` then reports that it was stopped."""
        raise NotImplementedError

    def finish(self) -> Outcome:
        """Wait until it has ended, by itself or by a limit. Raises `RunLost`, `EngineFailure`."""
        raise NotImplementedError

    def outputs(self) -> Iterator[OutputFile]:
        """Everything in the output directory. Raises `SystemFailure` where it cannot be read within limits.

        Possible as long as the run has not been removed, also while it is running.
        """
        raise NotImplementedError

    def remove(self) -> None:
        """Remove containers and volumes; kills the run if need be."""
        raise NotImplementedError
