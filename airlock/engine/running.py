"""A run that has been started: observe it, stop it, read what it wrote."""

from __future__ import annotations

import time
from collections.abc import Generator, Mapping
from contextlib import closing
from typing import Any, cast

from .calls import engine_call, open_client, output_of
from .cgroup import Cgroup, Reading
from .errors import EngineFailure, RunLost
from .facts import Facts, parse_time
from .holder import OUTPUT, Look, parse_look
from .judge import Ending, judge
from .limits import Limits
from .log import Log
from .outcome import Observation, Outcome, OutputFile
from .outputs import read_outputs
from .parts import Parts

LOOK_SECONDS = 2.0
"""Looking into the volumes starts a process, so that observing more often shows the last look again."""
LOG_SECONDS = 10.0
SHORT_PAUSE, LONG_PAUSE = 0.02, 0.5
LOST = (
    "The containers of the run are gone, with its output: the engine was restarted, or someone removed them."
)


class Running:
    def __init__(self, parts: Parts, facts: Facts, limits: Limits, cgroup: Cgroup | None) -> None:
        self.run_id = parts.run_id
        self.limits = limits
        self._parts = parts
        self._facts = facts
        self._cgroup = cgroup
        self._stop_requested = False
        self._looked_at = float("-inf")
        self._look: Look | None = None
        self._log = Log(self._open_log, quota=limits.log_bytes, on_excess=self._kill)

    def observe(self) -> Observation:
        """Look once. Ends the run if its deadline has passed or its log is too long."""
        state = self._enforce()
        wall = self._wall_seconds(state)
        look, reading = self._look_again(), self._read_cgroup()
        return Observation(
            state="running" if state["Running"] else "ended",
            wall_seconds=wall,
            seconds_left=max(self.limits.wall_seconds - wall, 0.0) if state["Running"] else 0.0,
            cpu_seconds=reading.cpu_seconds,
            memory_bytes=reading.memory_bytes,
            memory_limit=self.limits.memory_bytes,
            output_bytes=look.output.used_bytes,
            output_files=look.output.used_files,
            output_names=look.names,
            log_bytes=self._log.total,
            log_tail=self._log.tail(),
        )

    def stop(self) -> None:
        """Kill it at once; `finish` then reports that it was stopped."""
        self._stop_requested = True
        self._kill()

    def finish(self) -> Outcome:
        """Wait until it has ended, by itself or by a limit. Raises `RunLost`, `EngineFailure`."""
        pause = SHORT_PAUSE
        while (state := self._enforce())["Running"]:
            # A cgroup of the engine's own is gone when the container has ended.
            self._read_cgroup()
            time.sleep(pause)
            pause = min(pause * 1.2, LONG_PAUSE)
        look = self._look_again(at_once=True)
        self._log.wait(LOG_SECONDS)
        ending = Ending(
            status=int(state["ExitCode"]),
            wall_seconds=self._wall_seconds(state),
            stop_requested=self._stop_requested,
            engine_says_out_of_memory=bool(state.get("OOMKilled")),
            reading=self._read_cgroup(),
            look=look,
            log_bytes=self._log.total,
            log_tail=self._log.tail(),
        )
        return judge(ending, self.limits)

    def outputs(self) -> Generator[OutputFile, None, None]:
        """Everything in the output directory. Raises `SystemFailure` where it cannot be read within limits.

        Possible as long as the run has not been removed, also while it is running. Read it to its end or
        close it: until then the engine does not remove the run.
        """
        self._require_holder()
        with engine_call("read the output"), closing(open_client(self._facts.url)) as client:
            chunks, _ = client.get_archive(self._parts.holder, OUTPUT)
            yield from read_outputs(chunks, self.limits)

    def remove(self) -> None:
        """Remove containers and volumes; kills the run if need be."""
        self._parts.remove()
        if self._cgroup is not None:
            self._cgroup.remove()

    def _enforce(self) -> Mapping[str, Any]:
        """The engine's state of the container, after ending it if it has to end."""
        state = self._state()
        is_late = self._wall_seconds(state) >= self.limits.wall_seconds
        if state["Running"] and (is_late or self._log.is_excessive):
            self._kill()
            state = self._state()
        return state

    def _state(self) -> Mapping[str, Any]:
        description = self._parts.inspect(self._parts.container)
        if description is None:
            raise RunLost(LOST)
        return cast(Mapping[str, Any], description["State"])

    def _wall_seconds(self, state: Mapping[str, Any]) -> float:
        end = self._facts.now() if state["Running"] else parse_time(state["FinishedAt"])
        return max(end - parse_time(state["StartedAt"]), 0.0)

    def _kill(self) -> None:
        self._parts.kill(self._parts.container)

    def _read_cgroup(self) -> Reading:
        return self._cgroup.read() if self._cgroup is not None else Reading()

    def _look_again(self, *, at_once: bool = False) -> Look:
        if self._look is None or at_once or time.monotonic() - self._looked_at >= LOOK_SECONDS:
            self._require_holder()
            self._look = self._look_into_volumes()
            self._looked_at = time.monotonic()
        return self._look

    def _look_into_volumes(self) -> Look:
        with engine_call("inspect the volumes of a run"):
            printed = output_of(self._parts.client, self._parts.holder, ["/look"])
        try:
            return parse_look(printed)
        except ValueError as error:
            raise EngineFailure(f"The engine could not inspect the volumes of a run: {error}") from error

    def _require_holder(self) -> None:
        """Volumes in memory live as long as the holder does."""
        description = self._parts.inspect(self._parts.holder)
        if description is None or not description["State"]["Running"]:
            raise RunLost(LOST)

    def _open_log(self) -> Generator[bytes, None, None]:
        """On a connection of its own, because it is read in another thread."""
        with closing(open_client(self._facts.url)) as client:
            stream = client.logs(self._parts.container, stdout=True, stderr=True, stream=True, follow=True)
            with closing(stream) as chunks:
                yield from chunks
